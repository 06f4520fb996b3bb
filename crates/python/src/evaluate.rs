//! Loss, gradient and errors of given weights.

use crate::error::Refused;
use crate::given::Given;
use crate::{options, pools};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ropinn_runs::RunError;
use ropinn_runs::evaluate::{Options, Report};

/// What the weights are worth on a target, as JSON.
#[pyfunction]
#[pyo3(signature = (target, options))]
pub fn evaluate(py: Python<'_>, target: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> Result<String, Refused> {
    let given = Given(options);
    let threads = pools::shared(given.count("threads")?.unwrap_or(0))?;
    let options = Options {
        target: target.str()?.to_string(),
        model: options::model(&given)?,
        weights: given.path("init_from")?,
        precision: options::precision(&given)?,
        seed: given.whole("seed")?,
        set: given.texts("set")?.unwrap_or_default(),
    };
    let target = options::target(target)?;
    let report = py.detach(|| Report::on(&options, target, &threads))?;
    Ok(serde_json::to_string(&report).map_err(|error| RunError::Print(error.into()))?)
}
