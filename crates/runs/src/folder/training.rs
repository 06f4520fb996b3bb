//! The course of training as curves: trained loss by term and equation, error, trained numbers, region size.

use ropinn::record::{Record, Row};
use ropinn_plot::{Curves, Dash, Figure, Panels, Rule, Series, SeriesStyle};

/// The trained loss and what adds up to it; below the error if it is known, and trained numbers if there are any.
pub fn losses(record: &Record, title: &str) -> Option<Box<dyn Figure>> {
    if record.rows.is_empty() {
        return None;
    }
    let names = &record.names;
    let total = curves("trained loss").with_series(series(record, "total", |row| Some(row.loss)));
    let loss = with_each(total, record, &names.terms, |row| &row.parts);
    let loss = with_each(loss, record, &names.equations, |row| &row.equations);
    let loss = with_phases(loss, record);
    let mut panels = Panels::stacked(title).with_subtitle(record.stop_reason.as_str()).with(loss);
    if record.rows.iter().any(|row| row.rmse.is_some()) {
        let error = curves("relative error").with_series(series(record, "rMSE", |row| row.rmse)).with_series(series(
            record,
            "rMAE",
            |row| row.rmae,
        ));
        let unknowns: Vec<String> = names.unknowns.iter().map(|name| format!("rMSE of {name}")).collect();
        let error = with_each(error, record, &unknowns, |row| &row.rmse_by_unknown);
        panels = panels.with(with_phases(error, record));
    }
    if !names.trained.is_empty() {
        let numbers = Curves::new("iteration (outer steps)", "trained numbers");
        panels = panels.with(with_phases(with_each(numbers, record, &names.trained, |row| &row.trained), record));
    }
    Some(Box::new(panels))
}

/// The region size with its cap where that matters, and what sets it; `None` for points.
pub fn region(record: &Record, title: &str) -> Option<Box<dyn Figure>> {
    if record.rows.is_empty() || record.rows.iter().all(|row| row.region_size <= 0.0) {
        return None;
    }
    let cap = record.config.objective.region.cap;
    let mut size =
        curves("region size R (coordinate units)").with_series(series(record, "R", |row| Some(row.region_size)));
    if record.rows.iter().any(|row| row.region_raw > cap) {
        let raw = SeriesStyle { dash: Some(Dash::Dotted), ..SeriesStyle::default() };
        size = size
            .with_series(series(record, "r/σ before the cap", |row| Some(row.region_raw)).with_style(raw))
            .with_rule(Rule::AtY(cap, "cap".to_owned()));
    }
    let spread = curves("gradient spread σ").with_series(series(record, "", |row| Some(row.sigma)));
    Some(Box::new(Panels::stacked(title).with(with_phases(size, record)).with(spread)))
}

fn curves(label: &str) -> Curves {
    Curves::new("iteration (outer steps)", label).with_log_y()
}

/// A curve for each name.
fn with_each(curves: Curves, record: &Record, names: &[String], values: impl Fn(&Row) -> &[f64]) -> Curves {
    let each = names.iter().enumerate().map(|(k, name)| series(record, name, |row| values(row).get(k).copied()));
    each.fold(curves, Curves::with_series)
}

fn series(record: &Record, name: &str, value: impl Fn(&Row) -> Option<f64>) -> Series {
    let point = |row: &Row| Some((row.iteration as f64, value(row)?));
    Series::new(name, record.rows.iter().filter_map(point).collect())
}

/// Marks where the next optimiser takes over.
fn with_phases(mut curves: Curves, record: &Record) -> Curves {
    for pair in record.rows.windows(2).filter(|pair| pair[0].phase != pair[1].phase) {
        let name = record.config.phases.0.get(pair[1].phase - 1).map_or("polish", |phase| phase.name());
        curves = curves.with_rule(Rule::AtX(pair[0].iteration as f64, name.to_owned()));
    }
    curves
}
