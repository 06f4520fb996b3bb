//! The formats, and which one the ending of a file stands for.

use crate::error::ExportError;
use std::fmt;
use std::path::Path;

/// What a run is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Grids for ParaView and VTK: `.vti`, `.vtu`, and `.pvd` for a series in time.
    Vtk,
    /// The network as a graph of ONNX operators.
    Onnx,
    /// Arrays for NumPy.
    Npz,
    /// A table.
    Csv,
    /// The history of training as an event file.
    Tensorboard,
}

impl Format {
    /// The format a file of this name has.
    pub fn of(path: &Path) -> Result<Self, ExportError> {
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
        match ending.as_deref() {
            Some("vti" | "vtu" | "pvd") => Ok(Self::Vtk),
            Some("onnx") => Ok(Self::Onnx),
            Some("npz") => Ok(Self::Npz),
            Some("csv") => Ok(Self::Csv),
            _ => Err(ExportError::WhichFormat(path.to_owned())),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Vtk => "VTK",
            Self::Onnx => "ONNX",
            Self::Npz => "NPZ",
            Self::Csv => "CSV",
            Self::Tensorboard => "TensorBoard",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_say_the_format() {
        let of = |name: &str| Format::of(Path::new(name));
        assert_eq!(of("a/u.VTI").ok(), Some(Format::Vtk));
        assert_eq!(of("u.onnx").ok(), Some(Format::Onnx));
        let refused = "`u.txt` does not end in .vti, .vtu, .pvd, .onnx, .npz or .csv; name the format";
        assert_eq!(of("u.txt").unwrap_err().to_string(), refused);
    }
}
