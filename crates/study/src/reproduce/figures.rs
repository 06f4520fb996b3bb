//! The figures of the study, in the paper's form, each saying its scale.

mod bars;
mod courses;
mod solutions;
mod values;

use super::experiment::Experiment;
use super::outcome::RowOutcome;
use super::scale::Scale;
use crate::error::StudyError;
use ropinn_plot::Figure;

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
        Experiment::Showcase => solutions::showcase(rows, scale)?,
        // It needs more than finished runs, and draws for itself.
        Experiment::Landscape => Vec::new(),
    })
}
