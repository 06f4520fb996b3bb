//! Terms along a line in parameter space: exact Jv and Hv without kernels of their own.
//!
//! With every parameter p replaced by p + ε p' ([`Network::perturbed`]), ε is a coordinate like any other and Jv = ∂r/∂ε at
//! ε = 0. For L(θ) = Σ_t w_t mean r², Hv = ∇_θ d/dε L(θ + εv) = ∇_θ Σ_t 2 w_t mean(r ∂r/∂ε): one ordinary gradient of terms that
//! have r and ∂r/∂ε as outputs.

use crate::error::{EngineError, Result};
use crate::jet::MAX_ORDER;
use crate::network::Network;
use crate::program::{Program, abbreviated, check_smoothness};
use ropinn_expr::Expr;
use std::sync::Arc;

/// The programs of a loss along θ + εv, for backends that have no derivatives along a direction of their own.
///
/// Their parameters are `[θ; v; λ; μ]`: parameters and direction of the network, then of the trained scalars. The first half
/// of their outputs are the residuals r, the second half ∂r/∂ε.
pub struct Tangents {
    programs: Vec<Program>,
    coordinates: usize,
    /// Parameters of the network itself, and trained scalars after them.
    parameters: usize,
    trainables: usize,
}

impl Tangents {
    /// Compiles the terms once more. They share one network, and there is one at least.
    pub fn new(terms: &[Program]) -> Result<Self> {
        let network = terms[0].network();
        let (coordinates, parameters) = (network.coordinates(), network.parameters());
        let trainables = terms[0].parameters() - parameters;
        let perturbed = Arc::new(network.perturbed()?);
        let compile = |term: &Program| {
            let mut both = term.spec().clone();
            for residual in &term.spec().residuals {
                both.residuals.push(along_direction(residual, &perturbed, trainables));
            }
            Program::compile(&perturbed, &both, 2 * trainables)
        };
        let programs = terms.iter().map(compile).collect::<Result<_, _>>()?;
        Ok(Self { programs, coordinates, parameters, trainables })
    }

    /// Refuses residuals whose Hessian takes a derivative the engine or the network does not have.
    pub fn check_hessian(terms: &[Program]) -> Result {
        for term in terms {
            for residual in &term.spec().residuals {
                let order = residual.max_order() as usize + 1;
                if order > MAX_ORDER {
                    return Err(EngineError::HessianOrder { residual: abbreviated(residual), order, max: MAX_ORDER });
                }
                check_smoothness(term.network(), order)?;
            }
        }
        Ok(())
    }

    /// The programs, in the order of the terms.
    pub fn programs(&self) -> &[Program] {
        &self.programs
    }

    /// The parameters of the programs.
    pub fn join(&self, theta: &[f64], direction: &[f64], out: &mut Vec<f64>) {
        out.clear();
        let own = self.parameters;
        [&theta[..own], &direction[..own], &theta[own..], &direction[own..]]
            .iter()
            .for_each(|part| out.extend_from_slice(part));
    }

    /// The part of a gradient that belongs to θ and λ.
    pub fn own_part(&self, gradient: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(&gradient[..self.parameters]);
        out.extend_from_slice(&gradient[2 * self.parameters..][..self.trainables]);
    }

    /// Points with ε = 0 as their last coordinate.
    pub fn lift(&self, points: &[f64], out: &mut Vec<f64>) {
        out.clear();
        for place in points.chunks_exact(self.coordinates) {
            out.extend_from_slice(place);
            out.push(0.0);
        }
    }
}

/// ∂_ε of a residual at ε = 0, each trained scalar λ_k being λ_k + ε μ_k.
fn along_direction(residual: &Expr, perturbed: &Network, trainables: usize) -> Expr {
    let epsilon = perturbed.coordinates() - 1;
    let moved = |k: usize| Expr::trainable(k) + Expr::coord(epsilon) * Expr::trainable(trainables + k);
    let moved: Vec<Expr> = (0..trainables).map(moved).collect();
    perturbed.at_rest(residual.substitute_trainables(&moved).derivative(epsilon))
}
