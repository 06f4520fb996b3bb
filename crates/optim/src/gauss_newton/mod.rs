//! Damped Gauss–Newton (Levenberg 1944, Marquardt 1963) on f(θ) = ‖ρ(θ)‖².
//!
//! A step solves (JᵀJ + λD) δ = −Jᵀρ and moves to θ + δ if f falls. λ follows the ratio of actual to predicted fall (Nielsen
//! 1999): a step that did what the linear model said lowers λ to as little as a third, one that failed doubles, quadruples, …
//! it. The same δ comes from three forms, chosen once by size ([`Form`]):
//! - parameters: Cholesky of the P×P matrix JᵀJ + λD;
//! - kernel: δ = −D⁻¹Jᵀ(J D⁻¹ Jᵀ + λI)⁻¹ρ, Cholesky of an N×N matrix, for fewer residuals than parameters;
//! - matrix-free: preconditioned conjugate gradients with products Jv and Jᵀw only.

mod conjugate;
mod form;
mod solver;

pub use form::Form;

use crate::error::require;
use crate::optimizer::assert_dimension;
use crate::vector::{along_into, axpy, dot};
use crate::{GradNorm, LeastSquares, OptimError, Optimizer, Oracle, State, StepOutcome, StepStatus, Tolerance};
use serde::{Deserialize, Serialize};
use solver::Solver;

const NAME: &str = "gauss-newton";

/// Settings of [`GaussNewton`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GaussNewtonConfig {
    /// Damping of the first step, relative to the mean of the diagonal of JᵀJ (10⁻³).
    pub damping: f64,
    /// λ never falls below this, relative to the same (10⁻¹⁶).
    pub damping_floor: f64,
    /// What the damping weighs: D.
    pub scaling: Scaling,
    /// Trials per step: each raises λ and solves anew with the same matrix (8).
    pub trials: usize,
    /// Adds the second-order correction along the step (Transtrum & Sethna 2012), one more solve with the same factor.
    pub acceleration: bool,
    /// Which system is solved; by default whichever fits (`auto`).
    #[serde(with = "form::or_auto")]
    pub form: Option<Form>,
    /// Ends a step once max|∇f| is at or below it (10⁻¹²).
    pub tolerance_grad: f64,
    /// Ends a step once max|δ| is at or below it (10⁻¹⁴).
    pub tolerance_change: f64,
    /// Relative residual at which conjugate gradients stop (10⁻²), and their largest number (200).
    pub cg_tolerance: f64,
    /// Largest number of conjugate-gradient iterations per solve.
    pub cg_iterations: usize,
}

/// What the damping term λ δᵀDδ weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// D = 1 (Levenberg).
    #[default]
    Identity,
    /// D = the diagonal of JᵀJ in units of its mean (Marquardt), but no less than half of what it was a step before: damping
    /// does not notice the scale of a parameter, and one whose slopes vanish for a step or two is not let loose at once.
    Diagonal,
}

impl Default for GaussNewtonConfig {
    fn default() -> Self {
        Self {
            damping: 1e-3,
            damping_floor: 1e-16,
            scaling: Scaling::Identity,
            trials: 8,
            acceleration: true,
            form: None,
            tolerance_grad: 1e-12,
            tolerance_change: 1e-14,
            cg_tolerance: 1e-2,
            cg_iterations: 200,
        }
    }
}

impl GaussNewtonConfig {
    fn validate(&self) -> Result<(), OptimError> {
        let (positive, tolerance) = ("finite and above 0", "finite and at least 0");
        require(NAME, "damping", self.damping, positive, self.damping > 0.0)?;
        require(NAME, "damping_floor", self.damping_floor, positive, self.damping_floor > 0.0)?;
        require(NAME, "trials", self.trials as f64, "at least 1", self.trials >= 1)?;
        require(NAME, "tolerance_grad", self.tolerance_grad, tolerance, self.tolerance_grad >= 0.0)?;
        require(NAME, "tolerance_change", self.tolerance_change, tolerance, self.tolerance_change >= 0.0)?;
        let below_one = self.cg_tolerance > 0.0 && self.cg_tolerance < 1.0;
        require(NAME, "cg_tolerance", self.cg_tolerance, "between 0 and 1", below_one)?;
        require(NAME, "cg_iterations", self.cg_iterations as f64, "at least 1", self.cg_iterations >= 1)
    }
}

/// Smallest ratio of actual to predicted fall that is accepted.
const ACCEPT: f64 = 1e-4;
/// Share of the step over which its bend is measured, and the largest accepted ratio 2|a|/|δ|.
const BEND: f64 = 0.1;
const LARGEST_BEND: f64 = 0.75;
/// λ beyond this, relative to the diagonal, means the step has shrunk to nothing.
const DAMPING_CEILING: f64 = 1e12;
/// What backing off multiplies λ by.
const BACK_OFF: f64 = 100.0;
/// Trials that ended without a fall are followed by this many halvings of the last step.
const HALVINGS: usize = 6;

/// Levenberg–Marquardt. The oracle must be a [`LeastSquares`].
#[derive(Debug, Clone)]
pub struct GaussNewton {
    config: GaussNewtonConfig,
    form: Form,
    residual_count: usize,
    solver: Solver,
    /// λ relative to the mean diagonal, and Nielsen's growth factor.
    damping: f64,
    growth: f64,
    /// D, or empty for the identity.
    scale: Vec<f64>,
    grad: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
    /// ρ at the θ of the step, at a trial, and its second derivative; and the correction made of that.
    residuals: Vec<f64>,
    moved: Vec<f64>,
    bend: Vec<f64>,
    correction: Vec<f64>,
}

/// What one trial gave.
struct Trial {
    loss: f64,
    predicted: f64,
}

impl GaussNewton {
    /// For `dimension` parameters and `residuals` residuals, which decide the form unless the configuration does.
    pub fn new(config: GaussNewtonConfig, dimension: usize, residuals: usize) -> Result<Self, OptimError> {
        config.validate()?;
        let form = config.form.unwrap_or_else(|| Form::fitting(dimension, residuals));
        let zeros = || vec![0.0; dimension];
        let scale = match config.scaling {
            Scaling::Identity => Vec::new(),
            Scaling::Diagonal => zeros(),
        };
        Ok(Self {
            config,
            form,
            residual_count: residuals,
            solver: Solver::new(form, &config),
            damping: config.damping,
            growth: 2.0,
            scale,
            grad: zeros(),
            step: zeros(),
            trial: zeros(),
            residuals: Vec::new(),
            moved: Vec::new(),
            bend: Vec::new(),
            correction: Vec::new(),
        })
    }

    /// The system it solves.
    pub fn form(&self) -> Form {
        self.form
    }

    /// λ relative to the mean of the diagonal of JᵀJ.
    pub fn damping(&self) -> f64 {
        self.damping
    }

    /// One trial: δ for the current λ, the loss there and the fall the linear model promises. None if there is no δ.
    fn attempt(
        &mut self,
        theta: &[f64],
        world: &mut dyn LeastSquares,
        lambda: f64,
        evaluations: &mut usize,
    ) -> Option<Trial> {
        self.step.copy_from_slice(&self.grad);
        self.step.iter_mut().for_each(|g| *g *= -0.5);
        if !self.solver.solve(lambda, &self.scale, theta, world, &mut self.step) {
            return None;
        }
        let weighed = match self.scale.is_empty() {
            true => dot(&self.step, &self.step),
            false => self.step.iter().zip(&self.scale).map(|(s, d)| d * s * s).sum(),
        };
        let predicted = -0.5 * dot(&self.grad, &self.step) + lambda * weighed;
        if self.config.acceleration {
            self.accelerate(theta, world, lambda);
            *evaluations += 2;
        }
        along_into(theta, 1.0, &self.step, &mut self.trial);
        *evaluations += 1;
        let loss = self.loss_at_trial(world);
        Some(Trial { loss, predicted })
    }

    fn loss_at_trial(&mut self, world: &mut dyn LeastSquares) -> f64 {
        world.residuals(&self.trial, &mut self.moved)
    }

    /// δ ← δ + ½a with (JᵀJ + λD)a = −Jᵀρ″, ρ″ the second derivative of ρ along δ by differences: the step bends with the valley
    /// it follows. Kept only where a is small against δ, as a correction must be (Transtrum & Sethna 2012, eq. 15).
    fn accelerate(&mut self, theta: &[f64], world: &mut dyn LeastSquares, lambda: f64) {
        along_into(theta, BEND, &self.step, &mut self.trial);
        world.residuals(&self.trial, &mut self.moved);
        along_into(theta, -BEND, &self.step, &mut self.trial);
        world.residuals(&self.trial, &mut self.bend);
        let sides = self.moved.iter().zip(&self.residuals);
        for (bend, (ahead, here)) in self.bend.iter_mut().zip(sides) {
            *bend = (ahead - 2.0 * here + *bend) / (BEND * BEND);
        }
        world.pull_back(theta, &self.bend, &mut self.correction);
        self.correction.iter_mut().for_each(|b| *b = -*b);
        if !self.solver.solve(lambda, &self.scale, theta, world, &mut self.correction) {
            return;
        }
        let length = |x: &[f64]| dot(x, x).sqrt();
        if 2.0 * length(&self.correction) <= LARGEST_BEND * length(&self.step) {
            axpy(0.5, &self.correction, &mut self.step);
        }
    }

    /// Lowers λ after a step that fell by `ratio` of the promise (Nielsen 1999).
    fn relax(&mut self, ratio: f64) {
        let factor = (1.0 - (2.0 * ratio - 1.0).powi(3)).clamp(1.0 / 3.0, 2.0);
        self.damping = (self.damping * factor).max(self.config.damping_floor);
        self.growth = 2.0;
    }

    fn tighten(&mut self) {
        self.damping *= self.growth;
        self.growth *= 2.0;
    }

    fn update_scale(&mut self) {
        if self.scale.is_empty() {
            return;
        }
        let diagonal = self.solver.diagonal();
        let mean = diagonal.iter().sum::<f64>() / diagonal.len().max(1) as f64;
        // In units of the mean, so that λ means the same for both scalings. Half of the last D bounds how fast it falls, without
        // holding on to slopes of long ago as the maximum over all steps would (Moré 1978); a parameter nothing depends on
        // keeps a floor.
        for (d, a) in self.scale.iter_mut().zip(diagonal) {
            *d = (a / mean).max(0.5 * *d).max(1e-8);
        }
    }
}

impl Optimizer for GaussNewton {
    fn step(&mut self, theta: &mut [f64], oracle: &mut dyn Oracle) -> StepOutcome {
        assert_dimension(NAME, self.dimension(), theta);
        let world = oracle.least_squares().expect("gauss-newton needs the residuals behind the loss");
        world.begin();
        let first_loss = self.solver.prepare(theta, world, &mut self.grad);
        let grad_norm = GradNorm::of(&self.grad);
        let mut outcome = StepOutcome::before_moving(first_loss, grad_norm);
        if outcome.status != StepStatus::Moved {
            return outcome;
        }
        world.end(first_loss, &self.grad);
        if grad_norm.max_abs <= self.config.tolerance_grad {
            return StepOutcome { status: StepStatus::Converged(Tolerance::Gradient), ..outcome };
        }
        self.update_scale();
        if self.config.acceleration {
            world.residuals(theta, &mut self.residuals);
            outcome.evaluations += 1;
        }
        let unit = self.solver.mean_diagonal();
        outcome.status = StepStatus::LineSearchStalled;
        for _ in 0..self.config.trials {
            let attempt = self.attempt(theta, world, self.damping * unit, &mut outcome.evaluations);
            if let Some(Trial { loss, predicted }) = attempt {
                let ratio = (first_loss - loss) / predicted;
                if loss.is_finite() && predicted > 0.0 && ratio > ACCEPT {
                    let longest = self.step.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
                    theta.copy_from_slice(&self.trial);
                    self.relax(ratio);
                    (outcome.loss, outcome.accepted) = (loss, outcome.evaluations - 1);
                    outcome.inner_iterations = 1;
                    outcome.step_size = 1.0;
                    outcome.status = match longest <= self.config.tolerance_change {
                        true => StepStatus::Converged(Tolerance::Change),
                        false => StepStatus::Moved,
                    };
                    return outcome;
                }
            }
            self.tighten();
            if self.damping > DAMPING_CEILING {
                break;
            }
        }
        self.halve(theta, world, &mut outcome);
        outcome
    }

    fn name(&self) -> &'static str {
        NAME
    }

    fn choice(&self) -> Option<String> {
        let (parameters, residuals) = (self.dimension(), self.residual_count);
        Some(format!("gauss-newton: {} for {parameters} parameters and {residuals} residuals", self.form))
    }

    fn dimension(&self) -> usize {
        self.grad.len()
    }

    fn back_off(&mut self) {
        self.damping = (BACK_OFF * self.damping).min(DAMPING_CEILING);
        self.growth = 2.0;
        self.scale.fill(0.0);
        self.solver.restore(&[]);
    }

    fn save(&self) -> State {
        State::new(NAME)
            .with_scalar("damping", self.damping)
            .with_scalar("growth", self.growth)
            .with_vector("scale", self.scale.clone())
            .with_vector("preconditioner", self.solver.memory().to_vec())
    }

    fn load(&mut self, state: &State) -> Result<(), OptimError> {
        state.expect_optimizer(NAME)?;
        let (damping, growth) = (state.scalar("damping")?, state.scalar("growth")?);
        let scale = state.vector("scale", self.scale.len())?;
        let memory = state.vector("preconditioner", self.solver.memory_length(self.dimension(), state))?;
        self.solver.restore(memory);
        self.scale.copy_from_slice(scale);
        (self.damping, self.growth) = (damping, growth);
        Ok(())
    }
}

impl GaussNewton {
    /// The safeguard: shorter and shorter pieces of the last, most damped step, which points downhill.
    fn halve(&mut self, theta: &mut [f64], world: &mut dyn LeastSquares, outcome: &mut StepOutcome) {
        self.damping = self.damping.min(DAMPING_CEILING);
        self.growth = 2.0;
        let slope = dot(&self.grad, &self.step);
        if !(slope < 0.0 && slope.is_finite()) {
            return;
        }
        let mut length = 0.5;
        for _ in 0..HALVINGS {
            along_into(theta, length, &self.step, &mut self.trial);
            let loss = self.loss_at_trial(world);
            outcome.evaluations += 1;
            if loss.is_finite() && loss <= outcome.first_loss + ACCEPT * length * slope {
                theta.copy_from_slice(&self.trial);
                (outcome.loss, outcome.accepted) = (loss, outcome.evaluations - 1);
                (outcome.step_size, outcome.inner_iterations) = (length, 1);
                outcome.weak_searches = 1;
                outcome.status = StepStatus::Moved;
                return;
            }
            length *= 0.5;
        }
    }
}
