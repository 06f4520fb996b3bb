//! References for other programs: arrays for NumPy (NPZ, a ZIP archive without compression) and points or grids for ParaView (legacy VTK).

use crate::error::RunError;
use crate::folder::to_npy;
use ropinn::problem::{EvaluationSet, Problem};
use ropinn_files::checksum;
use std::fmt::Write;
use std::path::Path;

/// Arrays `points` `[point][coordinate]` and one for each unknown.
pub fn npz(path: &Path, problem: &Problem, set: &EvaluationSet) -> Result<(), RunError> {
    let mut arrays = vec![("points".to_owned(), to_npy(set.axes, &set.points))];
    for (name, values) in of_unknowns(problem, set) {
        arrays.push((name, to_npy(1, &values)));
    }
    save(path, &zip(&arrays))
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

/// A ZIP archive of files `name.npy`, stored as they are.
fn zip(arrays: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    let long = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes();
    for (name, bytes) in arrays {
        let (name, offset) = (format!("{name}.npy"), archive.len());
        // Version 2.0, nothing special, stored, at the first date there is.
        let mut common = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        common.extend(checksum(bytes).to_le_bytes());
        common.extend([long(bytes.len()), long(bytes.len())].concat());
        common.extend(u16::try_from(name.len()).unwrap_or(u16::MAX).to_le_bytes());
        common.extend([0, 0]);
        archive.extend(b"PK\x03\x04");
        archive.extend(&common);
        archive.extend(name.as_bytes());
        archive.extend(bytes);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        // No remark, the first disk, no attributes.
        directory.extend([0; 10]);
        directory.extend(long(offset));
        directory.extend(name.as_bytes());
    }
    let (count, begin) = (u16::try_from(arrays.len()).unwrap_or(u16::MAX).to_le_bytes(), archive.len());
    let size = directory.len();
    archive.extend(directory);
    archive.extend(b"PK\x05\x06\x00\x00\x00\x00");
    archive.extend([count, count].concat());
    archive.extend([long(size), long(begin)].concat());
    archive.extend([0, 0]);
    archive
}
