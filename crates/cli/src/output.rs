//! Printing: results to standard output, complaints to standard error.

use crate::failure::Failure;
use console::Term;
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
    print_encoded(serde_json::to_string_pretty(value))
}

/// Prints a value as JSON on one line.
pub fn print_json_line(value: &impl Serialize) -> Result<(), Failure> {
    print_encoded(serde_json::to_string(value))
}

fn print_encoded(text: serde_json::Result<String>) -> Result<(), Failure> {
    print(&(text.map_err(|error| Failure::Print(error.into()))? + "\n"))
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

/// Columns of the terminal that standard error is; no end of them if it is none.
pub fn columns() -> usize {
    Term::stderr().size_checked().map_or(usize::MAX, |(_, columns)| columns.into())
}

/// As much of a line as fits, cut between its parts: a number that is cut is another number.
pub fn fitted(line: &str, columns: usize) -> String {
    let ends = [", ", " (", " ["].into_iter().flat_map(|end| line.match_indices(end)).map(|(at, _)| at);
    let cut = |at: usize| {
        let mut open = Vec::new();
        for c in line[..at].chars() {
            match c {
                '(' => open.push(')'),
                '[' => open.push(']'),
                ')' | ']' => drop(open.pop()),
                _ => {}
            }
        }
        line[..at].chars().chain(open.into_iter().rev()).collect::<String>()
    };
    let parts = ends.chain([line.len()]).map(cut);
    parts.filter(|part| part.chars().count() <= columns).max_by_key(String::len).unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::fitted;

    #[test]
    fn numbers_are_not_cut_in_the_middle_of_a_narrow_terminal() {
        let line = "120/500 3 s left, loss 1.20e-3, rMSE 4.20e-2 [u 4.1e-2, v 3.9e-3], R 1.0e-4 (residual 1.1e-3, sides 9.8e-5)";
        let marks = [' ', ',', '(', ')', '[', ']'];
        let whole: Vec<&str> = line.split(marks).collect();
        for columns in 0..=line.len() {
            let part = fitted(line, columns);
            assert!(part.len() <= columns, "{part}");
            assert!(part.split(marks).all(|word| whole.contains(&word)), "{part}");
            assert_eq!(part.matches(['(', '[']).count(), part.matches([')', ']']).count(), "{part}");
        }
        assert_eq!(fitted(line, 40), "120/500 3 s left, loss 1.20e-3");
        assert_eq!(fitted(line, 58), "120/500 3 s left, loss 1.20e-3, rMSE 4.20e-2 [u 4.1e-2]");
        assert_eq!(fitted(line, 200), line);
    }
}
