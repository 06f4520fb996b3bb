//! A race as tables: standings for people, measurements for programs.

use super::picture;
use super::plan::Contest;
use super::standings::{Ranking, Standing, Standings, THRESHOLDS, marks};
use crate::error::StudyError;
use crate::watch::StudyWatch;
use ropinn_plot::{Column, Table, scientific, sig};
use ropinn_runs::folder::RunFolder;
use std::path::Path;

/// The tables of a race; the last one also marks its folder.
pub const TABLES: [&str; 3] = ["race.md", "race.csv", "race.json"];

/// What an entrant did not reach.
const NEVER: &str = "—";

impl Standings {
    /// Writes tables and pictures.
    pub(super) fn save(
        &self,
        folder: &RunFolder,
        contests: &[Contest],
        watch: &mut dyn StudyWatch,
    ) -> Result<(), StudyError> {
        let [page, csv, json] = TABLES;
        folder.write(csv, measurements(contests)?.to_csv().as_bytes())?;
        let mut drawn = Vec::new();
        for contest in contests {
            drawn.push(picture::draw(folder.path(), contest, self.seconds, watch)?);
        }
        folder.write(page, markdown(self, &drawn)?.as_bytes())?;
        Ok(folder.write_json(json, self)?)
    }

    /// For a terminal.
    pub fn to_text(&self, folder: &Path) -> Result<String, StudyError> {
        Ok(format!("{}\nfolder: {}\n", text(self)?, folder.display()))
    }
}

/// All problems with pictures; `drawn[k]` names the picture of the k-th problem, if there is one.
fn markdown(standings: &Standings, drawn: &[Option<String>]) -> Result<String, StudyError> {
    let mut text = format!("# Time to accuracy\n\n{}\n", explanation(standings));
    for (ranking, picture) in standings.problems.iter().zip(drawn) {
        text += &format!("\n## {}\n\n{}\n\n", ranking.problem, ranking.network);
        if let Some(name) = picture {
            text += &format!("![Error of {} over time]({name})\n\n", ranking.problem);
        }
        text += &table(ranking, standings.seconds)?.to_markdown();
    }
    Ok(text)
}

/// All problems for a terminal.
fn text(standings: &Standings) -> Result<String, StudyError> {
    let mut text = String::new();
    for ranking in &standings.problems {
        let table = table(ranking, standings.seconds)?;
        text += &format!("\n{}: {}\n\n{}", ranking.problem, ranking.network, table.to_text());
    }
    Ok(text)
}

fn explanation(standings: &Standings) -> String {
    let seeds = standings.seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    format!(
        "Made by `{}`: {} s of training per run, one run at a time on {} threads ({}), seeds {seeds}.\n\
         On each problem network, points, precision and starting weights are the same for all; only optimiser and objective \
         differ.\n\
         Measuring errors does not count as training. Errors are relative (rMSE), medians over the seeds; best and worst are \
         those of single seeds when the time is up; a step that ends later does not count.\n\
         Times are medians over the seeds of when a run was first measured below the error; {NEVER} means that half of them or \
         more never were.",
        standings.command, standings.seconds, standings.threads, standings.hardware
    )
}

fn table(ranking: &Ranking, seconds: f64) -> Result<Table, StudyError> {
    let mut columns = vec![Column::left("optimiser"), Column::left("objective"), Column::right("seeds")];
    columns.extend(marks(seconds).iter().map(|time| Column::right(format!("rMSE at {time} s"))));
    columns.push(Column::right(format!("at {seconds} s")));
    columns.extend(["best", "worst"].map(Column::right));
    columns.extend(THRESHOLDS.iter().map(|error| Column::right(format!("s to {error:e}"))));
    columns.push(Column::right("iterations"));
    let mut table = Table::new(columns);
    for standing in &ranking.entrants {
        table.push(row(standing))?;
    }
    Ok(table)
}

fn row(standing: &Standing) -> Vec<String> {
    let error = |value: Option<f64>| {
        value.filter(|error| error.is_finite()).map_or_else(|| NEVER.to_owned(), |value| sig(value, 3))
    };
    let time = |value: Option<f64>| value.map_or_else(|| NEVER.to_owned(), |value| format!("{value:.1}"));
    let mut cells = vec![standing.optimizer.to_owned(), standing.objective.to_owned(), standing.runs.len().to_string()];
    cells.extend(standing.on_the_way.iter().map(|mark| error(mark.rmse)));
    let end = standing.rmse;
    cells.extend([end.map(|rmse| rmse.median), end.map(|rmse| rmse.best), end.map(|rmse| rmse.worst)].map(error));
    cells.extend(standing.time_to.iter().map(|threshold| time(threshold.seconds)));
    cells.push(standing.iterations.map_or_else(|| NEVER.to_owned(), |steps| format!("{:.0}", steps.median)));
    cells
}

/// Every measurement of every run.
fn measurements(contests: &[Contest]) -> Result<Table, StudyError> {
    let words = ["problem", "optimizer", "objective"].map(Column::left);
    let numbers = ["seed", "seconds", "iteration", "evaluations", "trained_loss", "rmse"].map(Column::right);
    let mut table = Table::new(words.into_iter().chain(numbers));
    for contest in contests {
        for finish in &contest.finished {
            for sample in &finish.course.0 {
                table.push([
                    contest.problem.name.clone(),
                    finish.entrant.optimizer.name().to_owned(),
                    finish.entrant.objective.name().to_owned(),
                    finish.run.config.seed.to_string(),
                    sample.seconds.to_string(),
                    sample.iteration.to_string(),
                    sample.evaluations.to_string(),
                    scientific(sample.loss, 8),
                    scientific(sample.rmse, 8),
                ])?;
            }
        }
    }
    Ok(table)
}
