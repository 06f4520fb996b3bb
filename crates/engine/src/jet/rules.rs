//! The chain rule (Faà di Bruno) and the product rule (Leibniz) as lists of terms over channels.
//!
//! For a plain derivative of order m, with its m directions labelled,
//! `∂^α σ(z) = Σ_π σ^(|π|)(z) Π_{B∈π} ∂^B z` over the set partitions π of {1…m}. For a collapsed operator `L` the one-block
//! partitions add up to `σ'(z)·Lz`, so only lower plain derivatives are needed beside `Lz` itself.

use super::alpha::Alpha;
use super::channels::{ChannelSet, Coef};
use std::collections::BTreeMap;

/// One term `coef · σ^(order)(z) · Π z_c` of the chain rule; `order` equals the number of factors.
#[derive(Clone, Debug, PartialEq)]
pub struct ComposeTerm {
    /// Coefficient, constant or varying from point to point.
    pub coef: Coef,
    /// Channels of `z` multiplied together.
    pub factors: Vec<usize>,
}

/// One term `coef · a_left · b_right` of the product rule.
#[derive(Clone, Debug, PartialEq)]
pub struct ProductTerm {
    /// Coefficient, constant or varying from point to point.
    pub coef: Coef,
    /// Channel of the first operand.
    pub left: usize,
    /// Channel of the second operand.
    pub right: usize,
}

/// Chain-rule terms of `channel` for `h = σ(z)`. Empty for the value channel, which is `σ(z)` itself.
pub fn compose_terms(channels: &ChannelSet, channel: usize) -> Vec<ComposeTerm> {
    if channel == 0 {
        return Vec::new();
    }
    let mut terms = vec![ComposeTerm { coef: Coef::Const(1.0), factors: vec![channel] }];
    for (alpha, coef) in &channels.operators()[channel].parts {
        // Equal products from different partitions are gathered: ∂xxxx has 3·z_xx² and 4·z_x z_xxx.
        let mut counts: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
        for blocks in set_partitions(alpha.order()).into_iter().filter(|blocks| blocks.len() > 1) {
            let mut factors: Vec<usize> =
                blocks.iter().map(|&mask| plain_channel(channels, alpha.pick(mask))).collect();
            factors.sort_unstable();
            *counts.entry(factors).or_default() += 1.0;
        }
        terms.extend(counts.into_iter().map(|(factors, count)| ComposeTerm { coef: coef.scaled(count), factors }));
    }
    terms
}

/// Product-rule terms of `channel` for `y = a·b`.
pub fn product_terms(channels: &ChannelSet, channel: usize) -> Vec<ProductTerm> {
    let one = Coef::Const(1.0);
    if channel == 0 {
        return vec![ProductTerm { coef: one, left: 0, right: 0 }];
    }
    let mut terms =
        vec![ProductTerm { coef: one, left: channel, right: 0 }, ProductTerm { coef: one, left: 0, right: channel }];
    for (alpha, coef) in &channels.operators()[channel].parts {
        let full = (1usize << alpha.order()) - 1;
        let mut counts: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for mask in 1..full {
            let pair = (plain_channel(channels, alpha.pick(mask)), plain_channel(channels, alpha.pick(full & !mask)));
            *counts.entry(pair).or_default() += 1.0;
        }
        terms.extend(counts.into_iter().map(|((left, right), count)| ProductTerm {
            coef: coef.scaled(count),
            left,
            right,
        }));
    }
    terms
}

fn plain_channel(channels: &ChannelSet, alpha: Alpha) -> usize {
    channels.plain(alpha).expect("a channel set is closed under the parts of its operators")
}

/// All partitions of {0…m−1} into non-empty blocks, each block a bit mask.
fn set_partitions(m: usize) -> Vec<Vec<usize>> {
    let mut partitions = vec![Vec::new()];
    for element in 0..m {
        let mut next = Vec::new();
        for partition in partitions {
            for block in 0..partition.len() {
                let mut joined: Vec<usize> = partition.clone();
                joined[block] |= 1 << element;
                next.push(joined);
            }
            let mut alone = partition;
            alone.push(1 << element);
            next.push(alone);
        }
        partitions = next;
    }
    partitions
}

#[cfg(test)]
mod tests {
    use super::super::channels::Operator;
    use super::*;

    #[test]
    fn partitions_are_counted_by_bell_numbers() {
        let counts: Vec<usize> = (0..6).map(|m| set_partitions(m).len()).collect();
        assert_eq!(counts, [1, 1, 2, 5, 15, 52]);
    }

    #[test]
    fn fourth_derivative_has_the_textbook_coefficients() {
        // f'''' = s1 z4 + 4 s2 z1 z3 + 3 s2 z2² + 6 s3 z1² z2 + s4 z1⁴
        let channels = ChannelSet::covering(&[Operator::plain(Alpha::new(&[0; 4]))]);
        let mut found: Vec<(f64, usize)> = compose_terms(&channels, 4)
            .iter()
            .map(|t| (if let Coef::Const(c) = t.coef { c } else { f64::NAN }, t.factors.len()))
            .collect();
        found.sort_by(|a, b| (a.1, a.0).partial_cmp(&(b.1, b.0)).expect("finite"));
        assert_eq!(found, [(1.0, 1), (3.0, 2), (4.0, 2), (6.0, 3), (1.0, 4)]);
    }

    #[test]
    fn the_product_rule_of_a_mixed_third_derivative_adds_up_to_eight() {
        let channels = ChannelSet::covering(&[Operator::plain(Alpha::new(&[0, 0, 1]))]);
        let total: f64 = product_terms(&channels, channels.len() - 1)
            .iter()
            .map(|t| if let Coef::Const(c) = t.coef { c } else { f64::NAN })
            .sum();
        assert_eq!(total, 8.0);
    }
}
