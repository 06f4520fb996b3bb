//! Where a problem of the gallery stands: its runs beside what is wanted.

use super::entries::{Entry, Wanted};
use ropinn_runs::folder::{RunLine, RunResult};
use ropinn_runs::statistics::Statistics;
use serde::Serialize;

/// A problem and what its seeds came to.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// Name of the problem.
    pub problem: &'static str,
    /// What is wanted, if anything.
    pub wanted: Option<Wanted>,
    /// Errors; a run without one counts as wrong altogether.
    pub rmse: Option<Statistics>,
    /// Times of training.
    pub seconds: Option<Statistics>,
    /// How many seeds there should be.
    pub seeds: usize,
    /// How many of them keep to what is wanted, if anything is.
    pub reached: Option<usize>,
    /// What that comes to.
    pub verdict: Verdict,
    /// Seeds whose run is not finished.
    pub missing: Vec<u64>,
    /// The runs, in the order of the seeds.
    pub runs: Vec<Attempt>,
}

/// One run.
#[derive(Clone, Debug, Serialize)]
pub struct Attempt {
    /// Its numbers.
    #[serde(flatten)]
    pub run: RunLine,
    /// Threads it ran on: times depend on them.
    pub threads: usize,
    /// Whether error and time are within what is wanted, if anything is.
    pub reached: Option<bool>,
}

/// Whether a problem is what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every seed keeps to what is wanted.
    Yes,
    /// Some seed does not.
    Miss,
    /// No seed fails so far, but some are missing.
    Open,
    /// Nothing is wanted.
    NoTarget,
}

impl Attempt {
    /// Judges a run.
    pub fn new(wanted: Option<Wanted>, result: &RunResult) -> Self {
        Self::of(wanted, result.line(), result.threads)
    }

    fn of(wanted: Option<Wanted>, run: RunLine, threads: usize) -> Self {
        let is_within =
            |wanted: Wanted| run.rmse.is_some_and(|rmse| rmse <= wanted.rmse) && run.seconds <= wanted.seconds;
        Self { reached: wanted.map(is_within), run, threads }
    }

    fn error(&self) -> f64 {
        self.run.rmse.unwrap_or(f64::INFINITY)
    }
}

impl Standing {
    /// Sums up the runs that are there of those that should be.
    pub fn new(entry: &Entry, seeds: &[u64], runs: Vec<Attempt>) -> Self {
        let missing: Vec<u64> =
            seeds.iter().copied().filter(|seed| runs.iter().all(|attempt| attempt.run.seed != *seed)).collect();
        let reached = runs.iter().filter(|attempt| attempt.reached == Some(true)).count();
        let verdict = match entry.wanted {
            None => Verdict::NoTarget,
            Some(_) if reached < runs.len() => Verdict::Miss,
            Some(_) if !missing.is_empty() => Verdict::Open,
            Some(_) => Verdict::Yes,
        };
        Self {
            problem: entry.problem,
            wanted: entry.wanted,
            rmse: Statistics::of(runs.iter().map(Attempt::error)),
            seconds: Statistics::of(runs.iter().map(|attempt| attempt.run.seconds)),
            seeds: seeds.len(),
            reached: entry.wanted.map(|_| reached),
            verdict,
            missing,
            runs,
        }
    }

    /// The run of median error; the better one of the two in the middle.
    pub fn median_run(&self) -> Option<&Attempt> {
        let mut runs: Vec<&Attempt> = self.runs.iter().collect();
        runs.sort_by(|a, b| a.error().total_cmp(&b.error()));
        runs.get(runs.len().saturating_sub(1) / 2).copied()
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Runs of seeds 0, 1, … with these errors and times.
    pub fn attempts(wanted: Option<Wanted>, runs: &[(Option<f64>, f64)]) -> Vec<Attempt> {
        let line = |(seed, &(rmse, seconds)): (usize, &(Option<f64>, f64))| RunLine {
            seed: seed as u64,
            rmse,
            rmae: rmse,
            trained_loss: None,
            unweighted_loss: None,
            iterations: 7,
            evaluations: 8,
            seconds,
            stop_reason: "all 7 iterations done".to_owned(),
        };
        runs.iter().enumerate().map(|run| Attempt::of(wanted, line(run), 2)).collect()
    }

    fn standing(runs: &[(Option<f64>, f64)], seeds: u64) -> Standing {
        let entry = Entry::wanted("wave", 1e-3, 30.0);
        Standing::new(&entry, &(0..seeds).collect::<Vec<_>>(), attempts(entry.wanted, runs))
    }

    #[test]
    fn a_seed_must_keep_to_both_the_error_and_the_time() {
        let all = standing(&[(Some(1e-3), 30.0), (Some(1e-5), 2.0)], 2);
        assert_eq!((all.reached, all.verdict), (Some(2), Verdict::Yes));
        for bad in [(Some(1.1e-3), 2.0), (Some(1e-5), 30.1), (None, 2.0)] {
            let one = standing(&[(Some(1e-5), 2.0), bad], 2);
            assert_eq!((one.reached, one.verdict), (Some(1), Verdict::Miss), "{bad:?}");
        }
    }

    #[test]
    fn missing_runs_leave_it_open_unless_one_has_failed() {
        let none = standing(&[], 2);
        assert_eq!((none.reached, none.verdict, none.missing), (Some(0), Verdict::Open, vec![0, 1]));
        assert!(none.rmse.is_none() && none.seconds.is_none());
        let some = standing(&[(Some(1e-4), 3.0)], 3);
        assert_eq!((some.reached, some.verdict, some.missing), (Some(1), Verdict::Open, vec![1, 2]));
        assert_eq!(standing(&[(Some(1e-2), 3.0)], 3).verdict, Verdict::Miss);
    }

    #[test]
    fn without_a_target_nothing_is_judged() {
        let entry = Entry::shown("wave");
        let shown = Standing::new(&entry, &[0], attempts(None, &[(Some(0.5), 900.0)]));
        assert_eq!((shown.reached, shown.verdict, shown.runs[0].reached), (None, Verdict::NoTarget, None));
        assert_eq!(shown.rmse.map(|rmse| rmse.median), Some(0.5));
    }

    #[test]
    fn medians_and_worst_are_over_seeds_and_the_median_run_is_one_of_them() {
        let odd = standing(&[(Some(3e-4), 1.0), (Some(1e-4), 9.0), (Some(2e-4), 5.0)], 3);
        let (rmse, seconds) = (odd.rmse.expect("errors"), odd.seconds.expect("times"));
        assert_eq!((rmse.median, rmse.worst, seconds.median, seconds.worst), (2e-4, 3e-4, 5.0, 9.0));
        assert_eq!(odd.median_run().map(|attempt| attempt.run.seed), Some(2));
        let even = standing(&[(None, 1.0), (Some(1e-4), 1.0), (Some(2e-4), 1.0), (Some(4e-4), 1.0)], 4);
        assert_eq!(even.median_run().map(|attempt| attempt.run.seed), Some(2));
        assert_eq!(even.rmse.map(|rmse| rmse.worst), Some(f64::INFINITY));
        assert!(standing(&[], 1).median_run().is_none());
    }
}
