//! The known word closest to a mistaken one.

/// Words longer than this have no neighbours: measuring them would take long, and nobody mistypes them.
const LONGEST: usize = 64;

/// The known word that takes the fewest edits, if it is close at all; the first one among equals.
///
/// An edit inserts, removes or replaces a letter or swaps two neighbours; upper and lower case are the same letter.
///
/// ```
/// use ropinn_expr::nearest;
/// assert_eq!(nearest("burger-1d", ["wave", "burgers-1d"]), Some("burgers-1d"));
/// assert_eq!(nearest("poisson", ["wave", "burgers-1d"]), None);
/// assert_eq!(nearest("X", ["t", "x"]), Some("x"));
/// assert_eq!(nearest("y", ["t", "x"]), None, "every letter is one edit from every other");
/// ```
pub fn nearest<S: AsRef<str>>(word: &str, known: impl IntoIterator<Item = S>) -> Option<S> {
    let allowed = match word.chars().count() {
        0..=1 => 0,
        length @ 2..=LONGEST => 1 + length / 6,
        _ => return None,
    };
    let word = word.to_lowercase();
    let edits = |known: &S| strsim::damerau_levenshtein(&word, &known.as_ref().to_lowercase());
    let measured = known.into_iter().map(|known| (edits(&known), known));
    measured.filter(|(edits, _)| *edits <= allowed).min_by_key(|(edits, _)| *edits).map(|(_, known)| known)
}
