//! Printing: results to standard output, complaints to standard error.

use crate::failure::Failure;
use serde::Serialize;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Prints text that ends in its own line break.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::OutputClosed,
        _ => Failure::Print(error),
    })
}

/// Prints a value as indented JSON.
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Failure::Print(error.into()))?;
    print(&(text + "\n"))
}

/// Prints a value as JSON on one line.
pub fn print_json_line(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(|error| Failure::Print(error.into()))?;
    print(&(text + "\n"))
}

/// Something that happened, for programs.
#[derive(Serialize)]
pub struct Event<'a, T> {
    /// What.
    pub event: &'static str,
    /// Where the files about it are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<&'a Path>,
    /// All about it.
    #[serde(flatten)]
    pub content: &'a T,
}

/// How a command speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// For people.
    Words,
    /// For programs.
    Json,
    /// Not at all.
    Silence,
}

impl Voice {
    /// Tells of something that is saved: that nobody listens any more is no failure then.
    pub fn tell<T: Serialize>(self, words: impl FnOnce() -> String, event: &Event<'_, T>) -> Result<(), Failure> {
        let told = match self {
            Self::Words => print(&words()),
            Self::Json => print_json_line(event),
            Self::Silence => Ok(()),
        };
        match told {
            Err(Failure::OutputClosed) => Ok(()),
            told => told,
        }
    }
}

/// Prints a remark that is no result. With standard error closed there is nobody left to tell.
pub fn remark(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints why a command ended, and what helps.
pub fn complain(failure: &Failure) {
    let hint = failure.hint().map_or_else(String::new, |hint| format!("\nhint: {hint}"));
    remark(format!("error: {failure}{hint}").trim_end());
}

/// This command as it could be typed again.
pub fn command_line() -> String {
    let quoted = |word: String| {
        let plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_.,:=/+".contains(c));
        if plain { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    ["ropinn".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}
