//! A problem over a part of its time, or of the only coordinate of an ordinary differential equation.
//!
//! What holds in space holds in every part; what holds at the first instant holds in the first part alone, and the others
//! begin with what the part before hands over ([`Problem::taking_over`]). Measured values go to the part they lie in. Points that
//! are stated are shared out by length; where nothing is said, each part has as many as a problem of its own.

use ropinn_domain::geometry::Piece;
use ropinn_domain::{BoundaryTag, Geometry, Side};

use super::Problem;
use super::error::{NotMarching, ProblemError};
use super::exact::{Exact, Pin, Pinned, Prescribed};
use super::place::{Place, Surroundings};
use super::reference::Reference;
use super::sampling::PointPlan;
use super::spread::Spread;
use super::term::{Support, Term, TermGroup};

/// An interval of a problem's time.
struct Part {
    from: f64,
    to: f64,
    /// Whether it begins and ends with the problem.
    first: bool,
    last: bool,
    /// Its length, compared with all of the time.
    share: f64,
}

impl Part {
    fn of(problem: &Problem, from: f64, to: f64) -> Result<Self, ProblemError> {
        let name = || problem.name.clone();
        let Some((start, end)) = problem.marching_range() else {
            return Err(ProblemError::NotMarching { problem: name(), reason: Box::new(NotMarching::NoTime) });
        };
        if !(start <= from && from < to && to <= end) {
            return Err(ProblemError::NotAPart { problem: name(), from, to, start, end });
        }
        Ok(Self { from, to, first: from == start, last: to == end, share: (to - from) / (end - start) })
    }

    /// Whether something known at that time belongs to the part: where two parts meet it holds for both, and what is beyond
    /// all belongs to the outer ones.
    fn holds(&self, time: f64) -> bool {
        (self.first || time >= self.from) && (self.last || time <= self.to)
    }

    fn has(&self, side: Side) -> bool {
        if side == Side::Low { self.first } else { self.last }
    }

    fn share_of(&self, spread: &Option<Spread>) -> Option<Spread> {
        spread.as_ref().map(|spread| spread.shortened(self.share))
    }

    /// The rows of the part: points `[row][axis]`, time last, with so many values each.
    fn rows(&self, axes: usize, points: &[f64], values: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let each = values.len() / (points.len() / axes).max(1);
        let own = |k: &usize| self.holds(points[k * axes + axes - 1]);
        let rows: Vec<usize> = (0..points.len() / axes).filter(own).collect();
        let select = |list: &[f64], width: usize| -> Vec<f64> {
            rows.iter().flat_map(|k| &list[k * width..][..width]).copied().collect()
        };
        (select(points, axes), select(values, each))
    }
}

impl Problem {
    /// The problem from one instant to another. A part that does not begin with the problem takes over what the part before
    /// has left ([`Problem::taking_over`]), in a term with the name of the first initial condition.
    ///
    /// ```
    /// use ropinn::problem::Problem;
    /// let wave = Problem::builtin("wave")?;
    /// let late = wave.during(0.5, 1.0)?;
    /// assert_eq!(late.ranges()[1], (0.5, 1.0));
    /// let points = late.handover_points(0)?;
    /// let (samples, columns) = (points.len() / 2, late.handover_columns().len());
    /// assert_eq!(columns, 2); // u and u_t
    /// let late = late.taking_over(points, vec![0.0; samples * columns]);
    /// assert_eq!(late.terms(0)?[1].samples(2), samples);
    /// # Ok::<(), ropinn::problem::ProblemError>(())
    /// ```
    pub fn during(&self, from: f64, to: f64) -> Result<Problem, ProblemError> {
        let not_marching = |reason| ProblemError::NotMarching { problem: self.name.clone(), reason: Box::new(reason) };
        self.marching().map_err(not_marching)?;
        let part = Part::of(self, from, to)?;
        let (ranges, geometry) = self.times(&part)?;
        let pins: Vec<Pin> = self.pins_of(&part);
        let prescribed = self.surrounded(&ranges, &geometry).prescribe(&pins)?;
        let exact = Exact { periodic: self.exact.periodic.clone(), prescribed, pins };
        let own = self.terms.iter().filter_map(|(term, support)| self.term_of(&part, term, support));
        let handover = (!part.first).then(|| self.handover());
        let terms = handover.into_iter().chain(own).collect();
        let PointPlan { interior, boundary, initial, residual_everywhere } = &self.points;
        let points = PointPlan {
            interior: part.share_of(interior),
            boundary: if self.time_axis.is_some() { part.share_of(boundary) } else { boundary.clone() },
            initial: initial.clone(),
            residual_everywhere: *residual_everywhere,
        };
        let evaluation = part.share_of(&self.evaluation);
        let reference = self.reference.as_ref().and_then(|reference| match reference {
            Reference::Tabulated { points, values } => {
                let (points, values) = part.rows(self.ranges.len(), points, values);
                (!points.is_empty()).then_some(Reference::Tabulated { points, values })
            }
            // At other instants it would have to be solved for anew.
            Reference::Solved(_) => None,
            known => Some(known.clone()),
        });
        Ok(Problem { ranges, geometry, terms, exact, points, evaluation, reference, ..self.clone() })
    }

    /// The values the solution has by construction in a part of time: those in space, and those at the problem's ends if
    /// they are the part's.
    pub(crate) fn prescribed_during(&self, from: f64, to: f64) -> Result<Option<Prescribed>, ProblemError> {
        let part = Part::of(self, from, to)?;
        let (ranges, geometry) = self.times(&part)?;
        self.surrounded(&ranges, &geometry).prescribe(&self.pins_of(&part))
    }

    /// Whether a term or an equation has that name.
    pub(crate) fn has_term(&self, name: &str) -> bool {
        self.terms.iter().any(|(term, _)| term.name == name) || self.equations().any(|(own, _)| own == name)
    }

    /// Whether a value is built in at the first instant.
    pub(super) fn is_initial(&self, pin: &Pin) -> bool {
        matches!(pin.place, Pinned::End(axis, Side::Low) if self.marching_axis() == Some(axis))
    }

    fn times(&self, part: &Part) -> Result<(Vec<(f64, f64)>, Geometry), ProblemError> {
        let mut ranges = self.ranges.clone();
        ranges.last_mut().into_iter().for_each(|time| *time = (part.from, part.to));
        let geometry = match self.time_axis {
            Some(_) => self.geometry.clone().during(part.from, part.to)?,
            None => Geometry::cuboid(&[part.from], &[part.to])?,
        };
        Ok((ranges, geometry))
    }

    fn surrounded<'a>(&'a self, ranges: &'a [(f64, f64)], geometry: &'a Geometry) -> Surroundings<'a> {
        let (scope, time_axis, source) = (&self.scope, self.time_axis, &self.source);
        Surroundings {
            scope,
            ranges,
            time_axis,
            geometry,
            source,
            orders: Vec::new(),
            trainables: &self.trainables,
            fields: self.fields.len(),
        }
    }

    fn pins_of(&self, part: &Part) -> Vec<Pin> {
        let holds = |pin: &&Pin| match pin.place {
            Pinned::End(axis, side) if self.marching_axis() == Some(axis) => part.has(side),
            _ => true,
        };
        self.exact.pins.iter().filter(holds).cloned().collect()
    }

    /// Which ends of time a place is at, or of the only coordinate.
    pub(super) fn ends_at(&self, place: &Place) -> Vec<Side> {
        match place {
            Place::Instant(side) => vec![*side],
            Place::Parts(parts) if self.time_axis.is_none() => {
                let faces = self.geometry.boundary_pieces().into_iter().map(|piece| piece.tag);
                let side = |tag: BoundaryTag| match tag.piece {
                    Piece::Face(face) if parts.iter().any(|part| part.includes(tag)) => Some(face.side),
                    _ => None,
                };
                faces.filter_map(side).collect()
            }
            Place::Parts(_) => Vec::new(),
        }
    }

    /// A term in a part; none if it has no place there.
    fn term_of(&self, part: &Part, term: &Term, support: &Support) -> Option<(Term, Support)> {
        let mut own = term.clone();
        let support = match support {
            Support::Equations => Support::Equations,
            Support::Places { places, spread } => {
                let holds = |place: &&Place| self.ends_at(place).iter().all(|side| part.has(*side));
                let places: Vec<Place> = places.iter().filter(holds).cloned().collect();
                let at_instants = term.group == TermGroup::Initial || self.time_axis.is_none();
                let spread = if at_instants { spread.clone() } else { part.share_of(spread) };
                (!places.is_empty()).then_some(Support::Places { places, spread })?
            }
            Support::Pairs { axis, high, low, spread } => {
                let (high, low, spread) = (high.clone(), low.clone(), part.share_of(spread));
                Support::Pairs { axis: *axis, high, low, spread }
            }
            Support::Given => {
                (own.points, own.data) = part.rows(self.ranges.len(), &term.points, &term.data);
                (!own.points.is_empty()).then_some(Support::Given)?
            }
            Support::Made { values, noise, seed, spread, written_at } => {
                let (values, spread) = (values.clone(), part.share_of(spread));
                Support::Made { values, noise: *noise, seed: *seed, spread, written_at: *written_at }
            }
        };
        Some((own, support))
    }
}
