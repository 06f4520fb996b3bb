//! Sums: flat, constants folded, like terms collected (2u + 3u = 5u), sorted.

use crate::hash::FastMap;
use crate::{Expr, Node};

impl Expr {
    /// The sum of any number of terms. Much cheaper than adding one at a time when there are many.
    pub fn sum(terms: impl IntoIterator<Item = Expr>) -> Expr {
        let mut terms: Vec<Expr> = terms.into_iter().collect();
        loop {
            let mut collected = LikeTerms::default();
            for term in &terms {
                match term.node() {
                    Node::Add(inner) => inner.iter().for_each(|t| collected.push(t)),
                    _ => collected.push(term),
                }
            }
            terms = collected.into_terms();
            // A coefficient that became −1 may have opened an inner sum: then collect once more.
            if !terms.iter().any(|t| matches!(t.node(), Node::Add(_))) {
                break;
            }
        }
        terms.sort();
        match terms.len() {
            0 => Expr::constant(0.0),
            1 => terms.swap_remove(0),
            _ => Expr::from_node(Node::Add(terms)),
        }
    }
}

#[derive(Default)]
struct LikeTerms {
    constant: f64,
    /// (coefficient, rest) of each term.
    terms: Vec<(f64, Expr)>,
    position: FastMap<Expr, usize>,
    /// Terms that would overflow if they were collected.
    apart: Vec<Expr>,
}

impl LikeTerms {
    fn push(&mut self, term: &Expr) {
        if let Some(c) = term.as_constant() {
            let folded = self.constant + c;
            if folded.is_finite() {
                self.constant = folded;
            } else {
                self.apart.push(term.clone());
            }
            return;
        }
        let (coefficient, rest) = split_coefficient(term);
        match self.position.get(&rest) {
            Some(&i) => {
                let collected = self.terms[i].0 + coefficient;
                if collected.is_finite() {
                    self.terms[i].0 = collected;
                } else {
                    self.apart.push(term.clone());
                }
            }
            None => {
                self.position.insert(rest.clone(), self.terms.len());
                self.terms.push((coefficient, rest));
            }
        }
    }

    fn into_terms(self) -> Vec<Expr> {
        let mut terms = self.apart;
        if self.constant != 0.0 {
            terms.push(Expr::constant(self.constant));
        }
        let nonzero = self.terms.into_iter().filter(|(c, rest)| *c != 0.0 || rest.is_undefined());
        let term = |(c, rest): (f64, Expr)| if c == 0.0 { Expr::constant(f64::NAN) } else { scaled(c, &rest) };
        terms.extend(nonzero.map(term));
        match terms.iter().position(Expr::is_constant_nan) {
            Some(never) => vec![terms.swap_remove(never)],
            None => terms,
        }
    }
}

/// 3·x·y as (3, x·y); anything without a coefficient as (1, itself).
fn split_coefficient(term: &Expr) -> (f64, Expr) {
    if let Node::Mul(factors) = term.node()
        && let Some(coefficient) = factors[0].as_constant()
    {
        let rest = match &factors[1..] {
            [single] => single.clone(),
            several => Expr::from_node(Node::Mul(several.to_vec())),
        };
        return (coefficient, rest);
    }
    (1.0, term.clone())
}

/// coefficient · rest, for a rest that carries no leading coefficient of its own. The sign of a sum moves to
/// its terms, which is exact; other coefficients stay outside, because distributing them would round differently.
pub(super) fn scaled(coefficient: f64, rest: &Expr) -> Expr {
    if coefficient == 1.0 {
        return rest.clone();
    }
    match rest.node() {
        Node::Add(terms) if coefficient == -1.0 => {
            let mut terms: Vec<Expr> = terms.iter().map(negated_term).collect();
            terms.sort();
            Expr::from_node(Node::Add(terms))
        }
        Node::Mul(factors) => {
            let coefficient = std::iter::once(Expr::constant(coefficient));
            let factors = coefficient.chain(factors.iter().cloned()).collect();
            Expr::from_node(Node::Mul(factors))
        }
        _ => Expr::from_node(Node::Mul(vec![Expr::constant(coefficient), rest.clone()])),
    }
}

fn negated_term(term: &Expr) -> Expr {
    if let Some(c) = term.as_constant() {
        return Expr::constant(-c);
    }
    let (coefficient, rest) = split_coefficient(term);
    scaled(-coefficient, &rest)
}
