//! Branch-free scalar kernels, written once for both precisions: the formulas here, the coefficients in [`Format`](crate::format::Format).
//!
//! Three rules keep them fast and reproducible. Every choice is a select between two computed values, so a loop over a kernel
//! becomes straight vector code. Nothing uses a fused multiply-add, so every instruction set gives the same bits. Rounding
//! to an integer is done by adding and subtracting 1.5·2^(mantissa bits), which leaves the integer in the low bits.

pub(crate) mod exponential;
pub(crate) mod logarithm;
pub(crate) mod normal;
pub(crate) mod trigonometric;

use crate::Real;

/// c₀ + c₁x + … + c_d x^d: Horner's rule on every second (in long tables every fourth) coefficient, then the parts are combined. One long chain of
/// dependent operations would leave the vector units idle. The table is a constant, so everything unrolls.
#[inline(always)]
pub(crate) fn polynomial<T: Real>(x: T, coefficients: &'static [T]) -> T {
    let x2 = x * x;
    if coefficients.len() > 12 {
        let x4 = x2 * x2;
        let low = strided(x4, coefficients, 0, 4) + x * strided(x4, coefficients, 1, 4);
        let high = strided(x4, coefficients, 2, 4) + x * strided(x4, coefficients, 3, 4);
        low + x2 * high
    } else {
        strided(x2, coefficients, 0, 2) + x * strided(x2, coefficients, 1, 2)
    }
}

/// Σ_j c_{first + j·stride} y^j by Horner's rule.
#[inline(always)]
fn strided<T: Real>(y: T, coefficients: &'static [T], first: usize, stride: usize) -> T {
    let mut i = first + (coefficients.len() - 1 - first) / stride * stride;
    let mut sum = coefficients[i];
    while i > first {
        i -= stride;
        sum = sum * y + coefficients[i];
    }
    sum
}
