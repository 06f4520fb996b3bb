//! Arrays in and out. What comes in is copied before the interpreter is let go: somebody may write to it meanwhile.

use crate::error::Refused;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

/// Points `[point][axis]` from one array for each axis, all of the same length.
pub fn interleaved(axes: &[PyReadonlyArray1<'_, f64>]) -> PyResult<Vec<f64>> {
    let columns = axes.iter().map(|axis| axis.as_slice().map_err(PyErr::from)).collect::<PyResult<Vec<_>>>()?;
    let count = columns.first().map_or(0, |column| column.len());
    if columns.iter().any(|column| column.len() != count) {
        return Err(Refused::new("the coordinates differ in length").into());
    }
    let mut points = vec![0.0; count * columns.len()];
    match columns[..] {
        // The usual case, which the compiler turns into shuffles.
        [x, y] => points.chunks_exact_mut(2).zip(x.iter().zip(y)).for_each(|(point, (x, y))| {
            (point[0], point[1]) = (*x, *y);
        }),
        _ => columns.iter().enumerate().for_each(|(axis, column)| {
            let places = points[axis..].iter_mut().step_by(columns.len());
            places.zip(*column).for_each(|(place, value)| *place = *value);
        }),
    }
    Ok(points)
}

/// A list of numbers.
pub fn array(py: Python<'_>, values: Vec<f64>) -> Bound<'_, PyArray1<f64>> {
    values.into_pyarray(py)
}

/// Numbers in rows of `columns`.
pub fn matrix(py: Python<'_>, values: Vec<f64>, columns: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let rows = values.len() / columns.max(1);
    values.into_pyarray(py).reshape([rows, columns])
}
