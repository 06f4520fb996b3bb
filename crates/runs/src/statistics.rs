//! What several runs have in common: median, mean and spread, best and worst.

use ropinn_plot::{mean_std, sig};
use serde::Serialize;

/// Statistics of one number over several runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Statistics {
    /// Half of the runs are at or below.
    pub median: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation of the sample (n − 1); 0 for a single run.
    pub std: f64,
    /// The smallest.
    pub best: f64,
    /// The largest.
    pub worst: f64,
}

impl Statistics {
    /// `None` without values. A value that is not finite is worse than any other.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let not_finite_last = |value: f64| if value.is_finite() { value } else { f64::INFINITY };
        let mut values: Vec<f64> = values.into_iter().map(not_finite_last).collect();
        values.sort_by(f64::total_cmp);
        let (best, worst) = (*values.first()?, *values.last()?);
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let std = if values.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        let median = (values[(values.len() - 1) / 2] + values[values.len() / 2]) / 2.0;
        Some(Self { median, mean, std, best, worst })
    }

    /// Median, mean ± standard deviation, best, worst as cells of a table.
    pub fn cells(&self) -> [String; 4] {
        let mean = mean_std(self.mean, self.std, 3);
        [sig(self.median, 3), mean, sig(self.best, 3), sig(self.worst, 3)]
    }
}

/// How many runs have an error below `threshold`.
pub fn solved(errors: impl IntoIterator<Item = Option<f64>>, threshold: f64) -> usize {
    errors.into_iter().filter(|error| error.is_some_and(|error| error < threshold)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_samples() {
        assert_eq!(Statistics::of([]), None);
        let one = Statistics { median: 3.0, mean: 3.0, std: 0.0, best: 3.0, worst: 3.0 };
        assert_eq!(Statistics::of([3.0]), Some(one));
        let four = Statistics::of([4.0, 1.0, 2.0, 3.0]).expect("values");
        assert_eq!((four.median, four.mean, four.best, four.worst), (2.5, 2.5, 1.0, 4.0));
        assert!((four.std - (5.0f64 / 3.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn runs_that_failed_count_as_the_worst() {
        let mixed = Statistics::of([f64::NAN, 0.1, 0.2]).expect("values");
        assert_eq!((mixed.median, mixed.worst), (0.2, f64::INFINITY));
        assert_eq!(solved([Some(0.05), None, Some(0.1), Some(0.09)], 0.1), 2);
    }
}
