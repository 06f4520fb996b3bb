//! Everything that can go wrong between data and picture; each message names the culprit and the next step.

use crate::geometry::Size;
use std::path::PathBuf;

/// Why a figure or a table could not be made.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "messages name every field")]
pub enum PlotError {
    /// There is nothing to draw.
    #[error("{what} is empty; give it at least one value")]
    Empty { what: String },
    /// Two lists that go together differ in length.
    #[error("{what} has {got} values but {expected} are expected ({because})")]
    Length { what: String, got: usize, expected: usize, because: String },
    /// No value can be placed on a linear scale.
    #[error("{what} has no finite value; check whether the run diverged")]
    NothingFinite { what: String },
    /// No value can be placed on a logarithmic scale.
    #[error("{what} has no positive finite value for its logarithmic axis; use a linear axis")]
    NothingPositive { what: String },
    /// Grid nodes must increase strictly, since neighbours are interpolated.
    #[error(
        "axis `{axis}` does not increase at node {index} ({previous} then {value}); sort the nodes and drop repeats"
    )]
    NotIncreasing { axis: String, index: usize, previous: f64, value: f64 },
    /// Contour lines run from cell to cell of a grid.
    #[error(
        "contour lines need values on a grid, but those over `{}` and `{}` are scattered; leave the contours out or evaluate the field on a grid",
        axes[0], axes[1]
    )]
    ScatteredContours { axes: [String; 2] },
    /// A surface is seen from the side, neither edge-on nor from straight above.
    #[error(
        "a surface cannot be seen from azimuth {azimuth}° and elevation {elevation}°; give a finite azimuth and an elevation from 5° to 85°"
    )]
    View { azimuth: f64, elevation: f64 },
    /// The picture is too small for its labels, or too large for memory.
    #[error(
        "a picture of {width} × {height} pixels cannot be drawn; this figure needs between {min_width} × {min_height} and 16384 × 16384"
    )]
    Size { width: f64, height: f64, min_width: f64, min_height: f64 },
    /// A row of a table does not fit its columns.
    #[error("row {row} has {got} cells but the table has {expected} columns")]
    Row { row: usize, got: usize, expected: usize },
    /// The PNG encoder refused the pixels.
    #[error("the PNG encoder failed")]
    Encode(#[from] png::EncodingError),
    /// A picture that is not one of ours, or is damaged.
    #[error("the picture cannot be read: {0}; draw it again")]
    Decode(String),
    /// The file could not be written.
    #[error("cannot write `{}`: {source}; check that the folder exists and is writable", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

impl PlotError {
    /// No value can be placed on an axis.
    pub(crate) fn nothing_to_place(what: String, log: bool) -> Self {
        if log { Self::NothingPositive { what } } else { Self::NothingFinite { what } }
    }

    /// A frame that lacks so much width and height.
    pub(crate) fn too_small(frame: Size, lacking: Size) -> Self {
        let (min_width, min_height) = ((frame.width + lacking.width).ceil(), (frame.height + lacking.height).ceil());
        Self::Size { width: frame.width, height: frame.height, min_width, min_height }
    }
}
