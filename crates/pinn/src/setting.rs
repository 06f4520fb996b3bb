//! Refusing a setting outside its range, for whatever has settings of its own.

use thiserror::Error;

/// A setting outside its range.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("setting `{setting}` of {of} is {value}; it must be {needs}")]
pub struct InvalidSetting {
    /// Whose setting it is.
    pub of: &'static str,
    /// The setting.
    pub setting: &'static str,
    /// Its value.
    pub value: f64,
    /// The accepted range, in words.
    pub needs: &'static str,
}

/// Refuses a setting unless it is finite and `holds`.
pub(crate) fn require(
    of: &'static str,
    setting: &'static str,
    value: f64,
    needs: &'static str,
    holds: bool,
) -> Result<(), InvalidSetting> {
    if holds && value.is_finite() { Ok(()) } else { Err(InvalidSetting { of, setting, value, needs }) }
}

/// Refuses 0.
pub(crate) fn require_positive(of: &'static str, setting: &'static str, value: usize) -> Result<(), InvalidSetting> {
    require(of, setting, value as f64, "at least 1", value >= 1)
}
