//! Configurations of earlier versions: the text of their problem goes on meaning what it meant when it was written.
//!
//! | edition | what a text means |
//! |---|---|
//! | 1 | `kind = "periodic"` matches values alone, unless `orders` says otherwise |
//! | 2 | it is exact where that is possible, unless `exact` or `orders` says otherwise |

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The edition in which problems are read now.
pub(super) const EDITION: u32 = 2;

/// The edition of configurations that do not say it.
pub(super) fn first() -> u32 {
    1
}

/// A text of the first edition in words of the present one. What is not a problem file is left for its reader to refuse.
pub(super) fn from_first(source: &str) -> String {
    let mut text = source.to_owned();
    let Ok(document) = DeTable::parse(source) else { return text };
    let conditions = document.get_ref().get("conditions").and_then(|conditions| conditions.get_ref().as_array());
    let mut additions: Vec<(usize, String)> = conditions.into_iter().flatten().filter_map(addition).collect();
    // From the last to the first, so that places stay where they were found.
    additions.sort();
    additions.iter().rev().for_each(|(place, words)| text.insert_str(*place, words));
    text
}

/// What a condition must say in addition, and the byte after its last value.
fn addition(condition: &Spanned<DeValue<'_>>) -> Option<(usize, String)> {
    let table = condition.get_ref().as_table()?;
    let is_periodic = table.get("kind").and_then(|kind| kind.get_ref().as_str()) == Some("periodic");
    if !is_periodic || table.contains_key("exact") {
        return None;
    }
    let end = table.iter().map(|(_, value)| value.span().end).max()?;
    let values_alone = !table.contains_key("orders") && !table.contains_key("residual");
    // A table in braces is written on; one with a heading goes on line by line.
    let between = if is_inline(condition, table) { ", " } else { "\n" };
    let orders = if values_alone { format!("{between}orders = [0]") } else { String::new() };
    Some((end, format!("{orders}{between}exact = false")))
}

/// Braces span all values; a heading ends before the first of them.
fn is_inline(condition: &Spanned<DeValue<'_>>, table: &DeTable<'_>) -> bool {
    table.iter().all(|(_, value)| value.span().end < condition.span().end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;

    #[test]
    fn texts_of_the_first_edition_keep_their_meaning() {
        for name in ["reaction", "convection"] {
            let now = Problem::builtin_source(name).expect("built in");
            let then = now.replace("orders = [0]\nexact = false\n", "");
            assert_ne!(then, now);
            assert_eq!(from_first(&then), now);
            assert_eq!(from_first(now), now, "what says it is left alone");
        }
        let inline = "conditions = [{ kind = \"periodic\", along = \"x\" }, { kind = \"periodic\", orders = [0, 1], along = \"y\" }]";
        assert_eq!(
            from_first(inline),
            "conditions = [{ kind = \"periodic\", along = \"x\", orders = [0], exact = false }, \
             { kind = \"periodic\", orders = [0, 1], along = \"y\", exact = false }]"
        );
        let headed =
            "[[conditions]]\nalong = 'x'\nkind = 'periodic' # both ends\n[[conditions]]\nkind = 'initial'\nvalue = 0";
        let wanted = "[[conditions]]\nalong = 'x'\nkind = 'periodic'\norders = [0]\nexact = false # both ends\n[[conditions]]\nkind = 'initial'\nvalue = 0";
        assert_eq!(from_first(headed), wanted);
        assert_eq!(from_first("no = = toml"), "no = = toml");
    }
}
