//! Which features: small spaces of several kinds and scales first, then the best kind, larger and larger.

use super::newton::newton;
use super::points::{Counts, even, following, random};
use super::system::System;
use super::{Effort, Tried, distance, hidden, is_open, with_features};
use crate::case::Case;
use crate::error::Error;
use crate::look::{Look, fresh_terms};
use crate::model::Features;
use crate::problem::{Term, TermGroup, waves};
use ropinn_engine::Activation;
use std::sync::atomic::{AtomicBool, Ordering};

/// Coefficients of the spaces that are tried first, and of those that have functions of a hidden layer among them.
const SMALL: usize = 400;
const SMALL_HIDDEN: usize = 800;
/// Of those, this part are functions of the coordinates.
const OF_COORDINATES: usize = 4;
/// Scales that are tried along all coordinates at once, and the factor along one of them.
const SCALES: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
const ALONG_ONE: f64 = 2.0;
/// Where something is given with so many waves, scales are in units of the frequency that needs.
const MANY_WAVES: f64 = 3.0;
/// Lengths of the directions in the hidden layer.
const LENGTHS: [f64; 3] = [0.5, 1.0, 2.0];
/// A larger space has so many times as many coefficients, and may be so much sharper.
const LARGER: f64 = 1.6;
const SHARPER: f64 = 1.3;
/// It must lower the relative mean square by this factor, or the one before was large enough.
const WORTH: f64 = 2.0;
/// Nothing below this is more than rounding; what corrects a network is costly, and is left at errors of some 1e-10.
const ROUNDING: f64 = 1e-24;
const ENOUGH: f64 = 1e-21;
/// Smallest relative singular value that counts for the parts of an error.
const CUTOFF: f64 = 1e-11;
/// Solutions whose residuals are further apart than this (mean squares) say nothing of one another.
const COMPARABLE: f64 = 10.0;
/// Passes over all coordinates.
const PASSES: usize = 2;

/// A space with its solution.
#[derive(Clone)]
pub(super) struct Candidate {
    pub case: Case,
    pub theta: Vec<f64>,
    pub relative: f64,
    pub features: Features,
    length: f64,
}

/// The best solution that was found, and those that were the best before it.
#[derive(Default)]
pub(super) struct Found {
    pub best: Option<Candidate>,
    pub earlier: Vec<Candidate>,
    /// What the solution would be off by according to the candidate that moves furthest, and that candidate.
    pub furthest: Option<(f64, Candidate)>,
}

impl Found {
    fn relative(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |best| best.relative)
    }

    fn settings(&self) -> Option<(Features, f64)> {
        self.best.as_ref().map(|best| (best.features.clone(), best.length))
    }
}

struct Search<'a> {
    case: &'a Case,
    theta: &'a [f64],
    watch: &'a mut (dyn FnMut(&Tried) + Send),
    stop: &'a AtomicBool,
    /// Relative mean square of the solution.
    relative: f64,
    /// Whether there is a network to correct.
    corrects: bool,
    /// Relative mean square below which nothing more is tried.
    enough: f64,
    /// Where all of them are looked at.
    fresh: Vec<Term>,
    /// Where spaces of one size are solved for and judged: those of the last size.
    drawn: Option<Drawn>,
    found: Found,
}

/// Points for so many columns.
struct Drawn {
    counts: Counts,
    train: Vec<Term>,
    judge: Vec<Term>,
}

/// The best that is found, if anything is, for a solution whose relative mean square is `relative`.
pub(super) fn search(
    (case, theta, relative): (&Case, &[f64], f64),
    effort: &Effort,
    watch: &mut (dyn FnMut(&Tried) + Send),
    stop: &AtomicBool,
) -> Result<Found, Error> {
    let open = is_open(case).cloned();
    let corrects = open.is_none();
    let least = if corrects { ENOUGH } else { ROUNDING };
    let enough = least.max(effort.enough * relative);
    let (fresh, found) = (fresh_terms(case)?, Found::default());
    let mut search = Search { case, theta, relative, watch, stop, corrects, enough, fresh, drawn: None, found };
    let unknowns = case.problem().unknown_names().len();
    let of_unknown = |coefficients: usize, most: usize| (coefficients / unknowns).clamp(1, most);
    let open = open.unwrap_or_default();
    if !corrects && !open.scales.is_empty() {
        // All is said.
        search.better(open, 1.0, effort.steps)?;
        return Ok(search.found);
    }
    let most = if corrects { (effort.coefficients / unknowns).max(1) } else { open.count };
    search.kinds_and_scales(&Features { count: of_unknown(SMALL, most), ..open })?;
    if corrects && search.has_hidden()? {
        let small = of_unknown(SMALL_HIDDEN, most);
        let count = (small / OF_COORDINATES).max(1);
        let (like, _) = search.found.settings().unwrap_or_default();
        for length in LENGTHS {
            let hidden = small - count.min(small - 1);
            let scales = if like.scales.is_empty() { vec![2.0] } else { like.scales.clone() };
            search.better(Features { count, hidden, scales, ..like.clone() }, length, 1)?;
        }
    }
    search.along_each()?;
    if corrects && let Some((features, length)) = search.found.settings() {
        // What was tried in one step may have more to give.
        search.better(features, length, effort.steps)?;
    }
    if search.found.relative() <= effort.unless * relative || relative.is_nan() {
        search.grow(most, effort.steps)?;
    }
    Ok(search.found)
}

impl Search<'_> {
    fn has_hidden(&self) -> Result<bool, Error> {
        let axes = self.case.network().coordinates();
        let middle: Vec<f64> = self.case.problem().ranges().iter().map(|(low, high)| 0.5 * (low + high)).collect();
        Ok(axes == middle.len() && self.case.hidden_units(self.theta, &middle)?.is_some())
    }

    /// Functions of the coordinates, smooth ones first.
    fn kinds_and_scales(&mut self, like: &Features) -> Result<(), Error> {
        let problem = self.case.problem();
        let given = waves(problem, &problem.terms(self.case.config().seed)?);
        let is_fine = given.iter().any(|waves| *waves >= MANY_WAVES);
        // A periodic coordinate is two inputs.
        let inputs = given.iter().zip(problem.periodic()).flat_map(|(waves, &twice)| {
            let own = (std::f64::consts::PI * waves / SCALES[2]).max(1.0);
            std::iter::repeat_n(if twice { own.sqrt() } else { own }, if twice { 2 } else { 1 })
        });
        let units: Vec<f64> = if is_fine { inputs.collect() } else { vec![1.0] };
        for activation in [Activation::Sin, Activation::Tanh, Activation::Gaussian] {
            let mut worse = 0;
            for scale in SCALES {
                let scales = units.iter().map(|unit| scale * unit).collect();
                let better = self.better(Features { activation, scales, ..like.clone() }, 1.0, 1)?;
                // What is far too sharp will not do if sharper still.
                worse = if better { 0 } else { worse + 1 };
                if worse == 3 {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Tries a space; whether it is the best so far.
    fn better(&mut self, features: Features, length: f64, steps: u64) -> Result<bool, Error> {
        if self.stop.load(Ordering::Relaxed) || self.found.relative() <= self.enough {
            return Ok(false);
        }
        let candidate = self.attempt(features, length, steps)?;
        (self.watch)(&Tried { features: candidate.features.clone(), relative: candidate.relative });
        let better = candidate.relative < self.found.relative();
        let seen = if self.corrects { self.seen_by(&candidate)? } else { 0.0 };
        if seen > self.found.furthest.as_ref().map_or(0.0, |(most, _)| *most) {
            self.found.furthest = Some((seen, candidate.clone()));
        }
        if better {
            self.found.earlier.extend(self.found.best.replace(candidate));
        }
        Ok(better)
    }

    /// Draws points for so many columns, unless it has them.
    fn draw(&mut self, columns: usize) -> Result<Drawn, Error> {
        let (problem, seed) = (self.case.problem(), self.case.config().seed);
        let counts = Counts::for_columns(problem, columns, self.corrects);
        if let Some(drawn) = self.drawn.take().filter(|drawn| drawn.counts == counts) {
            return Ok(drawn);
        }
        let train = match self.corrects {
            true => following(self.case, self.theta, counts, seed)?,
            false => even(problem, counts, seed)?,
        };
        Ok(Drawn { counts, train, judge: random(problem, counts, seed ^ 0x5DEE_CE66_D1CE)? })
    }

    /// What the solution is off by, according to a candidate: ‖v − u‖/√(1 + ρ), each being off in proportion to its residual.
    /// One whose residual is far larger knows nothing.
    fn seen_by(&self, candidate: &Candidate) -> Result<f64, Error> {
        let ratio = candidate.relative / self.relative;
        if ratio.is_nan() || ratio > COMPARABLE {
            return Ok(0.0);
        }
        Ok(distance((self.case, self.theta), (&candidate.case, &candidate.theta))? / (1.0 + ratio).sqrt())
    }

    fn attempt(&mut self, features: Features, length: f64, steps: u64) -> Result<Candidate, Error> {
        let base = self.corrects.then(|| Box::new(self.case.config().model.clone()));
        let case = with_features(self.case, Features { base, ..features.clone() })?;
        let drawn = self.draw(case.parameters() - case.network().frozen())?;
        let (train, judge) = (&drawn.train, &drawn.judge);
        let mut theta = case.initial_theta();
        if self.corrects {
            // What is corrected comes first among the parameters; trained scalars, of which there are none, would come last.
            theta[..self.theta.len()].copy_from_slice(self.theta);
            if let Some(inside) = train.iter().find(|term| term.group == TermGroup::Residual) {
                hidden::draw((self.case, self.theta), &case, &inside.points, length, &mut theta)?;
            }
        }
        let mut system = System::new(&case, &theta, train, judge)?;
        let relative = match newton(&mut system, &mut theta, steps, !self.corrects)? {
            true => Look::over(&case, &theta, &self.fresh, &[], 0, None)?.relative(),
            // Nothing is learnt from where it stands already.
            false => f64::INFINITY,
        };
        self.drawn = Some(drawn);
        Ok(Candidate { case, theta, relative, features, length })
    }

    /// Sharper and smoother along one coordinate after the other.
    fn along_each(&mut self) -> Result<(), Error> {
        for _ in 0..PASSES {
            let Some(inputs) = self.found.best.as_ref().map(inputs) else { return Ok(()) };
            let mut any = false;
            for axis in 0..if inputs > 1 { inputs } else { 0 } {
                for factor in [ALONG_ONE, 1.0 / ALONG_ONE] {
                    // As far as it helps.
                    while let Some((features, length)) = self.found.settings() {
                        let mut scales = spread_out(&features.scales, inputs);
                        scales[axis] *= factor;
                        if !self.better(Features { scales, ..features }, length, 1)? {
                            break;
                        }
                        any = true;
                    }
                }
            }
            if !any {
                break;
            }
        }
        Ok(())
    }

    /// More and more of the best kind.
    fn grow(&mut self, most: usize, steps: u64) -> Result<(), Error> {
        let mut sharper = [1.0, SHARPER].to_vec();
        while let Some((features, length)) = self.found.settings() {
            let relative = self.found.relative();
            let factor = (most as f64 / (features.count + features.hidden) as f64).min(LARGER);
            if factor < 1.1 {
                break;
            }
            let larger = |count: usize| (count as f64 * factor) as usize;
            let mut best = sharper[0];
            for &sharper in &sharper {
                let scales = features.scales.iter().map(|scale| sharper * scale).collect();
                let (count, hidden) = (larger(features.count), larger(features.hidden));
                if self.better(Features { count, hidden, scales, ..features.clone() }, length, steps)? {
                    best = sharper;
                }
            }
            if self.found.relative() * WORTH > relative {
                break;
            }
            // Large spaces are costly: what was better once is not asked again where a network knows the scales.
            if self.corrects {
                sharper = vec![best];
            }
        }
        Ok(())
    }
}

/// The solution with what the equations account for of a step in the space of a candidate, and with what the conditions do.
pub(super) fn parts(best: &Candidate, case: &Case, theta: &[f64]) -> Result<[Vec<f64>; 2], Error> {
    let corrects = is_open(case).is_none();
    let counts = Counts::for_columns(case.problem(), best.theta.len() - best.case.network().frozen(), corrects);
    let train = match corrects {
        true => following(case, theta, counts, case.config().seed)?,
        false => even(case.problem(), counts, case.config().seed)?,
    };
    // The same functions, none of them in use yet.
    let frozen = best.case.network().frozen();
    let mut start = best.theta.clone();
    start[frozen..].fill(0.0);
    let mut system = System::new(&best.case, &start, &train, &train)?;
    Ok(system.parts(&start, CUTOFF)?.map(|delta| system.moved(&start, &delta, 1.0)))
}

/// Inputs of the features of the coordinates.
fn inputs(best: &Candidate) -> usize {
    let layout = best.case.network().layout();
    let own = |name: &str| name == "features.coordinates.weight" || name.ends_with(".first.weight");
    layout.tensors().iter().find(|tensor| own(&tensor.name)).map_or(1, |tensor| tensor.shape[1])
}

/// One scale for each input.
fn spread_out(scales: &[f64], inputs: usize) -> Vec<f64> {
    (0..inputs).map(|axis| scales.get(axis).or(scales.first()).copied().unwrap_or(1.0)).collect()
}
