//! How far a solution can be trusted, as data. Who judges, and by what, is not known here.

use super::nullable;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a solution is off by, as far as that can be told without a reference: relative to the solution, in root mean square.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimatedError {
    /// The whole.
    #[serde(deserialize_with = "nullable::number")]
    pub relative: f64,
    /// What the residual of the equations accounts for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equations: Option<f64>,
    /// What the conditions account for, as far as they are not met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<f64>,
    /// What the space in which it was estimated cannot resolve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<f64>,
    /// Residual on fresh points that the estimate leaves unexplained, in units of what there is (root mean square): far below 1
    /// it is a good one, above 1 it is none.
    #[serde(deserialize_with = "nullable::number")]
    pub unexplained: f64,
}

/// Whether to trust a solution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// In a word.
    pub word: Trust,
    /// Why, in words; what to try next comes with each.
    pub reasons: Vec<String>,
}

/// The verdict in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// The estimated error is small, and nothing speaks against the estimate.
    Trusted,
    /// It may be right or not: something is open.
    Doubtful,
    /// It is not a solution.
    Wrong,
}

impl fmt::Display for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Trusted => "trusted",
            Self::Doubtful => "doubtful",
            Self::Wrong => "wrong",
        })
    }
}
