//! The common case in one loop: first derivatives `z_f` and at most one operator `L` of second order with diagonal part,
//! constant coefficients, all planes full.
//!
//! Forward `h_f = σ' z_f`, `h_L = σ' z_L + σ'' Σ_f q_f z_f²`. Backward, with `G₁ = Σ_f h̄_f z_f + h̄_L z_L` and
//! `G₂ = h̄_L Σ_f q_f z_f²`: `z̄_f = h̄_f σ' + 2 h̄_L σ'' q_f z_f`, `z̄_L = h̄_L σ'`, `z̄₀ = h̄₀ σ' + G₁ σ'' + G₂ σ'''`.
//! It gives the same numbers as the general rule of [`super::activation`] to rounding, and covers most equations of physics.
//! Lanes go by blocks of fixed length, so that everything within a block is vector code.

use super::lanes::{BLOCK, block, block_mut};
use crate::plan::Quadratic;
use ropinn_vmath::Real;

/// Most first derivatives handled here; more fall back to the general rule.
pub(crate) const MOST_FIRST: usize = 3;

/// A block of an optional plane; an absent one reads as zeros.
#[inline(always)]
fn pick<T: Real>(planes: &[T], plane: Option<usize>, n: usize, at: usize) -> [T; BLOCK] {
    match plane {
        Some(plane) => *block(planes, plane * n + at),
        None => [T::ZERO; BLOCK],
    }
}

/// Σ_f q_f z_f².
#[inline(always)]
fn form<T: Real, const F: usize>(weights: &[T; F], zf: &[[T; BLOCK]; F]) -> [T; BLOCK] {
    let mut form = [T::ZERO; BLOCK];
    for f in 0..F {
        for i in 0..BLOCK {
            form[i] += weights[f] * zf[f][i] * zf[f][i];
        }
    }
    form
}

/// The first derivatives of an operand, and their weights in the operator.
#[inline(always)]
fn first_derivatives<T: Real, const F: usize>(q: &Quadratic, z: &[T], n: usize, at: usize) -> [[T; BLOCK]; F] {
    let mut zf = [[T::ZERO; BLOCK]; F];
    for (zf, first) in zf.iter_mut().zip(&q.first) {
        *zf = *block(z, first.input * n + at);
    }
    zf
}

#[inline(always)]
fn weights<T: Real, const F: usize>(q: &Quadratic) -> [T; F] {
    let mut weights = [T::ZERO; F];
    for (weight, first) in weights.iter_mut().zip(&q.first) {
        *weight = T::from_f64(first.weight);
    }
    weights
}

/// Writes the derivative planes of one unit; `tower` holds σ, σ', σ''.
#[inline(always)]
pub(crate) fn unit_forward<T: Real, const F: usize>(q: &Quadratic, z: &[T], out: &mut [T], tower: &[T], n: usize) {
    let weights = weights::<T, F>(q);
    for at in (0..n).step_by(BLOCK) {
        let s1 = block(tower, n + at);
        let zf = first_derivatives::<T, F>(q, z, n, at);
        for (zf, first) in zf.iter().zip(&q.first) {
            if let Some(plane) = first.output {
                let target = block_mut(out, plane * n + at);
                for i in 0..BLOCK {
                    target[i] = s1[i] * zf[i];
                }
            }
        }
        if let Some(l) = &q.operator {
            let (s2, form, zl) = (block(tower, 2 * n + at), form(&weights, &zf), pick(z, l.input, n, at));
            let target = block_mut(out, l.output * n + at);
            for i in 0..BLOCK {
                target[i] = s1[i] * zl[i] + s2[i] * form[i];
            }
        }
    }
}

/// Writes (not adds) the whole adjoint of one unit; `tower` holds σ, σ', σ'', σ'''.
#[inline(always)]
pub(crate) fn unit_backward<T: Real, const F: usize>(
    q: &Quadratic,
    z: &[T],
    hbar: &[T],
    zbar: &mut [T],
    tower: &[T],
    n: usize,
) {
    let weights = weights::<T, F>(q);
    let two = T::from_f64(2.0);
    for at in (0..n).step_by(BLOCK) {
        let (s1, s2) = (block(tower, n + at), block(tower, 2 * n + at));
        let zf = first_derivatives::<T, F>(q, z, n, at);
        let mut g1 = [T::ZERO; BLOCK];
        let mut b0 = pick(hbar, q.value_out, n, at);
        for i in 0..BLOCK {
            b0[i] *= s1[i];
        }
        let mut twist = [T::ZERO; BLOCK];
        if let Some(l) = &q.operator {
            let (s3, hl) = (block(tower, 3 * n + at), block(hbar, l.output * n + at));
            let form = form(&weights, &zf);
            for i in 0..BLOCK {
                twist[i] = two * hl[i] * s2[i];
                b0[i] += hl[i] * form[i] * s3[i];
            }
            if let Some(plane) = l.input {
                let (zl, bl) = (block(z, plane * n + at), block_mut(zbar, plane * n + at));
                for i in 0..BLOCK {
                    g1[i] = hl[i] * zl[i];
                    bl[i] = hl[i] * s1[i];
                }
            }
        }
        for f in 0..F {
            let hf = pick(hbar, q.first[f].output, n, at);
            let bf = block_mut(zbar, q.first[f].input * n + at);
            for i in 0..BLOCK {
                g1[i] += hf[i] * zf[f][i];
                bf[i] = hf[i] * s1[i] + twist[i] * (weights[f] * zf[f][i]);
            }
        }
        let target = block_mut(zbar, q.value_in * n + at);
        for i in 0..BLOCK {
            target[i] = b0[i] + g1[i] * s2[i];
        }
    }
}
