//! Errors as bars: a panel per benchmark, ours as bars, the paper's as diamonds.

use super::Drawing;
use crate::reproduce::benchmark::{Benchmark, title};
use crate::reproduce::experiment::Experiment;
use crate::reproduce::outcome::{RowOutcome, distinct};
use crate::reproduce::scale::Scale;
use ropinn_plot::{BarSeries, Bars, Panels};

/// Groups of bars: models with a bar per method, or methods alone where there is one model.
pub fn errors(experiment: Experiment, rows: &[RowOutcome], scale: Scale) -> Drawing {
    let mut panels = Panels::stacked(experiment.title()).with_subtitle(scale.words());
    for problem in distinct(rows.iter().map(|row| row.row.problem())) {
        let own: Vec<&RowOutcome> = rows.iter().filter(|row| row.row.problem() == problem).collect();
        panels = panels.with(panel(experiment, problem, &own));
    }
    let description = format!("errors of every method, ours and the paper's: {}", scale.words());
    Drawing::new(experiment.id(), description, panels)
}

fn panel(experiment: Experiment, problem: Benchmark, rows: &[&RowOutcome]) -> Bars {
    let models = distinct(rows.iter().map(|row| row.row.model()));
    let methods = distinct(rows.iter().map(|row| row.row.method.clone()));
    let published = |row: &RowOutcome| row.published(experiment, "rmse")?.value;
    let median = |row: &RowOutcome| row.rmse().map(|rmse| rmse.median);
    let spread = |row: &RowOutcome| row.rmse().filter(|_| row.runs.len() > 1).map(|rmse| rmse.std);
    let series = |name: &str, rows: Vec<Option<&&RowOutcome>>| {
        let take = |number: &dyn Fn(&RowOutcome) -> Option<f64>| {
            rows.iter().map(|row| row.and_then(|row| number(row))).collect()
        };
        BarSeries::new(name, take(&median)).with_spread(take(&spread)).with_marks(take(&published))
    };
    let label = "relative error (rMSE)";
    let bars = if let [model] = models[..] {
        // One model: every method is a group of its own.
        Bars::new(methods, label).with_series(series(title(model), rows.iter().map(Some).collect()))
    } else {
        let find = |model, method: &String| rows.iter().find(|r| r.row.model() == model && r.row.method == *method);
        let of = |method: &String| series(method, models.iter().map(|&model| find(model, method)).collect());
        methods.iter().fold(Bars::new(models.iter().map(|&model| title(model)), label), |b, m| b.with_series(of(m)))
    };
    bars.with_title(problem.name()).with_mark_name("paper").with_value_labels()
}
