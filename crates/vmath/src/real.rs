//! The scalar types the whole workspace computes in: `f32` and `f64` behind one sealed trait.
//!
//! [`Real`] offers only what numerical code needs (arithmetic, comparison, a few exact functions and conversions);
//! the elementary functions live in [`crate::lane`].

use std::fmt::{Debug, Display};
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::Activation;
use crate::format::Format;

/// A floating-point scalar: `f32` or `f64`. Sealed, so that generic kernels can rely on IEEE 754 bit layouts.
///
/// ```
/// use ropinn_vmath::Real;
///
/// fn norm<T: Real>(v: &[T]) -> T {
///     let mut sum = T::ZERO;
///     for &x in v {
///         sum += x * x;
///     }
///     sum.sqrt()
/// }
/// assert_eq!(norm(&[3.0_f32, 4.0]), 5.0);
/// assert_eq!(<f64 as Real>::NAME, "f64");
/// ```
pub trait Real:
    Format
    + Compiled
    + Copy
    + Default
    + Send
    + Sync
    + 'static
    + PartialOrd
    + Debug
    + Display
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The gap between 1 and the next representable number.
    const EPS: Self;
    /// The smallest positive normal number.
    const MIN_POSITIVE: Self;
    /// +∞.
    const INFINITY: Self;
    /// A quiet NaN.
    const NAN: Self;
    /// The type's name as Rust writes it.
    const NAME: &'static str;

    /// Rounds to the nearest representable value.
    fn from_f64(value: f64) -> Self;
    /// Widens without loss.
    fn to_f64(self) -> f64;
    /// self·b + c, rounded once. One instruction where the processor has it, a slow call elsewhere.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// |self|.
    fn abs(self) -> Self;
    /// √self, correctly rounded.
    fn sqrt(self) -> Self;
    /// The larger of two numbers, and `other` when either is NaN: one vector instruction, unlike `f64::max`.
    fn max(self, other: Self) -> Self;
    /// The smaller of two numbers, and `other` when either is NaN.
    fn min(self, other: Self) -> Self;
    /// The magnitude of `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// Neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// Whether this is NaN.
    fn is_nan(self) -> bool;
}

/// The dispatched towers of one precision, made in `towers`; a supertrait so that code generic over [`Real`] can call them.
pub trait Compiled: Sized {
    /// See [`Activation::tower`].
    fn tower(activation: Activation, k_max: usize, z: &[Self], s: &mut [Self]);
    /// See [`Activation::tower_from_output`].
    fn tower_from_output(activation: Activation, k_max: usize, y: &[Self], s: &mut [Self]) -> bool;
}

macro_rules! impl_real {
    ($float:ident, $name:literal) => {
        impl Real for $float {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const EPS: Self = $float::EPSILON;
            const MIN_POSITIVE: Self = $float::MIN_POSITIVE;
            const INFINITY: Self = $float::INFINITY;
            const NAN: Self = $float::NAN;
            const NAME: &'static str = $name;

            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $float
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                self.mul_add(b, c)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                if self > other { self } else { other }
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                if self < other { self } else { other }
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                self.copysign(sign)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                self.is_finite()
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self.is_nan()
            }
        }
    };
}

impl_real!(f32, "f32");
impl_real!(f64, "f64");
