//! The final error against a setting: T₀, samples per region, quadrature points; and against time.

use super::Drawing;
use crate::reproduce::benchmark::title;
use crate::reproduce::experiment::Experiment;
use crate::reproduce::method::{Aim, Method, Region};
use crate::reproduce::outcome::RowOutcome;
use crate::reproduce::scale::Scale;
use ropinn_plot::{Curves, Panels, Rule, Series, SeriesStyle, Trace};

fn dotted(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
    Series::new(name, points).with_style(SeriesStyle { trace: Trace::LineWithDots, ..SeriesStyle::default() })
}

/// Medians of the rows whose setting `of` reads.
fn medians(rows: &[&RowOutcome], of: impl Fn(Method) -> Option<f64>) -> Vec<(f64, f64)> {
    let point = |row: &&RowOutcome| Some((of(row.row.asked)?, row.rmse()?.median));
    let mut points: Vec<(f64, f64)> = rows.iter().filter_map(point).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// The error of points, as a line across.
fn with_point(curves: Curves, rows: &[&RowOutcome]) -> Curves {
    let point = rows.iter().find(|row| row.row.is_point());
    match point.and_then(|row| row.rmse()) {
        Some(rmse) => curves.with_rule(Rule::AtY(rmse.median, "point".to_owned())),
        None => curves,
    }
}

fn samples_of(method: Method) -> Option<f64> {
    match method.aim {
        Aim::Region(Region::Samples(_)) => Some(method.places() as f64),
        _ => None,
    }
}

/// Final region size and error against the number of samples, and the error against time (Figures 3 and 4).
pub fn samples(rows: &[RowOutcome], scale: Scale) -> Vec<Drawing> {
    let all: Vec<&RowOutcome> = rows.iter().collect();
    let errors = medians(&all, samples_of);
    let size = |row: &&RowOutcome| Some((samples_of(row.row.asked)?, row.last_region()?));
    let sizes: Vec<(f64, f64)> = all.iter().filter_map(size).collect();
    let mut drawings = Vec::new();
    if !errors.is_empty() {
        let label = "samples per region";
        let error = Curves::new(label, "relative error (rMSE)").with_series(dotted("", errors));
        let mut panels = Panels::stacked("Samples per region on reaction").with_subtitle(scale.words());
        if !sizes.is_empty() {
            panels = panels.with(Curves::new(label, "region size R at the end").with_series(dotted("", sizes)));
        }
        let description = "region size at the end and final error against samples per region";
        drawings.push(Drawing::new("samples", description, panels.with(with_point(error, &all))));
    }
    let labelled = |row: &&RowOutcome| {
        let time = row.statistics(|result| Some(result.seconds))?.median;
        Some(((time, row.rmse()?.median), format!("n = {}", samples_of(row.row.asked)?)))
    };
    let (points, labels): (Vec<(f64, f64)>, Vec<String>) = all.iter().filter_map(labelled).unzip();
    if !points.is_empty() {
        let dots = SeriesStyle { trace: Trace::Dots, ..SeriesStyle::default() };
        let curves = Curves::new("seconds of training", "relative error (rMSE)")
            .with_title("Efficiency of more samples on reaction")
            .with_subtitle(scale.words())
            .with_series(Series::new("", points).with_style(dots).with_labels(labels));
        drawings.push(Drawing::new("samples-efficiency", "final error against training time", curves));
    }
    drawings
}

/// The error against T₀, a panel per problem and model (Figure 8).
pub fn pasts(rows: &[RowOutcome], scale: Scale) -> Vec<Drawing> {
    let mut panels = Panels::in_columns("Gradients retained, T₀", 2).with_subtitle(scale.words());
    let mut groups: Vec<Vec<&RowOutcome>> = Vec::new();
    for row in rows {
        let same = |group: &&mut Vec<&RowOutcome>| {
            group[0].row.problem() == row.row.problem() && group[0].row.model() == row.row.model()
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    for group in groups {
        let (problem, model) = (group[0].row.problem(), group[0].row.model());
        let past = |method: Method| match method.aim {
            Aim::Region(Region::Past(past)) => Some(past as f64),
            _ => None,
        };
        let points = medians(&group, past);
        if points.is_empty() {
            continue;
        }
        let curves = Curves::new("T₀", "relative error (rMSE)").with_series(dotted("", points));
        let curves = curves.with_title(format!("{}, {}", problem.name(), title(model)));
        panels = panels.with(with_point(curves, &group));
    }
    if panels.figures.is_empty() {
        return Vec::new();
    }
    vec![Drawing::new("t0", "final error against the number of retained gradients", panels)]
}

/// Monte Carlo against Gauss quadrature, ours and the paper's (Table 7).
pub fn quadrature(experiment: Experiment, rows: &[RowOutcome], scale: Scale) -> Vec<Drawing> {
    let all: Vec<&RowOutcome> = rows.iter().collect();
    let gauss = |method: Method| match method.aim {
        Aim::Region(Region::Gauss(_)) => Some(method.places() as f64),
        _ => None,
    };
    let published = |of: &dyn Fn(Method) -> Option<f64>| {
        let point = |row: &&RowOutcome| Some((of(row.row.asked)?, row.published(experiment, "rmse")?.value?));
        all.iter().filter_map(point).collect::<Vec<_>>()
    };
    let mut curves = Curves::new("places per region", "relative error (rMSE)")
        .with_title("Monte Carlo against Gauss quadrature on reaction")
        .with_subtitle(scale.words());
    for (name, points) in [
        ("Monte Carlo", medians(&all, samples_of)),
        ("Gauss", medians(&all, gauss)),
        ("Monte Carlo, paper", published(&samples_of)),
        ("Gauss, paper", published(&gauss)),
    ] {
        if !points.is_empty() {
            curves = curves.with_series(dotted(name, points));
        }
    }
    vec![Drawing::new("quadrature", "final error of both estimators against places per region", curves)]
}
