//! The course of training as curves: loss by term, error, region size.

use ropinn::record::{Record, Row};
use ropinn_plot::{Curves, Dash, Figure, Panels, Rule, Series, SeriesStyle};

/// Loss and its terms, and the error below if it is known.
pub fn losses(record: &Record, title: &str) -> Option<Box<dyn Figure>> {
    if record.rows.is_empty() {
        return None;
    }
    let mut loss = curves("loss").with_series(series(record, "total", |row| Some(row.loss)));
    for (k, name) in record.part_names.iter().enumerate() {
        loss = loss.with_series(series(record, name, |row| row.parts.get(k).copied()));
    }
    let loss = with_phases(loss, record);
    let mut panels = Panels::stacked(title).with_subtitle(record.stop_reason.as_str()).with(loss);
    if record.rows.iter().any(|row| row.rmse.is_some()) {
        let error = curves("relative error").with_series(series(record, "rMSE", |row| row.rmse)).with_series(series(
            record,
            "rMAE",
            |row| row.rmae,
        ));
        panels = panels.with(with_phases(error, record));
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

fn series(record: &Record, name: &str, value: impl Fn(&Row) -> Option<f64>) -> Series {
    let point = |row: &Row| Some((row.iteration as f64, value(row)?));
    Series::new(name, record.rows.iter().filter_map(point).collect())
}

/// Marks where the next optimiser takes over.
fn with_phases(mut curves: Curves, record: &Record) -> Curves {
    for pair in record.rows.windows(2).filter(|pair| pair[0].phase != pair[1].phase) {
        let name = record.config.phases.0.get(pair[1].phase - 1).map_or("", |phase| phase.name());
        curves = curves.with_rule(Rule::AtX(pair[0].iteration as f64, name.to_owned()));
    }
    curves
}
