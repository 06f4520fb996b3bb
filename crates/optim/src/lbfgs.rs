//! Limited-memory BFGS (Nocedal 1980; Nocedal & Wright 2006, Algorithm 7.5) exactly as `torch.optim.LBFGS` with
//! `line_search_fn="strong_wolfe"` runs it, so that published results can be followed iterate by iterate.
//!
//! One [`step`](Optimizer::step) is one `optimizer.step(closure)`: up to `max_iter` inner iterations
//! d = −H g, t = strong-Wolfe search, θ ← θ + t d, with all memory kept between calls. Habits of the original that
//! matter when the oracle is stochastic, and are therefore kept:
//! - the loss and gradient of an accepted point are those the search saw; only a new call evaluates afresh, so the
//!   first pair of a call compares gradients from two different draws;
//! - leaving because gᵀd > −`tolerance_change` stores d and the initial t although θ stayed, and the next call forms
//!   s = t d from them;
//! - `max_eval` is tested after complete iterations only, so a call may exceed it.

mod history;

use std::ops::ControlFlow;

use self::history::History;
use crate::error::require;
use crate::line_search::{Accepted, Line};
use crate::optimizer::assert_dimension;
use crate::vector::{axpy, dot, max_abs, sum_abs};
use crate::{
    GradNorm, OptimError, Optimizer, Oracle, Quantity, State, StepOutcome, StepStatus, StrongWolfe, Tolerance,
};

const NAME: &str = "lbfgs";

/// Settings of [`Lbfgs`]; the defaults are those of the RoPINN experiments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LbfgsConfig {
    /// First trial step of every search but the very first (1).
    pub lr: f64,
    /// Inner iterations per step (20).
    pub max_iter: usize,
    /// A step ends after the iteration that reaches this many evaluations (25).
    pub max_eval: usize,
    /// Ends a step once max|g| is at or below it (10⁻⁷).
    pub tolerance_grad: f64,
    /// Ends a step once max|Δθ|, |Δf| or −gᵀd are this small (10⁻⁹).
    pub tolerance_change: f64,
    /// Curvature pairs kept (100).
    pub history: usize,
    /// The line search.
    pub search: StrongWolfe,
}

impl Default for LbfgsConfig {
    fn default() -> Self {
        Self {
            lr: 1.0,
            max_iter: 20,
            max_eval: 25,
            tolerance_grad: 1e-7,
            tolerance_change: 1e-9,
            history: 100,
            search: StrongWolfe::default(),
        }
    }
}

impl LbfgsConfig {
    fn validate(&self) -> Result<(), OptimError> {
        let positive = "finite and above 0";
        let tolerance = "finite and at least 0";
        require(NAME, "lr", self.lr, positive, self.lr > 0.0)?;
        for (setting, count) in [("max_iter", self.max_iter), ("max_eval", self.max_eval), ("history", self.history)] {
            require(NAME, setting, count as f64, "at least 1", count >= 1)?;
        }
        require(NAME, "tolerance_grad", self.tolerance_grad, tolerance, self.tolerance_grad >= 0.0)?;
        require(NAME, "tolerance_change", self.tolerance_change, tolerance, self.tolerance_change >= 0.0)?;
        self.search.validate(NAME)
    }
}

/// L-BFGS with strong-Wolfe search.
///
/// After [`StepStatus::NonFinite`] the iteration that met the bad number is undone: θ is the last accepted point and the
/// next call continues from the pairs stored so far.
#[derive(Debug, Clone)]
pub struct Lbfgs {
    config: LbfgsConfig,
    /// Inner iterations over all calls.
    iterations: u64,
    history: History,
    direction: Vec<f64>,
    /// Step length along `direction` of the last inner iteration.
    step: f64,
    /// Gradient at the point `direction` starts from.
    grad_previous: Vec<f64>,
    /// Slot 0 holds the current gradient, the others serve the line search.
    grads: [Vec<f64>; 3],
    trial: Vec<f64>,
}

impl Lbfgs {
    /// L-BFGS for `dimension` parameters.
    pub fn new(config: LbfgsConfig, dimension: usize) -> Result<Self, OptimError> {
        config.validate()?;
        let zeros = || vec![0.0; dimension];
        Ok(Self {
            config,
            iterations: 0,
            history: History::new(config.history, dimension),
            direction: zeros(),
            step: 0.0,
            grad_previous: zeros(),
            grads: std::array::from_fn(|_| zeros()),
            trial: zeros(),
        })
    }

    /// Inner iterations taken over all calls.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Curvature pairs currently stored.
    pub fn pairs(&self) -> usize {
        self.history.len()
    }

    /// One inner iteration; breaks with the reason if it was the call's last.
    fn iterate(
        &mut self,
        theta: &mut [f64],
        oracle: &mut dyn Oracle,
        call: &mut StepOutcome,
    ) -> ControlFlow<StepStatus> {
        self.iterations += 1;
        let first_ever = self.iterations == 1;
        self.find_direction(first_ever);
        self.grad_previous.copy_from_slice(&self.grads[0]);

        let lr = self.config.lr;
        // The very first direction is the raw gradient: the cap keeps the first trial within Σ|Δθ| ≤ lr.
        self.step = if first_ever { (1.0_f64).min(1.0 / sum_abs(&self.grads[0])) * lr } else { lr };
        let slope = dot(&self.grads[0], &self.direction);
        if !slope.is_finite() {
            return self.undo(Quantity::Direction);
        }
        if slope > -self.config.tolerance_change {
            return ControlFlow::Break(StepStatus::Converged(Tolerance::DirectionalDerivative));
        }

        let mut line = Line {
            origin: theta,
            direction: &self.direction,
            trial: &mut self.trial,
            grads: &mut self.grads,
            oracle,
            evaluations: 0,
        };
        let found = self.config.search.search(&mut line, call.loss, slope, self.step);
        call.evaluations += line.evaluations;
        match found {
            Ok(accepted) => self.accept(theta, accepted, call),
            Err(what) => self.undo(what),
        }
    }

    fn find_direction(&mut self, first_ever: bool) {
        let grad = &self.grads[0];
        if first_ever {
            self.history.clear();
        } else {
            self.history.offer(grad, &self.grad_previous, self.step, &self.direction);
        }
        self.history.direction_into(grad, &mut self.direction);
    }

    /// θ ← θ + t d and the tests that end a call.
    fn accept(&mut self, theta: &mut [f64], accepted: Accepted, call: &mut StepOutcome) -> ControlFlow<StepStatus> {
        axpy(accepted.step, &self.direction, theta);
        self.grads.swap(0, accepted.grad);
        self.step = accepted.step;
        let loss_change = (accepted.loss - call.loss).abs();
        call.loss = accepted.loss;
        call.step_size = accepted.step;
        call.inner_iterations += 1;
        call.weak_searches += usize::from(!accepted.wolfe);

        let LbfgsConfig { max_eval, tolerance_grad, tolerance_change, .. } = self.config;
        let status = if accepted.step == 0.0 {
            StepStatus::LineSearchStalled
        } else if max_abs(&self.grads[0]) <= tolerance_grad {
            StepStatus::Converged(Tolerance::Gradient)
        } else if accepted.step * max_abs(&self.direction) <= tolerance_change {
            StepStatus::Converged(Tolerance::Change)
        } else if loss_change < tolerance_change {
            StepStatus::Converged(Tolerance::Loss)
        } else if call.evaluations >= max_eval {
            StepStatus::EvaluationBudget
        } else {
            return ControlFlow::Continue(());
        };
        ControlFlow::Break(status)
    }

    /// Forgets an iteration that met a non-finite number. t = 0 makes the next pair s = 0, which is never stored.
    fn undo(&mut self, what: Quantity) -> ControlFlow<StepStatus> {
        self.iterations -= 1;
        self.step = 0.0;
        self.grads[0].copy_from_slice(&self.grad_previous);
        ControlFlow::Break(StepStatus::NonFinite { what })
    }
}

impl Optimizer for Lbfgs {
    fn step(&mut self, theta: &mut [f64], oracle: &mut dyn Oracle) -> StepOutcome {
        assert_dimension(NAME, self.dimension(), theta);
        let first_loss = oracle.evaluate(theta, &mut self.grads[0]);
        let grad_norm = GradNorm::of(&self.grads[0]);
        let mut call = StepOutcome {
            loss: first_loss,
            first_loss,
            evaluations: 1,
            inner_iterations: 0,
            weak_searches: 0,
            grad_norm,
            step_size: 0.0,
            status: StepStatus::Moved,
        };
        if !first_loss.is_finite() {
            return StepOutcome { status: StepStatus::NonFinite { what: Quantity::Loss }, ..call };
        }
        if !grad_norm.l2.is_finite() {
            return StepOutcome { status: StepStatus::NonFinite { what: Quantity::Gradient }, ..call };
        }
        if grad_norm.max_abs <= self.config.tolerance_grad {
            return StepOutcome { status: StepStatus::Converged(Tolerance::Gradient), ..call };
        }
        let ended = (0..self.config.max_iter).try_for_each(|_| self.iterate(theta, oracle, &mut call));
        if let ControlFlow::Break(status) = ended {
            call.status = status;
        }
        StepOutcome { grad_norm: GradNorm::of(&self.grads[0]), ..call }
    }

    fn name(&self) -> &'static str {
        NAME
    }

    fn dimension(&self) -> usize {
        self.direction.len()
    }

    fn save(&self) -> State {
        let (steps, changes, rhos) = self.history.flatten();
        State::new(NAME)
            .with_count("iterations", self.iterations)
            .with_count("pairs", self.history.len() as u64)
            .with_scalar("step", self.step)
            .with_scalar("scale", self.history.scale())
            .with_vector("direction", self.direction.clone())
            .with_vector("grad_previous", self.grad_previous.clone())
            .with_vector("pair_steps", steps)
            .with_vector("pair_changes", changes)
            .with_vector("pair_rhos", rhos)
    }

    fn load(&mut self, state: &State) -> Result<(), OptimError> {
        state.expect_optimizer(NAME)?;
        let dimension = self.dimension();
        let (iterations, step, scale) = (state.count("iterations")?, state.scalar("step")?, state.scalar("scale")?);
        let stored = state.count("pairs")? as usize;
        let capacity = self.history.capacity();
        if stored > capacity {
            return Err(OptimError::HistoryTooLong { optimizer: NAME.to_owned(), stored, capacity });
        }
        let direction = state.vector("direction", dimension)?;
        let grad_previous = state.vector("grad_previous", dimension)?;
        let steps = state.vector("pair_steps", stored * dimension)?;
        let changes = state.vector("pair_changes", stored * dimension)?;
        let rhos = state.vector("pair_rhos", stored)?;

        (self.iterations, self.step) = (iterations, step);
        self.direction.copy_from_slice(direction);
        self.grad_previous.copy_from_slice(grad_previous);
        self.history.refill(steps, changes, rhos, scale);
        Ok(())
    }
}
