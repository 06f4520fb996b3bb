//! Settings by their paths, and where two configurations differ.

use super::RunConfig;
use toml::{Table, Value};

impl RunConfig {
    /// Every setting by its path, in the order of the file.
    pub fn settings(&self) -> Vec<(String, Value)> {
        settings(Table::try_from(self).expect("every setting has a TOML form"))
    }
}

/// Every value of a document by its path; entries of lists of tables are numbered.
pub(crate) fn settings(table: Table) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    flatten(String::new(), Value::Table(table), &mut found);
    found
}

fn flatten(path: String, value: Value, found: &mut Vec<(String, Value)>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Table(table) => table.into_iter().for_each(|(key, value)| flatten(below(&key), value, found)),
        Value::Array(list) if !list.is_empty() && list.iter().all(Value::is_table) => {
            list.into_iter().enumerate().for_each(|(i, value)| flatten(below(&i.to_string()), value, found));
        }
        value => found.push((path, value)),
    }
}

/// Path and values of the first setting that differs; `None` for one that is not there.
pub fn first_difference<'a>(
    there: &'a [(String, Value)],
    here: &'a [(String, Value)],
) -> Option<(&'a str, Option<&'a Value>, Option<&'a Value>)> {
    let find = |settings: &'a [(String, Value)], path: &str| {
        settings.iter().find(|(own, _)| own == path).map(|(_, value)| value)
    };
    let all = there.iter().chain(here).map(|(path, _)| path.as_str());
    all.map(|path| (path, find(there, path), find(here, path))).find(|(_, there, here)| there != here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_settings_have_paths() {
        let toml = "seed = 3\n[problem]\nname = 'a'\n[[phases]]\nlr = 0.5\n[points]\nlist = [1, 2]\n";
        let mut found: Vec<_> = settings(toml.parse().expect("TOML")).into_iter().map(|(path, _)| path).collect();
        found.sort();
        assert_eq!(found, ["phases.0.lr", "points.list", "problem.name", "seed"]);
    }

    #[test]
    fn the_first_difference_has_a_path() {
        let config = RunConfig::default();
        assert_eq!(first_difference(&config.settings(), &config.settings()), None);
        for (change, path) in [
            ("stop.max_seconds=3", "stop.max_seconds"),
            ("points.interior=grid:3x3", "points.interior"),
            ("phases=adam 5", "phases.0.iterations"),
            ("precision=f64", "precision"),
        ] {
            let mut other = config.clone();
            other.set(change).expect("a setting");
            let (one, other) = (config.settings(), other.settings());
            for (there, here) in [(&one, &other), (&other, &one)] {
                assert_eq!(first_difference(there, here).map(|(path, ..)| path), Some(path));
            }
        }
    }
}
