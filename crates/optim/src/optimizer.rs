//! What the world asks of an optimiser.

use crate::{OptimError, Oracle, State, StepOutcome};

/// Moves θ downhill, one outer step at a time.
pub trait Optimizer {
    /// Takes one outer step, leaving θ at the last finite accepted point whatever happens.
    ///
    /// # Panics
    /// If `theta.len()` is not [`dimension`](Self::dimension), or if the optimiser needs the residuals behind the loss and
    /// the oracle does not offer them.
    fn step(&mut self, theta: &mut [f64], oracle: &mut dyn Oracle) -> StepOutcome;

    /// The name used in records, states and error messages.
    fn name(&self) -> &'static str;

    /// What it chose for the sizes at hand, in words, if it had a choice.
    fn choice(&self) -> Option<String> {
        None
    }

    /// Number of parameters this optimiser was built for.
    fn dimension(&self) -> usize;

    /// After a NaN or infinity, before another try from an earlier θ: forgets what was learnt on the way there and takes
    /// shorter steps from now on. Part of what [`save`](Self::save) keeps.
    fn back_off(&mut self);

    /// Everything the next step depends on, apart from the configuration and θ itself.
    fn save(&self) -> State;

    /// Continues from `state`: the next steps have the same bits as if the saving optimiser had gone on. The
    /// configuration is not part of the state and stays as built. On error nothing has changed.
    fn load(&mut self, state: &State) -> Result<(), OptimError>;
}

/// A wrong length is a bug in the caller, not an event of the optimisation: stop before any state is touched.
pub(crate) fn assert_dimension(optimizer: &str, dimension: usize, theta: &[f64]) {
    let length = theta.len();
    assert!(length == dimension, "{optimizer} was built for {dimension} parameters, but theta has {length}");
}
