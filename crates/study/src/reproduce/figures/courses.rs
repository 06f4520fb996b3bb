//! Curves over the course of training: region size, loss, error.

use super::Drawing;
use crate::error::StudyError;
use crate::reproduce::outcome::RowOutcome;
use crate::reproduce::scale::Scale;
use ropinn_plot::{Curves, OKABE_ITO, Panels, Series, SeriesStyle};
use ropinn_runs::folder::Metrics;

/// Rows in a moving average, as a share of all.
const WINDOW: usize = 20;

/// The course of one run, with the colour that stands for its row in every panel.
struct Course<'a> {
    row: &'a RowOutcome,
    metrics: Metrics,
    style: SeriesStyle,
}

impl Course<'_> {
    fn series(&self, points: Vec<(f64, f64)>) -> Series {
        Series::new(&self.row.row.method, points).with_style(self.style)
    }
}

/// The course of the first run of each row that has one.
fn courses(rows: &[RowOutcome]) -> Result<Vec<Course<'_>>, StudyError> {
    let with_runs = rows.iter().enumerate().filter_map(|(k, row)| Some((k, row, row.runs.first()?)));
    // A run carried over from elsewhere may have left its course behind.
    let with_course = with_runs.filter(|(_, _, run)| run.has_metrics());
    let course = |(k, row, run): (usize, _, &ropinn_runs::folder::FinishedRun)| {
        let style = SeriesStyle { colour: Some(OKABE_ITO[k % OKABE_ITO.len()]), ..SeriesStyle::default() };
        Ok(Course { row, metrics: run.metrics()?, style })
    };
    with_course.map(course).collect()
}

/// log₁₀(r/σ) as a moving average with its spread in time, trained loss and test error (Figure 2 of the paper).
pub fn region_size(rows: &[RowOutcome], scale: Scale) -> Result<Vec<Drawing>, StudyError> {
    let courses = courses(rows)?;
    let mut sizes = curves("log₁₀(r/σ)");
    for course in courses.iter().filter(|course| !course.row.row.is_point()) {
        let raw: Vec<(f64, f64)> = course.metrics.over_iterations("region_raw");
        let logs: Vec<(f64, f64)> =
            raw.into_iter().filter(|(_, raw)| *raw > 0.0).map(|(x, raw)| (x, raw.log10())).collect();
        let (means, spreads) = moving(&logs);
        let lower = means.iter().zip(&spreads).map(|((_, mean), spread)| mean - spread).collect();
        let upper = means.iter().zip(&spreads).map(|((_, mean), spread)| mean + spread).collect();
        sizes = sizes.with_series(course.series(means).with_band(lower, upper));
    }
    if sizes.series.is_empty() {
        return Ok(Vec::new());
    }
    let mut panels = Panels::stacked("Initial region size on reaction").with_subtitle(scale.words()).with(sizes);
    for (label, column) in [("trained loss", "trained_loss"), ("relative error (rMSE)", "rmse")] {
        panels = panels.with(over_training(label, column, &courses));
    }
    let description = "region size r/σ with moving average and spread, training loss and test error over training";
    Ok(vec![Drawing::new("region-size", description, panels)])
}

/// The error over training, a curve per row.
pub fn convergence(name: &str, title: &str, rows: &[RowOutcome], scale: Scale) -> Result<Vec<Drawing>, StudyError> {
    let courses = courses(rows)?;
    if courses.is_empty() {
        return Ok(Vec::new());
    }
    let curves = over_training("relative error (rMSE)", "rmse", &courses);
    let curves = curves.with_title(title).with_subtitle(scale.words());
    Ok(vec![Drawing::new(name, "test error over training, a curve per row of the table", curves)])
}

fn curves(label: &str) -> Curves {
    Curves::new("iteration (outer steps)", label)
}

fn over_training(label: &str, column: &str, courses: &[Course<'_>]) -> Curves {
    let mut figure = curves(label).with_log_y();
    for course in courses {
        figure = figure.with_series(course.series(course.metrics.over_iterations(column)));
    }
    figure
}

/// Means and standard deviations over a window that moves along.
fn moving(points: &[(f64, f64)]) -> (Vec<(f64, f64)>, Vec<f64>) {
    let half = (points.len() / WINDOW / 2).max(1);
    let window = |k: usize| &points[k.saturating_sub(half)..(k + half + 1).min(points.len())];
    let moments = |k: usize| {
        let own = window(k);
        let count = own.len() as f64;
        let mean = own.iter().map(|(_, y)| y).sum::<f64>() / count;
        let variance = own.iter().map(|(_, y)| (y - mean).powi(2)).sum::<f64>() / count;
        ((points[k].0, mean), variance.sqrt())
    };
    (0..points.len()).map(moments).unzip()
}

#[cfg(test)]
mod tests {
    use super::moving;

    #[test]
    fn moving_averages_follow_and_flatten() {
        let line: Vec<(f64, f64)> = (0..100).map(|k| (f64::from(k), 2.0 * f64::from(k))).collect();
        let (means, spreads) = moving(&line);
        assert_eq!(means[50], (50.0, 100.0));
        // Five values two apart: the population's spread is √8.
        assert!((spreads[50] - 8f64.sqrt()).abs() < 1e-12, "{}", spreads[50]);
        assert_eq!(moving(&[(0.0, 3.0)]), (vec![(0.0, 3.0)], vec![0.0]));
    }
}
