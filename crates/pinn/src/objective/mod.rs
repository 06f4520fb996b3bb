//! Problem × model × region sampling → one loss with its gradient.
//!
//! L(θ) = Σ_terms w · Σ_r mean r(x + Rξ)², ξ ~ U[0, 1)^d anew for each moved point, sample, coordinate and sequence element.
//! R = clip(r/σ, 0, cap) is held during an outer step and recalibrated after it ([`Calibration`]). Point optimisation is the
//! same loss with R = 0: nothing else tells the two apart.
//!
//! RoPINN: Wu et al., "Region Optimized Physics-Informed Neural Networks" (NeurIPS 2024), Algorithm 1, as its published code
//! carries it out.

mod calibration;
mod least_squares;
mod sampling;

pub use calibration::{Calibration, CalibrationState, gradients_recorded};

use crate::case::Case;
use crate::config::{ConfigError, ObjectiveConfig, Resample};
use crate::error::Error;
use crate::problem::{ProblemTerm, TermGroup};
use ropinn_domain::{Purpose, Stream};
use ropinn_engine::{Batch, EngineError, Evaluation, Evaluator, Program, TermSpec, Threads};
use ropinn_optim::{LeastSquares, Oracle};
use sampling::{PointSet, Shifts};

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
    weights: Vec<f64>,
    sets: Vec<PointSet>,
    config: ObjectiveConfig,
    shifts: Shifts,
    calibration: Calibration,
    evaluation: Evaluation,
    trace: StepTrace,
    seed: u64,
    step: u64,
    /// Kept for its memory: empty between evaluations.
    batches: Vec<Batch<'static>>,
    threads: Threads,
    second: least_squares::SecondOrder,
}

/// Losses of the evaluations of one outer step.
#[derive(Default)]
struct StepTrace {
    losses: Vec<f64>,
    terms: Vec<f64>,
    /// First term that was not finite.
    fault: Option<usize>,
}

impl Objective {
    /// Compiles the terms of the case's problem for its network.
    pub fn new(case: &Case) -> Result<Self, Error> {
        Self::with_terms(case, case.problem().terms(case.config().seed)?)
    }

    /// Compiles other terms than the problem's own.
    pub fn with_terms(case: &Case, terms: Vec<ProblemTerm>) -> Result<Self, Error> {
        let config = case.config();
        let mut weights: Vec<f64> = terms.iter().map(|term| term.weight).collect();
        for (name, &weight) in &config.weights {
            let Some(index) = terms.iter().position(|term| term.name == *name) else {
                let known = terms.into_iter().map(|term| term.name).collect();
                return Err(ConfigError::UnknownTerm { term: name.clone(), known }.into());
            };
            weights[index] = weight;
        }
        let programs = terms.iter().map(|term| compile(case, term)).collect::<Result<Vec<_>, _>>()?;
        let evaluator = Evaluator::new(programs, config.precision, case.threads())?;
        let sets: Vec<PointSet> = terms.iter().map(|term| PointSet::new(case, term, &config.objective)).collect();
        let shifts = Shifts::new(config.objective.region.edge, case.problem().ranges());
        let parameters = evaluator.parameters();
        let recorded = gradients_recorded(&config.model, case.network()) + case.problem().trainables().len();
        let calibration = Calibration::new(&config.objective, parameters, recorded);
        Ok(Self {
            names: terms.iter().map(|term| term.name.clone()).collect(),
            groups: terms.iter().map(|term| term.group).collect(),
            weights,
            sets,
            config: config.objective.clone(),
            shifts,
            calibration,
            evaluation: Evaluation { grad: vec![0.0; parameters], ..Evaluation::default() },
            trace: StepTrace::default(),
            seed: config.seed,
            step: 0,
            batches: Vec::with_capacity(evaluator.terms().len()),
            evaluator,
            threads: case.threads().clone(),
            second: least_squares::SecondOrder::default(),
        })
    }

    /// Names of the terms, in order.
    pub fn term_names(&self) -> &[String] {
        &self.names
    }

    /// What the terms stand for, in order.
    pub fn term_groups(&self) -> &[TermGroup] {
        &self.groups
    }

    /// Weights of the terms, in order.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Length of θ.
    pub fn parameters(&self) -> usize {
        self.evaluator.parameters()
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

    /// Puts back the memory of past steps.
    pub fn restore_calibration(&mut self, state: CalibrationState) -> Result<(), Error> {
        self.calibration.restore(state)
    }

    /// The last evaluation.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// The terms of the latest evaluation of this step that gave `loss`.
    pub fn terms_of(&self, loss: f64) -> &[f64] {
        let found = self.trace.losses.iter().rposition(|l| l.to_bits() == loss.to_bits());
        let count = self.names.len();
        found.map_or(&self.evaluation.terms, |i| &self.trace.terms[i * count..(i + 1) * count])
    }

    /// The first term that was NaN or infinite in this step.
    pub fn fault(&self) -> Option<&str> {
        self.trace.fault.map(|term| self.names[term].as_str())
    }

    /// Points of a term as last evaluated: `[copy][sample][site][element][axis]`.
    pub fn points_of(&self, term: usize) -> &[f64] {
        self.sets[term].batch(self.region().size > 0.0).points
    }

    /// Loss and gradient on the points themselves, whatever the objective; draws nothing and records nothing.
    pub fn evaluate_at_points(&mut self, theta: &[f64]) -> Result<Evaluation, EngineError> {
        let mut out = Evaluation::default();
        let batches: Vec<Batch<'_>> = self.sets.iter().map(|set| set.batch(false)).collect();
        self.evaluator.evaluate(theta, &batches, &self.weights, &mut out)?;
        Ok(out)
    }

    fn move_points(&mut self, size: f64) {
        let number = match self.config.region.resample {
            Resample::PerEvaluation => self.trace.losses.len() as u32,
            Resample::PerStep if self.trace.losses.is_empty() => 0,
            Resample::PerStep => return,
        };
        let mut stream = Stream::new(self.seed, Purpose::Region).at_step(self.step).at_evaluation(number);
        for set in &mut self.sets {
            set.shift(&mut stream, size, &mut self.shifts);
        }
    }
}

impl Oracle for Objective {
    fn evaluate(&mut self, theta: &[f64], grad: &mut [f64]) -> f64 {
        let size = self.region().size;
        if size > 0.0 {
            self.move_points(size);
        }
        let mut batches = recycle(std::mem::take(&mut self.batches));
        batches.extend(self.sets.iter().map(|set| set.batch(size > 0.0)));
        let done = self.evaluator.evaluate(theta, &batches, &self.weights, &mut self.evaluation);
        done.expect("batches were made for these programs, and optimisers check the length of theta");
        self.batches = recycle(batches);
        let Evaluation { loss, terms, grad: found } = &self.evaluation;
        self.calibration.record(*loss, found);
        self.trace.losses.push(*loss);
        self.trace.terms.extend_from_slice(terms);
        if !loss.is_finite() && self.trace.fault.is_none() {
            self.trace.fault = terms.iter().position(|term| !term.is_finite());
        }
        grad.copy_from_slice(found);
        *loss
    }

    fn least_squares(&mut self) -> Option<&mut dyn LeastSquares> {
        Some(self)
    }
}

/// An empty list in the memory of another.
fn recycle<'b>(mut batches: Vec<Batch<'_>>) -> Vec<Batch<'b>> {
    batches.clear();
    batches.into_iter().map(|_| Batch::default()).collect()
}

fn compile(case: &Case, term: &ProblemTerm) -> Result<Program, EngineError> {
    let spec = TermSpec::new(term.name.clone(), term.residuals.clone());
    let spec = if term.first_element_only { spec.on_first_element() } else { spec };
    Program::compile(case.network(), &spec, case.problem().trainables().len())
}
