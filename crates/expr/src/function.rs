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
    /// arctan a, between −π/2 and π/2
    Atan,
    /// erf a = 2/√π ∫₀ᵃ e^(−s²) ds
    Erf,
    /// |a|
    Abs,
    /// −1, 0 or 1: the derivative of |a|, taken as 0 at the kink.
    Sign,
}

impl Function {
    /// Every function, in declaration order.
    pub const ALL: [Function; 13] = [
        Function::Sin,
        Function::Cos,
        Function::Tan,
        Function::Exp,
        Function::Log,
        Function::Sqrt,
        Function::Tanh,
        Function::Sinh,
        Function::Cosh,
        Function::Atan,
        Function::Erf,
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
            Function::Atan => "atan",
            Function::Erf => "erf",
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
            Function::Atan => a.atan(),
            Function::Erf => libm::erf(a),
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

#[cfg(test)]
mod tests {
    use super::Function;

    #[test]
    fn the_error_function_has_its_tabulated_values() {
        // Abramowitz & Stegun, table 7.1.
        let values = [(0.0, 0.0), (0.5, 0.5204998778130465), (1.0, 0.8427007929497149), (2.0, 0.9953222650189527)];
        for (x, expected) in values {
            for sign in [1.0, -1.0] {
                let value = Function::Erf.apply(sign * x);
                assert!((value - sign * expected).abs() <= 1e-15, "erf({}) = {value}", sign * x);
            }
        }
        assert_eq!([f64::INFINITY, f64::NEG_INFINITY].map(|x| Function::Erf.apply(x)), [1.0, -1.0]);
    }
}
