//! Equations that must be of one kind: compared with what they should be at places and values of all sorts.

use ropinn_expr::{Env, Expr, MultiIndex};

use super::linear::{agree, samples};

/// Whether two residuals agree wherever they are looked at, up to a common factor of 1 or −1.
pub(super) fn is_same(residual: &Expr, expected: &Expr) -> bool {
    let leaves: Vec<(usize, MultiIndex)> =
        residual.unknowns().union(&expected.unknowns()).map(|&(field, alpha, _)| (field, alpha)).collect();
    let agrees = |sign: f64| {
        samples(16).all(|point| {
            let value = |field: usize, alpha: MultiIndex| {
                let place = leaves.iter().position(|leaf| *leaf == (field, alpha)).unwrap_or_default();
                3.0 * point[(place + 3) % point.len()] - 1.3 + 0.1 * place as f64
            };
            let at = |expr: &Expr| expr.eval(&Env::at(&point).with_unknowns(|field, alpha, _| value(field, alpha)));
            agree(at(residual), sign * at(expected))
        })
    };
    agrees(1.0) || agrees(-1.0)
}

/// The factor of one derivative of one unknown, if it is a number.
pub(super) fn number_of(residual: &Expr, field: usize, alpha: MultiIndex) -> Option<f64> {
    factor(residual, field, alpha).as_constant()
}

/// The residual with that unknown 1 and all others 0, less the same with all of them 0.
pub(super) fn factor(residual: &Expr, field: usize, alpha: MultiIndex) -> Expr {
    let with = |one: bool| {
        let leaf = |other, own| Some(Expr::constant(f64::from(u8::from(one && (other, own) == (field, alpha)))));
        residual.substitute_unknowns(leaf)
    };
    with(true) - with(false)
}

/// What is left of a residual without unknowns.
pub(super) fn source(residual: &Expr) -> Expr {
    residual.substitute_unknowns(|_, _| Some(Expr::constant(0.0)))
}

/// ∂u/∂x_a of a field.
pub(super) fn slope(field: usize, axis: usize) -> Expr {
    Expr::unknown(field, MultiIndex::unit(axis))
}

/// Second derivatives along x and y, added.
pub(super) fn laplacian(field: usize) -> Expr {
    let second = |axis: usize| Expr::unknown(field, MultiIndex::from_axes(&[axis, axis]));
    second(0) + second(1)
}

/// (u·∇) of a field, u and v being fields 0 and 1.
pub(super) fn carried(field: usize) -> Expr {
    let value = |field: usize| Expr::unknown(field, MultiIndex::ZERO);
    value(0) * slope(field, 0) + value(1) * slope(field, 1)
}
