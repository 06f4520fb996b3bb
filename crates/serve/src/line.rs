//! One run among thousands: what a list shows of it, from its smallest files.

use crate::history;
use crate::place::is_own_file;
use ropinn::config::RunConfig;
use ropinn_files::read_text;
use ropinn_runs::folder::{Progress, names, silent_for};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The largest result and configuration that are read for a list.
const MAX_BYTES: u64 = 4 << 20;

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// A process works on it.
    Training,
    /// A process worked on it, and was not heard of for a while: it was killed, or stands still.
    Silent,
    /// Nobody works on it, and it has no result.
    Unfinished,
    /// It has ended.
    Done,
    /// Somebody has stopped it.
    Stopped,
    /// Its files make no sense.
    Unreadable,
}

/// What a list shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// How far it is.
    pub state: State,
    /// Name of the problem.
    pub problem: String,
    /// Name of the model.
    pub model: String,
    /// Name of the objective.
    pub objective: String,
    /// Its seed.
    pub seed: Option<u64>,
    /// Relative error (rMSE), as last measured.
    pub rmse: Option<f64>,
    /// Estimated relative error.
    pub estimated: Option<f64>,
    /// Seconds of training.
    pub seconds: Option<f64>,
    /// Outer steps done, and planned if it trains.
    pub steps: Option<u64>,
    /// Outer steps planned, while it trains.
    pub planned: Option<u64>,
    /// Seconds that are left, while it trains.
    pub left: Option<f64>,
    /// Trusted, doubtful or wrong.
    pub verdict: Option<String>,
    /// What cannot be read.
    pub trouble: Option<String>,
}

/// Sizes and times of the files a line depends on: as long as they are the same, so is the line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    files: [Option<(u64, SystemTime)>; 4],
    is_silent: bool,
}

impl Stamp {
    /// Of the run in a folder.
    pub fn of(run: &Path) -> Self {
        let of = |name: &str| {
            let file = fs::symlink_metadata(run.join(name)).ok()?;
            Some((file.len(), file.modified().ok()?))
        };
        let (result, progress) = (of(names::RESULT), of(names::PROGRESS));
        // What has ended and is not trained again does not grow.
        let grows = result.is_none() || progress.is_some();
        let metrics = if grows { of(names::METRICS) } else { None };
        let is_silent = progress.is_some() && silent_for(run) != Some(Duration::ZERO);
        Self { files: [of(names::CONFIG), result, progress, metrics], is_silent }
    }
}

/// The part of a result that a list shows. Everything may be missing.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ResultHead {
    problem: String,
    model: String,
    objective: String,
    seed: Option<u64>,
    rmse: Option<f64>,
    seconds: Option<f64>,
    iterations: Option<u64>,
    interrupted: bool,
    verdict: Option<Word>,
    estimated_error: Option<Estimate>,
}

#[derive(Deserialize)]
struct Word {
    word: String,
}

#[derive(Deserialize)]
struct Estimate {
    relative: Option<f64>,
}

/// The text of a run's own file, `None` if there is no such file; links are refused.
pub fn text_of(run: &Path, name: &str, limit: u64) -> Option<Result<String, String>> {
    let path = run.join(name);
    fs::symlink_metadata(&path).ok()?;
    Some(match is_own_file(&path) {
        true => read_text(&path, limit).map_err(|error| format!("{name}: {}", error.reason)),
        false => Err(format!("{name}: it is a link, so it is not read")),
    })
}

/// What a process that trains a run says of it.
pub fn progress_of(run: &Path) -> Option<Progress> {
    serde_json::from_str(&text_of(run, names::PROGRESS, MAX_BYTES)?.ok()?).ok()
}

impl Line {
    /// Reads what there is; whatever cannot be read is said.
    pub fn read(run: &Path) -> Self {
        let mut trouble = Vec::new();
        let result = text_of(run, names::RESULT, MAX_BYTES).map(|text| {
            let parsed =
                |text: String| serde_json::from_str::<ResultHead>(&text).map_err(|e| format!("{}: {e}", names::RESULT));
            text.and_then(parsed)
        });
        let silent = silent_for(run);
        let state = match (&result, silent) {
            (_, Some(Duration::ZERO)) => State::Training,
            (Some(Ok(result)), _) if result.interrupted => State::Stopped,
            (Some(Ok(_)), _) => State::Done,
            (Some(Err(_)), _) => State::Unreadable,
            (None, Some(_)) => State::Silent,
            (None, None) => State::Unfinished,
        };
        let head = match result {
            Some(Ok(head)) => head,
            other => {
                trouble.extend(other.and_then(Result::err));
                Self::from_config(run, &mut trouble)
            }
        };
        let mut line = Self {
            state,
            problem: head.problem,
            model: head.model,
            objective: head.objective,
            seed: head.seed,
            rmse: head.rmse,
            estimated: head.estimated_error.and_then(|error| error.relative),
            seconds: head.seconds,
            steps: head.iterations,
            planned: None,
            left: None,
            verdict: head.verdict.map(|verdict| verdict.word),
            trouble: None,
        };
        if state == State::Training {
            // A run that goes on has a result of its last sitting, which is no longer true.
            (line.verdict, line.estimated) = (None, None);
            line.rmse = history::last_value(&run.join(names::METRICS), "rmse");
            if let Some(progress) = progress_of(run) {
                (line.steps, line.planned) = (Some(progress.steps), Some(progress.planned));
                (line.seconds, line.left) = (Some(progress.seconds), progress.left);
            }
        }
        line.trouble = (!trouble.is_empty()).then(|| trouble.join("; "));
        line
    }

    /// What was asked for, if there is no result yet.
    fn from_config(run: &Path, trouble: &mut Vec<String>) -> ResultHead {
        let text = text_of(run, names::CONFIG, MAX_BYTES).unwrap_or_else(|| Err(format!("{}: missing", names::CONFIG)));
        let parsed = |text: String| RunConfig::from_toml(&text).map_err(|error| format!("{}: {error}", names::CONFIG));
        match text.and_then(parsed) {
            Ok(config) => ResultHead {
                problem: config.problem.name.clone(),
                model: config.model.kind().name().to_owned(),
                objective: config.objective.kind.name().to_owned(),
                seed: Some(config.seed),
                ..ResultHead::default()
            },
            Err(error) => {
                trouble.push(error);
                ResultHead::default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_written_runs_show_what_is_readable_and_say_what_is_not() {
        let here = tempfile::tempdir().expect("a folder");
        let run = here.path();
        let config = RunConfig::default();
        fs::write(run.join(names::CONFIG), config.to_toml()).expect("writable");
        let line = Line::read(run);
        assert_eq!((line.state, line.seed, line.trouble), (State::Unfinished, Some(config.seed), None));
        let before = Stamp::of(run);
        fs::write(run.join(names::RESULT), "{\"problem\": \"wave\", \"rm").expect("writable");
        assert_ne!(Stamp::of(run), before);
        let line = Line::read(run);
        assert_eq!((line.state, line.model.as_str()), (State::Unreadable, config.model.kind().name()));
        assert!(line.trouble.as_ref().is_some_and(|words| words.starts_with("result.json: EOF")), "{line:?}");
        fs::write(run.join(names::CONFIG), "seed = [").expect("writable");
        let trouble = Line::read(run).trouble.expect("trouble");
        assert!(trouble.contains("result.json: ") && trouble.contains("; config.toml: "), "{trouble}");
        fs::write(
            run.join(names::RESULT),
            "{\"problem\": \"wave\", \"rmse\": null, \"verdict\": {\"word\": \"wrong\"}}",
        )
        .expect("writable");
        let line = Line::read(run);
        assert_eq!((line.state, line.problem.as_str(), line.verdict.as_deref()), (State::Done, "wave", Some("wrong")));
    }

    #[test]
    #[cfg(unix)]
    fn links_are_not_read() {
        let here = tempfile::tempdir().expect("a folder");
        let run = here.path().join("run");
        fs::create_dir(&run).expect("writable");
        fs::write(here.path().join("secret.json"), "{\"problem\": \"secret\"}").expect("writable");
        fs::write(run.join(names::CONFIG), RunConfig::default().to_toml()).expect("writable");
        std::os::unix::fs::symlink(here.path().join("secret.json"), run.join(names::RESULT)).expect("a link");
        let line = Line::read(&run);
        assert_ne!(line.problem, "secret");
        assert_eq!(line.trouble.as_deref(), Some("result.json: it is a link, so it is not read"));
    }
}
