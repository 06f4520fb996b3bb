//! Finished runs: predictions, residuals, weights and the course of training, as arrays.

use crate::arrays;
use crate::error::Refused;
use crate::pools;
use crate::problem::Problem;
use numpy::{PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use ropinn::weights::read_weights;
use ropinn_runs::RunError;
use ropinn_runs::folder::{FinishedRun, names, problem_of};
use ropinn_runs::predict::RunPredictor;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Points that are computed at once; more would only take memory.
const BATCH: usize = 1 << 20;

/// What is predicted.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Wanted {
    Expressions(Vec<String>),
    Residuals,
}

/// A run that has ended.
#[pyclass(frozen, module = "ropinn._ropinn")]
pub struct Run {
    run: FinishedRun,
    threads: usize,
    /// What was asked for before: compiling is slower than a few points.
    ready: Mutex<HashMap<Wanted, Arc<Mutex<RunPredictor>>>>,
}

/// Arrays by name, in order.
type Named<A> = Vec<(String, A)>;

/// Values, how many of the points are outside the domain, and what the columns are.
type Predicted<'py> = (Bound<'py, PyArray2<f64>>, usize, Vec<String>);

impl Run {
    fn predictor(&self, wanted: &Wanted) -> Result<Arc<Mutex<RunPredictor>>, Refused> {
        let threads = pools::shared(self.threads)?;
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(predictor) = ready.get(wanted) {
            return Ok(predictor.clone());
        }
        let made = match wanted {
            Wanted::Expressions(list) => RunPredictor::new(&self.run, Some(&list.join(", ")), &threads)?,
            Wanted::Residuals => RunPredictor::residuals(&self.run, &threads)?,
        };
        let made = Arc::new(Mutex::new(made));
        ready.insert(wanted.clone(), made.clone());
        Ok(made)
    }

    fn values<'py>(
        &self,
        py: Python<'py>,
        wanted: Wanted,
        axes: &[PyReadonlyArray1<'py, f64>],
    ) -> Result<Predicted<'py>, Refused> {
        let (points, dimension) = (arrays::interleaved(axes)?, axes.len().max(1));
        let (values, outside, columns) = py.detach(|| -> Result<_, Refused> {
            let predictor = self.predictor(&wanted)?;
            let mut predictor = predictor.lock().unwrap_or_else(PoisonError::into_inner);
            let columns = predictor.wanted().to_vec();
            let mut batches = points.chunks(BATCH * dimension);
            let mut values = batches.next().map_or(Ok(Vec::new()), |batch| predictor.predict(batch))?;
            for batch in batches {
                values.extend(predictor.predict(batch)?);
            }
            Ok((values, predictor.outside(&points), columns))
        })?;
        Ok((arrays::matrix(py, values, columns.len())?, outside, columns))
    }
}

#[pymethods]
impl Run {
    /// Reads the folder of a finished run.
    #[new]
    #[pyo3(signature = (path, threads=0))]
    fn new(py: Python<'_>, path: PathBuf, threads: usize) -> Result<Self, Refused> {
        let run = py.detach(|| FinishedRun::load(&path))?;
        Ok(Self { run, threads, ready: Mutex::default() })
    }

    /// Its folder.
    #[getter]
    fn path(&self) -> PathBuf {
        self.run.path.clone()
    }

    /// Its configuration, as TOML.
    #[getter]
    fn config(&self) -> String {
        self.run.config.to_toml()
    }

    /// The problem it is about.
    fn problem(&self, py: Python<'_>) -> Result<Problem, Refused> {
        let config = &self.run.config;
        let problem = py.detach(|| problem_of(config, &self.run.path))?;
        Ok(Problem::of(Arc::new(problem), config.problem.name.clone()))
    }

    /// Expressions of the unknowns at points: one array for each coordinate.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        wanted: Vec<String>,
        axes: Vec<PyReadonlyArray1<'py, f64>>,
    ) -> Result<Predicted<'py>, Refused> {
        self.values(py, Wanted::Expressions(wanted), &axes)
    }

    /// Residuals of the equations at points.
    fn residuals<'py>(
        &self,
        py: Python<'py>,
        axes: Vec<PyReadonlyArray1<'py, f64>>,
    ) -> Result<Predicted<'py>, Refused> {
        self.values(py, Wanted::Residuals, &axes)
    }

    /// The course of training: names and columns.
    fn history<'py>(&self, py: Python<'py>) -> Result<Named<Bound<'py, PyArray1<f64>>>, Refused> {
        let metrics = py.detach(|| self.run.metrics())?;
        Ok(metrics.all().map(|(name, column)| (name.to_owned(), arrays::array(py, column))).collect())
    }

    /// Tensors of the weights by name.
    fn weights<'py>(&self, py: Python<'py>) -> Result<Named<Bound<'py, PyArrayDyn<f64>>>, Refused> {
        let path = self.run.path.join(names::WEIGHTS);
        let read = py.detach(|| read_weights(&path)).map_err(RunError::from)?;
        let tensor = |(name, tensor): (String, ropinn::weights::NamedTensor)| -> PyResult<_> {
            Ok((name, arrays::array(py, tensor.values).reshape(tensor.shape)?))
        };
        Ok(read.tensors.into_iter().map(tensor).collect::<PyResult<_>>()?)
    }

    /// Copies its folder.
    #[pyo3(signature = (path, overwrite=false))]
    fn save(&self, py: Python<'_>, path: PathBuf, overwrite: bool) -> Result<(), Refused> {
        py.detach(|| self.run.save_as(&path, overwrite))?;
        Ok(())
    }
}
