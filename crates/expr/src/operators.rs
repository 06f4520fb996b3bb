//! Rust operators and methods, so that a residual reads like the equation.
//!
//! Every combination of [`Expr`], `&Expr`, [`Axis`] and `f64` works on either side of `+ - * /`.

use std::iter::{Product, Sum};
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::{Axis, Comparison, Cond, Expr, Function};

impl From<f64> for Expr {
    fn from(value: f64) -> Self {
        Expr::constant(value)
    }
}

impl From<i32> for Expr {
    fn from(value: i32) -> Self {
        Expr::constant(f64::from(value))
    }
}

impl From<&Expr> for Expr {
    fn from(expr: &Expr) -> Self {
        expr.clone()
    }
}

impl From<Axis> for Expr {
    fn from(axis: Axis) -> Self {
        axis.expr()
    }
}

fn add(a: Expr, b: Expr) -> Expr {
    Expr::sum([a, b])
}

fn sub(a: Expr, b: Expr) -> Expr {
    Expr::sum([a, -b])
}

fn mul(a: Expr, b: Expr) -> Expr {
    Expr::product([a, b])
}

/// a · b⁻¹, but numbers divide directly: 0.01/π here is the same number as in Rust.
pub(crate) fn div(a: Expr, b: Expr) -> Expr {
    if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant())
        && (x / y).is_finite()
    {
        return Expr::constant(x / y);
    }
    Expr::product([a, b.powi(-1)])
}

macro_rules! binary_operators {
    ($operator:ident $method:ident $left:ty => $($right:ty),+) => {$(
        impl $operator<$right> for $left {
            type Output = Expr;
            fn $method(self, other: $right) -> Expr { $method(self.into(), other.into()) }
        }
    )+};
    ($($operator:ident $method:ident)+) => {$(
        binary_operators!($operator $method Expr => Expr, &Expr, Axis, f64);
        binary_operators!($operator $method &Expr => Expr, &Expr, Axis, f64);
        binary_operators!($operator $method Axis => Expr, &Expr, Axis, f64);
        binary_operators!($operator $method f64 => Expr, &Expr, Axis);
    )+};
}

binary_operators!(Add add Sub sub Mul mul Div div);

macro_rules! negation {
    ($($operand:ty),+) => {$(
        impl Neg for $operand {
            type Output = Expr;
            fn neg(self) -> Expr { mul(Expr::constant(-1.0), self.into()) }
        }
    )+};
}

negation!(Expr, &Expr, Axis);

impl Sum for Expr {
    fn sum<I: Iterator<Item = Expr>>(terms: I) -> Expr {
        Expr::sum(terms)
    }
}

impl Product for Expr {
    fn product<I: Iterator<Item = Expr>>(factors: I) -> Expr {
        Expr::product(factors)
    }
}

macro_rules! function_methods {
    ($($method:ident => $function:ident, $doc:literal;)+) => {
        impl Expr {$(
            #[doc = $doc]
            pub fn $method(&self) -> Expr {
                Expr::apply(Function::$function, self)
            }
        )+}
    };
}

function_methods! {
    sin => Sin, "sin of the expression.";
    cos => Cos, "cos of the expression.";
    tan => Tan, "tan of the expression.";
    exp => Exp, "e to the expression.";
    log => Log, "Natural logarithm of the expression.";
    sqrt => Sqrt, "Square root of the expression.";
    tanh => Tanh, "tanh of the expression.";
    sinh => Sinh, "sinh of the expression.";
    cosh => Cosh, "cosh of the expression.";
    atan => Atan, "Arc tangent of the expression.";
    erf => Erf, "Error function of the expression.";
    abs => Abs, "Absolute value of the expression.";
    sign => Sign, "Sign of the expression: −1, 0 or 1.";
}

impl Expr {
    /// The smaller of two. On a reference this name means [`Ord::min`], the structural order: call it on a value, or
    /// use [`Expr::minimum`].
    pub fn min(self, other: impl Into<Expr>) -> Expr {
        Expr::minimum(self, other)
    }

    /// The larger of two. On a reference this name means [`Ord::max`], the structural order: call it on a value, or
    /// use [`Expr::maximum`].
    pub fn max(self, other: impl Into<Expr>) -> Expr {
        Expr::maximum(self, other)
    }
}

macro_rules! comparison_methods {
    ($($method:ident => $comparison:ident, $doc:literal;)+) => {
        impl Expr {$(
            #[doc = $doc]
            pub fn $method(&self, other: impl Into<Expr>) -> Cond {
                Cond::Compare(Comparison::$comparison, self.clone(), other.into())
            }
        )+}
    };
}

comparison_methods! {
    lt => Lt, "self < other, for [`Expr::select`].";
    le => Le, "self ≤ other, for [`Expr::select`].";
    gt => Gt, "self > other, for [`Expr::select`].";
    ge => Ge, "self ≥ other, for [`Expr::select`].";
}
