//! Numbers that were found along with a solution, and the readings they were found from, as data.

use super::nullable;
use serde::{Deserialize, Deserializer, Serialize};

/// A number that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trained {
    /// The number.
    pub value: f64,
    /// The standard deviation that noise in the readings gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// Where the interval begins that holds the truth with a probability of 95 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Where it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Why there is no interval, or what is to be said about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

impl Trained {
    /// A number of which nothing else is known.
    pub fn plain(value: f64) -> Self {
        Self { value, standard_error: None, low: None, high: None, remark: None }
    }
}

impl<'de> Deserialize<'de> for Trained {
    /// Earlier versions kept the number alone.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Whole {
            #[serde(deserialize_with = "nullable::number")]
            value: f64,
            standard_error: Option<f64>,
            low: Option<f64>,
            high: Option<f64>,
            remark: Option<String>,
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Kept {
            Whole(Whole),
            Number(Option<f64>),
        }
        Ok(match Kept::deserialize(from)? {
            Kept::Whole(Whole { value, standard_error, low, high, remark }) => {
                Self { value, standard_error, low, high, remark }
            }
            Kept::Number(value) => Self::plain(value.unwrap_or(f64::NAN)),
        })
    }
}

/// A column of readings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The condition, and the column if there are several.
    pub name: String,
    /// How many there are.
    pub count: usize,
    /// The standard deviation of their noise, as estimated from how they scatter around the solution; in units of what was said
    /// of it where something was.
    #[serde(deserialize_with = "nullable::number")]
    pub noise: f64,
    /// Whether the noise was said to be known.
    pub known: bool,
}
