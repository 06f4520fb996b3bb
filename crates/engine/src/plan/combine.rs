//! Products, sums and concatenations: which planes make which.
//!
//! A sum of a product and one more part, `y = a ⊙ b + c` (quadratic blocks, hard constraints, `N + ε N'`), takes the product over if
//! nobody else reads it: one pass over the lanes instead of two, and neither values nor adjoints of the product are stored.

use super::Plane;
use super::nodes::{Context, Storage, full_slot};
use super::rules::{Addend, NodePlan, ProductPlan, ProductSlots, Rule, SumPart, SumPlan};
use crate::jet::product_terms;
use crate::network::{Network, Op};

/// For each node that is a sum `a ⊙ b + c`, the product it takes over.
pub(super) fn taken_over(network: &Network) -> Vec<Option<usize>> {
    let mut readers = vec![0; network.ops.len()];
    network.ops.iter().flat_map(Op::operands).for_each(|node| readers[node] += 1);
    let is_own = |node: &&usize| {
        readers[**node] == 1 && **node != network.output && matches!(network.ops[**node], Op::Mul { .. })
    };
    let taken = |op: &Op| match op {
        Op::Sum { parts } if parts.len() == 2 => parts.iter().find(is_own).copied(),
        _ => None,
    };
    network.ops.iter().map(taken).collect()
}

/// What a node reads, given the products that sums take over.
pub(super) fn operands(network: &Network, taken: &[Option<usize>], node: usize) -> Vec<usize> {
    let mut all = network.ops[node].operands();
    if let Some(product) = taken[node] {
        all.retain(|&operand| operand != product);
        all.extend(network.ops[product].operands());
    }
    all
}

impl Context<'_> {
    /// `a ⊙ b` plus, if given, one more node.
    pub(super) fn product(&self, a: usize, b: usize, plus: Option<usize>) -> NodePlan {
        let (left, right) = (&self.nodes[a].planes, &self.nodes[b].planes);
        let terms: Vec<Vec<ProductSlots>> = (0..self.channels.len())
            .map(|c| {
                product_terms(self.channels, c)
                    .iter()
                    .filter_map(|t| Some((t.coef.into(), full_slot(left[t.left])?, full_slot(right[t.right])?)))
                    .collect()
            })
            .collect();
        let added = |c: usize| plus.and_then(|node| full_slot(self.nodes[node].planes[c]));
        let kind = |c: usize| if terms[c].is_empty() && added(c).is_none() { Storage::Zero } else { Storage::Full };
        self.store(kind, |planes| {
            let stored = planes.iter().zip(&terms).filter(|(plane, _)| full_slot(**plane).is_some());
            let terms: Vec<Vec<ProductSlots>> = stored.map(|(_, terms)| terms.clone()).collect();
            let mut by_a = vec![Vec::new(); self.nodes[a].full];
            let mut by_b = vec![Vec::new(); self.nodes[b].full];
            for (slot, terms) in terms.iter().enumerate() {
                for &(coef, left, right) in terms {
                    by_a[left].push((coef, slot, right));
                    by_b[right].push((coef, slot, left));
                }
            }
            let plus = plus.map(|node| {
                let (to, from) = self.pairs(node, planes);
                Addend { node, to, from }
            });
            Rule::Product(ProductPlan { a, b, terms, adjoint_terms: [by_a, by_b], plus })
        })
    }

    /// The sum of nodes, or the nodes one after another.
    pub(super) fn sum(&self, parts: &[usize], side_by_side: bool) -> NodePlan {
        let kind = |c: usize| {
            let any = parts.iter().any(|&p| full_slot(self.nodes[p].planes[c]).is_some());
            if any { Storage::Full } else { Storage::Zero }
        };
        self.store(kind, |planes| {
            let mut next_unit = 0;
            let part = |&node: &usize| {
                let (first_unit, (to, from)) = (next_unit, self.pairs(node, planes));
                next_unit += if side_by_side { self.nodes[node].width } else { 0 };
                SumPart { node, first_unit, to, from }
            };
            Rule::Sum(SumPlan { parts: parts.iter().map(part).collect() })
        })
    }

    /// The plane of `node` that each plane of the result takes, and the other way round.
    fn pairs(&self, node: usize, planes: &[Plane]) -> (Vec<Option<usize>>, Vec<Option<usize>>) {
        let full = planes.iter().filter_map(|plane| full_slot(*plane)).count();
        let (mut to, mut from) = (vec![None; full], vec![None; self.nodes[node].full]);
        for (own, target) in self.nodes[node].planes.iter().zip(planes) {
            if let (Some(own), Some(target)) = (full_slot(*own), full_slot(*target)) {
                (to[target], from[own]) = (Some(own), Some(target));
            }
        }
        (to, from)
    }
}
