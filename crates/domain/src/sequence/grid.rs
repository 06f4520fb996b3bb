//! Regular grids, first axis fastest: with counts (n_x, n_t), point (i_x, i_t) has index i_t · n_x + i_x.

use crate::error::{DomainError, Result, require_dim};

/// Where the points of one grid axis sit in [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spacing {
    /// j/(k − 1), j = 0 … k − 1.
    BothEnds,
    /// j/(k + 1), j = 1 … k.
    NoEnds,
    /// j/k, j = 1 … k: time axes without the initial instant.
    HighEnd,
}

impl Spacing {
    fn value(self, j: usize, count: usize) -> f64 {
        match self {
            Spacing::BothEnds if count == 1 => 0.0,
            Spacing::BothEnds => j as f64 / (count - 1) as f64,
            Spacing::NoEnds => (j + 1) as f64 / (count + 1) as f64,
            Spacing::HighEnd => (j + 1) as f64 / count as f64,
        }
    }
}

/// Checks the counts against the axes and the number of points asked for.
pub(crate) fn grid_len(counts: &[usize], dim: usize, requested: usize) -> Result<()> {
    require_dim("the list of grid counts", dim, counts.len())?;
    if let Some(axis) = counts.iter().position(|&count| count == 0) {
        return Err(DomainError::ZeroCount { axis });
    }
    let product = counts.iter().fold(1usize, |product, &count| product.saturating_mul(count));
    if product != requested {
        return Err(DomainError::GridCount { counts: counts.to_vec(), product, requested });
    }
    Ok(())
}

/// Writes the grid; `counts` and `spacing` have one entry per axis and `coords` fits them.
pub(crate) fn unit_grid(counts: &[usize], spacing: &[Spacing], coords: &mut [f64]) {
    for (point, row) in coords.chunks_exact_mut(counts.len()).enumerate() {
        let mut rest = point;
        for ((value, &count), spacing) in row.iter_mut().zip(counts).zip(spacing) {
            *value = spacing.value(rest % count, count);
            rest /= count;
        }
    }
}
