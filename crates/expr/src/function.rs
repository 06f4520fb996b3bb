//! The closed set of one-argument functions and their values.

/// A function of one argument.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Ord, PartialOrd, Debug)]
pub enum Function {
    /// sin a
    Sin,
    /// cos a
    Cos,
    /// tan a
    Tan,
    /// e^a
    Exp,
    /// Natural logarithm.
    Log,
    /// √a
    Sqrt,
    /// tanh a
    Tanh,
    /// sinh a
    Sinh,
    /// cosh a
    Cosh,
    /// |a|
    Abs,
    /// −1, 0 or 1: the derivative of |a|, taken as 0 at the kink.
    Sign,
}

impl Function {
    /// Every function, in declaration order.
    pub const ALL: [Function; 11] = [
        Function::Sin,
        Function::Cos,
        Function::Tan,
        Function::Exp,
        Function::Log,
        Function::Sqrt,
        Function::Tanh,
        Function::Sinh,
        Function::Cosh,
        Function::Abs,
        Function::Sign,
    ];

    /// The name it has in text.
    pub fn name(self) -> &'static str {
        match self {
            Function::Sin => "sin",
            Function::Cos => "cos",
            Function::Tan => "tan",
            Function::Exp => "exp",
            Function::Log => "log",
            Function::Sqrt => "sqrt",
            Function::Tanh => "tanh",
            Function::Sinh => "sinh",
            Function::Cosh => "cosh",
            Function::Abs => "abs",
            Function::Sign => "sign",
        }
    }

    /// The function with this name in text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }

    /// The value at `a`; NaN outside the domain.
    pub fn apply(self, a: f64) -> f64 {
        match self {
            Function::Sin => a.sin(),
            Function::Cos => a.cos(),
            Function::Tan => a.tan(),
            Function::Exp => a.exp(),
            Function::Log => a.ln(),
            Function::Sqrt => a.sqrt(),
            Function::Tanh => a.tanh(),
            Function::Sinh => a.sinh(),
            Function::Cosh => a.cosh(),
            Function::Abs => a.abs(),
            Function::Sign if a == 0.0 => 0.0,
            Function::Sign if a.is_nan() => f64::NAN,
            Function::Sign => a.signum(),
        }
    }
}

/// b^e as every part of this crate evaluates it: whole exponents by repeated multiplication.
pub(crate) fn power_value(base: f64, exponent: f64) -> f64 {
    if exponent.fract() == 0.0 && exponent.abs() <= 1024.0 { base.powi(exponent as i32) } else { base.powf(exponent) }
}
