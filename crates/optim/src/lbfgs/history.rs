//! The last m curvature pairs (s, y) = (Δθ, Δ∇f) and the product of the inverse Hessian they imply with −g.
//!
//! Two-loop recursion, Nocedal & Wright (2006), Algorithm 7.4. The book's (s_i, y_i, ρ_i, γ) are `step`, `change`,
//! `rho` and `scale`. With n parameters and m pairs it is bound by memory (m = 100 and n = 500 000 are 800 MB), so each
//! loop reads a pair once: the update with one pair and the product with the next share a pass.

use crate::vector::{axpy, axpy_then_dot, difference_pair_into, dot, scale, scaled_into};

/// Pairs with yᵀs at or below this are not stored.
const LEAST_CURVATURE: f64 = 1e-10;

#[derive(Debug, Clone)]
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    rho: f64,
}

impl Pair {
    fn zeros(dimension: usize) -> Self {
        Self { step: vec![0.0; dimension], change: vec![0.0; dimension], rho: 0.0 }
    }
}

/// A ring of pairs. Memory grows while the ring fills; afterwards nothing is allocated.
#[derive(Debug, Clone)]
pub(crate) struct History {
    capacity: usize,
    pairs: Vec<Pair>,
    oldest: usize,
    /// Receives the next candidate, and changes places with the pair it displaces.
    spare: Pair,
    /// γ = yᵀs / yᵀy of the newest pair: the initial inverse Hessian is γ I.
    scale: f64,
    alphas: Vec<f64>,
}

impl History {
    pub(crate) fn new(capacity: usize, dimension: usize) -> Self {
        let spare = Pair::zeros(dimension);
        Self { capacity, pairs: Vec::new(), oldest: 0, spare, scale: 1.0, alphas: vec![0.0; capacity] }
    }

    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
        self.oldest = 0;
        self.scale = 1.0;
    }

    /// Stores y = `grad` − `grad_previous`, s = `t` `direction` if yᵀs is large enough; otherwise changes nothing.
    pub(crate) fn offer(&mut self, grad: &[f64], grad_previous: &[f64], t: f64, direction: &[f64]) {
        let Pair { step, change, .. } = &mut self.spare;
        let (ys, yy) = difference_pair_into((grad, grad_previous), (t, direction), change, step);
        if ys > LEAST_CURVATURE {
            self.spare.rho = 1.0 / ys;
            self.scale = ys / yy;
            self.store_spare();
        }
    }

    fn store_spare(&mut self) {
        if self.pairs.len() < self.capacity {
            let fresh = Pair::zeros(self.spare.step.len());
            self.pairs.push(std::mem::replace(&mut self.spare, fresh));
        } else {
            std::mem::swap(&mut self.spare, &mut self.pairs[self.oldest]);
            self.oldest = (self.oldest + 1) % self.capacity;
        }
    }

    /// Writes d = −H g.
    pub(crate) fn direction_into(&mut self, grad: &[f64], direction: &mut [f64]) {
        scaled_into(-1.0, grad, direction);
        let count = self.pairs.len();
        let (newer, older) = self.pairs.split_at(self.oldest);
        let pairs = || older.iter().chain(newer); // oldest first
        let mut alphas = std::mem::take(&mut self.alphas);

        let mut product = pairs().next_back().map_or(0.0, |newest| dot(&newest.step, direction));
        let mut earlier = pairs().rev().skip(1);
        for (pair, alpha) in pairs().rev().zip(alphas[..count].iter_mut().rev()) {
            *alpha = product * pair.rho;
            match earlier.next() {
                Some(next) => product = axpy_then_dot(-*alpha, &pair.change, direction, &next.step),
                None => axpy(-*alpha, &pair.change, direction),
            }
        }

        scale(self.scale, direction);

        let mut product = pairs().next().map_or(0.0, |oldest| dot(&oldest.change, direction));
        let mut later = pairs().skip(1);
        for (pair, alpha) in pairs().zip(&alphas[..count]) {
            let weight = alpha - product * pair.rho;
            match later.next() {
                Some(next) => product = axpy_then_dot(weight, &pair.step, direction, &next.change),
                None => axpy(weight, &pair.step, direction),
            }
        }
        self.alphas = alphas;
    }

    /// All steps, all changes (each one after another, oldest first) and all ρ.
    pub(crate) fn flatten(&self) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let (newer, older) = self.pairs.split_at(self.oldest);
        let pairs = || older.iter().chain(newer);
        (
            pairs().flat_map(|pair| &pair.step).copied().collect(),
            pairs().flat_map(|pair| &pair.change).copied().collect(),
            pairs().map(|pair| pair.rho).collect(),
        )
    }

    /// The inverse of [`flatten`](Self::flatten); lengths are the caller's to check.
    pub(crate) fn refill(&mut self, steps: &[f64], changes: &[f64], rhos: &[f64], scale: f64) {
        self.clear();
        self.scale = scale;
        let dimension = self.spare.step.len();
        for (i, &rho) in rhos.iter().enumerate() {
            let range = i * dimension..(i + 1) * dimension;
            let (step, change) = (steps[range.clone()].to_vec(), changes[range].to_vec());
            self.pairs.push(Pair { step, change, rho });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Dense BFGS update of the inverse Hessian: H ← (I − ρ s yᵀ) H (I − ρ y sᵀ) + ρ s sᵀ (eq. 6.17).
    fn dense_inverse(pairs: &[(Vec<f64>, Vec<f64>)], n: usize) -> Vec<Vec<f64>> {
        let (s, y) = pairs.last().expect("at least one pair");
        let gamma = dot(s, y) / dot(y, y);
        let mut h: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| if i == j { gamma } else { 0.0 }).collect()).collect();
        for (s, y) in pairs {
            let rho = 1.0 / dot(s, y);
            let left = |i: usize, k: usize| f64::from(u8::from(i == k)) - rho * s[i] * y[k];
            let entry = |i: usize, j: usize| {
                let sandwiched: f64 = (0..n)
                    .flat_map(|k| (0..n).map(move |l| (k, l)))
                    .map(|(k, l)| left(i, k) * h[k][l] * left(j, l))
                    .sum();
                sandwiched + rho * s[i] * s[j]
            };
            h = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        }
        h
    }

    proptest! {
        #[test]
        fn the_recursion_equals_the_dense_update_with_the_newest_pairs(
            capacity in 1usize..5, seeds in prop::collection::vec(prop::collection::vec(-1.0..1.0, 4), 1..9), grad in prop::collection::vec(-1.0..1.0, 4),
        ) {
            let n = 4;
            let mut history = History::new(capacity, n);
            let mut stored = Vec::new();
            for s in &seeds {
                // y = A s with A = diag(1, 2, 3, 4) + 0.5 (off-diagonal neighbours): positive definite.
                let y: Vec<f64> = (0..n).map(|i| {
                    let side = |j: Option<usize>| j.and_then(|j| s.get(j)).map_or(0.0, |s| 0.5 * s);
                    (i + 1) as f64 * s[i] + side(i.checked_sub(1)) + side(Some(i + 1))
                }).collect();
                prop_assume!(dot(s, &y) > 1e-3);
                history.offer(&y, &[0.0; 4], 2.0, &s.iter().map(|s| 0.5 * s).collect::<Vec<_>>());
                stored.push((s.clone(), y));
            }
            let kept = &stored[stored.len().saturating_sub(capacity)..];
            prop_assert_eq!(history.len(), kept.len());
            let mut got = vec![0.0; n];
            history.direction_into(&grad, &mut got);
            for (row, got) in dense_inverse(kept, n).iter().zip(&got) {
                let want = -dot(row, &grad);
                prop_assert!((want - got).abs() < 1e-7 * (1.0 + want.abs()), "want {want}, got {got}");
            }
        }
    }

    #[test]
    fn pairs_without_curvature_change_nothing() {
        let mut history = History::new(3, 1);
        history.offer(&[2.0], &[1.0], 1.0, &[0.5]);
        let before = history.flatten();
        for flat in [0.0, -1.0, 1e-10, f64::NAN] {
            history.offer(&[flat], &[0.0], 1.0, &[1.0]);
        }
        assert_eq!(history.flatten(), before);
        assert_eq!(history.scale(), 0.5);
    }
}
