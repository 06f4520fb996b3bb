//! The declared name closest to a mistaken one, by edit distance.

use crate::scope::{KEYWORDS, Symbol};
use crate::{Function, Scope};

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
        nearest(name, candidates)
    }

    /// The closest name that can be called.
    pub(super) fn nearest_function(&self, name: &str) -> Option<String> {
        let tables = self.names().filter(|n| matches!(self.symbol(n), Some(Symbol::Table(_))));
        let mut candidates: Vec<String> = tables.map(str::to_owned).collect();
        candidates.extend(["d", "at", "where", "min", "max"].map(str::to_owned));
        candidates.extend(Function::ALL.map(|f| f.name().to_owned()));
        nearest(name, candidates)
    }
}

/// The candidate with the fewest edits, the first in alphabetical order among equals, if it is close at all.
fn nearest(name: &str, mut candidates: Vec<String>) -> Option<String> {
    let length = name.chars().count();
    let allowed = match length {
        0..=1 => 0,
        2..=5 => 1,
        6..=40 => 2,
        _ => return None,
    };
    candidates.sort();
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let same_letters = candidate.eq_ignore_ascii_case(name);
            let edits = if same_letters { 0 } else { edits(name, &candidate) };
            (edits <= allowed).then_some((edits, candidate))
        })
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance: insertions, deletions and replacements of characters.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_single_changes() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("u_x", "u_x"), 0);
    }
}
