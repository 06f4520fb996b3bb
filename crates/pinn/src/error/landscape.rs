//! What a landscape refuses.

use crate::setting::InvalidSetting;
use thiserror::Error;

/// Why curvature or a surface could not be computed, and what to do about it.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages name every field")]
pub enum LandscapeError {
    /// A setting outside its range.
    #[error(transparent)]
    Setting(#[from] InvalidSetting),
    /// As many eigenvectors as there are dimensions.
    #[error("all {dimension} eigenvectors of the space are found; ask for fewer")]
    NoDirectionLeft { dimension: usize },
    /// NaN or infinity in a product.
    #[error("the curvature in iteration {iteration} is {value}; check that the loss is finite at these parameters")]
    NonFinite { iteration: usize, value: f64 },
    /// A direction of another space.
    #[error("direction {direction} has {found} numbers, but there are {expected} parameters")]
    DirectionLength { direction: usize, expected: usize, found: usize },
    /// A saved surface of another loss, or a damaged one.
    #[error("the surface does not belong to this loss: {what} differ; start a new one")]
    ForeignSurface { what: &'static str },
}
