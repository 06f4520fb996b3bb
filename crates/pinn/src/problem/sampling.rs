//! From spreads to points: each set is drawn once per seed and shared by the conditions that ask for it.
//!
//! Points of a boundary condition come from the first of these that is given: the condition's own spread; the spread of
//! the whole boundary, of which it takes the points on its part; the faces of the interior grid; points chosen for it
//! (`default_points`). Initial points likewise.

use ropinn_domain::{BoundaryPart, BoundaryTag, Layout, Points, Purpose, Side, Stream};

use super::Problem;
use super::error::ProblemError;
use super::place::{Place, face_normal};
use super::spread::Spread;
use super::term::{Support, Term};

/// Which points are taken where.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct PointPlan {
    pub interior: Option<Spread>,
    pub boundary: Option<Spread>,
    pub initial: Option<Spread>,
    /// Whether the equations must hold at the points of boundary and initial conditions too.
    pub residual_everywhere: bool,
}

/// Points with the normals of those on the boundary, in space coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Batch {
    /// Indexed `[point][coordinate]`.
    pub coords: Vec<f64>,
    /// Indexed `[point][space coordinate]`; zero at instants, which have no normal.
    pub normals: Vec<f64>,
    tags: Vec<Option<BoundaryTag>>,
}

impl Batch {
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    pub fn from_points(points: &Points, space: usize) -> Batch {
        let mut batch = Batch { coords: points.coords().to_vec(), ..Batch::default() };
        for i in 0..points.len() {
            let tag = points.tags().map(|tags| tags[i]);
            let normal = tag.and_then(|tag| face_normal(tag, space));
            let sampled = || points.normal(i).map_or(vec![0.0; space], |normal| normal[..space].to_vec());
            batch.normals.extend(normal.unwrap_or_else(sampled));
            batch.tags.push(tag);
        }
        batch
    }

    pub fn extend(&mut self, other: Batch) {
        self.coords.extend(other.coords);
        self.normals.extend(other.normals);
        self.tags.extend(other.tags);
    }

    /// The points on any of these parts.
    fn on(&self, parts: &[BoundaryPart], dim: usize, space: usize) -> Batch {
        let mut kept = Batch::default();
        for (i, tag) in self.tags.iter().enumerate() {
            if tag.is_some_and(|tag| parts.iter().any(|part| part.includes(tag))) {
                kept.coords.extend_from_slice(&self.coords[i * dim..(i + 1) * dim]);
                kept.normals.extend_from_slice(&self.normals[i * space..(i + 1) * space]);
                kept.tags.push(*tag);
            }
        }
        kept
    }
}

impl Problem {
    /// How many points the equations and all conditions together will have at most, without drawing any.
    pub(crate) fn planned_points(&self) -> (u64, u64) {
        let count = |spread: &Option<Spread>| spread.as_ref().map_or(0, |spread| spread.count() as u64);
        let (boundary, initial) = (count(&self.points.boundary), count(&self.points.initial));
        let usual = |places: &[Place]| -> u64 {
            let of = |place: &Place| match place {
                Place::Instant(_) => self.usual_instant(),
                Place::Parts(parts) => self.usual_boundary(parts),
            };
            places.iter().map(|place| of(place).count() as u64).sum()
        };
        let open = self.points.boundary.is_none() && self.points.initial.is_none() && self.interior_grid().is_none();
        let own = |(term, support): &(Term, Support)| match support {
            Support::Equations => 0,
            Support::Places { places, spread: None } if open => usual(places),
            Support::Places { spread, .. } | Support::Made { spread, .. } => count(spread),
            Support::Pairs { high, spread: None, .. } if open => 2 * usual(std::slice::from_ref(high)),
            Support::Pairs { spread, .. } => count(spread).saturating_mul(2),
            Support::Given => term.samples(self.ranges.len()) as u64,
        };
        let conditions = self.terms.iter().map(own).fold(boundary.saturating_add(initial), u64::saturating_add);
        let everywhere = if self.points.residual_everywhere { conditions } else { 0 };
        ((self.interior().count() as u64).saturating_add(everywhere), conditions)
    }
}

/// A set of points: where, and how spread.
#[derive(Clone, Debug, PartialEq)]
enum Set {
    Instant(Side, Spread),
    Parts(Vec<BoundaryPart>, Spread),
}

struct Drawn {
    set: Set,
    batch: Batch,
    /// Whether the interior grid holds these points already.
    on_interior_grid: bool,
}

/// Draws the point sets of one problem for one seed.
pub(super) struct Sampler<'a> {
    problem: &'a Problem,
    seed: u64,
    drawn: Vec<Drawn>,
}

impl<'a> Sampler<'a> {
    pub fn new(problem: &'a Problem, seed: u64) -> Self {
        Sampler { problem, seed, drawn: Vec::new() }
    }

    /// The points of the equations: the interior, and everything drawn so far if they hold everywhere.
    pub fn of_equations(&mut self) -> Result<Vec<f64>, ProblemError> {
        let plan = &self.problem.points;
        let spread = self.problem.interior();
        let points = self.problem.sample_inside(&spread, Purpose::Interior, self.seed, "the interior points")?;
        let mut coords = points.into_coords();
        if plan.residual_everywhere {
            if let Some(spread) = plan.boundary.clone().filter(|spread| spread.grid_counts().is_none()) {
                self.draw(Set::Parts(vec![BoundaryPart::All], spread), false, "the boundary points")?;
            }
            if let (Some(spread), Some(_)) = (plan.initial.clone(), self.problem.time_axis) {
                self.draw(Set::Instant(Side::Low, spread), false, "the initial points")?;
            }
            let apart = self.drawn.iter().filter(|drawn| !drawn.on_interior_grid);
            coords.extend(apart.flat_map(|drawn| &drawn.batch.coords));
        }
        Ok(coords)
    }

    /// The points of a condition that holds at these places.
    pub fn of_places(&mut self, places: &[Place], own: Option<&Spread>, name: &str) -> Result<Batch, ProblemError> {
        let mut batch = Batch::default();
        let mut parts = Vec::new();
        for place in places {
            match place {
                Place::Instant(side) => batch.extend(self.at_instant(*side, own, name)?),
                Place::Parts(more) => parts.extend_from_slice(more),
            }
        }
        if !parts.is_empty() {
            batch.extend(self.on_parts(&parts, &parts, own, name)?);
        }
        Ok(batch)
    }

    /// The points of a periodic condition: one of each pair, on either face if they are taken from a shared set.
    pub fn of_pairs(
        &mut self,
        (high, low): (&Place, &Place),
        own: Option<&Spread>,
        name: &str,
    ) -> Result<Batch, ProblemError> {
        match (high, low) {
            (Place::Parts(high), Place::Parts(low)) => {
                let both: Vec<BoundaryPart> = high.iter().chain(low).copied().collect();
                self.on_parts(high, &both, own, name)
            }
            _ => self.of_places(std::slice::from_ref(high), own, name),
        }
    }

    fn at_instant(&mut self, side: Side, own: Option<&Spread>, name: &str) -> Result<Batch, ProblemError> {
        let problem = self.problem;
        let (spread, on_interior_grid) = match own.or(problem.points.initial.as_ref()) {
            Some(spread) => (spread.clone(), false),
            None => problem.interior_grid().unwrap_or_else(|| (problem.usual_instant(), false)),
        };
        let drawn = self.draw(Set::Instant(side, spread), on_interior_grid, &condition(name))?;
        Ok(self.drawn[drawn].batch.clone())
    }

    /// Points on `parts`; where a set shared by all is cut up, points on `candidates`.
    fn on_parts(
        &mut self,
        parts: &[BoundaryPart],
        candidates: &[BoundaryPart],
        own: Option<&Spread>,
        name: &str,
    ) -> Result<Batch, ProblemError> {
        let problem = self.problem;
        let shared = problem.points.boundary.as_ref();
        let (spread, on_interior_grid) = match own.or(shared) {
            Some(spread) => (spread.clone(), false),
            None => problem.interior_grid().unwrap_or_else(|| (problem.usual_boundary(parts), false)),
        };
        if own.is_some() || shared.is_none() || spread.grid_counts().is_some() {
            let drawn = self.draw(Set::Parts(parts.to_vec(), spread), on_interior_grid, &condition(name))?;
            return Ok(self.drawn[drawn].batch.clone());
        }
        let whole = self.draw(Set::Parts(vec![BoundaryPart::All], spread), false, "the boundary points")?;
        let whole = &self.drawn[whole].batch;
        let kept = whole.on(candidates, problem.geometry.dim(), problem.geometry.space_dim());
        match kept.len() {
            0 => Err(ProblemError::EmptyCondition { condition: name.to_owned(), count: whole.len() }),
            _ => Ok(kept),
        }
    }

    /// The seed of a set drawn for one purpose among several alike.
    pub fn seed_of(&self, index: usize) -> u64 {
        Stream::new(self.seed, Purpose::Custom(1)).bits_at(index as u64)
    }

    /// Index of the set, drawn now unless it was before.
    fn draw(&mut self, set: Set, on_interior_grid: bool, what: &str) -> Result<usize, ProblemError> {
        if let Some(known) = self.drawn.iter().position(|drawn| drawn.set == set) {
            return Ok(known);
        }
        let seed = self.seed_of(self.drawn.len());
        let batch = match &set {
            Set::Instant(side, spread) => self.problem.sample_instant(*side, spread, seed, what)?,
            Set::Parts(parts, spread) => self.problem.sample_parts(parts, spread, seed, what)?,
        };
        self.drawn.push(Drawn { set, batch, on_interior_grid });
        Ok(self.drawn.len() - 1)
    }
}

fn condition(name: &str) -> String {
    format!("condition `{name}`")
}

impl Problem {
    /// The interior's grid, from whose faces conditions take their points if nothing else is said, and whether it holds
    /// those points: grids without ends do not.
    fn interior_grid(&self) -> Option<(Spread, bool)> {
        let grid = self.points.interior.clone().filter(|spread| spread.grid_counts().is_some());
        // Faces in one dimension are points: nobody needs to say how many.
        let grid = grid.or_else(|| (self.geometry.dim() == 1).then(|| Spread::grid([2])))?;
        let with_ends = matches!(grid.layout(), Layout::Grid { .. });
        Some((grid, with_ends))
    }
}
