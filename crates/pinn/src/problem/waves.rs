//! How short the waves are in what a problem gives: sources and the values of conditions, along each coordinate.
//!
//! A network starts with sines of about one wave across the domain and finds a few; ten it does not find. What is given is read
//! along lines parallel to each axis; a function that crosses its mean 2m times has about m waves.

use super::{Problem, Term, Trainable};
use ropinn_expr::{Env, Expr};

/// Places on a line, and lines for each axis of a term.
const PLACES: usize = 400;
const LINES: usize = 5;

/// Waves over the range of each coordinate, in what is given: the most of any formula.
pub(crate) fn waves(problem: &Problem, terms: &[Term]) -> Vec<f64> {
    let ranges = problem.ranges();
    let trained: Vec<f64> = problem.trainables().iter().map(Trainable::start).collect();
    let mut most = vec![0.0f64; ranges.len()];
    for term in terms.iter().filter(|term| term.sites == 1 && !term.is_measured()) {
        let samples = term.samples(ranges.len());
        let chosen = (0..LINES.min(samples))
            .map(|k| &term.points[k * samples / LINES.min(samples) * ranges.len()..][..ranges.len()]);
        for point in chosen {
            for residual in term.residuals.iter().filter(|residual| residual.data_columns().is_empty()) {
                for (axis, most) in most.iter_mut().enumerate() {
                    if residual.coordinates().contains(&axis) {
                        *most = most.max(along(residual, point, axis, ranges[axis], &trained));
                    }
                }
            }
        }
    }
    most
}

/// Half the crossings of the mean along a line through a point, with all unknowns zero.
fn along(residual: &Expr, point: &[f64], axis: usize, (low, high): (f64, f64), trained: &[f64]) -> f64 {
    let value = |k: usize| {
        let mut place = point.to_vec();
        place[axis] = low + (high - low) * (k as f64 + 0.5) / PLACES as f64;
        residual.eval(&Env::at(&place).with_unknowns(|_, _, _| 0.0).with_trainables(trained))
    };
    let values: Vec<f64> = (0..PLACES).map(value).filter(|value| value.is_finite()).collect();
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let (least, most) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
    // Rounding crosses its mean all the time.
    if values.is_empty() || most - least <= 1e-9 * most.abs().max(least.abs()) {
        return 0.0;
    }
    values.windows(2).filter(|pair| (pair[0] > mean) != (pair[1] > mean)).count() as f64 / 2.0
}
