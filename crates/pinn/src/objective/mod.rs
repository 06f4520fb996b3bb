//! Problem × model × objective × weighting × sampling → one loss with its gradient.
//!
//! L(θ) = Σ_parts w · Σ_r mean r(x + Rξ)², ξ ∈ [0, 1)^d anew for each moved point, sample, coordinate and sequence element.
//! R = clip(r/σ, 0, cap) is held during an outer step and recalibrated after it ([`Calibration`]). Point optimisation is the
//! same loss with R = 0: nothing else tells the two apart. The rivals change the terms (derivatives of the equations beside
//! them, integrals in their place), the weights w or the points x; all go through the same code.
//!
//! RoPINN: Wu et al., "Region Optimized Physics-Informed Neural Networks" (NeurIPS 2024), Algorithm 1, as its published code
//! carries it out.

mod calibration;
mod faults;
mod fence;
mod integrals;
mod least_squares;
mod parts;
mod point_set;
mod points;
mod terms;
mod trace;
mod weights;

pub use calibration::{Calibration, CalibrationState, RegionSize, gradients_recorded};
pub use faults::Fault;
pub(crate) use parts::Parts;

use crate::case::Case;
use crate::error::Error;
use crate::problem::{Term, TermGroup};
use points::PointSets;
use ropinn_engine::{EngineError, Evaluation};
use ropinn_optim::{LeastSquares, Oracle};
use terms::Terms;
use trace::Trace;
use weights::Weights;

const FITS: &str = "sets were made for these programs, and optimisers check the length of theta";

/// The compiled loss.
///
/// As an [`Oracle`] it draws places in the regions; [`Objective::evaluate_at_points`] does not.
pub struct Objective {
    terms: Terms,
    points: PointSets,
    weights: Weights,
    calibration: Calibration,
    trace: Trace,
    /// Where the next loss and gradient are put.
    latest: Evaluation,
    residuals_at_start: usize,
}

/// What an objective remembers between outer steps, as plain numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectiveMemory {
    /// Of the region calibration.
    pub calibration: CalibrationState,
    /// The factor λ of each part; empty if weights are fixed.
    pub factors: Vec<f64>,
    /// Coordinates of the equations' points, `[point][axis]`; empty if they are fixed.
    pub points: Vec<f64>,
}

/// The unweighted loss at fixed points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unweighted {
    /// The sum of the terms.
    pub loss: f64,
    /// Mean square of each term of the problem.
    pub terms: Vec<(String, f64)>,
    /// Mean square of each equation, if there are several.
    pub equations: Vec<(String, f64)>,
    /// The gradient of the loss.
    pub grad: Vec<f64>,
}

impl Objective {
    /// Compiles the terms of the case's problem for its network.
    pub fn new(case: &Case) -> Result<Self, Error> {
        Self::with_terms(case, case.problem().terms(case.config().seed)?)
    }

    /// Compiles other terms than the problem's own.
    pub fn with_terms(case: &Case, mut problem_terms: Vec<Term>) -> Result<Self, Error> {
        let config = case.config();
        let mut terms = Terms::new(case, &mut problem_terms)?;
        let weights = Weights::new(case, &problem_terms, &terms.parts)?;
        let points = PointSets::new(case, &problem_terms, &mut terms.evaluator)?;
        let recorded = gradients_recorded(&config.model, case.network()) + case.problem().trainables().len();
        let calibration = Calibration::new(&config.objective, case.parameters(), recorded);
        let (trace, latest) = (Trace::default(), Evaluation::default());
        let mut objective = Self { terms, points, weights, calibration, trace, latest, residuals_at_start: 0 };
        objective.residuals_at_start = objective.residual_count();
        Ok(objective)
    }

    /// Names of the parts of the terms, in order.
    pub fn part_names(&self) -> &[String] {
        &self.terms.parts.names
    }

    /// What the parts stand for, in order.
    pub fn part_groups(&self) -> &[TermGroup] {
        &self.terms.parts.groups
    }

    /// Names of the terms as they are shown: each is the sum of one or more parts.
    pub fn term_names(&self) -> Vec<String> {
        self.terms.parts.term_names()
    }

    /// Names of the equations, if there are several and each is a part.
    pub fn equation_names(&self) -> Vec<String> {
        self.terms.parts.equation_names()
    }

    /// Weights of the parts at present, in order.
    pub fn weights(&self) -> &[f64] {
        &self.weights.in_use
    }

    /// Number of squares in the loss before any points were added: what an optimiser's plan may depend on.
    pub fn residuals_at_start(&self) -> usize {
        self.residuals_at_start
    }

    /// Points of all terms of a group, times elements; linked points count as one.
    pub(crate) fn points_of_group(&self, group: TermGroup) -> usize {
        let programs = self.terms.evaluator.terms().iter().enumerate();
        let own = programs.filter(|(term, _)| self.terms.parts.group_of(*term) == Some(group));
        own.map(|(term, program)| {
            let axes = program.network().coordinates() * program.sites();
            self.points.samples(term, false).points.len() / axes
        })
        .sum()
    }

    /// Length of θ.
    pub fn parameters(&self) -> usize {
        self.terms.evaluator.parameters()
    }

    /// Derivative channels carried through the network by one evaluation, over all samples: its time grows with them.
    pub fn work(&self) -> u64 {
        let programs = self.terms.evaluator.terms().iter().enumerate();
        let work = programs.map(|(term, program)| {
            let columns = self.points.samples(term, true).points.len() / program.network().coordinates();
            (columns * program.channels()) as u64
        });
        work.sum()
    }

    /// Region sizes of the current outer step.
    pub fn region(&self) -> RegionSize {
        self.calibration.region()
    }

    /// Renews weights and points if outer step `step`, about to begin at `theta`, is due for it. Both are measured at the
    /// points themselves, never at moved ones; what is drawn depends on the seed and the step alone.
    pub fn adapt(&mut self, step: u64, theta: &[f64]) -> Result<(), Error> {
        self.points.adapt(&mut self.terms.evaluator, step, theta)?;
        self.weights.adapt(&mut self.terms, &self.points, step, theta)
    }

    /// Everything the next outer step depends on, apart from θ.
    pub fn memory(&self) -> ObjectiveMemory {
        let (factors, points) = (self.weights.memory().to_vec(), self.points.memory().to_vec());
        ObjectiveMemory { calibration: self.calibration.state(), factors, points }
    }

    /// Continues from a saved memory.
    pub fn restore(&mut self, memory: ObjectiveMemory) -> Result<(), Error> {
        self.weights.restore(memory.factors)?;
        self.points.restore(&mut self.terms.evaluator, memory.points)?;
        self.calibration.restore(memory.calibration)
    }

    /// Begins an outer step: every evaluation until the next one belongs to it.
    pub fn begin_step(&mut self, step: u64) {
        self.trace.begin(step);
        self.calibration.begin_step();
    }

    /// Ends the outer step: its mean gradient joins those of past steps and σ is measured anew.
    pub fn end_step(&mut self) {
        self.calibration.end_step();
    }

    /// The parts of one evaluation of this step, counted from 0.
    pub fn parts_of(&self, evaluation: usize) -> &[f64] {
        self.trace.parts_of(evaluation)
    }

    /// What terms and single equations add to the loss of one evaluation of this step, weights included.
    pub fn contributions_of(&self, evaluation: usize) -> (Vec<f64>, Vec<f64>) {
        let parts = self.parts_of(evaluation).iter().zip(&self.weights.in_use);
        let parts: Vec<f64> = parts.map(|(part, weight)| part * weight).collect();
        (self.terms.parts.by_term(&parts), self.terms.parts.by_equation(&parts).to_vec())
    }

    /// The first part that was NaN or infinite in this step.
    pub fn fault(&self) -> Option<&str> {
        self.trace.fault.map(|part| self.terms.parts.names[part].as_str())
    }

    /// Points of a term as last evaluated: `[copy][sample][site][element][axis]`.
    pub fn points_of(&self, term: usize) -> &[f64] {
        self.points.samples(term, self.region().size > 0.0).points
    }

    /// Loss and gradient on the points themselves, without regions and with the fixed weights, so that losses of different
    /// weightings can be compared; draws nothing and records nothing.
    pub fn evaluate_at_points(&mut self, theta: &[f64]) -> Result<Evaluation, EngineError> {
        let mut out = Evaluation::default();
        self.terms.evaluate(theta, self.points.sets(0.0), &self.weights.fixed, &mut out)?;
        Ok(out)
    }

    /// The unweighted loss at fixed points and its gradient: the problem's own terms, without regions, weights and whatever an
    /// objective adds, so that all runs of a problem can be compared.
    pub fn unweighted_at_points(&mut self, theta: &[f64]) -> Result<Unweighted, EngineError> {
        let (mut out, weights) = (Evaluation::default(), self.terms.parts.unit_weights());
        self.terms.evaluate(theta, self.points.sets(0.0), &weights, &mut out)?;
        let (names, parts) = (self.terms.parts.equation_names(), &self.terms.parts);
        let equations = names.into_iter().zip(parts.by_equation(&out.parts).iter().copied()).collect();
        Ok(Unweighted { loss: out.loss, terms: parts.own_terms(&out.parts), equations, grad: out.grad })
    }

    /// Adds the latest evaluation to the step's trace. Returns its loss and leaves its gradient in `grad`.
    fn note_latest(&mut self, grad: &mut [f64]) -> f64 {
        self.trace.note(&self.latest.parts);
        grad.copy_from_slice(&self.latest.grad);
        self.latest.loss
    }
}

impl Oracle for Objective {
    fn evaluate(&mut self, theta: &[f64], grad: &mut [f64]) -> f64 {
        let size = self.region().size;
        self.points.shift(&mut self.terms.evaluator, size, self.trace.step, self.trace.evaluations);
        let loss = LeastSquares::gradient(self, theta, grad);
        self.calibration.record(loss, grad);
        loss
    }

    /// Integrals are squares too, but their Jacobian is not at hand.
    fn least_squares(&mut self) -> Option<&mut dyn LeastSquares> {
        if self.terms.has_integrals() { None } else { Some(self) }
    }
}
