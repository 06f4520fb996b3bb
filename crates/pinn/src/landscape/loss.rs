//! The loss a landscape is drawn of: L(θ) = Σ_terms w · Σ_r mean r² on the problem's own points.
//!
//! Whatever a model was trained with (regions, extra terms, weights and points that follow the residual), this is the one loss
//! all of them are compared in.

use crate::case::Case;
use crate::config::ObjectiveKind;
use crate::error::Error;
use crate::objective::Parts;
use crate::problem::{Term, TermGroup};
use ropinn_engine::{Evaluation, Evaluator, Precision, Program, Samples, SetId};

/// The canonical loss of a case: its problem's terms at fixed points with the configured weights.
pub struct CanonicalLoss {
    evaluator: Evaluator,
    sets: Vec<SetId>,
    weights: Vec<f64>,
}

impl CanonicalLoss {
    /// Compiles the loss. Surfaces deserve [`Precision::F64`] whatever the model was trained in.
    pub fn new(case: &Case, precision: Precision) -> Result<Self, Error> {
        let config = case.config();
        let mut terms = case.problem().terms(config.seed)?;
        let equations = Parts::of_equations(&terms, &config.weights);
        let mut weights: Vec<f64> = terms.iter().map(|term| term.weight).collect();
        for (name, &weight) in &config.weights {
            match terms.iter().position(|term| term.name == *name) {
                Some(index) => weights[index] = weight,
                // Weights of derivatives of the equations, which are no part of this loss.
                None if config.objective.kind == ObjectiveKind::Gradient => {}
                None if equations.has_equation(name) => {}
                None => {
                    let known = terms.into_iter().map(|term| term.name).collect();
                    return Err(equations.unknown_weight(name, known).into());
                }
            }
        }
        let residuals = terms.iter_mut().filter(|term| term.group == TermGroup::Residual);
        residuals.for_each(|term| term.absorb(&equations.equation_weights()));
        let compile = |term: &Term| case.program(term, vec![term.residuals.len()]);
        let programs = terms.iter().map(compile).collect::<Result<_, _>>()?;
        let mut evaluator = Evaluator::new(programs, precision, case.threads())?;
        let add = |(t, term): (usize, &Term)| {
            let points = case.network_points(&term.points);
            evaluator.add(t, Samples { points: &points, data: &term.data, weights: &[] })
        };
        let sets = terms.iter().enumerate().map(add).collect::<Result<_, _>>()?;
        Ok(Self { evaluator, sets, weights })
    }

    /// Names of the terms, in order.
    pub fn term_names(&self) -> impl Iterator<Item = &str> {
        self.evaluator.terms().iter().map(Program::name)
    }

    /// Weights of the terms, in order.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Length of θ.
    pub fn parameters(&self) -> usize {
        self.evaluator.parameters()
    }

    /// Loss and terms at `theta`; the gradient is left empty.
    pub fn evaluate(&mut self, theta: &[f64], out: &mut Evaluation) -> Result<(), Error> {
        Ok(self.evaluator.evaluate_loss(theta, &self.sets, &self.weights, out)?)
    }

    /// Loss, terms and gradient at `theta`.
    pub fn evaluate_with_gradient(&mut self, theta: &[f64], out: &mut Evaluation) -> Result<(), Error> {
        Ok(self.evaluator.evaluate(theta, &self.sets, &self.weights, out)?)
    }

    /// `out = H v`, H the Hessian at `theta`.
    pub fn hessian_product(&mut self, theta: &[f64], v: &[f64], out: &mut Vec<f64>) -> Result<(), Error> {
        Ok(self.evaluator.hessian_product(theta, v, &self.sets, &self.weights, out)?)
    }
}
