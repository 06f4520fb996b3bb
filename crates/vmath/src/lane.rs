//! Elementary functions of one scalar, branch-free and always inlined.
//!
//! Call them in a loop inside [`dispatch`](crate::dispatch()) and the loop becomes vector code. They give the same bits as the
//! slice forms of this crate on every instruction set. NaN in gives NaN out.
//!
//! ```
//! use ropinn_vmath::{dispatch, lane};
//!
//! let x = [0.5_f32; 100];
//! let mut y = [0.0_f32; 100];
//! dispatch(
//!     #[inline(always)]
//!     || {
//!         for (y, &x) in y.iter_mut().zip(&x) {
//!             *y = x * lane::tanh(x);
//!         }
//!     },
//! );
//! assert!((y[99] - 0.23105858).abs() < 1e-7);
//! ```

use crate::Real;
use crate::kernels::{exponential, logarithm, normal, trigonometric};

/// e^x: ∞ past the largest finite result, gradual underflow to 0.
#[inline(always)]
pub fn exp<T: Real>(x: T) -> T {
    exponential::exp::<T, false>(x)
}

/// tanh x, with full relative accuracy near 0.
#[inline(always)]
pub fn tanh<T: Real>(x: T) -> T {
    exponential::tanh::<T, false>(x)
}

/// The logistic function 1/(1 + e^−x).
#[inline(always)]
pub fn sigmoid<T: Real>(x: T) -> T {
    exponential::sigmoid::<T, false>(x)
}

/// Largest |x| for which [`sin`], [`cos`], [`sin_cos`] and [`tan`] are accurate here: 3·10⁴ in `f32`, 10⁶ in `f64`. The slice
/// forms have no such limit.
#[inline(always)]
pub fn trig_range<T: Real>() -> T {
    T::TRIG_RANGE
}

/// sin x for |x| ≤ [`trig_range`].
#[inline(always)]
pub fn sin<T: Real>(x: T) -> T {
    trigonometric::sin_cos::<T, false>(x).0
}

/// cos x for |x| ≤ [`trig_range`].
#[inline(always)]
pub fn cos<T: Real>(x: T) -> T {
    trigonometric::sin_cos::<T, false>(x).1
}

/// (sin x, cos x) for |x| ≤ [`trig_range`], at little more than the price of one.
#[inline(always)]
pub fn sin_cos<T: Real>(x: T) -> (T, T) {
    trigonometric::sin_cos::<T, false>(x)
}

/// tan x for |x| ≤ [`trig_range`].
#[inline(always)]
pub fn tan<T: Real>(x: T) -> T {
    let (sin, cos) = trigonometric::sin_cos::<T, false>(x);
    sin / cos
}

/// ln x: −∞ at 0, NaN below.
#[inline(always)]
pub fn ln<T: Real>(x: T) -> T {
    logarithm::ln(x)
}

/// ln(1 + x), with full relative accuracy near 0.
#[inline(always)]
pub fn ln_1p<T: Real>(x: T) -> T {
    logarithm::ln_1p(x)
}

/// ln(1 + e^x), which never overflows.
#[inline(always)]
pub fn softplus<T: Real>(x: T) -> T {
    logarithm::softplus(x)
}

/// erf x = 2/√π ∫₀^x e^(−t²) dt.
#[inline(always)]
pub fn erf<T: Real>(x: T) -> T {
    normal::erf(x)
}

/// Φ(x) = ½ erfc(−x/√2), with full relative accuracy in the lower tail.
#[inline(always)]
pub fn normal_cdf<T: Real>(x: T) -> T {
    normal::normal_cdf_and_density(x).0
}
