//! The points of all terms, as they are and in their regions, and those of the equations renewed where the residual is large.

use super::point_set::PointSet;
use crate::adaptive::{AdaptiveError, magnitudes};
use crate::case::Case;
use crate::config::{Resample, SamplingKind};
use crate::error::Error;
use crate::problem::{Term, TermGroup};
use ropinn_domain::{Layout, Points, Purpose, Stream};
use ropinn_engine::{EngineError, Evaluator, Samples, SetId};

/// One set of points per term, handed to the evaluator at rest and, where they move, in their regions.
pub(super) struct PointSets {
    sets: Vec<PointSet>,
    at_rest: Vec<SetId>,
    moved: Vec<SetId>,
    seed: u64,
    resample: Resample,
    /// Memory for the draws that linked points share.
    draws: Vec<f64>,
    adaptive: Option<Adaptive>,
}

/// Points of the equations that follow the residual.
struct Adaptive {
    case: Case,
    term: usize,
    /// How many there are.
    equations: usize,
    points: Points,
}

impl PointSets {
    /// Hands over the points of all terms.
    pub fn new(case: &Case, terms: &[Term], evaluator: &mut Evaluator) -> Result<Self, Error> {
        let config = case.config();
        let sets = terms.iter().map(|term| PointSet::new(case, term, &config.objective));
        let sets = sets.collect::<Result<Vec<_>, _>>()?;
        let at_rest = evaluator.add_all(&sets.iter().map(|set| set.samples(false)).collect::<Vec<_>>())?;
        let moved = sets.iter().enumerate().map(|(term, set)| match set.moves() {
            true => evaluator.add(term, set.samples(true)),
            false => Ok(at_rest[term]),
        });
        let moved = moved.collect::<Result<_, _>>()?;
        let equations = terms.iter().position(|term| term.group == TermGroup::Residual);
        let adaptive = equations.filter(|_| config.sampling.kind != SamplingKind::Fixed).map(|term| {
            let points = Points::from_coords(case.network().coordinates(), terms[term].points.clone());
            let equations = terms[term].labels.len();
            Adaptive { case: case.clone(), term, equations, points: points.expect("problems give whole points") }
        });
        let resample = config.objective.region.resample;
        Ok(Self { sets, at_rest, moved, seed: config.seed, resample, draws: Vec::new(), adaptive })
    }

    /// One set per term: in regions of this size, or at rest if it is 0.
    pub fn sets(&self, region: f64) -> &[SetId] {
        if region > 0.0 { &self.moved } else { &self.at_rest }
    }

    /// The points and data of a term, moved if they are to be and can be.
    pub fn samples(&self, term: usize, moved: bool) -> Samples<'_> {
        self.sets[term].samples(moved)
    }

    /// Moves every point within its region for evaluation `number` of an outer step, if that has places of its own. What is
    /// drawn depends on the seed, the step and the number alone.
    pub fn shift(&mut self, evaluator: &mut Evaluator, region: f64, step: u64, number: usize) {
        if region <= 0.0 || (number > 0 && self.resample == Resample::PerStep) {
            return;
        }
        let mut stream = Stream::new(self.seed, Purpose::Region).at_step(step).at_evaluation(number as u32);
        for (set, &id) in self.sets.iter_mut().zip(&self.moved).filter(|(set, _)| set.moves()) {
            set.shift(&mut stream, region, &mut self.draws);
            evaluator.move_points(id, set.samples(true).points).expect("points that moved are as many as before");
        }
    }

    /// Coordinates to save with a run, `[point][axis]`; none if they never change.
    pub fn memory(&self) -> &[f64] {
        self.adaptive.as_ref().map_or(&[], |adaptive| adaptive.points.coords())
    }

    /// Continues from saved coordinates.
    pub fn restore(&mut self, evaluator: &mut Evaluator, coords: Vec<f64>) -> Result<(), Error> {
        let (expected, found) = (self.memory().len(), coords.len());
        let points = match &self.adaptive {
            _ if coords.is_empty() != (expected == 0) => None,
            Some(adaptive) => Points::from_coords(adaptive.points.dim(), coords).ok(),
            None => return Ok(()),
        };
        let what = "the number of adapted coordinates";
        Ok(self.place(evaluator, points.ok_or(Error::ForeignState { what, expected, found })?)?)
    }

    /// Takes other points for the equations.
    fn place(&mut self, evaluator: &mut Evaluator, points: Points) -> Result<(), EngineError> {
        let Some(Adaptive { case, term, points: own, .. }) = &mut self.adaptive else { return Ok(()) };
        let set = &mut self.sets[*term];
        set.place(case.network_points(points.coords()).into_owned());
        evaluator.replace(self.at_rest[*term], set.samples(false))?;
        evaluator.replace(self.moved[*term], set.samples(true))?;
        *own = points;
        Ok(())
    }

    /// Renews the points of the equations if outer step `step`, about to begin at `theta`, is due for it; they first follow
    /// the residual after one period.
    pub fn adapt(&mut self, evaluator: &mut Evaluator, step: u64, theta: &[f64]) -> Result<(), Error> {
        let renewed = match &self.adaptive {
            Some(adaptive) => adaptive.renewed(evaluator, self.seed, step, theta)?,
            None => None,
        };
        Ok(renewed.map_or(Ok(()), |points| self.place(evaluator, points))?)
    }
}

impl Adaptive {
    /// Other points, if they are due. What is drawn depends on the seed and the step alone.
    fn renewed(&self, evaluator: &mut Evaluator, seed: u64, step: u64, theta: &[f64]) -> Result<Option<Points>, Error> {
        let (current, sampling) = (&self.points, &self.case.config().sampling);
        let (period, pool) = match sampling.kind {
            SamplingKind::Fixed => return Ok(None),
            SamplingKind::RarD => (sampling.rar_d.period, sampling.rar_d.pool),
            SamplingKind::Rad => (sampling.rad.period, sampling.rad.pool.max(current.len())),
            SamplingKind::R3 => (sampling.r3.period, current.len()),
        };
        if step == 0 || !step.is_multiple_of(period as u64) {
            return Ok(None);
        }
        let mut stream = Stream::new(seed, Purpose::Adaptive).at_step(step);
        // Uniform candidates inside the domain, whatever its shape, from a seed of this step's own.
        let geometry = self.case.problem().geometry();
        let candidates = geometry.sample_interior_for(Purpose::Adaptive, pool, &Layout::Uniform, stream.bits());
        let candidates = candidates.map_err(AdaptiveError::from)?;
        let measured = if sampling.kind == SamplingKind::R3 { current } else { &candidates };
        let sizes = self.residual_sizes(evaluator, theta, measured)?;
        let mut renewed = match sampling.kind {
            SamplingKind::RarD => sampling.rar_d.refine(current, &candidates, &sizes, &mut stream)?,
            SamplingKind::Rad => sampling.rad.resample(current, &candidates, &sizes, &mut stream)?,
            SamplingKind::R3 | SamplingKind::Fixed => sampling.r3.renew(current, &sizes, &candidates)?,
        };
        self.keep_ends(&mut renewed);
        Ok(Some(renewed))
    }

    /// Points at the very ends of a single coordinate stay: candidates never lie there, and without them a solution leaves its
    /// first value in no time at all.
    fn keep_ends(&self, renewed: &mut Points) {
        let [(low, high)] = self.case.problem().ranges()[..] else { return };
        for (place, end) in [low, high].into_iter().enumerate() {
            let had = self.points.coords().contains(&end) && !renewed.coords().contains(&end);
            if let Some(first) = renewed.coords_mut().get_mut(place).filter(|_| had) {
                *first = end;
            }
        }
    }

    /// Σ |r| of the equations at each point: their own values, not those of derivatives that are parts of the term.
    fn residual_sizes(
        &self,
        evaluator: &mut Evaluator,
        theta: &[f64],
        points: &Points,
    ) -> Result<Vec<f64>, EngineError> {
        let mut values = Vec::new();
        let set = evaluator.add(self.term, Samples::points(&self.case.network_points(points.coords())))?;
        evaluator.residuals(theta, set, &mut values)?;
        evaluator.remove(set)?;
        let program = &evaluator.terms()[self.term];
        let own = (0..program.outputs()).take_while(|&output| program.part_of(output) < self.equations).count();
        Ok(magnitudes(&values, program.outputs(), own))
    }
}
