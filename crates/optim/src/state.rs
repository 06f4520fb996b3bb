//! An optimiser's memory as named plain numbers, so that any file format can carry it.

use std::collections::BTreeMap;

use crate::OptimError;

/// Everything an optimiser's next step depends on, apart from its configuration and θ.
///
/// Restoring it with [`Optimizer::load`](crate::Optimizer::load) continues the run bit for bit, provided the carrier
/// keeps every `f64` exactly.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// [`Optimizer::name`](crate::Optimizer::name) of the optimiser that saved.
    pub optimizer: String,
    /// Named vectors.
    pub vectors: BTreeMap<String, Vec<f64>>,
    /// Named real numbers.
    pub scalars: BTreeMap<String, f64>,
    /// Named counters.
    pub counts: BTreeMap<String, u64>,
}

impl State {
    /// An empty state of the named optimiser.
    pub fn new(optimizer: &str) -> Self {
        Self { optimizer: optimizer.to_owned(), ..Self::default() }
    }

    /// Adds a vector.
    pub fn with_vector(mut self, entry: &str, values: Vec<f64>) -> Self {
        self.vectors.insert(entry.to_owned(), values);
        self
    }

    /// Adds a real number.
    pub fn with_scalar(mut self, entry: &str, value: f64) -> Self {
        self.scalars.insert(entry.to_owned(), value);
        self
    }

    /// Adds a counter.
    pub fn with_count(mut self, entry: &str, value: u64) -> Self {
        self.counts.insert(entry.to_owned(), value);
        self
    }

    pub(crate) fn expect_optimizer(&self, expected: &'static str) -> Result<(), OptimError> {
        if self.optimizer == expected {
            return Ok(());
        }
        Err(OptimError::WrongOptimizer { expected, found: self.optimizer.clone() })
    }

    /// The vector `entry`, which must hold `length` numbers.
    pub(crate) fn vector(&self, entry: &'static str, length: usize) -> Result<&[f64], OptimError> {
        let values = self.vectors.get(entry).ok_or_else(|| self.missing(entry))?;
        if values.len() == length {
            return Ok(values);
        }
        Err(OptimError::WrongLength { optimizer: self.optimizer.clone(), entry, expected: length, found: values.len() })
    }

    /// The number under that name.
    pub fn scalar(&self, entry: &'static str) -> Result<f64, OptimError> {
        self.scalars.get(entry).copied().ok_or_else(|| self.missing(entry))
    }

    pub(crate) fn count(&self, entry: &'static str) -> Result<u64, OptimError> {
        self.counts.get(entry).copied().ok_or_else(|| self.missing(entry))
    }

    fn missing(&self, entry: &'static str) -> OptimError {
        OptimError::MissingEntry { optimizer: self.optimizer.clone(), entry }
    }
}
