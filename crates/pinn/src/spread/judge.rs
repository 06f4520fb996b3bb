//! From what the readings tell to intervals: (SᵀS)⁻¹ where it exists, and words where it does not.
//!
//! Numbers are taken in units of their own size (of their distance to a bound), so that an eigenvalue of the scaled SᵀS below 1
//! belongs to a change of everything by about its own size that the readings do not notice: that direction is not told, and
//! numbers that take part in it have no interval.

use crate::problem::Trainable;
use crate::record::Trained;

/// Eigenvalues this much below the largest are rounding.
const ROUNDING: f64 = 1e-12;
/// Standard errors from the likeliest value from which on that is said.
const NOTICED: f64 = 0.1;
/// A number takes part in a direction with this share of it.
const PART: f64 = 0.1;

/// A number as it stands: what it is, and θ.
pub(super) struct Number<'a> {
    pub own: &'a Trainable,
    pub theta: f64,
}

impl Number<'_> {
    fn value(&self) -> f64 {
        self.own.transform.value(self.theta)
    }

    /// Its size in units of θ.
    pub fn size(&self) -> f64 {
        let (value, (low, high)) = (self.value(), self.own.transform.bounds());
        let size = match (value - low).min(high - value) {
            distance if distance.is_finite() => distance,
            _ => value.abs().max(self.own.first.abs()),
        };
        (if size > 0.0 { size } else { 1.0 }) / self.own.transform.slope(self.theta).abs().max(f64::MIN_POSITIVE)
    }
}

/// SᵀS in units of the numbers' sizes, by its directions.
pub(super) struct Information {
    sizes: Vec<f64>,
    /// Eigenvalues, and the eigenvector of each.
    told: Vec<(f64, Vec<f64>)>,
}

impl Information {
    /// Of the columns of S, by θ.
    pub fn of(columns: &[Vec<f64>], numbers: &[Number<'_>]) -> Self {
        let sizes: Vec<f64> = numbers.iter().map(Number::size).collect();
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let matrix = |i: usize, j: usize| product(&columns[i], &columns[j]) * sizes[i] * sizes[j];
        let count = numbers.len();
        let told = symmetric_eigen((0..count * count).map(|k| matrix(k / count, k % count)).collect(), count);
        Self { sizes, told }
    }

    fn is_told(&self, value: f64) -> bool {
        let largest = self.told.iter().map(|(value, _)| *value).fold(0.0, f64::max);
        value >= 1.0 && value > ROUNDING * largest
    }

    /// The change of θ that answers a slope of the likelihood, along directions that are told.
    pub fn step(&self, slopes: &[f64]) -> Vec<f64> {
        let mut step = vec![0.0; slopes.len()];
        for (value, direction) in self.told.iter().filter(|(value, _)| self.is_told(*value)) {
            let along: f64 = direction.iter().zip(slopes).zip(&self.sizes).map(|((v, s), size)| v * s * size).sum();
            for ((step, v), size) in step.iter_mut().zip(direction).zip(&self.sizes) {
                *step += along / value * v * size;
            }
        }
        step
    }

    /// A change of θ with the covariances of what is told, from as many standard normals.
    pub fn drawn(&self, normals: &[f64]) -> Vec<f64> {
        let mut change = vec![0.0; self.sizes.len()];
        for ((value, direction), normal) in self.told.iter().zip(normals).filter(|((value, _), _)| self.is_told(*value))
        {
            for ((change, v), size) in change.iter_mut().zip(direction).zip(&self.sizes) {
                *change += normal / value.sqrt() * v * size;
            }
        }
        change
    }

    /// Covariances of θ, with what is not told left out.
    fn covariance(&self, i: usize, j: usize) -> f64 {
        let told = self.told.iter().filter(|(value, _)| self.is_told(*value));
        told.map(|(value, v)| v[i] * v[j] / value).sum::<f64>() * self.sizes[i] * self.sizes[j]
    }

    /// Standard errors in θ; infinite where a number takes part in a direction that is not told.
    pub fn standard_errors(&self) -> Vec<f64> {
        let open = self.told.iter().filter(|(value, _)| !self.is_told(*value)).collect::<Vec<_>>();
        let is_open = |i: usize| open.iter().any(|(_, direction)| direction[i].abs() > PART);
        (0..self.sizes.len()).map(|i| if is_open(i) { f64::INFINITY } else { self.covariance(i, i).sqrt() }).collect()
    }

    /// Correlations of each with each.
    pub fn correlations(&self) -> Vec<Vec<f64>> {
        let errors = self.standard_errors();
        let entry = |i: usize, j: usize| match i == j {
            true => 1.0,
            false => self.covariance(i, j) / (errors[i] * errors[j]),
        };
        let known = |i: usize, j: usize| if (errors[i] * errors[j]).is_finite() { entry(i, j) } else { f64::NAN };
        (0..errors.len()).map(|i| (0..errors.len()).map(|j| known(i, j)).collect()).collect()
    }

    /// Why a number has no interval.
    fn open(&self, i: usize, numbers: &[Number<'_>]) -> Option<String> {
        let takes_part = |(value, direction): &&(f64, Vec<f64>)| !self.is_told(*value) && direction[i].abs() > PART;
        let (_, direction) = self.told.iter().find(takes_part)?;
        let others: Vec<usize> = (0..numbers.len()).filter(|&k| direction[k].abs() > PART).collect();
        if others.len() < 2 {
            return Some(
                "the readings do not tell it: they are as good with another value; measure what depends on it"
                    .to_owned(),
            );
        }
        // As changes, the number itself upwards.
        let sign = direction[i].signum();
        let change = |k: &usize| {
            let relative = sign * direction[*k] * self.sizes[*k] * numbers[*k].own.transform.slope(numbers[*k].theta);
            format!("`{}` by {:+.2e}", numbers[*k].own.name, relative / direction[i].abs())
        };
        let changes: Vec<String> = others.iter().map(change).collect();
        Some(format!(
            "the readings tell a combination only: a change of {} leaves them as they are; fix one of these numbers, or measure \
             something else",
            changes.join(" and ")
        ))
    }

    /// Values with intervals that reach `reach` standard errors in θ to both sides, and on to where the likelihood is largest if that
    /// was `missed` by so much.
    pub fn intervals(&self, numbers: &[Number<'_>], reach: f64, missed: &[f64]) -> Vec<Trained> {
        let errors = self.standard_errors();
        let interval = |(i, number): (usize, &Number<'_>)| {
            let (value, remark) = (number.value(), self.open(i, numbers));
            if remark.is_some() || !errors[i].is_finite() {
                return Trained { remark, ..Trained::plain(value) };
            }
            let away = missed[i].abs() / errors[i];
            let end = |sign: f64| {
                let beyond = if missed[i] * sign > 0.0 && away > NOTICED { missed[i] } else { 0.0 };
                number.own.transform.value(number.theta + sign * reach * errors[i] + beyond)
            };
            let remark = (away > NOTICED).then(|| {
                format!("training has ended {away:.1} standard errors from the likeliest value, to which the interval is drawn out; train longer")
            });
            let (a, b) = (end(-1.0), end(1.0));
            Trained {
                value,
                standard_error: Some(number.own.transform.slope(number.theta).abs() * errors[i]),
                low: Some(a.min(b)),
                high: Some(a.max(b)),
                remark,
            }
        };
        numbers.iter().enumerate().map(interval).collect()
    }
}

/// Eigenvalues and eigenvectors of a small symmetric matrix by Jacobi's rotations.
fn symmetric_eigen(mut a: Vec<f64>, n: usize) -> Vec<(f64, Vec<f64>)> {
    let mut v: Vec<f64> = (0..n * n).map(|k| if k / n == k % n { 1.0 } else { 0.0 }).collect();
    for _ in 0..60 {
        let off: f64 = (0..n * n).filter(|k| k / n != k % n).map(|k| a[k] * a[k]).sum();
        if off == 0.0 {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                let apq = a[p * n + q];
                if apq == 0.0 {
                    continue;
                }
                let angle = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
                let t = angle.signum() / (angle.abs() + (angle * angle + 1.0).sqrt());
                let t = if angle == 0.0 { 1.0 } else { t };
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                let turn = |m: &mut [f64], ip: usize, iq: usize| {
                    let (x, y) = (m[ip], m[iq]);
                    (m[ip], m[iq]) = (c * x - s * y, s * x + c * y);
                };
                (0..n).for_each(|k| turn(&mut a, k * n + p, k * n + q));
                (0..n).for_each(|k| turn(&mut a, p * n + k, q * n + k));
                (0..n).for_each(|k| turn(&mut v, k * n + p, k * n + q));
            }
        }
    }
    (0..n).map(|j| (a[j * n + j], (0..n).map(|k| v[k * n + j]).collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;

    fn problem(numbers: &str) -> Problem {
        let text = format!(
            "coordinates = {{ t = [0, 1] }}\nunknowns = ['u']\nequations = {{ decay = 'u_t + a*b*u' }}\ntrainable = {{ {numbers} }}"
        );
        Problem::from_toml(&text, "decay.toml".as_ref()).unwrap()
    }

    fn numbers(problem: &Problem) -> Vec<Number<'_>> {
        problem.trainables().iter().map(|own| Number { own, theta: own.start() }).collect()
    }

    #[test]
    fn a_straight_line_has_the_intervals_of_the_textbook() {
        // y = a + bx at x = 0, 1, 2, 3 with noise 0.1: Var(b) = σ²/Σ(x − x̄)² = 0.01/5, Var(a) = σ² Σx²/(4·5) = 0.01·14/20.
        let problem = problem("a = 1, b = 2");
        let (ones, slopes) = (vec![10.0; 4], vec![0.0, 10.0, 20.0, 30.0]);
        let numbers = numbers(&problem);
        let told = Information::of(&[ones, slopes], &numbers);
        let found = told.intervals(&numbers, 2.0, &[0.0; 2]);
        assert!((found[0].standard_error.unwrap() - 0.007_f64.sqrt()).abs() < 1e-12);
        assert!((found[1].standard_error.unwrap() - 0.002_f64.sqrt()).abs() < 1e-12);
        assert!((found[1].high.unwrap() - found[1].low.unwrap() - 4.0 * 0.002_f64.sqrt()).abs() < 1e-12);
        // Their correlation is −x̄/√(mean x²).
        assert!((told.correlations()[0][1] + 1.5 / 3.5_f64.sqrt()).abs() < 1e-12);
        // A step along the slopes of the likelihood is the least-squares one.
        let step = told.step(&[10.0 * 4.0, 10.0 * 6.0]);
        assert!((step[0] - 0.1).abs() < 1e-9 && step[1].abs() < 1e-9, "{step:?}");
    }

    #[test]
    fn what_is_not_told_is_said_and_named() {
        let problem = problem("a = 1, b = 2, c = 3");
        let numbers = numbers(&problem);
        // Only a·b matters, and c not at all.
        let product = |size: f64| (1..5).map(|x| f64::from(x) * size).collect::<Vec<_>>();
        let told = Information::of(&[product(200.0), product(100.0), vec![0.0; 4]], &numbers);
        let found = told.intervals(&numbers, 1.96, &[0.0; 3]);
        assert!(found.iter().all(|number| number.standard_error.is_none() && number.low.is_none()));
        assert_eq!(
            found[0].remark.as_deref(),
            Some(
                "the readings tell a combination only: a change of `a` by +1.00e0 and `b` by -2.00e0 leaves them as they are; fix one \
                 of these numbers, or measure something else"
            )
        );
        assert!(found[2].remark.as_deref().unwrap().starts_with("the readings do not tell it"));
        assert!(told.correlations()[0][1].is_nan());
    }

    #[test]
    fn intervals_keep_within_bounds() {
        let problem = problem("a = { init = 0.01, bounds = [0, inf] }, b = { init = 0.5, bounds = [0, 1] }");
        let numbers = numbers(&problem);
        let told = Information::of(&[vec![2.0, 0.0], vec![0.0, 10.0]], &numbers);
        let found = told.intervals(&numbers, 1.96, &[0.0; 3]);
        // e^(±0.98) around 0.01.
        assert!((found[0].low.unwrap() - 0.01 * (-0.98_f64).exp()).abs() < 1e-9);
        assert!((found[0].high.unwrap() - 0.01 * 0.98_f64.exp()).abs() < 1e-9);
        assert!(found[1].low.unwrap() > 0.0 && found[1].high.unwrap() < 1.0);
    }
}
