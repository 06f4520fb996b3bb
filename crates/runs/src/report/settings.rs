//! Settings of several runs side by side: what they share, and where they differ.

use super::ReportedRun;
use toml::{Table, Value};

/// Settings by path, in the order of the configuration file.
type Settings = Vec<(String, String)>;

/// What all runs share, and the rest with one value per run.
pub struct Comparison {
    /// Paths and values that are the same everywhere.
    pub shared: Settings,
    /// Paths with the value of each run; empty where a run does not have the setting.
    pub different: Vec<(String, Vec<String>)>,
}

/// Compares the configurations of runs.
pub fn compare(runs: &[ReportedRun]) -> Comparison {
    let all: Vec<Settings> = runs.iter().map(|reported| settings_of(&reported.run.config.to_toml())).collect();
    let mut paths: Vec<&String> = Vec::new();
    for (path, _) in all.iter().flatten() {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let value = |settings: &Settings, path: &str| {
        settings.iter().find(|(own, _)| own == path).map_or_else(String::new, |(_, value)| value.clone())
    };
    let mut comparison = Comparison { shared: Vec::new(), different: Vec::new() };
    for path in paths {
        let values: Vec<String> = all.iter().map(|settings| value(settings, path)).collect();
        if values.windows(2).all(|pair| pair[0] == pair[1]) {
            comparison.shared.push((path.clone(), values.into_iter().next().unwrap_or_default()));
        } else {
            comparison.different.push((path.clone(), values));
        }
    }
    comparison
}

fn settings_of(toml: &str) -> Settings {
    let mut settings = Vec::new();
    if let Ok(table) = toml.parse::<Table>() {
        flatten("", &Value::Table(table), &mut settings);
    }
    // The text of the problem is a page of its own.
    settings.retain(|(path, _)| path != "problem.source");
    settings
}

fn flatten(path: &str, value: &Value, settings: &mut Settings) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Table(table) => table.iter().for_each(|(key, value)| flatten(&below(key), value, settings)),
        Value::Array(list) if !list.is_empty() && list.iter().all(Value::is_table) => {
            list.iter().enumerate().for_each(|(i, value)| flatten(&below(&i.to_string()), value, settings));
        }
        Value::String(text) => settings.push((path.to_owned(), text.clone())),
        other => settings.push((path.to_owned(), other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::settings_of;

    #[test]
    fn nested_settings_have_paths() {
        let toml = "seed = 3\n[problem]\nname = 'a'\nsource = 'long'\n[[phases]]\nlr = 0.5\n[points]\nlist = [1, 2]\n";
        let mut settings = settings_of(toml);
        settings.sort();
        let expected = [("phases.0.lr", "0.5"), ("points.list", "[1, 2]"), ("problem.name", "a"), ("seed", "3")];
        assert_eq!(settings, expected.map(|(path, value)| (path.to_owned(), value.to_owned())));
    }
}
