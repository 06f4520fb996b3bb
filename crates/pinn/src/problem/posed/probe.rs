//! Residuals and places looked at point by point.

use super::super::{Problem, Trainable};
use ropinn_domain::{BoundaryPart, BoundaryTag, Layout};
use ropinn_expr::{Env, Expr, MultiIndex};

/// Outlines of more pieces are looked at as a whole.
pub(super) const MAX_PIECES: usize = 64;
/// Points on a piece of boundary, …
pub(super) const PROBES: usize = 16;
/// … or on the whole boundary of a shape whose pieces may hide each other.
const PROBES_OF_ALL: usize = 512;

/// First and last value of a coordinate inside the domain.
pub(super) fn ends(problem: &Problem, axis: usize) -> (f64, f64) {
    let around = problem.geometry.bounding_box();
    (around.low()[axis], around.high()[axis])
}

/// Some points of a piece of boundary, if any of it is seen.
pub(super) fn on_piece(problem: &Problem, tag: BoundaryTag) -> Option<Vec<f64>> {
    let draw = |part, count| problem.geometry.sample_boundary(part, count, &Layout::Halton, 0).ok();
    if problem.geometry.as_box().is_some() {
        return draw(BoundaryPart::Piece(tag), PROBES).map(|points| points.into_coords());
    }
    if problem.geometry.boundary_pieces().len() > MAX_PIECES {
        return None;
    }
    let points = draw(BoundaryPart::All, PROBES_OF_ALL)?;
    let own = points.iter().zip(points.tags()?).filter(|(_, seen)| **seen == tag).take(PROBES);
    let coords: Vec<f64> = own.flat_map(|(point, _)| point).copied().collect();
    (!coords.is_empty()).then_some(coords)
}

/// A value for a derivative of an unknown that no equation expects.
pub(super) fn some_value(field: usize, alpha: MultiIndex) -> f64 {
    0.61 + 0.13 * ((3 * field + alpha.axes().map(|axis| axis + 1).sum::<usize>()) % 7) as f64
}

/// The value of a residual for given unknowns, trained numbers being what they begin with.
pub(super) fn evaluate(
    problem: &Problem,
    residual: &Expr,
    point: &[f64],
    unknown: &dyn Fn(usize, MultiIndex, usize) -> f64,
) -> f64 {
    let trainables: Vec<f64> = problem.trainables.iter().map(Trainable::start).collect();
    let data = vec![0.57; residual.data_columns().last().map_or(0, |last| last + 1)];
    residual.eval(&Env::at(point).with_unknowns(unknown).with_trainables(&trainables).with_data(&data))
}
