//! θ in the working precision, with every linear map packed once per evaluation for all tiles and threads.

use crate::network::{Bias, Network, Op, Weights};
use ropinn_linalg::{Numbers, Packed, View};

/// The numbers of one linear map.
#[derive(Default)]
pub(crate) struct Map<T> {
    /// W, row by row.
    pub weights: Vec<T>,
    pub bias: Option<Vec<T>>,
    /// W for y = W x.
    pub forward: Packed<T>,
    /// Wᵀ for x̄ = Wᵀ ȳ.
    pub backward: Packed<T>,
}

/// θ as the tiles read it.
pub(crate) struct Parameters<T> {
    /// All trained numbers.
    pub theta: Vec<T>,
    /// The map of each linear node.
    maps: Vec<Option<Map<T>>>,
}

impl<T: Numbers> Parameters<T> {
    /// Room for the parameters of a network and what is trained beside it; all zero.
    pub fn new(network: Option<&Network>, parameters: usize) -> Self {
        let maps = network.map_or(Vec::new(), |network| network.ops.iter().map(|op| fixed(op)).collect());
        Self { theta: vec![T::ZERO; parameters], maps }
    }

    /// Takes over θ.
    pub fn load(&mut self, network: &Network, theta: &[f64]) {
        self.theta.iter_mut().zip(theta).for_each(|(own, &given)| *own = T::from_f64(given));
        let theta = &self.theta;
        for (node, (op, map)) in network.ops.iter().zip(&mut self.maps).enumerate() {
            let Some(map) = map else { continue };
            let (Op::Linear { x, .. } | Op::SplineLinear { x, .. }) = op else { continue };
            let (outputs, inputs) = (network.widths[node], network.widths[*x]);
            let take = |offset: usize, count: usize| theta[offset..offset + count].iter().copied();
            match op {
                Op::Linear { weights: Weights::Trained(offset), .. } => {
                    map.weights.clear();
                    map.weights.extend(take(*offset, outputs * inputs));
                }
                Op::SplineLinear { coefficients, scales, bases, .. } => {
                    map.weights.clear();
                    let products = take(*coefficients, outputs * inputs).enumerate();
                    map.weights.extend(products.map(|(i, c)| c * theta[scales + i / bases]));
                }
                _ => {}
            }
            if let Op::Linear { bias: Bias::Trained(offset), .. } = op {
                let bias = map.bias.get_or_insert_default();
                bias.clear();
                bias.extend(take(*offset, outputs));
            }
            let view = View::rows(0, inputs);
            map.forward.set((outputs, inputs), T::ONE, &map.weights, view);
            map.backward.set((inputs, outputs), T::ONE, &map.weights, view.transposed());
        }
    }

    /// The map of a linear node.
    pub fn map(&self, node: usize) -> &Map<T> {
        self.maps[node].as_ref().expect("every linear node has a map")
    }
}

/// The map of a node with the numbers that never change.
fn fixed<T: Numbers>(op: &Op) -> Option<Map<T>> {
    let cast = |numbers: &[f64]| numbers.iter().map(|&x| T::from_f64(x)).collect::<Vec<T>>();
    match op {
        Op::Linear { weights, bias, .. } => Some(Map {
            weights: if let Weights::Fixed(w) = weights { cast(w) } else { Vec::new() },
            bias: if let Bias::Fixed(b) = bias { Some(cast(b)) } else { None },
            ..Map::default()
        }),
        Op::SplineLinear { .. } => Some(Map::default()),
        _ => None,
    }
}
