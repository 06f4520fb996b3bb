//! The largest value that a known solution leaves in a term.

use std::collections::BTreeMap;

use ropinn::problem::{Problem, Term};
use ropinn_expr::{Env, Expr, MultiIndex};

/// max |r| over the residuals and samples of a term, the unknowns and their derivatives taken from `exact`.
pub fn worst_residual(problem: &Problem, term: &Term, exact: &[Expr], trainables: &[f64]) -> f64 {
    let axes = problem.coordinate_names().len();
    let samples = term.samples(axes);
    assert_eq!(term.points.len(), samples * term.sites * axes, "{}: whole samples", term.name);
    let columns = term.data.len() / samples;
    assert_eq!(term.data.len(), samples * columns, "{}: whole rows of data", term.name);
    let needed: Vec<_> = term.residuals.iter().flat_map(|residual| residual.unknowns()).collect();
    let derivatives: BTreeMap<(usize, MultiIndex), Expr> = needed
        .iter()
        .map(|(field, alpha, _)| {
            let derived = alpha.axes().fold(exact[*field].clone(), |expr, axis| expr.derivative(axis));
            ((*field, *alpha), derived)
        })
        .collect();
    let mut worst: f64 = 0.0;
    for sample in 0..samples {
        let site = |site: usize| {
            let start = (sample * term.sites + site) * axes;
            &term.points[start..start + axes]
        };
        let env = Env::at(site(0))
            .with_coords(|axis, at| site(at)[axis])
            .with_unknowns(|field, alpha, at| derivatives[&(field, alpha)].eval(&Env::at(site(at))))
            .with_trainables(trainables)
            .with_data(&term.data[sample * columns..(sample + 1) * columns]);
        for residual in &term.residuals {
            let value = residual.eval(&env).abs();
            // NaN must not pass as small.
            worst = if value.is_nan() { f64::INFINITY } else { worst.max(value) };
        }
    }
    worst
}
