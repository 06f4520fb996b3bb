//! Total derivative in a coordinate.
//!
//! ∂_i acts on ∂^α u as ∂^{α+e_i} u, on coordinate j as δ_ij at every linked site (the sites move together), and by the
//! chain rule elsewhere. Trainable scalars and data columns count as constants; kinks take one-sided values.

use crate::traverse::fold;
use crate::{Expr, Function, Node};
use std::f64::consts::FRAC_2_SQRT_PI;

impl Expr {
    /// The total derivative in coordinate `axis`.
    ///
    /// ```
    /// # use ropinn_expr::Scope;
    /// let scope = Scope::new(["x"], ["u"])?;
    /// let x = scope.coord("x")?;
    /// let flux = scope.parse("x^2 * u_x")?;
    /// assert_eq!(flux.derivative(x.index()), scope.parse("2*x*u_x + x^2*u_xx")?);
    /// # Ok::<(), ropinn_expr::Error>(())
    /// ```
    ///
    /// # Panics
    /// When an unknown is present and `axis` is above [`crate::MAX_COORDS`].
    pub fn derivative(&self, axis: usize) -> Expr {
        fold(self, |expr, slopes| rule(expr, slopes, axis))
    }
}

/// The derivative of one node, given those of its operands in the order of its children.
fn rule(expr: &Expr, slopes: &[Expr], axis: usize) -> Expr {
    if !expr.summary().coords && !expr.summary().unknowns {
        return Expr::constant(0.0);
    }
    match expr.node() {
        Node::Const(_) | Node::Trainable(_) | Node::Data(_) => Expr::constant(0.0),
        Node::Coord { axis: own, .. } => Expr::constant(if *own == axis { 1.0 } else { 0.0 }),
        Node::Unknown { field, alpha, site } => {
            Expr::from_node(Node::Unknown { field: *field, alpha: alpha.plus(axis), site: *site })
        }
        Node::Add(_) => Expr::sum(slopes.iter().cloned()),
        Node::Mul(factors) => product_rule(factors, slopes),
        Node::Pow(base, exponent) => power_rule(expr, base, exponent, &slopes[0], &slopes[1]),
        Node::Unary(..) if slopes[0].is_constant(0.0) => slopes[0].clone(),
        Node::Unary(f, a) => outer_slope(*f, a, expr) * &slopes[0],
        Node::Min(a, b) => Expr::select(a.le(b), &slopes[0], &slopes[1]),
        Node::Max(a, b) => Expr::select(a.ge(b), &slopes[0], &slopes[1]),
        Node::Where(cond, ..) => {
            let (_compared, branches) = slopes.split_at(slopes.len() - 2);
            Expr::select(cond.clone(), &branches[0], &branches[1])
        }
        Node::Table { table, args, orders } => Expr::sum(slopes.iter().enumerate().map(|(k, slope)| {
            let mut orders = orders.clone();
            orders[k] = orders[k].saturating_add(1);
            Expr::look_up(table, args.clone(), orders) * slope
        })),
    }
}

/// (fg)' = f'g + fg', by halves: n factors cost O(n log n) terms in place of O(n²).
fn product_rule(factors: &[Expr], slopes: &[Expr]) -> Expr {
    const FEW: usize = 8;
    let n = factors.len();
    if n <= FEW {
        return Expr::sum(slopes.iter().enumerate().map(|(i, slope)| {
            if slope.is_constant(0.0) {
                return slope.clone();
            }
            let others = factors.iter().enumerate().filter(|(j, _)| *j != i);
            Expr::product(others.map(|(_, f)| f.clone()).chain(std::iter::once(slope.clone())))
        }));
    }
    let (left, right) = factors.split_at(n / 2);
    let (left_slopes, right_slopes) = slopes.split_at(n / 2);
    let product = |part: &[Expr]| Expr::product(part.iter().cloned());
    product_rule(left, left_slopes) * product(right) + product(left) * product_rule(right, right_slopes)
}

/// (bᵉ)' = e bᵉ⁻¹ b' + bᵉ log(b) e', leaving out what vanishes.
fn power_rule(power: &Expr, base: &Expr, exponent: &Expr, base_slope: &Expr, exponent_slope: &Expr) -> Expr {
    let by_base =
        if base_slope.is_constant(0.0) { base_slope.clone() } else { exponent * base.pow(exponent - 1.0) * base_slope };
    if exponent_slope.is_constant(0.0) {
        return by_base;
    }
    by_base + power * base.log() * exponent_slope
}

/// f'(a), in terms of the argument or of the value y = f(a), whichever already exists.
fn outer_slope(function: Function, a: &Expr, y: &Expr) -> Expr {
    match function {
        Function::Sin => a.cos(),
        Function::Cos => -a.sin(),
        Function::Tan => 1.0 + y.powi(2),
        Function::Exp => y.clone(),
        Function::Log => a.powi(-1),
        Function::Sqrt => 0.5 * y.powi(-1),
        Function::Tanh => 1.0 - y.powi(2),
        Function::Sinh => a.cosh(),
        Function::Cosh => a.sinh(),
        Function::Atan => (1.0 + a.powi(2)).powi(-1),
        Function::Erf => FRAC_2_SQRT_PI * (-a.powi(2)).exp(),
        Function::Abs => a.sign(),
        Function::Sign => Expr::constant(0.0),
    }
}
