//! Weights of the parts: fixed ones times factors λ that may follow the training.
//!
//! The loss is Σ_p w_p λ_p L_p with fixed weights w and factors that start at 1 and are renewed between outer steps, measured
//! at the points themselves, never at moved ones. A part whose w is 0, or whose gradient vanishes, keeps its λ and counts for
//! nothing.

use super::parts::Parts;
use super::points::PointSets;
use super::terms::Terms;
use crate::case::Case;
use crate::config::{WeightingConfig, WeightingKind};
use crate::error::Error;
use crate::problem::{Term, TermGroup};
use crate::weighting::{
    GradientSize, KernelOf, KernelTrace, Subset, balance_targets, ntk_weights, part_traces, smoothed,
};
use ropinn_domain::{Purpose, Stream};
use ropinn_engine::{Evaluation, Evaluator, Program, Samples, TermSpec};
use ropinn_expr::{Expr, MultiIndex};

/// The weights of all parts, in order.
pub(super) struct Weights {
    config: WeightingConfig,
    seed: u64,
    /// As configured.
    pub fixed: Vec<f64>,
    /// λ.
    factors: Vec<f64>,
    /// Their products.
    pub in_use: Vec<f64>,
    /// Outputs at the points of each term, if kernels are made of them.
    outputs: Option<Evaluator>,
}

impl Weights {
    /// The weights of the terms' parts, unless the configuration has others.
    pub fn new(case: &Case, terms: &[Term], parts: &Parts) -> Result<Self, Error> {
        let config = case.config();
        let fixed = parts.weights(&config.weights)?;
        let outputs = match (config.weighting.kind, config.weighting.ntk.of) {
            (WeightingKind::Ntk, KernelOf::Output) => {
                let programs = terms.iter().map(|term| compile_outputs(case, term)).collect::<Result<_, _>>()?;
                Some(Evaluator::new(programs, config.precision, case.threads())?)
            }
            _ => None,
        };
        let (factors, in_use) = (vec![1.0; fixed.len()], fixed.clone());
        Ok(Self { config: config.weighting.clone(), seed: config.seed, fixed, factors, in_use, outputs })
    }

    /// The factors to save with a run; none if they never change.
    pub fn memory(&self) -> &[f64] {
        if self.config.kind == WeightingKind::Fixed { &[] } else { &self.factors }
    }

    /// Continues from saved factors.
    pub fn restore(&mut self, factors: Vec<f64>) -> Result<(), Error> {
        let (expected, found) = (self.memory().len(), factors.len());
        if found != expected {
            return Err(Error::ForeignState { what: "the number of weights", expected, found });
        }
        if !factors.is_empty() {
            self.factors = factors;
            self.multiply();
        }
        Ok(())
    }

    fn multiply(&mut self) {
        let products = self.fixed.iter().zip(&self.factors).map(|(weight, factor)| weight * factor);
        self.in_use.clear();
        self.in_use.extend(products);
    }

    /// Measures the factors anew if outer step `step`, about to begin at `theta`, is due for it; the first time at step 0.
    pub fn adapt(&mut self, terms: &mut Terms, points: &PointSets, step: u64, theta: &[f64]) -> Result<(), Error> {
        let (ntk, balance) = (self.config.ntk, self.config.grad_norm);
        let due = |period: usize| step.is_multiple_of(period as u64);
        match self.config.kind {
            WeightingKind::Ntk if due(ntk.period) => {
                let traces = self.traces(terms, points, step, theta)?;
                let counted = self.counted(traces.iter().map(|part| part.trace));
                let chosen: Vec<_> = counted.iter().map(|&part| traces[part]).collect();
                let targets = ntk_weights(&chosen, ntk.scale)?;
                counted.iter().zip(targets).for_each(|(&part, target)| self.factors[part] = target);
            }
            WeightingKind::GradNorm if due(balance.period) => {
                let sizes = gradient_sizes(terms, points, theta)?;
                let counted = self.counted(sizes.iter().map(|part| part.norm));
                // Without a gradient of the equations there is nothing to compare with.
                let Some(reference) = counted.iter().position(|&part| terms.parts.groups[part] == TermGroup::Residual)
                else {
                    return Ok(());
                };
                let chosen: Vec<_> = counted.iter().map(|&part| sizes[part]).collect();
                let targets = balance_targets(&chosen, reference, balance.rule)?;
                for (&part, target) in counted.iter().zip(targets) {
                    smoothed(&mut self.factors[part..=part], &[target], balance.alpha);
                }
            }
            _ => return Ok(()),
        }
        self.multiply();
        Ok(())
    }

    /// Parts that have a weight and something to weigh.
    fn counted(&self, sizes: impl Iterator<Item = f64>) -> Vec<usize> {
        let counts =
            |(part, size): (usize, f64)| (self.fixed[part] > 0.0 && size > 0.0 && size.is_finite()).then_some(part);
        sizes.enumerate().filter_map(counts).collect()
    }

    /// The kernel trace of each part on a few of its points.
    fn traces(
        &mut self,
        terms: &mut Terms,
        points: &PointSets,
        step: u64,
        theta: &[f64],
    ) -> Result<Vec<KernelTrace>, Error> {
        let mut stream = Stream::new(self.seed, Purpose::Batch).at_step(step);
        let mut traces = Vec::with_capacity(terms.parts.names.len());
        for term in 0..terms.evaluator.terms().len() {
            let program = &terms.evaluator.terms()[term];
            let parts = program.parts();
            let few = Subset::draw(program, points.samples(term, false), self.config.ntk.samples, &mut stream);
            match &mut self.outputs {
                None => traces.extend(part_traces(&mut terms.evaluator, term, theta, few.samples())?),
                // Outputs know no parts: each part has the kernel of its points.
                Some(outputs) => {
                    let few = Samples::points(few.samples().points);
                    let of_points: KernelTrace = part_traces(outputs, term, theta, few)?.into_iter().sum();
                    traces.extend(std::iter::repeat_n(of_points, parts));
                }
            }
        }
        Ok(traces)
    }
}

/// The size of the gradient of each part, unweighted.
fn gradient_sizes(terms: &mut Terms, points: &PointSets, theta: &[f64]) -> Result<Vec<GradientSize>, Error> {
    let (parts, mut out) = (terms.parts.names.len(), Evaluation::default());
    let size = |part: usize| {
        let mut only = vec![0.0; parts];
        only[part] = 1.0;
        terms.gradient(theta, points.sets(0.0), &only, &mut out)?;
        Ok(GradientSize::of(&out.grad))
    };
    (0..parts).map(size).collect()
}

/// The network's outputs at the points of a term, in place of its residuals; linked points add up.
fn compile_outputs(case: &Case, term: &Term) -> Result<Program, Error> {
    let unknown = |field| {
        let value = Expr::unknown(field, MultiIndex::ZERO);
        Expr::sum((0..term.sites).map(|site| value.at(site)))
    };
    let outputs = (0..case.network().unknowns()).map(unknown).collect();
    Ok(case.compile(&TermSpec::new(term.name.clone(), outputs).on_first_element())?)
}
