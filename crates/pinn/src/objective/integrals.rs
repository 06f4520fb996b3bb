//! Integrals of the equations against test functions, as part of the objective.
//!
//! L = w · mean R² over elements, test functions, equations and sequence elements, with R from a [`VariationalRule`]. Values
//! at the quadrature points go in, cotangents come out; one pull-back serves all terms of the loss.

use crate::case::Case;
use crate::error::Error;
use crate::variational::{Against, Form, Role, VariationalRule, Workspace};
use ropinn_expr::Expr;

/// The rule, and what the values it is given stand for.
pub(super) struct Integrals {
    rule: VariationalRule,
    /// Of each output of the term's program.
    roles: Vec<Role>,
    workspace: Workspace,
}

impl Integrals {
    /// The integrals of these equations over the box of the coordinates, and the expressions whose values they need.
    ///
    /// The box is that of the coordinates' ranges, holes of the domain included, as published codes have it.
    pub fn new(case: &Case, equations: &[Expr]) -> Result<(Self, Vec<Expr>), Error> {
        let settings = &case.config().objective.variational;
        let rule = VariationalRule::new(&case.problem().ranges(), settings)?;
        // Every element of a sequence has integrals of its own; it runs fastest in a program's outputs.
        let elements = case.network().elements();
        let (mut columns, mut roles) = (Vec::new(), Vec::new());
        for (number, residual) in equations.iter().enumerate() {
            for (against, column) in split(case, residual, settings.form)? {
                columns.push(column);
                let of_element = |element| Role { equation: number * elements + element, against };
                roles.extend((0..elements).map(of_element));
            }
        }
        Ok((Self { rule, roles, workspace: Workspace::default() }, columns))
    }

    /// The quadrature points, `[point][axis]`.
    pub fn points(&self) -> &[f64] {
        self.rule.points()
    }

    /// The mean square of the integrals. Leaves its slopes in the place of the values.
    pub fn mean_square(&mut self, values: &mut [f64]) -> f64 {
        let mean = self.rule.mean_square(&self.roles, values, &mut self.workspace);
        mean.expect("values of the rule's own points")
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
