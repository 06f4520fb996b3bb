//! The common case in one loop: first derivatives `z_f` and at most one operator `L` of second order with diagonal part,
//! constant coefficients, all planes full.
//!
//! Forward `h_f = σ' z_f`, `h_L = σ' z_L + σ'' Σ_f q_f z_f²`. Backward, with `G₁ = Σ_f h̄_f z_f + h̄_L z_L` and
//! `G₂ = h̄_L Σ_f q_f z_f²`: `z̄_f = h̄_f σ' + 2 h̄_L σ'' q_f z_f`, `z̄_L = h̄_L σ'`, `z̄₀ = h̄₀ σ' + G₁ σ'' + G₂ σ'''`.
//! It gives the same numbers as the general rule of [`super::activation`] to rounding, and covers most equations of physics.

use crate::plan::Quadratic;
use ropinn_vmath::Real;

/// Most first derivatives handled here; more fall back to the general rule.
pub(crate) const MOST_FIRST: usize = 3;

/// Planes of a unit picked by an optional index; an absent plane reads as zeros.
#[inline(always)]
fn pick<'a, T>(planes: &'a [T], plane: Option<usize>, n: usize, zeros: &'a [T]) -> &'a [T] {
    match plane {
        Some(p) => &planes[p * n..][..n],
        None => &zeros[..n],
    }
}

/// Splits a unit's row into its planes, each of which can then be written on its own.
#[inline(always)]
fn planes_mut<T, const P: usize>(row: &mut [T], n: usize, wanted: [Option<usize>; P]) -> [Option<&mut [T]>; P] {
    let mut found = [const { None }; P];
    for (plane, lanes) in row.chunks_exact_mut(n).enumerate() {
        if let Some(position) = wanted.iter().position(|w| *w == Some(plane)) {
            found[position] = Some(lanes);
        }
    }
    found
}

/// Writes the derivative planes of one unit; `tower` holds σ, σ', σ''.
#[inline(always)]
pub(crate) fn unit_forward<T: Real, const F: usize>(q: &Quadratic, z: &[T], out: &mut [T], tower: &[T], n: usize) {
    let s1 = &tower[n..][..n];
    let zf: [&[T]; F] = std::array::from_fn(inlined!(|f| &z[q.first[f].input * n..][..n]));
    let hf: [Option<usize>; F] = std::array::from_fn(|f| q.first[f].output);
    for (z, target) in zf.iter().zip(planes_mut(out, n, hf)) {
        if let Some(target) = target {
            let target = &mut target[..n];
            for i in 0..n {
                target[i] = s1[i] * z[i];
            }
        }
    }
    if let Some(l) = &q.operator {
        let s2 = &tower[2 * n..][..n];
        let weights: [T; F] = std::array::from_fn(|f| T::from_f64(q.first[f].weight));
        let target = &mut out[l.output * n..][..n];
        match l.input {
            Some(plane) => {
                let zl = &z[plane * n..][..n];
                for i in 0..n {
                    let mut form = T::ZERO;
                    for f in 0..F {
                        form += weights[f] * zf[f][i] * zf[f][i];
                    }
                    target[i] = s1[i] * zl[i] + s2[i] * form;
                }
            }
            None => {
                for i in 0..n {
                    let mut form = T::ZERO;
                    for f in 0..F {
                        form += weights[f] * zf[f][i] * zf[f][i];
                    }
                    target[i] = s2[i] * form;
                }
            }
        }
    }
}

/// Writes (not adds) the whole adjoint of one unit; `tower` holds σ, σ', σ'', σ''' and `zeros` at least n zeros.
#[inline(always)]
pub(crate) fn unit_backward<T: Real, const F: usize>(
    q: &Quadratic,
    z: &[T],
    hbar: &[T],
    zbar: &mut [T],
    tower: &[T],
    n: usize,
    zeros: &[T],
) {
    let (s1, s2) = (&tower[n..][..n], &tower[2 * n..][..n]);
    let two = T::from_f64(2.0);
    let zf: [&[T]; F] = std::array::from_fn(inlined!(|f| &z[q.first[f].input * n..][..n]));
    let hf: [&[T]; F] = std::array::from_fn(inlined!(|f| pick(hbar, q.first[f].output, n, zeros)));
    let weights: [T; F] = std::array::from_fn(|f| T::from_f64(q.first[f].weight));
    let h0 = pick(hbar, q.value_out, n, zeros);
    // Value, first derivatives, operator: the three kinds of plane of z̄.
    let mut wanted = [None; MOST_FIRST + 2];
    wanted[0] = Some(q.value_in);
    for f in 0..F {
        wanted[1 + f] = Some(q.first[f].input);
    }
    wanted[MOST_FIRST + 1] = q.operator.as_ref().and_then(|l| l.input);
    let mut bars = planes_mut(zbar, n, wanted);
    let b0 = &mut bars[0].take().expect("the value of an activation's operand is always a plane")[..n];
    let bl = bars[MOST_FIRST + 1].take();
    let mut first = bars.into_iter().skip(1);
    let bf: [&mut [T]; F] =
        std::array::from_fn(|_| &mut first.next().flatten().expect("every first derivative has a plane")[..n]);
    match &q.operator {
        None => {
            for i in 0..n {
                let mut g1 = T::ZERO;
                for f in 0..F {
                    g1 += hf[f][i] * zf[f][i];
                    bf[f][i] = hf[f][i] * s1[i];
                }
                b0[i] = h0[i] * s1[i] + g1 * s2[i];
            }
        }
        Some(l) => {
            let s3 = &tower[3 * n..][..n];
            let hl = &hbar[l.output * n..][..n];
            let zl = pick(z, l.input, n, zeros);
            for i in 0..n {
                let twist = two * hl[i] * s2[i];
                let (mut g1, mut form) = (hl[i] * zl[i], T::ZERO);
                for f in 0..F {
                    g1 += hf[f][i] * zf[f][i];
                    let weighted = weights[f] * zf[f][i];
                    form += weighted * zf[f][i];
                    bf[f][i] = hf[f][i] * s1[i] + twist * weighted;
                }
                b0[i] = h0[i] * s1[i] + g1 * s2[i] + hl[i] * form * s3[i];
            }
            if let Some(bl) = bl {
                let bl = &mut bl[..n];
                for i in 0..n {
                    bl[i] = hl[i] * s1[i];
                }
            }
        }
    }
}
