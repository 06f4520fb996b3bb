//! The inner loop of every quasi-Newton method here: d = −H g, t = strong-Wolfe search, θ ← θ + t d.
//!
//! What H is, and how it learns from the steps taken, is a [`Curvature`]; the loop owns the gradients, the search, the
//! tests that end a call and the undoing of iterations that met a non-finite number. The order of tests is that of
//! `torch.optim.LBFGS`: `max_eval` is tested after complete iterations only, so a call may exceed it.

use std::ops::ControlFlow;

use crate::error::require;
use crate::line_search::{Accepted, Line};
use crate::optimizer::assert_dimension;
use crate::vector::{axpy, dot, max_abs, sum_abs};
use crate::{GradNorm, OptimError, Oracle, Quantity, State, StepOutcome, StepStatus, StrongWolfe, Tolerance};

/// A step θ ← θ + t d and the gradients at its two ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken<'a> {
    pub(crate) grad: &'a [f64],
    pub(crate) grad_previous: &'a [f64],
    pub(crate) t: f64,
    pub(crate) direction: &'a [f64],
}

/// An approximation H of the inverse Hessian.
pub(crate) trait Curvature {
    /// How the loop treats this approximation.
    const HABITS: Habits;

    /// Whether H is still the identity.
    fn is_identity(&self) -> bool;

    /// Back to H = I.
    fn forget(&mut self);

    /// Updates H with the pair s = t d, y = g − g_previous, or ignores a pair that carries no curvature.
    fn learn(&mut self, taken: Taken<'_>);

    /// Writes d = −H g.
    fn direction_into(&mut self, grad: &[f64], direction: &mut [f64]);

    /// Adds H to an optimiser's state.
    fn save_into(&self, state: State) -> State;

    /// Takes H from what [`save_into`](Self::save_into) wrote; half of it, if an error ends the reading.
    fn load(&mut self, state: &State) -> Result<(), OptimError>;
}

/// When H learns and what happens to a direction that does not descend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Habits {
    /// As `torch.optim.LBFGS`, so that published runs can be followed: a pair is formed when the next direction is
    /// needed, and therefore across calls from two evaluations at one θ; H never returns to the identity.
    Torch,
    /// A pair is formed as soon as a step is accepted, from gradients of one call; a direction that does not descend
    /// is replaced by −g, with H = I again.
    Safeguarded,
}

/// What bounds one call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limits {
    /// First trial step along every direction that is not a raw gradient.
    pub(crate) lr: f64,
    pub(crate) max_iter: usize,
    pub(crate) max_eval: usize,
    pub(crate) tolerance_grad: f64,
    pub(crate) tolerance_change: f64,
    pub(crate) search: StrongWolfe,
}

impl Limits {
    pub(crate) fn validate(&self, optimizer: &'static str) -> Result<(), OptimError> {
        let require = |setting, value, needs, holds| require(optimizer, setting, value, needs, holds);
        let tolerance = "finite and at least 0";
        require("lr", self.lr, "finite and above 0", self.lr > 0.0)?;
        require("max_iter", self.max_iter as f64, "at least 1", self.max_iter >= 1)?;
        require("max_eval", self.max_eval as f64, "at least 1", self.max_eval >= 1)?;
        require("tolerance_grad", self.tolerance_grad, tolerance, self.tolerance_grad >= 0.0)?;
        require("tolerance_change", self.tolerance_change, tolerance, self.tolerance_change >= 0.0)?;
        self.search.validate(optimizer)
    }
}

/// The loop with its memory between calls.
#[derive(Debug, Clone)]
pub(crate) struct Descent<C> {
    pub(crate) name: &'static str,
    limits: Limits,
    pub(crate) curvature: C,
    /// Inner iterations over all calls.
    iterations: u64,
    direction: Vec<f64>,
    /// Step length along `direction` of the last inner iteration.
    step: f64,
    /// Gradient at the point `direction` starts from.
    grad_previous: Vec<f64>,
    /// Slot 0 holds the current gradient, the others serve the line search.
    grads: [Vec<f64>; 3],
    trial: Vec<f64>,
}

impl<C: Curvature + Clone> Descent<C> {
    pub(crate) fn new(name: &'static str, limits: Limits, curvature: C, dimension: usize) -> Self {
        let zeros = || vec![0.0; dimension];
        Self {
            name,
            limits,
            curvature,
            iterations: 0,
            direction: zeros(),
            step: 0.0,
            grad_previous: zeros(),
            grads: std::array::from_fn(|_| zeros()),
            trial: zeros(),
        }
    }

    pub(crate) fn iterations(&self) -> u64 {
        self.iterations
    }

    pub(crate) fn dimension(&self) -> usize {
        self.direction.len()
    }

    /// One call: up to `max_iter` inner iterations from a fresh evaluation at θ.
    pub(crate) fn call(&mut self, theta: &mut [f64], oracle: &mut dyn Oracle) -> StepOutcome {
        assert_dimension(self.name, self.dimension(), theta);
        let first_loss = oracle.evaluate(theta, &mut self.grads[0]);
        let grad_norm = GradNorm::of(&self.grads[0]);
        let mut call = StepOutcome::before_moving(first_loss, grad_norm);
        if call.status != StepStatus::Moved {
            return call;
        }
        if grad_norm.max_abs <= self.limits.tolerance_grad {
            return StepOutcome { status: StepStatus::Converged(Tolerance::Gradient), ..call };
        }
        let ended = (0..self.limits.max_iter).try_for_each(|_| self.iterate(theta, oracle, &mut call));
        if let ControlFlow::Break(status) = ended {
            call.status = status;
        }
        StepOutcome { grad_norm: GradNorm::of(&self.grads[0]), ..call }
    }

    /// One inner iteration; breaks with the reason if it was the call's last.
    fn iterate(
        &mut self,
        theta: &mut [f64],
        oracle: &mut dyn Oracle,
        call: &mut StepOutcome,
    ) -> ControlFlow<StepStatus> {
        self.iterations += 1;
        let (slope, raw) = self.find_direction();
        self.grad_previous.copy_from_slice(&self.grads[0]);

        let lr = self.limits.lr;
        // A direction that is the raw gradient has no scale of its own: the cap keeps the trial within Σ|Δθ| ≤ lr.
        self.step = if raw { (1.0_f64).min(1.0 / sum_abs(&self.grads[0])) * lr } else { lr };
        if !slope.is_finite() {
            return self.undo(Quantity::Direction);
        }
        if slope > -self.limits.tolerance_change {
            return ControlFlow::Break(StepStatus::Converged(Tolerance::DirectionalDerivative));
        }

        let mut line = Line {
            origin: theta,
            direction: &self.direction,
            trial: &mut self.trial,
            grads: &mut self.grads,
            oracle,
            evaluations: call.evaluations,
            start: call.accepted,
        };
        let found = self.limits.search.search(&mut line, call.loss, slope, self.step);
        call.evaluations = line.evaluations;
        match found {
            Ok(accepted) => self.accept(theta, accepted, call),
            Err(what) => self.undo(what),
        }
    }

    /// Writes the direction; returns gᵀd and whether d is the raw gradient, whose length means nothing.
    fn find_direction(&mut self) -> (f64, bool) {
        let raw = match C::HABITS {
            Habits::Torch => self.iterations == 1,
            Habits::Safeguarded => self.curvature.is_identity(),
        };
        if raw {
            self.curvature.forget();
        } else if C::HABITS == Habits::Torch {
            self.learn();
        }
        let slope = self.slope_of_new_direction();
        let descends = slope.is_finite() && slope < 0.0;
        if raw || descends || C::HABITS == Habits::Torch {
            return (slope, raw);
        }
        self.curvature.forget();
        (self.slope_of_new_direction(), true)
    }

    fn slope_of_new_direction(&mut self) -> f64 {
        self.curvature.direction_into(&self.grads[0], &mut self.direction);
        dot(&self.grads[0], &self.direction)
    }

    fn learn(&mut self) {
        let Self { grads: [grad, ..], grad_previous, step, direction, .. } = self;
        self.curvature.learn(Taken { grad, grad_previous, t: *step, direction });
    }

    /// θ ← θ + t d and the tests that end a call.
    fn accept(&mut self, theta: &mut [f64], accepted: Accepted, call: &mut StepOutcome) -> ControlFlow<StepStatus> {
        axpy(accepted.step, &self.direction, theta);
        self.grads.swap(0, accepted.grad);
        self.step = accepted.step;
        if C::HABITS == Habits::Safeguarded {
            self.learn();
        }
        let loss_change = (accepted.loss - call.loss).abs();
        (call.loss, call.accepted) = (accepted.loss, accepted.evaluation);
        call.step_size = accepted.step;
        call.inner_iterations += 1;
        call.weak_searches += usize::from(!accepted.wolfe);

        let Limits { max_eval, tolerance_grad, tolerance_change, .. } = self.limits;
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

    /// Starts afresh from wherever θ is put: the next direction is −g, with the short first step that has.
    pub(crate) fn back_off(&mut self) {
        self.curvature.forget();
        self.iterations = 0;
        self.step = 0.0;
    }

    /// The loop and its H.
    pub(crate) fn save(&self) -> State {
        let state = self.curvature.save_into(State::new(self.name)).with_count("iterations", self.iterations);
        match C::HABITS {
            Habits::Torch => state
                .with_scalar("step", self.step)
                .with_vector("direction", self.direction.clone())
                .with_vector("grad_previous", self.grad_previous.clone()),
            // The last step is already part of H.
            Habits::Safeguarded => state,
        }
    }

    /// Takes over what [`save`](Self::save) wrote; on error nothing has changed.
    pub(crate) fn load(&mut self, state: &State) -> Result<(), OptimError> {
        state.expect_optimizer(self.name)?;
        let mut loaded = self.clone();
        loaded.iterations = state.count("iterations")?;
        if C::HABITS == Habits::Torch {
            loaded.step = state.scalar("step")?;
            loaded.direction.copy_from_slice(state.vector("direction", self.dimension())?);
            loaded.grad_previous.copy_from_slice(state.vector("grad_previous", self.dimension())?);
        }
        loaded.curvature.load(state)?;
        *self = loaded;
        Ok(())
    }
}

/// An optimiser is its `descent`.
macro_rules! descends {
    ($optimizer:ty) => {
        impl $crate::Optimizer for $optimizer {
            fn step(&mut self, theta: &mut [f64], oracle: &mut dyn $crate::Oracle) -> $crate::StepOutcome {
                self.descent.call(theta, oracle)
            }

            fn name(&self) -> &'static str {
                self.descent.name
            }

            fn dimension(&self) -> usize {
                self.descent.dimension()
            }

            fn back_off(&mut self) {
                self.descent.back_off();
            }

            fn save(&self) -> $crate::State {
                self.descent.save()
            }

            fn load(&mut self, state: &$crate::State) -> Result<(), $crate::OptimError> {
                self.descent.load(state)
            }
        }
    };
}

pub(crate) use descends;
