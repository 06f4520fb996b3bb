//! Points of a term, and the same points moved into their regions: x + Rξ with ξ ∈ [0, 1) for each coordinate, chosen by an
//! [`Estimator`].

use super::fence::Fence;
use crate::case::Case;
use crate::config::{ConfigError, ObjectiveConfig, RegionConfig};
use crate::error::Error;
use crate::problem::{MAX_POINTS, Term};
use ropinn_domain::{Estimator, Offsets, Stream};
use ropinn_engine::Samples;

/// The points and data of one term.
pub(super) struct PointSet {
    /// `[sample][site][element][axis]`.
    base: Vec<f64>,
    /// `[copy][sample][site][element][axis]`; empty if the points never move.
    moved: Vec<f64>,
    data: Vec<f64>,
    /// The data once per copy.
    moved_data: Vec<f64>,
    /// Weights of moved samples; empty if all count the same.
    moved_weights: Vec<f64>,
    /// Where in their regions points are taken; none if they never move.
    offsets: Option<Offsets>,
    /// What keeps the moved points inside; none if nothing does.
    fence: Option<Fence>,
    /// Ends of a single coordinate. Points there stay, where any do: a solution leaves its first value unseen within the
    /// smallest region.
    ends: Option<[f64; 2]>,
    sites: usize,
    /// Numbers per site: elements × axes.
    per_site: usize,
}

impl PointSet {
    pub fn new(case: &Case, term: &Term, config: &ObjectiveConfig) -> Result<Self, Error> {
        let axes = case.network().coordinates();
        let movable = config.reach() > 0.0 && !term.is_measured();
        let moves = movable && config.region.groups.iter().any(|group| group.holds(term.group));
        let offsets = if moves { Some(offsets(&config.region, axes, term.samples(axes) * term.sites)?) } else { None };
        let per_site = case.network().elements() * axes;
        let fence = if moves { Fence::new(case, term, per_site) } else { None };
        let ends = match case.problem().ranges()[..] {
            [(low, high)] if per_site == 1 && fence.is_some() => Some([low, high]),
            _ => None,
        };
        let mut set = Self {
            base: Vec::new(),
            moved: Vec::new(),
            data: term.data.clone(),
            moved_data: Vec::new(),
            moved_weights: Vec::new(),
            offsets,
            fence,
            ends,
            sites: term.sites,
            per_site,
        };
        set.place(case.network_points(&term.points).into_owned());
        Ok(set)
    }

    /// Takes other points, `[sample][site][element][axis]`. The data must fit them.
    pub fn place(&mut self, base: Vec<f64>) {
        self.base = base;
        self.fence.iter_mut().for_each(|fence| fence.survey(&self.base));
        let Some(offsets) = &self.offsets else { return };
        self.moved = self.base.repeat(offsets.copies());
        self.moved_data = self.data.repeat(offsets.copies());
        let samples = self.base.len() / (self.sites * self.per_site);
        self.moved_weights = offsets.sample_weights(samples).unwrap_or_default();
    }

    /// The points, moved if they are to be and can be.
    pub fn samples(&self, moved: bool) -> Samples<'_> {
        if moved && self.moves() {
            Samples { points: &self.moved, data: &self.moved_data, weights: &self.moved_weights }
        } else {
            Samples { points: &self.base, data: &self.data, weights: &[] }
        }
    }

    /// Whether the points have regions.
    pub fn moves(&self) -> bool {
        self.offsets.is_some()
    }

    /// Moves every copy of every point to a new place in its region of that size. Linked points move together; what they
    /// share is drawn into `draws`.
    pub fn shift(&mut self, stream: &mut Stream, size: f64, draws: &mut Vec<f64>) {
        const FITS: &str = "the lists hold whole points";
        let Some(offsets) = &self.offsets else { return };
        if self.sites == 1 {
            offsets.fill(stream, &mut self.moved).expect(FITS);
        } else {
            draws.resize(self.moved.len() / self.sites, 0.0);
            offsets.fill(stream, draws).expect(FITS);
            let samples = self.moved.chunks_exact_mut(self.per_site * self.sites);
            for (sample, draws) in samples.zip(draws.chunks_exact(self.per_site)) {
                sample.chunks_exact_mut(self.per_site).for_each(|site| site.copy_from_slice(draws));
            }
        }
        for copy in self.moved.chunks_exact_mut(self.base.len()) {
            for (place, &x) in copy.iter_mut().zip(&self.base) {
                let stays = self.ends.is_some_and(|ends| ends.contains(&x));
                *place = if stays { x } else { x + size * *place };
            }
            self.fence.iter_mut().for_each(|fence| fence.keep(copy, &self.base));
        }
    }
}

/// The estimator, unless it would fill the memory.
fn offsets(region: &RegionConfig, axes: usize, points: usize) -> Result<Offsets, Error> {
    let copies = match region.estimator {
        Estimator::Gauss => {
            u32::try_from(axes).ok().and_then(|axes| region.samples.checked_pow(axes)).unwrap_or(usize::MAX)
        }
        _ => region.samples,
    };
    if copies.checked_mul(points).is_none_or(|places| places > MAX_POINTS) {
        return Err(ConfigError::TooManyPlaces { copies, points, max: MAX_POINTS }.into());
    }
    let made = region.estimator.offsets(axes, region.samples);
    Ok(made.expect("the configuration was checked, and networks have coordinates"))
}
