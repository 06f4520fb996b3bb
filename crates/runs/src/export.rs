//! References for other programs: arrays for NumPy (NPZ) and points or grids for ParaView (legacy VTK).

use crate::arrays::{self, npy_rows};
use crate::error::RunError;
use ropinn::problem::{EvaluationSet, Problem};
use std::fmt::Write;
use std::path::Path;

/// Arrays `points` `[point][coordinate]` and one for each unknown.
pub fn npz(path: &Path, problem: &Problem, set: &EvaluationSet) -> Result<(), RunError> {
    let mut arrays = vec![("points".to_owned(), npy_rows(set.axes, &set.points))];
    for (name, values) in of_unknowns(problem, set) {
        arrays.push((name, npy_rows(1, &values)));
    }
    save(path, &arrays::npz(&arrays))
}

/// A rectilinear grid where the points are one, NaN where it has no point; a cloud of points elsewhere.
pub fn vtk(path: &Path, problem: &Problem, set: &EvaluationSet) -> Result<(), RunError> {
    if set.axes > 3 {
        return Err(RunError::TooManyAxes(problem.name.clone(), set.axes));
    }
    let title: String = problem.title.chars().filter(char::is_ascii).take(200).collect();
    let mut text = format!("# vtk DataFile Version 3.0\n{title}\nASCII\n");
    let numbers =
        |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(" ").replace("NaN", "nan");
    let count = match &set.grid {
        Some(grid) => {
            let nodes = |axis: usize| grid.nodes.get(axis).cloned().unwrap_or_else(|| vec![0.0]);
            let counts: Vec<String> = (0..3).map(|axis| nodes(axis).len().to_string()).collect();
            let _ = writeln!(text, "DATASET RECTILINEAR_GRID\nDIMENSIONS {}", counts.join(" "));
            for (axis, name) in ["X", "Y", "Z"].into_iter().enumerate() {
                let _ = writeln!(text, "{name}_COORDINATES {} double\n{}", nodes(axis).len(), numbers(&nodes(axis)));
            }
            grid.counts.iter().product()
        }
        None => {
            let _ = writeln!(text, "DATASET POLYDATA\nPOINTS {} double", set.len());
            for point in set.points.chunks_exact(set.axes) {
                let mut place = [0.0; 3];
                place[..set.axes].copy_from_slice(point);
                let _ = writeln!(text, "{}", numbers(&place));
            }
            set.len()
        }
    };
    let _ = writeln!(text, "POINT_DATA {count}");
    for (name, values) in of_unknowns(problem, set) {
        let mut all = vec![f64::NAN; count];
        for (k, value) in values.into_iter().enumerate() {
            all[set.grid.as_ref().map_or(k, |grid| grid.cells[k])] = value;
        }
        let _ = writeln!(text, "SCALARS {name} double 1\nLOOKUP_TABLE default\n{}", numbers(&all));
    }
    save(path, text.as_bytes())
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    ropinn_files::write(path, bytes).map_err(|error| RunError::NotSaved(path.to_owned(), error.to_string()))
}

/// The values of each unknown that has any.
fn of_unknowns(problem: &Problem, set: &EvaluationSet) -> Vec<(String, Vec<f64>)> {
    let (names, reference) = (problem.unknown_names(), set.reference.as_deref().unwrap_or_default());
    let referenced = problem.referenced();
    let own = |k: usize| reference.iter().skip(k).step_by(names.len()).copied().collect();
    (0..names.len()).filter(|&k| referenced[k]).map(|k| (names[k].clone(), own(k))).collect()
}
