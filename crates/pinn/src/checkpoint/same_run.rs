//! Which configurations may go on from a checkpoint: those under which every step so far would have been the same.

use super::{Checkpoint, CheckpointError};
use crate::config::{RunConfig, first_difference, settings};
use toml::{Table, Value};

impl Checkpoint {
    /// Refuses a configuration that belongs to another run. Reasons to stop, the pace of checkpoints and the iterations of
    /// phases that have not ended may differ.
    pub fn check_belongs_to(&self, config: &RunConfig) -> Result<(), CheckpointError> {
        let own = RunConfig::from_toml(&self.config)
            .map_err(|error| CheckpointError::Configuration { reason: error.to_string() })?;
        let phase = self.state.progress.phase;
        check_same_steps(&own, config, phase)?;
        let done = self.state.progress.phase_steps;
        match config.phases.0.get(phase).map(|phase| phase.iterations) {
            Some(asked) if asked < done => Err(CheckpointError::AlreadyDone { phase: phase + 1, done, asked }),
            _ => Ok(()),
        }
    }
}

/// Refuses a configuration whose steps are not those of another, where phases before `phase` have ended.
fn check_same_steps(own: &RunConfig, config: &RunConfig, phase: usize) -> Result<(), CheckpointError> {
    let (mut there, mut here) = (comparable(own, phase), comparable(config, phase));
    // The name of a problem whose text is known only tells where it came from.
    if own.problem.source.is_some() && own.problem.source == config.problem.source {
        let kept = |table: &mut Table| {
            let inputs = table.remove("problem").and_then(|problem| problem.get("inputs").cloned());
            // Runs of old versions did not record them.
            let inputs = inputs.filter(|_| !own.problem.inputs.is_empty()).map(|inputs| ("inputs".to_owned(), inputs));
            table.insert("problem".to_owned(), Value::Table(inputs.into_iter().collect()));
        };
        kept(&mut there);
        kept(&mut here);
    }
    match first_difference(&settings(there), &settings(here)) {
        Some((setting, there, here)) => {
            Err(CheckpointError::OtherRun { setting: setting.to_owned(), there: shown(there), here: shown(here) })
        }
        None => Ok(()),
    }
}

/// Refuses to start `config` in place of a run that has not come to its first checkpoint.
pub fn check_same_start(own: &RunConfig, config: &RunConfig) -> Result<(), CheckpointError> {
    check_same_steps(own, config, 0)
}

/// The settings that steps depend on.
fn comparable(config: &RunConfig, phase: usize) -> Table {
    let mut config = config.clone();
    config.stop = Default::default();
    config.checkpoint = Default::default();
    // How much work there may be is a reason to stop.
    config.strategy.work = 1.0;
    config.phases.0.iter_mut().skip(phase).for_each(|phase| phase.iterations = 1);
    Table::try_from(config).expect("every setting has a TOML form")
}

/// A value short enough for a message.
fn shown(value: Option<&Value>) -> String {
    const LONGEST: usize = 60;
    let text = value.map_or_else(|| "absent".to_owned(), Value::to_string);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
