//! Legendre polynomials and the test functions of variational PINNs made of them.
//!
//! (k + 1) P_{k+1} = (2k + 1) x P_k − k P_{k−1}, and P′_{k+1} = P′_{k−1} + (2k + 1) P_k, which unlike the formula with
//! 1 − x² below a fraction also holds at the ends of the interval.

/// A function's value and first two derivatives at one place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jet {
    /// f(x).
    pub value: f64,
    /// f′(x).
    pub slope: f64,
    /// f″(x).
    pub curvature: f64,
}

/// The Legendre polynomial P_degree with P(1) = 1, and its derivatives.
///
/// ```
/// use ropinn_domain::quadrature::legendre;
/// let p2 = legendre(2, 0.5); // (3x² − 1)/2
/// assert_eq!((p2.value, p2.slope, p2.curvature), (-0.125, 1.5, 3.0));
/// ```
pub fn legendre(degree: usize, x: f64) -> Jet {
    let mut before = Jet { value: 1.0, slope: 0.0, curvature: 0.0 };
    if degree == 0 {
        return before;
    }
    let mut now = Jet { value: x, slope: 1.0, curvature: 0.0 };
    for k in 1..degree {
        let (k, odd) = (k as f64, (2 * k + 1) as f64);
        let next = Jet {
            value: (odd * x * now.value - k * before.value) / (k + 1.0),
            slope: before.slope + odd * now.value,
            curvature: before.curvature + odd * now.slope,
        };
        (before, now) = (now, next);
    }
    now
}

/// Test function number n ≥ 1 of variational PINNs, v_n = P_{n+1} − P_{n−1}, and its derivatives.
///
/// It vanishes at both ends, so that integration by parts over [−1, 1] leaves no boundary term, and v_n′ = (2n + 1) P_n.
/// Kharazmi, Zhang & Karniadakis, "hp-VPINNs" (2021). Number 0, which has no P_{−1}, is P₁ with P_{−1} = 0.
///
/// ```
/// use ropinn_domain::quadrature::legendre_difference;
/// assert_eq!(legendre_difference(3, 1.0).value, 0.0);
/// ```
pub fn legendre_difference(n: usize, x: f64) -> Jet {
    let (above, own) = (legendre(n + 1, x), legendre(n, x));
    let below = n.checked_sub(1).map_or(0.0, |below| legendre(below, x).value);
    let odd = (2 * n + 1) as f64;
    Jet { value: above.value - below, slope: odd * own.value, curvature: odd * own.slope }
}
