//! Reference solutions: what networks are compared with, by methods that know nothing of them.
//!
//! [`fourier`] solves evolutions in one periodic coordinate, whatever their equations; [`laplace`] solves Laplace's
//! equation around round holes; [`cavity`] finds the flow in a box under a sliding lid; [`cole_hopf`] has
//! the closed form of one evolution.

pub mod cavity;
pub mod cole_hopf;
pub mod fourier;
pub mod laplace;
mod least_squares;
