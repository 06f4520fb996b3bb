//! Poisson and heat problems by finite elements.

use super::{Checked, known};
use ropinn_reference::elements::{Condition, Diffusion, Evolving, Triangles, heat, steady};
use ropinn_reference::plane::{Disc, Domain};
use ropinn_reference::random_fields::gaussian_field;
use ropinn_reference::{Function, SolveError};
use std::f64::consts::PI;

fn disc(x: f64, y: f64, radius: f64) -> Disc {
    Disc { center: [x, y], radius }
}

pub fn poisson_2d_c() -> Result<Checked, SolveError> {
    let holes = vec![disc(0.3, 0.3, 0.1), disc(-0.3, 0.3, 0.1), disc(0.3, -0.3, 0.1), disc(-0.3, -0.3, 0.1)];
    let domain = Domain::rectangle([-0.5, -0.5], [0.5, 0.5], holes)?;
    let conditions = [vec![Condition::Value(&|_| 1.0); 4], vec![Condition::Value(&|_| 0.0); 4]].concat();
    let problem = Diffusion { diffusivity: &|_| 1.0, decay: &|_| 0.0, source: &|_| 0.0, conditions };
    let wanted = [([0.0, 0.0], [0.2335849]), ([0.4, 0.0], [0.6351274]), ([0.45, 0.45], [0.8601325])];
    Ok((steady(&problem, &Triangles::Size(domain, 0.01))?, known(&wanted)))
}

pub fn poisson_2d_cg() -> Result<Checked, SolveError> {
    let holes = vec![disc(0.5, 0.5, 0.2), disc(0.4, -0.4, 0.4), disc(-0.2, -0.7, 0.1), disc(-0.6, 0.5, 0.3)];
    let domain = Domain::rectangle([-1.0, -1.0], [1.0, 1.0], holes)?;
    let source = |x: &[f64]| 10.0 * (17.0 + x[0] * x[0] + x[1] * x[1]) * (PI * x[0]).sin() * (4.0 * PI * x[1]).sin();
    let conditions = [vec![Condition::Value(&|_| 0.2); 4], vec![Condition::Value(&|_| 1.0); 4]].concat();
    let problem = Diffusion { diffusivity: &|_| 1.0, decay: &|_| 64.0, source: &source, conditions };
    let wanted = [
        ([0.0, 0.0], [0.29031]),
        ([0.0, 0.5], [0.13255]),
        ([-0.5, -0.3], [-0.40384]),
        ([0.8, 0.8], [-0.16098]),
        ([-0.8, -0.8], [-0.20497]),
    ];
    Ok((steady(&problem, &Triangles::Size(domain, 0.008))?, known(&wanted)))
}

pub fn heat_2d_cg() -> Result<Checked, SolveError> {
    let large = [(0.0, 0.0), (0.0, 6.0), (0.0, -6.0)].into_iter();
    let large = large.chain([-9.0, -3.0, 3.0, 9.0].into_iter().flat_map(|y| [(4.0, y), (-4.0, y)]));
    let small = [-6.0, 0.0, 6.0].into_iter().flat_map(|y| [(3.2, y), (-3.2, y)]);
    let holes = large.map(|(x, y)| disc(x, y, 1.0)).chain(small.map(|(x, y)| disc(x, y, 0.4))).collect();
    let domain = Domain::rectangle([-8.0, -12.0], [8.0, 12.0], holes)?;
    let flux = |given: Function<'static>| Condition::Flux { given, transfer: 1.0 };
    let conditions = [vec![flux(&|_| 0.1); 4], vec![flux(&|_| 5.0); 11], vec![flux(&|_| 1.0); 6]].concat();
    let problem = Diffusion { diffusivity: &|_| 1.0, decay: &|_| 0.0, source: &|_| 0.0, conditions };
    let instants = (0..=30).map(|k| 0.1 * f64::from(k)).collect();
    let evolving = Evolving { capacity: &|_| 1.0, initial: &|_| 0.0, start: 0.0, instants, steps: 240 };
    let wanted = [
        ([2.0, 0.0, 1.0], [0.931]),
        ([0.0, 3.0, 1.0], [0.378]),
        ([-4.0, 0.0, 1.0], [0.533]),
        ([6.0, 6.0, 1.0], [0.129]),
        ([2.0, 0.0, 3.0], [2.1486]),
        ([0.0, 3.0, 3.0], [1.842]),
        ([-4.0, 0.0, 3.0], [1.471]),
        ([6.0, 6.0, 3.0], [0.850]),
    ];
    Ok((heat(&problem, &evolving, &Triangles::Size(domain, 0.12))?, known(&wanted)))
}

/// Lines halfway between the nodes of the table, where the nearest one changes.
fn lines() -> Vec<f64> {
    let between = (0..255).map(|k| (f64::from(k) + 0.5) / 255.0);
    std::iter::once(0.0).chain(between).chain(std::iter::once(1.0)).collect()
}

fn varying(binary: bool, wanted: &[([f64; 3], [f64; 1])]) -> Result<Checked, SolveError> {
    let field = gaussian_field(20_220_722, 256, 4.0);
    let node = |x: f64| (x * 255.0).round().clamp(0.0, 255.0) as usize;
    let a = |x: &[f64]| {
        let g = field.at(node(x[1]), node(x[0]));
        if binary { if g > 0.0 { 2.0 } else { 1.0 } } else { g.exp() }
    };
    let forced = |x: &[f64]| 200.0 * (PI * x[0]).sin() * (5.0 * PI * x[1]).sin() * (PI * x[2]).sin();
    let (one, by_a) = (|_: &[f64]| 1.0, |x: &[f64]| 1.0 / a(x));
    let scaled = |x: &[f64]| forced(x) / a(x);
    let (p, capacity, source): (Function, Function, Function) =
        if binary { (&a, &one, &forced) } else { (&one, &by_a, &scaled) };
    let conditions = vec![Condition::Value(&|_| 0.0); 4];
    let problem = Diffusion { diffusivity: p, decay: &|_| 0.0, source, conditions };
    let instants = (0..=50).map(|k| 0.1 * f64::from(k)).collect();
    let evolving = Evolving { capacity, initial: &|_| 0.0, start: 0.0, instants, steps: 200 };
    Ok((heat(&problem, &evolving, &Triangles::Lines(lines(), lines()))?, known(wanted)))
}

pub fn heat_2d_vc() -> Result<Checked, SolveError> {
    let wanted = [
        ([0.5, 0.1, 0.5], [0.705]),
        ([0.5, 0.3, 0.5], [0.516]),
        ([0.5, 0.5, 0.5], [3.246]),
        ([0.5, 0.7, 0.5], [-0.275]),
        ([0.5, 0.9, 0.5], [0.6154]),
        ([0.75, 0.5, 0.5], [6.179]),
        ([0.75, 0.5, 1.5], [-6.120]),
    ];
    varying(false, &wanted)
}

pub fn heat_2d_vc_binary() -> Result<Checked, SolveError> {
    let wanted = [
        ([0.5, 0.1, 0.5], [0.370]),
        ([0.5, 0.3, 0.5], [-0.502]),
        ([0.5, 0.5, 0.5], [0.740]),
        ([0.5, 0.7, 0.5], [-0.489]),
        ([0.5, 0.9, 0.5], [0.451]),
        ([0.75, 0.5, 0.5], [0.607]),
    ];
    varying(true, &wanted)
}
