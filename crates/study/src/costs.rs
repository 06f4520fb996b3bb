//! What an iteration costs under each objective, side by side with the published times.
//!
//! Everything but the objective is the paper's setting. The objectives take turns within each round, so that they share
//! whatever else the machine does, and ratios are medians over rounds.

use crate::error::StudyError;
use ropinn::case::Case;
use ropinn::config::{ObjectiveKind, Phases, WeightingKind};
use ropinn::model::ModelKind;
use ropinn::objective::Objective;
use ropinn::preset::Preset;
use ropinn_engine::Threads;
use ropinn_optim::Optimizer;
use ropinn_runs::RunError;
use ropinn_runs::plan::{Options, Plan};
use ropinn_runs::statistics::Statistics;
use ropinn_runs::target::Target;
use serde::Serialize;
use std::time::Instant;

/// Evaluations of an iteration: the first one and one for each of 20 line searches that accept at once.
const EVALUATIONS: f64 = 21.0;

/// Objective, settings on top of the paper's, and the paper's seconds per 100 iterations of a PINN on `reaction` (Wu et al. 2024).
const RIVALS: [(&str, ObjectiveKind, &[&str], f64); 5] = [
    ("point", ObjectiveKind::Point, &[], 18.47),
    ("region", ObjectiveKind::Region, &[], 20.04),
    ("gradient", ObjectiveKind::Gradient, &[], 37.91),
    ("variational", ObjectiveKind::Variational, &[], 38.78),
    ("point, ntk", ObjectiveKind::Point, &["weighting=ntk"], 27.99),
];

/// The problem and the model they are of.
const PUBLISHED: (&str, ModelKind) = ("reaction", ModelKind::Pinn);

/// One objective in the race.
struct Rival {
    name: &'static str,
    /// Of this problem and network, if they were published.
    published: Option<f64>,
    objective: Objective,
    optimizer: Box<dyn Optimizer + Send>,
    theta: Vec<f64>,
    step: u64,
    /// Outer steps between adaptations; 0 for none.
    period: u64,
    evaluation: Vec<f64>,
    adaptation: Vec<f64>,
}

/// What was measured; field names are the keys of the JSON output.
#[derive(Clone, Debug, Serialize)]
pub struct Cost {
    /// The objective.
    pub objective: &'static str,
    /// Time of one loss and gradient.
    pub milliseconds_per_evaluation: f64,
    /// Time of one adaptation of weights or points.
    pub milliseconds_per_adaptation: f64,
    /// Time of 100 iterations of 21 evaluations each.
    pub seconds_per_100_iterations: f64,
    /// The same, compared with the first objective.
    pub ratio: f64,
    /// The published time, on an A100; `None` for problems and networks it was not measured on.
    pub published_seconds: Option<f64>,
    /// The published time, compared with the first objective.
    pub published_ratio: Option<f64>,
}

impl Rival {
    /// Compiles the objective.
    fn new(name: &'static str, published: Option<f64>, case: Case) -> Result<Self, StudyError> {
        let objective = Objective::new(&case)?;
        let config = case.config();
        let residuals = objective.residuals_at_start();
        let optimizer = config.phases.0[0].optimizer(config.precision, case.parameters(), residuals);
        let optimizer = optimizer.map_err(ropinn::error::Error::from)?;
        let period = match config.weighting.kind {
            WeightingKind::Fixed => 0,
            WeightingKind::Ntk => config.weighting.ntk.period as u64,
            WeightingKind::GradNorm => config.weighting.grad_norm.period as u64,
        };
        let theta = case.initial_theta();
        let (evaluation, adaptation) = (Vec::new(), Vec::new());
        Ok(Self { name, published, objective, optimizer, theta, step: 0, period, evaluation, adaptation })
    }

    /// One call of the optimiser, with the adaptation that precedes every so many of them.
    fn turn(&mut self) -> Result<(), StudyError> {
        let start = Instant::now();
        self.objective.adapt(self.step * self.period, &self.theta).map_err(RunError::run)?;
        self.adaptation.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        self.objective.begin_step(self.step);
        let outcome = self.optimizer.step(&mut self.theta, &mut self.objective);
        self.objective.end_step();
        self.evaluation.push(start.elapsed().as_secs_f64() / outcome.evaluations.max(1) as f64);
        self.step += 1;
        Ok(())
    }

    /// Seconds of an iteration in a round: evaluations, and a share of the adaptation.
    fn iteration(&self, round: usize) -> f64 {
        let share = if self.period > 0 { self.adaptation[round] / self.period as f64 } else { 0.0 };
        EVALUATIONS * self.evaluation[round] + share
    }
}

/// Whether the published times are of this problem and model.
fn is_published(plan: &Plan) -> bool {
    plan.problem.builtin_name() == Some(PUBLISHED.0) && plan.config().model.kind() == PUBLISHED.1
}

/// All objectives in turn, `rounds` times after one to warm up; the first is what the others are compared with. Options are
/// those of a run; preset, objective and optimiser are given.
pub fn measure(options: &Options, rounds: usize, threads: &Threads) -> Result<Vec<Cost>, StudyError> {
    let target = Target::find(&options.target)?;
    let rivals = RIVALS.iter().map(|&(name, objective, settings, published)| {
        let mut options = options.clone();
        (options.preset, options.objective) = (Some(Preset::Paper), Some(objective));
        options.phases = Some("lbfgs 1".parse::<Phases>()?);
        options.set.splice(..0, settings.iter().map(|&setting| setting.to_owned()));
        let plan = Plan::of(&options, &target)?;
        let published = Some(published).filter(|_| is_published(&plan));
        Rival::new(name, published, plan.case(plan.seeds[0], threads)?)
    });
    let mut rivals = rivals.collect::<Result<Vec<_>, StudyError>>()?;
    threads.run(|| (0..=rounds).try_for_each(|_| rivals.iter_mut().try_for_each(Rival::turn)))?;
    let costs = rivals.iter().map(|rival| {
        let over_rounds =
            |value: &dyn Fn(usize) -> f64| Statistics::of((1..=rounds).map(value)).map_or(f64::NAN, |all| all.median);
        let seconds = 100.0 * over_rounds(&|round| rival.iteration(round));
        Cost {
            objective: rival.name,
            milliseconds_per_evaluation: 1e3 * over_rounds(&|round| rival.evaluation[round]),
            milliseconds_per_adaptation: 1e3 * over_rounds(&|round| rival.adaptation[round]),
            seconds_per_100_iterations: seconds,
            ratio: over_rounds(&|round| rival.iteration(round) / rivals[0].iteration(round)),
            published_seconds: rival.published,
            published_ratio: rival.published.zip(rivals[0].published).map(|(own, first)| own / first),
        }
    });
    Ok(costs.collect())
}
