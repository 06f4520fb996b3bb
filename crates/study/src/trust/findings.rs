//! What the study came to, and the files and words that say it.

use super::cases::{Fault, Half};
use super::score::{Outcome, Score};
use crate::error::StudyError;
use ropinn::record::hardware;
use ropinn_plot::{Column, Table, sig};
use ropinn_runs::folder::RunFolder;
use serde::Serialize;

/// Marks the folder of the study, and holds everything.
pub const MARK: &str = "trust.json";
const RUNS: &str = "trust.csv";

/// The whole study.
#[derive(Clone, Debug, Serialize)]
pub struct Findings {
    /// The command that made it.
    pub command: String,
    /// This machine.
    pub hardware: String,
    /// How many solves there are in all.
    pub wanted: usize,
    /// The score of the half that nothing was fitted on.
    pub unseen: Option<Score>,
    /// That of the other half.
    pub fitted: Option<Score>,
    /// Every solve.
    pub outcomes: Vec<Outcome>,
}

impl Findings {
    pub(super) fn new(command: &str, wanted: usize, outcomes: Vec<Outcome>) -> Self {
        Self {
            command: command.to_owned(),
            hardware: hardware(),
            wanted,
            unseen: Score::of_half(&outcomes, Half::Unseen),
            fitted: Score::of_half(&outcomes, Half::Fitted),
            outcomes,
        }
    }

    /// Whether every solve is there.
    pub fn is_complete(&self) -> bool {
        self.outcomes.len() == self.wanted
    }

    /// The tables: both halves, each kind of fault, and what was judged wrongly.
    pub fn to_text(&self) -> Result<String, StudyError> {
        let mut text = format!("\n{}\n{}", self.scores()?.to_text(), self.faults()?.to_text());
        let wrong: Vec<&Outcome> = self.outcomes.iter().filter(|outcome| !outcome.right).collect();
        if !wrong.is_empty() {
            text += &format!("\nWrong verdicts:\n{}", table_of(&wrong)?.to_text());
        }
        if !self.is_complete() {
            text += &format!("\nIncomplete: {} of {} solves are there.\n", self.outcomes.len(), self.wanted);
        }
        Ok(text)
    }

    /// A line for each half.
    pub fn scores(&self) -> Result<Table, StudyError> {
        let head = ["solves", "right", "trusted > 10 %", "estimates", "within × 10", "median", "5 %", "95 %", "worst"];
        let mut table = Table::new([Column::left("half")].into_iter().chain(head.map(Column::right)));
        for (name, score) in [("not fitted on", &self.unseen), ("fitted on", &self.fitted)] {
            if let Some(score) = score {
                table.push([vec![name.to_owned()], cells(score)].concat())?;
            }
        }
        Ok(table)
    }

    fn faults(&self) -> Result<Table, StudyError> {
        let head = ["solves", "right", "trusted > 10 %", "estimates", "within × 10", "median", "5 %", "95 %", "worst"];
        let mut table = Table::new([Column::left("what is done")].into_iter().chain(head.map(Column::right)));
        let mut faults: Vec<Fault> = self.outcomes.iter().map(|outcome| outcome.case.fault).collect();
        faults.sort();
        faults.dedup();
        for fault in faults {
            if let Some(score) = Score::of(self.outcomes.iter().filter(|outcome| outcome.case.fault == fault)) {
                table.push([vec![fault.name().to_owned()], cells(&score)].concat())?;
            }
        }
        Ok(table)
    }

    pub(super) fn save(&self, folder: &RunFolder) -> Result<(), StudyError> {
        let all: Vec<&Outcome> = self.outcomes.iter().collect();
        folder.write(RUNS, table_of(&all)?.to_csv().as_bytes())?;
        Ok(folder.write_json(MARK, self)?)
    }
}

fn cells(score: &Score) -> Vec<String> {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    vec![
        score.solves.to_string(),
        percent(score.right),
        score.dangerous.to_string(),
        score.estimated.to_string(),
        percent(score.within),
        sig(score.median, 2),
        sig(score.low, 2),
        sig(score.high, 2),
        sig(score.worst, 2),
    ]
}

/// A line for each solve.
fn table_of(outcomes: &[&Outcome]) -> Result<Table, StudyError> {
    let head = ["problem", "what is done", "half", "verdict"].map(Column::left);
    let numbers = ["rMSE", "estimated", "unexplained", "s"].map(Column::right);
    let mut table = Table::new(head.into_iter().chain(numbers).chain([Column::left("right")]));
    for outcome in outcomes {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| sig(value, 3));
        table.push([
            outcome.case.problem.to_owned(),
            outcome.case.fault.name().to_owned(),
            if outcome.case.half == Half::Fitted { "fitted" } else { "unseen" }.to_owned(),
            outcome.verdict.map_or_else(String::new, |word| word.to_string()),
            number(outcome.rmse),
            number(outcome.estimated.map(|error| error.relative)),
            number(outcome.estimated.map(|error| error.unexplained)),
            format!("{:.1}", outcome.seconds),
            if outcome.right { "yes" } else { "no" }.to_owned(),
        ])?;
    }
    Ok(table)
}
