//! From the terms of a problem to those of an objective: derivatives beside the equations, or integrals in their place.
//!
//! A term is expressions on one set of points, compiled to one program; its parts are mean squares with a weight of their own.
//! - `gradient`: L + Σ_k w · mean (∂_k r)² over all coordinates k, on the same points (Yu et al., "Gradient-enhanced PINNs",
//!   2022). The derivatives are parts of the equations' term: one pass through the network serves them all.
//! - `variational`: the mean square of the integrals of r against test functions replaces mean r².

use super::integrals::Integrals;
use super::parts::{Parts, is_equations};
use crate::case::Case;
use crate::config::ObjectiveKind;
use crate::error::Error;
use crate::problem::Term;
use ropinn_engine::{EngineError, Evaluation, Evaluator, Program, SetId};
use ropinn_expr::Expr;

/// The compiled terms with their parts.
pub(super) struct Terms {
    pub evaluator: Evaluator,
    pub parts: Parts,
    /// Of each term, if integrals take the place of any residuals; else empty.
    integrals: Vec<Option<Integrals>>,
    /// Residuals of each term, and then what the loss makes of them.
    cotangents: Vec<Vec<f64>>,
}

impl Terms {
    /// Compiles terms the way the objective wants them, which may take other points.
    pub fn new(case: &Case, terms: &mut [Term]) -> Result<Self, Error> {
        let (config, mut parts) = (case.config(), Parts::of_equations(terms, &case.config().weights));
        let (mut programs, mut integrals) = (Vec::new(), Vec::new());
        for term in &mut *terms {
            let is_equations = is_equations(term);
            let mut counts = vec![term.residuals.len()];
            match config.objective.kind {
                ObjectiveKind::Variational if is_equations => {
                    // All equations are one mean square.
                    term.absorb(&parts.equation_weights());
                    parts.add(term.name.clone(), term.group, term.weight);
                    let (made, columns) = Integrals::new(case, &term.residuals)?;
                    term.points = made.points().to_vec();
                    counts = vec![columns.len()];
                    term.residuals = columns;
                    integrals.resize_with(programs.len(), || None);
                    integrals.push(Some(made));
                }
                kind if is_equations => {
                    parts.add_equations(term.name.clone(), term.weight, true);
                    if kind == ObjectiveKind::Gradient {
                        add_slopes(case, term, &mut parts);
                    }
                    counts = vec![1; term.residuals.len()];
                }
                _ => parts.add(term.name.clone(), term.group, term.weight),
            }
            programs.push(case.program(term, counts)?);
        }
        if !integrals.is_empty() {
            integrals.resize_with(programs.len(), || None);
        }
        let cotangents = vec![Vec::new(); integrals.len()];
        let evaluator = Evaluator::new(programs, config.precision, case.threads())?;
        Ok(Self { evaluator, parts, integrals, cotangents })
    }

    /// Whether integrals take the place of any residuals.
    pub fn has_integrals(&self) -> bool {
        !self.integrals.is_empty()
    }

    /// Loss and gradient for these weights of the parts.
    pub fn evaluate(
        &mut self,
        theta: &[f64],
        sets: &[SetId],
        weights: &[f64],
        out: &mut Evaluation,
    ) -> Result<(), EngineError> {
        if self.integrals.is_empty() {
            return self.evaluator.evaluate(theta, sets, weights, out);
        }
        out.parts.clear();
        // Where there are integrals, every term is a single part.
        for (t, (values, integrals)) in self.cotangents.iter_mut().zip(&mut self.integrals).enumerate() {
            self.evaluator.residuals(theta, sets[t], values)?;
            out.parts.push(match integrals {
                Some(integrals) => integrals.mean_square(values),
                None => mean_square(&self.evaluator.terms()[t], values),
            });
            values.iter_mut().for_each(|slope| *slope *= weights[t]);
        }
        out.loss = out.parts.iter().zip(weights).map(|(part, weight)| part * weight).sum();
        let cotangents: Vec<&[f64]> = self.cotangents.iter().map(Vec::as_slice).collect();
        self.evaluator.pullback(theta, sets, &cotangents, &mut out.grad)
    }

    /// The gradient alone, which costs less where weights are 0.
    pub fn gradient(
        &mut self,
        theta: &[f64],
        sets: &[SetId],
        weights: &[f64],
        out: &mut Evaluation,
    ) -> Result<(), EngineError> {
        if self.integrals.is_empty() {
            return self.evaluator.gradient(theta, sets, weights, &mut out.grad);
        }
        self.evaluate(theta, sets, weights, out)
    }
}

/// The derivatives of the equations along each coordinate, as further expressions of their term.
fn add_slopes(case: &Case, term: &mut Term, parts: &mut Parts) {
    let (equations, weight) = (term.residuals.len(), case.config().objective.gradient.weight * term.weight);
    for (axis, coordinate) in case.problem().coordinate_names().iter().enumerate() {
        let slopes: Vec<Expr> = term.residuals[..equations].iter().map(|residual| residual.derivative(axis)).collect();
        // Equations that do not vary along an axis have no part there.
        if slopes.iter().any(|slope| slope.as_constant() != Some(0.0)) {
            parts.add_equations(format!("{} d/d{coordinate}", term.name), weight, false);
            term.residuals.extend(slopes);
        }
    }
}

/// The mean square of a plain term, each expression a mean of its own. Leaves its slopes in the place of the values.
fn mean_square(program: &Program, values: &mut [f64]) -> f64 {
    let count = (values.len() / program.residuals()) as f64;
    let mean = values.iter().map(|r| r * r).sum::<f64>() / count;
    values.iter_mut().for_each(|r| *r = 2.0 * *r / count);
    mean
}
