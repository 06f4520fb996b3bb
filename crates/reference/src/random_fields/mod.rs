//! Random coefficients and first values that others can rebuild from a seed.
//!
//! [`LegacyNormal`] draws standard normal numbers as NumPy's legacy generator does (`twister`); [`gaussian_field`] makes a table with a
//! power law of wave numbers from them, [`TrigonometricField`] two periodic fields of few wave numbers.

mod gaussian;
mod normal;
mod trigonometric;
mod twister;

pub use gaussian::{GaussianField, gaussian_field};
pub use normal::LegacyNormal;
pub use trigonometric::{TrigonometricField, periodic_pair};
