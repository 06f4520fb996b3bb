//! From the terms of a problem to those of an objective: derivatives beside the equations, or integrals in their place.
//!
//! - `gradient`: L + Σ_k w · mean (∂_k r)² over all coordinates k, on the same points (Yu et al., "Gradient-enhanced PINNs",
//!   2022). The derivatives are parts of the equations' term: one pass through the network serves them all.
//! - `variational`: the mean square of the integrals of r against test functions replaces mean r².

use super::integrals::Integrals;
use crate::case::Case;
use crate::config::ObjectiveKind;
use crate::error::Error;
use crate::problem::{Term, TermGroup};
use ropinn_engine::{Program, TermSpec};
use ropinn_expr::Expr;

/// A mean square with a weight of its own.
pub(super) struct Part {
    pub name: String,
    pub group: TermGroup,
    pub weight: f64,
}

/// A term as it is compiled.
pub(super) struct CompiledTerm {
    pub program: Program,
    pub parts: Vec<Part>,
    /// Where its points are.
    pub term: Term,
    /// If integrals take the place of its residuals.
    pub integrals: Option<Integrals>,
}

impl CompiledTerm {
    /// Compiles a term of the problem the way the objective wants it.
    pub fn new(case: &Case, mut term: Term) -> Result<Self, Error> {
        let part = |name: String, weight| Part { name, group: term.group, weight };
        let mut parts = vec![part(term.name.clone(), term.weight)];
        let mut counts = vec![term.residuals.len()];
        let mut integrals = None;
        match case.config().objective.kind {
            ObjectiveKind::Gradient if term.group == TermGroup::Residual => {
                let weight = case.config().objective.gradient.weight * term.weight;
                let mut all = term.residuals.clone();
                for (axis, coordinate) in case.problem().coordinate_names().iter().enumerate() {
                    let slopes: Vec<Expr> = term.residuals.iter().map(|residual| residual.derivative(axis)).collect();
                    // An equation that does not vary along an axis has no term there.
                    if slopes.iter().any(|slope| slope.as_constant() != Some(0.0)) {
                        parts.push(part(format!("{} d/d{coordinate}", term.name), weight));
                        counts.push(slopes.len());
                        all.extend(slopes);
                    }
                }
                term.residuals = all;
            }
            ObjectiveKind::Variational if term.group == TermGroup::Residual => {
                let (made, columns) = Integrals::new(case, &term.residuals)?;
                term.points = made.points().to_vec();
                counts = vec![columns.len()];
                term.residuals = columns;
                integrals = Some(made);
            }
            _ => {}
        }
        let program = case.program(&term, counts)?;
        Ok(Self { program, parts, term, integrals })
    }
}

/// The network's outputs at the points of a term, in place of its residuals; linked points add up.
pub(super) fn compile_outputs(case: &Case, term: &Term) -> Result<Program, Error> {
    let unknown = |field| {
        let value = Expr::unknown(field, ropinn_expr::MultiIndex::ZERO);
        Expr::sum((0..term.sites).map(|site| value.at(site)))
    };
    let outputs = (0..case.network().unknowns()).map(unknown).collect();
    let spec = TermSpec::new(term.name.clone(), outputs).on_first_element();
    Ok(case.compile(&spec)?)
}
