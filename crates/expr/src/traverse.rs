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

/// Calls `visit` once for every distinct node.
pub(crate) fn for_each_node(root: &Expr, mut visit: impl FnMut(&Expr)) {
    fold(root, |expr, _: &[()]| visit(expr));
}
