//! Exactly n points by rejection: lay out candidates, keep those that fit, and lay out more until enough are kept.

use crate::error::{DomainError, Result};
use crate::rng::Purpose;
use crate::sequence::Layout;

/// What the caller asked for.
pub(super) struct Request<'a> {
    pub n: usize,
    pub layout: &'a Layout,
    pub seed: u64,
    pub purpose: Purpose,
}

impl Request<'_> {
    /// Candidates after which a domain is given up as (nearly) empty.
    fn most_candidates(&self) -> usize {
        (1 << 20) + 256 * self.n
    }

    /// Keeps exactly n of the points that `place` makes of candidates in the unit cube of dimension `dim`.
    ///
    /// Sequences that can be continued give their first n points that fit. The others are laid out afresh with more
    /// points, and any surplus is thinned evenly: cutting off the end would empty the top of Hammersley's last axis.
    pub fn fill<T>(&self, dim: usize, mut place: impl FnMut(&[f64]) -> Option<T>) -> Result<Vec<T>> {
        let most = self.most_candidates();
        let mut candidates = self.n;
        loop {
            let unit = self.layout.unit_points(dim, candidates, self.seed, self.purpose)?;
            let enough = if self.layout.is_extensible() { self.n } else { candidates };
            let kept: Vec<T> = unit.chunks_exact(dim).filter_map(&mut place).take(enough).collect();
            if kept.len() >= self.n {
                return Ok(thin_evenly(kept, self.n));
            }
            if candidates >= most {
                return Err(match kept.len() {
                    0 => DomainError::EmptyDomain { candidates },
                    accepted => DomainError::TooSparse { accepted, candidates, requested: self.n },
                });
            }
            let wanted = match kept.len() {
                0 => candidates.saturating_mul(16),
                accepted => (candidates as f64 * self.n as f64 / accepted as f64).ceil() as usize + 1,
            };
            candidates = wanted.clamp(candidates + 1, most);
        }
    }
}

/// Keeps n items spread over the whole list, in order.
fn thin_evenly<T>(items: Vec<T>, n: usize) -> Vec<T> {
    let total = items.len();
    // Item i is the one in which the count of kept items, i·n/total, steps up.
    items.into_iter().enumerate().filter(|(i, _)| (i + 1) * n / total > i * n / total).map(|(_, item)| item).collect()
}
