//! Least squares min‖Ax − b‖ by orthogonal factorisations alone, for matrices that come in blocks of rows and whose columns may
//! depend on each other as far as rounding can tell.
//!
//! * [`RowFactor`]: A = QR, to which rows are added; only R and Qᵀb are held.
//! * [`Ranked`]: RP = Q'R' with pivots, and the shortest solution of its leading rows.
//!
//! All of it is one elimination (`panel`): columns of a triangle that stands on a block of rows, `[R; B] → [R'; 0]`, by
//! reflections I − V T Vᵀ with V = [I; V₂]. It adds rows to R; begun from R = 0 it factors R itself with pivots; and with both
//! orders turned round it takes R₁₂ from a trapezoid [R₁₁ R₁₂]. AᵀA, which would square the condition, is never formed.

mod panel;
mod ranked;
mod rows;
mod sketch;

#[cfg(test)]
mod tests;

pub use ranked::{Ranked, Solution};
pub use rows::RowFactor;
