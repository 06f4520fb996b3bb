//! Fields to be found beside the solution: networks of their own over some of the coordinates, their outputs after its own.
//!
//! a(x) = N_a(x), or e^{N_a(x)} where it is positive, with N_a a network of linear maps on its coordinates in [−1, 1].

use super::backbone::{MAX_DEPTH, MAX_WIDTH};
use super::{HardConstraint, ModelError, ModelInputs};
use crate::problem::UnknownField;
use ropinn_engine::{Activation, NetworkBuilder, NodeId};

/// What the names of their parameters begin with.
pub(super) const PREFIX: &str = "fields.";

/// Puts the fields beside the solution.
pub(super) fn beside(net: &mut NetworkBuilder, solution: NodeId, inputs: &ModelInputs) -> Result<NodeId, ModelError> {
    if inputs.fields.is_empty() {
        return Ok(solution);
    }
    let mut parts = vec![solution];
    for (k, field) in inputs.fields.iter().enumerate() {
        net.prefix_names(format!("{PREFIX}{}.", field.name));
        let mut out = lay_out(net, field, inputs)?;
        let number = inputs.unknowns - inputs.fields.len() + k;
        if let Some(HardConstraint { g, d }) = &inputs.hard_constraint
            && let (Some(g), Some(d)) = (g.get(number), d.get(number))
            && d.as_constant() != Some(1.0)
        {
            out = net.hard_constraint(out, vec![g.clone()], vec![d.clone()])?;
        }
        parts.push(out);
    }
    Ok(net.concat(&parts)?)
}

fn lay_out(net: &mut NetworkBuilder, field: &UnknownField, inputs: &ModelInputs) -> Result<NodeId, ModelError> {
    for (what, size, max) in [("width", field.width, MAX_WIDTH), ("depth", field.depth, MAX_DEPTH)] {
        if size == 0 || size > max {
            return Err(ModelError::FieldSize { field: field.name.clone(), what, size, max });
        }
    }
    let mut z = coordinates(net, field, inputs)?;
    for layer in 0..field.depth {
        z = net.linear(&format!("linear.{}", 2 * layer), z, field.width)?;
        z = net.activate(field.activation, z)?;
    }
    z = net.linear(&format!("linear.{}", 2 * field.depth), z, 1)?;
    Ok(if field.positive { net.activate(Activation::Exp, z)? } else { z })
}

/// The field's own coordinates among what the network begins with, from −1 to 1; periodic ones are sines and cosines already.
fn coordinates(net: &mut NetworkBuilder, field: &UnknownField, inputs: &ModelInputs) -> Result<NodeId, ModelError> {
    let is_periodic = |axis: usize| inputs.periodic.get(axis).copied().unwrap_or(false);
    let begins = |axis: usize| (0..axis).map(|before| if is_periodic(before) { 2 } else { 1 }).sum::<usize>();
    let (front, width) = (net.input(), net.width(net.input()));
    let (mut weights, mut bias) = (Vec::new(), Vec::new());
    let mut push = |column: usize, factor: f64, shift: f64| {
        weights.extend((0..width).map(|k| if k == column { factor } else { 0.0 }));
        bias.push(shift);
    };
    for &axis in &field.axes {
        match inputs.ranges.get(axis) {
            _ if is_periodic(axis) => (0..2).for_each(|k| push(begins(axis) + k, 1.0, 0.0)),
            Some(&(low, high)) => push(begins(axis), 2.0 / (high - low), -(high + low) / (high - low)),
            None => push(begins(axis), 1.0, 0.0),
        }
    }
    Ok(net.fixed_linear(front, weights, bias)?)
}
