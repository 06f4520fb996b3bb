//! Values and derivatives of each activation at one point, as closed forms that share their subexpressions.
//!
//! Each tower is written for all [`MAX_TOWER`] rows; a caller that takes fewer pays for fewer, since everything is
//! inlined and unused rows are dropped by the compiler.

use std::marker::PhantomData;

use crate::kernels::exponential::{exp, sigmoid, tanh};
use crate::kernels::multiply_add;
use crate::kernels::normal::normal_cdf_and_density;
use crate::kernels::trigonometric::sin_cos;
use crate::{Real, lane};

/// The most rows a tower can have: the value and six derivatives.
pub const MAX_TOWER: usize = 7;

/// σ and its derivatives as functions of z.
pub(crate) trait Tower {
    /// \[σ(z), σ′(z), …, σ^(6)(z)\].
    fn rows<T: Real, const FUSED: bool>(z: T) -> [T; MAX_TOWER];

    /// The first K rows.
    #[inline(always)]
    fn at<T: Real, const FUSED: bool, const K: usize>(z: T) -> [T; K] {
        // A plain copy, no loop: the rows must end up in registers for the calling loop to vectorise.
        *Self::rows::<T, FUSED>(z).first_chunk().expect("K is at most MAX_TOWER")
    }
}

/// An activation whose derivatives are functions of its own value y = σ(z).
pub(crate) trait OutputTower {
    /// y = σ(z).
    fn output<T: Real, const FUSED: bool>(z: T) -> T;
    /// \[y, σ′, …, σ^(6)\].
    fn rows_from_output<T: Real, const FUSED: bool>(y: T) -> [T; MAX_TOWER];
}

/// The tower as a function of y.
pub(crate) struct FromOutput<A>(PhantomData<A>);

impl<A: OutputTower> Tower for FromOutput<A> {
    #[inline(always)]
    fn rows<T: Real, const FUSED: bool>(y: T) -> [T; MAX_TOWER] {
        A::rows_from_output::<T, FUSED>(y)
    }
}

/// c, rounded to T.
#[inline(always)]
fn c<T: Real>(value: f64) -> T {
    T::from_f64(value)
}

/// slope·x + start.
#[inline(always)]
fn line<T: Real, const FUSED: bool>(slope: f64, x: T, start: f64) -> T {
    multiply_add::<T, FUSED>(c::<T>(slope), x, c::<T>(start))
}

/// x limited to \[−bound, bound\]; NaN stays.
#[inline(always)]
fn clamp<T: Real>(x: T, bound: T) -> T {
    bound.min((-bound).max(x))
}

pub(crate) struct Tanh;
impl OutputTower for Tanh {
    #[inline(always)]
    fn output<T: Real, const FUSED: bool>(z: T) -> T {
        tanh::<T, FUSED>(z)
    }
    /// With d = 1 − y²: y′ = d and d′ = −2yd, so each derivative is d, or y·d, times a polynomial in d.
    #[inline(always)]
    fn rows_from_output<T: Real, const FUSED: bool>(y: T) -> [T; MAX_TOWER] {
        // Not 1 − y·y: near |y| = 1 the subtraction here is exact.
        let d = (T::ONE - y) * (T::ONE + y);
        let yd = y * d;
        [
            y,
            d,
            c::<T>(-2.0) * yd,
            d * line::<T, FUSED>(-6.0, d, 4.0),
            yd * line::<T, FUSED>(24.0, d, -8.0),
            d * multiply_add::<T, FUSED>(d, line::<T, FUSED>(120.0, d, -120.0), c::<T>(16.0)),
            yd * multiply_add::<T, FUSED>(d, line::<T, FUSED>(-720.0, d, 480.0), c::<T>(-32.0)),
        ]
    }
}

pub(crate) struct Sigmoid;
impl OutputTower for Sigmoid {
    #[inline(always)]
    fn output<T: Real, const FUSED: bool>(z: T) -> T {
        sigmoid::<T, FUSED>(z)
    }
    /// With d = y(1 − y) and w = 1 − 2y: y′ = d, d′ = dw, w′ = −2d, w² = 1 − 4d.
    #[inline(always)]
    fn rows_from_output<T: Real, const FUSED: bool>(y: T) -> [T; MAX_TOWER] {
        let d = y * (T::ONE - y);
        let dw = d * (T::ONE - (y + y));
        [
            y,
            d,
            dw,
            d * line::<T, FUSED>(-6.0, d, 1.0),
            dw * line::<T, FUSED>(-12.0, d, 1.0),
            d * multiply_add::<T, FUSED>(d, line::<T, FUSED>(120.0, d, -30.0), T::ONE),
            dw * multiply_add::<T, FUSED>(d, line::<T, FUSED>(360.0, d, -60.0), T::ONE),
        ]
    }
}

pub(crate) struct Exp;
impl OutputTower for Exp {
    #[inline(always)]
    fn output<T: Real, const FUSED: bool>(z: T) -> T {
        exp::<T, FUSED>(z)
    }
    #[inline(always)]
    fn rows_from_output<T: Real, const FUSED: bool>(y: T) -> [T; MAX_TOWER] {
        [y; MAX_TOWER]
    }
}

pub(crate) struct Identity;
impl OutputTower for Identity {
    #[inline(always)]
    fn output<T: Real, const FUSED: bool>(z: T) -> T {
        z
    }
    #[inline(always)]
    fn rows_from_output<T: Real, const FUSED: bool>(y: T) -> [T; MAX_TOWER] {
        let mut rows = [T::ZERO; MAX_TOWER];
        rows[0] = y;
        rows[1] = T::ONE;
        rows
    }
}

macro_rules! tower_through_output {
    ($($activation:ident)*) => { $(
        impl Tower for $activation {
            #[inline(always)]
            fn rows<T: Real, const FUSED: bool>(z: T) -> [T; MAX_TOWER] {
                Self::rows_from_output::<T, FUSED>(Self::output::<T, FUSED>(z))
            }
        }
    )* };
}
tower_through_output! { Tanh Sigmoid Exp Identity }

pub(crate) struct Sin;
impl Tower for Sin {
    #[inline(always)]
    fn rows<T: Real, const FUSED: bool>(z: T) -> [T; MAX_TOWER] {
        let (sin, cos) = sin_cos::<T, FUSED>(z);
        [sin, cos, -sin, -cos, sin, cos, -sin]
    }
}

pub(crate) struct Cos;
impl Tower for Cos {
    #[inline(always)]
    fn rows<T: Real, const FUSED: bool>(z: T) -> [T; MAX_TOWER] {
        let (sin, cos) = sin_cos::<T, FUSED>(z);
        [cos, -sin, -cos, sin, cos, -sin, -cos]
    }
}

pub(crate) struct Softplus;
impl Tower for Softplus {
    /// (ln(1 + e^z))′ = σ(z), the logistic function.
    #[inline(always)]
    fn rows<T: Real, const FUSED: bool>(z: T) -> [T; MAX_TOWER] {
        let [s0, s1, s2, s3, s4, s5, _] = Sigmoid::rows::<T, FUSED>(z);
        [lane::softplus(z), s0, s1, s2, s3, s4, s5]
    }
}

pub(crate) struct Gaussian;
impl Tower for Gaussian {
    /// (e^(−z²/2))^(k) = (−1)^k He_k(z) e^(−z²/2), He_k the Hermite polynomials.
    #[inline(always)]
    fn rows<T: Real, const FUSED: bool>(z: T) -> [T; MAX_TOWER] {
        // Beyond, e^(−z²/2) is 0 in any precision, and 0·∞ must not appear.
        let z = clamp(z, c::<T>(64.0));
        let s = z * z;
        let y = exp::<T, FUSED>(c::<T>(-0.5) * s);
        let odd = -(z * y);
        let cubic = line::<T, FUSED>(1.0, s, -6.0);
        let quintic = multiply_add::<T, FUSED>(s, line::<T, FUSED>(1.0, s, -15.0), c::<T>(45.0));
        [
            y,
            odd,
            (s - T::ONE) * y,
            odd * line::<T, FUSED>(1.0, s, -3.0),
            y * multiply_add::<T, FUSED>(s, cubic, c::<T>(3.0)),
            odd * multiply_add::<T, FUSED>(s, line::<T, FUSED>(1.0, s, -10.0), c::<T>(15.0)),
            y * multiply_add::<T, FUSED>(s, quintic, c::<T>(-15.0)),
        ]
    }
}

pub(crate) struct Silu;
impl Tower for Silu {
    /// (zσ)^(k) = zσ^(k) + kσ^(k−1) (Leibniz).
    #[inline(always)]
    fn rows<T: Real, const FUSED: bool>(z: T) -> [T; MAX_TOWER] {
        let s = Sigmoid::rows::<T, FUSED>(z);
        // Where z is clamped its factor is 0, and 0·∞ must not appear.
        let bound = -T::EXP_LOWEST;
        let z_clamped = clamp(z, bound);
        [
            (-bound).max(z) * s[0],
            z_clamped * s[1] + s[0],
            z_clamped * s[2] + c::<T>(2.0) * s[1],
            z_clamped * s[3] + c::<T>(3.0) * s[2],
            z_clamped * s[4] + c::<T>(4.0) * s[3],
            z_clamped * s[5] + c::<T>(5.0) * s[4],
            z_clamped * s[6] + c::<T>(6.0) * s[5],
        ]
    }
}

pub(crate) struct Gelu;
impl Tower for Gelu {
    /// Φ^(k) = (−1)^(k−1) He_{k−1} φ, so (zΦ)′ = Φ + zφ and (zΦ)^(k) = (−1)^k (He_{k−2} − He_k) φ for k ≥ 2.
    #[inline(always)]
    fn rows<T: Real, const FUSED: bool>(z: T) -> [T; MAX_TOWER] {
        let (cdf, density) = normal_cdf_and_density(z);
        // Where x is clamped φ is 0, and 0·∞ must not appear.
        let bound = T::MILLS_LARGEST;
        let x = clamp(z, bound);
        // He_{k+1} = x He_k − k He_{k−1}, probabilists' Hermite polynomials.
        let he_2 = x * x - T::ONE;
        let he_3 = x * he_2 - c::<T>(2.0) * x;
        let he_4 = x * he_3 - c::<T>(3.0) * he_2;
        let he_5 = x * he_4 - c::<T>(4.0) * he_3;
        let he_6 = x * he_5 - c::<T>(5.0) * he_4;
        [
            (-bound).max(z) * cdf,
            cdf + x * density,
            density * (T::ONE - he_2),
            density * (he_3 - x),
            density * (he_2 - he_4),
            density * (he_5 - he_3),
            density * (he_4 - he_6),
        ]
    }
}
