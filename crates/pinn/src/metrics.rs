//! Predictions and their relative errors.
//!
//! With e = u_θ − u_* over all evaluation points and unknowns that have a reference: rMAE = Σ|e| / Σ|u_*|, rMSE = √(Σe² / Σu_*²). Predictions have the
//! precision of the run; the sums are f64.

use crate::case::Case;
use crate::error::Error;
use crate::problem::ProblemError;
use ropinn_engine::{Evaluator, Samples, SetId, TermSpec};
use ropinn_expr::Expr;
use serde::{Deserialize, Serialize};

/// Errors relative to the size of the reference solution; both may exceed 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RelativeErrors {
    /// Σ|e| / Σ|u_*|.
    pub rmae: f64,
    /// √(Σe² / Σu_*²).
    pub rmse: f64,
}

/// Compares predictions with a reference, value by value; where that is NaN there is none.
///
/// ```
/// use ropinn::metrics::relative_errors;
/// let errors = relative_errors(&[1.0, 2.5], &[1.0, 2.0]);
/// assert_eq!(errors.rmae, 0.5 / 3.0);
/// assert_eq!(errors.rmse, (0.25f64 / 5.0).sqrt());
/// ```
pub fn relative_errors(predicted: &[f64], reference: &[f64]) -> RelativeErrors {
    let (mut error, mut error2, mut size, mut size2) = (0.0, 0.0, 0.0, 0.0);
    for (u, exact) in predicted.iter().zip(reference).filter(|(_, exact)| !exact.is_nan()) {
        let e = u - exact;
        error += e.abs();
        error2 += e * e;
        size += exact.abs();
        size2 += exact * exact;
    }
    RelativeErrors { rmae: error / size, rmse: (error2 / size2).sqrt() }
}

/// Values of expressions of the unknowns, such as `u` or `u_xx`, at any points.
pub struct Predictor {
    case: Case,
    evaluator: Evaluator,
}

impl Predictor {
    /// Predicts expressions written in the names of the case's problem.
    ///
    /// ```
    /// use ropinn::{case::Case, config::RunConfig, metrics::Predictor};
    /// use ropinn_engine::Threads;
    /// let mut config = RunConfig::default();
    /// config.set_all(&["problem.name=wave", "model.width=8", "precision=f64"])?;
    /// let case = Case::new(config, &Threads::new(1)?)?;
    /// let mut predictor = Predictor::of(&case, &["u", "u_x", "2*u"])?;
    /// let values = predictor.predict(&case.initial_theta(), &[0.5, 0.0, 0.25, 1.0])?; // two points (x, t)
    /// assert_eq!(values.len(), 2 * 3);
    /// assert_eq!(values[2], 2.0 * values[0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of<S: AsRef<str>>(case: &Case, wanted: &[S]) -> Result<Self, Error> {
        let parse = |text: &S| -> Result<Expr, Error> {
            let wanted = text.as_ref();
            let refused = |error| Error::Wanted { wanted: wanted.to_owned(), error: Box::new(error) };
            let expr = case.problem().scope().parse(wanted).map_err(refused)?;
            match expr.max_site() {
                0 => Ok(expr),
                // A point of a prediction stands alone.
                site => Err(ProblemError::NoSuchSite { what: format!("the prediction of `{wanted}`"), site }.into()),
            }
        };
        Self::new(case, wanted.iter().map(parse).collect::<Result<_, _>>()?)
    }

    /// Predicts expressions at hand.
    pub fn new(case: &Case, wanted: Vec<Expr>) -> Result<Self, Error> {
        let spec = TermSpec::new("prediction", wanted).on_first_element();
        let evaluator = Evaluator::new(vec![case.compile(&spec)?], case.config().precision, case.threads())?;
        Ok(Self { case: case.clone(), evaluator })
    }

    /// `[point][wanted]` at points `[point][axis]`.
    pub fn predict(&mut self, theta: &[f64], points: &[f64]) -> Result<Vec<f64>, Error> {
        let mut values = Vec::new();
        let points = self.case.network_points(points);
        let set = self.evaluator.add(0, Samples::points(&points))?;
        let done = self.evaluator.residuals(theta, set, &mut values);
        self.evaluator.remove(set)?;
        done?;
        Ok(values)
    }
}

/// Measures the error of the unknowns at the problem's evaluation points.
pub struct ErrorMeter {
    evaluator: Evaluator,
    points: SetId,
    reference: Vec<f64>,
    /// Which unknowns have one.
    referenced: Vec<bool>,
    predicted: Vec<f64>,
}

impl ErrorMeter {
    /// `None` if the problem has no reference solution.
    pub fn new(case: &Case) -> Result<Option<Self>, Error> {
        let set = case.problem().evaluation()?;
        let Some(reference) = set.reference else { return Ok(None) };
        let mut evaluator = Predictor::of(case, case.problem().unknown_names())?.evaluator;
        let points = evaluator.add(0, Samples::points(&case.network_points(&set.points)))?;
        Ok(Some(Self { evaluator, points, reference, referenced: case.problem().referenced(), predicted: Vec::new() }))
    }

    /// The errors of the solution with parameters `theta`.
    pub fn measure(&mut self, theta: &[f64]) -> Result<RelativeErrors, Error> {
        self.evaluator.residuals(theta, self.points, &mut self.predicted)?;
        Ok(relative_errors(&self.predicted, &self.reference))
    }

    /// The errors of each unknown that has a reference, in the last measurement.
    pub fn by_unknown(&self) -> Vec<RelativeErrors> {
        let unknowns = self.evaluator.terms()[0].residuals();
        let of = |values: &[f64], k| values.iter().skip(k).step_by(unknowns).copied().collect::<Vec<f64>>();
        let known = (0..unknowns).filter(|&k| self.referenced[k]);
        known.map(|k| relative_errors(&of(&self.predicted, k), &of(&self.reference, k))).collect()
    }
}
