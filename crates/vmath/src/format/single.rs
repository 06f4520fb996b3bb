//! Coefficients for `f32`.
//!
//! The logarithm is that of fdlibm (Sun Microsystems, 1993), the sine and cosine those of Cephes (Moshier, 1992). The others are
//! our own minimax fits (Remez exchange in 50 digits, then rounded); the errors quoted are after rounding.

#![allow(clippy::excessive_precision, reason = "coefficients keep the digits they were published or fitted with")]

use super::{Format, bit_methods};

impl Format for f32 {
    const SHIFT: f32 = 12582912.0;
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    const LN2_HI: f32 = 0.693_145_75;
    const LN2_LO: f32 = 1.428_606_8e-6;
    // Relative error of e^r − 1: 1.7e-8.
    const EXP_TAIL: &'static [f32] = &[0.5, 0.16666542, 0.0416662805, 0.00836664904, 0.00139465509];
    const EXP_HIGHEST: f32 = 89.0;
    const EXP_LOWEST: f32 = -105.0;
    const TANH_SATURATES: f32 = 10.0;
    const LOG_TAIL: &'static [f32] = &[0.66666662693, 0.40000972152, 0.28498786688, 0.24279078841];
    const LIFT: f32 = 33554432.0;
    const LIFT_EXPONENT: f32 = 25.0;
    const SIN_TAIL: &'static [f32] = &[-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4];
    const COS_TAIL: &'static [f32] = &[4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5];
    const TWO_OVER_PI: f32 = std::f32::consts::FRAC_2_PI;
    const TRIG_RANGE: f32 = 3.0e4;
    // Relative error 2.2e-8.
    const MILLS_CENTRE: f32 = 4.0;
    const MILLS: &'static [f32] = &[
        0.755285144,
        -0.607896566,
        0.387136877,
        -0.186523765,
        0.060403496,
        -0.00752402795,
        -0.00351018971,
        0.00156859145,
        0.000175027584,
        -0.000133851761,
    ];
    const MILLS_LARGEST: f32 = 15.0;
    // Relative error 1.8e-8.
    const ERF_SMALL: &'static [f32] =
        &[0.128379166, -0.376125723, 0.112827316, -0.0268031564, 0.00505216792, -0.000632167794];

    bit_methods!(f32, u32, mantissa: 23, bias: 127);

    /// Two products in `f64`: cheaper than the four parts that `f32` would need, and exact enough for any n < 2^22.
    #[inline(always)]
    fn minus_quarter_turns(self, n: f32) -> f32 {
        let n = f64::from(n);
        ((f64::from(self) - n * 1.5707963267341256) - n * 6.077100506506192e-11) as f32
    }
}
