//! What an experiment costs on this machine: evaluations × channels per evaluation × the measured time of a channel.

use super::benchmark::{Benchmark, MODELS};
use super::cell::{Cell, Depths, RunId};
use super::experiment::{Experiment, Wanted, runs_of};
use super::method::Method;
use super::scale::Scale;
use crate::error::StudyError;
use ropinn::case::Case;
use ropinn::config::OptimizerSettings;
use ropinn::model::ModelKind;
use ropinn::objective::Objective;
use ropinn_engine::Threads;
use ropinn_optim::Oracle;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long a rate is measured.
const PATIENCE: Duration = Duration::from_millis(60);

/// Work of each run; seeds of a cell have the same.
pub fn work(runs: &[RunId], scale: Scale) -> Result<Vec<f64>, StudyError> {
    let mut known: Vec<(Cell, f64)> = Vec::new();
    let of_run = |run: &RunId| match known.iter().find(|(cell, _)| *cell == run.cell) {
        Some((_, work)) => Ok(*work),
        None => {
            let work = work_of(&run.cell, scale)?;
            known.push((run.cell, work));
            Ok(work)
        }
    };
    runs.iter().map(of_run).collect()
}

/// Derivative channels over all samples, of all evaluations. Most evaluations of L-BFGS are the first of their search; a run
/// that converges early does less.
fn work_of(cell: &Cell, scale: Scale) -> Result<f64, StudyError> {
    let config = cell.config(scale, 0)?;
    let evaluations: f64 = config
        .phases
        .0
        .iter()
        .map(|phase| match phase.settings {
            OptimizerSettings::Lbfgs(lbfgs) => (lbfgs.max_iter + 1) as f64 * phase.iterations as f64,
            _ => phase.iterations as f64,
        })
        .sum();
    let objective = Objective::new(&Case::new(config, &Threads::new(1)?)?)?;
    Ok(evaluations * objective.work() as f64)
}

/// What an experiment costs here.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    /// Name of the experiment.
    pub id: &'static str,
    /// One line about it.
    pub title: &'static str,
    /// Upper estimate per scale, alone on this machine.
    pub seconds: BTreeMap<&'static str, f64>,
}

/// Estimates for all experiments at all scales, from rates measured now.
pub fn estimates(threads: &Threads) -> Result<Vec<Estimate>, StudyError> {
    let rates = Scale::ALL.into_iter().map(|scale| Rates::measure(scale, threads));
    let rates = rates.collect::<Result<Vec<_>, _>>()?;
    let estimate = |experiment: Experiment| {
        let seconds = rates.iter().map(|rates| Ok((rates.scale.name(), rates.seconds(experiment)?)));
        let seconds = seconds.collect::<Result<_, StudyError>>()?;
        Ok(Estimate { id: experiment.id(), title: experiment.title(), seconds })
    };
    Experiment::ALL.into_iter().map(estimate).collect()
}

/// Seconds per channel of each base model at one scale.
struct Rates {
    scale: Scale,
    rates: Vec<(ModelKind, f64)>,
}

impl Rates {
    /// Measures all models on a few points each.
    fn measure(scale: Scale, threads: &Threads) -> Result<Self, StudyError> {
        let rate = |model: ModelKind| Ok::<_, StudyError>((model, seconds_per_channel(model, scale, threads)?));
        Ok(Self { scale, rates: MODELS.into_iter().map(rate).collect::<Result<_, _>>()? })
    }

    /// Seconds of all runs of an experiment, each counted once.
    fn seconds(&self, experiment: Experiment) -> Result<f64, StudyError> {
        let wanted = Wanted { scale: self.scale, depths: Depths::Equal, seeds: None };
        let runs = runs_of(&experiment.rows(&wanted));
        let seconds = runs.iter().zip(work(&runs, self.scale)?).map(|(run, work)| work * self.rate(run.cell.model));
        Ok(seconds.sum())
    }

    fn rate(&self, model: ModelKind) -> f64 {
        self.rates.iter().find(|(other, _)| *other == model).map_or(0.0, |(_, rate)| *rate)
    }
}

fn seconds_per_channel(model: ModelKind, scale: Scale, threads: &Threads) -> Result<f64, StudyError> {
    let cell = Cell::new(Benchmark::Reaction, model, Method::POINT, Depths::Equal);
    let mut config = cell.config(scale, 0)?;
    if scale != Scale::Smoke {
        config.points.interior = Some("grid:24x24".to_owned());
    }
    let case = Case::new(config, threads)?;
    let mut objective = Objective::new(&case)?;
    let (theta, mut grad) = (case.initial_theta(), vec![0.0; case.parameters()]);
    let seconds = threads.run(|| {
        objective.evaluate(&theta, &mut grad);
        let (began, mut count) = (Instant::now(), 0u32);
        while count == 0 || began.elapsed() < PATIENCE {
            objective.evaluate(&theta, &mut grad);
            count += 1;
        }
        began.elapsed().as_secs_f64() / f64::from(count)
    });
    Ok(seconds / objective.work() as f64)
}
