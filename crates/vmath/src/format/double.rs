//! Coefficients for `f64`.
//!
//! The logarithm and the sine and cosine are those of fdlibm (Sun Microsystems, 1993). The others are our own
//! minimax fits (Remez exchange in 50 digits, then rounded); the errors quoted are after rounding.

#![allow(clippy::excessive_precision, reason = "coefficients keep the digits they were published or fitted with")]

use super::{Format, bit_methods};

impl Format for f64 {
    const SHIFT: f64 = 6755399441055744.0;
    const LOG2_E: f64 = std::f64::consts::LOG2_E;
    const LN2_HI: f64 = 0.693147180559663;
    const LN2_LO: f64 = 2.8235290563031577e-13;
    // Relative error of e^r − 1: 2.5e-17.
    const EXP_TAIL: &'static [f64] = &[
        0.5000000000000006,
        0.16666666666666685,
        0.0416666666665746,
        0.008333333333315152,
        0.0013888888932260665,
        0.00019841269902067595,
        2.4801504432569495e-05,
        2.75572286114277e-06,
        2.762637663390321e-07,
        2.511432125185492e-08,
    ];
    const EXP_HIGHEST: f64 = 710.0;
    const EXP_LOWEST: f64 = -746.0;
    const TANH_SATURATES: f64 = 20.0;
    const LOG_TAIL: &'static [f64] = &[
        6.666666666666735130e-01,
        3.999999999940941908e-01,
        2.857142874366239149e-01,
        2.222219843214978396e-01,
        1.818357216161805012e-01,
        1.531383769920937332e-01,
        1.479819860511658591e-01,
    ];
    const LIFT: f64 = 18014398509481984.0;
    const LIFT_EXPONENT: f64 = 54.0;
    const SIN_TAIL: &'static [f64] = &[
        -1.66666666666666324348e-01,
        8.33333333332248946124e-03,
        -1.98412698298579493134e-04,
        2.75573137070700676789e-06,
        -2.50507602534068634195e-08,
        1.58969099521155010221e-10,
    ];
    const COS_TAIL: &'static [f64] = &[
        4.16666666666666019037e-02,
        -1.38888888888741095749e-03,
        2.48015872894767294178e-05,
        -2.75573143513906633035e-07,
        2.08757232129817482790e-09,
        -1.13596475577881948265e-11,
    ];
    const TWO_OVER_PI: f64 = std::f64::consts::FRAC_2_PI;
    const TRIG_RANGE: f64 = 1.0e6;
    // Relative error 6.1e-17.
    const MILLS_CENTRE: f64 = 5.0;
    const MILLS: &'static [f64] = &[
        0.769193049750063,
        -0.6653825028900566,
        0.495305615969977,
        -0.3135331566713157,
        0.16502036617036145,
        -0.06911863870595202,
        0.020795066800244132,
        -0.002993376775696491,
        -0.0007978694014947031,
        0.0005448991058749174,
        -5.937571120920874e-05,
        -4.976301026489522e-05,
        1.6681144608911314e-05,
        3.981491287084785e-06,
        -2.7690547524217043e-06,
        -3.3774314693679703e-07,
        4.32685860578427e-07,
        4.361226201807979e-08,
        -6.531942214879967e-08,
        -1.02107707756347e-08,
        7.181842601682581e-09,
        2.0138585274384113e-09,
    ];
    const MILLS_LARGEST: f64 = 39.0;
    // Relative error 1.8e-17.
    const ERF_SMALL: &'static [f64] = &[
        0.12837916709551256,
        -0.3761263890318333,
        0.11283791670932017,
        -0.026866170640164954,
        0.005223977570554795,
        -0.0008548323474816909,
        0.00012055189491754584,
        -1.49219082077148e-05,
        1.6399000078633924e-06,
        -1.569653910048394e-07,
        1.0674718676590626e-08,
    ];

    bit_methods!(f64, u64, mantissa: 52, bias: 1023);

    /// Cody & Waite (1980): π/2 in parts of 33, 33 and 53 bits, so the first two products are exact for n < 2^20.
    #[inline(always)]
    fn minus_quarter_turns(self, n: f64) -> f64 {
        ((self - n * 1.5707963267341256) - n * 6.077100506303966e-11) - n * 2.0222662487959506e-21
    }
}
