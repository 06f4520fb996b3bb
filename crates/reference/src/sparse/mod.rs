//! Large linear equations Ax = b whose matrix has few entries in each row, in the same places as its transpose.
//!
//! Unknowns have places in space, by which they are ordered (`dissection`: nested dissection, George 1973); the matrix is then
//! factored front by front, each a small dense matrix (`front`, `factor`: the multifrontal method, Duff & Reid 1983).

mod dissection;
mod factor;
mod front;
mod matrix;

pub(crate) use dissection::Order;
pub(crate) use factor::Factor;
pub(crate) use matrix::{Entries, Matrix};
