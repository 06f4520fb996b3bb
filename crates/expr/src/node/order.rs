//! Structural equality, total order and hash of expressions, without recursion.
//!
//! The order sorts sums and products into their canonical form. It compares the kind of node, its scalars and width, the
//! depth, and then the operands from left to right; deep expressions that differ are told apart by their hash, so that
//! sorting towers of similar ones stays cheap.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use super::{Expr, Node};
use crate::hash::StableHasher;

/// Up to this depth the order is decided by what is written alone.
const SHALLOW: u32 = 8;

/// Compares two expressions; deep pairs already seen equal are skipped, so shared parts cost once.
fn compare(a: &Expr, b: &Expr) -> Ordering {
    let first = compare_roots(a, b);
    if first != Ordering::Equal || a.identity() == b.identity() {
        return first;
    }
    let mut pending = Vec::new();
    let mut seen: HashSet<_, BuildHasherDefault<StableHasher>> = HashSet::default();
    push_operands(a, b, &mut pending);
    while let Some((a, b)) = pending.pop() {
        if a.identity() == b.identity() {
            continue;
        }
        let roots = compare_roots(a, b);
        if roots != Ordering::Equal {
            return roots;
        }
        if a.summary().depth <= SHALLOW || seen.insert((a.identity(), b.identity())) {
            push_operands(a, b, &mut pending);
        }
    }
    Ordering::Equal
}

/// Pairs up the operands of two nodes with equal heads, the first on top of the stack.
fn push_operands<'a>(a: &'a Expr, b: &'a Expr, pending: &mut Vec<(&'a Expr, &'a Expr)>) {
    let base = pending.len();
    a.node().for_each_child(&mut |child| pending.push((child, child)));
    let mut position = base;
    b.node().for_each_child(&mut |child| {
        pending[position].1 = child;
        position += 1;
    });
    pending[base..].reverse();
}

fn compare_roots(a: &Expr, b: &Expr) -> Ordering {
    let (depth, other) = (a.summary().depth, b.summary().depth);
    match compare_heads(a.node(), b.node()).then(depth.cmp(&other)) {
        Ordering::Equal if depth > SHALLOW => a.structural_hash().cmp(&b.structural_hash()),
        decided => decided,
    }
}

/// Compares everything but the operands; equal heads have equally many operands.
fn compare_heads(a: &Node, b: &Node) -> Ordering {
    match (a, b) {
        (Node::Const(a), Node::Const(b)) => a.total_cmp(b),
        (Node::Trainable(a), Node::Trainable(b)) | (Node::Data(a), Node::Data(b)) => a.cmp(b),
        (Node::Coord { axis: a, site: s }, Node::Coord { axis: b, site: t }) => (s, a).cmp(&(t, b)),
        (Node::Unknown { field: f, alpha: a, site: s }, Node::Unknown { field: g, alpha: b, site: t }) => {
            (s, f, a.order(), b).cmp(&(t, g, b.order(), a))
        }
        (Node::Table { table: a, orders: j, args: x }, Node::Table { table: b, orders: k, args: y }) => {
            x.len().cmp(&y.len()).then_with(|| a.cmp(b)).then_with(|| j.cmp(k))
        }
        (Node::Unary(f, _), Node::Unary(g, _)) => f.cmp(g),
        (Node::Where(c, ..), Node::Where(d, ..)) => c.compare_shape(d),
        (Node::Add(a), Node::Add(b)) | (Node::Mul(a), Node::Mul(b)) => a.len().cmp(&b.len()),
        _ => a.rank().cmp(&b.rank()),
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
            || (self.structural_hash() == other.structural_hash() && compare(self, other) == Ordering::Equal)
    }
}

impl Eq for Expr {}

impl PartialOrd for Expr {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Expr {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(self, other)
    }
}

impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.structural_hash());
    }
}
