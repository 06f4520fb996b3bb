//! The front of the engine: checks what it is given, hands it to a [`Backend`], and adds what no backend needs to know.

use crate::backend::{Backend, Evaluation, Jacobian, Precision, RowTile, Samples, SetId, Sum};
use crate::cpu::cpu_backend;
use crate::error::{EngineError, Result};
use crate::program::Program;
use crate::threads::Threads;

/// Evaluates compiled terms of one loss over sets of samples. Results have the same bits for any number of threads.
///
/// Samples are handed over once ([`Self::add`]) and named in every product; there is one set per term, in order.
pub struct Evaluator {
    backend: Box<dyn Backend>,
    /// Removed sets leave a gap that the next one fills.
    sets: Vec<Option<Set>>,
    /// Residuals or cotangents of each term on their way.
    unscaled: Vec<Vec<f64>>,
}

/// What the front remembers of a set.
struct Set {
    term: usize,
    samples: usize,
    weights: Vec<f64>,
}

impl Evaluator {
    /// An evaluator on the processor for `terms`, which must share one network. All buffers are made once.
    pub fn new(terms: Vec<Program>, precision: Precision, threads: &Threads) -> Result<Self> {
        check_terms(&terms)?;
        Self::with_backend(cpu_backend(terms, precision, threads))
    }

    /// An evaluator on whatever computes.
    pub fn with_backend(backend: Box<dyn Backend>) -> Result<Self> {
        check_terms(backend.programs())?;
        let unscaled = vec![Vec::new(); backend.programs().len()];
        Ok(Self { backend, sets: Vec::new(), unscaled })
    }

    /// What computes: the groups of a sum, one by one, are asked of it.
    pub fn backend(&mut self) -> &mut dyn Backend {
        &mut *self.backend
    }

    /// The compiled terms.
    pub fn terms(&self) -> &[Program] {
        self.backend.programs()
    }

    /// The working precision.
    pub fn precision(&self) -> Precision {
        self.backend.precision()
    }

    /// Number of parts of all terms: of weights and of mean squares.
    pub fn parts(&self) -> usize {
        self.terms().iter().map(Program::parts).sum()
    }

    /// Length of θ.
    pub fn parameters(&self) -> usize {
        self.terms()[0].parameters()
    }

    /// Hands over samples of a term.
    pub fn add(&mut self, term: usize, samples: Samples<'_>) -> Result<SetId> {
        let count = check_samples(&self.terms()[term], samples)?;
        let gap = self.sets.iter().position(Option::is_none).unwrap_or(self.sets.len());
        self.backend.place(SetId(gap), term, samples)?;
        self.sets.resize_with(self.sets.len().max(gap + 1), || None);
        self.sets[gap] = Some(Set { term, samples: count, weights: samples.weights.to_vec() });
        Ok(SetId(gap))
    }

    /// Hands over samples of every term, in order.
    pub fn add_all(&mut self, samples: &[Samples<'_>]) -> Result<Vec<SetId>> {
        let (expected, found) = (self.terms().len(), samples.len());
        if found != expected {
            return Err(EngineError::BatchCount { expected, found });
        }
        samples.iter().enumerate().map(|(term, &samples)| self.add(term, samples)).collect()
    }

    /// Gives a set other samples, more or fewer if need be.
    pub fn replace(&mut self, set: SetId, samples: Samples<'_>) -> Result {
        let term = self.set(set)?.term;
        let count = check_samples(&self.terms()[term], samples)?;
        self.backend.place(set, term, samples)?;
        if let Some(own) = &mut self.sets[set.0] {
            own.samples = count;
            own.weights.clear();
            own.weights.extend_from_slice(samples.weights);
        }
        Ok(())
    }

    /// Gives a set other points, as many as it has; data and weights stay.
    pub fn move_points(&mut self, set: SetId, points: &[f64]) -> Result {
        let &Set { term, samples, .. } = self.set(set)?;
        let program = &self.terms()[term];
        check_length(program.name(), "coordinates", samples * program.coordinates_per_sample(), points)?;
        self.backend.move_points(set, points)
    }

    /// Frees a set.
    pub fn remove(&mut self, set: SetId) -> Result {
        self.set(set)?;
        self.sets[set.0] = None;
        self.backend.remove(set);
        Ok(())
    }

    /// Number of residual values of a set.
    pub fn residual_count(&self, set: SetId) -> Result<usize> {
        let set = self.set(set)?;
        Ok(set.samples * self.terms()[set.term].outputs())
    }

    /// Loss `Σ_t weights[t] · mean_t(r²)` over the parts t of all terms, and its gradient at `theta`. A term is a single part
    /// unless it was compiled in several ([`TermSpec::parts`](crate::TermSpec::parts)).
    ///
    /// Each residual expression of a part is a mean over samples and sequence elements; several expressions add up.
    pub fn evaluate(&mut self, theta: &[f64], sets: &[SetId], weights: &[f64], out: &mut Evaluation) -> Result {
        self.weighted_sum(theta, sets, weights, Sum::LossAndGradient { weights }, out)
    }

    /// The loss of [`Self::evaluate`] alone, with the same bits; the gradient is left empty.
    pub fn evaluate_loss(&mut self, theta: &[f64], sets: &[SetId], weights: &[f64], out: &mut Evaluation) -> Result {
        self.weighted_sum(theta, sets, weights, Sum::Loss, out)
    }

    /// Loss, gradient and the Gauss–Newton matrix JᵀJ; J is never held.
    ///
    /// ```
    /// use ropinn_engine::{Evaluation, Evaluator, NetworkBuilder, Precision, Program, Samples, TermSpec, Threads};
    /// use ropinn_expr::Scope;
    /// // u = w·x + b, fitted to 2x + 1 at two points: J has the rows (xᵢ, 1)/√2.
    /// let mut net = NetworkBuilder::new(1);
    /// let x = net.input();
    /// let u = net.linear("out", x, 1)?;
    /// let net = std::sync::Arc::new(net.build(u)?);
    /// let term = TermSpec::new("fit", vec![Scope::new(["x"], ["u"])?.parse("u - 2*x - 1")?]);
    /// let program = Program::compile(&net, &term, 0)?;
    /// let mut evaluator = Evaluator::new(vec![program], Precision::F64, &Threads::new(1)?)?;
    /// let set = evaluator.add(0, Samples::points(&[0.0, 1.0]))?;
    /// let mut out = Evaluation::default();
    /// evaluator.normal_equations(&[0.0, 0.0], &[set], &[1.0], &mut out)?;
    /// let wanted = [(0, 0.5), (2, 0.5), (3, 1.0)]; // the lower triangle, row by row
    /// assert!(wanted.iter().all(|&(k, value)| (out.gram[k] - value).abs() < 1e-12));
    /// assert!((out.loss - 5.0).abs() < 1e-12); // (1² + 3²)/2
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn normal_equations(&mut self, theta: &[f64], sets: &[SetId], weights: &[f64], out: &mut Evaluation) -> Result {
        self.weighted_sum(theta, sets, weights, Sum::NormalEquations { weights }, out)
    }

    fn weighted_sum(
        &mut self,
        theta: &[f64],
        sets: &[SetId],
        weights: &[f64],
        sum: Sum<'_>,
        out: &mut Evaluation,
    ) -> Result {
        self.check(theta, sets, Some(weights))?;
        self.backend.sum(theta, sets, sum, out)?;
        out.loss = weighted(&out.parts, weights);
        Ok(())
    }

    /// The gradient of [`Self::evaluate`] alone. Terms whose parts all have weight 0 cost nothing, so the gradient of a
    /// single part is cheap.
    pub fn gradient(&mut self, theta: &[f64], sets: &[SetId], weights: &[f64], grad: &mut Vec<f64>) -> Result {
        self.check(theta, sets, Some(weights))?;
        self.gradient_sum(theta, sets, Sum::Gradient { weights }, grad)
    }

    /// `Hv` at `theta`, H the Hessian of the loss of [`Self::evaluate`].
    ///
    /// ```
    /// use ropinn_engine::{Evaluator, NetworkBuilder, Precision, Program, Samples, TermSpec, Threads};
    /// use ropinn_expr::Scope;
    /// // u = w·x + b, fitted to 2x + 1 at 0 and 1: H = 2JᵀJ with the rows (0, 1)/√2 and (1, 1)/√2.
    /// let mut net = NetworkBuilder::new(1);
    /// let u = net.linear("out", net.input(), 1)?;
    /// let net = std::sync::Arc::new(net.build(u)?);
    /// let term = TermSpec::new("fit", vec![Scope::new(["x"], ["u"])?.parse("u - 2*x - 1")?]);
    /// let program = Program::compile(&net, &term, 0)?;
    /// let mut evaluator = Evaluator::new(vec![program], Precision::F64, &Threads::new(1)?)?;
    /// let set = evaluator.add(0, Samples::points(&[0.0, 1.0]))?;
    /// let mut column = Vec::new();
    /// evaluator.hessian_product(&[0.3, 0.4], &[1.0, 0.0], &[set], &[1.0], &mut column)?;
    /// assert!((column[0] - 1.0).abs() < 1e-12 && (column[1] - 1.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hessian_product(
        &mut self,
        theta: &[f64],
        direction: &[f64],
        sets: &[SetId],
        weights: &[f64],
        out: &mut Vec<f64>,
    ) -> Result {
        self.check(theta, sets, Some(weights))?;
        check_length("all", "entries of a direction", theta.len(), direction)?;
        self.gradient_sum(theta, sets, Sum::Hessian { weights, direction }, out)
    }

    /// `Σ_t J_tᵀ w_t`: the gradient of `Σ cotangent · residual`, cotangents laid out like [`Self::residuals`].
    pub fn pullback(&mut self, theta: &[f64], sets: &[SetId], cotangents: &[&[f64]], grad: &mut Vec<f64>) -> Result {
        self.check(theta, sets, None)?;
        if cotangents.len() != sets.len() {
            return Err(EngineError::BatchCount { expected: sets.len(), found: cotangents.len() });
        }
        for ((term, &set), w) in self.terms().iter().zip(sets).zip(cotangents) {
            check_length(term.name(), "cotangents", self.residual_count(set)?, w)?;
        }
        self.gradient_sum(theta, sets, Sum::Pullback { cotangents }, grad)
    }

    fn gradient_sum(&mut self, theta: &[f64], sets: &[SetId], sum: Sum<'_>, grad: &mut Vec<f64>) -> Result {
        let mut out = Evaluation { grad: std::mem::take(grad), ..Evaluation::default() };
        let done = self.backend.sum(theta, sets, sum, &mut out);
        *grad = out.grad;
        done
    }

    /// Residual values of a set, sample by sample: `out[sample · outputs + output]`.
    ///
    /// A term whose "residuals" are `u`, `u_x`, … is how values and derivatives are predicted.
    pub fn residuals(&mut self, theta: &[f64], set: SetId, out: &mut Vec<f64>) -> Result {
        self.check_theta(theta)?;
        self.set(set)?;
        self.backend.residuals(theta, set, out)
    }

    /// Exact `J v` of a set, laid out like its residuals: their slope along θ + εv.
    pub fn push_forward(&mut self, theta: &[f64], direction: &[f64], set: SetId, out: &mut Vec<f64>) -> Result {
        self.check_theta(theta)?;
        self.set(set)?;
        check_length("all", "entries of a direction", theta.len(), direction)?;
        self.backend.push_forward(theta, direction, set, out)
    }

    /// Delivers residuals and per-sample gradient rows of a set, tile by tile in order, to `visit`.
    ///
    /// Rows are never held for more than one tile, so memory does not grow with the set.
    pub fn rows(&mut self, theta: &[f64], set: SetId, mut visit: impl FnMut(RowTile<'_>)) -> Result {
        self.check_theta(theta)?;
        self.set(set)?;
        self.backend.rows(theta, set, &mut visit)
    }

    /// Loss, scaled residuals and their Jacobian. Holds all rows: meant for fewer residuals than parameters.
    pub fn jacobian(&mut self, theta: &[f64], sets: &[SetId], weights: &[f64], out: &mut Jacobian) -> Result {
        self.check(theta, sets, Some(weights))?;
        self.backend.jacobian(theta, sets, weights, out)?;
        out.loss = weighted(&out.parts, weights);
        Ok(())
    }

    /// Scaled residuals ρ and the rows of their Jacobian without the columns of frozen parameters
    /// ([`Network::frozen`](crate::Network::frozen)), handed over some at a time as `visit(rows, ρ)`, in any order: there may be
    /// more of them than memory holds. Returns the loss ‖ρ‖².
    ///
    /// ```
    /// use ropinn_engine::{Evaluator, NetworkBuilder, Precision, Program, Samples, TermSpec, Threads};
    /// use ropinn_expr::Scope;
    /// let mut net = NetworkBuilder::new(1);
    /// let hidden = net.linear("frozen", net.input(), 1)?; // 2x
    /// net.freeze();
    /// let u = net.linear("out", hidden, 1)?;
    /// let net = std::sync::Arc::new(net.build(u)?);
    /// let term = TermSpec::new("fit", vec![Scope::new(["x"], ["u"])?.parse("u - 6*x")?]);
    /// let program = Program::compile(&net, &term, 0)?;
    /// let mut evaluator = Evaluator::new(vec![program], Precision::F64, &Threads::new(1)?)?;
    /// let set = evaluator.add(0, Samples::points(&[1.0]))?;
    /// let loss = evaluator.scaled_rows(&[2.0, 0.0, 0.0, 0.0], &[set], &[1.0], |rows, residuals| {
    ///     assert_eq!((rows, residuals), (&[2.0, 1.0][..], &[-6.0][..])); // ∂/∂w and ∂/∂b of the output
    /// })?;
    /// assert_eq!(loss, 36.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn scaled_rows(
        &mut self,
        theta: &[f64],
        sets: &[SetId],
        weights: &[f64],
        mut visit: impl FnMut(&[f64], &[f64]),
    ) -> Result<f64> {
        self.check(theta, sets, Some(weights))?;
        let parts = self.backend.scaled_rows(theta, sets, weights, &mut visit)?;
        Ok(weighted(&parts, weights))
    }

    /// The scaled residuals ρ with loss = ‖ρ‖², term by term, each laid out like [`Self::residuals`].
    pub fn scaled_residuals(&mut self, theta: &[f64], sets: &[SetId], weights: &[f64], out: &mut Vec<f64>) -> Result {
        self.scaled(theta, sets, weights, out, |backend, set, values| backend.residuals(theta, set, values))
    }

    /// `Jv` for the Jacobian of the scaled residuals.
    pub fn scaled_push_forward(
        &mut self,
        theta: &[f64],
        direction: &[f64],
        sets: &[SetId],
        weights: &[f64],
        out: &mut Vec<f64>,
    ) -> Result {
        check_length("all", "entries of a direction", theta.len(), direction)?;
        let product =
            |backend: &mut dyn Backend, set, values: &mut Vec<f64>| backend.push_forward(theta, direction, set, values);
        self.scaled(theta, sets, weights, out, product)
    }

    /// Values of every set, each times the scale of its residual.
    fn scaled(
        &mut self,
        theta: &[f64],
        sets: &[SetId],
        weights: &[f64],
        out: &mut Vec<f64>,
        mut values: impl FnMut(&mut dyn Backend, SetId, &mut Vec<f64>) -> Result,
    ) -> Result {
        self.check(theta, sets, Some(weights))?;
        out.clear();
        let mut rest = weights;
        for (t, &set) in sets.iter().enumerate() {
            let (own, others) = rest.split_at(self.terms()[t].parts());
            rest = others;
            values(&mut *self.backend, set, &mut self.unscaled[t])?;
            let scales = sample_scales(&self.terms()[t], self.set(set)?, own);
            out.extend(self.unscaled[t].iter().zip(scales).map(|(r, scale)| scale * r));
        }
        Ok(())
    }

    /// `Jᵀw` for the Jacobian of the scaled residuals.
    pub fn scaled_pullback(
        &mut self,
        theta: &[f64],
        sets: &[SetId],
        weights: &[f64],
        cotangents: &[f64],
        grad: &mut Vec<f64>,
    ) -> Result {
        self.check(theta, sets, Some(weights))?;
        let counts = sets.iter().map(|&set| self.residual_count(set));
        check_length("all", "cotangents", counts.sum::<Result<usize, _>>()?, cotangents)?;
        let mut unscaled = std::mem::take(&mut self.unscaled);
        let (mut rest, mut rest_weights) = (cotangents, weights);
        for ((program, &set), unscaled) in self.terms().iter().zip(sets).zip(&mut unscaled) {
            let (own_weights, others) = rest_weights.split_at(program.parts());
            rest_weights = others;
            let (own, others) = rest.split_at(self.residual_count(set)?);
            rest = others;
            let scales = sample_scales(program, self.set(set)?, own_weights);
            unscaled.clear();
            unscaled.extend(own.iter().zip(scales).map(|(w, scale)| scale * w));
        }
        let cotangents: Vec<&[f64]> = unscaled.iter().map(Vec::as_slice).collect();
        let done = self.gradient_sum(theta, sets, Sum::Pullback { cotangents: &cotangents }, grad);
        self.unscaled = unscaled;
        done
    }

    fn set(&self, set: SetId) -> Result<&Set> {
        self.sets.get(set.0).and_then(Option::as_ref).ok_or(EngineError::NoSuchSet { set: set.0 })
    }

    fn check_theta(&self, theta: &[f64]) -> Result {
        let (expected, found) = (self.parameters(), theta.len());
        if found == expected { Ok(()) } else { Err(EngineError::ThetaLength { expected, found }) }
    }

    /// θ, one set per term in order, and one weight per part where there are weights.
    fn check(&self, theta: &[f64], sets: &[SetId], weights: Option<&[f64]>) -> Result {
        self.check_theta(theta)?;
        let parts = self.parts();
        let counts = [(self.terms().len(), sets.len()), (parts, weights.map_or(parts, <[f64]>::len))];
        if let Some((expected, found)) = counts.into_iter().find(|(expected, found)| expected != found) {
            return Err(EngineError::BatchCount { expected, found });
        }
        for (term, &set) in sets.iter().enumerate() {
            let found = self.set(set)?.term;
            if found != term {
                let name = |term: usize| self.terms()[term].name().to_owned();
                return Err(EngineError::SetOfOtherTerm { set: set.0, term: name(term), found: name(found) });
            }
        }
        Ok(())
    }
}

fn check_length(term: &str, what: &'static str, expected: usize, vector: &[f64]) -> Result {
    let found = vector.len();
    let refused = || EngineError::VectorLength { term: term.to_owned(), what, expected, found };
    if found == expected { Ok(()) } else { Err(refused()) }
}

fn weighted(terms: &[f64], weights: &[f64]) -> f64 {
    terms.iter().zip(weights).map(|(term, w)| term * w).sum()
}

/// Scale of each residual value of a set, in order.
fn sample_scales<'a>(program: &'a Program, set: &'a Set, weights: &[f64]) -> impl Iterator<Item = f64> + 'a {
    let scale = |output| program.residual_scale(set.samples, weights[program.part_of(output)]);
    let scales: Vec<f64> = (0..program.outputs()).map(scale).collect();
    let of = |i: usize| set.weights.get(i).map_or(1.0, |weight| weight.sqrt());
    (0..set.samples * scales.len()).map(move |value| scales[value % scales.len()] * of(value / scales.len()))
}

fn check_terms(terms: &[Program]) -> Result {
    let expected = terms.first().ok_or(EngineError::NoResiduals)?.parameters();
    match terms.iter().find(|t| t.parameters() != expected) {
        Some(term) => {
            let (term, found) = (term.name().to_owned(), term.parameters());
            Err(EngineError::DifferentNetworks { term, expected, found })
        }
        None => Ok(()),
    }
}

/// The number of samples, if their lists fit together.
fn check_samples(program: &Program, samples: Samples<'_>) -> Result<usize> {
    let term = || program.name().to_owned();
    let Samples { points, data, weights } = samples;
    let (per_sample, columns) = (program.coordinates_per_sample(), program.data_columns());
    if points.is_empty() {
        return Err(EngineError::NoPoints { term: term() });
    }
    if !points.len().is_multiple_of(per_sample) {
        return Err(EngineError::PointsLength { term: term(), per_sample, found: points.len() });
    }
    let samples = points.len() / per_sample;
    let (expected, found) = (samples * columns, data.len());
    if found != expected {
        return Err(EngineError::DataLength { term: term(), expected, columns, samples, found });
    }
    if !weights.is_empty() {
        check_length(program.name(), "sample weights", samples, weights)?;
    }
    Ok(samples)
}
