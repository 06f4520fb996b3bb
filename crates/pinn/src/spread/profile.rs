//! The maximum of the likelihood, and what is known there.
//!
//! Newton's method along the solutions of the equations: for given numbers the network follows equations and conditions
//! (`Linear::responses`, physics Λ times as tight as the readings), and the numbers answer the readings alone,
//! δk = −(SᵀS)⁻¹Sᵀr. The numbers are never held by what the network cannot follow, which would make them look surer than they
//! are. Λ grows until what the readings tell no longer depends on it.

use super::Spread;
use super::judge::{Information, Number};
use super::linear::{Draws, Hold, Linear, Responses};
use super::student::quantile_95;
use crate::case::Case;
use crate::error::Error;
use crate::problem::{Term, TermGroup};
use crate::record::{Reading, Trained};
use ropinn_domain::{Purpose, Stream};
use std::sync::atomic::{AtomicBool, Ordering};

/// What holds the network to begin with, the steps of Λ and its end.
const LOOSEST: Hold = Hold { tightness: 1e4, damping: 0.1 };
const TIGHTER: f64 = 100.0;
const TIGHTEST: f64 = 1e12;
/// Standard errors that change by less with Λ do not depend on it, and with more they are none.
const STEADY: f64 = 0.03;
const UNSTEADY: f64 = 0.3;
/// What may be left of the linearised physics; a jump in a corner, which no network follows, leaves some percent.
const LOST: f64 = 0.5;
/// Newton steps at most, and what is a small one in standard errors.
const STEPS: usize = 12;
const SMALL: f64 = 0.02;
/// Sizes of its own that a number may move in a step.
const FAR: f64 = 0.5;
/// How the network is held in a step, one after the other.
const DAMPINGS: [f64; 5] = [1.0, 10.0, 100.0, 1e3, 1e4];
/// How much worse the physics may be after a step, and how much of what the numbers change about it may be left for the next one.
const WORSE: f64 = 2.0;
const LEFT: f64 = 0.3;
/// Draws of the noise.
const DRAWS: usize = 48;
/// Columns of the Jacobian at most.
const MOST_COLUMNS: usize = 6000;

/// Why nothing can be said about the numbers, in words.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Unspread {
    /// Nothing was measured.
    #[error("there are no readings whose noise could spread; intervals are for numbers found from kind = \"data\"")]
    NoReadings,
    /// Not for sequences.
    #[error("a sequence model has no intervals; solve with --model pinn")]
    Sequence,
    /// Not for solutions in pieces.
    #[error("a solution in intervals of time has no intervals of its numbers; solve with --strategy plain")]
    Pieces,
    /// Too large.
    #[error(
        "{columns} parameters are too many for the covariance, which takes up to {MOST_COLUMNS}; choose a smaller --width"
    )]
    TooLarge {
        /// How many there are.
        columns: usize,
    },
    /// More is sought than was measured.
    #[error(
        "{readings} readings cannot tell {sought} numbers apart from their noise; measure more, or state the noise (sigma)"
    )]
    TooFew {
        /// Readings.
        readings: usize,
        /// Numbers.
        sought: usize,
    },
    /// The network is in the way.
    #[error(
        "the network cannot follow a change of `{name}` (it misses {share:.0e} of what the equations ask for); choose a larger --width"
    )]
    NotFollowed {
        /// Which number.
        name: String,
        /// What is left of the linearised physics.
        share: f64,
    },
    /// Cut short.
    #[error("the run was stopped before; `ropinn resume` goes on")]
    Stopped,
}

/// What becomes of numbers that training has not left at the maximum of the likelihood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// They move there, and the network with them.
    Move,
    /// They stay, and their intervals reach as far.
    Stay,
}

/// Numbers and noise at θ, and what the readings tell.
struct State {
    responses: Responses,
    /// Columns of S.
    columns: Vec<Vec<f64>>,
    /// Readings minus what the network can do about them, in units of the noise.
    left: Vec<f64>,
    followed: Vec<f64>,
}

/// Says how far noise spreads the numbers, at θ or at the maximum of the likelihood near it.
pub fn spread(
    case: &Case,
    theta: &[f64],
    numbers: Numbers,
    stop: &AtomicBool,
) -> Result<Result<Spread, Unspread>, Error> {
    let columns = theta.len() - case.network().frozen();
    let terms = readings_of(case)?;
    let problem = case.problem();
    match () {
        () if problem.trainables().is_empty() || terms.is_empty() => return Ok(Err(Unspread::NoReadings)),
        () if case.network().elements() > 1 => return Ok(Err(Unspread::Sequence)),
        () if !case.config().pieces.is_empty() => return Ok(Err(Unspread::Pieces)),
        () if columns > MOST_COLUMNS => return Ok(Err(Unspread::TooLarge { columns })),
        () => {}
    }
    let levels: Vec<usize> =
        terms.iter().filter_map(|term| term.noise.as_ref()).flat_map(|n| n.trained.clone()).collect();
    let sought: Vec<usize> = (0..problem.trainables().len()).filter(|k| !levels.contains(k)).collect();
    let search = Search { case, terms, sought, numbers, stop };
    case.threads().run(|| search.run(theta))
}

/// The terms of readings, without what an unknown level adds to the likelihood.
fn readings_of(case: &Case) -> Result<Vec<Term>, Error> {
    let mut terms = case.problem().terms(case.config().seed)?;
    terms.retain(|term| term.group == TermGroup::Data && !term.points.is_empty());
    for term in &mut terms {
        let readings = term.noise.as_ref().map_or(term.residuals.len(), |noise| noise.readings);
        term.residuals.truncate(readings);
        term.labels.truncate(readings);
        term.label_weights.truncate(readings);
    }
    Ok(terms)
}

struct Search<'a> {
    case: &'a Case,
    terms: Vec<Term>,
    sought: Vec<usize>,
    numbers: Numbers,
    stop: &'a AtomicBool,
}

impl Search<'_> {
    fn run(&self, theta: &[f64]) -> Result<Result<Spread, Unspread>, Error> {
        let mut theta = theta.to_vec();
        let mut linear = Linear::new(self.case, &theta, &self.terms)?;
        let (readings, sought) = (linear.counts().iter().sum::<usize>(), self.sought.len());
        if readings <= sought {
            return Ok(Err(Unspread::TooFew { readings, sought }));
        }
        let known = self.known();
        let mut noises = self.noises(&mut linear, &theta, &known, readings as f64)?;
        let hold = match self.tight_enough(&mut linear, &theta, &noises)? {
            Ok(hold) => hold,
            Err(why) => return Ok(Err(why)),
        };
        let mut missed = vec![0.0; sought];
        for _ in 0..STEPS {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(Err(Unspread::Stopped));
            }
            let state = self.state(&mut linear, &theta, &noises, hold, self.no_draws())?;
            let told = Information::of(&state.columns, &self.numbers(&theta));
            let slopes: Vec<f64> = state.columns.iter().map(|column| -dot(column, &state.left)).collect();
            missed = told.step(&slopes);
            let far = missed.iter().zip(told.standard_errors()).map(|(change, error)| (change / error).abs());
            let far = far.fold(0.0, f64::max);
            let stays = self.numbers == Numbers::Stay || far < SMALL;
            if stays || !self.advance(&mut linear, &mut theta, &noises, hold, &missed)? {
                break;
            }
            noises = self.noises(&mut linear, &theta, &known, readings as f64)?;
        }
        self.summed_up(linear, theta, noises, hold, &known, &missed).map(Ok)
    }

    /// The least Λ beyond which what the readings tell does not change: the network follows equations and conditions then as well as
    /// it can.
    fn tight_enough(
        &self,
        linear: &mut Linear,
        theta: &[f64],
        noises: &[f64],
    ) -> Result<Result<Hold, Unspread>, Error> {
        let (mut hold, mut before): (Hold, Option<(Hold, Vec<f64>)>) = (LOOSEST, None);
        loop {
            let state = self.state(linear, theta, noises, hold, self.no_draws())?;
            let errors = Information::of(&state.columns, &self.numbers(theta)).standard_errors();
            let change = |before: &[f64]| {
                let ratios = before.iter().zip(&errors).map(|(a, b)| if a == b { 0.0 } else { (a / b).ln().abs() });
                ratios.fold(0.0, f64::max)
            };
            let change = before.as_ref().map_or(f64::INFINITY, |(_, errors)| change(errors));
            let (name, share) = self.worst(&state);
            match &before {
                Some((looser, _)) if change < STEADY && share <= LOST => return Ok(Ok(*looser)),
                _ if hold.tightness >= TIGHTEST && change < UNSTEADY && share <= LOST => return Ok(Ok(hold)),
                _ if hold.tightness >= TIGHTEST => return Ok(Err(Unspread::NotFollowed { name, share })),
                _ => before = Some((hold, errors)),
            }
            hold.tightness *= TIGHTER;
        }
    }

    fn no_draws(&self) -> Draws {
        Draws { count: 0, stream: self.stream() }
    }

    fn stream(&self) -> Stream {
        Stream::new(self.case.config().seed, Purpose::Direction)
    }

    /// Whether the noise of each column of readings is known.
    fn known(&self) -> Vec<bool> {
        let known = |term: &Term| term.noise.as_ref().is_some_and(|noise| noise.trained.is_empty());
        self.terms.iter().flat_map(|term| vec![known(term); term.residuals.len()]).collect()
    }

    fn numbers<'a>(&'a self, theta: &[f64]) -> Vec<Number<'a>> {
        let (network, all) = (self.case.network().parameters(), self.case.problem().trainables());
        self.sought.iter().map(|&k| Number { own: &all[k], theta: theta[network + k] }).collect()
    }

    /// Standard deviations of the readings: 1 where they are in units of it, else as they scatter, with so many degrees of freedom.
    fn noises(&self, linear: &mut Linear, theta: &[f64], known: &[bool], freedom: f64) -> Result<Vec<f64>, Error> {
        let readings = linear.counts().iter().sum::<usize>() as f64;
        let share = (readings / freedom.max(1.0)).sqrt();
        let scatter = linear.scatter(theta)?;
        Ok(scatter
            .iter()
            .zip(known)
            .map(|(s, known)| if *known { 1.0 } else { (s * share).max(f64::MIN_POSITIVE) })
            .collect())
    }

    fn state(
        &self,
        linear: &mut Linear,
        theta: &[f64],
        noises: &[f64],
        hold: Hold,
        mut draws: Draws,
    ) -> Result<State, Error> {
        let responses = linear.responses(theta, noises, hold, &mut draws)?;
        let (mut columns, mut followed) = (Vec::new(), Vec::new());
        let network = self.case.network().parameters();
        for &k in &self.sought {
            let (readings, left) = linear.along(theta, &responses.numbers[k], noises)?;
            let mut alone = vec![0.0; theta.len()];
            alone[network + k] = 1.0;
            let (_, asked) = linear.along(theta, &alone, noises)?;
            followed.push(if asked > 0.0 { left / asked } else { 0.0 });
            columns.push(readings);
        }
        let mut left = linear.readings(theta, noises)?;
        let (change, _) = linear.along(theta, &responses.residual, noises)?;
        left.iter_mut().zip(&change).for_each(|(left, change)| *left += change);
        Ok(State { responses, columns, left, followed })
    }

    /// The number the network follows worst, and how much of the physics it misses.
    fn worst(&self, state: &State) -> (String, f64) {
        let worst = state.followed.iter().zip(&self.sought).max_by(|a, b| a.0.total_cmp(b.0));
        worst.map_or_else(Default::default, |(share, &k)| (self.case.problem().trainables()[k].name.clone(), *share))
    }

    /// Moves the numbers, and the network after them: damped until equations and conditions do not suffer. Says whether that went well.
    fn advance(
        &self,
        linear: &mut Linear,
        theta: &mut Vec<f64>,
        noises: &[f64],
        hold: Hold,
        change: &[f64],
    ) -> Result<bool, Error> {
        let sizes: Vec<f64> = self.numbers(theta).iter().map(Number::size).collect();
        let far = change.iter().zip(&sizes).map(|(change, size)| change.abs() / size).fold(0.0, f64::max);
        let cut = (FAR / far).min(1.0);
        let network = self.case.network().parameters();
        // What the numbers do to the physics if the network stands still.
        let mut alone = vec![0.0; theta.len()];
        self.sought.iter().zip(change).for_each(|(&k, change)| alone[network + k] = cut * change);
        let (_, asked) = linear.along(theta, &alone, noises)?;
        let before = linear.physics(theta)?;
        for damping in DAMPINGS {
            let hold = Hold { damping, ..hold };
            let responses = linear.responses(theta, noises, hold, &mut self.no_draws())?;
            let mut moved: Vec<f64> = theta.iter().zip(&responses.residual).map(|(theta, step)| theta + step).collect();
            for (&k, change) in self.sought.iter().zip(change) {
                let slopes = &responses.numbers[k];
                moved.iter_mut().zip(slopes).for_each(|(theta, slope)| *theta += cut * change * slope);
            }
            let after = linear.physics(&moved)?;
            if after.is_finite() && after <= WORSE * before + LEFT * asked {
                *theta = moved;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Intervals at the maximum.
    fn summed_up(
        &self,
        mut linear: Linear,
        mut theta: Vec<f64>,
        mut noises: Vec<f64>,
        hold: Hold,
        known: &[bool],
        missed: &[f64],
    ) -> Result<Spread, Error> {
        let readings = linear.counts().iter().sum::<usize>() as f64;
        let mut freedom = readings - self.sought.len() as f64;
        // What the network takes up of the readings makes their scatter smaller, and is known only with draws of the noise.
        let mut last = None;
        for _ in 0..2 {
            let draws = Draws { count: DRAWS, stream: self.stream() };
            let state = self.state(&mut linear, &theta, &noises, hold, draws)?;
            freedom = (readings - self.sought.len() as f64 - state.responses.taken).max(1.0);
            noises = self.noises(&mut linear, &theta, known, freedom)?;
            last = Some(state);
        }
        let state = last.expect("two rounds");
        let numbers = self.numbers(&theta);
        let told = Information::of(&state.columns, &numbers);
        let reach = if known.iter().all(|known| *known) { f64::INFINITY } else { freedom };
        let found = told.intervals(&numbers, quantile_95(reach), missed);
        let correlations = told.correlations();
        let readings = self.readings(&mut linear, &theta, freedom, known)?;
        let mut trained: Vec<(usize, Trained)> = self.sought.iter().copied().zip(found).collect();
        trained.extend(self.levels(&mut theta, &noises, freedom));
        let all = self.case.problem().trainables();
        let trained = trained.into_iter().map(|(k, number)| (all[k].name.clone(), number)).collect();
        let draws = self.draws(&state, &told);
        let sought = self.sought.iter().map(|&k| all[k].name.clone()).collect();
        Ok(Spread { theta, trained, sought, correlations, readings, draws })
    }

    /// What draws of the noise do to θ: to the network at given numbers, and to the numbers, which is independent of it because S is
    /// orthogonal to all that the network can do.
    fn draws(&self, state: &State, told: &Information) -> Vec<Vec<f64>> {
        let mut stream = Stream::new(self.case.config().seed, Purpose::Noise);
        let mut normals = vec![0.0; self.sought.len()];
        let drawn = |network: &Vec<f64>| {
            let mut theta = network.clone();
            stream.fill_normal(&mut normals);
            for (&k, change) in self.sought.iter().zip(told.drawn(&normals)) {
                theta.iter_mut().zip(&state.responses.numbers[k]).for_each(|(theta, slope)| *theta += change * slope);
            }
            theta
        };
        state.responses.draws.iter().map(drawn).collect()
    }

    /// Noise levels that were to be found: σ̂ with the standard error σ̂/√(2ν) of its estimate.
    fn levels(&self, theta: &mut [f64], noises: &[f64], freedom: f64) -> Vec<(usize, Trained)> {
        let (network, all) = (self.case.network().parameters(), self.case.problem().trainables());
        let (mut found, mut column) = (Vec::new(), 0);
        for term in &self.terms {
            for &k in term.noise.iter().flat_map(|noise| &noise.trained) {
                let own = &all[k];
                // Residuals are in units of the level as it stands.
                let value = own.transform.value(theta[network + k]) * noises[column];
                let error = value / (2.0 * freedom).sqrt();
                let end = |sign: f64| value * (sign * quantile_95(f64::INFINITY) * error / value).exp();
                theta[network + k] = own.transform.theta(value);
                let (low, high) = (Some(end(-1.0)), Some(end(1.0)));
                found.push((k, Trained { value, standard_error: Some(error), low, high, remark: None }));
            }
            column += term.residuals.len();
        }
        found
    }

    fn readings(
        &self,
        linear: &mut Linear,
        theta: &[f64],
        freedom: f64,
        known: &[bool],
    ) -> Result<Vec<Reading>, Error> {
        let scatter = self.noises(linear, theta, &vec![false; known.len()], freedom)?;
        let labels = self.terms.iter().flat_map(|term| {
            term.labels.iter().map(|label| match term.labels.len() {
                1 => term.name.clone(),
                _ => format!("{}: {label}", term.name),
            })
        });
        let counts = linear.counts().to_vec();
        let columns = labels.zip(counts).zip(scatter.into_iter().zip(known));
        Ok(columns.map(|((name, count), (noise, known))| Reading { name, count, noise, known: *known }).collect())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
