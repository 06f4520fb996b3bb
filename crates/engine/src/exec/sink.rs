//! Where parameter gradients go: summed over the tile, or one row per sample.

use super::lanes;
use ropinn_vmath::Real;

/// Receiver of parameter adjoints.
pub(crate) enum GradSink<'a, T> {
    /// One number per parameter, summed over all columns.
    Sum(&'a mut [T]),
    /// `rows[(p − first)·samples + i] = ∂r_i/∂θ_p`: columns of the same sample (sites, elements, planes) add up. Parameters
    /// before the first one are not asked for.
    Rows { rows: &'a mut [T], samples: usize, first: usize },
}

impl<T: Real> GradSink<'_, T> {
    /// Adds Σ a·b to parameter `p`, over lanes grouped by sample.
    #[inline(always)]
    pub fn dot(&mut self, p: usize, a: &[T], b: &[T]) {
        match self {
            Self::Sum(grad) => grad[p] += lanes::dot(a, b),
            Self::Rows { rows, samples, first } => {
                let Some(p) = p.checked_sub(*first) else { return };
                let row = &mut rows[p * *samples..(p + 1) * *samples];
                for (a, b) in a.chunks_exact(*samples).zip(b.chunks_exact(*samples)) {
                    lanes::add_product(row, a, b);
                }
            }
        }
    }

    /// Adds c·Σ a to parameter `p`, over lanes grouped by sample.
    #[inline(always)]
    pub fn sum(&mut self, p: usize, c: T, a: &[T]) {
        match self {
            Self::Sum(grad) => grad[p] += c * lanes::sum(a),
            Self::Rows { rows, samples, first } => {
                let Some(p) = p.checked_sub(*first) else { return };
                let row = &mut rows[p * *samples..(p + 1) * *samples];
                for a in a.chunks_exact(*samples) {
                    lanes::axpy(row, c, a);
                }
            }
        }
    }
}
