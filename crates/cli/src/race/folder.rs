//! The folder of a race: made or found again, with the runs that are already in it.

use crate::failure::Failure;
use crate::run_folder::{FinishedRun, is_untouched, names};
use ropinn::config::RunConfig;
use std::path::Path;
use toml::{Table, Value};

/// The tables of a race; the last one also marks its folder.
pub const TABLES: [&str; 3] = ["race.md", "race.csv", "race.json"];

/// Refuses a folder that holds something else than a race.
pub fn check(path: &Path) -> Result<(), Failure> {
    let is_race = path.join(TABLES[2]).is_file();
    if path.exists() && !is_race && !(path.is_dir() && is_untouched(path)) {
        return Err(Failure::NotARace { path: path.to_owned() });
    }
    Ok(())
}

/// The run in `path` if it is finished. One with other settings or threads belongs to another race.
pub fn finished(path: &Path, config: &RunConfig, threads: usize) -> Result<Option<FinishedRun>, Failure> {
    if !path.join(names::RESULT).is_file() {
        return Ok(None);
    }
    let run = FinishedRun::load(path)?;
    let other = first_difference(&run.config, config);
    let other = other.or_else(|| (run.result.threads != threads).then(|| "threads".to_owned()));
    match other {
        Some(setting) => Err(Failure::OtherRace { path: path.to_owned(), setting }),
        None => Ok(Some(run)),
    }
}

/// Path of the first setting in which two configurations differ.
fn first_difference(one: &RunConfig, other: &RunConfig) -> Option<String> {
    let tree = |config: &RunConfig| config.to_toml().parse::<Table>().unwrap_or_default();
    // Trees that agree mean configurations that do: what is written reads back equal.
    different(&Value::Table(tree(one)), &Value::Table(tree(other)))
}

fn different(one: &Value, other: &Value) -> Option<String> {
    let (Value::Table(one), Value::Table(other)) = (one, other) else {
        return (one != other).then(String::new);
    };
    let keys = one.keys().chain(other.keys().filter(|key| !one.contains_key(*key)));
    for key in keys {
        let inner = match (one.get(key), other.get(key)) {
            (Some(one), Some(other)) => different(one, other),
            _ => Some(String::new()),
        };
        if let Some(inner) = inner {
            return Some(if inner.is_empty() { key.clone() } else { format!("{key}.{inner}") });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_has_a_path() {
        let config = RunConfig::default();
        assert_eq!(first_difference(&config, &config), None);
        for (change, path) in [
            ("stop.max_seconds=3", "stop.max_seconds"),
            ("points.interior=grid:3x3", "points.interior"),
            ("phases=adam 5", "phases"),
            ("precision=f64", "precision"),
        ] {
            let mut other = config.clone();
            other.set(change).expect("a setting");
            assert_eq!(first_difference(&config, &other).as_deref(), Some(path));
            assert_eq!(first_difference(&other, &config).as_deref(), Some(path));
        }
    }
}
