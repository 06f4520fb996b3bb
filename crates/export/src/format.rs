//! The formats, and which one the ending of a file stands for.

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
    /// The format a file of this name has, if its ending says it.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
        match ending.as_deref() {
            Some("vti" | "vtu" | "pvd") => Some(Self::Vtk),
            Some("onnx") => Some(Self::Onnx),
            Some("npz") => Some(Self::Npz),
            Some("csv") => Some(Self::Csv),
            _ => None,
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
        assert_eq!(
            (of("a/u.VTI"), of("u.onnx"), of("u.pvd")),
            (Some(Format::Vtk), Some(Format::Onnx), Some(Format::Vtk))
        );
        assert_eq!((of("u.txt"), of("csv"), of("")), (None, None, None));
    }
}
