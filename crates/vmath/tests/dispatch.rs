//! Instruction sets: names, and the same bits of functions on every one this processor has.

use ropinn_vmath::{Simd, SimdError, lane, simd};

#[test]
fn names_are_read_back() {
    for simd in Simd::ALL {
        assert_eq!(simd.to_string().parse(), Ok(simd));
    }
    let wrong: Result<Simd, SimdError> = "sse9".parse();
    let message = wrong.expect_err("no such set").to_string();
    assert_eq!(
        message,
        "ROPINN_SIMD=\"sse9\" is no instruction set; it may be avx512, avx2 or baseline, or not be set"
    );
}

#[test]
fn the_baseline_is_always_there_and_the_chosen_one_available() {
    assert_eq!(Simd::available().next(), Some(Simd::Baseline));
    assert!(simd().is_available());
}

#[test]
fn functions_have_the_same_bits_on_every_set() {
    let x: Vec<f64> = (0..1003).map(|i| 0.017 * f64::from(i) - 8.0).collect();
    let all: Vec<Vec<u64>> = Simd::available()
        .map(|simd| {
            let mut y = vec![0; x.len()];
            simd.run(
                #[inline(always)]
                || {
                    for (y, &x) in y.iter_mut().zip(&x) {
                        *y = (lane::tanh(x) * lane::sin(x) + lane::exp(x) * lane::erf(x)).to_bits();
                    }
                },
            );
            y
        })
        .collect();
    assert!(all.windows(2).all(|two| two[0] == two[1]));
}
