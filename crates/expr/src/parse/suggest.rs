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
        first_nearest(name, self.functions())
    }

    /// The names that can be called: functions of one argument, those of several, tables.
    pub(super) fn functions(&self) -> Vec<String> {
        let own = Function::ALL.map(Function::name).into_iter().chain(["min", "max", "where", "d", "at"]);
        let tables = self.names().filter(|n| matches!(self.symbol(n), Some(Symbol::Table(_))));
        own.chain(tables).map(str::to_owned).collect()
    }
}

/// The first in alphabetical order among equals.
fn first_nearest(name: &str, mut candidates: Vec<String>) -> Option<String> {
    candidates.sort();
    nearest(name, candidates)
}
