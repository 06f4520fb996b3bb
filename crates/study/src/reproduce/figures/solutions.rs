//! Predicted solution, exact solution and error of trained models (Figure 9).

use super::Drawing;
use crate::error::StudyError;
use crate::reproduce::benchmark::title;
use crate::reproduce::outcome::RowOutcome;
use crate::reproduce::scale::Scale;
use ropinn_plot::Panels;
use ropinn_runs::folder::{FinishedRun, solution_figure};

/// A picture per problem and model: points above, regions below.
pub fn showcase(rows: &[RowOutcome], scale: Scale) -> Result<Vec<Drawing>, StudyError> {
    let mut drawings = Vec::new();
    for pair in rows.chunks(2) {
        let (problem, model) = (pair[0].row.problem(), pair[0].row.model());
        let title = format!("{}, {}", problem.name(), title(model));
        let mut panels = Panels::stacked(title.as_str()).with_subtitle(scale.words());
        for row in pair {
            // A run carried over from elsewhere may have left its weights behind.
            let Some(run) = row.runs.first().filter(|run| run.has_weights()) else { continue };
            let subtitle = format!("{}, seed {}, rMSE {}", row.row.method, run.result.seed, rmse(run));
            panels.figures.extend(solution_figure(run, &subtitle, Some(problem.error_range()))?);
        }
        if !panels.figures.is_empty() {
            let name = format!("showcase-{}-{}", problem.name(), model.name());
            drawings.push(Drawing::new(name, format!("solution and error of {title}"), panels));
        }
    }
    Ok(drawings)
}

fn rmse(run: &FinishedRun) -> String {
    run.result.rmse.map_or_else(|| "not finite".to_owned(), |rmse| ropinn_plot::sig(rmse, 3))
}
