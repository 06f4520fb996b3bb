//! Integrals of the equations against test functions, as part of the objective.
//!
//! L = w · mean R² over elements, test functions, equations and sequence elements, with R from a [`VariationalRule`]. Values
//! at the quadrature points go in, cotangents come out; one pull-back serves all terms of the loss.

use super::Objective;
use crate::case::Case;
use crate::error::Error;
use crate::variational::{Against, Form, Role, VariationalRule};
use ropinn_engine::{EngineError, Evaluation, Program};
use ropinn_expr::Expr;

/// The rule, and what the values it is given stand for.
pub(super) struct Integrals {
    rule: VariationalRule,
    /// Of each output of the term's program.
    roles: Vec<Role>,
}

impl Integrals {
    /// The integrals of these equations over the box of the coordinates, and the expressions whose values they need.
    ///
    /// The box is that of the coordinates' ranges, holes of the domain included, as published codes have it.
    pub fn new(case: &Case, equations: &[Expr]) -> Result<(Self, Vec<Expr>), Error> {
        let settings = &case.config().objective.variational;
        let rule = VariationalRule::new(&case.problem().ranges(), settings)?;
        let (mut columns, mut roles) = (Vec::new(), Vec::new());
        for (equation, residual) in equations.iter().enumerate() {
            for (against, column) in split(case, residual, settings.form)? {
                columns.push(column);
                roles.push(Role { equation, against });
            }
        }
        // Every element of a sequence has integrals of its own; it runs fastest in a program's outputs.
        let elements = case.network().elements();
        let of_element = |role: &Role, element| Role { equation: role.equation * elements + element, ..*role };
        let roles = roles.iter().flat_map(|role| (0..elements).map(move |element| of_element(role, element)));
        let roles = roles.collect();
        Ok((Self { rule, roles }, columns))
    }

    /// The quadrature points, `[point][axis]`.
    pub fn points(&self) -> &[f64] {
        self.rule.points()
    }

    /// The mean square of the integrals, and its slopes in the values.
    fn mean_square(&self, values: &[f64]) -> (f64, Vec<f64>) {
        self.rule.mean_square(&self.roles, values).expect("values of the rule's own points")
    }
}

/// What is integrated against test functions, and what against their slopes.
fn split(case: &Case, residual: &Expr, form: Form) -> Result<Vec<(Against, Expr)>, Error> {
    if form == Form::Strong {
        return Ok(vec![(Against::Test, residual.clone())]);
    }
    let weak = residual.weak_form(case.problem().scope())?;
    let fluxes = weak.fluxes.into_iter().map(|(axis, flux)| (Against::Slope(axis), flux));
    let mut columns: Vec<(Against, Expr)> = fluxes.collect();
    if columns.is_empty() || weak.source.as_constant() != Some(0.0) {
        columns.push((Against::Test, weak.source));
    }
    Ok(columns)
}

impl Objective {
    /// Loss and gradient for these weights, with integrals where there are any.
    pub(super) fn measure(
        &mut self,
        theta: &[f64],
        moved: bool,
        weights: &[f64],
        out: &mut Evaluation,
    ) -> Result<(), EngineError> {
        let sets = self.placed.sets(moved);
        if self.integrals.iter().any(Option::is_some) {
            let mut cotangents = Vec::with_capacity(sets.len());
            out.terms.clear();
            for (t, integrals) in self.integrals.iter().enumerate() {
                let mut values = Vec::new();
                self.evaluator.residuals(theta, sets[t], &mut values)?;
                let weight = weights[self.first_parts[t]];
                let (mean, mut slopes) = match integrals {
                    Some(integrals) => integrals.mean_square(&values),
                    None => mean_square(&self.evaluator.terms()[t], self.sets[t].samples(moved).weights, &values),
                };
                slopes.iter_mut().for_each(|slope| *slope *= weight);
                out.terms.push(mean);
                cotangents.push(slopes);
            }
            out.loss = out.terms.iter().zip(weights).map(|(term, weight)| term * weight).sum();
            let views: Vec<&[f64]> = cotangents.iter().map(Vec::as_slice).collect();
            self.evaluator.pullback(theta, sets, &views, &mut out.grad)
        } else {
            self.evaluator.evaluate(theta, sets, weights, out)
        }
    }
}

/// The mean square of a plain term, each expression a mean of its own, and its slopes in the values.
fn mean_square(program: &Program, sample_weights: &[f64], values: &[f64]) -> (f64, Vec<f64>) {
    let outputs = program.outputs();
    let count = (values.len() / program.residuals()) as f64;
    let weight = |i: usize| if sample_weights.is_empty() { 1.0 } else { sample_weights[i / outputs] };
    let mean = values.iter().enumerate().map(|(i, r)| weight(i) * r * r).sum::<f64>() / count;
    let slopes = values.iter().enumerate().map(|(i, r)| 2.0 * weight(i) * r / count).collect();
    (mean, slopes)
}
