//! What combines with what, and why not where it does not: the one place that says so.
//!
//! A run chooses an objective, a weighting, a sampling, a model and, phase by phase, an optimiser. Every refusal is about
//! two of these choices, so [`refusal`] of pairs is all there is to know; tables are made from it.

use super::{ConfigError, ObjectiveKind, OptimizerKind, RunConfig, SamplingKind, WeightingKind};
use crate::model::ModelKind;
use std::fmt::Write;

/// A choice along one of the five axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// What is minimised.
    Objective(ObjectiveKind),
    /// How its terms are weighted.
    Weighting(WeightingKind),
    /// How the points of the equations are chosen.
    Sampling(SamplingKind),
    /// The network.
    Model(ModelKind),
    /// The optimiser of a phase.
    Optimizer(OptimizerKind),
}

impl Choice {
    /// The axis and the choice, as the command line names them.
    pub const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Objective(kind) => ("objective", kind.name()),
            Self::Weighting(kind) => ("weighting", kind.name()),
            Self::Sampling(kind) => ("sampling", kind.name()),
            Self::Model(kind) => ("model", kind.name()),
            Self::Optimizer(kind) => ("optimizer", kind.name()),
        }
    }

    /// All choices, axis by axis.
    pub fn all() -> Vec<Vec<Self>> {
        vec![
            ObjectiveKind::ALL.map(Self::Objective).to_vec(),
            WeightingKind::ALL.map(Self::Weighting).to_vec(),
            SamplingKind::ALL.map(Self::Sampling).to_vec(),
            ModelKind::ALL.map(Self::Model).to_vec(),
            OptimizerKind::ALL.map(Self::Optimizer).to_vec(),
        ]
    }
}

/// Why two choices do not go together; none if they do.
pub fn refusal(one: Choice, other: Choice) -> Option<&'static str> {
    one_way(one, other).or_else(|| one_way(other, one))
}

fn one_way(one: Choice, other: Choice) -> Option<&'static str> {
    let Choice::Objective(ObjectiveKind::Variational) = one else { return None };
    match other {
        Choice::Weighting(WeightingKind::Ntk) => {
            Some("kernel traces need the gradient of every residual, and an integral over an element has no cheap one")
        }
        Choice::Sampling(SamplingKind::RarD | SamplingKind::Rad | SamplingKind::R3) => {
            Some("the points of its integrals are the nodes of a quadrature rule and cannot be chosen")
        }
        Choice::Optimizer(OptimizerKind::GaussNewton) => Some(
            "Gauss–Newton steps need the gradient of every residual, and an integral over an element has no cheap one",
        ),
        _ => None,
    }
}

impl RunConfig {
    /// Everything this run chooses.
    pub fn choices(&self) -> Vec<Choice> {
        let mut choices = vec![
            Choice::Objective(self.objective.kind),
            Choice::Weighting(self.weighting.kind),
            Choice::Sampling(self.sampling.kind),
            Choice::Model(self.model.kind()),
        ];
        choices.extend(self.phases.0.iter().map(|phase| Choice::Optimizer(phase.settings.kind())));
        choices
    }

    /// Refuses choices that do not go together, with the reason.
    pub fn combination(&self) -> Result<(), ConfigError> {
        let choices = self.choices();
        for (i, &one) in choices.iter().enumerate() {
            for &other in &choices[i + 1..] {
                if let Some(reason) = refusal(one, other) {
                    return Err(ConfigError::Incompatible { one: one.names(), other: other.names(), reason });
                }
            }
        }
        Ok(())
    }
}

/// The Markdown tables of what combines with what, made from [`refusal`].
pub fn combinations_table() -> String {
    let axes = Choice::all();
    let mut reasons: Vec<&'static str> = Vec::new();
    let mut text = String::new();
    let flat = |axes: &[Vec<Choice>]| axes.iter().flatten().copied().collect::<Vec<_>>();
    table(&mut text, &flat(&axes), &flat(&axes[..3]), &mut reasons);
    text.push('\n');
    table(&mut text, &axes[3], &axes[4], &mut reasons);
    text.push('\n');
    for (number, reason) in reasons.iter().enumerate() {
        line(&mut text, format_args!("{}. {reason}.", number + 1));
    }
    text
}

/// Rows against columns; a refused pair shows the number of its reason.
fn table(text: &mut String, rows: &[Choice], columns: &[Choice], reasons: &mut Vec<&'static str>) {
    let heads: String = columns.iter().map(|column| format!(" {} |", column.names().1)).collect();
    line(text, format_args!("| |{heads}"));
    line(text, format_args!("|---|{}", "---|".repeat(columns.len())));
    for &row in rows {
        let (axis, name) = row.names();
        let mut cells = String::new();
        for &column in columns {
            let same_axis = column.names().0 == axis;
            let cell = match refusal(row, column) {
                _ if same_axis => String::new(),
                None => "yes".to_owned(),
                Some(reason) => {
                    let known = reasons.iter().position(|known| *known == reason).unwrap_or_else(|| {
                        reasons.push(reason);
                        reasons.len() - 1
                    });
                    format!("no ({})", known + 1)
                }
            };
            cells += &format!(" {cell} |");
        }
        line(text, format_args!("| {axis} `{name}` |{cells}"));
    }
}

fn line(text: &mut String, words: std::fmt::Arguments<'_>) {
    writeln!(text, "{words}").expect("writing to a string never fails");
}
