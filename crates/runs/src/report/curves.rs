//! Curves of several runs in one chart each, as data of the page.

use super::ReportedRun;
use crate::thinned::{Course, Thinned};
use serde::Serialize;
use std::collections::BTreeSet;

/// Groups of rows of each run: two numbers a column for each.
const MOST: usize = 150;

/// One chart: a column of all runs that have it.
#[derive(Serialize)]
pub struct Chart {
    /// Heading on the page.
    #[serde(skip)]
    pub heading: String,
    column: String,
    label: String,
    log: bool,
}

/// Trained loss, error, region size and trained numbers over iterations; those that no run has are left out.
pub fn charts(runs: &[ReportedRun]) -> Vec<Chart> {
    let wanted = [
        ("Trained loss", "trained loss", "trained_loss"),
        ("Relative error (rMSE)", "rMSE", "rmse"),
        ("Region size", "region size R (coordinate units)", "region_size"),
    ];
    let of_all = wanted.map(|(heading, label, column)| Chart {
        heading: heading.to_owned(),
        column: column.to_owned(),
        label: label.to_owned(),
        log: true,
    });
    let trained: BTreeSet<&str> = runs.iter().flat_map(|reported| reported.metrics.columns_of("trained")).collect();
    let of_numbers = trained.into_iter().map(|name| Chart {
        heading: format!("Trained number {name}"),
        column: format!("trained {name}"),
        label: name.to_owned(),
        log: false,
    });
    let shows = |chart: &Chart| {
        let drawn = |value: f64| if chart.log { value > 0.0 } else { value.is_finite() };
        let of =
            |reported: &ReportedRun| reported.metrics.over_iterations(&chart.column).iter().any(|(_, y)| drawn(*y));
        runs.iter().any(of)
    };
    of_all.into_iter().chain(of_numbers).filter(shows).collect()
}

/// The course of a run with the names of its columns, thinned.
pub fn course(reported: &ReportedRun) -> (Vec<String>, Course) {
    // Runs of version 0.1 call the trained loss `loss`.
    let name = |name: &str| if name == "loss" { "trained_loss".to_owned() } else { name.to_owned() };
    let (names, columns): (Vec<String>, Vec<Vec<f64>>) =
        reported.metrics.all().map(|(own, values)| (name(own), values)).unzip();
    let mut rows = Thinned::new(MOST);
    for k in 0..columns.first().map_or(0, Vec::len) {
        rows.push(columns.iter().map(|column| column[k]).collect());
    }
    (names, rows.course())
}
