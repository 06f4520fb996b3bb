//! Every function against `libm`, in units in the last place. References in `f64` carry up to 1.5 units of their own error.

mod ulp;

use ropinn_vmath::{Real, lane};
use ulp::ulps;

const SAMPLES: usize = 400_000;

/// `count` points of \[low, high\]: half evenly spaced with jitter, half with uniformly distributed logarithms of |x|.
fn samples<T: Real>(low: f64, high: f64, count: usize) -> Vec<T> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut uniform = move || {
        // Steele, Lea & Flood (2014), SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64
    };
    let smallest = 1e-30_f64;
    (0..count)
        .map(|i| {
            let x = if i % 2 == 0 {
                low + (high - low) * (i as f64 + uniform()) / count as f64
            } else {
                let bound = if i % 4 == 1 { high } else { low };
                if bound == 0.0 { 0.0 } else { bound.signum() * smallest * (bound.abs() / smallest).powf(uniform()) }
            };
            T::from_f64(x.clamp(low, high))
        })
        .filter(|x| x.to_f64() >= low && x.to_f64() <= high)
        .collect()
}

/// Runs the slice function over the interval and asserts the largest error.
fn assert_accurate<T: Real>(
    name: &str,
    function: fn(&[T], &mut [T]),
    reference: fn(f64) -> f64,
    (low, high): (f64, f64),
    limit: f64,
) {
    let x: Vec<T> = samples(low, high, SAMPLES);
    let mut y = vec![T::ZERO; x.len()];
    function(&x, &mut y);
    let (mut worst, mut at) = (0.0, T::ZERO);
    for (&x, &y) in x.iter().zip(&y) {
        let error = ulps(y, reference(x.to_f64()));
        if error > worst {
            (worst, at) = (error, x);
        }
    }
    println!("{name:10} {} on [{low}, {high}]: {worst:.2} ulp at {at}", T::NAME);
    assert!(worst <= limit, "{name} in {}: {worst:.2} ulp at {at}, limit {limit}", T::NAME);
}

fn sigmoid_reference(x: f64) -> f64 {
    let e = libm::exp(-x.abs());
    if x < 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) }
}

fn softplus_reference(x: f64) -> f64 {
    x.max(0.0) + libm::log1p(libm::exp(-x.abs()))
}

/// ½ erfc(u) with u = −x/√2 to twice the working precision, since erfc magnifies an error of u by 2u².
fn normal_cdf_reference(x: f64) -> f64 {
    const LOW: f64 = -4.833646656726457e-17;
    let high = std::f64::consts::FRAC_1_SQRT_2;
    let u = -x * high;
    let rest = (-x).mul_add(high, -u) - x * LOW;
    let slope = -std::f64::consts::FRAC_2_SQRT_PI * libm::exp(-u * u);
    0.5 * (libm::erfc(u) + slope * rest)
}

macro_rules! accuracy_tests {
    ($($name:ident, $reference:expr, f32: $range32:expr, $limit32:expr, f64: $range64:expr, $limit64:expr;)*) => { $(
        #[test]
        fn $name() {
            assert_accurate::<f32>(stringify!($name), ropinn_vmath::$name, $reference, $range32, $limit32);
            assert_accurate::<f64>(stringify!($name), ropinn_vmath::$name, $reference, $range64, $limit64);
        }
    )* };
}

accuracy_tests! {
    exp, libm::exp, f32: (-104.0, 89.0), 2.0, f64: (-746.0, 710.0), 2.0;
    tanh, libm::tanh, f32: (-12.0, 12.0), 3.0, f64: (-25.0, 25.0), 4.0;
    sigmoid, sigmoid_reference, f32: (-110.0, 110.0), 3.0, f64: (-750.0, 750.0), 4.0;
    sin, libm::sin, f32: (-3.0e4, 3.0e4), 2.0, f64: (-1.0e6, 1.0e6), 2.5;
    cos, libm::cos, f32: (-3.0e4, 3.0e4), 2.0, f64: (-1.0e6, 1.0e6), 2.5;
    tan, libm::tan, f32: (-1.0e3, 1.0e3), 4.0, f64: (-1.0e3, 1.0e3), 4.0;
    ln, libm::log, f32: (0.0, 1.0e5), 2.0, f64: (0.0, 1.0e5), 2.0;
    ln_1p, libm::log1p, f32: (-0.999, 1.0e5), 2.5, f64: (-0.999, 1.0e5), 2.5;
    softplus, softplus_reference, f32: (-104.0, 200.0), 3.0, f64: (-746.0, 800.0), 3.5;
    erf, libm::erf, f32: (-6.0, 6.0), 3.0, f64: (-7.0, 7.0), 3.0;
    normal_cdf, normal_cdf_reference, f32: (-14.0, 9.0), 4.0, f64: (-37.5, 9.0), 5.0;
}

#[test]
fn small_intervals_are_as_accurate() {
    assert_accurate::<f64>("tanh", ropinn_vmath::tanh, libm::tanh, (-1.0, 1.0), 4.0);
    assert_accurate::<f64>("sin", ropinn_vmath::sin, libm::sin, (-8.0, 8.0), 2.0);
    assert_accurate::<f64>("normal_cdf", ropinn_vmath::normal_cdf, normal_cdf_reference, (-3.0, 3.0), 5.0);
    assert_accurate::<f64>("ln", ropinn_vmath::ln, libm::log, (0.5, 2.0), 2.0);
    assert_accurate::<f32>("tanh", ropinn_vmath::tanh, libm::tanh, (-1.0, 1.0), 3.0);
    assert_accurate::<f32>("sin", ropinn_vmath::sin, libm::sin, (-8.0, 8.0), 2.0);
    assert_accurate::<f32>("normal_cdf", ropinn_vmath::normal_cdf, normal_cdf_reference, (-3.0, 3.0), 4.0);
}

/// One in 101 of all `f32` between 2^-20 and 2^5, both signs.
#[test]
fn tanh_and_exp_over_the_bit_patterns_of_f32() {
    let (first, last) = (f32::powi(2.0, -20).to_bits(), 32.0_f32.to_bits());
    let (mut tanh_worst, mut exp_worst) = (0.0_f64, 0.0_f64);
    for bits in (first..last).step_by(101) {
        for x in [f32::from_bits(bits), -f32::from_bits(bits)] {
            tanh_worst = tanh_worst.max(ulps(lane::tanh(x), libm::tanh(f64::from(x))));
            exp_worst = exp_worst.max(ulps(lane::exp(x), libm::exp(f64::from(x))));
        }
    }
    assert!(tanh_worst <= 3.0, "tanh: {tanh_worst:.2} ulp");
    assert!(exp_worst <= 1.5, "exp: {exp_worst:.2} ulp");
}

/// The hardest arguments of the reduction: neighbours of multiples of π/2, where nearly all bits cancel.
#[test]
fn trigonometric_functions_near_multiples_of_half_pi() {
    for n in (0..636_000_u32).step_by(7) {
        let x = f64::from(n) * std::f64::consts::FRAC_PI_2;
        for x in [x.next_down(), x, x.next_up()] {
            let (sin, cos) = lane::sin_cos(x);
            let error = ulps(sin, libm::sin(x)).max(ulps(cos, libm::cos(x)));
            assert!(error <= 2.5, "{error:.2} ulp at {x:e}");
            let x = x as f32;
            if x <= lane::trig_range() {
                let (sin, cos) = lane::sin_cos(x);
                let error = ulps(sin, libm::sin(x.into())).max(ulps(cos, libm::cos(x.into())));
                assert!(error <= 2.0, "{error:.2} ulp at {x:e} in f32");
            }
        }
    }
}
