//! The declared name closest to a mistaken one.

use crate::scope::{KEYWORDS, Symbol};
use crate::{Function, Scope, nearest};

impl Scope {
    /// The closest name that could stand where a value is expected: symbols, their first and second derivatives, functions.
    pub(super) fn nearest_symbol(&self, name: &str) -> Option<String> {
        let mut candidates: Vec<String> = self.names().map(str::to_owned).collect();
        candidates.extend(KEYWORDS.iter().filter(|k| !["and", "or", "not"].contains(k)).map(|k| k.to_string()));
        candidates.extend(Function::ALL.map(|f| f.name().to_owned()));
        let coords = self.coord_names();
        for base in self.names() {
            if !matches!(self.symbol(base), Some(Symbol::Unknown(_))) {
                continue;
            }
            for (i, x) in coords.iter().enumerate() {
                candidates.push(format!("{base}_{x}"));
                candidates.extend(coords[i..].iter().map(|y| format!("{base}_{x}{y}")));
            }
        }
        first_nearest(name, candidates)
    }

    /// The closest name that can be called.
    pub(super) fn nearest_function(&self, name: &str) -> Option<String> {
        let tables = self.names().filter(|n| matches!(self.symbol(n), Some(Symbol::Table(_))));
        let mut candidates: Vec<String> = tables.map(str::to_owned).collect();
        candidates.extend(["d", "at", "where", "min", "max"].map(str::to_owned));
        candidates.extend(Function::ALL.map(|f| f.name().to_owned()));
        first_nearest(name, candidates)
    }
}

/// The first in alphabetical order among equals.
fn first_nearest(name: &str, mut candidates: Vec<String>) -> Option<String> {
    candidates.sort();
    nearest(name, candidates)
}
