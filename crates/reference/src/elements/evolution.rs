//! c u_t = ∇·(p∇u) − qu + f in steps of Alexander's (1977) method of three stages, of third order and damped at infinity, so that first
//! values need not fit the conditions: Yᵢ = u + Δt Σ_{j<i} aᵢⱼkⱼ + γΔt kᵢ, with one matrix M + γΔtK for all stages; u ← Y₃.

use super::assembly::{Space, finite, places, right_side, without_given};
use super::diffusion::{Diffusion, Triangles};
use super::field::{Component, MeshField};
use crate::plane::Mesh;
use crate::sparse::{Factor, Matrix, Order};
use crate::steps::{Leg, legs};
use crate::{Function, Reference, SolveError};

/// The root of γ³ − 3γ² + 3γ/2 − 1/6 = 0 that makes the method stable.
const GAMMA: f64 = 0.435_866_521_508_459;
const STAGES: [([f64; 2], f64); 3] = [
    ([0.0, 0.0], GAMMA),
    ([0.5 * (1.0 - GAMMA), 0.0], 0.5 * (1.0 + GAMMA)),
    ([-0.25 * (6.0 * GAMMA * GAMMA - 16.0 * GAMMA + 1.0), 0.25 * (6.0 * GAMMA * GAMMA - 20.0 * GAMMA + 5.0)], 1.0),
];

/// What an evolution has beyond its equation at rest.
#[derive(Clone)]
pub struct Evolving<'a> {
    /// c > 0, a function of (x, y).
    pub capacity: Function<'a>,
    /// u at the start, a function of (x, y).
    pub initial: Function<'a>,
    /// When it starts.
    pub start: f64,
    /// Where its values are wanted, increasing; the start may be the first.
    pub instants: Vec<f64>,
    /// Steps in all, about; the coarser resolution has half as many.
    pub steps: usize,
}

/// Solves c u_t = ∇·(p∇u) − qu + f twice.
pub fn heat(diffusion: &Diffusion, evolving: &Evolving, triangles: &Triangles) -> Result<Reference, SolveError> {
    let [(coarse, low), (fine, high)] = triangles.meshes()?;
    let halved = Evolving { steps: evolving.steps.div_ceil(2), ..evolving.clone() };
    let coarse = evolve(diffusion, &halved, coarse, low)?;
    Reference::accurate(Box::new(evolve(diffusion, evolving, fine, high)?), &coarse)
}

fn evolve(diffusion: &Diffusion, evolving: &Evolving, mesh: Mesh, order: usize) -> Result<MeshField, SolveError> {
    diffusion.check(&mesh)?;
    let space = Space { mesh: &mesh, order };
    // Sides bring entries of their own places only, which the triangles have: both matrices have the same.
    let (mass, stiffness) = (space.mass(evolving.capacity)?, space.stiffness(diffusion)?);
    let elimination = Order::new(&stiffness, &places(&mesh, space.unknowns()));
    let first = |place: &[f64; 2]| finite((evolving.initial)(place), "a first value", place);
    let mut u = mesh.nodes[..space.unknowns()].iter().map(first).collect::<Result<Vec<f64>, _>>()?;
    let mut frames = Vec::new();
    let mut factored: Option<(f64, Matrix, Factor)> = None;
    for leg in legs(evolving.start, &evolving.instants, evolving.steps)? {
        let Leg { start, steps, length } = leg;
        if steps > 0 && factored.as_ref().is_none_or(|(old, ..)| *old != length) {
            let matrix = mass.combined(1.0, &stiffness, GAMMA * length);
            let reduced = without_given(&matrix, &space.given(diffusion, Some(start))?);
            factored = Some((length, matrix, Factor::new(&reduced, &elimination)?));
        }
        if let Some((_, matrix, factor)) = &factored {
            for step in 0..steps {
                let time = start + step as f64 * length;
                u = advance(space, diffusion, &mass, (matrix, factor), u, (time, length))?;
            }
        }
        frames.push(vec![Component { order, values: u.clone() }]);
    }
    let instants = evolving.instants.clone();
    Ok(MeshField::new(mesh, instants, frames))
}

fn advance(
    space: Space,
    diffusion: &Diffusion,
    mass: &Matrix,
    (matrix, factor): (&Matrix, &Factor),
    u: Vec<f64>,
    (time, length): (f64, f64),
) -> Result<Vec<f64>, SolveError> {
    let mut rates: Vec<Vec<f64>> = Vec::new();
    let mut stage = u.clone();
    for (factors, fraction) in STAGES {
        let at = Some(time + fraction * length);
        let mut base = u.clone();
        for (rate, factor) in rates.iter().zip(factors) {
            base.iter_mut().zip(rate).for_each(|(base, rate)| *base += length * factor * rate);
        }
        let mut right = mass.times(&base);
        let load = space.load(diffusion, at)?;
        right.iter_mut().zip(&load).for_each(|(right, load)| *right += GAMMA * length * load);
        stage = factor.solve(&right_side(matrix, right, &space.given(diffusion, at)?));
        rates.push(stage.iter().zip(&base).map(|(stage, base)| (stage - base) / (GAMMA * length)).collect());
    }
    Ok(stage)
}
