//! The last m curvature pairs (s, y) = (Δθ, Δ∇f) and the product of the inverse Hessian they imply with −g.
//!
//! Two-loop recursion, Nocedal & Wright (2006), Algorithm 7.4. The book's (s_i, y_i, ρ_i, γ) are `step`, `change`,
//! `rho` and `scale`. With n parameters and m pairs it is bound by memory (m = 100 and n = 500 000 are 800 MB), so each
//! loop reads a pair once: the update with one pair and the product with the next share a pass.
//!
//! A pair may carry a gain ω ≠ 1 (a self-scaled update multiplies the matrix it starts from):
//! H_{i+1} = ω_i (I − ρ s yᵀ) H_i (I − ρ y sᵀ) + ρ s sᵀ. The gains commute with the recursion, so they cost scalars,
//! not passes: the first loop stays as it is and only α_i is multiplied by the gains of the newer pairs.

use crate::descent::Taken;
use crate::vector::{axpy, axpy_then_dot, difference_pair_into, dot, scale, scaled_into};
use crate::{OptimError, State};

#[derive(Debug, Clone)]
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    rho: f64,
    /// ω, never applied for the oldest pair: what lies below it is the base γ I.
    gain: f64,
}

impl Pair {
    fn zeros(dimension: usize) -> Self {
        Self { step: vec![0.0; dimension], change: vec![0.0; dimension], rho: 0.0, gain: 1.0 }
    }
}

/// Which pair gives the base matrix γ I its γ = yᵀs / yᵀy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    Newest,
    Oldest,
}

/// Products of a proposed pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    pub(crate) ys: f64,
    pub(crate) yy: f64,
}

/// A ring of pairs. Memory grows while the ring fills; afterwards nothing is allocated.
#[derive(Debug, Clone)]
pub(crate) struct History {
    capacity: usize,
    pairs: Vec<Pair>,
    oldest: usize,
    /// Receives the next candidate, and changes places with the pair it displaces.
    spare: Pair,
    base: Base,
    /// γ of the pair that gives the base.
    scale: f64,
    alphas: Vec<f64>,
}

impl History {
    pub(crate) fn new(capacity: usize, dimension: usize, base: Base) -> Self {
        let spare = Pair::zeros(dimension);
        Self { capacity, pairs: Vec::new(), oldest: 0, spare, base, scale: 1.0, alphas: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
        self.oldest = 0;
        self.scale = 1.0;
    }

    /// Forms the pair of a step, and stores it only if [`keep`](Self::keep) follows.
    pub(crate) fn propose(&mut self, taken: Taken<'_>) -> Measured {
        let Pair { step, change, .. } = &mut self.spare;
        let Taken { grad, grad_previous, t, direction } = taken;
        let (ys, yy) = difference_pair_into((grad, grad_previous), (t, direction), change, step);
        Measured { ys, yy }
    }

    /// Stores the pair proposed last, with its gain.
    pub(crate) fn keep(&mut self, Measured { ys, yy }: Measured, gain: f64) {
        (self.spare.rho, self.spare.gain) = (1.0 / ys, gain);
        let displaces = self.len() == self.capacity;
        self.store_spare();
        match self.base {
            Base::Oldest if displaces => {
                let Pair { step, change, .. } = &self.pairs[self.oldest];
                self.scale = dot(change, step) / dot(change, change);
            }
            Base::Oldest if self.len() > 1 => {}
            Base::Oldest | Base::Newest => self.scale = ys / yy,
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
    pub(crate) fn descend_into(&mut self, grad: &[f64], direction: &mut [f64]) {
        scaled_into(-1.0, grad, direction);
        let count = self.pairs.len();
        let (newer, older) = self.pairs.split_at(self.oldest);
        let pairs = || older.iter().chain(newer); // oldest first
        let mut alphas = std::mem::take(&mut self.alphas);
        alphas.resize(count, 0.0);
        let mut gain = 1.0; // of the pairs passed

        let mut product = pairs().next_back().map_or(0.0, |newest| dot(&newest.step, direction));
        let mut earlier = pairs().rev().skip(1);
        for (pair, alpha) in pairs().rev().zip(alphas.iter_mut().rev()) {
            let plain = product * pair.rho;
            *alpha = gain * plain;
            match earlier.next() {
                Some(next) => {
                    product = axpy_then_dot(-plain, &pair.change, direction, &next.step);
                    gain *= pair.gain;
                }
                None => axpy(-plain, &pair.change, direction),
            }
        }

        scale(gain * self.scale, direction);

        let mut product = pairs().next().map_or(0.0, |oldest| dot(&oldest.change, direction));
        let mut later = pairs().skip(1);
        for (pair, alpha) in pairs().zip(&alphas) {
            let weight = alpha - product * pair.rho;
            match later.next() {
                Some(next) => product = axpy_then_dot(weight, &pair.step, direction, &next.change),
                None => axpy(weight, &pair.step, direction),
            }
        }
        self.alphas = alphas;
    }

    fn oldest_first(&self) -> impl Iterator<Item = &Pair> {
        let (newer, older) = self.pairs.split_at(self.oldest);
        older.iter().chain(newer)
    }

    /// Adds the pairs to an optimiser's state, oldest first.
    pub(crate) fn save_into(&self, state: State) -> State {
        let numbers = |of: fn(&Pair) -> f64| self.oldest_first().map(of).collect();
        let state = state
            .with_count("pairs", self.len() as u64)
            .with_scalar("scale", self.scale)
            .with_vector("pair_steps", self.oldest_first().flat_map(|pair| &pair.step).copied().collect())
            .with_vector("pair_changes", self.oldest_first().flat_map(|pair| &pair.change).copied().collect())
            .with_vector("pair_rhos", numbers(|pair| pair.rho));
        match self.base {
            Base::Newest => state, // all gains are 1
            Base::Oldest => state.with_vector("pair_gains", numbers(|pair| pair.gain)),
        }
    }

    /// Takes the pairs from what [`save_into`](Self::save_into) wrote. `setting` is what the optimiser calls the capacity.
    pub(crate) fn load(&mut self, state: &State, setting: &'static str) -> Result<(), OptimError> {
        let (stored, capacity, dimension) = (state.count("pairs")? as usize, self.capacity, self.spare.step.len());
        if stored > capacity {
            let optimizer = state.optimizer.clone();
            return Err(OptimError::HistoryTooLong { optimizer, setting, stored, capacity });
        }
        let gains = match self.base {
            Base::Newest => None,
            Base::Oldest => Some(state.vector("pair_gains", stored)?),
        };
        let steps = state.vector("pair_steps", stored * dimension)?;
        let changes = state.vector("pair_changes", stored * dimension)?;
        self.clear();
        self.scale = state.scalar("scale")?;
        for (i, &rho) in state.vector("pair_rhos", stored)?.iter().enumerate() {
            let range = i * dimension..(i + 1) * dimension;
            let (step, change) = (steps[range.clone()].to_vec(), changes[range].to_vec());
            self.pairs.push(Pair { step, change, rho, gain: gains.map_or(1.0, |gains| gains[i]) });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn taken<'a>(y: &'a [f64], zero: &'a [f64], t: f64, direction: &'a [f64]) -> Taken<'a> {
        Taken { grad: y, grad_previous: zero, t, direction }
    }

    /// Dense update of the inverse Hessian, H ← ω (I − ρ s yᵀ) H (I − ρ y sᵀ) + ρ s sᵀ (eq. 6.17 has ω = 1), from γ I.
    fn dense_inverse(pairs: &[(Vec<f64>, Vec<f64>, f64)], gamma: f64, n: usize) -> Vec<Vec<f64>> {
        let mut h: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| if i == j { gamma } else { 0.0 }).collect()).collect();
        for (place, (s, y, gain)) in pairs.iter().enumerate() {
            let gain = if place == 0 { 1.0 } else { *gain };
            let rho = 1.0 / dot(s, y);
            let left = |i: usize, k: usize| f64::from(u8::from(i == k)) - rho * s[i] * y[k];
            let entry = |i: usize, j: usize| {
                let sandwiched: f64 = (0..n)
                    .flat_map(|k| (0..n).map(move |l| (k, l)))
                    .map(|(k, l)| left(i, k) * h[k][l] * left(j, l))
                    .sum();
                gain * sandwiched + rho * s[i] * s[j]
            };
            h = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        }
        h
    }

    proptest! {
        #[test]
        fn the_recursion_equals_the_dense_update_with_the_newest_pairs(
            capacity in 1usize..5, seeds in prop::collection::vec((prop::collection::vec(-1.0..1.0, 4), 1.0..3.0f64), 1..9),
            grad in prop::collection::vec(-1.0..1.0, 4), oldest: bool,
        ) {
            let n = 4;
            let base = if oldest { Base::Oldest } else { Base::Newest };
            let mut history = History::new(capacity, n, base);
            let mut stored = Vec::new();
            for (s, gain) in &seeds {
                // y = A s with A = diag(1, 2, 3, 4) + 0.5 (off-diagonal neighbours): positive definite.
                let y: Vec<f64> = (0..n).map(|i| {
                    let side = |j: Option<usize>| j.and_then(|j| s.get(j)).map_or(0.0, |s| 0.5 * s);
                    (i + 1) as f64 * s[i] + side(i.checked_sub(1)) + side(Some(i + 1))
                }).collect();
                prop_assume!(dot(s, &y) > 1e-3);
                let half: Vec<_> = s.iter().map(|s| 0.5 * s).collect();
                let measured = history.propose(taken(&y, &[0.0; 4], 2.0, &half));
                history.keep(measured, *gain);
                stored.push((s.clone(), y, *gain));
            }
            let kept = &stored[stored.len().saturating_sub(capacity)..];
            prop_assert_eq!(history.len(), kept.len());
            let (s, y, _) = if oldest { &kept[0] } else { &kept[kept.len() - 1] };
            let mut got = vec![0.0; n];
            history.descend_into(&grad, &mut got);
            for (row, got) in dense_inverse(kept, dot(s, y) / dot(y, y), n).iter().zip(&got) {
                let want = -dot(row, &grad);
                prop_assert!((want - got).abs() < 1e-7 * (1.0 + want.abs()), "want {want}, got {got}");
            }
        }
    }

    #[test]
    fn a_pair_that_is_not_kept_changes_nothing() {
        let mut history = History::new(3, 1, Base::Newest);
        let measured = history.propose(taken(&[2.0], &[1.0], 1.0, &[0.5]));
        history.keep(measured, 1.0);
        let before = history.save_into(State::new("pairs"));
        history.propose(taken(&[f64::NAN], &[0.0], 1.0, &[1.0]));
        assert_eq!(history.save_into(State::new("pairs")), before);
        assert_eq!(before.scalars["scale"], 0.5);
    }
}
