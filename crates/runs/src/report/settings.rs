//! Settings of several runs side by side: what they share, and where they differ.

use super::ReportedRun;
use std::collections::BTreeMap;
use toml::Value;

/// What all runs share, and the rest with one value per run.
#[derive(Default)]
pub struct Comparison {
    /// Paths and values that are the same everywhere.
    pub shared: Vec<(String, String)>,
    /// Paths with the value of each run; empty where a run does not have the setting.
    pub different: Vec<(String, Vec<String>)>,
}

/// Compares the configurations of runs.
pub fn compare(runs: &[ReportedRun]) -> Comparison {
    let all: Vec<Vec<(String, String)>> = runs.iter().map(settings).collect();
    let by_path: Vec<BTreeMap<&str, &str>> =
        all.iter().map(|own| own.iter().map(|(path, value)| (path.as_str(), value.as_str())).collect()).collect();
    let mut comparison = Comparison::default();
    for (k, (path, value)) in all.iter().enumerate().flat_map(|(k, own)| own.iter().map(move |entry| (k, entry))) {
        if by_path[..k].iter().any(|earlier| earlier.contains_key(path.as_str())) {
            continue;
        }
        let values: Vec<String> =
            by_path.iter().map(|own| own.get(path.as_str()).copied().unwrap_or_default().to_owned()).collect();
        match values.iter().all(|other| other == value) {
            true => comparison.shared.push((path.clone(), value.clone())),
            false => comparison.different.push((path.clone(), values)),
        }
    }
    comparison
}

/// Settings in the order of the configuration file, then those in which the run ended with another model; the text of the
/// problem is a page of its own.
fn settings(reported: &ReportedRun) -> Vec<(String, String)> {
    let shown = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let own = reported.run.config.settings();
    let ended = reported.run.solution.settings().into_iter().filter(|setting| !own.contains(setting));
    let ended: Vec<_> = ended.map(|(path, value)| (format!("solution.{path}"), value)).collect();
    let settings = own.into_iter().filter(|(path, _)| path != "problem.source").chain(ended);
    settings.map(|(path, value)| (path, shown(value))).collect()
}
