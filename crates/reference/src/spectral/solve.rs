//! A reaction on two resolutions.

use super::reaction::{Reaction, Sides};
use super::step::Stepper;
use crate::grid::{Beyond, GridField};
use crate::steps::legs;
use crate::{Reference, SolveError};

/// Nodes along a side that fit into memory and time.
const MOST_NODES: usize = 2048;

/// Solves it from t = 0 with about `steps` steps on nodes × nodes, a power of two, and with half of both.
///
/// ```
/// use ropinn_reference::spectral::{Reaction, Sides, solve};
/// let heat = Reaction {
///     low: [0.0, 0.0],
///     high: [1.0, 2.0],
///     sides: Sides::Zero,
///     diffusivities: vec![0.1],
///     linear: vec![0.0],
///     rates: &|_, _, rates| rates[0] = 0.0,
///     initial: vec![&|x| (3.0 * x[0] * std::f64::consts::PI).sin() * (x[1] * std::f64::consts::PI).sin()],
/// };
/// let solution = solve(&heat, &[0.5], 64, 2)?;
/// let expected = (-0.5 * std::f64::consts::PI.powi(2)).exp();
/// assert!((solution.values(&[0.5, 0.5, 0.5])[0] + expected).abs() < 1e-12);
/// # Ok::<(), ropinn_reference::SolveError>(())
/// ```
pub fn solve(reaction: &Reaction, instants: &[f64], nodes: usize, steps: usize) -> Result<Reference, SolveError> {
    if !nodes.is_power_of_two() || !(32..=MOST_NODES).contains(&nodes) {
        let expected = format!("a power of two from 32 to {MOST_NODES}");
        return Err(SolveError::Resolution { key: "nodes", value: nodes.to_string(), expected });
    }
    let coarse = run(reaction, instants, nodes / 2, steps.div_ceil(2))?;
    Reference::accurate(Box::new(run(reaction, instants, nodes, steps)?), &coarse)
}

fn run(reaction: &Reaction, instants: &[f64], nodes: usize, steps: usize) -> Result<GridField, SolveError> {
    let mut stepper = Stepper::new(reaction, nodes);
    let mut spectra = stepper.start()?;
    let mut frames = Vec::new();
    let mut weights = None;
    for leg in legs(0.0, instants, steps)? {
        for step in 0..leg.steps {
            let time = leg.start + step as f64 * leg.length;
            let own = weights.take_if(|(length, _)| *length == leg.length);
            let (_, known) = weights.insert(own.unwrap_or_else(|| (leg.length, stepper.weights(leg.length))));
            stepper.step(known, time, &mut spectra);
        }
        let values = stepper.values(&spectra);
        if !values.iter().flatten().all(|value| value.is_finite()) {
            return Err(SolveError::Unbounded { at: leg.start, steps });
        }
        frames.push(values);
    }
    let beyond = if reaction.sides == Sides::Zero { Beyond::Negate } else { Beyond::Repeat };
    let (low, high) = (reaction.low, reaction.high);
    Ok(GridField { low, high, cells: nodes, beyond, instants: instants.to_vec(), frames })
}
