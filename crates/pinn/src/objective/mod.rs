//! Problem × model × objective × weighting × sampling → one loss with its gradient.
//!
//! L(θ) = Σ_terms w · Σ_r mean r(x + Rξ)², ξ ∈ [0, 1)^d anew for each moved point, sample, coordinate and sequence element.
//! R = clip(r/σ, 0, cap) is held during an outer step and recalibrated after it ([`Calibration`]). Point optimisation is the
//! same loss with R = 0: nothing else tells the two apart. The rivals change the terms (derivatives of the equations beside
//! them, integrals in their place), the weights w or the points x; all go through the same code.
//!
//! RoPINN: Wu et al., "Region Optimized Physics-Informed Neural Networks" (NeurIPS 2024), Algorithm 1, as its published code
//! carries it out.

mod adapt;
mod calibration;
mod integrals;
mod least_squares;
mod sampling;
mod terms;

pub use adapt::ObjectiveMemory;
pub use calibration::{Calibration, CalibrationState, gradients_recorded};

use crate::case::Case;
use crate::config::{ConfigError, ObjectiveConfig, Resample};
use crate::error::Error;
use crate::problem::{Term, TermGroup};
use adapt::Adaptation;
use integrals::Integrals;
use ropinn_domain::{Purpose, Stream};
use ropinn_engine::{EngineError, Evaluation, Evaluator, Program};
use ropinn_optim::{LeastSquares, Oracle};
use sampling::{Placed, PointSet, Shifts};
use terms::CompiledTerm;

/// Region sizes of an outer step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionSize {
    /// Spread σ of the gradients of past steps.
    pub sigma: f64,
    /// r/σ.
    pub raw: f64,
    /// R = clip(r/σ, 0, cap).
    pub size: f64,
}

/// The compiled loss.
///
/// As an [`Oracle`] it draws places in the regions; [`Objective::evaluate_at_points`] does not.
pub struct Objective {
    evaluator: Evaluator,
    names: Vec<String>,
    groups: Vec<TermGroup>,
    /// Weights as configured; those in use are these times what the weighting finds.
    fixed_weights: Vec<f64>,
    weights: Vec<f64>,
    /// Of each compiled term; a term has one part or more, and names, groups and weights belong to parts.
    sets: Vec<PointSet>,
    placed: Placed,
    first_parts: Vec<usize>,
    integrals: Vec<Option<Integrals>>,
    adaptation: Option<Adaptation>,
    residuals_at_start: usize,
    config: ObjectiveConfig,
    shifts: Shifts,
    calibration: Calibration,
    evaluation: Evaluation,
    trace: StepTrace,
    seed: u64,
    step: u64,
    second: least_squares::SecondOrder,
}

/// Losses of the evaluations of one outer step.
#[derive(Default)]
struct StepTrace {
    losses: Vec<f64>,
    terms: Vec<f64>,
    /// First part that was not finite.
    fault: Option<usize>,
}

impl Objective {
    /// Compiles the terms of the case's problem for its network.
    pub fn new(case: &Case) -> Result<Self, Error> {
        Self::with_terms(case, case.problem().terms(case.config().seed)?)
    }

    /// Compiles other terms than the problem's own.
    pub fn with_terms(case: &Case, terms: Vec<Term>) -> Result<Self, Error> {
        let config = case.config();
        let terms = terms.into_iter().map(|term| CompiledTerm::new(case, term)).collect::<Result<Vec<_>, _>>()?;
        let parts = || terms.iter().flat_map(|compiled| &compiled.parts);
        let names: Vec<String> = parts().map(|part| part.name.clone()).collect();
        let mut weights: Vec<f64> = parts().map(|part| part.weight).collect();
        for (name, &weight) in &config.weights {
            let Some(index) = names.iter().position(|known| known == name) else {
                return Err(ConfigError::UnknownTerm { term: name.clone(), known: names }.into());
            };
            weights[index] = weight;
        }
        let adaptation = Adaptation::new(case, &terms)?;
        let programs = terms.iter().map(|compiled| compiled.program.clone()).collect();
        let mut evaluator = Evaluator::new(programs, config.precision, case.threads())?;
        let sets = terms.iter().map(|compiled| PointSet::new(case, &compiled.term, &config.objective));
        let sets = sets.collect::<Result<Vec<_>, _>>()?;
        let placed = Placed::new(&mut evaluator, &sets)?;
        let shifts = Shifts::new(config.objective.region.edge, case.problem().ranges());
        let parameters = evaluator.parameters();
        let recorded = gradients_recorded(&config.model, case.network()) + case.problem().trainables().len();
        let calibration = Calibration::new(&config.objective, parameters, recorded);
        let first_parts = terms.iter().scan(0, |next, compiled| {
            *next += compiled.parts.len();
            Some(*next - compiled.parts.len())
        });
        let mut objective = Self {
            groups: parts().map(|part| part.group).collect(),
            names,
            fixed_weights: weights.clone(),
            weights,
            sets,
            placed,
            first_parts: first_parts.collect(),
            integrals: terms.into_iter().map(|compiled| compiled.integrals).collect(),
            adaptation,
            residuals_at_start: 0,
            config: config.objective.clone(),
            shifts,
            calibration,
            evaluation: Evaluation { grad: vec![0.0; parameters], ..Evaluation::default() },
            trace: StepTrace::default(),
            seed: config.seed,
            step: 0,
            evaluator,
            second: least_squares::SecondOrder::default(),
        };
        objective.residuals_at_start = objective.residual_count();
        Ok(objective)
    }

    /// Names of the parts of the terms, in order.
    pub fn part_names(&self) -> &[String] {
        &self.names
    }

    /// What the parts stand for, in order.
    pub fn part_groups(&self) -> &[TermGroup] {
        &self.groups
    }

    /// Weights of the parts at present, in order.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Number of squares in the loss before any points were added: what an optimiser's plan may depend on.
    pub fn residuals_at_start(&self) -> usize {
        self.residuals_at_start
    }

    /// Length of θ.
    pub fn parameters(&self) -> usize {
        self.evaluator.parameters()
    }

    /// Derivative channels carried through the network by one evaluation, over all samples: its time grows with them.
    pub fn work(&self) -> u64 {
        let columns =
            |program: &Program, set: &PointSet| set.samples(true).points.len() / program.network().coordinates();
        let terms = self.evaluator.terms().iter().zip(&self.sets);
        terms.map(|(program, set)| (columns(program, set) * program.channels()) as u64).sum()
    }

    /// Region sizes of the current outer step.
    pub fn region(&self) -> RegionSize {
        let sigma = self.calibration.sigma();
        let raw = self.config.reach() / sigma;
        RegionSize { sigma, raw, size: raw.clamp(0.0, self.config.region.cap) }
    }

    /// The calibration of the region size.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// Starts outer step `step`: what is drawn in it depends on the seed, the step, and how often it was evaluated before.
    pub fn begin_step(&mut self, step: u64) {
        self.step = step;
        self.trace.losses.clear();
        self.trace.terms.clear();
        self.trace.fault = None;
        self.calibration.begin_step();
    }

    /// Ends the outer step: its mean gradient joins those of past steps and σ is measured anew.
    pub fn end_step(&mut self) {
        self.calibration.end_step();
    }

    /// The last evaluation.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// The parts of the latest evaluation of this step that gave `loss`.
    pub fn parts_of(&self, loss: f64) -> &[f64] {
        let found = self.trace.losses.iter().rposition(|l| l.to_bits() == loss.to_bits());
        let count = self.names.len();
        found.map_or(&self.evaluation.terms, |i| &self.trace.terms[i * count..(i + 1) * count])
    }

    /// The first part that was NaN or infinite in this step.
    pub fn fault(&self) -> Option<&str> {
        self.trace.fault.map(|term| self.names[term].as_str())
    }

    /// Points of a term as last evaluated: `[copy][sample][site][element][axis]`.
    pub fn points_of(&self, term: usize) -> &[f64] {
        let set = self.first_parts.partition_point(|&first| first <= term) - 1;
        self.sets[set].samples(self.region().size > 0.0).points
    }

    /// Loss and gradient on the points themselves, without regions and with the fixed weights, so that losses of different
    /// weightings can be compared; draws nothing and records nothing.
    pub fn evaluate_at_points(&mut self, theta: &[f64]) -> Result<Evaluation, EngineError> {
        let mut out = Evaluation::default();
        let weights = std::mem::take(&mut self.fixed_weights);
        let done = self.measure(theta, false, &weights, &mut out);
        self.fixed_weights = weights;
        done.map(|()| out)
    }

    fn move_points(&mut self, size: f64) {
        let number = match self.config.region.resample {
            Resample::PerEvaluation => self.trace.losses.len() as u32,
            Resample::PerStep if self.trace.losses.is_empty() => 0,
            Resample::PerStep => return,
        };
        let mut stream = Stream::new(self.seed, Purpose::Region).at_step(self.step).at_evaluation(number);
        self.shift_points(&mut stream, size);
    }

    fn shift_points(&mut self, stream: &mut Stream, size: f64) {
        for set in &mut self.sets {
            set.shift(stream, size, &mut self.shifts);
        }
        self.placed.follow(&mut self.evaluator, &self.sets).expect("points that moved are as many as before");
    }
}

impl Oracle for Objective {
    fn evaluate(&mut self, theta: &[f64], grad: &mut [f64]) -> f64 {
        let size = self.region().size;
        if size > 0.0 {
            self.move_points(size);
        }
        let mut evaluation = std::mem::take(&mut self.evaluation);
        let weights = std::mem::take(&mut self.weights);
        let done = self.measure(theta, size > 0.0, &weights, &mut evaluation);
        (self.evaluation, self.weights) = (evaluation, weights);
        done.expect("sets were made for these programs, and optimisers check the length of theta");
        let Evaluation { loss, terms, grad: found, .. } = &self.evaluation;
        self.calibration.record(*loss, found);
        self.trace.losses.push(*loss);
        self.trace.terms.extend_from_slice(terms);
        if !loss.is_finite() && self.trace.fault.is_none() {
            self.trace.fault = terms.iter().position(|term| !term.is_finite());
        }
        grad.copy_from_slice(found);
        *loss
    }

    /// Integrals are squares too, but their Jacobian is not at hand.
    fn least_squares(&mut self) -> Option<&mut dyn LeastSquares> {
        if self.integrals.iter().any(Option::is_some) { None } else { Some(self) }
    }
}
