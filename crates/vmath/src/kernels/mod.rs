//! Branch-free scalar kernels, written once for both precisions: the formulas here, the coefficients in [`Format`](crate::format::Format).
//!
//! Three rules keep them fast and reproducible. Every choice is a select between two computed values, so a loop over a kernel
//! becomes straight vector code. Multiply-adds are fused only where `FUSED` says so: elsewhere every instruction set gives the
//! same bits. Rounding to an integer is done by adding and subtracting 1.5·2^(mantissa bits), which leaves the integer in the
//! low bits.

pub(crate) mod exponential;
pub(crate) mod logarithm;
pub(crate) mod normal;
pub(crate) mod trigonometric;

use crate::Real;

/// a·b + c, in one rounding or in two.
#[inline(always)]
pub(crate) fn multiply_add<T: Real, const FUSED: bool>(a: T, b: T, c: T) -> T {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// c₀ + c₁x + … + c_d x^d: Horner's rule on every second (in long tables every fourth) coefficient, then the parts are combined. One long chain of
/// dependent operations would leave the vector units idle. The table is a constant, so everything unrolls.
#[inline(always)]
pub(crate) fn polynomial<T: Real, const FUSED: bool>(x: T, coefficients: &'static [T]) -> T {
    let x2 = x * x;
    if coefficients.len() > 12 {
        let x4 = x2 * x2;
        let mut parts = [T::ZERO; 4];
        for (first, part) in parts.iter_mut().enumerate() {
            *part = strided::<T, FUSED>(x4, coefficients, first, 4);
        }
        let low = multiply_add::<T, FUSED>(x, parts[1], parts[0]);
        let high = multiply_add::<T, FUSED>(x, parts[3], parts[2]);
        multiply_add::<T, FUSED>(x2, high, low)
    } else {
        let (even, odd) = (strided::<T, FUSED>(x2, coefficients, 0, 2), strided::<T, FUSED>(x2, coefficients, 1, 2));
        multiply_add::<T, FUSED>(x, odd, even)
    }
}

/// Σ_j c_{first + j·stride} y^j by Horner's rule.
#[inline(always)]
fn strided<T: Real, const FUSED: bool>(y: T, coefficients: &'static [T], first: usize, stride: usize) -> T {
    let mut i = first + (coefficients.len() - 1 - first) / stride * stride;
    let mut sum = coefficients[i];
    while i > first {
        i -= stride;
        sum = multiply_add::<T, FUSED>(sum, y, coefficients[i]);
    }
    sum
}
