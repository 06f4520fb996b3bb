//! Linear maps over all channels at once.
//!
//! `Z = W·H` with H an `in × (planes·columns)` matrix is one product; backward, `W̄ += Z̄·Hᵀ` and `H̄ = Wᵀ·Z̄`.
//! The bias touches the value plane only. Very thin maps (coordinates in, one unknown out) run as lane loops.

use super::lanes;
use super::matrix::{View, matmul};
use super::sink::GradSink;
use crate::plan::{LinearPlan, Side};
use ropinn_vmath::{Real, dispatch};

/// Inputs or outputs up to which lane loops beat a packed matrix product.
const THIN: usize = 4;

/// A map's numbers: weights `out × in` and bias.
#[derive(Clone, Copy)]
pub(crate) struct Numbers<'a, T> {
    pub weights: &'a [T],
    pub bias: Option<&'a [T]>,
}

/// y = W x + b.
pub(crate) fn forward<T: Real>(
    plan: &LinearPlan,
    numbers: Numbers<'_, T>,
    (x, xu, xs): (&[T], &[T], Side),
    (y, yu, ys): (&mut [T], &mut [T], Side),
) {
    let columns = xs.columns;
    for &(from, to, count) in &plan.runs {
        let (width, skip_x, skip_y) = (count * columns, from * columns, to * columns);
        if xs.units <= THIN || ys.units <= THIN {
            dispatch(inlined!(|| {
                for o in 0..ys.units {
                    let out = &mut y[o * ys.row() + skip_y..][..width];
                    out.fill(T::ZERO);
                    for i in 0..xs.units {
                        lanes::axpy(out, numbers.weights[o * xs.units + i], &x[i * xs.row() + skip_x..][..width]);
                    }
                }
            }));
        } else {
            let (dst, h) = (View::rows(skip_y, ys.row()), View::rows(skip_x, xs.row()));
            let w = View::rows(0, xs.units);
            matmul((ys.units, width, xs.units), y, dst, false, numbers.weights, w, x, h);
        }
    }
    if let (Some(value), Some(bias)) = (plan.value, numbers.bias) {
        dispatch(inlined!(|| {
            for (o, &b) in bias.iter().enumerate() {
                for v in &mut y[o * ys.row() + value * columns..][..columns] {
                    *v += b;
                }
            }
        }));
    }
    for &(from, to) in &plan.uniforms {
        for o in 0..ys.units {
            let row = &numbers.weights[o * xs.units..][..xs.units];
            let total = row.iter().enumerate().fold(T::ZERO, |t, (i, &w)| t + w * xu[i * xs.uniform + from]);
            yu[o * ys.uniform + to] = total;
        }
    }
}

/// Where the trained numbers of the map lie in θ.
#[derive(Clone, Copy)]
pub(crate) struct Trained {
    pub weights: Option<usize>,
    pub bias: Option<usize>,
}

/// Parameter adjoints of the map.
pub(crate) fn backward_params<T: Real>(
    plan: &LinearPlan,
    trained: Trained,
    (x, xu, xs): (&[T], &[T], Side),
    (ybar, yubar, ys): (&[T], &[T], Side),
    sink: &mut GradSink<'_, T>,
) {
    let columns = xs.columns;
    if let Some(weights) = trained.weights {
        for &(from, to, count) in &plan.runs {
            let (width, skip_x, skip_y) = (count * columns, from * columns, to * columns);
            match sink {
                GradSink::Sum(grad) if xs.units > THIN && ys.units > THIN => {
                    let (z, h) = (View::rows(skip_y, ys.row()), View::rows(skip_x, xs.row()));
                    let g = View::rows(weights, xs.units);
                    matmul((ys.units, xs.units, width), grad, g, true, ybar, z, x, h.transposed());
                }
                _ => dispatch(inlined!(|| {
                    for o in 0..ys.units {
                        for i in 0..xs.units {
                            let z = &ybar[o * ys.row() + skip_y..][..width];
                            sink.dot(weights + o * xs.units + i, z, &x[i * xs.row() + skip_x..][..width]);
                        }
                    }
                })),
            }
        }
        if let GradSink::Sum(grad) = sink {
            for &(from, to) in &plan.uniforms {
                for o in 0..ys.units {
                    for i in 0..xs.units {
                        grad[weights + o * xs.units + i] += yubar[o * ys.uniform + to] * xu[i * xs.uniform + from];
                    }
                }
            }
        }
    }
    if let (Some(bias), Some(value)) = (trained.bias, plan.value) {
        dispatch(inlined!(|| {
            for o in 0..ys.units {
                sink.sum(bias + o, T::ONE, &ybar[o * ys.row() + value * columns..][..columns]);
            }
        }));
    }
}

/// Adjoint of the operand: x̄ (+)= Wᵀ ȳ. `fresh` says that x̄ holds nothing yet.
pub(crate) fn backward_operand<T: Real>(
    plan: &LinearPlan,
    weights: &[T],
    (ybar, yubar, ys): (&[T], &[T], Side),
    (xbar, xubar, xs): (&mut [T], &mut [T], Side),
    fresh: bool,
) {
    let columns = xs.columns;
    let covers_all = plan.runs.iter().map(|r| r.2).sum::<usize>() == xs.full;
    if fresh && !(covers_all && ys.units > THIN && xs.units > THIN) {
        xbar[..xs.units * xs.row()].fill(T::ZERO);
    }
    for &(from, to, count) in &plan.runs {
        let (width, skip_x, skip_y) = (count * columns, from * columns, to * columns);
        if xs.units <= THIN || ys.units <= THIN {
            dispatch(inlined!(|| {
                for i in 0..xs.units {
                    let out = &mut xbar[i * xs.row() + skip_x..][..width];
                    for o in 0..ys.units {
                        lanes::axpy(out, weights[o * xs.units + i], &ybar[o * ys.row() + skip_y..][..width]);
                    }
                }
            }));
        } else {
            let (h, z) = (View::rows(skip_x, xs.row()), View::rows(skip_y, ys.row()));
            let w = View::rows(0, xs.units).transposed();
            matmul((xs.units, width, ys.units), xbar, h, !(fresh && covers_all), weights, w, ybar, z);
        }
    }
    for &(from, to) in &plan.uniforms {
        for i in 0..xs.units {
            let total = (0..ys.units).fold(T::ZERO, |t, o| t + weights[o * xs.units + i] * yubar[o * ys.uniform + to]);
            xubar[i * xs.uniform + from] += total;
        }
    }
}
