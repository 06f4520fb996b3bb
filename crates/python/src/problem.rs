//! Problems: a text, and the tables it names.

use crate::arrays;
use crate::error::{Refused, of_problem};
use numpy::PyArray2;
use pyo3::prelude::*;
use ropinn::problem::{Choices, Inputs, Problem as Stated};
use ropinn_runs::RunError;
use ropinn_runs::target::Target;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A problem whose names, places and tables have been checked.
#[pyclass(frozen, module = "ropinn._ropinn")]
pub struct Problem {
    stated: Arc<Stated>,
    /// Its name in messages and configurations: a built-in one, or a path.
    origin: String,
}

/// Points, and the reference there.
type Evaluation<'py> = (Bound<'py, PyArray2<f64>>, Option<Bound<'py, PyArray2<f64>>>);

impl Problem {
    /// As runs take it.
    pub fn target(&self) -> Target {
        Target::Problem { name: self.origin.clone(), problem: self.stated.clone() }
    }

    /// A problem from somewhere else.
    pub fn of(stated: Arc<Stated>, origin: String) -> Self {
        Self { stated, origin }
    }
}

#[pymethods]
impl Problem {
    /// Reads a text. Tables it names are in `files`, or below `folder`.
    #[new]
    #[pyo3(signature = (text, origin, files, folder))]
    fn new(
        py: Python<'_>,
        text: &str,
        origin: String,
        files: BTreeMap<String, String>,
        folder: PathBuf,
    ) -> Result<Self, Refused> {
        let stated = py.detach(|| {
            let files = files.into_iter().map(|(name, text)| (name, Arc::from(text))).collect();
            Stated::from_toml_with(text, Path::new(&origin), Inputs::below(folder).holding(files))
        });
        Ok(Self { stated: Arc::new(stated.map_err(of_problem)?), origin })
    }

    /// A problem that comes with the library, from the text it had when it was opened.
    #[staticmethod]
    fn builtin(name: &str, text: Option<&str>) -> Result<Self, Refused> {
        let stated = match text {
            Some(text) => Stated::builtin_from(name, text),
            None => Stated::builtin(name),
        };
        let stated = stated.map_err(of_problem)?;
        Ok(Self { origin: stated.builtin_name().unwrap_or(name).to_owned(), stated: Arc::new(stated) })
    }

    /// What a name means, a built-in problem or a file, and what is chosen of it.
    #[staticmethod]
    fn open(
        py: Python<'_>,
        name: &str,
        variant: Option<String>,
        tables: Vec<(String, PathBuf)>,
    ) -> Result<Self, Refused> {
        match py.detach(|| Target::find_with(name, &Choices { variant, tables }))? {
            Target::Problem { name, problem } => {
                Ok(Self { origin: problem.builtin_name().map_or(name, str::to_owned), stated: problem })
            }
            Target::Run { path, problem, .. } => Ok(Self { stated: problem, origin: path.display().to_string() }),
        }
    }

    /// Names of the problems that come with the library.
    #[staticmethod]
    fn builtin_names() -> Vec<&'static str> {
        Stated::builtin_names()
    }

    /// Reads a problem file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> Result<Self, Refused> {
        let stated = py.detach(|| Stated::load(&path)).map_err(of_problem)?;
        Ok(Self { origin: path.display().to_string(), stated: Arc::new(stated) })
    }

    /// Short name.
    #[getter]
    fn name(&self) -> &str {
        &self.stated.name
    }

    /// Title.
    #[getter]
    fn title(&self) -> &str {
        &self.stated.title
    }

    /// Its name in messages.
    #[getter]
    fn origin(&self) -> &str {
        &self.origin
    }

    /// Its name among the problems that come with the library.
    #[getter]
    fn builtin_name(&self) -> Option<&'static str> {
        self.stated.builtin_name()
    }

    /// The text.
    #[getter]
    fn text(&self) -> &str {
        self.stated.source_text()
    }

    /// Names and ranges of the coordinates, in order.
    #[getter]
    fn coordinates(&self) -> Vec<(String, (f64, f64))> {
        self.stated.coordinate_names().iter().cloned().zip(self.stated.ranges()).collect()
    }

    /// The coordinate that is time.
    #[getter]
    fn time(&self) -> Option<&str> {
        self.stated.time_axis().map(|axis| self.stated.coordinate_names()[axis].as_str())
    }

    /// Names of the unknowns.
    #[getter]
    fn unknowns(&self) -> Vec<String> {
        self.stated.unknown_names().to_vec()
    }

    /// Names of the equations.
    #[getter]
    fn equations(&self) -> Vec<String> {
        self.stated.equations().map(|(name, _)| name.to_owned()).collect()
    }

    /// Numbers to be found, with their first values.
    #[getter]
    fn trainable(&self) -> Vec<(String, f64)> {
        self.stated.trainables().iter().map(|own| (own.name.clone(), own.first)).collect()
    }

    /// Whether a reference is known.
    #[getter]
    fn has_reference(&self) -> bool {
        self.stated.has_reference()
    }

    /// What looks wrong with it, in words.
    fn doubts(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.stated.doubts().iter().map(ToString::to_string).collect())
    }

    /// The texts of the tables it reads, by their names.
    fn files(&self) -> Result<BTreeMap<String, String>, Refused> {
        let text = |file: &ropinn::problem::InputFile| -> Result<(String, String), RunError> {
            Ok((file.name.clone(), String::from_utf8_lossy(&file.bytes()?).into_owned()))
        };
        Ok(self.stated.inputs().iter().map(text).collect::<Result<_, _>>()?)
    }

    /// Points at which errors are measured, and the reference there.
    fn evaluation<'py>(&self, py: Python<'py>) -> Result<Evaluation<'py>, Refused> {
        let set = py.detach(|| self.stated.evaluation()).map_err(of_problem)?;
        let unknowns = self.stated.unknown_names().len();
        let reference = set.reference.map(|values| arrays::matrix(py, values, unknowns)).transpose()?;
        Ok((arrays::matrix(py, set.points, set.axes)?, reference))
    }

    /// The reference at points: one array for each coordinate in, one column for each unknown out.
    fn reference<'py>(
        &self,
        py: Python<'py>,
        axes: Vec<numpy::PyReadonlyArray1<'py, f64>>,
    ) -> Result<Option<Bound<'py, PyArray2<f64>>>, Refused> {
        let points = arrays::interleaved(&axes)?;
        let values = py.detach(|| self.stated.reference_at(&points));
        Ok(values.map(|values| arrays::matrix(py, values, self.stated.unknown_names().len())).transpose()?)
    }
}
