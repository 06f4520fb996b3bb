//! Vectorised elementary functions and activation derivatives in f32 and f64.
//!
//! * [`Real`]: the scalar type, `f32` or `f64`.
//! * [`lane`]: branch-free functions of one scalar, to be used in your own loops inside [`dispatch()`].
//! * [`exp`], [`tanh`], … : the same over slices.
//! * [`Activation`]: σ and its derivatives up to order six in one pass, the inner loop of Taylor-mode differentiation.
//!
//! Functions give the same bits on every machine: no fused multiply-adds, and no dependence on vector width or position. (The one
//! exception is sine and cosine of very large arguments, which go to the standard library.) Towers fuse where the instruction
//! set can, so theirs are the same on machines that run the same one.
//!
//! ```
//! let x = [-1.0_f32, 0.0, 1.0];
//! let mut y = [0.0_f32; 3];
//! ropinn_vmath::tanh(&x, &mut y);
//! assert_eq!(y, [-0.7615942, 0.0, 0.7615942]);
//! ```

mod activation;
mod blocks;
mod dispatch;
mod format;
mod kernels;
pub mod lane;
mod real;
mod slices;
mod tower;
mod towers;

pub use activation::{Activation, Error};
pub use dispatch::{SIMD_VARIABLE, Simd, SimdError, dispatch, simd};
pub use real::Real;
pub use slices::{cos, erf, exp, ln, ln_1p, normal_cdf, sigmoid, sin, sin_cos, softplus, tan, tanh};
pub use tower::MAX_TOWER;
