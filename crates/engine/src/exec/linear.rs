//! Linear maps over all channels at once.
//!
//! `Z = W·H + b` with H an `in × (planes·columns)` matrix is one product, the bias on the value plane alone; backward,
//! `W̄ += Z̄·Hᵀ` and `H̄ = Wᵀ·Z̄`.

use super::parameters::Map;
use super::sink::GradSink;
use crate::plan::{LinearPlan, Side};
use ropinn_linalg::{Numbers, Packed, Product, Target, View, Workspace, add_inner, matmul};
use ropinn_vmath::dispatch;

/// Bytes of an operand up to which Z̄·Hᵀ goes by inner products: they need no packing, but read H once for every few rows of Z̄.
const INNER_BYTES: usize = 512 << 10;

/// y = W x + b.
pub(crate) fn forward<T: Numbers>(
    plan: &LinearPlan,
    map: &Map<T>,
    (x, xu, xs): (&[T], &[T], Side),
    (y, yu, ys): (&mut [T], &mut [T], Side),
    work: &mut Workspace<T>,
) {
    for &(from, to, count) in &plan.runs {
        // The value plane, which takes the bias, apart from the others.
        let value = plan.value.filter(|plane| map.bias.is_some() && (to..to + count).contains(plane)).map(|v| v - to);
        let (before, after) = value.map_or((count, count), |v| (v, v + 1));
        let mut planes = |first: usize, end: usize, how: Product<'_, T>| {
            if first < end {
                let operand = View::rows((from + first) * xs.columns, xs.row());
                let target = Target::new(y, (to + first) * ys.columns, ys.row());
                map.forward.times((end - first) * xs.columns, x, operand, target, how, work);
            }
        };
        planes(0, before, Product::Set);
        planes(after, count, Product::Set);
        if let (Some(v), Some(bias)) = (value, &map.bias) {
            planes(v, v + 1, Product::SetPlus(bias));
        }
    }
    for &(from, to) in &plan.uniforms {
        for o in 0..ys.units {
            let row = &map.weights[o * xs.units..][..xs.units];
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
pub(crate) fn backward_params<T: Numbers>(
    plan: &LinearPlan,
    trained: Trained,
    (x, xu, xs): (&[T], &[T], Side),
    (ybar, yubar, ys): (&[T], &[T], Side),
    sink: &mut GradSink<'_, T>,
    work: &mut Workspace<T>,
) {
    let columns = xs.columns;
    if let Some(weights) = trained.weights {
        for &(from, to, count) in &plan.runs {
            let (width, skip_x, skip_y) = (count * columns, from * columns, to * columns);
            match sink {
                GradSink::Sum(grad) => {
                    let (z, h) = ((ybar, View::rows(skip_y, ys.row())), (x, View::rows(skip_x, xs.row())));
                    let to = Target::new(grad, weights, xs.units);
                    let sizes = (ys.units, xs.units, width);
                    if xs.units * width * size_of::<T>() <= INNER_BYTES {
                        add_inner(sizes, to, z, h);
                    } else {
                        matmul(sizes, to, Product::Add, T::ONE, z, (x, h.1.transposed()), work);
                    }
                }
                GradSink::Rows { .. } => dispatch(inlined!(|| {
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
pub(crate) fn backward_operand<T: Numbers>(
    plan: &LinearPlan,
    map: &Map<T>,
    (ybar, yubar, ys): (&[T], &[T], Side),
    (xbar, xubar, xs): (&mut [T], &mut [T], Side),
    fresh: bool,
    work: &mut Workspace<T>,
) {
    let covers_all = plan.runs.iter().map(|r| r.2).sum::<usize>() == xs.full;
    if fresh && !covers_all {
        xbar[..xs.units * xs.row()].fill(T::ZERO);
    }
    let how = if fresh && covers_all { Product::Set } else { Product::Add };
    for &(from, to, count) in &plan.runs {
        let operand = View::rows(to * ys.columns, ys.row());
        let target = Target::new(xbar, from * xs.columns, xs.row());
        let transposed: &Packed<T> = &map.backward;
        transposed.times(count * xs.columns, ybar, operand, target, how, work);
    }
    for &(from, to) in &plan.uniforms {
        for i in 0..xs.units {
            let column = (0..ys.units).map(|o| map.weights[o * xs.units + i] * yubar[o * ys.uniform + to]);
            xubar[i * xs.uniform + from] += column.fold(T::ZERO, |total, product| total + product);
        }
    }
}
