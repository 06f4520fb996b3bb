//! Residuals: from expressions to what the network must deliver and what is then computed point by point.
//!
//! [`collapse`] finds the linear differential operators a residual really needs; [`Tape`] is the remaining point-wise
//! arithmetic with its reverse sweep.

mod build;
mod collapse;
mod tape;

pub(crate) use build::TapeBuilder;
pub(crate) use collapse::{Collapsed, SymbolicOperator, collapse};
pub(crate) use tape::{Load, Tape};
