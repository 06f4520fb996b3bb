//! Kernel traces of compiled terms, on all points or on a few of them.

use super::KernelTrace;
use ropinn_domain::Stream;
use ropinn_engine::{EngineError, Evaluator, Program, Samples};

/// Σ_i ‖∂r_i/∂θ‖² over the samples and residual outputs of each part of a term.
///
/// For networks that see a sequence, the residuals of one sample's elements add up in its row. Rows are summed tile by
/// tile and never held together, so memory does not grow with their number.
pub fn part_traces(
    evaluator: &mut Evaluator,
    term: usize,
    theta: &[f64],
    samples: Samples<'_>,
) -> Result<Vec<KernelTrace>, EngineError> {
    let program = &evaluator.terms()[term];
    let part_of: Vec<usize> = (0..program.outputs()).map(|output| program.part_of(output)).collect();
    let mut found = vec![KernelTrace::default(); program.parts()];
    let set = evaluator.add(term, samples)?;
    evaluator.rows(theta, set, |tile| {
        let found = &mut found[part_of[tile.output]];
        found.rows += tile.samples;
        for parameter in tile.rows.chunks_exact(tile.stride) {
            found.trace += parameter[..tile.samples].iter().map(|slope| slope * slope).sum::<f64>();
        }
    })?;
    evaluator.remove(set)?;
    Ok(found)
}

/// A few samples of many, with points and data of their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subset {
    points: Vec<f64>,
    data: Vec<f64>,
}

impl Subset {
    /// At most `count` different samples of a term, every choice equally likely, in the order they have.
    pub fn draw(program: &Program, of: Samples<'_>, count: usize, stream: &mut Stream) -> Self {
        let per_sample = program.coordinates_per_sample();
        let samples = of.points.len() / per_sample;
        let mut chosen = choose(samples, count.min(samples), stream);
        chosen.sort_unstable();
        Self { points: gather(of.points, per_sample, &chosen), data: gather(of.data, program.data_columns(), &chosen) }
    }

    /// The chosen samples, unweighted.
    pub fn samples(&self) -> Samples<'_> {
        Samples { points: &self.points, data: &self.data, weights: &[] }
    }
}

/// The first `count` places of a Fisher–Yates shuffle of 0 … n − 1.
fn choose(n: usize, count: usize, stream: &mut Stream) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for place in 0..count {
        order.swap(place, place + stream.below((n - place) as u64) as usize);
    }
    order.truncate(count);
    order
}

fn gather(values: &[f64], per_sample: usize, chosen: &[usize]) -> Vec<f64> {
    chosen.iter().flat_map(|&i| values[i * per_sample..(i + 1) * per_sample].iter().copied()).collect()
}
