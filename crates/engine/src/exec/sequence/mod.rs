//! Both halves of the sweeps of a sequence network (see `plan/sequence.rs`), operation by operation.
//!
//! Every operation has four rules: lower values, upper adjoints, upper values, lower adjoints. Planes are dense here: a half of a
//! node is `[unit][plane][column]` with the same planes everywhere.

pub(crate) mod activation;
pub(crate) mod attention;
mod buffers;
pub(crate) mod field;
pub(crate) mod product;
pub(crate) mod wave;

pub(crate) use buffers::Buffers;

use super::lanes::{self, write as put};
use ropinn_vmath::{Real, dispatch};

/// One half of a jet or of its adjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Lower,
    Upper,
}

/// Both halves of the values or adjoints of a node.
#[derive(Clone, Copy)]
pub(crate) struct Both<'a, T> {
    pub lower: &'a [T],
    pub upper: &'a [T],
}

/// An adjoint that is written; `fresh` says that it holds nothing yet.
pub(crate) struct Target<'a, T> {
    pub numbers: &'a mut [T],
    pub fresh: bool,
}

/// y (=|+=) x.
pub(crate) fn put_all<T: Real>(y: &mut [T], x: &[T], fresh: bool) {
    dispatch(inlined!(|| if fresh { y.copy_from_slice(x) } else { lanes::add(y, x) }));
}

/// Plane p of a unit or a pair: `n` lanes, `stride` apart.
#[inline(always)]
fn plane<T>(numbers: &[T], p: usize, stride: usize, n: usize) -> &[T] {
    &numbers[p * stride..][..n]
}

#[inline(always)]
fn plane_mut<T>(numbers: &mut [T], p: usize, stride: usize, n: usize) -> &mut [T] {
    &mut numbers[p * stride..][..n]
}
