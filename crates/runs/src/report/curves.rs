//! Curves of several runs in one figure each.

use super::ReportedRun;
use ropinn_plot::{Curves, Figure, Legend, PlotError, Series};

/// A figure and what it shows.
pub struct Comparison {
    /// Heading on the page.
    pub heading: &'static str,
    /// The picture.
    pub svg: String,
}

/// Loss, error and region size over iterations; those that no run has are left out.
pub fn compare(runs: &[ReportedRun]) -> Result<Vec<Comparison>, PlotError> {
    let wanted = [
        ("Loss", "loss", "loss"),
        ("Relative error (rMSE)", "rMSE", "rmse"),
        ("Region size", "region size R (coordinate units)", "region_size"),
    ];
    let mut figures = Vec::new();
    for (heading, label, column) in wanted {
        let mut curves = Curves::new("iteration (outer steps)", label).with_log_y().with_legend(Legend::Right);
        for reported in runs {
            let points = reported.metrics.over_iterations(column);
            if points.iter().any(|(_, value)| *value > 0.0) {
                curves = curves.with_series(Series::new(reported.label.as_str(), points));
            }
        }
        if curves.series.is_empty() {
            continue;
        }
        match curves.to_svg_string() {
            Ok(svg) => figures.push(Comparison { heading, svg }),
            // Numbers that ran away cannot be drawn.
            Err(PlotError::NothingPositive { .. } | PlotError::NothingFinite { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(figures)
}
