//! The figures of the study, in the paper's form, each saying its scale.

mod bars;
mod courses;
mod values;

use super::benchmark::title;
use super::experiment::Experiment;
use super::outcome::RowOutcome;
use super::scale::Scale;
use crate::error::StudyError;
use ropinn_plot::{Figure, Panels, sig};
use ropinn_runs::folder::solution_figure;

/// A figure before it is drawn.
pub struct Drawing {
    /// Name of its files, without the ending.
    pub name: String,
    /// What it shows, for those who do not see it.
    pub description: String,
    /// The figure.
    pub figure: Box<dyn Figure>,
}

impl Drawing {
    /// A figure under a name.
    pub fn new(name: impl Into<String>, description: impl Into<String>, figure: impl Figure + 'static) -> Self {
        Self { name: name.into(), description: description.into(), figure: Box::new(figure) }
    }
}

/// The figures of an experiment, as far as its runs are done.
pub fn of(experiment: Experiment, rows: &[RowOutcome], scale: Scale) -> Result<Vec<Drawing>, StudyError> {
    if rows.iter().all(|row| row.runs.is_empty()) {
        return Ok(Vec::new());
    }
    Ok(match experiment {
        Experiment::Main | Experiment::Ablation | Experiment::Std | Experiment::Combine => {
            vec![bars::errors(experiment, rows, scale)]
        }
        Experiment::RegionSize => courses::region_size(rows, scale)?,
        Experiment::Samples => {
            let mut all = values::samples(rows, scale);
            all.extend(courses::convergence("samples-convergence", "Samples per region", rows, scale)?);
            all
        }
        Experiment::T0 => values::pasts(rows, scale),
        Experiment::Quadrature => values::quadrature(experiment, rows, scale),
        Experiment::Showcase => showcase(rows, scale)?,
        // It needs more than finished runs, and draws for itself.
        Experiment::Landscape => Vec::new(),
    })
}

/// A picture per problem and model (Figure 9): predicted solution, exact solution and error, points above, regions below.
fn showcase(rows: &[RowOutcome], scale: Scale) -> Result<Vec<Drawing>, StudyError> {
    let mut drawings = Vec::new();
    for pair in rows.chunks(2) {
        let (problem, model) = (pair[0].row.problem(), pair[0].row.model());
        let title = format!("{}, {}", problem.name(), title(model));
        let mut panels = Panels::stacked(title.as_str()).with_subtitle(scale.words());
        for row in pair {
            // A run carried over from elsewhere may have left its weights behind.
            let Some(run) = row.runs.first().filter(|run| run.has_weights()) else { continue };
            let rmse = run.result.rmse.map_or_else(|| "not finite".to_owned(), |rmse| sig(rmse, 3));
            let subtitle = format!("{}, seed {}, rMSE {rmse}", row.row.method, run.result.seed);
            panels.figures.extend(solution_figure(run, &subtitle, Some(problem.error_range()))?);
        }
        if !panels.figures.is_empty() {
            let name = format!("showcase-{}-{}", problem.name(), model.name());
            drawings.push(Drawing::new(name, format!("solution and error of {title}"), panels));
        }
    }
    Ok(drawings)
}
