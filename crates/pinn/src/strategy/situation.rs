//! What a journal knows at a glance: how a run begins, what is open to be tried, how much work is left.

use super::journal::Journal;
use super::rules::{Open, Situation, UNSOLVED};
use super::stage::{Stage, can_widen, time};
use crate::case::Case;
use crate::config::RunConfig;
use crate::error::Error;
use crate::look::Look;
use crate::problem::{Problem, waves};
use crate::record::{Decision, Entry};
use crate::train::Trainer;

/// Of the steps of the phase, this part is a round.
const ROUNDS: u64 = 6;
/// Waves of which a network needs to be told.
const MANY_WAVES: f64 = 3.0;
/// Time is never cut into more intervals than this.
const SHORTEST: f64 = 1.0 / 64.0;
/// How much more work several intervals may take.
const MARCHING: f64 = 6.0;
/// Other starts, balancings and additions of points on conditions, at the most.
pub(super) const RESTARTS: u32 = 2;
const BALANCES: usize = 2;
const ADDITIONS: usize = 2;
/// Points of the equations for each parameter of a wider network.
pub(super) const POINTS_PER_PARAMETER: usize = 2;
/// The most points of the equations, in units of the first number.
const MOST_POINTS: usize = 4;
/// A solution is polished once more if its relative mean square is this part of what it was.
const AGAIN: f64 = 0.1;
/// A wider network has about twice as many parameters.
const WIDER: f64 = std::f64::consts::SQRT_2;

impl Journal {
    /// The beginning. What is given with many waves is told to the first layer.
    pub fn new(asked: &Case, mut theta: Vec<f64>) -> Result<Self, Error> {
        let config = asked.config().clone();
        let steps = round(asked);
        // Weights that were given are a solution of something.
        let drawn = theta == asked.initial_theta();
        let entries = if drawn { sharpened(asked, &mut theta)? } else { Vec::new() };
        let entries = entries.into_iter().map(|decision| Entry::new(0, decision)).collect();
        Ok(Self {
            asked: config.clone(),
            entries,
            stage: Stage::new(weighed(asked, config)?, steps),
            start: theta,
            steps: 0,
            evaluations: 0,
            seconds: 0.0,
            rows: Vec::new(),
            looks: Vec::new(),
            before: None,
            trial: None,
            closed: Vec::new(),
            spent: 0.0,
            to_polish: None,
            restarts: 0,
        })
    }

    /// The trainer of the present round, at its start.
    pub fn trainer(&self, asked: &Case) -> Result<Trainer, Error> {
        let mut trainer = Trainer::starting_at(self.stage.case(asked)?, self.start.clone())?;
        trainer.take_counts(self.steps, self.evaluations, self.seconds);
        Ok(trainer)
    }

    /// The step of the last look, or of the beginning of the round.
    pub fn looked_at(&self) -> u64 {
        self.looks.last().map_or(self.steps, |look| look.iteration)
    }

    /// Whether what is there deserves to be called a solution.
    pub fn solved(&self, asked: &Case) -> bool {
        let unfinished = self.stage.march.as_ref().is_some_and(|march| march.to < time(asked).1);
        !unfinished && self.looks.last().is_some_and(|look| look.relative() <= UNSOLVED)
    }

    /// Whether it is worth while to polish once more.
    fn is_much_better_than_polished(&self) -> bool {
        let relative = self.looks.last().map_or(f64::INFINITY, Look::relative);
        self.to_polish.is_none_or(|last| relative <= AGAIN * last)
    }

    /// How often something was decided.
    fn times(&self, what: impl Fn(&Decision) -> bool) -> usize {
        self.entries.iter().filter(|entry| what(&entry.decision)).count()
    }

    pub fn work_left(&self) -> f64 {
        let more = if self.stage.march.is_some() { MARCHING } else { 1.0 };
        more * self.stage.config.strategy.work - self.spent
    }

    pub fn situation<'a>(&'a self, asked: &Case, trainer: &Trainer) -> Situation<'a> {
        let (config, interval) = (&self.stage.config, self.stage.march.is_some());
        let closed = |what: &str| self.closed.iter().any(|own| own == what);
        let marching = asked.problem().marching().is_ok();
        let points = trainer.points_of_equations();
        let steps = round(asked) as f64;
        let left = self.work_left();
        let long_enough = self.stage.march.as_ref().is_none_or(|march| {
            let (start, end) = time(asked);
            march.length > SHORTEST * (end - start)
        });
        let first = asked.problem().planned_points().0 as usize;
        let open = Open {
            follow: !self.stage.follows() && !closed("follow"),
            more_points: self.stage.follows() && points < MOST_POINTS * first && !closed("points"),
            conditions: !closed("conditions")
                && self.times(|decision| matches!(decision, Decision::PointsOnConditions { .. })) < ADDITIONS,
            balance: !closed("balance")
                && self.times(|decision| matches!(decision, Decision::Balance { .. })) < BALANCES,
            widen: !interval
                && can_widen(config)
                && !closed("widen")
                && left > work_of_wider(trainer, &self.stage) * steps,
            intervals: marching && long_enough,
            restart: self.restarts < RESTARTS && !interval,
            polish: config.strategy.polish > 0 && !interval && self.is_much_better_than_polished(),
        };
        Situation {
            sought: is_sought(asked.problem()),
            looks: &self.looks,
            open,
            trial: self.trial.as_ref().map(|trial| &trial.look),
            interval,
            work_left: left > work_of(trainer) * steps,
            share: left / (work_of(trainer) * steps) / self.stage.march.as_ref().map_or(1.0, |march| march.left(asked)),
            tolerance: config.strategy.tolerance,
        }
    }
}

/// The configuration with less weight on readings of unknown noise in which something is sought: at weights of one, equations are traded
/// for what is noise. Where noise is stated, problems weigh readings so themselves.
fn weighed(asked: &Case, mut config: RunConfig) -> Result<RunConfig, Error> {
    const SHARE: f64 = 0.01;
    if is_sought(asked.problem()) {
        for term in asked.problem().observations(asked.config().seed)?.iter().filter(|term| term.noise.is_none()) {
            config.weights.entry(term.name.clone()).or_insert(SHARE * term.weight);
        }
    }
    Ok(config)
}

/// Whether there is more to find than the solution.
fn is_sought(problem: &Problem) -> bool {
    !problem.trainables().is_empty() || !problem.fields().is_empty()
}

/// Parameters to start a case with.
pub(super) fn first_theta(case: &Case) -> Result<Vec<f64>, Error> {
    let mut theta = case.initial_theta();
    sharpened(case, &mut theta)?;
    Ok(theta)
}

/// Tells the first layer of what is given with many waves.
fn sharpened(case: &Case, theta: &mut [f64]) -> Result<Vec<Decision>, Error> {
    let mut decisions = Vec::new();
    let counted = waves(case.problem(), &case.problem().terms(case.config().seed)?);
    for (axis, waves) in counted.into_iter().enumerate().filter(|(_, waves)| *waves >= MANY_WAVES) {
        if case.sharpen(theta, axis, waves) {
            let coordinate = case.problem().coordinate_names()[axis].clone();
            decisions.push(Decision::ShortWaves { coordinate, waves });
        }
    }
    Ok(decisions)
}

/// Units before and after.
pub(super) fn wider(stage: &Stage) -> (usize, usize) {
    let (width, _) = stage.config.model.width_and_depth();
    (width, ((width as f64 * WIDER).round() as usize).max(width + 1))
}

/// 10⁹ multiply-adds of a Gauss–Newton step: half of JᵀJ and its factor.
fn work(residuals: usize, parameters: usize) -> f64 {
    let (n, p) = (residuals as f64, parameters as f64);
    (0.5 * n * p * p + p * p * p / 6.0) * 1e-9
}

pub(super) fn work_of(trainer: &Trainer) -> f64 {
    work(trainer.objective().residuals_at_start(), trainer.case().parameters())
}

/// The same with the next width.
fn work_of_wider(trainer: &Trainer, stage: &Stage) -> f64 {
    let (from, to) = wider(stage);
    let grown = (to as f64 / from as f64).powi(2);
    let parameters = (trainer.case().parameters() as f64 * grown) as usize;
    work(trainer.objective().residuals_at_start().max(POINTS_PER_PARAMETER * parameters), parameters)
}

/// Outer steps from one look to the next.
pub(super) fn round(asked: &Case) -> u64 {
    (asked.config().phases.iterations() / ROUNDS).max(1)
}
