//! The one walk over expressions: post-order, on an explicit stack, each shared node visited once.

use crate::Expr;
use crate::hash::FastMap;

/// Computes `visit(node, results of its operands)` bottom-up and returns the result of `root`.
pub(crate) fn fold<T: Clone>(root: &Expr, mut visit: impl FnMut(&Expr, &[T]) -> T) -> T {
    let mut results: FastMap<usize, T> = FastMap::default();
    let mut operands = Vec::new();
    let mut stack = vec![(root, false)];
    while let Some((expr, operands_are_done)) = stack.pop() {
        if results.contains_key(&expr.identity()) {
            continue;
        }
        if operands_are_done {
            operands.clear();
            expr.node().for_each_child(&mut |child| operands.push(results[&child.identity()].clone()));
            let result = visit(expr, &operands);
            results.insert(expr.identity(), result);
        } else {
            stack.push((expr, true));
            expr.node().for_each_child(&mut |child| stack.push((child, false)));
        }
    }
    results.remove(&root.identity()).expect("the walk ends at the root")
}

impl Expr {
    /// What `visit` makes of the root, from what it makes of the operands (those of a condition before its branches), bottom-up: every
    /// shared part once, and no recursion however deep it is. For those who compile expressions to something else.
    ///
    /// ```
    /// # use ropinn_expr::{Node, Scope};
    /// let expr = Scope::new(["x"], ["u"])?.parse("sin(x)^2 + x")?;
    /// let depth = expr.fold(|_, below: &[u32]| 1 + below.iter().max().copied().unwrap_or(0));
    /// assert_eq!(depth, 4);
    /// # Ok::<(), ropinn_expr::Error>(())
    /// ```
    pub fn fold<T: Clone>(&self, visit: impl FnMut(&Expr, &[T]) -> T) -> T {
        fold(self, visit)
    }
}

/// Calls `visit` once for every distinct node.
pub(crate) fn for_each_node(root: &Expr, mut visit: impl FnMut(&Expr)) {
    fold(root, |expr, _: &[()]| visit(expr));
}
