//! Rounds of training with decisions between them.

use super::finish::{Ended, Solved, corrected, run_plain, trained_by_steps};
use super::journal::{Journal, Journals, Trial};
use super::relay::Relay;
use super::rules::{Act, POLISHED, POLISHED_BY, UNSOLVED, decide};
use super::situation::{POINTS_PER_PARAMETER, RESTARTS, first_theta, round, wider, work_of};
use super::stage::{March, Stage, spread, time};
use crate::case::Case;
use crate::checkpoint::{Checkpoint, CheckpointFolder};
use crate::config::StrategyKind;
use crate::error::Error;
use crate::look::Look;
use crate::polish::{Effort, Polished};
use crate::record::{Decision, Entry, Row, RowNames, StopReason};
use crate::spread::Numbers;
use crate::train::{Observer, Trainer};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Points that follow the residual are drawn so many times in a round.
const DRAWS: u64 = 2;
/// Time is cut into so many intervals at first.
const INTERVALS: f64 = 8.0;
/// λ of the first step of an interval that begins where another has ended.
const TRUST: f64 = 1e-6;
/// The most coefficients of a correction, in units of the parameters.
const MOST_COEFFICIENTS: usize = 4;
/// More points on conditions come at once in this number.
const MORE_ON_CONDITIONS: usize = 4;
/// The largest weight of a condition.
const LARGEST_WEIGHT: f64 = 1e4;

/// Trains a case by its strategy.
pub struct Solver {
    asked: Case,
    /// Columns of rows, whatever is trained.
    names: RowNames,
    trainer: Trainer,
    /// None if nothing is to be decided.
    journal: Option<Journal>,
    /// The solution with its correction, if that is how the run has ended.
    polished: Option<Polished>,
    files: Option<(Journals, CheckpointFolder)>,
}

impl Solver {
    /// Starts with parameters drawn from the seed.
    pub fn new(case: Case) -> Result<Self, Error> {
        let theta = case.initial_theta();
        Self::starting_at(case, theta)
    }

    /// Starts from given parameters.
    pub fn starting_at(case: Case, theta: Vec<f64>) -> Result<Self, Error> {
        if case.config().strategy.kind == StrategyKind::Plain {
            let trained = trained_by_steps(&case)?;
            // Weights of a network that is only a beginning are nobody's but its own.
            let theta = if trained.config() == case.config() { theta } else { trained.initial_theta() };
            let trainer = Trainer::starting_at(trained, theta)?;
            return Ok(Self {
                names: trainer.names().clone(),
                asked: case,
                trainer,
                journal: None,
                polished: None,
                files: None,
            });
        }
        let journal = Journal::new(&case, theta)?;
        Self::at(case, journal)
    }

    fn at(asked: Case, journal: Journal) -> Result<Self, Error> {
        let trainer = journal.trainer(&asked)?;
        let mut names = Trainer::new(asked.clone())?.names().clone();
        // Intervals of time have a term for what they take over.
        if asked.problem().marching().is_ok() {
            let handover = asked.problem().handover_name();
            if !names.terms.contains(&handover) {
                names.terms.push(handover);
            }
        }
        Ok(Self { asked, names, trainer, journal: Some(journal), polished: None, files: None })
    }

    /// Goes on from the checkpoint of a plain run.
    pub fn from_checkpoint(case: Case, checkpoint: Checkpoint) -> Result<Self, Error> {
        let trainer = Trainer::from_checkpoint(trained_by_steps(&case)?, checkpoint)?;
        Ok(Self { names: trainer.names().clone(), asked: case, trainer, journal: None, polished: None, files: None })
    }

    /// Goes on with the run whose checkpoints are in a folder: by its journal, and the checkpoint of the present round if there
    /// is one. A run without a journal has not come to its first look.
    pub fn resumed(
        case: Case,
        theta: Vec<f64>,
        folder: &CheckpointFolder,
        newest: Option<Checkpoint>,
    ) -> Result<Self, Error> {
        if case.config().strategy.kind == StrategyKind::Plain {
            return match newest {
                Some(checkpoint) => Self::from_checkpoint(case, checkpoint),
                None => Self::starting_at(case, theta),
            };
        }
        let mut journal = match Journals::new(folder.path().to_owned()).newest(case.config()) {
            Some(journal) => journal,
            None => Journal::new(&case, theta)?,
        };
        journal.stage.take_limits(case.config());
        let mut solver = Self::at(case, journal)?;
        let began = solver.journal.as_ref().map_or(0, |journal| journal.steps);
        if let Some(checkpoint) = newest.filter(|checkpoint| checkpoint.state.progress.steps > began) {
            let present = solver.trainer.case().clone();
            // One of another round is of no use: every step can be repeated.
            if checkpoint.check_belongs_to(present.config()).is_ok() {
                solver.trainer = Trainer::from_checkpoint(present, checkpoint)?;
            }
        }
        Ok(solver)
    }

    /// Saves the run in this folder: as often as the configuration says, at every look, and at the end.
    pub fn with_checkpoints(mut self, folder: CheckpointFolder) -> Self {
        self.files = Some((Journals::new(folder.path().to_owned()), folder.clone()));
        self.trainer = self.trainer.with_checkpoints(folder);
        self
    }

    /// The case that was asked for.
    pub fn case(&self) -> &Case {
        &self.asked
    }

    /// Rows of earlier sittings.
    pub fn rows(&self) -> Vec<Row> {
        self.journal.iter().flat_map(|journal| journal.rows.clone()).chain(self.rows_of_round()).collect()
    }

    /// Trains until nothing more is to be done, or something stops the run. Setting `stop` ends it after the current step.
    pub fn run(&mut self, observer: &mut dyn Observer, stop: &AtomicBool) -> Result<Solved, Error> {
        let Some(mut journal) = self.journal.take() else {
            return run_plain(&self.asked, &mut self.trainer, observer, stop);
        };
        let (mut started, mut choice, planned) = (false, String::new(), self.asked.config().phases.iterations());
        if journal.steps == 0 && self.trainer.progress().steps == 0 {
            journal.entries.iter().for_each(|entry| observer.on_decision(entry));
        }
        let reason = loop {
            let own = self.trainer.names().clone();
            let (names, asked) = (&self.names, &self.asked);
            let ended = {
                let mut relay =
                    Relay { to: observer, names, own, started: &mut started, choice: &mut choice, asked, planned };
                self.trainer.run(&mut relay, stop)?.stop_reason
            };
            match ended {
                StopReason::Interrupted { .. } | StopReason::TimeLimit { .. } | StopReason::TargetReached { .. } => {
                    break ended;
                }
                _ => {}
            }
            let began = Instant::now();
            let known = journal.entries.len();
            let over = self.act(&mut journal, &ended, observer, stop)?;
            let seconds = began.elapsed().as_secs_f64();
            journal.entries[known..].iter().for_each(|entry| observer.on_decision(entry));
            self.trainer.spend(seconds);
            if let Some(reason) = over {
                break reason;
            }
            observer.on_plan(self.planned(&journal));
            journal.seconds += seconds;
            if let Some((journals, folder)) = &self.files {
                journals.write(&journal);
                self.trainer.keep_checkpoints(folder.clone());
            }
        };
        let solved = self.finished(&mut journal, reason, observer, stop)?;
        observer.on_finish(&solved.outcome);
        self.journal = Some(journal);
        Ok(solved)
    }

    /// The whole solution, corrected if that pays, and judged.
    fn finished(
        &mut self,
        journal: &mut Journal,
        reason: StopReason,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Solved, Error> {
        let done = matches!(reason, StopReason::Settled { .. } | StopReason::WorkDone { .. });
        let mut ended = self.solved(journal, reason)?;
        let began = Instant::now();
        let mut polished = self.polished.take();
        if done && polished.is_none() && journal.stage.config.strategy.polish > 0 && journal.stage.march.is_none() {
            let solution = (&ended.case, &ended.outcome.theta[..]);
            let effort = Effort { unless: POLISHED_BY, ..self.effort() };
            let (found, entry) = corrected(solution, &effort, ended.outcome.iterations, observer, stop)?;
            observer.on_decision(&entry);
            journal.entries.push(entry);
            polished = found.ok();
        }
        ended.entries.clone_from(&journal.entries);
        if let Some(polished) = polished {
            ended = ended.with_polished(polished, self.names.clone(), began)?;
        }
        ended.judged(Numbers::Move, stop)
    }

    fn effort(&self) -> Effort {
        // A correction is no larger matter than the solution.
        let most = MOST_COEFFICIENTS * self.asked.parameters();
        Effort { coefficients: self.asked.config().strategy.polish.min(most), ..Effort::default() }
    }

    /// Corrects what a round has left, and keeps it if hardly anything remains.
    fn polish(
        &mut self,
        journal: &mut Journal,
        theta: &[f64],
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Option<StopReason>, Error> {
        let solution = journal.stage.solution(&self.asked, theta, true)?;
        let effort = Effort { unless: POLISHED, ..self.effort() };
        let iteration = self.trainer.progress().steps;
        let (found, entry) = corrected((&solution.0, &solution.1), &effort, iteration, observer, stop)?;
        journal.to_polish = journal.looks.last().map(Look::relative);
        match found {
            Ok(found) if found.remaining <= self.asked.config().strategy.tolerance => {
                journal.entries.push(entry);
                let remaining = found.remaining;
                self.polished = Some(found);
                Ok(Some(StopReason::Polished { remaining }))
            }
            // It goes on, and is polished at its end.
            found => {
                let reason = match found {
                    Ok(found) => format!("about {:.1e} would remain, so training goes on first", found.remaining),
                    Err(why) => format!("{why} yet"),
                };
                journal.entries.push(Entry::new(iteration, Decision::NotPolished { reason }));
                Ok(None)
            }
        }
    }

    /// Looks, decides and makes the next round ready; the reason if there is none.
    fn act(
        &mut self,
        journal: &mut Journal,
        ended: &StopReason,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Option<StopReason>, Error> {
        let (case, progress) = (self.trainer.case().clone(), self.trainer.progress());
        let (theta, iteration) = (progress.theta.clone(), progress.steps);
        journal.spent += work_of(&self.trainer) * (iteration - journal.looked_at()) as f64;
        let trained = self.trainer.mean_squares()?;
        let look = Look::at(&case, &theta, &trained, iteration, journal.looks.last().or(journal.before.as_ref()))?;
        journal.looks.push(look);
        let act = match ended.is_failure() {
            true if journal.restarts < RESTARTS => Act::Restart,
            true => return Ok(Some(ended.clone())),
            false => decide(&journal.situation(&self.asked, &self.trainer)),
        };
        let act = match act {
            Act::Polish => match self.polish(journal, &theta, observer, stop)? {
                Some(reason) => return Ok(Some(reason)),
                None => decide(&journal.situation(&self.asked, &self.trainer)),
            },
            act => act,
        };
        self.carry_out(journal, act, theta)
    }

    fn carry_out(&mut self, journal: &mut Journal, act: Act, theta: Vec<f64>) -> Result<Option<StopReason>, Error> {
        let steps = round(&self.asked);
        let (relative, look) =
            journal.looks.last().map_or((f64::NAN, None), |look| (look.relative(), Some(look.clone())));
        let period = (steps / DRAWS).max(1);
        let damping = self.trainer.damping();
        let mut next = journal.stage.clone();
        (next.steps, next.damping) = (steps, damping);
        let trial = |what: &str| {
            look.clone().map(|look| Trial {
                what: what.to_owned(),
                look,
                stage: journal.stage.clone(),
                theta: theta.clone(),
            })
        };
        match act {
            Act::GoOn | Act::Polish => {
                journal.stage.steps += next.steps;
                let case = journal.stage.case(&self.asked)?;
                self.trainer = Trainer::resuming(case, self.trainer.state())?;
                return Ok(None);
            }
            Act::Follow { gap } => {
                next.follow(period);
                journal.trial = trial("follow");
                self.decided(journal, Decision::FollowResidual { gap });
                self.begin(journal, next, theta)?;
            }
            Act::MorePoints { gap } => {
                let from = self.trainer.points_of_equations();
                let to = 2 * from;
                next.config.points.interior = Some(spread(&self.asked, to));
                journal.trial = trial("points");
                self.decided(journal, Decision::MorePoints { from, to, gap });
                self.begin(journal, next, theta)?;
            }
            Act::PointsOnConditions { gap } => {
                let [_, boundary, initial] = self.trainer.points_by_group();
                for (points, own) in
                    [(&mut next.config.points.boundary, boundary), (&mut next.config.points.initial, initial)]
                {
                    if own > 0 {
                        *points = Some(format!("hammersley:{}", MORE_ON_CONDITIONS * own));
                    }
                }
                journal.trial = trial("conditions");
                let from = boundary + initial;
                self.decided(journal, Decision::PointsOnConditions { from, to: MORE_ON_CONDITIONS * from, gap });
                self.begin(journal, next, theta)?;
            }
            Act::Balance { ratio, factors } => {
                for (name, factor) in factors {
                    let own = self.trainer.weight_of(&name).unwrap_or(1.0);
                    next.config.weights.insert(name, (own * factor).min(LARGEST_WEIGHT.max(own)));
                }
                journal.trial = trial("balance");
                let weights = next.config.weights.clone();
                self.decided(journal, Decision::Balance { ratio, weights });
                self.begin(journal, next, theta)?;
            }
            Act::Widen { fell } => {
                let (from, to) = wider(&next);
                let (case, grown) = journal.stage.case(&self.asked)?.grown(&theta, to, self.asked.config().seed)?;
                next.config.model = case.config().model.clone();
                let wanted = POINTS_PER_PARAMETER * case.parameters();
                if self.trainer.points_of_equations() < wanted {
                    next.config.points.interior = Some(spread(&self.asked, wanted));
                }
                journal.trial = trial("widen");
                self.decided(journal, Decision::Widen { from, to, fell });
                self.begin(journal, next, grown)?;
            }
            Act::Restart => {
                journal.restarts += 1;
                let seed = self.asked.config().seed.wrapping_add(1_000_003 * u64::from(journal.restarts));
                (next.config.seed, next.damping) = (seed, None);
                journal.trial = None;
                journal.looks.clear();
                self.decided(journal, Decision::Restart { seed, relative });
                let theta = first_theta(&next.case(&self.asked)?)?;
                self.begin(journal, next, theta)?;
            }
            Act::Intervals => {
                let (start, end) = time(&self.asked);
                let length = (end - start) / INTERVALS;
                next.march = Some(March { base: theta, done: Vec::new(), to: start + length, length });
                next.damping = None;
                next.follow(period);
                journal.trial = None;
                journal.looks.clear();
                self.decided(journal, Decision::Intervals { until: start + length, relative });
                let theta = first_theta(&next.case(&self.asked)?)?;
                self.begin(journal, next, theta)?;
            }
            Act::ShorterInterval => {
                let from = next.march.as_ref().map_or(0.0, |march| march.from(&self.asked));
                let Some(march) = &mut next.march else { return Ok(None) };
                march.length = 0.5 * (march.to - from).min(march.length);
                march.to = from + march.length;
                next.damping = None;
                let (to, last) = (march.to, march.done.last().map(|(_, theta)| theta.clone()));
                journal.looks.clear();
                self.decided(journal, Decision::ShorterInterval { from, to, relative });
                let theta = match last {
                    Some(theta) => theta,
                    None => first_theta(&next.case(&self.asked)?)?,
                };
                self.begin(journal, next, theta)?;
            }
            Act::GoBack => {
                let Some(Trial { what, look, mut stage, theta }) = journal.trial.take() else { return Ok(None) };
                journal.closed.push(what);
                let (to, before) = (look.iteration, look.relative());
                (stage.steps, stage.damping) = (next.steps, damping);
                self.decided(journal, Decision::GoBack { to, before, now: relative });
                self.begin(journal, stage, theta)?;
                journal.before = Some(look);
            }
            Act::Settled { change } => return self.settled(journal, theta, change),
            Act::OutOfWork => {
                let change = look.as_ref().and_then(|look| look.change);
                return Ok(Some(match journal.solved(&self.asked) {
                    true => StopReason::WorkDone { change },
                    false => {
                        let until = next.march.filter(|march| !march.done.is_empty()).map(|m| m.from(&self.asked));
                        StopReason::NotSolved { relative: relative.sqrt(), until }
                    }
                }));
            }
        }
        Ok(None)
    }

    /// The end, or the end of an interval.
    fn settled(&mut self, journal: &mut Journal, theta: Vec<f64>, change: f64) -> Result<Option<StopReason>, Error> {
        let relative = journal.looks.last().map_or(f64::NAN, Look::relative);
        let mut next = journal.stage.clone();
        let Some(march) = &mut next.march else { return Ok(Some(StopReason::Settled { change })) };
        let (from, end) = (march.to, time(&self.asked).1);
        if from >= end {
            return Ok(Some(StopReason::Settled { change }));
        }
        march.done.push((from, theta.clone()));
        march.to = march.end_after(&self.asked, from);
        let to = march.to;
        (next.steps, next.damping) = (round(&self.asked), Some(TRUST));
        journal.trial = None;
        journal.looks.clear();
        self.decided(journal, Decision::NextInterval { from, to, relative });
        self.begin(journal, next, theta)?;
        Ok(None)
    }

    /// The most steps there can be, all work done.
    fn planned(&self, journal: &Journal) -> u64 {
        let (done, left) = (journal.looked_at(), journal.work_left());
        done + (left / work_of(&self.trainer)).max(0.0) as u64
    }

    fn decided(&self, journal: &mut Journal, decision: Decision) {
        journal.entries.push(Entry::new(self.trainer.progress().steps, decision));
    }

    /// Begins another round at `theta`.
    fn begin(&mut self, journal: &mut Journal, stage: Stage, theta: Vec<f64>) -> Result<(), Error> {
        let progress = self.trainer.progress();
        journal.rows.extend(progress.rows.iter().map(|row| self.names.adopt(row, self.trainer.names())));
        (journal.steps, journal.evaluations) = (progress.steps, progress.evaluations);
        journal.seconds = progress.seconds;
        (journal.stage, journal.start) = (stage, theta);
        journal.before = journal.looks.pop();
        journal.looks.clear();
        self.trainer = journal.trainer(&self.asked)?;
        Ok(())
    }

    /// The whole solution with its record.
    fn solved(&self, journal: &Journal, reason: StopReason) -> Result<Ended, Error> {
        let progress = self.trainer.progress();
        let trusted = journal.looks.last().is_some_and(|look| look.relative() <= UNSOLVED);
        let own = self.trainer.final_parameters(&reason);
        let (case, theta) = journal.stage.solution(&self.asked, &own, trusted)?;
        let mut whole = Trainer::starting_at(case.clone(), theta)?;
        whole.take_counts(progress.steps, progress.evaluations, progress.seconds);
        let outcome = whole.summed_up(
            reason,
            self.names.clone(),
            journal.rows.iter().cloned().chain(self.rows_of_round()).collect(),
        )?;
        Ok(Ended { case, outcome, polished: None, entries: journal.entries.clone() })
    }

    /// Rows of the present round, in the columns of the whole run.
    fn rows_of_round(&self) -> impl Iterator<Item = Row> {
        self.trainer.progress().rows.iter().map(|row| self.names.adopt(row, self.trainer.names()))
    }
}
