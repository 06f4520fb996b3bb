//! The training loop: the only one there is.
//!
//! Each outer step: adapt weights and points if they are due, draw places in the regions, one step of the phase's optimiser, recalibrate the region size, a row for the
//! record. Everything the next step depends on is in [`TrainState`]; whatever stops a run is a [`StopReason`].
//!
//! ```
//! use ropinn::{case::Case, config::RunConfig, train::Trainer};
//! use ropinn_engine::Threads;
//! let mut config = RunConfig::default();
//! config.set_all(&["problem.name=reaction", "points.interior=grid:11x11", "width=8", "phases=adam 5"])?;
//! let outcome = Trainer::new(Case::new(config, &Threads::new(1)?)?)?.run(&mut (), &Default::default())?;
//! assert_eq!(outcome.stop_reason.to_string(), "all 5 iterations done");
//! assert_eq!(outcome.record.rows.len(), 5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod guard;
mod observer;
mod resume;
mod round;

pub use crate::record::{BestNumbers, StopReason, Trained};
pub use crate::state::{Best, Progress, TrainState};
pub use observer::{Observer, Start};

use crate::case::Case;
use crate::config::{Phase, RunConfig};
use crate::error::Error;
use crate::metrics::{ErrorMeter, RelativeErrors};
use crate::objective::{Objective, RegionSize};
use crate::record::{Record, Results, Row, RowNames};
use crate::trust::ErrorMap;
use resume::{Checkpoints, still_holds};
use ropinn_optim::{GradNorm, Optimizer, StepOutcome, StepStatus};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Outer steps without progress, one after another, that end a phase.
const PATIENCE: u64 = 5;
/// Relative fall of the loss within an outer step that counts as progress.
const PROGRESS: f64 = 1e-5;

/// Trains the network of one case.
pub struct Trainer {
    case: Case,
    objective: Objective,
    meter: Option<ErrorMeter>,
    optimizer: Box<dyn Optimizer + Send>,
    progress: Progress,
    /// θ as the current step found it.
    before: Vec<f64>,
    checkpoints: Option<Checkpoints>,
    /// What rows have numbers for.
    names: RowNames,
    /// The last step, whether it is kept in the record or not.
    last: Option<Row>,
    /// What was not finite in the last step, if anything.
    fault: Option<StopReason>,
    /// Why the run ended, if nothing more is to be done.
    ended: Option<StopReason>,
}

/// What a run leaves behind.
#[derive(Clone, Debug)]
pub struct TrainOutcome {
    /// The parameters: those after the last accepted step, or the best ones if the numbers ran away.
    pub theta: Vec<f64>,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// Outer steps done.
    pub iterations: u64,
    /// Evaluations of loss and gradient.
    pub evaluations: u64,
    /// Duration.
    pub seconds: f64,
    /// Settings, curves and results.
    pub record: Record,
    /// Where the solution is off by how much, if that was estimated.
    pub error_map: Option<ErrorMap>,
}

impl Trainer {
    /// Compiles the objective and draws starting parameters from the seed.
    pub fn new(case: Case) -> Result<Self, Error> {
        let theta = case.initial_theta();
        Self::starting_at(case, theta)
    }

    /// Starts from given parameters instead.
    pub fn starting_at(case: Case, theta: Vec<f64>) -> Result<Self, Error> {
        let (expected, found) = (case.parameters(), theta.len());
        if found != expected {
            return Err(Error::ThetaLength { expected, found });
        }
        let objective = Objective::new(&case)?;
        let meter = ErrorMeter::new(&case)?;
        let residuals = objective.residuals_at_start();
        let optimizer = case.config().phases.0[0].optimizer(case.config().precision, expected, residuals)?;
        let (problem, before, progress) = (case.problem(), Vec::new(), Progress::new(theta));
        let several = meter.is_some() && problem.unknown_names().len() > 1;
        let unknowns = problem.unknown_names().iter().zip(problem.referenced()).filter(|(_, known)| several && *known);
        let names = RowNames {
            terms: objective.term_names(),
            equations: objective.equation_names(),
            trained: problem.trainables().iter().map(|own| own.name.clone()).collect(),
            unknowns: unknowns.map(|(name, _)| name.clone()).collect(),
        };
        let (last, checkpoints, fault, ended) = (None, None, None, None);
        Ok(Self { case, objective, meter, optimizer, progress, before, checkpoints, names, last, fault, ended })
    }

    /// The case being trained.
    pub fn case(&self) -> &Case {
        &self.case
    }

    /// How far the run has come.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The compiled objective.
    pub fn objective(&self) -> &Objective {
        &self.objective
    }

    /// Trains until the phases are done or something stops the run. Setting `stop` ends it after the current outer step.
    pub fn run(&mut self, observer: &mut dyn Observer, stop: &AtomicBool) -> Result<TrainOutcome, Error> {
        let threads = self.case.threads().clone();
        threads.run(|| self.run_in_pool(observer, stop))
    }

    fn run_in_pool(&mut self, observer: &mut dyn Observer, stop: &AtomicBool) -> Result<TrainOutcome, Error> {
        observer.on_start(&Start {
            case: &self.case,
            names: &self.names,
            parameters: self.case.parameters(),
            steps_done: self.progress.steps,
            steps_planned: self.config().phases.iterations(),
        });
        let mut clock = Clock::starting_at(self.progress.seconds);
        let ended = self.ended.take().filter(|reason| still_holds(reason, &self.config().stop));
        let phases = self.config().phases.of_steps().len();
        let reason = loop {
            if let Some(reason) = ended.clone() {
                break reason;
            }
            if phases == 0 {
                break StopReason::Budget { iterations: 0 };
            }
            let phase = self.phase().clone();
            observer.on_phase(self.progress.phase + 1, &phase);
            self.optimizer.choice().iter().for_each(|choice| observer.on_choice(choice));
            let ended = self.run_phase(&phase, &mut clock, observer, stop)?;
            match ended {
                PhaseEnd::Phase(reason) if self.progress.phase + 1 == phases => break reason,
                PhaseEnd::Phase(_) => self.next_phase()?,
                PhaseEnd::Run(reason) => break reason,
            }
        };
        let reason = self.unless_not_finite(reason)?;
        self.ended = Some(reason.clone());
        self.save_if(true, || clock.seconds(), observer);
        let outcome = self.outcome(reason)?;
        observer.on_finish(&outcome);
        Ok(outcome)
    }

    fn config(&self) -> &RunConfig {
        self.case.config()
    }

    fn phase(&self) -> &Phase {
        &self.config().phases.0[self.progress.phase]
    }

    fn next_phase(&mut self) -> Result<(), Error> {
        self.progress.enter_next_phase();
        let residuals = self.objective.residuals_at_start();
        self.optimizer = self.phase().optimizer(self.config().precision, self.case.parameters(), residuals)?;
        Ok(())
    }

    fn run_phase(
        &mut self,
        phase: &Phase,
        clock: &mut Clock,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<PhaseEnd, Error> {
        loop {
            if self.progress.phase_steps >= phase.iterations {
                return Ok(PhaseEnd::Phase(StopReason::Budget { iterations: self.progress.steps }));
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(PhaseEnd::Run(StopReason::Interrupted { iteration: self.progress.steps }));
            }
            let (outcome, region) = self.step()?;
            let is_last = self.progress.phase_steps == phase.iterations;
            let ended = self.reason_to_stop(&outcome, clock);
            let errors = clock.paused(|| self.errors_if_due(is_last || ended.is_some()))?;
            let ended = ended.or_else(|| self.target_reached(errors));
            if guard::is_finite(&outcome) {
                let in_turn = self.progress.steps.is_multiple_of(self.config().evaluate_every);
                self.progress.note_best(&outcome, errors.filter(|_| in_turn).map(|errors| errors.rmse));
            }
            let row = self.row(&outcome, region, errors, clock.seconds());
            self.progress.seconds = row.seconds;
            observer.on_step(&row);
            observer.on_parameters(&self.case, &self.progress.theta);
            self.last = Some(row.clone());
            if is_last || ended.is_some() || self.progress.steps.is_multiple_of(self.config().log_every) {
                self.progress.rows.push(row);
            }
            if let Some(ended) = ended {
                return Ok(ended);
            }
            // The end of a run, which may be right here, is saved in any case.
            if !is_last {
                self.save_if(false, || clock.seconds(), observer);
            }
        }
    }

    fn step(&mut self) -> Result<(StepOutcome, RegionSize), Error> {
        self.objective.adapt(self.progress.steps, &self.progress.theta)?;
        self.objective.begin_step(self.progress.steps);
        let region = self.objective.region();
        self.before.clone_from(&self.progress.theta);
        let outcome = self.optimizer.step(&mut self.progress.theta, &mut self.objective);
        if guard::is_finite(&outcome) {
            std::mem::swap(&mut self.before, &mut self.progress.good);
            self.fault = None;
            self.objective.end_step();
        }
        self.progress.steps += 1;
        self.progress.phase_steps += 1;
        self.progress.evaluations += outcome.evaluations as u64;
        Ok((outcome, region))
    }

    /// What the step itself gives as a reason to stop.
    fn reason_to_stop(&mut self, outcome: &StepOutcome, clock: &Clock) -> Option<PhaseEnd> {
        let iteration = self.progress.steps;
        let ran_away = match guard::is_finite(outcome) {
            true => self.divergence(outcome.loss),
            false => self.recover(outcome),
        };
        if let Some(reason) = ran_away {
            return Some(PhaseEnd::Run(reason));
        }
        // Every counter sees every step, so that a run that goes on after its time was up has missed nothing.
        let stop = self.case.config().stop.clone();
        let (window, drop) = (stop.plateau.window, stop.plateau.drop);
        self.progress.note_loss(outcome.loss, drop);
        self.note_progress(outcome);
        if stop.max_seconds > 0.0 && clock.seconds() >= stop.max_seconds {
            return Some(PhaseEnd::Run(StopReason::TimeLimit { seconds: stop.max_seconds }));
        }
        if window > 0 && iteration - self.progress.best_step >= window {
            return Some(PhaseEnd::Run(StopReason::Plateau { window, drop }));
        }
        if !stop.on_convergence || self.progress.stalled < PATIENCE {
            return None;
        }
        let reason = match outcome.status {
            StepStatus::Converged(tolerance) => StopReason::Converged { tolerance, iteration },
            _ => StopReason::LineSearchFailed { iteration },
        };
        Some(PhaseEnd::Phase(reason))
    }

    /// Counts steps that met a tolerance, or found nothing better, without having got anywhere. With moving points the next
    /// step sees another loss, so it never counts.
    fn note_progress(&mut self, outcome: &StepOutcome) {
        let gave_up = matches!(outcome.status, StepStatus::Converged(_) | StepStatus::LineSearchStalled);
        let fell = outcome.loss < outcome.first_loss * (1.0 - PROGRESS);
        let fixed = self.config().has_fixed_loss();
        self.progress.stalled = if gave_up && !fell && fixed { self.progress.stalled + 1 } else { 0 };
    }

    fn target_reached(&self, errors: Option<RelativeErrors>) -> Option<PhaseEnd> {
        let (target, rmse) = (self.config().stop.target_error, errors?.rmse);
        (rmse <= target).then_some(PhaseEnd::Run(StopReason::TargetReached { rmse, target }))
    }

    fn errors_if_due(&mut self, last: bool) -> Result<Option<RelativeErrors>, Error> {
        if !last && !self.progress.steps.is_multiple_of(self.config().evaluate_every) {
            return Ok(None);
        }
        self.meter.as_mut().map(|meter| meter.measure(&self.progress.theta)).transpose()
    }

    fn row(&self, outcome: &StepOutcome, region: RegionSize, errors: Option<RelativeErrors>, seconds: f64) -> Row {
        let (parts, equations) = self.objective.contributions_of(outcome.accepted);
        let by_unknown = self.errors_by_unknown().filter(|_| errors.is_some());
        Row {
            iteration: self.progress.steps,
            phase: self.progress.phase + 1,
            loss: outcome.loss,
            parts,
            equations,
            trained: self.case.trained_numbers(&self.progress.theta),
            sigma: region.sigma,
            region_size: region.size,
            region_raw: region.raw,
            grad_norm: outcome.grad_norm.l2,
            evaluations: self.progress.evaluations,
            seconds,
            rmae: errors.map(|errors| errors.rmae),
            rmse: errors.map(|errors| errors.rmse),
            rmse_by_unknown: by_unknown.map(|errors| errors.rmse).collect(),
        }
    }

    /// The errors of the unknowns as last measured, if there are several.
    fn errors_by_unknown(&self) -> impl Iterator<Item = RelativeErrors> {
        let meter = self.meter.as_ref().filter(|_| !self.names.unknowns.is_empty());
        meter.map(ErrorMeter::by_unknown).into_iter().flatten()
    }

    /// Final numbers: the trained loss as it was seen last, the others on the points themselves.
    pub(crate) fn outcome(&mut self, stop_reason: StopReason) -> Result<TrainOutcome, Error> {
        let theta = self.final_theta(&stop_reason);
        let at_points = self.objective.unweighted_at_points(&theta)?;
        let errors = self.meter.as_mut().map(|meter| meter.measure(&theta)).transpose()?;
        let best = self.progress.best.as_ref().map(Best::numbers);
        let seen = self.last.as_ref().or(self.progress.rows.last());
        let (trained_loss, trained_terms) = match (best.filter(|_| stop_reason.is_failure()), seen) {
            (Some(best), _) => (best.loss, Vec::new()),
            (None, Some(row)) => (row.loss, row.parts.clone()),
            (None, None) => (f64::NAN, Vec::new()),
        };
        let by_unknown: Vec<RelativeErrors> = self.errors_by_unknown().collect();
        let of_unknowns = |error: fn(&RelativeErrors) -> f64| named(&self.names.unknowns, by_unknown.iter().map(error));
        let trained = self.case.trained_numbers(&theta);
        let Progress { steps: iterations, evaluations, seconds, .. } = self.progress;
        let results = Results {
            trained_loss,
            trained_terms: named(&self.names.terms, trained_terms),
            unweighted_loss: at_points.loss,
            parts: at_points.terms.into_iter().collect(),
            equations: at_points.equations.into_iter().collect(),
            weights: named(self.objective.part_names(), self.objective.weights().iter().copied()),
            grad_norm: GradNorm::of(&at_points.grad).l2,
            rmae: errors.map(|errors| errors.rmae),
            rmse: errors.map(|errors| errors.rmse),
            rmae_by_unknown: of_unknowns(|errors| errors.rmae),
            rmse_by_unknown: of_unknowns(|errors| errors.rmse),
            estimated_error: None,
            verdict: None,
            best,
            trained: self.names.trained.iter().cloned().zip(trained.into_iter().map(Trained::plain)).collect(),
            correlations: BTreeMap::new(),
            readings: Vec::new(),
            iterations,
            evaluations,
            seconds,
        };
        let record = Record::new(&self.case, self.names.clone(), &self.progress.rows, &stop_reason, results);
        Ok(TrainOutcome { theta, stop_reason, iterations, evaluations, seconds, record, error_map: None })
    }
}

/// Numbers by their names.
fn named(names: &[String], values: impl IntoIterator<Item = f64>) -> BTreeMap<String, f64> {
    names.iter().cloned().zip(values).collect()
}

/// What an ended phase means for the run.
enum PhaseEnd {
    /// The next phase follows.
    Phase(StopReason),
    /// The run ends.
    Run(StopReason),
}

/// Time spent on training since the run began, earlier sittings included. Measuring errors is no part of training: how often
/// it is done must not change which optimiser looks faster.
struct Clock {
    before: f64,
    started: Instant,
    paused: Duration,
}

impl Clock {
    fn starting_at(before: f64) -> Self {
        Self { before, started: Instant::now(), paused: Duration::ZERO }
    }

    fn seconds(&self) -> f64 {
        self.before + self.started.elapsed().saturating_sub(self.paused).as_secs_f64()
    }

    /// Does something while the clock stands still.
    fn paused<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let done = work();
        self.paused += begun.elapsed();
        done
    }
}
