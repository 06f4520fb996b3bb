//! Errors as bars: a panel per benchmark, ours as bars, the paper's as diamonds.

use super::Drawing;
use crate::reproduce::benchmark::{Benchmark, title};
use crate::reproduce::experiment::Experiment;
use crate::reproduce::outcome::RowOutcome;
use crate::reproduce::scale::Scale;
use ropinn_plot::{BarSeries, Bars, Panels};

/// Groups of bars: models with a bar per method, or methods alone where there is one model.
pub fn errors(experiment: Experiment, rows: &[RowOutcome], scale: Scale) -> Drawing {
    let mut panels = Panels::stacked(experiment.title()).with_subtitle(scale.words());
    let mut problems: Vec<Benchmark> = Vec::new();
    for row in rows {
        if !problems.contains(&row.row.problem()) {
            problems.push(row.row.problem());
        }
    }
    for problem in problems {
        let own: Vec<&RowOutcome> = rows.iter().filter(|row| row.row.problem() == problem).collect();
        panels = panels.with(panel(experiment, problem, &own));
    }
    let description = format!("errors of every method, ours and the paper's: {}", scale.words());
    Drawing::new(experiment.id(), description, panels)
}

fn panel(experiment: Experiment, problem: Benchmark, rows: &[&RowOutcome]) -> Bars {
    let mut models = Vec::new();
    let mut methods = Vec::new();
    for row in rows {
        let model = row.row.model();
        if !models.contains(&model) {
            models.push(model);
        }
        if !methods.contains(&row.row.method) {
            methods.push(row.row.method.clone());
        }
    }
    let published = |row: &RowOutcome| row.published(experiment, "rmse")?.value;
    let median = |row: &RowOutcome| row.rmse().map(|rmse| rmse.median);
    let spread = |row: &RowOutcome| row.rmse().filter(|_| row.runs.len() > 1).map(|rmse| rmse.std);
    let bars = if models.len() == 1 {
        // One model: every method is a group of its own.
        let take = |number: &dyn Fn(&RowOutcome) -> Option<f64>| rows.iter().map(|row| number(row)).collect();
        let series =
            BarSeries::new(title(models[0]), take(&median)).with_spread(take(&spread)).with_marks(take(&published));
        Bars::new(methods, "relative error (rMSE)").with_series(series)
    } else {
        let mut bars = Bars::new(models.iter().map(|&model| title(model)), "relative error (rMSE)");
        for method in methods {
            let find = |model| rows.iter().find(|row| row.row.model() == model && row.row.method == method);
            let take = |number: &dyn Fn(&RowOutcome) -> Option<f64>| {
                models.iter().map(|&model| find(model).and_then(|row| number(row))).collect()
            };
            let series = BarSeries::new(&method, take(&median)).with_spread(take(&spread)).with_marks(take(&published));
            bars = bars.with_series(series);
        }
        bars
    };
    bars.with_title(problem.name()).with_mark_name("paper").with_value_labels()
}
