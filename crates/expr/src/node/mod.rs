//! The expression node: an immutable, shared tree (in memory a DAG) with its structural hash and a summary
//! of what it depends on computed once, when the node is made.

mod condition;
mod order;

pub use condition::{Comparison, Cond};

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::function::power_value;
use crate::hash::StableHasher;
use crate::{Function, MultiIndex, Table};

/// A symbolic expression. Cloning is cheap; equality, order and hash are structural.
///
/// Expressions simplify as they are built: sums and products are flat, sorted and collected, constants folded.
/// No operation recurses over the tree, so depth is limited by memory and not by the stack.
#[derive(Clone)]
pub struct Expr(pub(crate) Arc<Shared>);

/// What an expression is at its root.
#[derive(Clone, Debug)]
pub enum Node {
    /// A number.
    Const(f64),
    /// A coordinate, at the sample's own place (site 0) or a linked one.
    Coord {
        /// Which coordinate.
        axis: usize,
        /// Which linked place.
        site: usize,
    },
    /// ∂^α u_field at linked site `site` (0 = the sample's own place).
    Unknown {
        /// Which unknown field.
        field: usize,
        /// The derivative taken.
        alpha: MultiIndex,
        /// Which linked place.
        site: usize,
    },
    /// Trainable scalar number k.
    Trainable(usize),
    /// Data column number k, one value for each point.
    Data(usize),
    /// A flat sum of at least two terms in canonical order.
    Add(Vec<Expr>),
    /// A flat product of at least two factors in canonical order, the coefficient first.
    Mul(Vec<Expr>),
    /// base ^ exponent.
    Pow(Expr, Expr),
    /// A function of one argument.
    Unary(Function, Expr),
    /// The smaller of two.
    Min(Expr, Expr),
    /// The larger of two.
    Max(Expr, Expr),
    /// The first expression where the condition holds, the second elsewhere.
    Where(Cond, Expr, Expr),
    /// A table look-up, or its derivative by arguments.
    Table {
        /// The values.
        table: Arc<Table>,
        /// Where to look.
        args: Vec<Expr>,
        /// The derivative taken in each argument, 0 or 1.
        orders: Vec<u8>,
    },
}

pub(crate) struct Shared {
    hash: u64,
    summary: Summary,
    node: Node,
}

/// Facts about a whole expression, gathered bottom-up.
#[derive(Copy, Clone, Default)]
pub(crate) struct Summary {
    pub depth: u32,
    pub max_order: u32,
    pub max_site: usize,
    pub coords: bool,
    pub unknowns: bool,
    pub trainables: bool,
    pub undefined: bool,
}

impl Expr {
    /// Wraps a node that is already in canonical form.
    pub(crate) fn from_node(node: Node) -> Expr {
        let mut hasher = StableHasher::default();
        node.hash_head(&mut hasher);
        let mut summary = node.own_summary();
        // What is chosen or compared decides by itself whether it has a value.
        let chosen = matches!(node, Node::Where(..) | Node::Min(..) | Node::Max(..));
        node.for_each_child(&mut |child| {
            child.hash(&mut hasher);
            summary.include(&child.0.summary);
            summary.undefined |= child.0.summary.undefined && !chosen;
        });
        Expr(Arc::new(Shared { hash: hasher.finish(), summary, node }))
    }

    /// The root of the expression.
    pub fn node(&self) -> &Node {
        &self.0.node
    }

    /// The number, when the expression is one.
    pub fn as_constant(&self) -> Option<f64> {
        match self.node() {
            Node::Const(c) => Some(*c),
            _ => None,
        }
    }

    pub(crate) fn summary(&self) -> &Summary {
        &self.0.summary
    }

    pub(crate) fn structural_hash(&self) -> u64 {
        self.0.hash
    }

    /// Identity in memory, the key under which traversals remember shared sub-expressions.
    pub(crate) fn identity(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// The same operation on other operands, simplified anew.
    pub(crate) fn with_children(&self, children: &[Expr]) -> Expr {
        let mut unchanged = true;
        let mut position = 0;
        self.node().for_each_child(&mut |old| {
            unchanged &= old.identity() == children[position].identity();
            position += 1;
        });
        if unchanged {
            return self.clone();
        }
        match self.node() {
            Node::Add(_) => Expr::sum(children.iter().cloned()),
            Node::Mul(_) => Expr::product(children.iter().cloned()),
            Node::Pow(..) => children[0].pow(&children[1]),
            Node::Unary(f, _) => Expr::apply(*f, &children[0]),
            Node::Min(..) => Expr::minimum(&children[0], &children[1]),
            Node::Max(..) => Expr::maximum(&children[0], &children[1]),
            Node::Where(cond, ..) => {
                let (compared, branches) = children.split_at(children.len() - 2);
                let cond = cond.with_exprs(&mut compared.iter().cloned());
                Expr::select(cond, &branches[0], &branches[1])
            }
            Node::Table { table, orders, .. } => Expr::look_up(table, children.to_vec(), orders.clone()),
            Node::Const(_) | Node::Coord { .. } | Node::Unknown { .. } | Node::Trainable(_) | Node::Data(_) => {
                self.clone()
            }
        }
    }
}

impl Node {
    /// Visits the operands from left to right; those of a condition come before its branches.
    pub(crate) fn for_each_child<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        match self {
            Node::Const(_) | Node::Coord { .. } | Node::Unknown { .. } | Node::Trainable(_) | Node::Data(_) => {}
            Node::Add(children) | Node::Mul(children) | Node::Table { args: children, .. } => {
                children.iter().for_each(visit);
            }
            Node::Pow(a, b) | Node::Min(a, b) | Node::Max(a, b) => {
                visit(a);
                visit(b);
            }
            Node::Unary(_, a) => visit(a),
            Node::Where(cond, a, b) => {
                cond.for_each_expr(visit);
                visit(a);
                visit(b);
            }
        }
    }

    /// Position of the node kind in the canonical order.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Node::Const(_) => 0,
            Node::Trainable(_) => 1,
            Node::Data(_) => 2,
            Node::Coord { .. } => 3,
            Node::Unknown { .. } => 4,
            Node::Table { .. } => 5,
            Node::Unary(..) => 6,
            Node::Pow(..) => 7,
            Node::Mul(_) => 8,
            Node::Min(..) => 9,
            Node::Max(..) => 10,
            Node::Where(..) => 11,
            Node::Add(_) => 12,
        }
    }

    fn hash_head(&self, state: &mut impl Hasher) {
        state.write_u8(self.rank());
        match self {
            Node::Const(c) => state.write_u64(c.to_bits()),
            Node::Trainable(k) | Node::Data(k) => state.write_usize(*k),
            Node::Coord { axis, site } => (axis, site).hash(state),
            Node::Unknown { field, alpha, site } => (field, alpha, site).hash(state),
            Node::Table { table, orders, .. } => (table, orders).hash(state),
            Node::Unary(f, _) => f.hash(state),
            Node::Where(cond, ..) => cond.hash(state),
            Node::Add(children) | Node::Mul(children) => state.write_usize(children.len()),
            Node::Pow(..) | Node::Min(..) | Node::Max(..) => {}
        }
    }

    fn own_summary(&self) -> Summary {
        let mut own = Summary::default();
        match self {
            Node::Coord { site, .. } => {
                own.coords = true;
                own.max_site = *site;
            }
            Node::Unknown { alpha, site, .. } => {
                own.unknowns = true;
                own.max_order = alpha.order();
                own.max_site = *site;
            }
            Node::Trainable(_) => own.trainables = true,
            Node::Const(c) => own.undefined = !c.is_finite(),
            // Folding has left these alone because they are not finite, or too small for a number.
            Node::Pow(a, b) => {
                let value = a.as_constant().zip(b.as_constant()).map(|(a, b)| power_value(a, b));
                own.undefined = value.is_some_and(|value| !value.is_finite());
            }
            Node::Unary(f, a) => own.undefined = a.as_constant().is_some_and(|c| !f.apply(c).is_finite()),
            _ => {}
        }
        own
    }

    /// Moves the operands out, leaving a number behind.
    fn take_children(&mut self, out: &mut Vec<Expr>) {
        match std::mem::replace(self, Node::Const(0.0)) {
            Node::Const(_) | Node::Coord { .. } | Node::Unknown { .. } | Node::Trainable(_) | Node::Data(_) => {}
            Node::Add(children) | Node::Mul(children) | Node::Table { args: children, .. } => {
                out.extend(children);
            }
            Node::Pow(a, b) | Node::Min(a, b) | Node::Max(a, b) => out.extend([a, b]),
            Node::Unary(_, a) => out.push(a),
            Node::Where(cond, a, b) => {
                cond.take_exprs(out);
                out.extend([a, b]);
            }
        }
    }
}

impl Summary {
    fn include(&mut self, child: &Summary) {
        self.depth = self.depth.max(child.depth.saturating_add(1));
        self.max_order = self.max_order.max(child.max_order);
        self.max_site = self.max_site.max(child.max_site);
        self.coords |= child.coords;
        self.unknowns |= child.unknowns;
        self.trainables |= child.trainables;
    }
}

/// Trees up to this depth may be dropped by the compiler's recursive glue.
const RECURSIVE_DROP_DEPTH: u32 = 64;

impl Drop for Shared {
    fn drop(&mut self) {
        if self.summary.depth <= RECURSIVE_DROP_DEPTH {
            return;
        }
        let mut orphans = Vec::new();
        self.node.take_children(&mut orphans);
        while let Some(mut orphan) = orphans.pop() {
            // Only the last owner takes a node apart; a shared one lives on.
            if let Some(shared) = Arc::get_mut(&mut orphan.0) {
                shared.node.take_children(&mut orphans);
            }
        }
    }
}
