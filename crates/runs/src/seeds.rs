//! Several seeds at once: ranges and lists.

use crate::error::RunError;

/// More runs than this in one command are a mistake.
const MAX_SEEDS: usize = 10_000;

/// Reads `0..9` (both ends included) or `0,3,7`.
pub fn parse(text: &str) -> Result<Vec<u64>, RunError> {
    let bad = || RunError::BadSeeds(text.to_owned());
    let number = |word: &str| word.trim().parse::<u64>().map_err(|_| bad());
    let seeds = match text.split_once("..") {
        Some((first, last)) => {
            let (first, last) = (number(first)?, number(last.trim_start_matches('='))?);
            let count = last.checked_sub(first).ok_or_else(bad)?;
            let count = usize::try_from(count).unwrap_or(usize::MAX).saturating_add(1);
            if count > MAX_SEEDS {
                return Err(RunError::TooManySeeds(count, MAX_SEEDS));
            }
            (first..=last).collect()
        }
        None => text.split(',').map(number).collect::<Result<Vec<_>, _>>()?,
    };
    for (i, seed) in seeds.iter().enumerate() {
        if seeds[..i].contains(seed) {
            return Err(RunError::RepeatedSeed(*seed, text.to_owned()));
        }
    }
    Ok(seeds)
}

/// A short name: `s0-4` for a run of neighbours, `s0,3,7` otherwise.
pub fn name(seeds: &[u64]) -> String {
    match seeds {
        [first, .., last] if seeds.windows(2).all(|pair| pair[0] + 1 == pair[1]) => format!("s{first}-{last}"),
        _ => format!("s{}", seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(",")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_both_ends() {
        assert_eq!(parse("0..4").expect("a range"), [0, 1, 2, 3, 4]);
        assert_eq!(parse("3..=5").expect("a range"), [3, 4, 5]);
        assert_eq!(parse("7").expect("a list"), [7]);
        assert_eq!(parse("0, 3,9").expect("a list"), [0, 3, 9]);
        assert_eq!((name(&[0, 1, 2]), name(&[5]), name(&[0, 3])), ("s0-2".into(), "s5".into(), "s0,3".into()));
    }

    #[test]
    fn nonsense_is_refused() {
        let bad = "does not name seeds; write a range such as 0..9 (both ends included) or a list such as 0,3,7";
        for text in ["", "4..1", "a..b", "0..", "-1..3", "1,,2", "0.5"] {
            assert_eq!(parse(text).expect_err(text).to_string(), format!("`{text}` {bad}"));
        }
        let twice = parse("1,2,1").expect_err("a repeated seed").to_string();
        assert_eq!(twice, "seed 1 is named twice in `1,2,1`; name it once");
        let many = parse("0..18446744073709551615").expect_err("too many").to_string();
        assert_eq!(many, format!("the number of seeds is {}; it can be at most 10000", usize::MAX));
    }
}
