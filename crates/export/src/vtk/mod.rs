//! Grids for ParaView and VTK's XML readers: an image (VTI) over a box, cells cut by the geometry (VTU) elsewhere, and for evolutions a
//! series of them with their instants (PVD).
//!
//! A name that ends in `.vti` or `.vtu` asks for one file; an evolution then has time as its last coordinate, as far as there are three.

mod mesh;
mod series;
mod xml;

use crate::error::ExportError;
use crate::fields::{Fields, problem};
use crate::grid::{Grid, Order};
use crate::{Exported, Request};
use mesh::Mesh;
use ropinn::problem::Problem;
use ropinn_engine::Threads;
use ropinn_runs::folder::FinishedRun;
use series::Series;
use std::path::{Path, PathBuf};
use xml::{Array, Document};

/// What VTK has.
const MOST_AXES: usize = 3;

/// What the name of the file and the domain come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Image,
    Cells,
}

impl Kind {
    fn ending(self) -> &'static str {
        match self {
            Self::Image => "vti",
            Self::Cells => "vtu",
        }
    }
}

/// The solution on its grid, and where quantities are asked for: all coordinates but those that are fixed.
enum Shape {
    Image { nodes: Vec<Vec<f64>> },
    Cells(Mesh),
}

/// Writes one file, or a series.
pub fn write(run: &FinishedRun, request: &Request, threads: &Threads) -> Result<Exported, ExportError> {
    let problem = problem(run)?;
    let (kind, evolves, path) = plan(&problem, &request.out)?;
    let axes = problem.coordinate_names().len() - usize::from(evolves);
    if axes > MOST_AXES {
        let (problem, axes) =
            (problem.name.clone(), problem.coordinate_names().len() - usize::from(problem.time_axis().is_some()));
        return Err(ExportError::TooManyAxes { problem, axes });
    }
    request.free(&path)?;
    let series = evolves.then(|| Series::new(&path, kind.ending()));
    series.iter().try_for_each(|series| request.free(&series.folder))?;
    let grid = Grid::new(&problem, request.grid.as_ref())?;
    let mut fields = Fields::new(run, request, threads)?;
    let nodes: usize = grid.counts()[..axes].iter().product();
    grid.check_memory(nodes, fields.names().len())?;
    let shape = match kind {
        Kind::Image => Shape::Image { nodes: grid.nodes[..axes].to_vec() },
        Kind::Cells => {
            let fixed: Vec<f64> =
                grid.nodes[axes..].iter().map(|nodes| 0.5 * (nodes[0] + nodes[nodes.len() - 1])).collect();
            let distance = |place: &[f64]| problem.geometry().signed_distance(&[place, &fixed].concat());
            let mesh = Mesh::inside(&grid.nodes[..axes], distance);
            if mesh.cells.is_empty() {
                return Err(ExportError::NothingInside(grid.text()));
            }
            Shape::Cells(mesh)
        }
    };
    let places = match &shape {
        Shape::Image { .. } => grid.points(0..nodes, Order::FirstFastest),
        Shape::Cells(mesh) => mesh.points.clone(),
    };
    // The grid has all coordinates; the first so many of each of its first points are the places.
    let stride = if kind == Kind::Image { grid.nodes.len() } else { axes };
    let mut at = |instant: &[f64]| -> Result<Document, ExportError> {
        let points: Vec<f64> =
            places.chunks_exact(stride).flat_map(|place| place[..axes].iter().chain(instant)).copied().collect();
        let values = fields.at(&points, axes + instant.len())?;
        let width = fields.names().len();
        let arrays = fields
            .names()
            .iter()
            .enumerate()
            .map(|(k, name)| Array::floats(name, 1, values.iter().skip(k).step_by(width).copied()));
        Ok(shape.document(arrays.collect()))
    };
    let files = match series {
        None => {
            at(&[])?.save(&path)?;
            vec![path]
        }
        Some(series) => series.write(&path, &grid.nodes[axes], |instant| at(&[instant]))?,
    };
    Ok(Exported { files, remarks: fields.remarks })
}

/// Which files a name stands for, and whether they are a series in time.
fn plan(problem: &Problem, out: &Path) -> Result<(Kind, bool, PathBuf), ExportError> {
    let is_box = problem.geometry().as_box().is_some();
    let usual = if is_box { Kind::Image } else { Kind::Cells };
    let evolves = problem.time_axis().is_some() && problem.coordinate_names().len() > 1;
    let refused = |what, advice| Err(ExportError::WrongEnding { path: out.to_owned(), what, advice });
    let ending = out.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
    match ending.as_deref() {
        None if evolves => Ok((usual, true, out.with_extension("pvd"))),
        None => Ok((usual, false, out.with_extension(usual.ending()))),
        Some("pvd") if evolves => Ok((usual, true, out.to_owned())),
        Some("pvd") => refused("a solution without time", if is_box { "end it in .vti" } else { "end it in .vtu" }),
        Some("vti" | "vtu") if problem.coordinate_names().len() > MOST_AXES && evolves => {
            refused("three coordinates and time", "end it in .pvd")
        }
        Some("vti") if !is_box => refused("a domain that is no box", "end it in .vtu"),
        Some("vti") => Ok((Kind::Image, false, out.to_owned())),
        Some("vtu") => Ok((Kind::Cells, false, out.to_owned())),
        Some(_) => refused("the XML of VTK", "end it in .vti, .vtu or .pvd"),
    }
}

impl Shape {
    /// The file with these arrays, one number for each point.
    fn document(&self, arrays: Vec<Array>) -> Document {
        match self {
            Self::Image { nodes } => Document::image(nodes, arrays),
            Self::Cells(mesh) => Document::cells(mesh, arrays),
        }
    }
}
