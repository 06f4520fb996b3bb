//! Where in its region a point's loss is evaluated: unit offsets ξ ∈ [0, 1)^d whose weighted mean estimates an integral.
//!
//! ∫ f(x + Rξ) dξ ≈ Σ_c w_c f(x + Rξ_c) over the copies c of a point, Σ w_c = 1. Every estimator but the Gauss
//! rule is unbiased for every integrand; the error for a smooth one falls with the number n of copies as
//!
//! | Estimator | Offsets of a point | Error |
//! |---|---|---|
//! | Monte Carlo | n independent ones | n^(−1/2) |
//! | antithetic | n/2 pairs ξ, 1 − ξ: the linear part of f cancels | n^(−1/2), R times smaller |
//! | Sobol | n points of one sequence, scrambled anew for each point | near n^(−3/2) |
//! | Gauss | the same m^d nodes for every point, no randomness | exponential in m |

#[cfg(test)]
mod tests;

use crate::error::{DomainError, Result, require_dim};
use crate::quadrature::{Quadrature, TensorQuadrature};
use crate::rng::Stream;
use crate::sequence::{Scramble, Sobol, owen_scramble};
use serde::{Deserialize, Serialize};

/// Uniform numbers come on this lattice of 2⁵³ places, 0 … 1 − 2⁻⁵³.
const PLACES: f64 = (1u64 << 53) as f64;
/// Points whose random numbers are drawn at once.
const CHUNK: usize = 256;

/// How the places in a region are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Estimator {
    /// Independent uniform places.
    #[default]
    MonteCarlo,
    /// The tensor Gauss–Legendre rule with `samples` nodes along each axis.
    Gauss,
    /// Mirrored pairs of uniform places; needs an even number of samples.
    Antithetic,
    /// Randomised Sobol points (Owen 1995), best with 2^k samples.
    Sobol,
}

impl Estimator {
    /// Prepares the estimator for points with `dim` coordinates: everything that does not change from draw to draw.
    ///
    /// `samples` is the number of copies of each point, except for [`Estimator::Gauss`], where it is the number m of nodes
    /// along each axis and there are m^dim copies.
    ///
    /// ```
    /// use ropinn_domain::{Estimator, Purpose, Stream};
    /// let offsets = Estimator::Antithetic.offsets(2, 4)?;
    /// let mut unit = vec![0.0; offsets.len(100)]; // [copy][point][axis]
    /// offsets.fill(&mut Stream::new(7, Purpose::Region), &mut unit)?;
    /// // Copies 0 and 1 of a point mirror each other.
    /// assert!((unit[0] + unit[200] - 1.0).abs() < 1e-15);
    /// # Ok::<(), ropinn_domain::DomainError>(())
    /// ```
    pub fn offsets(self, dim: usize, samples: usize) -> Result<Offsets> {
        if dim == 0 {
            return Err(DomainError::NoDimensions { what: "a region" });
        }
        if samples == 0 {
            return Err(DomainError::ZeroPoints);
        }
        let (copies, places) = match self {
            Estimator::MonteCarlo => (samples, Places::Independent),
            Estimator::Antithetic if samples % 2 == 1 => return Err(DomainError::OddPairs { samples }),
            Estimator::Antithetic => (samples, Places::Mirrored),
            Estimator::Gauss => {
                let rule = Quadrature::gauss_legendre(samples)?.on(0.0, 1.0);
                let rule = TensorQuadrature::power(&rule, dim)?;
                (rule.len(), Places::Nodes(rule))
            }
            Estimator::Sobol => {
                let mut points = vec![0.0; samples * dim];
                Sobol::new(dim, Scramble::None, 0)?.fill(0, &mut points)?;
                // Unscrambled points are multiples of 2⁻³².
                let digits = points.iter().map(|x| (x * 2f64.powi(32)) as u32).collect();
                (samples, Places::Scrambled { digits })
            }
        };
        Ok(Offsets { dim, copies, places })
    }
}

/// A prepared [`Estimator`].
#[derive(Debug, Clone, PartialEq)]
pub struct Offsets {
    dim: usize,
    copies: usize,
    places: Places,
}

#[derive(Debug, Clone, PartialEq)]
enum Places {
    Independent,
    Mirrored,
    Nodes(TensorQuadrature),
    /// Sobol digits, `[copy][axis]`.
    Scrambled {
        digits: Vec<u32>,
    },
}

impl Offsets {
    /// Copies of each point.
    pub fn copies(&self) -> usize {
        self.copies
    }

    /// Numbers written for `points` points.
    pub fn len(&self, points: usize) -> usize {
        self.copies * points * self.dim
    }

    /// Whether the offsets change from draw to draw.
    pub fn are_random(&self) -> bool {
        !matches!(self.places, Places::Nodes(_))
    }

    /// Weight of each copy where they differ, Σ w_c = 1; none if every copy counts 1/n.
    pub fn copy_weights(&self) -> Option<&[f64]> {
        match &self.places {
            Places::Nodes(rule) => Some(rule.weights()),
            _ => None,
        }
    }

    /// Weights of `[copy][point]` relative to a plain mean over them all, n w_c; none if all are 1.
    pub fn sample_weights(&self, points: usize) -> Option<Vec<f64>> {
        let copies = self.copies as f64;
        let weights = self.copy_weights()?;
        Some(weights.iter().flat_map(|w| std::iter::repeat_n(copies * w, points)).collect())
    }

    /// Writes the offsets of as many points as fit in `out`, laid out `[copy][point][axis]`.
    ///
    /// What is written depends on nothing but the stream and its position, which moves behind the numbers used.
    pub fn fill(&self, stream: &mut Stream, out: &mut [f64]) -> Result<()> {
        let per_point = self.copies * self.dim;
        require_dim("the list of region offsets", out.len().next_multiple_of(per_point), out.len())?;
        let per_copy = out.len() / self.copies;
        if per_copy == 0 {
            return Ok(());
        }
        match &self.places {
            Places::Independent => stream.fill_uniform(out),
            Places::Mirrored => {
                for pair in out.chunks_exact_mut(2 * per_copy) {
                    let (first, second) = pair.split_at_mut(per_copy);
                    stream.fill_uniform(first);
                    // 1 − 2⁻⁵³ mirrors the lattice of uniform numbers onto itself, exactly; 1 would leave [0, 1) at ξ = 0.
                    second.iter_mut().zip(first).for_each(|(mirror, x)| *mirror = (1.0 - 1.0 / PLACES) - *x);
                }
            }
            Places::Nodes(rule) => {
                for (copy, (node, _)) in out.chunks_exact_mut(per_copy).zip(rule.iter()) {
                    copy.chunks_exact_mut(self.dim).for_each(|offset| offset.copy_from_slice(node));
                }
            }
            Places::Scrambled { digits } => self.scramble(digits, stream, per_copy, out),
        }
        Ok(())
    }

    /// For each point and axis a key of digit permutations and a digital shift. The permutations give the nested strata
    /// their own random order; the shift makes every single offset exactly uniform, which hashed permutations alone do not.
    fn scramble(&self, digits: &[u32], stream: &mut Stream, per_copy: usize, out: &mut [f64]) {
        let mut draws = vec![0.0; 2 * CHUNK.min(per_copy)];
        for first in (0..per_copy).step_by(CHUNK) {
            let count = CHUNK.min(per_copy - first);
            stream.fill_uniform(&mut draws[..2 * count]);
            for (place, pair) in draws[..2 * count].chunks_exact(2).enumerate() {
                let place = first + place;
                let (key, shift) = ((pair[0] * 2f64.powi(32)) as u32, (pair[1] * PLACES) as u64);
                for (copy, digits) in digits.chunks_exact(self.dim).enumerate() {
                    let scrambled = owen_scramble(digits[place % self.dim], key);
                    out[copy * per_copy + place] = ((u64::from(scrambled) << 21) ^ shift) as f64 / PLACES;
                }
            }
        }
    }
}
