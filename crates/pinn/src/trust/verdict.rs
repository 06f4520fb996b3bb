//! From an estimate and its circumstances to a word with reasons.

use crate::look::Look;
use crate::polish::Unpolished;
use crate::problem::Doubt;
use crate::record::{EstimatedError, StopReason, Trust, Verdict};
use std::cmp::Reverse;

/// A solution with an estimated error up to this is good enough to be trusted, …
const GOOD: f64 = 0.03;
/// … and one beyond this is none.
const BAD: f64 = 0.2;
/// An estimate that leaves more than this of the residual unexplained is a guess.
const GUESS: f64 = 3.0;
/// One that leaves no more than this is better than any guess from the residual.
const EXPLAINED: f64 = 0.3;
/// Root of the relative residual on fresh points beyond which nothing is solved, …
const UNSOLVED: f64 = 0.1;
/// … and up to which a guess will do.
const SMALL: f64 = 1e-3;

/// Judges; what could not be estimated comes with its reason, unless the numbers ran away.
pub(super) fn judge(
    look: &Look,
    error: Result<&EstimatedError, Option<Unpolished>>,
    doubts: &[Doubt],
    stop: &StopReason,
) -> Verdict {
    let mut found: Vec<(Trust, String)> = Vec::new();
    let mut say = |word, text: String| found.push((word, text));
    let percent = |value: f64| format!("{} %", two_digits(100.0 * value));
    if stop.is_failure() {
        say(Trust::Wrong, format!("{stop}; try another --seed or a smaller step"));
    }
    let residual = look.relative().sqrt();
    let (worst, name) = worst(look);
    if !residual.is_finite() {
        say(Trust::Wrong, "its residual is not finite on fresh points; look at the formulas there".to_owned());
    } else if residual > UNSOLVED && !error.is_ok_and(|error| error.unexplained <= EXPLAINED) {
        let what = format!("on fresh points {name} is off by {} of what it is made of", percent(worst.sqrt()));
        say(Trust::Wrong, format!("{what}; try --strategy auto, more work or more points"));
    }
    match error {
        Ok(error) if !error.relative.is_finite() || error.relative > BAD => {
            let text = format!("it is off by about {}", percent(error.relative));
            say(Trust::Wrong, format!("{text}; try --strategy auto or more steps, then polish"));
        }
        Ok(error) if error.unexplained > GUESS && residual > SMALL => {
            let text = "no correction that was tried explains its residual, so its error is a guess";
            say(Trust::Doubtful, format!("{text}; try more points or more steps"));
        }
        Ok(error) if error.relative > GOOD => {
            let text = format!("it is off by about {}", percent(error.relative));
            say(Trust::Doubtful, format!("{text}; try more steps, then polish"));
        }
        Ok(error) => say(Trust::Trusted, format!("it is off by about {}", percent(error.relative))),
        Err(Some(why)) => {
            let text = format!("on fresh points {name} is off by {} of what it is made of", percent(worst.sqrt()));
            say(Trust::Doubtful, format!("its error cannot be estimated: {why}; {text}"));
        }
        Err(None) => {}
    }
    if let StopReason::NotSolved { .. } = stop {
        say(Trust::Wrong, stop.to_string());
    }
    if let Some(first) = doubts.first() {
        let more = if doubts.len() > 1 { format!(" (and {} more)", doubts.len() - 1) } else { String::new() };
        say(Trust::Doubtful, format!("the problem itself may not determine its solution{more}: {first}"));
    }
    let word = found.iter().map(|(word, _)| *word).max().unwrap_or(Trust::Doubtful);
    // What speaks for it is of no interest beside what speaks against it; the worst comes first.
    found.retain(|(own, _)| *own > Trust::Trusted || word == Trust::Trusted);
    found.sort_by_key(|(own, _)| Reverse(*own));
    let reasons = found.into_iter().map(|(_, text)| text).collect();
    Verdict { word, reasons }
}

/// What is worst off on fresh points, and what it is.
fn worst(look: &Look) -> (f64, String) {
    let equations = (look.equations, "the equation".to_owned());
    let conditions = look.conditions.iter().map(|one| (one.relative, format!("`{}`", one.name)));
    conditions.fold(equations, |worst, one| if one.0 > worst.0 { one } else { worst })
}

/// Two significant digits.
fn two_digits(value: f64) -> String {
    if value == 0.0 || (0.01..1000.0).contains(&value.abs()) {
        let digits = if value.abs() >= 10.0 || value == 0.0 { 0 } else { 2 - value.abs().log10().ceil() as usize };
        format!("{value:.digits$}")
    } else {
        format!("{value:.1e}")
    }
}
