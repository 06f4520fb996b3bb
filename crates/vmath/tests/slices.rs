//! Slice forms give the bits of the lane forms for any length, alignment and position, with or without dispatch.

use proptest::prelude::*;
use ropinn_vmath::{Real, dispatch, lane};

type Slice<T> = fn(&[T], &mut [T]);
type Lane<T> = fn(T) -> T;

fn functions<T: Real>() -> [(&'static str, Slice<T>, Lane<T>); 11] {
    [
        ("exp", ropinn_vmath::exp, lane::exp),
        ("tanh", ropinn_vmath::tanh, lane::tanh),
        ("sigmoid", ropinn_vmath::sigmoid, lane::sigmoid),
        ("sin", ropinn_vmath::sin, lane::sin),
        ("cos", ropinn_vmath::cos, lane::cos),
        ("tan", ropinn_vmath::tan, lane::tan),
        ("ln", ropinn_vmath::ln, lane::ln),
        ("ln_1p", ropinn_vmath::ln_1p, lane::ln_1p),
        ("softplus", ropinn_vmath::softplus, lane::softplus),
        ("erf", ropinn_vmath::erf, lane::erf),
        ("normal_cdf", ropinn_vmath::normal_cdf, lane::normal_cdf),
    ]
}

/// Equal bits, or both NaN (whose sign and payload IEEE 754 leaves open).
fn same<T: Real>(a: T, b: T) -> bool {
    (a == b && T::ONE.copysign(a) == T::ONE.copysign(b)) || (a.is_nan() && b.is_nan())
}

fn check<T: Real>(x: &[T], offset: usize) {
    let x = &x[offset.min(x.len())..];
    let mut buffer = vec![T::ZERO; x.len() + offset];
    for (name, slice, lane) in functions::<T>() {
        let y = &mut buffer[offset..];
        slice(x, y);
        for (&x, &y) in x.iter().zip(y.iter()) {
            assert!(same(y, lane(x)), "{name}({x}) in {}: {y} and {}", T::NAME, lane(x));
        }
    }
    let (mut sin, mut cos) = (vec![T::ZERO; x.len()], vec![T::ZERO; x.len()]);
    ropinn_vmath::sin_cos(x, &mut sin, &mut cos);
    for ((&x, &sin), &cos) in x.iter().zip(&sin).zip(&cos) {
        assert!(same(sin, lane::sin(x)) && same(cos, lane::cos(x)), "sin_cos({x}) in {}", T::NAME);
    }
}

proptest! {
    #[test]
    fn slices_equal_lanes_f32(x in prop::collection::vec(-20.0_f32..20.0, 0..80), offset in 0_usize..9) {
        check(&x, offset);
    }

    #[test]
    fn slices_equal_lanes_f64(x in prop::collection::vec(-20.0..20.0, 0..80), offset in 0_usize..9) {
        check(&x, offset);
    }
}

#[test]
fn a_loop_inside_dispatch_gives_the_same_bits_as_one_outside() {
    let x: Vec<f64> = (0..1000).map(|i| 0.017 * f64::from(i) - 8.0).collect();
    let map = || x.iter().map(|&x| lane::tanh(x) * lane::sin(x)).collect::<Vec<_>>();
    assert_eq!(dispatch(map), map());
}

#[test]
#[should_panic(expected = "input and output slices differ in length")]
fn lengths_must_agree() {
    ropinn_vmath::exp(&[1.0, 2.0], &mut [0.0]);
}
