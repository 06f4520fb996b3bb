//! Settings of Gauss–Newton.

use ropinn_optim::{Form, GaussNewtonConfig, Scaling};
use serde::{Deserialize, Serialize};

/// Settings of Gauss–Newton.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GaussNewtonPhase {
    /// Outer steps.
    pub iterations: u64,
    /// Damping of the first step, relative to the mean of the diagonal of JᵀJ.
    pub damping: f64,
    /// The least damping, relative to the same.
    pub damping_floor: f64,
    /// What the damping weighs.
    pub scaling: ScalingSetting,
    /// Trials per step, each with more damping.
    pub trials: usize,
    /// Whether the second-order correction along the step is added.
    pub acceleration: bool,
    /// Which of the equivalent linear systems is solved.
    pub form: FormSetting,
    /// An outer step ends once max|g| is at or below it.
    pub tolerance_grad: f64,
    /// An outer step ends once max|Δθ| is at or below it.
    pub tolerance_change: f64,
    /// Relative residual at which conjugate gradients stop.
    pub cg_tolerance: f64,
    /// Most conjugate-gradient iterations per solve.
    pub cg_iterations: usize,
}

/// What the damping weighs: λδᵀDδ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScalingSetting {
    /// D = 1.
    Identity,
    /// D = diagonal of JᵀJ.
    Diagonal,
}

/// Which of the equivalent linear systems is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormSetting {
    /// Whichever fits the numbers of parameters and residuals.
    Auto,
    /// Normal equations, parameters × parameters.
    Parameters,
    /// Kernel, residuals × residuals.
    Kernel,
    /// Conjugate gradients.
    MatrixFree,
}

impl Default for GaussNewtonPhase {
    fn default() -> Self {
        let c = GaussNewtonConfig::default();
        Self {
            iterations: 500,
            damping: c.damping,
            damping_floor: c.damping_floor,
            scaling: match c.scaling {
                Scaling::Identity => ScalingSetting::Identity,
                Scaling::Diagonal => ScalingSetting::Diagonal,
            },
            trials: c.trials,
            acceleration: c.acceleration,
            form: FormSetting::Auto,
            tolerance_grad: c.tolerance_grad,
            tolerance_change: c.tolerance_change,
            cg_tolerance: c.cg_tolerance,
            cg_iterations: c.cg_iterations,
        }
    }
}

impl GaussNewtonPhase {
    pub(super) fn config(&self) -> GaussNewtonConfig {
        GaussNewtonConfig {
            damping: self.damping,
            damping_floor: self.damping_floor,
            scaling: match self.scaling {
                ScalingSetting::Identity => Scaling::Identity,
                ScalingSetting::Diagonal => Scaling::Diagonal,
            },
            trials: self.trials,
            acceleration: self.acceleration,
            form: match self.form {
                FormSetting::Auto => None,
                FormSetting::Parameters => Some(Form::Parameters),
                FormSetting::Kernel => Some(Form::Kernel),
                FormSetting::MatrixFree => Some(Form::MatrixFree),
            },
            tolerance_grad: self.tolerance_grad,
            tolerance_change: self.tolerance_change,
            cg_tolerance: self.cg_tolerance,
            cg_iterations: self.cg_iterations,
        }
    }
}
