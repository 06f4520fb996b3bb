//! Networks that act on each point alone through linear maps: PINN, FLS and QRes, and what may stand in front of them.

use super::{Fourier, Mlp, ModelInputs, Qres};
use ropinn_domain::{Purpose, Stream};
use ropinn_engine::{Activation, EngineError, NetworkBuilder, NodeId};

/// The coordinates as the first layer sees them: normalised, then expanded in Fourier features, if asked for.
pub(super) fn stem(
    net: &mut NetworkBuilder,
    normalise: bool,
    fourier: Option<Fourier>,
    inputs: &ModelInputs,
) -> Result<NodeId, EngineError> {
    let mut x = net.input();
    if normalise {
        x = net.normalise(x, &inputs.ranges)?;
    }
    if let Some(Fourier { features, scale }) = fourier {
        x = net.fourier_features(x, &frequencies(features * inputs.coordinates, scale, inputs.seed))?;
    }
    Ok(x)
}

/// Entries of B ~ N(0, scale²). Evaluation 1 keeps them apart from the starting weights, which use evaluation 0.
fn frequencies(entries: usize, scale: f64, seed: u64) -> Vec<f64> {
    let mut drawn = vec![0.0; entries];
    Stream::new(seed, Purpose::Weights).at_evaluation(1).fill_normal(&mut drawn);
    drawn.iter().map(|normal| scale * normal).collect()
}

/// z ← σ(W z + b), `depth` times, then a linear output. Layers count as in a PyTorch `Sequential`, activations included.
pub(super) fn fully_connected(
    net: &mut NetworkBuilder,
    x: NodeId,
    sizes: &Mlp,
    first: Activation,
    unknowns: usize,
) -> Result<NodeId, EngineError> {
    let mut z = x;
    for layer in 0..sizes.depth {
        let activation = if layer == 0 { first } else { sizes.activation };
        z = net.linear(&format!("linear.{}", 2 * layer), z, sizes.width)?;
        z = net.activate(activation, z)?;
    }
    net.linear(&format!("linear.{}", 2 * sizes.depth), z, unknowns)
}

/// z ← sigmoid(H₂z ⊙ H₁z + H₁z), `depth` times, then a linear output (Bu & Karpatne 2021, eq. 5).
pub(super) fn quadratic(
    net: &mut NetworkBuilder,
    x: NodeId,
    sizes: &Qres,
    unknowns: usize,
) -> Result<NodeId, EngineError> {
    let mut z = x;
    for block in 0..sizes.depth {
        let name = if block == 0 { "inlayer".to_owned() } else { format!("layers.{}", block - 1) };
        let h1 = net.linear(&format!("{name}.H1"), z, sizes.width)?;
        let h2 = net.linear(&format!("{name}.H2"), z, sizes.width)?;
        let product = net.mul(h2, h1)?;
        let sum = net.sum(&[product, h1])?;
        z = net.activate(Activation::Sigmoid, sum)?;
    }
    net.linear("outlayer", z, unknowns)
}
