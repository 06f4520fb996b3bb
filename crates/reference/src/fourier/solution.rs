//! An evolution solved: coefficients at evenly spaced instants, from which any other is a few steps away.

use super::error::FourierError;
use super::evolution::Evolution;
use super::step::{Stepper, Weights};
use num_complex::Complex64;
use ropinn_expr::Env;

/// Instants that are kept.
const INSTANTS: usize = 1024;
/// The largest error, relative to the size of the solution, with which something can be compared.
const TOLERATED: f64 = 1e-3;

/// Modes times steps: about half a minute.
const MOST_WORK: usize = 1 << 26;

/// How finely an evolution is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// Nodes of the grid, a power of two; a third of them is the highest wave number.
    pub modes: usize,
    /// Steps in time, rounded up to a multiple of 1024.
    pub steps: usize,
}

impl Default for Resolution {
    fn default() -> Self {
        Self { modes: 512, steps: 4096 }
    }
}

impl Resolution {
    /// Refuses what cannot be, or takes forever.
    pub fn check(self) -> Result<(), FourierError> {
        let refused =
            |key, value: usize, expected| Err(FourierError::Resolution { key, value: value.to_string(), expected });
        match self {
            Self { modes, .. } if !modes.is_power_of_two() || !(16..=16_384).contains(&modes) => {
                refused("modes", modes, "a power of two from 16 to 16384")
            }
            Self { modes, steps } if !(1..=MOST_WORK / modes).contains(&steps) => {
                refused("steps", steps, "at least 1, and with `modes` a product of at most 67108864")
            }
            _ => Ok(()),
        }
    }

    fn steps_between_instants(self) -> usize {
        self.steps.div_ceil(INSTANTS).max(1)
    }
}

/// The solution of an evolution, at any place and time.
#[derive(Clone, Debug)]
pub struct Solution {
    evolution: Evolution,
    resolution: Resolution,
    instants: Vec<Vec<Complex64>>,
    error: f64,
}

impl Evolution {
    /// Solves it, and once more with half the modes and half the steps to see how far that is off.
    pub fn solve(&self, resolution: Resolution) -> Result<Solution, FourierError> {
        resolution.check()?;
        let Resolution { modes, steps } = resolution;
        let between = resolution.steps_between_instants();
        let coarse = self.run(modes / 2, between.div_ceil(2))?;
        let instants = self.run(modes, between)?;
        let error = distance(&instants, &coarse, self.initial.len());
        match error < TOLERATED {
            true => Ok(Solution { evolution: self.clone(), resolution, instants, error }),
            false => Err(FourierError::Inaccurate { error, modes, steps }),
        }
    }

    fn step_length(&self, between: usize) -> f64 {
        (self.time.1 - self.time.0) / (INSTANTS * between) as f64
    }

    fn run(&self, modes: usize, between: usize) -> Result<Vec<Vec<Complex64>>, FourierError> {
        let mut stepper = Stepper::new(self, modes);
        let (start, length) = (self.time.0, self.step_length(between));
        let weights = stepper.weights(length);
        let mut instants = vec![stepper.start()];
        for step in 0..INSTANTS * between {
            let time = start + step as f64 * length;
            let before = if step % between == 0 { &instants[step / between] } else { &instants[step / between + 1] };
            let after = stepper.step(&weights, time, before);
            if !after.iter().all(|coefficient| coefficient.is_finite()) {
                let (time, at, steps) = (self.time_name.clone(), time, INSTANTS * between);
                return Err(FourierError::Unbounded { time, at, steps });
            }
            match step % between {
                0 => instants.push(after),
                _ => instants[step / between + 1] = after,
            }
        }
        Ok(instants)
    }
}

/// √(Σ|a − b|²/Σ|a|²) over all instants; coefficients that one of them lacks are zero there.
fn distance(a: &[Vec<Complex64>], b: &[Vec<Complex64>], unknowns: usize) -> f64 {
    let (mut apart, mut size) = (0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        let (many, few) = (a.len() / unknowns, b.len() / unknowns);
        for (a, b) in a.chunks_exact(many).zip(b.chunks_exact(few)) {
            for (k, own) in a.iter().enumerate() {
                // A wave number stands for its opposite too.
                let weight = if k == 0 { 1.0 } else { 2.0 };
                apart += weight * (own - b.get(k).unwrap_or(&Complex64::ZERO)).norm_sqr();
                size += weight * own.norm_sqr();
            }
        }
    }
    if apart == 0.0 { 0.0 } else { (apart / size).sqrt() }
}

impl Solution {
    /// How far half the resolution is off, relative to the size of the solution (root mean squares over space and time): a bound
    /// for the error of this one as long as the method converges.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Values `[point][unknown]` at points `[point](x, t)`; NaN before the first and after the last instant.
    pub fn values(&self, points: &[f64]) -> Vec<f64> {
        let unknowns = self.evolution.initial.len();
        let mut values = vec![f64::NAN; points.len() / 2 * unknowns];
        let mut order: Vec<usize> = (0..points.len() / 2).collect();
        let time = |point: usize| points[2 * point + 1];
        order.sort_by(|&a, &b| time(a).total_cmp(&time(b)));
        let mut stepper = Stepper::new(&self.evolution, self.resolution.modes);
        let whole = stepper.weights(self.evolution.step_length(self.resolution.steps_between_instants()));
        for group in order.chunk_by(|&a, &b| time(a) == time(b)) {
            let now = time(group[0]);
            let spectrum = self.spectrum_at(now, &mut stepper, &whole);
            for &point in group {
                for unknown in 0..unknowns {
                    values[point * unknowns + unknown] = match &spectrum {
                        // The first values need no series, which has trouble with kinks.
                        _ if now == self.evolution.time.0 => {
                            self.evolution.initial[unknown].eval(&Env::at(&points[2 * point..2 * point + 2]))
                        }
                        Some(spectrum) => stepper.transform.value(spectrum, unknown, points[2 * point]),
                        None => f64::NAN,
                    };
                }
            }
        }
        values
    }

    /// The coefficients at any time: whole steps from the last instant before it, and one for the rest.
    fn spectrum_at(&self, now: f64, stepper: &mut Stepper<'_>, whole: &Weights) -> Option<Vec<Complex64>> {
        let (start, end) = self.evolution.time;
        let slack = 1e-12 * (end - start);
        if !(start - slack..=end + slack).contains(&now) {
            return None;
        }
        let between = self.resolution.steps_between_instants();
        let length = self.evolution.step_length(between);
        let steps = ((now - start) / length + 1e-9).floor().clamp(0.0, (INSTANTS * between) as f64) as usize;
        let mut spectrum = self.instants[steps / between].clone();
        let first = steps / between * between;
        for step in first..steps {
            spectrum = stepper.step(whole, start + step as f64 * length, &spectrum);
        }
        let reached = start + steps as f64 * length;
        if now - reached > 1e-9 * length {
            let rest = stepper.weights(now - reached);
            spectrum = stepper.step(&rest, reached, &spectrum);
        }
        Some(spectrum)
    }
}
