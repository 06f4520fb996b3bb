//! Surfaces side by side on one range of heights, contours likewise, and the error maps.

use crate::error::StudyError;
use crate::reproduce::figures::Drawing;
use crate::reproduce::outcome::RowOutcome;
use crate::reproduce::scale::Scale;
use ropinn::landscape::Surface;
use ropinn_plot::{Axis, ContourLevels, FieldFigure, Panels};
use ropinn_runs::folder::{FinishedRun, solution_figure};

/// Heights of all surfaces together, so that they compare.
fn range(surfaces: &[(&str, &Surface)]) -> (f64, f64) {
    let values =
        || surfaces.iter().flat_map(|(_, surface)| &surface.total).copied().filter(|v| v.is_finite() && *v > 0.0);
    (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max))
}

/// Two pictures: the surfaces from the side and their contours from above. Rows of a surface are steps along the first
/// direction, so that α runs upwards.
pub fn surfaces(surfaces: &[(&str, &Surface)], scale: Scale) -> Vec<Drawing> {
    let (low, high) = range(surfaces);
    let title = "Loss around the trained weights";
    let mut side = Panels::in_columns(title, 2).with_subtitle(scale.words());
    let mut above = Panels::in_columns(title, 2).with_subtitle(scale.words());
    for (name, surface) in surfaces {
        let axes = || (Axis::new("β", surface.betas.clone()), Axis::new("α", surface.alphas.clone()));
        let (x, y) = axes();
        let figure = ropinn_plot::Surface::new(x, y, "loss", surface.total.clone()).with_title(*name);
        side = side.with(figure.with_log_z().with_range(low, high));
        let (x, y) = axes();
        let field = FieldFigure::new(x, y, surface.total.clone())
            .with_title(*name)
            .with_quantity("loss")
            .with_log_colours()
            .with_range(low, high)
            .with_contours(ContourLevels::Ticks)
            .with_marked_point(0.0, 0.0, "");
        above = above.with(field);
    }
    vec![
        Drawing::new("landscape-surface", "loss over the plane of largest curvature, from the side", side),
        Drawing::new("landscape-contours", "loss over the plane of largest curvature, from above", above),
    ]
}

/// Solutions and errors of the same runs.
pub fn errors(runs: &[(&RowOutcome, &FinishedRun)], scale: Scale) -> Result<Vec<Drawing>, StudyError> {
    let mut panels = Panels::stacked("Solutions at the centres").with_subtitle(scale.words());
    for (row, run) in runs.iter().filter(|(_, run)| run.has_weights()) {
        let range = row.row.problem().error_range();
        panels.figures.extend(solution_figure(run, &row.row.method, Some(range))?);
    }
    if panels.figures.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![Drawing::new("landscape-error", "solution and error of each run", panels)])
}
