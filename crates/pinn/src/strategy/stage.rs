//! What is being trained at the moment: the whole problem, or one interval of its time after others.

use crate::case::Case;
use crate::config::{OptimizerSettings, PointsConfig, RunConfig, SamplingKind, StrategyConfig};
use crate::error::Error;
use crate::look::SINGULAR;
use crate::model::ModelKind;
use crate::pieces::{joined, part, restricted};
use serde::{Deserialize, Serialize};

/// Configuration of the present round, and where in time it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Stage {
    /// That of the whole problem, with what has been decided.
    pub config: RunConfig,
    /// Outer steps of the present round.
    pub steps: u64,
    /// λ with which its first step begins.
    pub damping: Option<f64>,
    /// Intervals of time.
    pub march: Option<March>,
}

/// Intervals of time, solved one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct March {
    /// Parameters of the attempt at all of the time, which stands for what has not been reached.
    pub base: Vec<f64>,
    /// Ends of the intervals that are done, and their parameters.
    pub done: Vec<(f64, Vec<f64>)>,
    /// End of the present one.
    pub to: f64,
    /// How long they are.
    pub length: f64,
}

impl Stage {
    /// As it was asked for.
    pub fn new(config: RunConfig, steps: u64) -> Self {
        Self { config, steps, damping: None, march: None }
    }

    /// Takes over what may change from one sitting to the next.
    pub fn take_limits(&mut self, asked: &RunConfig) {
        (self.config.stop, self.config.checkpoint) = (asked.stop.clone(), asked.checkpoint.clone());
        self.config.strategy.clone_from(&asked.strategy);
    }

    /// Points of the equations follow the residual, drawn anew every so many steps.
    pub fn follow(&mut self, period: u64) {
        const POOL: usize = 20_000;
        self.config.sampling.kind = SamplingKind::Rad;
        self.config.sampling.rad.period = usize::try_from(period).unwrap_or(usize::MAX).max(1);
        self.config.sampling.rad.pool = POOL;
        self.config.sampling.rad.clip = SINGULAR;
    }

    /// Whether they do.
    pub fn follows(&self) -> bool {
        self.config.sampling.kind == SamplingKind::Rad
    }

    /// The case to train: that of the whole problem, or of the present interval.
    pub fn case(&self, asked: &Case) -> Result<Case, Error> {
        // A round has nothing to decide.
        let mut config = RunConfig { strategy: StrategyConfig::default(), ..self.config.clone() };
        let phase = &mut config.phases.0[0];
        phase.iterations = self.steps;
        if let (Some(damping), OptimizerSettings::GaussNewton(settings)) = (self.damping, &mut phase.settings) {
            settings.damping = damping;
        }
        let Some(march) = &self.march else { return self.whole(asked, config) };
        // The error of an interval is not that of the solution.
        config.stop.target_error = 0.0;
        let from = march.from(asked);
        let before = march.before(self, asked, &config)?;
        let earlier = before.as_ref().map(|case| (case, &march.done[march.done.len() - 1].1[..]));
        let whole = self.whole(asked, RunConfig { points: shared(&config.points), ..config.clone() })?;
        let interval = part(&whole, (from, march.to), earlier)?;
        // Each interval has as many points as the whole would have.
        let (interior, _) = self.whole(asked, config.clone())?.problem().planned_points();
        let mut config = interval.config().clone();
        config.points.interior = Some(spread(asked, interior as usize));
        config.points.evaluation = None;
        Case::with_problem(config, interval.problem().clone(), asked.threads())
    }

    fn whole(&self, asked: &Case, config: RunConfig) -> Result<Case, Error> {
        Case::with_problem(config, asked.problem().clone(), asked.threads())
    }

    /// The solution as far as it is known, with `theta` for the present case; what was asked for, but for the model. Of an
    /// interval that is not `solved` the attempt at all of the time knows more.
    pub fn solution(&self, asked: &Case, theta: &[f64], solved: bool) -> Result<(Case, Vec<f64>), Error> {
        if self.march.is_none() && self.config.model == asked.config().model {
            return Ok((asked.clone(), theta.to_vec()));
        }
        let (model, strategy) = (self.config.model.clone(), StrategyConfig::default());
        let whole = self.whole(asked, RunConfig { model, strategy, ..asked.config().clone() })?;
        let Some(march) = &self.march else { return Ok((whole, theta.to_vec())) };
        if march.done.is_empty() && !solved {
            return Ok((whole, march.base.clone()));
        }
        let mut ends: Vec<(f64, &[f64])> = march.done.iter().map(|(end, own)| (*end, &own[..])).collect();
        ends.extend(solved.then_some((march.to, theta)));
        let mut parts: Vec<(Case, Vec<f64>)> = Vec::new();
        let (mut from, end) = time(asked);
        for (to, own) in ends {
            parts.push((part(&whole, (from, to), parts.last().map(|(case, own)| (case, &own[..])))?, own.to_vec()));
            from = to;
        }
        if from < end {
            let rest = part(&whole, (from, end), parts.last().map(|(case, own)| (case, &own[..])))?;
            let own = restricted(&whole, &march.base, &rest).unwrap_or_else(|| rest.initial_theta());
            parts.push((rest, own));
        }
        joined(&whole, &parts.iter().map(|(case, own)| (case, &own[..])).collect::<Vec<_>>())
    }
}

impl March {
    /// First instant of the present interval.
    pub fn from(&self, asked: &Case) -> f64 {
        self.done.last().map_or(time(asked).0, |(end, _)| *end)
    }

    /// How many intervals there are from the present one on.
    pub fn left(&self, asked: &Case) -> f64 {
        ((time(asked).1 - self.from(asked)) / self.length).max(1.0)
    }

    /// The end of an interval that begins there, never leaving a short rest.
    pub fn end_after(&self, asked: &Case, from: f64) -> f64 {
        let end = time(asked).1;
        if end - from < 1.4 * self.length { end } else { from + self.length }
    }

    /// The case of the interval before the present one.
    fn before(&self, stage: &Stage, asked: &Case, config: &RunConfig) -> Result<Option<Case>, Error> {
        let Some(last) = self.done.len().checked_sub(1) else { return Ok(None) };
        let from = last.checked_sub(1).map_or(time(asked).0, |k| self.done[k].0);
        let whole = stage.whole(asked, RunConfig { points: PointsConfig::default(), ..config.clone() })?;
        let mut problem = whole.problem().during(from, self.done[last].0)?;
        if last > 0 {
            // Its own beginning is the matter of the interval before that; only the network counts here.
            problem = problem.taking_over(Vec::new(), Vec::new());
        }
        let mut own = RunConfig { points: PointsConfig::default(), ..config.clone() };
        own.weights.clear();
        Case::with_problem(own, problem, asked.threads()).map(Some)
    }
}

/// Points on conditions as they were decided; those inside are each interval's own.
fn shared(points: &PointsConfig) -> PointsConfig {
    PointsConfig { interior: None, evaluation: None, ..points.clone() }
}

/// So many points of the equations; those of a single coordinate reach its ends, or the solution leaves its first value in no
/// time, unseen.
pub(super) fn spread(asked: &Case, count: usize) -> String {
    let layout = if asked.problem().ranges().len() == 1 { "grid" } else { "hammersley" };
    format!("{layout}:{count}")
}

/// First and last instant.
pub(super) fn time(case: &Case) -> (f64, f64) {
    case.problem().marching_range().unwrap_or((0.0, 0.0))
}

/// Whether the network can take more units.
pub(super) fn can_widen(config: &RunConfig) -> bool {
    matches!(config.model.kind(), ModelKind::Pinn | ModelKind::Fls | ModelKind::Qres)
}
