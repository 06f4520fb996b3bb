//! Zeros, infinities, NaN, overflow and underflow; huge trigonometric arguments through the slice forms.

mod ulp;

use ropinn_vmath::{Activation, MAX_TOWER, Real, lane};
use ulp::ulps;

/// Name, function, and its value at −∞, 0 and ∞.
type Limits<T> = (&'static str, fn(T) -> T, T, T, T);

fn for_special_values<T: Real>() {
    let c = T::from_f64;
    let (zero, one, inf) = (T::ZERO, T::ONE, T::INFINITY);
    let table: [Limits<T>; 9] = [
        ("exp", lane::exp, zero, one, inf),
        ("tanh", lane::tanh, -one, zero, one),
        ("sigmoid", lane::sigmoid, zero, c(0.5), one),
        ("ln", lane::ln, T::NAN, -inf, inf),
        ("ln_1p", lane::ln_1p, T::NAN, zero, inf),
        ("softplus", lane::softplus, zero, c(std::f64::consts::LN_2), inf),
        ("erf", lane::erf, -one, zero, one),
        ("sin", lane::sin, T::NAN, zero, T::NAN),
        ("cos", lane::cos, T::NAN, one, T::NAN),
    ];
    for (name, function, at_minus_inf, at_zero, at_inf) in table {
        for (x, want) in [(-inf, at_minus_inf), (zero, at_zero), (-zero, at_zero), (inf, at_inf), (T::NAN, T::NAN)] {
            let got = function(x);
            assert!(got == want || (got.is_nan() && want.is_nan()), "{name}({x}) in {}: {got}", T::NAME);
        }
    }
    let cdf = [-inf, inf, T::NAN].map(lane::normal_cdf);
    assert!(cdf[0] == zero && cdf[1] == one && cdf[2].is_nan(), "{cdf:?}");
    assert!((lane::normal_cdf(zero) - c(0.5)).abs() <= T::EPS);
    assert!(lane::ln(-one).is_nan() && lane::ln_1p(c(-1.5)).is_nan());
    assert_eq!(lane::ln(one), zero);
    assert_eq!(lane::ln_1p(-one), -inf);
    for odd in [lane::tanh, lane::sin, lane::tan, lane::erf, lane::ln_1p] {
        assert_eq!(one.copysign(odd(-zero)), -one, "the sign of zero");
        let tiny = T::MIN_POSITIVE;
        assert!((odd(tiny) / tiny - one).abs() < c(0.13), "near zero");
    }
}

#[test]
fn special_values_f32() {
    for_special_values::<f32>();
}

#[test]
fn special_values_f64() {
    for_special_values::<f64>();
}

#[test]
fn exp_overflows_and_underflows_like_libm() {
    for x in [709.78, 709.79, 1e300, -708.5, -744.0, -745.13, -745.14, -746.0, -1e300] {
        let (got, want) = (lane::exp(x), libm::exp(x));
        assert!(ulps(got, want) <= 1.0, "exp({x}) = {got:e}, not {want:e}");
    }
    for x in [88.72_f32, 88.73, 1e30, -87.5, -103.0, -103.9, -104.0, -1e30] {
        let (got, want) = (lane::exp(x), libm::expf(x));
        assert!(ulps(got, want.into()) <= 1.0, "exp({x}) = {got:e}, not {want:e}");
    }
}

#[test]
fn logarithm_of_subnormal_numbers() {
    for bits in [1, 2, 3, 12345, 0x000f_ffff_ffff_ffff] {
        let x = f64::from_bits(bits);
        assert!(ulps(lane::ln(x), libm::log(x)) <= 1.5, "ln({x:e})");
    }
    for bits in [1, 2, 3, 12345, 0x007f_ffff] {
        let x = f32::from_bits(bits);
        assert!(ulps(lane::ln(x), libm::log(x.into())) <= 1.5, "ln({x:e})");
    }
}

#[test]
fn huge_trigonometric_arguments_do_not_disturb_their_neighbours() {
    let x = [0.3, 1e7, -2.0, 1e22, f64::MAX, -3e9, 5.0, f64::INFINITY, f64::NAN];
    let (mut sin, mut cos, mut tan) = ([0.0; 9], [0.0; 9], [0.0; 9]);
    let (mut sin_2, mut cos_2) = ([0.0; 9], [0.0; 9]);
    ropinn_vmath::sin(&x, &mut sin);
    ropinn_vmath::cos(&x, &mut cos);
    ropinn_vmath::tan(&x, &mut tan);
    ropinn_vmath::sin_cos(&x, &mut sin_2, &mut cos_2);
    for (i, &x) in x.iter().enumerate() {
        let want = [libm::sin(x), libm::cos(x), libm::tan(x), libm::sin(x), libm::cos(x)];
        for (got, want) in [sin[i], cos[i], tan[i], sin_2[i], cos_2[i]].into_iter().zip(want) {
            assert!(ulps(got, want) <= 4.0, "at {x:e}: {got}, not {want}");
        }
    }
    assert_eq!(sin[0].to_bits(), lane::sin(0.3_f64).to_bits());
    assert_eq!(cos[6].to_bits(), lane::cos(5.0_f64).to_bits());

    let mut rows = [0.0; 4 * 9];
    for (activation, turns) in [(Activation::Sin, 0), (Activation::Cos, 1)] {
        activation.tower(3, &x, &mut rows);
        for (i, &x) in x.iter().enumerate() {
            let cycle = [libm::sin(x), libm::cos(x), -libm::sin(x), -libm::cos(x)];
            for k in 0..4 {
                assert!(ulps(rows[k * 9 + i], cycle[(k + turns) % 4]) <= 2.0, "{activation} order {k} at {x:e}");
            }
        }
    }
}

/// Saturated and undefined inputs: limits where they exist, NaN for NaN, never NaN from ∞·0.
#[test]
fn towers_at_the_ends_of_the_axis() {
    let z = [f64::NEG_INFINITY, -1e4, 1e4, f64::INFINITY, f64::NAN];
    let n = z.len();
    let mut s = vec![0.0; MAX_TOWER * n];
    for activation in Activation::ALL {
        activation.tower(MAX_TOWER - 1, &z, &mut s);
        for k in 0..MAX_TOWER {
            let row = &s[k * n..][..n];
            let constant_row = activation == Activation::Identity && k > 0;
            assert!(row[4].is_nan() || constant_row, "{activation} order {k} at NaN: {}", row[4]);
            if matches!(activation, Activation::Sin | Activation::Cos) {
                continue;
            }
            assert!(row[..4].iter().all(|s| !s.is_nan()), "{activation} order {k}: {row:?}");
            if matches!(activation, Activation::Silu | Activation::Gelu | Activation::Softplus) {
                let line = [0.0, 0.0, [1e4, 1.0, 0.0][k.min(2)], [f64::INFINITY, 1.0, 0.0][k.min(2)]];
                assert_eq!(row[..4], line, "{activation} order {k} follows max(z, 0)");
            }
        }
    }
}
