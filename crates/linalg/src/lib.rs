//! Dense matrix products and factorisations, made for the shapes of small networks.
//!
//! * [`Packed`]: a left operand packed once and multiplied many times, as the weights of a layer are.
//! * [`matmul`]: C = A·B or C += A·B with any strides of A and B.
//! * [`add_inner`]: C += A·Bᵀ of matrices whose rows are contiguous, without packing.
//! * [`Cholesky`]: A = LLᵀ in blocks. [`transpose`]: rows to columns.
//! * [`RowFactor`], [`Ranked`]: least squares of rows that come in blocks, with columns that may depend on each other.
//! * [`gemm_rate`], [`multiply_add_rate`]: what this machine can do.
//!
//! How a sum is grouped depends on the sizes and the instruction set ([`ropinn_vmath::Simd`]) alone, never on caches, threads or
//! addresses: on two processors that run the same instruction set, the same bits come out. Nothing is allocated once a
//! [`Workspace`] has grown to its size.
//!
//! ```
//! use ropinn_linalg::{Packed, Product, Target, View, Workspace};
//!
//! let mut weights = Packed::default();
//! weights.set((2, 2), 1.0, &[1.0, 2.0, 3.0, 4.0], View::rows(0, 2));
//! let (columns, bias, mut out) = ([1.0, 0.0, 0.0, 1.0, 1.0, 1.0], [10.0, 20.0], [0.0; 6]); // two rows of three each
//! let target = Target::new(&mut out, 0, 3);
//! weights.times(3, &columns, View::rows(0, 3), target, Product::SetPlus(&bias), &mut Workspace::default());
//! assert_eq!(out, [13.0, 12.0, 12.0, 27.0, 24.0, 24.0]);
//! ```

mod cholesky;
mod driver;
mod kernel;
mod lsq;
mod packed;
mod product;
mod rates;
mod transpose;
mod vector;
mod view;

#[cfg(test)]
mod tests;

pub use cholesky::Cholesky;
pub use lsq::{Ranked, RowFactor, Solution};
pub use packed::Packed;
pub use product::{Numbers, Product, Target, Workspace, add_inner, matmul};
pub use rates::{gemm_rate, multiply_add_rate};
pub use transpose::transpose;
pub use view::View;
