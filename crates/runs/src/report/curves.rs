//! Curves of several runs in one figure each.

use super::ReportedRun;
use ropinn_plot::{Curves, Figure, Legend, PlotError, Series};
use std::collections::BTreeSet;

/// A figure and what it shows.
pub struct Comparison {
    /// Heading on the page.
    pub heading: String,
    /// The picture.
    pub svg: String,
}

/// Trained loss, error, region size and trained numbers over iterations; those that no run has are left out.
pub fn compare(runs: &[ReportedRun]) -> Result<Vec<Comparison>, PlotError> {
    let wanted = [
        ("Trained loss", "trained loss", "trained_loss"),
        ("Relative error (rMSE)", "rMSE", "rmse"),
        ("Region size", "region size R (coordinate units)", "region_size"),
    ];
    let mut figures = Vec::new();
    for (heading, label, column) in wanted {
        let curves = Curves::new("iteration (outer steps)", label).with_log_y();
        figures.extend(figure(runs, heading.to_owned(), curves, column, |value| value > 0.0)?);
    }
    let trained: BTreeSet<&str> = runs.iter().flat_map(|reported| reported.metrics.columns_of("trained")).collect();
    for name in trained {
        let curves = Curves::new("iteration (outer steps)", name);
        let (heading, column) = (format!("Trained number {name}"), format!("trained {name}"));
        figures.extend(figure(runs, heading, curves, &column, f64::is_finite)?);
    }
    Ok(figures)
}

/// A column of all runs that have something to show in it.
fn figure(
    runs: &[ReportedRun],
    heading: String,
    curves: Curves,
    column: &str,
    shows: impl Fn(f64) -> bool,
) -> Result<Option<Comparison>, PlotError> {
    let mut curves = curves.with_legend(Legend::Right);
    for reported in runs {
        let points = reported.metrics.over_iterations(column);
        if points.iter().any(|(_, value)| shows(*value)) {
            curves = curves.with_series(Series::new(reported.label.as_str(), points));
        }
    }
    if curves.series.is_empty() {
        return Ok(None);
    }
    match curves.to_svg_string() {
        Ok(svg) => Ok(Some(Comparison { heading, svg })),
        // Numbers that ran away cannot be drawn.
        Err(PlotError::NothingPositive { .. } | PlotError::NothingFinite { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
