//! The text a problem comes from, and places in it for messages.

use std::fmt;

use ropinn_expr::{ParseError, ParseErrorKind};

/// Where in a problem something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    /// A place in a file.
    File {
        /// The file, as the caller named it.
        origin: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
    },
    /// A problem that was built in Rust.
    Builder {
        /// Its name.
        problem: String,
    },
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::File { origin, line, column } => write!(f, "{origin}:{line}:{column}"),
            Position::Builder { problem } => write!(f, "problem `{problem}`"),
        }
    }
}

/// The text of a problem file and its name, for messages. A problem built in Rust has a name only.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Source {
    pub origin: String,
    pub text: Option<String>,
    /// Lines in front that whoever wrote the file does not know.
    pub added_lines: usize,
}

impl Source {
    /// The place of a byte of the file.
    pub fn position(&self, offset: usize) -> Box<Position> {
        let Some(text) = &self.text else {
            return Box::new(Position::Builder { problem: self.origin.clone() });
        };
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Box::new(Position::File {
            origin: self.origin.clone(),
            line: (1 + before.matches('\n').count()).saturating_sub(self.added_lines),
            column: 1 + before[line_start..].chars().count(),
        })
    }

    /// The line around a place with a caret under it.
    pub fn snippet(&self, at: &Position) -> String {
        match (at, &self.text) {
            (Position::File { line, column, .. }, Some(text)) => caret(text, *line + self.added_lines, *column),
            _ => String::new(),
        }
    }
}

/// One line of `text` and a caret below it, drawn as expression errors draw them.
pub(super) fn caret(text: &str, line: usize, column: usize) -> String {
    let marker = ParseError { offset: 0, line, column, kind: ParseErrorKind::Empty };
    let drawn = marker.render(text);
    drawn.split_once('\n').map_or(String::new(), |(_, lines)| lines.to_owned())
}
