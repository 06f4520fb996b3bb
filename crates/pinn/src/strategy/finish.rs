//! The end of a run: a correction where one is asked for or pays, an estimate of what remains, a verdict.

use super::relay::Tail;
use crate::case::Case;
use crate::config::{OptimizerKind, Phases, RunConfig};
use crate::error::Error;
use crate::model::{ModelConfig, ModelKind};
use crate::polish::{Effort, Polished, Unpolished, polish};
use crate::record::{Decision, Entry, Row, RowNames, StopReason};
use crate::spread::{Numbers, spread};
use crate::train::{Observer, TrainOutcome, Trainer};
use crate::trust::assess;
use ropinn_engine::Precision;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Steps of the network that a features model of a nonlinear problem begins with.
const QUICK: u64 = 100;

/// What a solver leaves behind.
#[derive(Debug)]
pub struct Solved {
    /// The case the parameters belong to: what was asked for, or a wider network, or one in pieces of time, or one with a
    /// correction.
    pub case: Case,
    /// Parameters, record and reason to stop.
    pub outcome: TrainOutcome,
    /// What was decided on the way.
    pub decisions: Vec<Entry>,
}

/// What is trained by steps before features correct it: what was asked for, unless that is features alone, and the problem is
/// not linear. Their Newton steps need something to start from.
pub(super) fn trained_by_steps(asked: &Case) -> Result<Case, Error> {
    let features = match &asked.config().model {
        ModelConfig::Features(features) => features.base.is_none(),
        _ => false,
    };
    if !features || asked.config().phases.polish().is_none() || asked.problem().is_linear() {
        return Ok(asked.clone());
    }
    let (model, _) = ModelConfig::quick(ModelKind::Fls);
    let mut phases = asked.config().phases.clone();
    if phases.of_steps().is_empty() {
        phases = Phases(vec![OptimizerKind::GaussNewton.phase().lasting(QUICK)]);
    }
    let config = RunConfig { model, phases, precision: Precision::F64, ..asked.config().clone() };
    Case::with_problem(config, asked.problem().clone(), asked.threads())
}

/// What a correction of a run that was asked for by a phase may cost.
pub(super) fn effort_asked(asked: &Case) -> Option<Effort> {
    let (config, steps) = asked.config().phases.polish()?;
    let coefficients = match &asked.config().model {
        ModelConfig::Features(features) if features.base.is_none() => {
            features.count.saturating_mul(asked.problem().unknown_names().len())
        }
        _ => config.coefficients,
    };
    Some(Effort { coefficients, steps, ..Effort::default() })
}

/// Corrects a solution, and tells what came of it.
pub(super) fn corrected(
    (case, theta): (&Case, &[f64]),
    effort: &Effort,
    iteration: u64,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<(Result<Polished, Unpolished>, Entry), Error> {
    let found = polish(case, theta, effort, &mut |tried| observer.on_tried(tried), stop)?;
    let decision = match &found {
        Ok(found) => Decision::Polished {
            coefficients: found.case.parameters() - found.case.network().frozen(),
            correction: found.correction,
            remaining: found.remaining,
            before: found.before,
            after: found.after,
        },
        Err(why) => Decision::NotPolished { reason: why.to_string() },
    };
    Ok((found, Entry::new(iteration, decision)))
}

/// A run that has ended, before it is judged.
pub(super) struct Ended {
    pub case: Case,
    pub outcome: TrainOutcome,
    pub polished: Option<Polished>,
    pub entries: Vec<Entry>,
}

impl Ended {
    /// The solution as polish has left it, in the same record.
    pub fn with_polished(self, polished: Polished, names: RowNames, began: Instant) -> Result<Self, Error> {
        let TrainOutcome { iterations, evaluations, seconds, record, .. } = self.outcome;
        let stop_reason = StopReason::Polished { remaining: polished.remaining };
        let mut whole = Trainer::starting_at(polished.case.clone(), polished.theta.clone())?;
        whole.take_counts(iterations, evaluations, seconds + began.elapsed().as_secs_f64());
        let rows: Vec<Row> = record.rows;
        let mut outcome = whole.summed_up(stop_reason, names, rows)?;
        let corrected = last_row(&outcome);
        outcome.record.rows.push(corrected);
        Ok(Self { case: polished.case.clone(), outcome, polished: Some(polished), entries: self.entries })
    }

    /// The numbers that were sought where the readings are likeliest, and how far their noise spreads them.
    fn spread(mut self, numbers: Numbers, stop: &AtomicBool) -> Result<Self, Error> {
        let cut_short = matches!(self.outcome.stop_reason, StopReason::Interrupted { .. });
        if self.case.problem().trainables().is_empty() || cut_short || self.outcome.stop_reason.is_failure() {
            return Ok(self);
        }
        let began = Instant::now();
        let found = match spread(&self.case, &self.outcome.theta, numbers, stop)? {
            Ok(found) => found,
            Err(why) => {
                let numbers = self.outcome.record.results.trained.values_mut();
                numbers.for_each(|number| number.remark = Some(why.to_string()));
                return Ok(self);
            }
        };
        let names = found.by_names();
        if numbers == Numbers::Stay {
            let results = &mut self.outcome.record.results;
            (results.correlations, results.readings, results.trained) = (names, found.readings, found.trained);
            return Ok(self);
        }
        let TrainOutcome { iterations, evaluations, seconds, record, stop_reason, .. } = self.outcome;
        let mut whole = Trainer::starting_at(self.case.clone(), found.theta.clone())?;
        whole.take_counts(iterations, evaluations, seconds + began.elapsed().as_secs_f64());
        self.outcome = whole.summed_up(stop_reason, record.names, record.rows)?;
        let results = &mut self.outcome.record.results;
        (results.trained_loss, results.trained_terms) = (record.results.trained_loss, record.results.trained_terms);
        (results.best, results.weights) = (record.results.best, record.results.weights);
        (results.correlations, results.readings, results.trained) = (names, found.readings, found.trained);
        let moved = last_row(&self.outcome);
        self.outcome.record.rows.push(moved);
        Ok(self)
    }

    /// Estimates what it is off by, and judges.
    pub fn judged(self, numbers: Numbers, stop: &AtomicBool) -> Result<Solved, Error> {
        let mut ended = self.spread(numbers, stop)?;
        let outcome = &mut ended.outcome;
        let assessed = assess(&ended.case, &outcome.theta, ended.polished.as_ref(), &outcome.stop_reason, stop)?;
        (outcome.record.results.estimated_error, outcome.error_map) = (assessed.error, assessed.map);
        outcome.record.results.verdict = Some(assessed.verdict);
        outcome.record.decisions.clone_from(&ended.entries);
        Ok(Solved { case: ended.case, outcome: ended.outcome, decisions: ended.entries })
    }
}

/// What a run has come to after its steps, as its last row: its numbers are those at the points themselves.
fn last_row(outcome: &TrainOutcome) -> Row {
    let (names, results) = (&outcome.record.names, &outcome.record.results);
    let of = |names: &[String], values: &BTreeMap<String, f64>| {
        names.iter().map(|name| values.get(name).copied().unwrap_or(0.0)).collect::<Vec<_>>()
    };
    Row {
        iteration: outcome.iterations + 1,
        phase: outcome.record.rows.last().map_or(1, |row| row.phase + 1),
        loss: results.unweighted_loss,
        parts: of(&names.terms, &results.parts),
        equations: of(&names.equations, &results.equations),
        trained: names
            .trained
            .iter()
            .map(|name| results.trained.get(name).map_or(0.0, |number| number.value))
            .collect(),
        sigma: 0.0,
        region_size: 0.0,
        region_raw: 0.0,
        grad_norm: results.grad_norm,
        evaluations: outcome.evaluations,
        seconds: outcome.seconds,
        rmae: results.rmae,
        rmse: results.rmse,
        rmse_by_unknown: of(&names.unknowns, &results.rmse_by_unknown),
    }
}

/// A run as it is written: its steps, then a correction if one is asked for.
pub(super) fn run_plain(
    asked: &Case,
    trainer: &mut Trainer,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Solved, Error> {
    let outcome = trainer.run(&mut Tail { to: observer, asked }, stop)?;
    let reason = outcome.stop_reason.clone();
    let case = trainer.case().clone();
    let mut ended = Ended { case, outcome, polished: None, entries: Vec::new() };
    let cut_short = matches!(reason, StopReason::Interrupted { .. } | StopReason::TimeLimit { .. });
    if let Some(effort) = effort_asked(asked).filter(|_| !cut_short && !reason.is_failure()) {
        let phases = &asked.config().phases;
        phases.0.last().iter().for_each(|phase| observer.on_phase(phases.0.len(), phase));
        let began = Instant::now();
        let solution = (&ended.case, &ended.outcome.theta[..]);
        let (found, entry) = corrected(solution, &effort, ended.outcome.iterations, observer, stop)?;
        observer.on_decision(&entry);
        ended.entries.push(entry);
        if let Ok(polished) = found {
            ended = ended.with_polished(polished, trainer.names().clone(), began)?;
        }
    }
    let solved = ended.judged(Numbers::Stay, stop)?;
    observer.on_finish(&solved.outcome);
    Ok(solved)
}
