//! VTK's XML files: a head that says what follows, then all numbers as they are in memory (appended, raw, little endian, each array
//! after its length in bytes).

use super::mesh::Mesh;
use crate::error::ExportError;
use std::fmt::Write as _;
use std::path::Path;

/// Numbers with a name.
pub struct Array {
    name: String,
    kind: &'static str,
    /// Numbers for each point or cell.
    components: usize,
    bytes: Vec<u8>,
}

impl Array {
    pub fn floats(name: &str, components: usize, values: impl Iterator<Item = f64>) -> Self {
        Self::new(name, "Float64", components, values.flat_map(f64::to_le_bytes).collect())
    }

    fn wholes(name: &str, values: impl Iterator<Item = usize>) -> Self {
        Self::new(name, "Int64", 1, values.flat_map(|value| (value as i64).to_le_bytes()).collect())
    }

    fn new(name: &str, kind: &'static str, components: usize, bytes: Vec<u8>) -> Self {
        Self { name: name.to_owned(), kind, components, bytes }
    }
}

/// One file.
pub struct Document {
    head: String,
    blocks: Vec<Vec<u8>>,
}

impl Document {
    /// A regular grid of nodes along up to three coordinates.
    pub fn image(nodes: &[Vec<f64>], arrays: Vec<Array>) -> Self {
        let of = |axis: usize| {
            nodes.get(axis).map_or((0, 0.0, 1.0), |own| {
                let last = own.len() - 1;
                (last, own[0], (own[last] - own[0]) / last as f64)
            })
        };
        let axes = [of(0), of(1), of(2)];
        let list = |text: &dyn Fn(&(usize, f64, f64)) -> String| axes.each_ref().map(text).join(" ");
        let extent = list(&|(last, ..)| format!("0 {last}"));
        let (origin, spacing) = (list(&|(_, low, _)| low.to_string()), list(&|(.., step)| step.to_string()));
        let mut document = Self::begun("ImageData");
        let _ =
            writeln!(document.head, "<ImageData WholeExtent=\"{extent}\" Origin=\"{origin}\" Spacing=\"{spacing}\">");
        let _ = writeln!(document.head, "<Piece Extent=\"{extent}\">");
        document.section("PointData", arrays);
        document.ended("ImageData")
    }

    /// Points and cells among them.
    pub fn cells(mesh: &Mesh, arrays: Vec<Array>) -> Self {
        let mut document = Self::begun("UnstructuredGrid");
        let (points, cells) = (mesh.points.len() / mesh.axes, mesh.cells.len());
        let _ = writeln!(
            document.head,
            "<UnstructuredGrid>\n<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">"
        );
        document.section("PointData", arrays);
        let place = |point: &[f64]| [0, 1, 2].map(|axis| point.get(axis).copied().unwrap_or(0.0));
        let places = mesh.points.chunks_exact(mesh.axes).flat_map(place);
        document.section("Points", vec![Array::floats("Points", 3, places)]);
        let mut end = 0;
        let ends = mesh.cells.iter().map(|cell| {
            end += cell.points.len();
            end
        });
        let ends = Array::wholes("offsets", ends);
        let corners = Array::wholes("connectivity", mesh.cells.iter().flat_map(|cell| cell.points.iter().copied()));
        let kinds = Array::new("types", "UInt8", 1, mesh.cells.iter().map(|cell| cell.kind as u8).collect());
        document.section("Cells", vec![corners, ends, kinds]);
        document.ended("UnstructuredGrid")
    }

    fn begun(kind: &str) -> Self {
        let head = format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"{kind}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
        );
        Self { head, blocks: Vec::new() }
    }

    fn section(&mut self, name: &str, arrays: Vec<Array>) {
        let _ = writeln!(self.head, "<{name}>");
        for array in arrays {
            let offset: usize = self.blocks.iter().map(|block| block.len() + size_of::<u64>()).sum();
            let (name, Array { kind, components, .. }) = (escaped(&array.name), &array);
            let _ = writeln!(
                self.head,
                "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{offset}\"/>"
            );
            self.blocks.push(array.bytes);
        }
        let _ = writeln!(self.head, "</{name}>");
    }

    fn ended(mut self, kind: &str) -> Self {
        let _ = write!(self.head, "</Piece>\n</{kind}>\n<AppendedData encoding=\"raw\">\n_");
        self
    }

    /// Writes the file, whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), ExportError> {
        let written = ropinn_files::write_with(path, |out| {
            out.write_all(self.head.as_bytes())?;
            for block in &self.blocks {
                out.write_all(&(block.len() as u64).to_le_bytes())?;
                out.write_all(block)?;
            }
            out.write_all(b"\n</AppendedData>\n</VTKFile>\n")
        });
        written.map_err(|error| ExportError::not_saved(path, &error))
    }
}

/// Text inside quotes of XML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
