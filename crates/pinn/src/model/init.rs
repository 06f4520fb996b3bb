//! Starting values of θ, tensor by tensor.
//!
//! Linear maps: W by the chosen [`Scheme`], b constant. The joint projection of attention counts as one 3d × d matrix and has
//! zero bias. WaveAct starts as sin z + cos z. KAN: b = 0, s^s = 1, s^b = 1/√n_in + ¼(2N(0, 1) − 1), and splines through
//! noise (U(0, 1) − ½)·0.1/G at the grid points.

use super::ModelConfig;
use super::kan::Interpolation;
use ropinn_domain::{Purpose, Stream};
use ropinn_engine::{Network, ParamLayout, Tensor};
use serde::{Deserialize, Serialize};

/// Size of the noise KAN splines start from, before division by the number of grid intervals.
const SPLINE_NOISE: f64 = 0.1;
/// Half the spread of KAN's base scales around 1/√n_in − this.
const BASE_NOISE: f64 = 0.25;

/// How the linear layers start. KAN has no linear layers and its own rule.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Init {
    /// Every entry of every bias.
    pub bias: f64,
    /// Distribution of the weights.
    pub scheme: Scheme,
}

impl Default for Init {
    /// Xavier uniform weights and zero biases.
    fn default() -> Self {
        Self { bias: 0.0, scheme: Scheme::XavierUniform }
    }
}

/// Distribution of starting weights of variance 2/(fan_in + fan_out) (Glorot & Bengio 2010).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// U(−a, a) with a = √(6/(fan_in + fan_out)).
    XavierUniform,
    /// N(0, 2/(fan_in + fan_out)).
    GlorotNormal,
}

/// What a tensor does, as its name tells.
enum Role {
    Matrix { fan_in: usize, fan_out: usize },
    Bias,
    Zeros,
    Ones,
    SplineCoefficients,
    BaseScale { inputs: usize },
}

impl Role {
    fn of(tensor: &Tensor, layout: &ParamLayout) -> Self {
        let name = tensor.name.as_str();
        match name.rsplit('.').next().unwrap_or(name) {
            _ if name.starts_with("biases.") => Self::Zeros,
            "in_proj_bias" => Self::Zeros,
            "bias" => Self::Bias,
            "w1" | "w2" | "scale_sp" => Self::Ones,
            "coef" => Self::SplineCoefficients,
            "scale_base" => Self::BaseScale { inputs: inputs_of_kan_layer(tensor, layout) },
            _ => {
                let fan_in = tensor.shape.last().copied().unwrap_or(1);
                Self::Matrix { fan_in, fan_out: tensor.len() / fan_in }
            }
        }
    }
}

/// n_in from the number of edges n_out·n_in and the layer's bias of n_out entries.
fn inputs_of_kan_layer(scale_base: &Tensor, layout: &ParamLayout) -> usize {
    let layer = scale_base.name.trim_start_matches("act_fun.").trim_end_matches(".scale_base");
    let outputs = layout.get(&format!("biases.{layer}.weight")).map_or(1, Tensor::len);
    scale_base.len() / outputs.max(1)
}

impl ModelConfig {
    /// Starting parameters of `network`, which [`ModelConfig::build`] made from this configuration.
    ///
    /// The same seed gives the same numbers on every machine.
    pub fn initialise(&self, network: &Network, seed: u64, init: &Init) -> Vec<f64> {
        let mut theta = vec![0.0; network.parameters()];
        // Only tensors that are drawn take a stream, so the numbers depend on nothing but the order of those.
        let mut drawn = 0;
        let mut next = || {
            drawn += 1;
            Stream::new(seed, Purpose::Weights).at_step(drawn - 1)
        };
        for tensor in network.layout().tensors() {
            let values = &mut theta[tensor.range()];
            match Role::of(tensor, network.layout()) {
                Role::Zeros => {}
                Role::Ones => values.fill(1.0),
                Role::Bias => values.fill(init.bias),
                Role::Matrix { fan_in, fan_out } => init.scheme.fill(values, fan_in, fan_out, next()),
                Role::SplineCoefficients => self.fill_spline_coefficients(values, next()),
                Role::BaseScale { inputs } => {
                    next().fill_normal(values);
                    let mean = 1.0 / (inputs as f64).sqrt();
                    values.iter_mut().for_each(|v| *v = mean + BASE_NOISE * (2.0 * *v - 1.0));
                }
            }
        }
        theta
    }

    fn fill_spline_coefficients(&self, values: &mut [f64], mut stream: Stream) {
        let Self::Kan(sizes) = self else { return };
        let interpolation = Interpolation::new(sizes.grid, sizes.degree);
        let mut noise = vec![0.0; interpolation.points()];
        for coefficients in values.chunks_exact_mut(sizes.grid + sizes.degree) {
            stream.fill_uniform(&mut noise);
            noise.iter_mut().for_each(|u| *u = (*u - 0.5) * SPLINE_NOISE / sizes.grid as f64);
            interpolation.coefficients_into(&mut noise, coefficients);
        }
    }
}

impl Scheme {
    fn fill(self, values: &mut [f64], fan_in: usize, fan_out: usize, mut stream: Stream) {
        let variance = 2.0 / (fan_in + fan_out) as f64;
        match self {
            Self::XavierUniform => {
                let reach = (3.0 * variance).sqrt();
                stream.fill_uniform(values);
                values.iter_mut().for_each(|v| *v = reach * (2.0 * *v - 1.0));
            }
            Self::GlorotNormal => {
                stream.fill_normal(values);
                values.iter_mut().for_each(|v| *v *= variance.sqrt());
            }
        }
    }
}
