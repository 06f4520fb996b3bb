//! Keywords and what they must be.

use crate::error::Refused;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Keywords of one call; what is `None` is not given.
pub struct Given<'a, 'py>(pub &'a Bound<'py, PyDict>);

impl<'py> Given<'_, 'py> {
    /// What was given for a keyword.
    pub fn value(&self, key: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.0.get_item(key)?.filter(|value| !value.is_none()))
    }

    fn get<T: FromPyObjectOwned<'py>>(&self, key: &str, expected: &str) -> Result<Option<T>, Refused> {
        let Some(value) = self.value(key)? else { return Ok(None) };
        let found = || -> PyResult<String> { Ok(value.repr()?.to_string()) };
        match value.extract::<T>() {
            Ok(read) => Ok(Some(read)),
            Err(_) => Err(Refused::new(format!("{key} must be {expected}, found {}", found()?))),
        }
    }

    /// A text.
    pub fn text(&self, key: &str) -> Result<Option<String>, Refused> {
        self.get(key, "a text")
    }

    /// Several texts.
    pub fn texts(&self, key: &str) -> Result<Option<Vec<String>>, Refused> {
        self.get(key, "a list of texts")
    }

    /// A path, as a text or as Python's own.
    pub fn path(&self, key: &str) -> Result<Option<std::path::PathBuf>, Refused> {
        self.get(key, "a path")
    }

    /// A number.
    pub fn number(&self, key: &str) -> Result<Option<f64>, Refused> {
        self.get(key, "a number")
    }

    /// A whole number from zero.
    pub fn whole(&self, key: &str) -> Result<Option<u64>, Refused> {
        self.get(key, "a whole number")
    }

    /// A whole number above zero.
    pub fn count(&self, key: &str) -> Result<Option<usize>, Refused> {
        match self.get(key, "a whole number")? {
            Some(0) => Err(Refused::new(format!("{key} is 0; it must be at least 1"))),
            count => Ok(count),
        }
    }

    /// True or false; false unless given.
    pub fn flag(&self, key: &str) -> Result<bool, Refused> {
        Ok(self.get(key, "True or False")?.unwrap_or(false))
    }

    /// Whole numbers in a list.
    pub fn wholes(&self, key: &str) -> Result<Option<Vec<u64>>, Refused> {
        self.get(key, "whole numbers, or a text such as \"0..4\" or \"0,3,7\"")
    }
}
