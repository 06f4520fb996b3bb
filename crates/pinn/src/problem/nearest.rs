//! The known word closest to a mistaken one, by edit distance.

/// The known word with the fewest edits from `word`, if it is close at all; the first one among equals.
pub(super) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let allowed = match word.chars().count() {
        0..=2 => 1,
        3..=40 => 1 + word.chars().count() / 4,
        _ => return None,
    };
    let measured = known.into_iter().map(|candidate| (strsim::levenshtein(word, candidate), candidate));
    let (distance, closest) = measured.min_by_key(|(distance, _)| *distance)?;
    (distance <= allowed).then(|| closest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_words_are_found_and_distant_ones_are_not() {
        assert_eq!(nearest("burger-1d", ["wave", "burgers-1d"]), Some("burgers-1d".to_owned()));
        assert_eq!(nearest("poisson", ["wave", "burgers-1d"]), None);
    }
}
