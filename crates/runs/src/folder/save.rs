//! Fills the folder of a run that has ended, and says what came of it.

use super::prediction::Prediction;
use super::result::RunResult;
use super::snapshot::Snapshot;
use super::{RunFolder, names, pictures, snapshots};
use crate::error::RunError;
use crate::watch::Watch;
use ropinn::case::Case;
use ropinn::record::{EstimatedError, Trained, Trust};
use ropinn::train::TrainOutcome;
use ropinn_plot::{scientific, sig};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A run on disk.
#[derive(Serialize)]
pub struct Saved {
    /// What training has left.
    #[serde(skip)]
    pub outcome: TrainOutcome,
    /// Its folder.
    #[serde(skip)]
    pub folder: PathBuf,
    /// Pictures in it.
    pub pictures: Vec<PathBuf>,
    /// The final numbers, as they were saved.
    #[serde(flatten)]
    pub result: RunResult,
}

impl RunFolder {
    /// Writes everything that is known after the run; `case` is that of the solution, be it what was asked for or not.
    pub fn finish(&self, case: &Case, outcome: TrainOutcome, watch: &mut dyn Watch) -> Result<Saved, RunError> {
        let record = &outcome.record;
        // The mark of a complete run goes first and comes last, so that it never vouches for files of two different ends.
        let mark = self.path().join(names::RESULT);
        match std::fs::remove_file(&mark) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(RunError::not_saved(&mark, &error));
            }
            _ => {}
        }
        self.write(names::METRICS, record.csv().as_bytes())?;
        self.keep_solution(case.config())?;
        let path = self.path().join(names::WEIGHTS);
        case.weights(&outcome.theta)?.save(&path, case.config().precision).map_err(RunError::run)?;
        let prediction = Prediction::new(case, &outcome.theta)?;
        self.write(names::PREDICTION, prediction.to_csv().as_bytes())?;
        self.write(names::PREDICTION_NPY, &prediction.to_npy())?;
        let pictures = pictures::draw(
            self.path(),
            case,
            record,
            (&outcome.theta, &prediction, outcome.error_map.as_ref()),
            watch,
        )?;
        // A field that cannot be kept is no reason to lose a run.
        if let Ok(snapshot) = Snapshot::at_the_end(case, &outcome) {
            let _ = snapshots::keep(self.path(), &snapshot);
        }
        let result = RunResult::new(case.problem(), record);
        self.write_json(names::RESULT, &result)?;
        let _ = std::fs::remove_file(self.path().join(names::PROGRESS));
        Ok(Saved { outcome, result, folder: self.path().to_owned(), pictures })
    }

    /// Writes one file, whole or not at all.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunError> {
        let path = self.path().join(name);
        ropinn_files::write(&path, bytes).map_err(|error| RunError::not_saved(&path, &error))
    }

    /// Writes a value as indented JSON.
    pub fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), RunError> {
        let text = serde_json::to_string_pretty(value).map_err(|error| RunError::Print(error.into()))?;
        self.write(name, (text + "\n").as_bytes())
    }
}

/// A number that was found, with its interval.
fn interval(found: &Trained) -> String {
    let value = if found.value.is_finite() { sig(found.value, 6) } else { "not finite".to_owned() };
    match (found.standard_error, found.low, found.high) {
        (Some(error), Some(low), Some(high)) => {
            format!("{value} ± {} (95 %: {} to {})", sig(error, 2), sig(low, 5), sig(high, 5))
        }
        _ => value,
    }
}

impl Saved {
    /// The run in words.
    pub fn to_text(&self) -> String {
        let (r, record) = (&self.result, &self.outcome.record);
        let (width, depth) = record.config.model.width_and_depth();
        let mut text = format!("{}, {} {width} × {depth}, {}, seed {}\n", r.problem, r.model, r.objective, r.seed);
        let mut line = |name: &str, value: String| text += &format!("  {name:<15} {value}\n");
        if let (Some(rmae), Some(rmse)) = (r.rmae, r.rmse) {
            line("rMAE", sig(rmae, 3));
            line("rMSE", sig(rmse, 3));
        }
        if let Some(error) = &r.estimated_error {
            line("estimated error", estimated(error));
        }
        let number = |value: f64| if value.is_finite() { scientific(value, 3) } else { "not finite".to_owned() };
        // In the order of the objective; what it adds to the problem's own terms is in the trained loss only.
        let each = |names: &[String], values: &BTreeMap<String, f64>| {
            let known = names.iter().filter_map(|name| Some(format!("{name} {}", number(*values.get(name)?))));
            known.collect::<Vec<_>>().join(", ")
        };
        let names = &record.names;
        let trained = each(&names.terms, &r.trained_terms);
        let trained = if trained.is_empty() { trained } else { format!(" ({trained})") };
        if r.iterations > 0 {
            line("trained loss", number(r.trained_loss) + &trained);
        }
        let unweighted = number(r.unweighted_loss);
        line("unweighted loss", format!("{unweighted} at fixed points ({})", each(&names.terms, &r.parts)));
        if !r.equations.is_empty() {
            line(
                "equations",
                format!("{} of `residual`, unweighted at fixed points", each(&names.equations, &r.equations)),
            );
        }
        if !r.rmse_by_unknown.is_empty() {
            line("unknowns", format!("rMSE of {}", each(&names.unknowns, &r.rmse_by_unknown)));
        }
        for (name, found) in &r.trained {
            line(name, interval(found));
            found.remark.iter().for_each(|remark| line("", remark.clone()));
        }
        for reading in &r.readings {
            let known = if reading.known { "times the noise that was stated" } else { "around the solution" };
            line(&reading.name, format!("{} readings scatter by {} {known}", reading.count, sig(reading.noise, 3)));
        }
        line("training", format!("{:.1} s, {} iterations, {} evaluations", r.seconds, r.iterations, r.evaluations));
        line("stopped", r.stop_reason.clone());
        for (i, picture) in self.pictures.iter().enumerate() {
            line(if i == 0 { "pictures" } else { "" }, picture.display().to_string());
        }
        line("folder", self.folder.display().to_string());
        if let Some(verdict) = &r.verdict {
            let mut reasons = verdict.reasons.iter();
            line("verdict", format!("{}: {}", verdict.word, reasons.next().map_or("", String::as_str)));
            reasons.for_each(|reason| line("", reason.clone()));
        }
        text
    }

    /// Whether it is to be trusted; none if nobody has judged.
    pub fn trust(&self) -> Option<Trust> {
        self.result.verdict.as_ref().map(|verdict| verdict.word)
    }

    /// The run in one line, as one of several.
    pub fn to_line(&self) -> String {
        let r = &self.result;
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| sig(value, 3));
        format!(
            "seed {}: rMSE {}, rMAE {}, {:.1} s, {}\n",
            r.seed,
            number(r.rmse),
            number(r.rmae),
            r.seconds,
            r.stop_reason
        )
    }
}

/// An estimate with its parts.
fn estimated(error: &EstimatedError) -> String {
    let parts = [("equations", error.equations), ("conditions", error.conditions), ("resolution", error.resolution)];
    let parts = parts.iter().filter_map(|(name, part)| part.map(|part| format!("{name} {}", sig(part, 2))));
    format!("{} ({})", sig(error.relative, 2), parts.collect::<Vec<_>>().join(", "))
}
