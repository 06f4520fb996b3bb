//! Random features: u(x) = N(x) + Σ_k c_k σ(w_k·z + b_k), of which only c is trained.
//!
//! z are the coordinates in [−1, 1], or the last hidden layer of a network N that is corrected. With w and b frozen, u is linear
//! in c, and so is the residual of every linear equation: one least-squares problem (random feature method, Chen et al. 2022;
//! extreme learning machines, Dong & Li 2021). Entries of w are drawn from ±the scale of their coordinate. Sines have random
//! phases, other functions their kink or crest at a random point of the box.
//!
//! In patches, u = N + Σ_p ψ_p(x) Σ_k c_pk σ(w_pk·z_p + b_pk): z_p are coordinates of its own for each patch of the box, and
//! the ψ_p are products of ½(tanh − tanh) that add up to one and are smooth.

use super::backbone::{Backbone, Check, MAX_WIDTH, Shapes, set};
use super::mlp::stem;
use super::registry::{Features, ModelConfig};
use super::{ModelError, ModelInputs, ModelKind, Sequence};
use crate::weights::WeightsError;
use ropinn_domain::{Purpose, Stream};
use ropinn_engine::{Activation, NetworkBuilder, NodeId, ParamLayout, Tensor};
use ropinn_expr::Expr;
use std::f64::consts::PI;

/// Units of the first of two frozen layers.
const FIRST: usize = 64;
/// Reach of a patch beyond its cell, and width of the transition, in units of the cell.
const OVERLAP: f64 = 0.25;
const TRANSITION: f64 = 0.1;
/// The most patches.
const MOST_PATCHES: usize = 256;
/// Coordinates enter features of a second layer and hidden units with weights of about this length.
const INNER: f64 = 1.0;

impl Backbone for Features {
    fn check(&self, check: &Check) -> Result<(), ModelError> {
        check.size("count", self.count, MAX_WIDTH)?;
        check.size("layers", self.layers, 2)?;
        check.size("hidden", self.hidden.max(1), MAX_WIDTH)?;
        check.size("patches", self.patches.iter().fold(1, |all, own| all.saturating_mul(*own)), MOST_PATCHES)?;
        self.scales.iter().try_for_each(|&scale| check.positive("scales", scale))?;
        self.base.as_ref().map_or(Ok(()), |base| base.backbone().check(&Check { model: base.kind() }))
    }

    fn lay_out(&self, _: ModelKind, net: &mut NetworkBuilder, inputs: &ModelInputs) -> Result<NodeId, ModelError> {
        Ok(self.lay_out_with_hidden(net, inputs)?.0)
    }

    fn read(&mut self, shapes: &Shapes<'_>) -> Result<(), WeightsError> {
        self.count = shapes.rows("features.coordinates.weight")?;
        Ok(())
    }

    fn take_quick(&mut self) -> u64 {
        1
    }

    fn width_and_depth(&self) -> (usize, usize) {
        (self.count, self.layers)
    }

    fn resize(&mut self, width: Option<usize>, depth: Option<usize>) {
        set(&mut self.count, width);
        set(&mut self.layers, depth);
    }

    fn sequence(&self) -> Option<Sequence> {
        self.base.as_ref().and_then(|base| base.backbone().sequence())
    }

    fn start(
        &self,
        tensor: &Tensor,
        layout: &ParamLayout,
        values: &mut [f64],
        draw: &mut dyn FnMut() -> Stream,
    ) -> bool {
        // Features are drawn all together, once their network has its start.
        tensor.name.starts_with("features.")
            || self.base.as_ref().is_some_and(|base| base.backbone().start(tensor, layout, values, draw))
    }

    fn numbers(&self) -> Vec<(&'static str, f64)> {
        self.scales.iter().map(|&scale| ("model.scales", scale)).collect()
    }
}

/// A network that is corrected, and its last hidden layer. Where it is corrected itself, its own corrections are among what is
/// below, under names that begin with `base.`.
pub(super) fn below(
    base: &ModelConfig,
    net: &mut NetworkBuilder,
    inputs: &ModelInputs,
) -> Result<(NodeId, Option<NodeId>), ModelError> {
    let ModelConfig::Features(features) = base else {
        let out = base.backbone().lay_out(base.kind(), net, inputs)?;
        return Ok((out, net.operand_of_linear(out)));
    };
    let prefix = net.prefix().to_owned();
    net.prefix_names(format!("{prefix}base."));
    let made = features.lay_out_with_hidden(net, inputs)?;
    net.prefix_names(prefix);
    Ok(made)
}

impl Features {
    /// The output, and the last hidden layer of the innermost network that is corrected.
    fn lay_out_with_hidden(
        &self,
        net: &mut NetworkBuilder,
        inputs: &ModelInputs,
    ) -> Result<(NodeId, Option<NodeId>), ModelError> {
        self.check_lengths(net.coordinates(), inputs)?;
        let (base, hidden) = self.base.as_ref().map(|base| below(base, net, inputs)).transpose()?.unzip();
        let hidden = hidden.flatten();
        let patches = self.cells(inputs);
        let mut parts = Vec::new();
        for (k, cell) in patches.iter().enumerate() {
            let name = if patches.len() > 1 { format!("features.patch.{k}") } else { "features".to_owned() };
            let ranges: Vec<(f64, f64)> = cell.iter().map(|side| side.reach).collect();
            let is_known = !ranges.is_empty();
            let mut z = stem(net, is_known, None, &ModelInputs { ranges, ..inputs.clone() })?;
            if self.layers == 2 {
                z = net.linear(&format!("{name}.first"), z, FIRST)?;
                z = net.activate(self.activation, z)?;
            }
            let w = net.linear(&format!("{name}.coordinates"), z, self.count)?;
            let mut phi = net.activate(self.activation, w)?;
            if let Some(hidden) = hidden.filter(|_| self.hidden > 0 && k == 0) {
                let w = net.linear("features.hidden", hidden, self.hidden)?;
                let of_hidden = net.activate(Activation::Tanh, w)?;
                phi = net.concat(&[phi, of_hidden])?;
            }
            parts.push((name, phi, weight_of(cell)));
        }
        net.freeze();
        let mut sum: Vec<NodeId> = base.into_iter().collect();
        for (name, phi, weight) in parts {
            let own = net.linear(&format!("{name}.out"), phi, inputs.unknowns)?;
            sum.push(match weight {
                Some(weight) => {
                    let gate = net.field(vec![weight; inputs.unknowns])?;
                    net.mul(gate, own)?
                }
                None => own,
            });
        }
        let out = if let [only] = sum[..] { only } else { net.sum(&sum)? };
        Ok((out, hidden))
    }

    /// Draws w and b of all features, and begins with c = 0: nothing is corrected.
    pub(super) fn draw(&self, layout: &ParamLayout, seed: u64, theta: &mut [f64]) {
        // Evaluation 2: apart from starting weights and Fourier frequencies.
        let mut stream = Stream::new(seed, Purpose::Weights).at_evaluation(2);
        for tensor in layout.tensors().iter().filter(|tensor| tensor.name.starts_with("features.")) {
            let Some(layer) = tensor.name.strip_suffix(".weight") else { continue };
            let Some(bias) = layout.get(&format!("{layer}.bias")) else { continue };
            let (weights, biases) = (tensor.range(), bias.range());
            if layer.ends_with(".out") {
                theta[weights].fill(0.0);
                theta[biases].fill(0.0);
                continue;
            }
            let columns = tensor.shape[1];
            let on_coordinates = !layer.ends_with(".hidden") && (self.layers == 1 || layer.ends_with(".first"));
            for (row, place) in weights.step_by(columns).zip(biases) {
                let mut offset = 0.0;
                for column in 0..columns {
                    let reach = match on_coordinates {
                        true => self.scales.get(column).or(self.scales.first()).copied().unwrap_or(1.0),
                        false => INNER * (3.0 / columns as f64).sqrt(),
                    };
                    let weight = reach * (2.0 * stream.uniform() - 1.0);
                    theta[row + column] = weight;
                    // The kink or crest lies at a random point of the box.
                    offset -= weight * (2.0 * stream.uniform() - 1.0);
                }
                let phase = PI * (2.0 * stream.uniform() - 1.0);
                theta[place] = if self.activation == Activation::Sin && on_coordinates { phase } else { offset };
            }
        }
    }

    fn check_lengths(&self, coordinates: usize, inputs: &ModelInputs) -> Result<(), ModelError> {
        let (model, inputs) = (ModelKind::Features, inputs.coordinates);
        if inputs != coordinates && self.patches.iter().any(|count| *count > 1) {
            return Err(ModelError::PeriodicPatches);
        }
        for (what, found) in [("scales", self.scales.len()), ("patches", self.patches.len())] {
            if found > 1 && found != inputs {
                return Err(ModelError::ListLength { model, what, expected: inputs, found });
            }
        }
        Ok(())
    }

    /// The patches, each by its sides along all inputs.
    fn cells(&self, inputs: &ModelInputs) -> Vec<Vec<Side>> {
        let mut cells = vec![Vec::new()];
        for (axis, &(low, high)) in inputs.ranges.iter().enumerate() {
            let count = self.patches.get(axis).or(self.patches.first()).copied().unwrap_or(1).max(1);
            let length = (high - low) / count as f64;
            let side = |k: usize| {
                let (from, to) = (low + k as f64 * length, low + (k + 1) as f64 * length);
                let over = OVERLAP * length;
                let reach = if count == 1 { (low, high) } else { (from - over, to + over) };
                let (begins, ends) = ((k > 0).then_some(from), (k + 1 < count).then_some(to));
                Side { axis, reach, begins, ends, width: TRANSITION * length }
            };
            cells = cells
                .iter()
                .flat_map(|cell: &Vec<Side>| {
                    (0..count).map(move |k| cell.iter().cloned().chain([side(k)]).collect::<Vec<_>>())
                })
                .collect();
        }
        cells
    }
}

/// A patch along one coordinate.
#[derive(Clone)]
struct Side {
    axis: usize,
    /// What its own coordinate maps to [−1, 1].
    reach: (f64, f64),
    /// Where it takes over from the patch before, and where the next one takes over.
    begins: Option<f64>,
    ends: Option<f64>,
    width: f64,
}

/// ψ of a patch; none if it is 1 everywhere.
fn weight_of(cell: &[Side]) -> Option<Expr> {
    let step = |side: &Side, at: f64| ((Expr::coord(side.axis) - at) * (1.0 / side.width)).tanh();
    let of_side = |side: &Side| match (side.begins, side.ends) {
        (None, None) => None,
        (Some(from), None) => Some((step(side, from) + 1.0) * 0.5),
        (None, Some(to)) => Some((Expr::constant(1.0) - step(side, to)) * 0.5),
        (Some(from), Some(to)) => Some((step(side, from) - step(side, to)) * 0.5),
    };
    cell.iter().filter_map(of_side).reduce(|all, own| all * own)
}
