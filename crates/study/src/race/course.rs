//! How the error of a run fell over time.
//!
//! Between two measurements the last one stands, so the error is a step function of time: no interpolation makes an optimiser
//! look faster than it was seen to be.

use super::entrant::Entrant;
use crate::error::StudyError;
use ropinn_runs::RunError;
use ropinn_runs::folder::{FinishedRun, names};
use ropinn_runs::statistics::Statistics;

/// A finished run of a race.
pub struct Finish {
    /// Who ran.
    pub entrant: Entrant,
    /// Settings and results.
    pub run: FinishedRun,
    /// The error over time.
    pub course: Course,
}

impl Finish {
    /// Reads the course of a run.
    pub fn new(entrant: Entrant, run: FinishedRun) -> Result<Self, StudyError> {
        Ok(Self { entrant, course: Course::of(&run)?, run })
    }
}

/// One measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Seconds of training.
    pub seconds: f64,
    /// Outer steps.
    pub iteration: u64,
    /// Evaluations of loss and gradient.
    pub evaluations: u64,
    /// Trained loss of the step.
    pub loss: f64,
    /// Relative error.
    pub rmse: f64,
}

/// The measurements of one run in the order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course(pub Vec<Sample>);

impl Course {
    /// Reads the course of a finished run.
    pub fn of(run: &FinishedRun) -> Result<Self, StudyError> {
        let columns = run.metrics()?.columns(["seconds", "iteration", "evaluations", "trained_loss", "rmse"]);
        let rows =
            columns.ok_or_else(|| RunError::NotARun(run.path.clone(), format!("{} lacks columns", names::METRICS)))?;
        let sample = |[seconds, iteration, evaluations, loss, rmse]: [f64; 5]| Sample {
            seconds,
            iteration: iteration as u64,
            evaluations: evaluations as u64,
            loss,
            rmse,
        };
        // Rows between two measurements have no error.
        Ok(Self(rows.into_iter().map(sample).filter(|sample| !sample.rmse.is_nan()).collect()))
    }

    /// What was measured in time. The clock is looked at after each outer step, so the last one may end late.
    pub fn within(&self, seconds: f64) -> Self {
        Self(self.0.iter().copied().filter(|sample| sample.seconds <= seconds).collect())
    }

    /// The error known at that time.
    pub fn at(&self, seconds: f64) -> Option<f64> {
        let seen = self.0.partition_point(|sample| sample.seconds <= seconds);
        seen.checked_sub(1).map(|last| self.0[last].rmse)
    }

    /// When the error was first seen below `threshold`.
    pub fn first_below(&self, threshold: f64) -> Option<f64> {
        self.0.iter().find(|sample| sample.rmse < threshold).map(|sample| sample.seconds)
    }
}

/// Median and extremes over runs against time, from the time when all of them have been measured.
pub fn median_course(courses: &[Course]) -> Vec<(f64, Statistics)> {
    let mut times: Vec<f64> = courses.iter().flat_map(|course| &course.0).map(|sample| sample.seconds).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let at = |time: f64| {
        let errors = courses.iter().map(|course| course.at(time)).collect::<Option<Vec<f64>>>()?;
        Some((time, Statistics::of(errors)?))
    };
    times.into_iter().filter_map(at).collect()
}

/// Median over runs of the time to get below `threshold`; `None` unless more than half of them did.
pub fn median_time_below(courses: &[Course], threshold: f64) -> Option<f64> {
    let times = courses.iter().map(|course| course.first_below(threshold).unwrap_or(f64::INFINITY));
    Statistics::of(times).map(|times| times.median).filter(|median| median.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(samples: &[(f64, f64)]) -> Course {
        let sample = |&(seconds, rmse): &(f64, f64)| Sample { seconds, iteration: 1, evaluations: 1, loss: rmse, rmse };
        Course(samples.iter().map(sample).collect())
    }

    #[test]
    fn the_last_measurement_stands() {
        let course = course(&[(1.0, 0.5), (2.0, 0.05), (3.0, 0.2), (4.0, 0.001)]);
        assert_eq!(
            [0.9, 1.0, 1.9, 2.5, 3.0, 99.0].map(|t| course.at(t)),
            [None, Some(0.5), Some(0.5), Some(0.05), Some(0.2), Some(0.001)]
        );
        assert_eq!((course.within(2.0).0.len(), course.within(3.9).at(99.0)), (2, Some(0.2)));
        assert_eq!([1.0, 0.1, 0.01, 1e-3].map(|e| course.first_below(e)), [Some(1.0), Some(2.0), Some(4.0), None]);
    }

    #[test]
    fn medians_over_runs() {
        let courses = [course(&[(1.0, 0.5), (2.0, 1e-3)]), course(&[(1.5, 0.3)]), course(&[(0.5, 0.9), (4.0, 2e-3)])];
        let median: Vec<_> = median_course(&courses).iter().map(|(t, s)| (*t, s.best, s.median, s.worst)).collect();
        assert_eq!(median, [(1.5, 0.3, 0.5, 0.9), (2.0, 1e-3, 0.3, 0.9), (4.0, 1e-3, 2e-3, 0.3)]);
        assert_eq!(median_time_below(&courses, 1e-2), Some(4.0));
        assert_eq!(median_time_below(&courses, 2e-3), None);
        // Of two runs both must get there.
        assert_eq!((median_time_below(&courses[..2], 0.4), median_time_below(&courses[..2], 0.2)), (Some(1.75), None));
        assert_eq!((median_course(&[]), median_time_below(&[], 1.0)), (Vec::new(), None));
    }
}
