//! Points inside a domain: boxes and balls by maps of the unit cube that preserve volume, everything else by rejection
//! from the smallest such region known to hold it.

use super::ball::Ball;
use super::cuboid::{Cuboid, lerp};
use super::rejection::Request;
use super::rule::{Operation, Rule};
use super::{Geometry, Solid};
use crate::error::{DomainError, Result};
use crate::points::Points;
use crate::rng::Purpose;
use crate::sequence::{Layout, Spacing, grid_len, unit_grid};

/// A region that holds the domain and can be sampled directly.
pub(super) enum Proposal<'a> {
    Box(Cuboid),
    Ball(&'a Ball),
}

impl Proposal<'_> {
    pub fn parameters(&self) -> usize {
        match self {
            Proposal::Box(cuboid) => cuboid.dim(),
            Proposal::Ball(ball) => ball.interior_parameters(),
        }
    }

    pub fn place(&self, unit: &[f64]) -> Vec<f64> {
        match self {
            Proposal::Box(cuboid) => cuboid.place(unit),
            Proposal::Ball(ball) => ball.place_inside(unit),
        }
    }

    pub fn measure(&self) -> f64 {
        match self {
            Proposal::Box(cuboid) => cuboid.measure(),
            Proposal::Ball(ball) => ball.measure(),
        }
    }
}

impl Geometry {
    pub(super) fn proposal(&self) -> Proposal<'_> {
        let tight = self.proposal_for(&self.rule);
        // Intersections may have trimmed the bounding box below any single solid.
        if self.bounds.measure() < tight.measure() { Proposal::Box(self.bounds.clone()) } else { tight }
    }

    fn proposal_for(&self, rule: &Rule) -> Proposal<'_> {
        match rule {
            Rule::Member(member) => match &self.members[*member].solid {
                Solid::Ball(ball) => Proposal::Ball(ball),
                solid => Proposal::Box(solid.bounding_box()),
            },
            Rule::Combined(Operation::Union, ..) => Proposal::Box(self.bounds.clone()),
            Rule::Combined(Operation::Difference, whole, _) => self.proposal_for(whole),
            Rule::Combined(Operation::Intersection, a, b) => {
                let (a, b) = (self.proposal_for(a), self.proposal_for(b));
                if a.measure() <= b.measure() { a } else { b }
            }
        }
    }

    /// Whether the proposal already is the domain.
    pub(super) fn proposal_fits(&self) -> bool {
        matches!(&self.members[..], [only] if !matches!(only.solid, Solid::Polygon(_)))
    }

    /// Exactly `n` points inside, spread by `layout`; for a domain over time the last coordinate of the layout is time.
    ///
    /// Boxes take the layout as it is, and only they can take grids. Balls take it through a map that preserves volume.
    /// Other domains keep the points that fall inside, of as many as it takes.
    ///
    /// ```
    /// use ropinn_domain::{Geometry, Layout};
    /// let strip = Geometry::cuboid(&[0.0, 0.0], &[2.0, 1.0])?;
    /// let grid = strip.sample_interior(6, &Layout::Grid { counts: vec![3, 2] }, 0)?;
    /// assert_eq!(grid.coords(), [0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 1.0]);
    /// # Ok::<(), ropinn_domain::DomainError>(())
    /// ```
    pub fn sample_interior(&self, n: usize, layout: &Layout, seed: u64) -> Result<Points> {
        self.sample(n, layout, seed, Purpose::Interior)
    }

    /// As [`sample_interior`](Self::sample_interior), but drawing from the random stream of another purpose, so that
    /// random layouts of the same seed give independent sets.
    pub fn sample_interior_for(&self, purpose: Purpose, n: usize, layout: &Layout, seed: u64) -> Result<Points> {
        self.sample(n, layout, seed, purpose)
    }

    /// Exactly `n` points at the first instant; the layout spreads them over the space part.
    pub fn sample_initial(&self, n: usize, layout: &Layout, seed: u64) -> Result<Points> {
        let [start, _] = self.time.ok_or(DomainError::NoTimeAxis)?;
        let space = Geometry { time: None, ..self.clone() }.sample(n, layout, seed, Purpose::Initial)?;
        let coords = space.iter().flat_map(|row| row.iter().copied().chain([start])).collect();
        Points::from_coords(self.dim(), coords)
    }

    fn sample(&self, n: usize, layout: &Layout, seed: u64, purpose: Purpose) -> Result<Points> {
        if n == 0 {
            return Err(DomainError::ZeroPoints);
        }
        if let Some((counts, spacing)) = layout.grid() {
            return self.grid(counts, spacing, n);
        }
        let (proposal, fits) = (self.proposal(), self.proposal_fits());
        let parameters = proposal.parameters();
        let request = Request { n, layout, seed, purpose };
        let rows = request.fill(parameters + usize::from(self.time.is_some()), |unit| {
            let mut point = proposal.place(&unit[..parameters]);
            if let Some([start, end]) = self.time {
                point.push(lerp(start, end, unit[parameters]));
            }
            (fits || self.contains(&point, 0.0)).then_some(point)
        })?;
        Points::from_coords(self.dim(), rows.concat())
    }

    fn grid(&self, counts: &[usize], spacing: Spacing, n: usize) -> Result<Points> {
        let cuboid = self.as_box().ok_or(DomainError::GridNeedsBox { what: "the domain" })?;
        grid_len(counts, cuboid.dim(), n)?;
        let mut unit = vec![0.0; n * cuboid.dim()];
        unit_grid(counts, &self.axis_spacing(spacing), &mut unit);
        let coords = unit.chunks_exact(cuboid.dim()).flat_map(|row| cuboid.place(row)).collect();
        Points::from_coords(cuboid.dim(), coords)
    }

    /// The same spacing on every axis, except that interior grids keep the last instant.
    pub(super) fn axis_spacing(&self, spacing: Spacing) -> Vec<Spacing> {
        let mut axes = vec![spacing; self.dim()];
        if self.time.is_some() && spacing == Spacing::NoEnds {
            axes[self.dim() - 1] = Spacing::HighEnd;
        }
        axes
    }
}
