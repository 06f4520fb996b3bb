//! The engine of `ropinn`: any network and any PDE residual, compiled to programs that run at the speed of the hardware.
//!
//! A [`Network`] and the expressions that must vanish ([`TermSpec`]) become a [`Program`] over *channels of derivatives*: the
//! network is evaluated once, forward, carrying exactly the derivatives (or combinations of derivatives) the residuals need,
//! and swept once, backward, for the parameter gradient. An [`Evaluator`] takes products of compiled terms over sets of
//! samples; a [`Backend`] computes them, by default in cache-sized tiles on many threads, always with the same bits. It knows no
//! physics.
//!
//! ```
//! use ropinn_engine::{
//!     Activation, Evaluation, Evaluator, NetworkBuilder, Precision, Program, Samples, TermSpec, Threads,
//! };
//! use ropinn_expr::Scope;
//! use std::sync::Arc;
//!
//! // u(x, t): two coordinates, one hidden layer, one unknown
//! let mut net = NetworkBuilder::new(2);
//! let z = net.linear("linear.0", net.input(), 8)?;
//! let h = net.activate(Activation::Tanh, z)?;
//! let u = net.linear("linear.2", h, 1)?;
//! let net = Arc::new(net.build(u)?);
//!
//! // Burgers: u_t + u u_x − 0.01 u_xx = 0
//! let scope = Scope::new(["x", "t"], ["u"])?;
//! let residual = scope.parse("u_t + u*u_x - 0.01*u_xx")?;
//! let program = Program::compile(&net, &TermSpec::new("burgers", vec![residual]), 0)?;
//! assert_eq!(program.channels(), 3); // u, ∂x u and the combination ∂t u − 0.01 ∂xx u
//!
//! let mut evaluator = Evaluator::new(vec![program], Precision::F64, &Threads::new(2)?)?;
//! let theta = vec![0.1; evaluator.parameters()];
//! let points = evaluator.add(0, Samples::points(&[0.0, 0.0, 0.5, 0.25, 1.0, 0.5]))?; // three points (x, t)
//! let mut out = Evaluation::default();
//! evaluator.evaluate(&theta, &[points], &[1.0], &mut out)?;
//! assert_eq!(out.grad.len(), net.parameters());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

/// A closure that is always inlined, so that [`dispatch`](ropinn_vmath::dispatch()) compiles it for the instruction set at hand.
macro_rules! inlined {
    (|| $body:expr) => {
        #[inline(always)]
        || $body
    };
    (|$lane:ident| $body:expr) => {
        #[inline(always)]
        |$lane| $body
    };
}

mod backend;
mod cpu;
mod error;
mod evaluator;
mod exec;
mod jet;
mod network;
mod plan;
mod program;
mod residual;
mod tangent;
mod threads;

pub use backend::{Backend, Evaluation, Jacobian, Precision, RowTile, Samples, SetId, Sum};
pub use cpu::{cpu_backend, gram_room};
pub use error::EngineError;
pub use evaluator::Evaluator;
pub use jet::MAX_ORDER;
pub use network::{
    Activation, Bias, Network, NetworkBuilder, NodeId, Op, Param, ParamLayout, SplineBasis, Tensor, Weights,
};
pub use program::{Elements, Program, TermSpec};
pub use ropinn_vmath::{Simd, SimdError, simd};
pub use tangent::Tangents;
pub use threads::Threads;
