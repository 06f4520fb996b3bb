//! What follows the training: weights of the terms and points of the equations, renewed between outer steps.
//!
//! Both are measured at the points themselves, never at moved ones. The loss is Σ_t w_t λ_t L_t with fixed weights w and
//! factors λ that start at 1; a term whose w is 0, or whose gradient vanishes, keeps its λ and counts for nothing.

use super::terms::{CompiledTerm, compile_outputs};
use super::{CalibrationState, Objective};
use crate::adaptive::magnitudes;
use crate::case::Case;
use crate::config::{SamplingKind, WeightingKind};
use crate::error::Error;
use crate::problem::TermGroup;
use crate::weighting::{GradientSize, KernelOf, Subset, balance_targets, ntk_weights, part_traces, smoothed};
use ropinn_domain::{Layout, Points, Purpose, Stream};
use ropinn_engine::{Evaluation, Evaluator, Samples};

/// What an objective remembers between outer steps, as plain numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectiveMemory {
    /// Of the region calibration.
    pub calibration: CalibrationState,
    /// The factor λ of each term; empty if weights are fixed.
    pub factors: Vec<f64>,
    /// Coordinates of the equations' points, `[point][axis]`; empty if they are fixed.
    pub points: Vec<f64>,
}

/// Rules and state of whatever is adapted.
pub(super) struct Adaptation {
    case: Case,
    /// The term of the equations, if there is one.
    equations: Option<usize>,
    /// Its points, if they are adapted.
    points: Points,
    /// λ.
    factors: Vec<f64>,
    /// Outputs at the points of each term, if kernels are made of them.
    outputs: Option<Evaluator>,
}

impl Adaptation {
    /// Nothing adapted yet; none if nothing ever is.
    pub fn new(case: &Case, terms: &[CompiledTerm]) -> Result<Option<Self>, Error> {
        let config = case.config();
        let (weighting, sampling) = (config.weighting.kind, config.sampling.kind);
        if weighting == WeightingKind::Fixed && sampling == SamplingKind::Fixed {
            return Ok(None);
        }
        let equations = terms.iter().position(|compiled| compiled.term.group == TermGroup::Residual);
        let coords = equations.filter(|_| sampling != SamplingKind::Fixed).map(|t| terms[t].term.points.clone());
        let points = Points::from_coords(case.network().coordinates(), coords.unwrap_or_default());
        let points = points.expect("problems give whole points");
        let outputs = match (weighting, config.weighting.ntk.of) {
            (WeightingKind::Ntk, KernelOf::Output) => {
                let programs = terms.iter().map(|compiled| compile_outputs(case, &compiled.term));
                let programs = programs.collect::<Result<_, _>>()?;
                Some(Evaluator::new(programs, config.precision, case.threads())?)
            }
            _ => None,
        };
        let parts = terms.iter().map(|compiled| compiled.parts.len()).sum();
        Ok(Some(Self { case: case.clone(), equations, points, factors: vec![1.0; parts], outputs }))
    }
}

impl Objective {
    /// Renews weights and points if outer step `step`, about to begin at `theta`, is due for it.
    ///
    /// Weights are first measured at step 0; points first follow the residual after one period. What is drawn depends on
    /// the seed and the step alone.
    pub fn adapt(&mut self, step: u64, theta: &[f64]) -> Result<(), Error> {
        let Some(mut adaptation) = self.adaptation.take() else { return Ok(()) };
        let done = self
            .adapt_points(&mut adaptation, step, theta)
            .and_then(|()| self.adapt_weights(&mut adaptation, step, theta));
        self.adaptation = Some(adaptation);
        done
    }

    /// Everything the next outer step depends on, apart from θ.
    pub fn memory(&self) -> ObjectiveMemory {
        let calibration = self.calibration.state();
        let Some(adaptation) = &self.adaptation else {
            return ObjectiveMemory { calibration, ..ObjectiveMemory::default() };
        };
        let weighted = adaptation.case.config().weighting.kind != WeightingKind::Fixed;
        let factors = if weighted { adaptation.factors.clone() } else { Vec::new() };
        ObjectiveMemory { calibration, factors, points: adaptation.points.coords().to_vec() }
    }

    /// Continues from a saved memory.
    pub fn restore(&mut self, memory: ObjectiveMemory) -> Result<(), Error> {
        let own = self.memory();
        let foreign = |what, expected, found| Err(Error::ForeignState { what, expected, found });
        if memory.factors.len() != own.factors.len() {
            return foreign("the number of weights", own.factors.len(), memory.factors.len());
        }
        let axes = self.adaptation.as_ref().map_or(1, |adaptation| adaptation.points.dim());
        if memory.points.is_empty() != own.points.is_empty() || !memory.points.len().is_multiple_of(axes) {
            return foreign("the number of adapted coordinates", own.points.len(), memory.points.len());
        }
        self.calibration.restore(memory.calibration)?;
        let Some(mut adaptation) = self.adaptation.take() else { return Ok(()) };
        if !memory.factors.is_empty() {
            adaptation.factors = memory.factors;
            self.apply_factors(&adaptation.factors);
        }
        if !memory.points.is_empty() {
            let points = Points::from_coords(axes, memory.points).expect("checked above");
            self.take_points(&mut adaptation, points)?;
        }
        self.adaptation = Some(adaptation);
        Ok(())
    }

    fn apply_factors(&mut self, factors: &[f64]) {
        let products = self.fixed_weights.iter().zip(factors).map(|(weight, factor)| weight * factor);
        self.weights.clear();
        self.weights.extend(products);
    }

    fn take_points(&mut self, adaptation: &mut Adaptation, points: Points) -> Result<(), Error> {
        if let Some(equations) = adaptation.equations {
            self.sets[equations].place(adaptation.case.network_points(points.coords()).into_owned());
            self.placed.replace(&mut self.evaluator, equations, &self.sets[equations])?;
            adaptation.points = points;
        }
        Ok(())
    }

    fn adapt_points(&mut self, adaptation: &mut Adaptation, step: u64, theta: &[f64]) -> Result<(), Error> {
        let sampling = adaptation.case.config().sampling.clone();
        let (period, pool) = match sampling.kind {
            SamplingKind::Fixed => return Ok(()),
            SamplingKind::RarD => (sampling.rar_d.period, sampling.rar_d.pool),
            SamplingKind::Rad => (sampling.rad.period, sampling.rad.pool.max(adaptation.points.len())),
            SamplingKind::R3 => (sampling.r3.period, adaptation.points.len()),
        };
        let Some(equations) = adaptation.equations.filter(|_| step > 0 && step.is_multiple_of(period as u64)) else {
            return Ok(());
        };
        let mut stream = Stream::new(self.seed, Purpose::Adaptive).at_step(step);
        // Uniform candidates inside the domain, whatever its shape, from a seed of this step's own.
        let (geometry, seed) = (adaptation.case.problem().geometry(), stream.bits());
        let candidates = geometry.sample_interior_for(Purpose::Adaptive, pool, &Layout::Uniform, seed);
        let candidates = candidates.map_err(crate::adaptive::AdaptiveError::from)?;
        let current = adaptation.points.clone();
        let mut sizes = |points: &Points| self.residual_sizes(&adaptation.case, equations, theta, points);
        let points = match sampling.kind {
            SamplingKind::Fixed => return Ok(()),
            SamplingKind::RarD => sampling.rar_d.refine(&current, &candidates, &sizes(&candidates)?, &mut stream)?,
            SamplingKind::Rad => sampling.rad.resample(&current, &candidates, &sizes(&candidates)?, &mut stream)?,
            SamplingKind::R3 => sampling.r3.renew(&current, &sizes(&current)?, &candidates)?,
        };
        self.take_points(adaptation, points)
    }

    /// Σ |r| of the equations at each point: their own values, not those of derivatives that are parts of the term.
    fn residual_sizes(&mut self, case: &Case, term: usize, theta: &[f64], points: &Points) -> Result<Vec<f64>, Error> {
        let mut values = Vec::new();
        let points = case.network_points(points.coords());
        let set = self.evaluator.add(term, Samples::points(&points))?;
        self.evaluator.residuals(theta, set, &mut values)?;
        self.evaluator.remove(set)?;
        let program = &self.evaluator.terms()[term];
        let own = (0..program.outputs()).take_while(|&output| program.part_of(output) == 0).count();
        let own_values: Vec<f64> =
            values.chunks_exact(program.outputs()).flat_map(|sample| &sample[..own]).copied().collect();
        Ok(magnitudes(&own_values, own))
    }

    fn adapt_weights(&mut self, adaptation: &mut Adaptation, step: u64, theta: &[f64]) -> Result<(), Error> {
        let weighting = adaptation.case.config().weighting.clone();
        let due = |period: usize| step.is_multiple_of(period as u64);
        match weighting.kind {
            WeightingKind::Ntk if due(weighting.ntk.period) => {
                let traces = self.traces(adaptation, step, theta)?;
                let counted = self.counted(|part| traces[part].trace);
                let chosen: Vec<_> = counted.iter().map(|&part| traces[part]).collect();
                let targets = ntk_weights(&chosen, weighting.ntk.scale)?;
                counted.iter().zip(targets).for_each(|(&part, target)| adaptation.factors[part] = target);
            }
            WeightingKind::GradNorm if due(weighting.grad_norm.period) => {
                let sizes = self.gradient_sizes(theta)?;
                let counted = self.counted(|part| sizes[part].norm);
                // Without a gradient of the equations there is nothing to compare with.
                let Some(reference) = counted.iter().position(|&part| self.groups[part] == TermGroup::Residual) else {
                    return Ok(());
                };
                let chosen: Vec<_> = counted.iter().map(|&part| sizes[part]).collect();
                let targets = balance_targets(&chosen, reference, weighting.grad_norm.rule)?;
                let mut factors: Vec<f64> = counted.iter().map(|&part| adaptation.factors[part]).collect();
                smoothed(&mut factors, &targets, weighting.grad_norm.alpha);
                counted.iter().zip(factors).for_each(|(&part, factor)| adaptation.factors[part] = factor);
            }
            _ => return Ok(()),
        }
        self.apply_factors(&adaptation.factors);
        Ok(())
    }

    /// Parts that have a weight and something to weigh.
    fn counted(&self, size: impl Fn(usize) -> f64) -> Vec<usize> {
        let counts = |&part: &usize| {
            let size = size(part);
            self.fixed_weights[part] > 0.0 && size > 0.0 && size.is_finite()
        };
        (0..self.names.len()).filter(counts).collect()
    }

    /// The kernel trace of each part on a few of its points.
    fn traces(
        &mut self,
        adaptation: &mut Adaptation,
        step: u64,
        theta: &[f64],
    ) -> Result<Vec<crate::weighting::TermTrace>, Error> {
        let samples = adaptation.case.config().weighting.ntk.samples;
        let mut stream = Stream::new(self.seed, Purpose::Batch).at_step(step);
        let mut traces = Vec::with_capacity(self.names.len());
        for (term, set) in self.sets.iter().enumerate() {
            let program = &self.evaluator.terms()[term];
            let parts = program.parts();
            let few = Subset::draw(program, set.samples(false), samples, &mut stream);
            match &mut adaptation.outputs {
                None => traces.extend(part_traces(&mut self.evaluator, term, theta, few.samples())?),
                // Outputs know no parts: each part has the kernel of its points.
                Some(outputs) => {
                    let points = Samples::points(few.samples().points);
                    let of_points: crate::weighting::TermTrace =
                        part_traces(outputs, term, theta, points)?.into_iter().sum();
                    traces.extend(std::iter::repeat_n(of_points, parts));
                }
            }
        }
        Ok(traces)
    }

    /// The size of the gradient of each part, unweighted.
    fn gradient_sizes(&mut self, theta: &[f64]) -> Result<Vec<GradientSize>, Error> {
        let mut out = Evaluation::default();
        let mut sizes = Vec::with_capacity(self.names.len());
        for part in 0..self.names.len() {
            let mut only = vec![0.0; self.names.len()];
            only[part] = 1.0;
            if self.integrals.iter().any(Option::is_some) {
                self.measure(theta, false, &only, &mut out)?;
            } else {
                self.evaluator.gradient(theta, self.placed.sets(false), &only, &mut out.grad)?;
            }
            sizes.push(GradientSize::of(&out.grad));
        }
        Ok(sizes)
    }
}
