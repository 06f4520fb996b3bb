//! Settings line searches share: the strong-Wolfe constants and tolerances that scale with the precision.

use ropinn_engine::Precision;
use ropinn_optim::StrongWolfe;
use serde::{Deserialize, Serialize};

/// Settings of the strong-Wolfe search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchConfig {
    /// Sufficient-decrease constant c₁.
    pub c1: f64,
    /// Curvature constant c₂.
    pub c2: f64,
    /// Interpolations after the first trial.
    pub trials: usize,
    /// Zooming ends once (bracket width) · max|d| is below this.
    pub bracket: f64,
}

impl SearchConfig {
    pub(super) fn of(search: StrongWolfe) -> Self {
        let StrongWolfe { c1, c2, max_iterations, width_tolerance } = search;
        Self { c1, c2, trials: max_iterations, bracket: width_tolerance }
    }

    pub(super) fn strong_wolfe(self) -> StrongWolfe {
        let Self { c1, c2, trials, bracket } = self;
        StrongWolfe { c1, c2, max_iterations: trials, width_tolerance: bracket }
    }
}

/// A tolerance: a number, or `"auto"` for one that scales with the precision.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "NumberOrWord", into = "NumberOrWord")]
pub enum ToleranceSetting {
    /// The published number in f32; smaller by √(ε₆₄/ε₃₂) in f64, where rounding permits to go on further.
    Auto,
    /// This number.
    Value(f64),
}

/// How a tolerance is written.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number or \"auto\"")]
enum NumberOrWord {
    Number(f64),
    Word(String),
}

impl From<ToleranceSetting> for NumberOrWord {
    fn from(setting: ToleranceSetting) -> Self {
        match setting {
            ToleranceSetting::Auto => Self::Word("auto".to_owned()),
            ToleranceSetting::Value(value) => Self::Number(value),
        }
    }
}

impl TryFrom<NumberOrWord> for ToleranceSetting {
    type Error = &'static str;

    fn try_from(written: NumberOrWord) -> Result<Self, &'static str> {
        match written {
            NumberOrWord::Number(value) => Ok(Self::Value(value)),
            NumberOrWord::Word(word) if word == "auto" => Ok(Self::Auto),
            NumberOrWord::Word(_) => Err("expected a number or \"auto\""),
        }
    }
}

impl ToleranceSetting {
    /// The number, where `published` is the one made for f32.
    pub(super) fn resolve(self, published: f64, precision: Precision) -> f64 {
        match (self, precision) {
            (Self::Value(value), _) => value,
            (Self::Auto, Precision::F32) => published,
            (Self::Auto, Precision::F64) => published * (f64::EPSILON / f64::from(f32::EPSILON)).sqrt(),
        }
    }
}
