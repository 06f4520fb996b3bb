//! Changing settings of a run: `key=value`.

use super::edit::{check_whole_numbers, tree_of, unused, with_overrides};
use super::{ConfigError, Phases, RunConfig};
use crate::model::{ModelConfig, ModelKind};
use toml::Value;

impl RunConfig {
    /// Changes one setting: `key=value`. On error nothing has changed.
    pub fn set(&mut self, text: &str) -> Result<(), ConfigError> {
        self.set_all(&[text])
    }

    /// Changes several settings at once, so that they are checked together. On error nothing has changed.
    pub fn set_all<S: AsRef<str>>(&mut self, overrides: &[S]) -> Result<(), ConfigError> {
        let (config, keys) = with_overrides(self, overrides, shorthand)?;
        config.validate()?;
        let tree = tree_of(&config);
        if let Some((key, (what, chosen, needed))) = keys.iter().find_map(|key| Some((key, unused(&tree, key)?))) {
            let (key, chosen, needed) = (key.clone(), chosen.to_owned(), needed.to_owned());
            return Err(ConfigError::NoEffect { key, what, chosen, needed });
        }
        *self = config;
        Ok(())
    }
}

/// Phases are written as a sentence, models by their name.
fn shorthand(path: &str, value: &str) -> Option<Result<Value, ConfigError>> {
    match path {
        "phases" => {
            Some(value.parse::<Phases>().and_then(|phases| check_whole_numbers(&phases).map(|()| tree_of(&phases))))
        }
        "model" => Some(match value.parse::<ModelKind>() {
            Ok(kind) => Ok(tree_of(&ModelConfig::new(kind))),
            Err(error) => {
                let (key, value) = (path.to_owned(), value.to_owned());
                Err(ConfigError::BadValue { key, value, reason: error.to_string() })
            }
        }),
        _ => None,
    }
}
