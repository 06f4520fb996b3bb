//! A coordinate of a field, and what its values must obey.

use std::cmp::Ordering;

use crate::error::PlotError;

/// A coordinate: its name and, for every node or point, its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Name shown along the axis.
    pub label: String,
    /// Unit shown in brackets after the name.
    pub unit: Option<String>,
    /// Grid nodes in increasing order, or one coordinate per scattered point.
    pub values: Vec<f64>,
}

impl Axis {
    /// An axis without a unit.
    pub fn new(label: impl Into<String>, values: Vec<f64>) -> Self {
        Self { label: label.into(), unit: None, values }
    }

    /// Names the unit.
    #[must_use]
    pub fn with_unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }
}

pub(crate) fn check_not_empty(axis: &Axis) -> Result<(), PlotError> {
    if axis.values.is_empty() {
        return Err(PlotError::Empty { what: format!("axis `{}`", axis.label) });
    }
    Ok(())
}

/// Checks the nodes of a grid and says how many values belong on it, and why.
pub(crate) fn check_grid(x: &Axis, y: &Axis) -> Result<(usize, String), PlotError> {
    check_increasing(x)?;
    check_increasing(y)?;
    let (nx, ny) = (x.values.len(), y.values.len());
    Ok((nx * ny, format!("{nx} nodes of `{}` times {ny} of `{}`", x.label, y.label)))
}

fn check_increasing(axis: &Axis) -> Result<(), PlotError> {
    let fault = axis.values.windows(2).position(|pair| pair[0].partial_cmp(&pair[1]) != Some(Ordering::Less));
    fault.map_or(Ok(()), |k| {
        let (previous, value) = (axis.values[k], axis.values[k + 1]);
        Err(PlotError::NotIncreasing { axis: axis.label.clone(), index: k + 1, previous, value })
    })
}

pub(crate) fn check_length(what: &str, got: usize, expected: usize, because: String) -> Result<(), PlotError> {
    if got == expected { Ok(()) } else { Err(PlotError::Length { what: what.to_owned(), got, expected, because }) }
}
