//! Starting values of θ, tensor by tensor.
//!
//! Linear maps: W by the chosen [`Scheme`], b constant. Trained waves start as sin z + cos z. Whatever an architecture starts
//! otherwise, it says itself.

use ropinn_domain::{Purpose, Stream};
use ropinn_engine::{Network, Tensor};
use serde::{Deserialize, Serialize};

/// How the linear layers start. KAN has none of them and its own rule.
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

impl Init {
    /// Starting parameters of a network whose tensors have the usual names: `….bias` for biases, `….w1` and `….w2` for
    /// trained waves, anything else for matrices. The same seed gives the same numbers on every machine.
    ///
    /// Tensors that `other` fills, with streams of random numbers of its own, and says so, are left to it.
    pub fn fill(
        &self,
        network: &Network,
        seed: u64,
        mut other: impl FnMut(&Tensor, &mut [f64], &mut dyn FnMut() -> Stream) -> bool,
    ) -> Vec<f64> {
        let mut theta = vec![0.0; network.parameters()];
        // Only tensors that are drawn take a stream, so the numbers depend on nothing but the order of those.
        let mut drawn = 0;
        let mut next = || {
            drawn += 1;
            Stream::new(seed, Purpose::Weights).at_step(drawn - 1)
        };
        for tensor in network.layout().tensors() {
            let values = &mut theta[tensor.range()];
            if other(tensor, values, &mut next) {
                continue;
            }
            match tensor.name.rsplit('.').next() {
                Some("bias") => values.fill(self.bias),
                Some("w1" | "w2") => values.fill(1.0),
                _ => {
                    let fan_in = tensor.shape.last().copied().unwrap_or(1);
                    self.scheme.fill(values, fan_in, tensor.len() / fan_in, next());
                }
            }
        }
        theta
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
