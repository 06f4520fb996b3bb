//! Whether two configurations mean the same run.

use ropinn::config::RunConfig;
use toml::{Table, Value};

/// Path of the first setting in which two configurations differ.
pub fn first_difference(one: &RunConfig, other: &RunConfig) -> Option<String> {
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
