//! The problems, one function each.

mod balls;
mod blocks;
mod diffusion;
mod flow;
mod grids;

use ropinn_reference::{Reference, SolveError};

/// A reference, and points with the values others found there.
pub type Checked = (Reference, Vec<(Vec<f64>, Vec<f64>)>);
pub type Task = fn() -> Result<Checked, SolveError>;

pub const ALL: [(&str, Task); 17] = [
    ("poisson-2d-cg", diffusion::poisson_2d_cg),
    ("heat-2d-cg", diffusion::heat_2d_cg),
    ("heat-2d-vc", diffusion::heat_2d_vc),
    ("heat-2d-vc/binary-div", diffusion::heat_2d_vc_binary),
    ("poisson-2d-c", diffusion::poisson_2d_c),
    ("poisson-2d-ms", blocks::plain),
    ("poisson-2d-ms/div", blocks::divergence),
    ("ns-2d-c", flow::cavity),
    ("ns-2d-cg", flow::step),
    ("ns-2d-cg/resisted", flow::resisted_step),
    ("poisson-3d-cg", balls::poisson_3d_cg),
    ("gray-scott", grids::gray_scott),
    ("heat-2d-lt", grids::heat_2d_lt),
    ("wave-2d-cg", grids::wave_2d_cg),
    ("wave-2d-cg/div", grids::wave_2d_cg_div),
    ("burgers-2d", grids::burgers_2d),
    ("ns-2d-lt", flow::channel),
];

pub fn known<const N: usize, const M: usize>(rows: &[([f64; N], [f64; M])]) -> Vec<(Vec<f64>, Vec<f64>)> {
    rows.iter().map(|(point, values)| (point.to_vec(), values.to_vec())).collect()
}
