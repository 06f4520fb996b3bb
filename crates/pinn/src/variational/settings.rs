//! Settings of variational residuals.

use super::VariationalError;
use crate::setting::require;
use serde::{Deserialize, Serialize};

/// Which integrals, and sizes along each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Variational {
    /// Where the derivatives are.
    pub form: Form,
    /// Elements.
    pub elements: usize,
    /// Test functions of an element.
    pub tests: usize,
    /// Quadrature points of an element, both of its ends included.
    pub quadrature: usize,
    /// What an element's integral is multiplied with.
    pub measure: Measure,
}

impl Default for Variational {
    /// 5 test functions and 10 points; 10 elements make 10 000 points in the plane, near the 10 201 of the usual grid.
    fn default() -> Self {
        Self { form: Form::Strong, elements: 10, tests: 5, quadrature: 10, measure: Measure::Elements }
    }
}

/// Where the derivatives of an equation are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// All on the solution, as published codes have it.
    #[default]
    Strong,
    /// One of each term on the test functions, by integration by parts.
    Weak,
}

/// What the sum over an element's quadrature points is multiplied with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// The volume Π h/2 of the element relative to [−1, 1]^D: true integrals.
    Volume,
    /// One over the number of elements, whatever the size of the box, as published codes do.
    #[default]
    Elements,
}

impl Variational {
    /// Refuses settings outside their ranges.
    pub fn validate(&self) -> Result<(), VariationalError> {
        let limits = [
            ("elements", self.elements, "from 1 to 10000", 1..=10_000),
            ("tests", self.tests, "from 1 to 64", 1..=64),
            ("quadrature", self.quadrature, "from 2 to 64", 2..=64),
        ];
        for (setting, value, needs, range) in limits {
            require("variational residuals", setting, value as f64, needs, range.contains(&value))?;
        }
        Ok(())
    }
}
