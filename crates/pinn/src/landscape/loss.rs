//! The loss a landscape is drawn of: L(θ) = Σ_terms w · Σ_r mean r² on the problem's own points.
//!
//! Whatever a model was trained with (regions, extra terms, weights and points that follow the residual), this is the one loss
//! all of them are compared in.

use super::LandscapeError;
use crate::case::Case;
use crate::config::{ConfigError, ObjectiveKind};
use crate::error::Error;
use ropinn_engine::{Batch, Evaluation, Evaluator, HessianEvaluator, Precision, Program, TermSpec};

/// The canonical loss of a case: its problem's terms at fixed points with the configured weights.
pub struct CanonicalLoss {
    evaluator: Evaluator,
    terms: CanonicalTerms,
}

impl CanonicalLoss {
    /// Compiles the loss. Surfaces deserve [`Precision::F64`] whatever the model was trained in.
    pub fn new(case: &Case, precision: Precision) -> Result<Self, Error> {
        let terms = CanonicalTerms::new(case)?;
        let trainables = case.problem().trainables().len();
        let compile = |spec| Program::compile(case.network(), spec, trainables);
        let programs = terms.specs.iter().map(compile).collect::<Result<_, _>>()?;
        Ok(Self { evaluator: Evaluator::new(programs, precision, case.threads())?, terms })
    }

    /// Names of the terms, in order.
    pub fn term_names(&self) -> impl Iterator<Item = &str> {
        self.terms.specs.iter().map(|spec| spec.name.as_str())
    }

    /// Weights of the terms, in order.
    pub fn weights(&self) -> &[f64] {
        &self.terms.weights
    }

    /// Length of θ.
    pub fn parameters(&self) -> usize {
        self.evaluator.parameters()
    }

    /// Loss and terms at `theta`; the gradient is left empty.
    pub fn evaluate(&mut self, theta: &[f64], out: &mut Evaluation) -> Result<(), Error> {
        Ok(self.evaluator.evaluate_loss(theta, &self.terms.batches(), &self.terms.weights, out)?)
    }

    /// Loss, terms and gradient at `theta`.
    pub fn evaluate_with_gradient(&mut self, theta: &[f64], out: &mut Evaluation) -> Result<(), Error> {
        Ok(self.evaluator.evaluate(theta, &self.terms.batches(), &self.terms.weights, out)?)
    }
}

/// Expressions, points and weights of the canonical loss.
pub(super) struct CanonicalTerms {
    specs: Vec<TermSpec>,
    pub weights: Vec<f64>,
    /// `[sample][site][element][axis]` of each term.
    points: Vec<Vec<f64>>,
    data: Vec<Vec<f64>>,
}

impl CanonicalTerms {
    pub fn new(case: &Case) -> Result<Self, Error> {
        let config = case.config();
        let terms = case.problem().terms(config.seed)?;
        let mut weights: Vec<f64> = terms.iter().map(|term| term.weight).collect();
        for (name, &weight) in &config.weights {
            match terms.iter().position(|term| term.name == *name) {
                Some(index) => weights[index] = weight,
                // Weights of derivatives of the equations, which are no part of this loss.
                None if config.objective.kind == ObjectiveKind::Gradient => {}
                None => {
                    let known = terms.into_iter().map(|term| term.name).collect();
                    return Err(ConfigError::UnknownTerm { term: name.clone(), known }.into());
                }
            }
        }
        let points = terms.iter().map(|term| case.network_points(&term.points).into_owned()).collect();
        let data = terms.iter().map(|term| term.data.clone()).collect();
        let spec = |term: crate::problem::ProblemTerm| {
            let spec = TermSpec::new(term.name, term.residuals);
            if term.first_element_only { spec.on_first_element() } else { spec }
        };
        Ok(Self { specs: terms.into_iter().map(spec).collect(), weights, points, data })
    }

    pub fn batches(&self) -> Vec<Batch<'_>> {
        let batch = |(points, data)| Batch { points, data, weights: &[] };
        self.points.iter().map(Vec::as_slice).zip(self.data.iter().map(Vec::as_slice)).map(batch).collect()
    }

    /// The same loss, compiled for products with its Hessian.
    pub fn hessian(&self, case: &Case, precision: Precision) -> Result<HessianEvaluator, Error> {
        if case.network().elements() > 1 {
            return Err(LandscapeError::Sequence { model: case.config().model.kind() }.into());
        }
        let trainables = case.problem().trainables().len();
        Ok(HessianEvaluator::new(case.network(), &self.specs, trainables, precision, case.threads())?)
    }
}
