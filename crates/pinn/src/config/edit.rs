//! Changing settings by path, through the tree of TOML values.
//!
//! A key may be the end of a path as long as only one setting has that end: `region.r` is `objective.region.r`, `width` is
//! `model.width`, `history` is `phases.0.history` if there is one phase.

use super::ConfigError;
use ropinn_expr::nearest;
use serde::{Serialize, de::DeserializeOwned};
use toml::{Table, Value};

/// Settings that are absent unless given; `*` stands for a name of the user's choice.
const OPTIONAL: [&str; 15] = [
    "pieces",
    "strategy.kind",
    "strategy.polish",
    "strategy.tolerance",
    "strategy.work",
    "problem.source",
    "points.interior",
    "points.boundary",
    "points.initial",
    "points.evaluation",
    "model.fourier.features",
    "model.fourier.scale",
    "fields.units",
    "fields.hidden_layers",
    "weights.*",
];

/// Groups of settings of which one kind is chosen; the settings of each kind have a group of their own.
const CHOICES: [&str; 3] = ["objective", "weighting", "sampling"];

/// Why a setting has no effect: its group, the kind chosen there and the kind it belongs to.
pub(super) fn unused<'a>(tree: &'a Value, path: &'a str) -> Option<(&'static str, &'a str, &'a str)> {
    let (group, rest) = path.split_once('.')?;
    let group = CHOICES.into_iter().find(|choice| *choice == group)?;
    let (kind, _) = rest.split_once('.')?;
    let chosen = tree.get(group)?.get("kind")?.as_str()?;
    (chosen != kind).then_some((group, chosen, kind))
}

/// The value that a text means for the setting at a path, where that is not its TOML form; None where it is.
pub(super) type Shorthand = fn(&str, &str) -> Option<Result<Value, ConfigError>>;

/// `settings` with the overrides applied, and the full paths of what was changed.
pub(super) fn with_overrides<T: Serialize + DeserializeOwned, S: AsRef<str>>(
    settings: &T,
    overrides: &[S],
    shorthand: Shorthand,
) -> Result<(T, Vec<String>), ConfigError> {
    check_whole_numbers(settings)?;
    let original = tree_of(settings);
    let mut tree = original.clone();
    let mut applied: Vec<(String, &str)> = Vec::new();
    for text in overrides {
        let (key, value) = split(text.as_ref())?;
        applied.push((apply(&mut tree, key, value, shorthand)?, value));
    }
    let keys = |applied: &[(String, &str)]| applied.iter().map(|(key, _)| key.clone()).collect();
    match tree.try_into() {
        Ok(settings) => Ok((settings, keys(&applied))),
        Err(error) => Err(blame::<T>(&original, &applied, &error, shorthand)),
    }
}

/// The override that is refused even on its own, else the last one.
fn blame<T: DeserializeOwned>(
    original: &Value,
    applied: &[(String, &str)],
    error: &toml::de::Error,
    shorthand: Shorthand,
) -> ConfigError {
    let alone = applied.iter().find_map(|(key, value)| {
        let mut tree = original.clone();
        apply(&mut tree, key, value, shorthand).ok()?;
        tree.try_into::<T>().err().map(|error| (key, value, error))
    });
    let ((key, value), error) = match (&alone, applied.last()) {
        (Some((key, value, error)), _) => ((key.as_str(), **value), error),
        (None, Some((key, value))) => ((key.as_str(), *value), error),
        (None, None) => (("", ""), error),
    };
    let reason = error.message().lines().next().unwrap_or_default().to_owned();
    ConfigError::BadValue { key: key.to_owned(), value: value.to_owned(), reason }
}

fn split(text: &str) -> Result<(&str, &str), ConfigError> {
    // The name of a term may contain `=`, as in `weights.dirichlet x = 0=10`; other keys never do.
    let parts = if text.starts_with("weights.") { text.rsplit_once('=') } else { text.split_once('=') };
    let (key, value) = parts.ok_or_else(|| ConfigError::NotAnOverride { text: text.to_owned() })?;
    let (key, value) = (key.trim(), value.trim());
    if key.is_empty() { Err(ConfigError::NotAnOverride { text: text.to_owned() }) } else { Ok((key, value)) }
}

/// Changes one setting of the tree; returns its full path.
fn apply(tree: &mut Value, key: &str, value: &str, shorthand: Shorthand) -> Result<String, ConfigError> {
    let path = resolve(tree, key)?;
    let bad = |reason: String| ConfigError::BadValue { key: path.clone(), value: value.to_owned(), reason };
    let parsed = shorthand(&path, value).unwrap_or_else(|| Ok(parse_value(value)))?;
    let slot = slot(tree, &path).ok_or_else(|| ConfigError::UnknownKey { key: path.clone(), nearest: None })?;
    let parsed = match (&slot, parsed) {
        // `1e3` iterations are 1000 iterations.
        (Value::Integer(_), Value::Float(x)) if x.fract() == 0.0 && x.abs() < 1e15 => Value::Integer(x as i64),
        // Choosing a kind by name: its other settings start afresh, but an objective keeps its region.
        (Value::Table(old), Value::String(kind)) if old.contains_key("kind") => {
            let kept = old.iter().filter(|(_, value)| value.is_table());
            let mut table: Table = kept.map(|(key, value)| (key.clone(), value.clone())).collect();
            table.insert("kind".to_owned(), Value::String(kind));
            Value::Table(table)
        }
        (Value::Table(_), Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_)) => {
            let known = settings_of(slot).first().map_or_else(String::new, |first| format!("{path}.{first}"));
            return Err(bad(format!("`{path}` is a group of settings; change one of them, e.g. `{known}`")));
        }
        (_, parsed) => parsed,
    };
    *slot = parsed;
    Ok(path)
}

/// Refuses whole numbers that TOML, which has signed ones only, cannot hold.
pub(super) fn check_whole_numbers<T: Serialize>(settings: &T) -> Result<(), ConfigError> {
    fn find(value: &serde_json::Value, path: &str) -> Option<(String, f64)> {
        let below =
            |key: &str, value| find(value, &if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") });
        match value {
            serde_json::Value::Number(n) if n.is_u64() && n.as_i64().is_none() => Some((path.to_owned(), n.as_f64()?)),
            serde_json::Value::Object(map) => map.iter().find_map(|(key, value)| below(key, value)),
            serde_json::Value::Array(list) => list.iter().enumerate().find_map(|(k, v)| below(&k.to_string(), v)),
            _ => None,
        }
    }
    let settings = serde_json::to_value(settings).unwrap_or_default();
    find(&settings, "")
        .map_or(Ok(()), |(setting, value)| Err(ConfigError::InvalidSetting { setting, value, needs: "below 2^63" }))
}

pub(super) fn tree_of<T: Serialize>(settings: &T) -> Value {
    Value::try_from(settings).expect("every setting has a TOML form")
}

/// A TOML value; what is none is text.
fn parse_value(text: &str) -> Value {
    let table: Option<Table> = format!("value = {text}").parse().ok();
    table.and_then(|mut table| table.remove("value")).unwrap_or_else(|| Value::String(text.to_owned()))
}

/// The full path of the setting meant by `key`.
fn resolve(tree: &Value, key: &str) -> Result<String, ConfigError> {
    if lookup(tree, key) || is_optional(key) {
        return Ok(key.to_owned());
    }
    let known = settings_of(tree);
    let all = known.iter().map(String::as_str).chain(OPTIONAL.into_iter().filter(|path| !lookup(tree, path)));
    let mut candidates: Vec<String> = all.filter(|path| ends_with(path, key)).map(str::to_owned).collect();
    // A short key means a setting that has an effect, if there is one.
    if candidates.iter().any(|path| unused(tree, path).is_none()) {
        candidates.retain(|path| unused(tree, path).is_none());
    }
    match candidates.len() {
        1 => Ok(candidates.remove(0)),
        0 => {
            let ends = known.iter().flat_map(|path| path_ends(path)).filter(|end| !end.starts_with(char::is_numeric));
            let nearest = nearest(key, ends.chain(OPTIONAL)).map(str::to_owned);
            Err(ConfigError::UnknownKey { key: key.to_owned(), nearest })
        }
        _ => Err(ConfigError::AmbiguousKey { key: key.to_owned(), candidates }),
    }
}

fn is_optional(key: &str) -> bool {
    OPTIONAL.iter().any(|known| match known.strip_suffix('*') {
        Some(group) => key.len() > group.len() && key.starts_with(group),
        None => *known == key,
    })
}

fn ends_with(path: &str, key: &str) -> bool {
    path.strip_suffix(key).is_some_and(|before| before.ends_with('.'))
}

/// `a.b.c`, `b.c`, `c`.
fn path_ends(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.split_once('.').map(|(_, rest)| rest))
}

/// Paths of all settings, groups before what is in them.
fn settings_of(tree: &Value) -> Vec<String> {
    let below = |key: &str, value: &Value| {
        let inner = settings_of(value).into_iter().map(|path| format!("{key}.{path}")).collect::<Vec<_>>();
        std::iter::once(key.to_owned()).chain(inner)
    };
    match tree {
        Value::Table(table) => table.iter().flat_map(|(key, value)| below(key, value)).collect(),
        Value::Array(list) if list.iter().all(Value::is_table) => {
            list.iter().enumerate().flat_map(|(i, value)| below(&i.to_string(), value)).collect()
        }
        _ => Vec::new(),
    }
}

fn lookup(tree: &Value, path: &str) -> bool {
    path.split('.').try_fold(tree, |node, key| child(node, key)).is_some()
}

fn child<'a>(node: &'a Value, key: &str) -> Option<&'a Value> {
    match node {
        Value::Table(table) => table.get(key),
        Value::Array(list) => list.get(key.parse::<usize>().ok()?),
        _ => None,
    }
}

/// The place of a setting, made if it is an optional one.
fn slot<'a>(tree: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    let (group, name) = match path.strip_prefix("weights.") {
        Some(term) => (Some("weights"), term),
        None => path.rsplit_once('.').map_or((None, path), |(group, name)| (Some(group), name)),
    };
    let node = group.into_iter().flat_map(|group| group.split('.')).try_fold(tree, |node, key| match node {
        Value::Table(table) => Some(table.entry(key).or_insert_with(|| Value::Table(Table::new()))),
        Value::Array(list) => list.get_mut(key.parse::<usize>().ok()?),
        _ => None,
    })?;
    match node {
        Value::Table(table) => Some(table.entry(name).or_insert(Value::Boolean(false))),
        Value::Array(list) => list.get_mut(name.parse::<usize>().ok()?),
        _ => None,
    }
}
