//! Dense kernels on slices: sums over fixed blocks, so that a result depends on the data and never on who computed it.
//!
//! Every sum runs over blocks of [`BLOCK`] numbers, each block over [`LANES`] interleaved partial sums joined as a tree.
//! The order is part of the definition: splitting blocks among threads later would not change a bit.

const BLOCK: usize = 1024;
const LANES: usize = 8;

/// aᵀb.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    a.chunks(BLOCK).zip(b.chunks(BLOCK)).map(|(a, b)| block_dot(a, b)).sum()
}

/// y ← y + αx.
pub(crate) fn axpy(alpha: f64, x: &[f64], y: &mut [f64]) {
    debug_assert_eq!(x.len(), y.len());
    for (y, x) in y.iter_mut().zip(x) {
        *y += alpha * x;
    }
}

/// y ← y + αx, then wᵀy, in one pass over memory: each block of y is still in cache when it is summed.
pub(crate) fn axpy_then_dot(alpha: f64, x: &[f64], y: &mut [f64], w: &[f64]) -> f64 {
    axpy_with_sum(alpha, x, y, w, |w, _, y| block_dot(w, y))
}

/// y ← y + αx and wᵀx, in one pass over x.
pub(crate) fn axpy_and_dot(alpha: f64, x: &[f64], y: &mut [f64], w: &[f64]) -> f64 {
    axpy_with_sum(alpha, x, y, w, |w, x, _| block_dot(w, x))
}

fn axpy_with_sum(alpha: f64, x: &[f64], y: &mut [f64], w: &[f64], sum: impl Fn(&[f64], &[f64], &[f64]) -> f64) -> f64 {
    debug_assert!(x.len() == y.len() && w.len() == y.len());
    let blocks = y.chunks_mut(BLOCK).zip(x.chunks(BLOCK)).zip(w.chunks(BLOCK));
    blocks
        .map(|((y, x), w)| {
            axpy(alpha, x, y);
            sum(w, x, y)
        })
        .sum()
}

/// y ← γy + αa + βb.
pub(crate) fn combine(gamma: f64, y: &mut [f64], (alpha, a): (f64, &[f64]), (beta, b): (f64, &[f64])) {
    debug_assert!(a.len() == y.len() && b.len() == y.len());
    for ((y, a), b) in y.iter_mut().zip(a).zip(b) {
        *y = gamma * *y + (alpha * a + beta * b);
    }
}

/// out ← x + αd.
pub(crate) fn along_into(x: &[f64], alpha: f64, d: &[f64], out: &mut [f64]) {
    debug_assert!(x.len() == out.len() && d.len() == out.len());
    for ((out, x), d) in out.iter_mut().zip(x).zip(d) {
        *out = x + alpha * d;
    }
}

/// out ← αx.
pub(crate) fn scaled_into(alpha: f64, x: &[f64], out: &mut [f64]) {
    debug_assert_eq!(x.len(), out.len());
    for (out, x) in out.iter_mut().zip(x) {
        *out = alpha * x;
    }
}

/// x ← αx.
pub(crate) fn scale(alpha: f64, x: &mut [f64]) {
    x.iter_mut().for_each(|x| *x *= alpha);
}

/// Writes y = a − b and s = αd, and returns (yᵀs, yᵀy), in one pass over memory.
pub(crate) fn difference_pair_into(
    (a, b): (&[f64], &[f64]),
    (alpha, d): (f64, &[f64]),
    y: &mut [f64],
    s: &mut [f64],
) -> (f64, f64) {
    let (mut ys, mut yy) = (0.0, 0.0);
    let outputs = y.chunks_mut(BLOCK).zip(s.chunks_mut(BLOCK));
    let inputs = a.chunks(BLOCK).zip(b.chunks(BLOCK)).zip(d.chunks(BLOCK));
    for ((y, s), ((a, b), d)) in outputs.zip(inputs) {
        along_into(a, -1.0, b, y);
        scaled_into(alpha, d, s);
        ys += block_dot(y, s);
        yy += block_dot(y, y);
    }
    (ys, yy)
}

/// Σ|x_i|.
pub(crate) fn sum_abs(x: &[f64]) -> f64 {
    x.chunks(BLOCK).map(|block| block.iter().map(|x| x.abs()).sum::<f64>()).sum()
}

/// max|x_i|, 0 for an empty slice. NaNs are skipped; callers that care test a sum of squares.
pub(crate) fn max_abs(x: &[f64]) -> f64 {
    let (body, tail) = x.as_chunks::<LANES>();
    let mut lanes = [0.0_f64; LANES];
    for chunk in body {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane = lane.max(x.abs());
        }
    }
    lanes.iter().chain(tail).fold(0.0, |largest: f64, x| largest.max(x.abs()))
}

fn block_dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_body, a_tail) = a.as_chunks::<LANES>();
    let (b_body, b_tail) = b.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for (a, b) in a_body.iter().zip(b_body) {
        for lane in 0..LANES {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    for ((lane, a), b) in lanes.iter_mut().zip(a_tail).zip(b_tail) {
        *lane += a * b;
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wave(n: usize, frequency: f64) -> Vec<f64> {
        (0..n).map(|i| (frequency * i as f64 + 0.3).sin()).collect()
    }

    proptest! {
        #[test]
        fn dot_matches_a_plain_sum(n in 0usize..5000, p in 0.1..3.0, q in 0.1..3.0) {
            let (a, b) = (wave(n, p), wave(n, q));
            let plain: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            prop_assert!((dot(&a, &b) - plain).abs() <= 1e-12 * (1.0 + n as f64));
        }

        #[test]
        fn the_fused_pass_has_the_bits_of_two_passes(n in 0usize..5000, alpha in -2.0..2.0) {
            let (x, w) = (wave(n, 0.7), wave(n, 1.9));
            let (mut fused, mut plain) = (wave(n, 0.2), wave(n, 0.2));
            let product = axpy_then_dot(alpha, &x, &mut fused, &w);
            axpy(alpha, &x, &mut plain);
            prop_assert_eq!(product.to_bits(), dot(&w, &plain).to_bits());
            prop_assert_eq!(&fused, &plain);

            let product = axpy_and_dot(alpha, &x, &mut fused, &w);
            axpy(alpha, &x, &mut plain);
            prop_assert_eq!(product.to_bits(), dot(&w, &x).to_bits());
            prop_assert_eq!(fused, plain);
        }

        #[test]
        fn norms_match_their_definitions(n in 0usize..3000, p in 0.1..3.0) {
            let x = wave(n, p);
            prop_assert_eq!(max_abs(&x), x.iter().fold(0.0, |m: f64, x| m.max(x.abs())));
            prop_assert!((sum_abs(&x) - x.iter().map(|x| x.abs()).sum::<f64>()).abs() < 1e-9);
        }
    }
}
