//! The loss of a problem and a network as a function of θ, for other optimisers: value, gradient, residuals, JᵀJ.

use crate::arrays;
use crate::error::Refused;
use crate::given::Given;
use crate::{options, pools};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ropinn::case::Case;
use ropinn::config::ObjectiveKind;
use ropinn::metrics::ErrorMeter;
use ropinn::objective::Objective as Loss;
use ropinn_optim::{LeastSquares, Oracle};
use ropinn_runs::RunError;
use ropinn_runs::plan::Plan;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// L(θ) = Σ ρᵢ(θ)², ρ the residuals in the scale of their weights and counts.
#[pyclass(frozen, module = "ropinn._ropinn")]
pub struct Objective {
    case: Case,
    initial: Vec<f64>,
    engine: Mutex<Engine>,
}

struct Engine {
    loss: Loss,
    meter: Option<ErrorMeter>,
}

/// A list of numbers.
type Numbers<'py> = Bound<'py, PyArray1<f64>>;

impl Objective {
    /// Whoever else computes with it is waited for, with the interpreter let go.
    fn engine(&self) -> Result<MutexGuard<'_, Engine>, Refused> {
        pools::check_process()?;
        Ok(self.engine.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A copy of parameters of the right number.
    fn theta(&self, theta: &PyReadonlyArray1<'_, f64>) -> Result<Vec<f64>, Refused> {
        let theta = theta.as_slice().map_err(PyErr::from)?.to_vec();
        let (expected, found) = (self.case.parameters(), theta.len());
        match found == expected {
            true => Ok(theta),
            false => Err(RunError::from(ropinn::error::Error::ThetaLength { expected, found }).into()),
        }
    }

    /// Computes with the squares behind the loss, where they are at hand.
    fn squares<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn LeastSquares) -> T + Send,
    ) -> Result<T, Refused> {
        py.detach(|| {
            let mut engine = self.engine()?;
            // What an optimiser would keep of a step is not kept.
            engine.loss.begin_step(0);
            let squares = engine.loss.least_squares();
            let squares =
                squares.ok_or_else(|| Refused::new("objective=\"variational\" has no residuals to square"))?;
            Ok(work(squares))
        })
    }

    /// Refuses a vector of another length.
    fn check(name: &str, found: usize, expected: usize) -> Result<(), Refused> {
        match found == expected {
            true => Ok(()),
            false => Err(Refused::new(format!("{name} has {found} numbers where {expected} are needed"))),
        }
    }
}

#[pymethods]
impl Objective {
    /// Compiles the loss; options are those of a run.
    #[new]
    #[pyo3(signature = (target, options))]
    fn new(py: Python<'_>, target: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> Result<Self, Refused> {
        let given = Given(options);
        let threads = pools::shared(given.count("threads")?.unwrap_or(0))?;
        let mut options = options::read(&given)?;
        options.objective = options.objective.or(Some(ObjectiveKind::Point));
        let target = options::target(target)?;
        py.detach(|| {
            let plan = Plan::of(&options, &target)?;
            if !plan.config().has_fixed_loss() {
                return Err(Refused::new(
                    "an Objective is one function of theta, but with regions, or with weights or points that follow the \
                     training, the loss changes from step to step; leave objective, weighting and sampling as they are",
                ));
            }
            let case = plan.case(plan.seeds[0], &threads)?;
            let initial = case.initial_theta();
            let loss = Loss::new(&case).map_err(RunError::from)?;
            let meter = ErrorMeter::new(&case).map_err(RunError::from)?;
            Ok(Self { case, initial, engine: Mutex::new(Engine { loss, meter }) })
        })
    }

    /// Length of θ.
    #[getter]
    fn parameters(&self) -> usize {
        self.case.parameters()
    }

    /// Names of the terms of the loss.
    fn terms(&self) -> Result<Vec<String>, Refused> {
        Ok(self.engine()?.loss.term_names())
    }

    /// θ as drawn from the seed.
    fn initial<'py>(&self, py: Python<'py>) -> Numbers<'py> {
        arrays::array(py, self.initial.clone())
    }

    /// Number of residuals.
    #[getter]
    fn residual_count(&self) -> Result<usize, Refused> {
        Ok(self.engine()?.loss.residuals_at_start())
    }

    /// Loss and gradient.
    fn value_and_grad<'py>(
        &self,
        py: Python<'py>,
        theta: PyReadonlyArray1<'py, f64>,
    ) -> Result<(f64, Numbers<'py>), Refused> {
        let theta = self.theta(&theta)?;
        let out = py.detach(|| -> Result<_, Refused> {
            let loss = &mut self.engine()?.loss;
            // Inside the pool its workers are handed one thing, not one for each term.
            Ok(self.case.threads().run(|| loss.evaluate_at_points(&theta)).map_err(RunError::from)?)
        })?;
        Ok((out.loss, arrays::array(py, out.grad)))
    }

    /// ρ: the loss is the sum of their squares.
    fn residuals<'py>(&self, py: Python<'py>, theta: PyReadonlyArray1<'py, f64>) -> Result<Numbers<'py>, Refused> {
        let theta = self.theta(&theta)?;
        let mut out = Vec::new();
        self.squares(py, |squares| squares.residuals(&theta, &mut out))?;
        Ok(arrays::array(py, out))
    }

    /// ρ and J, a row for each residual.
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        theta: PyReadonlyArray1<'py, f64>,
    ) -> Result<(Numbers<'py>, Bound<'py, PyArray2<f64>>), Refused> {
        let theta = self.theta(&theta)?;
        let (mut residuals, mut rows) = (Vec::new(), Vec::new());
        self.squares(py, |squares| squares.jacobian(&theta, &mut residuals, &mut rows))?;
        Ok((arrays::array(py, residuals), arrays::matrix(py, rows, theta.len())?))
    }

    /// L, ∇L = 2 Jᵀρ and JᵀJ.
    fn gram<'py>(
        &self,
        py: Python<'py>,
        theta: PyReadonlyArray1<'py, f64>,
    ) -> Result<(f64, Numbers<'py>, Bound<'py, PyArray2<f64>>), Refused> {
        let theta = self.theta(&theta)?;
        let (mut grad, mut gram) = (vec![0.0; theta.len()], Vec::new());
        let loss = self.squares(py, |squares| {
            let loss = squares.normal_equations(&theta, &mut grad, &mut gram);
            mirror(&mut gram, theta.len());
            loss
        })?;
        Ok((loss, arrays::array(py, grad), arrays::matrix(py, gram, theta.len())?))
    }

    /// J v.
    fn jvp<'py>(
        &self,
        py: Python<'py>,
        theta: PyReadonlyArray1<'py, f64>,
        v: PyReadonlyArray1<'py, f64>,
    ) -> Result<Numbers<'py>, Refused> {
        let (theta, v, mut out) = (self.theta(&theta)?, v.as_slice().map_err(PyErr::from)?.to_vec(), Vec::new());
        Self::check("v", v.len(), theta.len())?;
        self.squares(py, |squares| squares.push_forward(&theta, &v, &mut out))?;
        Ok(arrays::array(py, out))
    }

    /// Jᵀ w.
    fn vjp<'py>(
        &self,
        py: Python<'py>,
        theta: PyReadonlyArray1<'py, f64>,
        w: PyReadonlyArray1<'py, f64>,
    ) -> Result<Numbers<'py>, Refused> {
        let (theta, w, mut out) = (self.theta(&theta)?, w.as_slice().map_err(PyErr::from)?.to_vec(), Vec::new());
        Self::check("w", w.len(), self.residual_count()?)?;
        self.squares(py, |squares| squares.pull_back(&theta, &w, &mut out))?;
        Ok(arrays::array(py, out))
    }

    /// The relative error (rMSE) against the reference, if there is one.
    fn error(&self, py: Python<'_>, theta: PyReadonlyArray1<'_, f64>) -> Result<Option<f64>, Refused> {
        let theta = self.theta(&theta)?;
        py.detach(|| {
            let mut engine = self.engine()?;
            let Some(meter) = &mut engine.meter else { return Ok(None) };
            Ok(Some(meter.measure(&theta).map_err(RunError::from)?.rmse))
        })
    }

    /// Where each tensor of θ begins and ends: name, shape, first and last index.
    fn layout(&self) -> Vec<(String, Vec<usize>, usize, usize)> {
        let tensors = self.case.network().layout().tensors().iter();
        let tensors = tensors.map(|tensor| (tensor.name.clone(), tensor.shape.clone(), tensor.range()));
        let scalars = self.case.problem().trainables().iter().enumerate().map(|(k, own)| {
            let at = self.case.network().parameters() + k;
            (format!("trained.{}", own.name), Vec::new(), at..at + 1)
        });
        tensors.chain(scalars).map(|(name, shape, range)| (name, shape, range.start, range.end)).collect()
    }
}

/// Optimisers read one triangle of JᵀJ; people expect both.
fn mirror(gram: &mut [f64], n: usize) {
    for row in 0..n {
        for column in 0..row {
            gram[column * n + row] = gram[row * n + column];
        }
    }
}
