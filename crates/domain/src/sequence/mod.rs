//! Ways to spread n points over the unit cube [0, 1]^D.
//!
//! | Layout | Points | Error of a mean over n points |
//! |---|---|---|
//! | grids | regular, x fastest | n^(−2/D) for smooth functions |
//! | uniform | independent | n^(−1/2) |
//! | Latin hypercube | one per stratum on every axis | n^(−1/2), less for sums of one-axis functions |
//! | Halton, Hammersley, Sobol | low discrepancy | near n^(−1) |
//! | Sobol with Owen scrambling | low discrepancy, unbiased | near n^(−3/2) for smooth functions |

mod grid;
mod joe_kuo;
mod latin;
mod radical;
mod sobol;
#[cfg(test)]
mod tests;

pub use radical::radical_inverse;
pub use sobol::{Scramble, Sobol};

pub(crate) use grid::{Spacing, grid_len, unit_grid};
pub(crate) use sobol::owen_scramble;

use crate::error::{DomainError, Result};
use crate::rng::{Purpose, Stream};

/// How points are spread; the seed matters only where randomness is mentioned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// Regular grid with both ends of every axis; boxes only. The first axis varies fastest and the last slowest: with
    /// coordinates (x, t), point (i_x, i_t) has index i_t · n_x + i_x. A single point on an axis sits at its low end.
    Grid {
        /// Points per axis.
        counts: Vec<usize>,
    },
    /// Regular grid without the ends: lo + (hi − lo) j/(k + 1), j = 1 … k; boxes only, ordered as `Grid`. The time axis
    /// of a domain over time keeps its last instant: t₀ + (t₁ − t₀) j/k.
    InteriorGrid {
        /// Points per axis.
        counts: Vec<usize>,
    },
    /// Independent random points.
    Uniform,
    /// Random points with exactly one in each of the n strata of every axis (McKay, Beckman & Conover 1979).
    LatinHypercube,
    /// Sobol's sequence, from its point 0 on; balanced for n a power of two; at most [`Sobol::MAX_DIM`] coordinates.
    Sobol {
        /// Whether the seed permutes the digits.
        scramble: Scramble,
    },
    /// Radical inverses of i = 1 … n in the first D primes (Halton 1960).
    Halton,
    /// (φ₂(i), φ₃(i), φ₅(i), …, i/(n + 1)) for i = 1 … n: the last coordinate is regular (Hammersley 1960).
    Hammersley,
}

impl Layout {
    /// `n` points of the unit cube [0, 1]^dim, row-major. Random layouts draw from the stream of `seed` and `purpose`.
    pub fn unit_points(&self, dim: usize, n: usize, seed: u64, purpose: Purpose) -> Result<Vec<f64>> {
        if dim == 0 {
            return Err(DomainError::NoDimensions { what: "the unit cube" });
        }
        if n == 0 {
            return Err(DomainError::ZeroPoints);
        }
        let mut coords = vec![0.0; n * dim];
        match self {
            Layout::Grid { counts } => {
                grid_len(counts, dim, n)?;
                unit_grid(counts, &vec![Spacing::BothEnds; dim], &mut coords);
            }
            Layout::InteriorGrid { counts } => {
                grid_len(counts, dim, n)?;
                unit_grid(counts, &vec![Spacing::NoEnds; dim], &mut coords);
            }
            Layout::Uniform => Stream::new(seed, purpose).fill_uniform(&mut coords),
            Layout::LatinHypercube => latin::fill(dim, &Stream::new(seed, purpose), &mut coords),
            Layout::Sobol { scramble } => Sobol::new(dim, *scramble, seed)?.fill(0, &mut coords)?,
            Layout::Halton => radical::fill_halton(dim, &mut coords),
            Layout::Hammersley => radical::fill_hammersley(dim, &mut coords),
        }
        Ok(coords)
    }

    /// Whether the first n points are the same however many follow; the others must be generated as a whole.
    pub(crate) fn is_extensible(&self) -> bool {
        matches!(self, Layout::Uniform | Layout::Sobol { .. } | Layout::Halton)
    }

    /// Counts and spacing of the axes, if this is a grid.
    pub(crate) fn grid(&self) -> Option<(&[usize], Spacing)> {
        match self {
            Layout::Grid { counts } => Some((counts, Spacing::BothEnds)),
            Layout::InteriorGrid { counts } => Some((counts, Spacing::NoEnds)),
            _ => None,
        }
    }
}
