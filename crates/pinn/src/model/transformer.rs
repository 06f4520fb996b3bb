//! PINNsFormer (Zhao, Ding, Prakash 2024): attention over a pseudo-sequence, no layer norm, mask or positional encoding.
//!
//! With WaveAct(z) = ω₁ sin z + ω₂ cos z, a pair of trained scalars for every use, and e the embedding of the elements:
//! - encoder layer: z ← z + MHA(a, a, a), a = WaveAct(z); z ← z + FF(WaveAct(z)); after the last one E = WaveAct(z);
//! - decoder layer: z ← z + MHA(WaveAct(z), E, E); z ← z + FF(WaveAct(z)), starting from z = e; after the last one WaveAct(z);
//! - FF and the read-out are Linear ∘ WaveAct ∘ Linear ∘ WaveAct ∘ Linear, element by element.

use super::Transformer;
use ropinn_engine::{EngineError, NetworkBuilder, NodeId};

/// The whole model, with or without its decoder.
pub(super) fn pinnsformer(
    net: &mut NetworkBuilder,
    sizes: &Transformer,
    decoder: bool,
    unknowns: usize,
) -> Result<NodeId, EngineError> {
    let embedded = net.linear("linear_emb", net.input(), sizes.d_model)?;
    let mut z = stack(net, "encoder", sizes, embedded, None)?;
    if decoder {
        z = stack(net, "decoder", sizes, embedded, Some(z))?;
    }
    wave_network(net, "linear_out", z, sizes.out_width, unknowns)
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
