//! PINNsFormer (Zhao, Ding, Prakash 2024): attention over a pseudo-sequence, no layer norm, mask or positional encoding.
//!
//! With WaveAct(z) = ω₁ sin z + ω₂ cos z, a pair of trained scalars for every use, and e the embedding of the elements:
//! - encoder layer: z ← z + MHA(a, a, a), a = WaveAct(z); z ← z + FF(WaveAct(z)); after the last one E = WaveAct(z);
//! - decoder layer: z ← z + MHA(WaveAct(z), E, E); z ← z + FF(WaveAct(z)), starting from z = e; after the last one WaveAct(z);
//! - FF and the read-out are Linear ∘ WaveAct ∘ Linear ∘ WaveAct ∘ Linear, element by element.

use super::backbone::{Backbone, Check, MAX_DEPTH, MAX_WIDTH, Shapes, set};
use super::{ModelError, ModelInputs, ModelKind, Sequence};
use crate::weights::WeightsError;
use ropinn_domain::Stream;
use ropinn_engine::{EngineError, NetworkBuilder, NodeId, ParamLayout, Tensor};
use serde::{Deserialize, Serialize};

/// Longest pseudo-sequence.
const MAX_ELEMENTS: usize = 1 << 6;

/// Sizes of a PINNsFormer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Transformer {
    /// Width of the embedding.
    pub d_model: usize,
    /// Attention heads; they share the embedding equally.
    pub heads: usize,
    /// Width of the network after each attention.
    pub ff_width: usize,
    /// Width of the network that reads out the unknowns.
    pub out_width: usize,
    /// Encoder layers, and as many decoder layers.
    pub layers: usize,
    /// Elements of the pseudo-sequence each point becomes.
    pub sequence: usize,
    /// Time between them.
    pub step: f64,
}

impl Default for Transformer {
    fn default() -> Self {
        Self { d_model: 32, heads: 2, ff_width: 256, out_width: 512, layers: 1, sequence: 5, step: 1e-4 }
    }
}

impl Backbone for Transformer {
    fn check(&self, check: &Check) -> Result<(), ModelError> {
        check.size("d_model", self.d_model, MAX_WIDTH)?;
        check.size("heads", self.heads, MAX_WIDTH)?;
        check.size("ff_width", self.ff_width, MAX_WIDTH)?;
        check.size("out_width", self.out_width, MAX_WIDTH)?;
        check.size("layers", self.layers, MAX_DEPTH)?;
        check.size("sequence", self.sequence, MAX_ELEMENTS)?;
        check.positive("step", self.step)
    }

    fn lay_out(&self, kind: ModelKind, net: &mut NetworkBuilder, inputs: &ModelInputs) -> Result<NodeId, ModelError> {
        let embedded = net.linear("linear_emb", net.input(), self.d_model)?;
        let mut z = stack(net, "encoder", self, embedded, None)?;
        if kind == ModelKind::Pinnsformer {
            z = stack(net, "decoder", self, embedded, Some(z))?;
        }
        Ok(wave_network(net, "linear_out", z, self.out_width, inputs.unknowns)?)
    }

    fn read(&mut self, shapes: &Shapes<'_>) -> Result<(), WeightsError> {
        if shapes.kind == ModelKind::Pinnsformer {
            shapes.rows("decoder.layers.0.attn.in_proj_weight")?;
        }
        self.d_model = shapes.rows("linear_emb.weight")?;
        self.ff_width = shapes.rows("encoder.layers.0.ff.linear.0.weight")?;
        self.out_width = shapes.rows("linear_out.0.weight")?;
        self.layers = shapes.count(|layer| format!("encoder.layers.{layer}.attn.in_proj_weight"));
        Ok(())
    }

    fn take_quick(&mut self) -> u64 {
        (self.d_model, self.ff_width, self.out_width) = (16, 32, 32);
        30
    }

    fn width_and_depth(&self) -> (usize, usize) {
        (self.d_model, self.layers)
    }

    fn resize(&mut self, width: Option<usize>, depth: Option<usize>) {
        set(&mut self.d_model, width);
        set(&mut self.layers, depth);
    }

    fn numbers(&self) -> Vec<(&'static str, f64)> {
        vec![("model.step", self.step)]
    }

    fn sequence(&self) -> Option<Sequence> {
        Some(Sequence { len: self.sequence, step: self.step })
    }

    /// The joint projection of attention counts as one 3d × d matrix and has zero bias.
    fn start(&self, tensor: &Tensor, _: &ParamLayout, _: &mut [f64], _: &mut dyn FnMut() -> Stream) -> bool {
        tensor.name.ends_with(".in_proj_bias")
    }
}

/// Encoder or decoder layers and the activation after them. Without a `memory`, attention looks at its own query.
fn stack(
    net: &mut NetworkBuilder,
    name: &str,
    sizes: &Transformer,
    embedded: NodeId,
    memory: Option<NodeId>,
) -> Result<NodeId, EngineError> {
    let mut z = embedded;
    for layer in 0..sizes.layers {
        let name = format!("{name}.layers.{layer}");
        let query = net.wave(&format!("{name}.act1"), z)?;
        let mixed = multi_head(net, &format!("{name}.attn"), sizes.heads, query, memory.unwrap_or(query))?;
        z = net.sum(&[z, mixed])?;
        let h = net.wave(&format!("{name}.act2"), z)?;
        let h = wave_network(net, &format!("{name}.ff.linear"), h, sizes.ff_width, sizes.d_model)?;
        z = net.sum(&[z, h])?;
    }
    net.wave(&format!("{name}.act"), z)
}

/// Multi-head attention (Vaswani et al. 2017, §3.2.2); query, key and value maps lie in one joint tensor, as in PyTorch.
fn multi_head(
    net: &mut NetworkBuilder,
    name: &str,
    heads: usize,
    query: NodeId,
    memory: NodeId,
) -> Result<NodeId, EngineError> {
    let d = net.width(query);
    let weight = net.param(format!("{name}.in_proj_weight"), &[3 * d, d])?;
    let bias = net.param(format!("{name}.in_proj_bias"), &[3 * d])?;
    let mut project =
        |x, part: usize| net.linear_with(x, weight.slice(part * d * d, d * d), Some(bias.slice(part * d, d)));
    let (q, k, v) = (project(query, 0)?, project(memory, 1)?, project(memory, 2)?);
    let mixed = net.attention(q, k, v, heads)?;
    net.linear(&format!("{name}.out_proj"), mixed, d)
}

/// Linear, WaveAct, Linear, WaveAct, Linear, numbered as in a PyTorch `Sequential`.
fn wave_network(
    net: &mut NetworkBuilder,
    name: &str,
    x: NodeId,
    width: usize,
    outputs: usize,
) -> Result<NodeId, EngineError> {
    let z = net.linear(&format!("{name}.0"), x, width)?;
    let z = net.wave(&format!("{name}.1"), z)?;
    let z = net.linear(&format!("{name}.2"), z, width)?;
    let z = net.wave(&format!("{name}.3"), z)?;
    net.linear(&format!("{name}.4"), z, outputs)
}
