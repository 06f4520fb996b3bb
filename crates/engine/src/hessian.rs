//! Exact Hessian-vector products of a loss, without kernels of their own.
//!
//! For L(θ) = Σ_t w_t mean r², Hv = ∇_θ d/dε L(θ + εv) at ε = 0 = ∇_θ Σ_t 2 w_t mean(r r_ε). The perturbed network
//! ([`Network::perturbed`]) makes ε a coordinate, so r_ε is the derivative of the residual along it, and Hv is one ordinary
//! gradient of a term that has r and r_ε as outputs.

use crate::error::EngineError;
use crate::evaluator::{Batch, Evaluator, Precision};
use crate::jet::MAX_ORDER;
use crate::network::Network;
use crate::program::{Program, TermSpec, abbreviated, check};
use crate::threads::Threads;
use ropinn_expr::Expr;
use std::sync::Arc;

/// Hessian-vector products of the loss an [`Evaluator`] of the same terms has.
///
/// ```
/// use ropinn_engine::{Batch, HessianEvaluator, NetworkBuilder, Precision, TermSpec, Threads};
/// use ropinn_expr::Scope;
/// // u = w·x + b, fitted to 2x + 1 at 0 and 1: H = 2JᵀJ with the rows (0, 1)/√2 and (1, 1)/√2.
/// let mut net = NetworkBuilder::new(1);
/// let u = net.linear("out", net.input(), 1)?;
/// let net = std::sync::Arc::new(net.build(u)?);
/// let term = TermSpec::new("fit", vec![Scope::new(["x"], ["u"])?.parse("u - 2*x - 1")?]);
/// let mut hessian = HessianEvaluator::new(&net, &[term], 0, Precision::F64, &Threads::new(1)?)?;
/// let mut column = Vec::new();
/// hessian.apply(&[0.3, 0.4], &[1.0, 0.0], &[Batch::points(&[0.0, 1.0])], &[1.0], &mut column)?;
/// assert!((column[0] - 1.0).abs() < 1e-12 && (column[1] - 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct HessianEvaluator {
    evaluator: Evaluator,
    coordinates: usize,
    /// Parameters of the network itself, and trained scalars after them.
    parameters: usize,
    trainables: usize,
    /// `[θ; v; λ; μ]`: parameters and direction of the network, then of the trained scalars.
    joint: Vec<f64>,
    /// Points with ε = 0 as their last coordinate.
    points: Vec<Vec<f64>>,
    gradient: Vec<f64>,
}

impl HessianEvaluator {
    /// Compiles the terms of a loss, with `trainables` trained scalars after the network's parameters in θ.
    pub fn new(
        network: &Arc<Network>,
        terms: &[TermSpec],
        trainables: usize,
        precision: Precision,
        threads: &Threads,
    ) -> Result<Self, EngineError> {
        let perturbed = Arc::new(network.perturbed()?);
        let residuals = || terms.iter().flat_map(|term| &term.residuals);
        let used = residuals().flat_map(Expr::trainables).max().map_or(0, |last| last + 1);
        let trainables = trainables.max(used);
        let compile = |term: &TermSpec| {
            check(network, term)?;
            let mut both = term.clone();
            for residual in &term.residuals {
                both.residuals.push(along_direction(residual, &perturbed, trainables)?);
            }
            Program::compile(&perturbed, &both, 2 * trainables)
        };
        let programs = terms.iter().map(compile).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            points: vec![Vec::new(); programs.len()],
            evaluator: Evaluator::new(programs, precision, threads)?,
            coordinates: network.coordinates(),
            parameters: network.parameters(),
            trainables,
            joint: Vec::new(),
            gradient: Vec::new(),
        })
    }

    /// Length of θ: network parameters, then trained scalars.
    pub fn parameters(&self) -> usize {
        self.parameters + self.trainables
    }

    /// The working precision.
    pub fn precision(&self) -> Precision {
        self.evaluator.precision()
    }

    /// `out = H v` at `theta`, for the batches and weights [`Evaluator::evaluate`] takes.
    pub fn apply(
        &mut self,
        theta: &[f64],
        v: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        out: &mut Vec<f64>,
    ) -> Result<(), EngineError> {
        let expected = self.parameters();
        if theta.len() != expected {
            return Err(EngineError::ThetaLength { expected, found: theta.len() });
        }
        if v.len() != expected {
            let (term, what) = ("all".to_owned(), "entries of a direction");
            return Err(EngineError::VectorLength { term, what, expected, found: v.len() });
        }
        if batches.len() != self.points.len() {
            return Err(EngineError::BatchCount { expected: self.points.len(), found: batches.len() });
        }
        self.joint.clear();
        let own = self.parameters;
        for part in [&theta[..own], &v[..own], &theta[own..], &v[own..]] {
            self.joint.extend_from_slice(part);
        }
        let mut points = std::mem::take(&mut self.points);
        let lifted = self.lift(batches, &mut points);
        let done = lifted
            .and_then(|batches| self.evaluator.slope_gradient(&self.joint, &batches, weights, &mut self.gradient));
        self.points = points;
        done?;
        out.clear();
        out.extend_from_slice(&self.gradient[..self.parameters]);
        out.extend_from_slice(&self.gradient[2 * self.parameters..][..self.trainables]);
        Ok(())
    }

    /// The batches at ε = 0.
    fn lift<'a>(&self, batches: &[Batch<'a>], lifted: &'a mut [Vec<f64>]) -> Result<Vec<Batch<'a>>, EngineError> {
        let terms = self.evaluator.terms().iter();
        let lift = |((program, batch), points): ((&Program, &Batch<'a>), &'a mut Vec<f64>)| {
            let (per_sample, found) = (program.sites() * self.coordinates, batch.points.len());
            if !found.is_multiple_of(per_sample) {
                return Err(EngineError::PointsLength { term: program.name().to_owned(), per_sample, found });
            }
            points.clear();
            for place in batch.points.chunks_exact(self.coordinates) {
                points.extend_from_slice(place);
                points.push(0.0);
            }
            Ok(Batch { points, ..*batch })
        };
        terms.zip(batches).zip(lifted).map(lift).collect()
    }
}

/// ∂_ε of a residual at ε = 0, each trained scalar λ_k being λ_k + ε μ_k.
fn along_direction(residual: &Expr, perturbed: &Network, trainables: usize) -> Result<Expr, EngineError> {
    let order = residual.max_order() as usize + 1;
    if order > MAX_ORDER {
        return Err(EngineError::HessianOrder { residual: abbreviated(residual), order, max: MAX_ORDER });
    }
    let epsilon = perturbed.coordinates() - 1;
    let moved = |k: usize| Expr::trainable(k) + Expr::coord(epsilon) * Expr::trainable(trainables + k);
    let moved: Vec<Expr> = (0..trainables).map(moved).collect();
    Ok(perturbed.at_rest(residual.substitute_trainables(&moved).derivative(epsilon)))
}
