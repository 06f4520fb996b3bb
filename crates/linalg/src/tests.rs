//! Kernels of every instruction set of this processor against plain sums, and against each other.

use crate::product::{Numbers, Product, Target, Workspace, add_inner_on};
use crate::{Packed, View};
use proptest::prelude::*;
use ropinn_vmath::Simd;

/// Numbers between −1 and 1 from a small generator.
fn draw<T: Numbers>(count: usize, seed: u64) -> Vec<T> {
    let mut state = seed | 1;
    let next = |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        T::from_f64((state >> 33) as f64 / (1u64 << 30) as f64 - 1.0)
    };
    (0..count).map(next).collect()
}

/// Sizes around the edges of blocks, registers and slices.
fn size() -> impl Strategy<Value = usize> {
    prop_oneof![1usize..70, Just(96), Just(100), Just(130), Just(257)]
}

#[derive(Clone, Copy, Debug)]
struct Shape {
    m: usize,
    n: usize,
    k: usize,
    /// Added to every distance between rows.
    gap: usize,
    is_transposed: bool,
}

fn shape() -> impl Strategy<Value = Shape> {
    let sizes = (size(), size(), prop_oneof![4 => size(), 1 => Just(300), 1 => Just(520)]);
    (sizes, 0usize..3, any::<bool>()).prop_map(|((m, n, k), gap, is_transposed)| Shape { m, n, k, gap, is_transposed })
}

/// Largest error of each product on each instruction set, in units of what rounding may do.
fn check<T: Numbers>(shape: Shape, seed: u64) -> Result<(), TestCaseError> {
    let Shape { m, n, k, gap, is_transposed } = shape;
    let (a, b) = (draw::<T>(m * (k + gap), seed), draw::<T>((k + gap) * (n + gap), seed + 2));
    let (bias, old) = (draw::<T>(m, seed + 4), draw::<T>(m * (n + gap), seed + 6));
    let a_view = View::rows(0, k + gap);
    // The same slice read as k×n, or as n×k turned.
    let b_view = if is_transposed { View::rows(0, k + gap).transposed() } else { View::rows(0, n + gap) };
    prop_assume!(!is_transposed || b.len() >= n * (k + gap));
    let entry = |i: usize, j: usize| {
        let terms = (0..k).map(|l| a[i * a_view.row + l].to_f64() * b[l * b_view.row + j * b_view.column].to_f64());
        terms.sum::<f64>()
    };
    let bound = 8.0 * T::EPS.to_f64() * (1.0 + k as f64).sqrt() * 4.0;
    for simd in Simd::available() {
        let mut packed = Packed::on(simd);
        packed.set((m, k), T::ONE, &a, a_view);
        let mut work = Workspace::default();
        for how in [Product::Set, Product::Add, Product::SetPlus(&bias)] {
            let mut c = old.clone();
            packed.times(n, &b, b_view, Target::new(&mut c, 0, n + gap), how, &mut work);
            for i in 0..m {
                for j in 0..n {
                    let start = match how {
                        Product::Set => 0.0,
                        Product::Add => old[i * (n + gap) + j].to_f64(),
                        Product::SetPlus(bias) => bias[i].to_f64(),
                    };
                    let (found, wanted) = (c[i * (n + gap) + j].to_f64(), start + entry(i, j));
                    prop_assert!((found - wanted).abs() <= bound, "{simd} {shape:?} {how:?}: {found} is not {wanted}");
                }
                let beyond = i * (n + gap) + n..((i + 1) * (n + gap)).min(c.len());
                prop_assert!(c[beyond.clone()] == old[beyond], "{simd}: wrote beyond a row");
            }
        }
        let mut lower = old.clone();
        let target = Target::new(&mut lower, 0, n + gap).below_diagonal(1);
        packed.times(n, &b, b_view, target, Product::Set, &mut work);
        let wanted = |i: usize| (0..n.min(i + 2)).map(move |j| (i, j));
        for (i, j) in (0..m).flat_map(wanted) {
            let found = lower[i * (n + gap) + j].to_f64();
            prop_assert!((found - entry(i, j)).abs() <= bound, "{simd} {shape:?}: entry ({i}, {j}) below the diagonal");
        }
        if is_transposed {
            let mut c = old.clone();
            let to = Target::new(&mut c, 0, n + gap);
            add_inner_on(simd, (m, n, k), to, (&a, a_view), (&b, b_view.transposed()));
            for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let (found, before) = (c[i * (n + gap) + j].to_f64(), old[i * (n + gap) + j].to_f64());
                prop_assert!((found - before - entry(i, j)).abs() <= bound, "{simd} {shape:?}: inner ({i}, {j})");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn products_in_single_precision(shape in shape(), seed in 0u64..1 << 40) {
        check::<f32>(shape, seed)?;
    }

    #[test]
    fn products_in_double_precision(shape in shape(), seed in 0u64..1 << 40) {
        check::<f64>(shape, seed)?;
    }
}

#[test]
fn a_sum_over_nothing_is_its_start() {
    let mut packed = Packed::<f64>::default();
    packed.set((2, 0), 1.0, &[], View::rows(0, 0));
    let mut c = [7.0; 6];
    let (bias, mut work) = ([1.0, 2.0], Workspace::default());
    packed.times(3, &[], View::rows(0, 3), Target::new(&mut c, 0, 3), Product::SetPlus(&bias), &mut work);
    assert_eq!(c, [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
}

#[test]
#[should_panic(expected = "matrix view of 4×4 ends at 15 in a slice of 15")]
fn a_target_that_is_too_short_is_refused() {
    let numbers = [0.0; 16];
    let mut packed = Packed::<f64>::default();
    packed.set((4, 4), 1.0, &numbers, View::rows(0, 4));
    let mut c = [0.0; 15];
    packed.times(4, &numbers, View::rows(0, 4), Target::new(&mut c, 0, 4), Product::Set, &mut Workspace::default());
}
