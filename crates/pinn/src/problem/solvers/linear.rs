//! A linear equation taken apart: T ∂ᵗu + A Δu + Q u + S = 0, its coefficients functions of the place, S perhaps of time.

use ropinn_expr::{Env, Expr, MultiIndex};

use super::Form;

/// The coefficients of an equation.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    /// The unknown.
    pub field: usize,
    /// T, the factor of u_t or u_tt, if there is time.
    pub rate: Expr,
    /// A.
    pub second: Expr,
    /// Q.
    pub value: Expr,
    /// S.
    pub source: Expr,
}

impl Linear {
    /// Takes an equation apart whose coordinates are so many in space and perhaps time, with that derivative in time; in divergence form, the slopes of A that
    /// stand in it are left aside. What is in the way is told in words.
    pub fn new(residual: &Expr, space: usize, time: Option<MultiIndex>, form: Form) -> Result<Self, String> {
        let unknowns = residual.unknowns();
        let Some(&(field, ..)) = unknowns.first() else { return Err("the equation has no unknown".to_owned()) };
        let second = |axis: usize| MultiIndex::from_axes(&[axis, axis]);
        let known = |alpha: MultiIndex| {
            let slope = form == Form::Divergence && (0..space).any(|axis| alpha == MultiIndex::unit(axis));
            alpha.is_zero() || (0..space).any(|axis| alpha == second(axis)) || Some(alpha) == time || slope
        };
        if unknowns.iter().any(|&(other, alpha, _)| other != field || !known(alpha)) {
            return Err("the equation has other unknowns or derivatives than u, its Laplacian and its rate".to_owned());
        }
        let constant = |value: f64| Some(Expr::constant(value));
        let source = residual.substitute_unknowns(|_, _| constant(0.0));
        let factor = |wanted: MultiIndex| {
            residual.substitute_unknowns(|_, alpha| constant(f64::from(u8::from(alpha == wanted)))) - &source
        };
        let linear = Linear {
            field,
            rate: time.map_or(Expr::constant(0.0), factor),
            second: factor(second(0)),
            value: factor(MultiIndex::ZERO),
            source: source.clone(),
        };
        if (1..space).any(|axis| !same(&factor(second(axis)), &linear.second, space)) {
            return Err("second derivatives along different coordinates have different factors".to_owned());
        }
        if !is_linear(
            residual,
            &unknowns.iter().map(|&(_, alpha, _)| (alpha, factor(alpha))).collect::<Vec<_>>(),
            &source,
        ) {
            return Err("the equation is not linear".to_owned());
        }
        let coefficients = [&linear.rate, &linear.second, &linear.value];
        if time.is_some() && coefficients.iter().any(|factor| factor.coordinates().contains(&space)) {
            return Err("a coefficient changes with time".to_owned());
        }
        Ok(linear)
    }
}

/// Places at which formulas are compared, as parts of nothing in particular.
pub(super) fn samples(count: usize) -> impl Iterator<Item = Vec<f64>> {
    (0..24).map(move |k| (0..count).map(|axis| ((k * 7 + axis * 13 + 3) as f64 * 0.618_033_988_75).fract()).collect())
}

fn same(one: &Expr, other: &Expr, axes: usize) -> bool {
    one == other || samples(axes + 1).all(|point| agree(one.eval(&Env::at(&point)), other.eval(&Env::at(&point))))
}

pub(super) fn agree(one: f64, other: f64) -> bool {
    one == other || (one - other).abs() <= 1e-9 * (1.0 + one.abs() + other.abs()) || one.is_nan() && other.is_nan()
}

fn is_linear(residual: &Expr, factors: &[(MultiIndex, Expr)], source: &Expr) -> bool {
    samples(16).all(|point| {
        let value = |alpha: MultiIndex| {
            let place = factors.iter().position(|(other, _)| *other == alpha).unwrap_or_default();
            3.0 * point[place % point.len()] - 1.5
        };
        let whole = residual.eval(&Env::at(&point).with_unknowns(|_, alpha, _| value(alpha)));
        let env = Env::at(&point);
        let sum: f64 = factors.iter().map(|(alpha, factor)| factor.eval(&env) * value(*alpha)).sum();
        agree(whole, sum + source.eval(&env))
    })
}
