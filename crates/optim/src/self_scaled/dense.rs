//! H itself, n(n + 1)/2 numbers: the lower triangle row by row, so that it is symmetric by construction.
//!
//! Both operations read each row once. The update of Broyden's family (see [`scaling`](super::scaling)) has rank two:
//! with u = H y, q = yᵀu, ρ = 1/yᵀs,
//! H ← τ⁻¹ H + (φ − 1)/(τ q) u uᵀ − φρ/τ (u sᵀ + s uᵀ) + ρ (φ q ρ/τ + 1) s sᵀ.

use super::scaling::{Factors, curvature_ratio, factors};
use crate::descent::Taken;
use crate::vector::{axpy_and_dot, combine, difference_pair_into, dot, scale, scaled_into};
use crate::{OptimError, SelfScaledVariant, State};

#[derive(Debug, Clone)]
pub(super) struct DenseInverse {
    variant: SelfScaledVariant,
    /// Empty until the first update: H = I needs no memory.
    lower: Vec<f64>,
    /// Updates since H was the identity.
    updates: u64,
    step: Vec<f64>,
    change: Vec<f64>,
    /// u = H y.
    image: Vec<f64>,
}

impl DenseInverse {
    /// H = I, with the memory for its updates reserved.
    pub(super) fn new(optimizer: &'static str, variant: SelfScaledVariant, n: usize) -> Result<Self, OptimError> {
        let mut lower = Vec::new();
        let entries = n as u128 * (n as u128 + 1) / 2;
        let reserved = usize::try_from(entries).is_ok_and(|entries| lower.try_reserve_exact(entries).is_ok());
        if !reserved {
            return Err(OptimError::MatrixTooLarge { optimizer, dimension: n, bytes: 8 * entries });
        }
        let zeros = || vec![0.0; n];
        Ok(Self { variant, lower, updates: 0, step: zeros(), change: zeros(), image: zeros() })
    }

    pub(super) fn is_identity(&self) -> bool {
        self.updates == 0
    }

    pub(super) fn forget(&mut self) {
        self.updates = 0;
        self.lower.clear();
    }

    pub(super) fn learn(&mut self, taken: Taken<'_>) {
        let Taken { grad, grad_previous, t, direction } = taken;
        let (ys, yy) = difference_pair_into((grad, grad_previous), (t, direction), &mut self.change, &mut self.step);
        let Some(b) = curvature_ratio(taken, ys, yy) else { return };
        if self.is_identity() {
            self.image.copy_from_slice(&self.change);
        } else {
            product_into(&self.lower, &self.change, &mut self.image);
        }
        let q = dot(&self.change, &self.image);
        if q > 0.0 && q.is_finite() {
            self.update(b, ys, q);
        } else {
            self.forget(); // rounding has made H indefinite
        }
    }

    fn update(&mut self, b: f64, ys: f64, q: f64) {
        let n = self.step.len();
        let first = self.is_identity();
        let Factors { gain, phi } = factors(self.variant, n, b, q / ys, first);
        let rho = 1.0 / ys;
        let uu = gain * (phi - 1.0) / q;
        let us = -gain * phi * rho;
        let ss = rho * (gain * phi * q * rho + 1.0);
        if ![gain, uu, us, ss].iter().all(|factor| factor.is_finite()) {
            return;
        }
        if first {
            self.become_identity(n);
        }
        let mut rest = self.lower.as_mut_slice();
        for (i, (u, s)) in self.image.iter().zip(&self.step).enumerate() {
            let (row, below) = rest.split_at_mut(i + 1);
            combine(gain, row, (uu * u + us * s, &self.image[..=i]), (us * u + ss * s, &self.step[..=i]));
            rest = below;
        }
        self.updates += 1;
    }

    fn become_identity(&mut self, n: usize) {
        self.lower.clear();
        self.lower.resize(n * (n + 1) / 2, 0.0);
        for i in 0..n {
            self.lower[i * (i + 3) / 2] = 1.0;
        }
    }

    pub(super) fn direction_into(&self, grad: &[f64], direction: &mut [f64]) {
        if self.is_identity() {
            scaled_into(-1.0, grad, direction);
        } else {
            product_into(&self.lower, grad, direction);
            scale(-1.0, direction);
        }
    }

    pub(super) fn save_into(&self, state: State) -> State {
        state.with_count("updates", self.updates).with_vector("inverse_hessian", self.lower.clone())
    }

    /// Takes H from what [`save_into`](Self::save_into) wrote.
    pub(super) fn load(&mut self, state: &State) -> Result<(), OptimError> {
        let n = self.step.len();
        let updates = state.count("updates")?;
        let entries = if updates == 0 { 0 } else { n * (n + 1) / 2 };
        self.refill(updates, state.vector("inverse_hessian", entries)?);
        Ok(())
    }

    fn refill(&mut self, updates: u64, lower: &[f64]) {
        self.updates = updates;
        self.lower.clear();
        self.lower.extend_from_slice(lower);
    }
}

/// out ← H x. Row i of the triangle serves twice: as row i, and left of its diagonal as part of column i.
fn product_into(lower: &[f64], x: &[f64], out: &mut [f64]) {
    let mut rest = lower;
    for (i, &x_i) in x.iter().enumerate() {
        let (row, below) = rest.split_at(i + 1);
        let (done, todo) = out.split_at_mut(i);
        todo[0] = axpy_and_dot(x_i, &row[..i], done, &x[..i]) + row[i] * x_i;
        rest = below;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const N: usize = 5;

    type Square = [[f64; N]; N];

    fn square(inverse: &DenseInverse) -> Square {
        let entry = |i: usize, j: usize| inverse.lower[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)];
        std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
    }

    fn times(h: &Square, x: &[f64]) -> [f64; N] {
        std::array::from_fn(|i| h[i].iter().zip(x).map(|(h, x)| h * x).sum())
    }

    fn largest(h: &Square) -> f64 {
        h.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()))
    }

    /// Cholesky without square roots: all pivots are positive.
    fn is_positive_definite(mut h: Square) -> bool {
        (0..N).all(|k| {
            let pivot = h[k];
            for row in h.iter_mut().skip(k + 1) {
                let factor = row[k] / pivot[k];
                row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
            }
            pivot[k] > 0.0
        })
    }

    /// The update as the papers write it.
    fn textbook(h: &Square, s: &[f64], y: &[f64], Factors { gain, phi }: Factors) -> Square {
        let image = times(h, y);
        let (ys, q) = (dot(y, s), dot(y, &image));
        let v: [f64; N] = std::array::from_fn(|i| q.sqrt() * (s[i] / ys - image[i] / q));
        std::array::from_fn(|i| {
            std::array::from_fn(|j| gain * (h[i][j] - image[i] * image[j] / q + phi * v[i] * v[j]) + s[i] * s[j] / ys)
        })
    }

    /// y = A s for A = diag(1, 2, …) + 0.5 on the neighbours: positive definite.
    fn change(s: &[f64]) -> [f64; N] {
        let at = |j: Option<usize>| j.and_then(|j| s.get(j)).copied().unwrap_or(0.0);
        std::array::from_fn(|i| (i + 1) as f64 * s[i] + 0.5 * (at(i.checked_sub(1)) + at(Some(i + 1))))
    }

    proptest! {
        #[test]
        fn every_update_is_the_textbooks_and_keeps_secant_and_definiteness(
            broyden: bool, steps in prop::collection::vec((prop::array::uniform5(-1.0..1.0f64), 0.05..3.0f64), 1..12),
        ) {
            let variant = if broyden { SelfScaledVariant::Broyden } else { SelfScaledVariant::Bfgs };
            let mut inverse = DenseInverse::new("test", variant, N).unwrap();
            for (count, (g, t)) in steps.iter().enumerate() {
                prop_assume!(dot(g, g) > 0.01);
                let mut d = [0.0; N];
                inverse.direction_into(g, &mut d);
                let s = d.map(|d| t * d);
                let y = change(&s);
                let after: [f64; N] = std::array::from_fn(|i| g[i] + y[i]);
                let mut before = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
                if count > 0 {
                    before = square(&inverse);
                }
                inverse.learn(Taken { grad: &after, grad_previous: g, t: *t, direction: &d });
                prop_assert_eq!(inverse.updates, count as u64 + 1);

                let (ys, q) = (dot(&y, &s), dot(&y, &times(&before, &y)));
                let b = -t * dot(&s, g) / ys;
                let want = textbook(&before, &s, &y, factors(variant, N, b, q / ys, count == 0));
                let got = square(&inverse);
                for (got, want_entry) in got.iter().flatten().zip(want.iter().flatten()) {
                    prop_assert!((got - want_entry).abs() < 1e-7 * largest(&want), "{got} {want_entry}");
                }
                for (hy, s) in times(&got, &y).iter().zip(&s) {
                    prop_assert!((hy - s).abs() < 1e-7 * largest(&got) * dot(&y, &y).sqrt(), "H y = {hy}, s = {s}");
                }
                prop_assert!(is_positive_definite(got));
            }
        }

        #[test]
        fn the_product_with_the_triangle_is_that_with_the_matrix(
            lower in prop::collection::vec(-1.0..1.0f64, 15), x in prop::array::uniform5(-1.0..1.0f64),
        ) {
            let mut inverse = DenseInverse::new("test", SelfScaledVariant::Bfgs, N).unwrap();
            inverse.refill(1, &lower);
            let mut got = [f64::NAN; N]; // whatever was there is overwritten
            inverse.direction_into(&x, &mut got);
            for (got, want) in got.iter().zip(times(&square(&inverse), &x)) {
                prop_assert!((got + want).abs() < 1e-14);
            }
        }
    }

    /// τ = 1 and φ = 1 is plain BFGS, H ← (I − ρ s yᵀ) H (I − ρ y sᵀ) + ρ s sᵀ.
    #[test]
    fn without_scaling_it_is_plain_bfgs() {
        let mut inverse = DenseInverse::new("test", SelfScaledVariant::Bfgs, N).unwrap();
        inverse.become_identity(N);
        inverse.updates = 1;
        let g = [1.0, -0.5, 0.25, 2.0, 0.1];
        let mut d = [0.0; N];
        inverse.direction_into(&g, &mut d);
        let y = change(&d); // all curvatures are above 0.5 and sᵀBs = sᵀs: b < 1 here, so τ = 1
        assert!(dot(&d, &d) < dot(&y, &d));
        let after: [f64; N] = std::array::from_fn(|i| g[i] + y[i]);
        inverse.learn(Taken { grad: &after, grad_previous: &g, t: 1.0, direction: &d });
        let rho = 1.0 / dot(&y, &d);
        let left = |i: usize, k: usize| f64::from(u8::from(i == k)) - rho * d[i] * y[k];
        for (i, row) in square(&inverse).iter().enumerate() {
            for (j, got) in row.iter().enumerate() {
                let want: f64 = (0..N).map(|k| left(i, k) * left(j, k)).sum::<f64>() + rho * d[i] * d[j];
                assert!((got - want).abs() < 1e-14, "{i}, {j}: {got}, want {want}");
            }
        }
    }

    #[test]
    fn a_matrix_that_rounding_made_indefinite_is_dropped() {
        let mut inverse = DenseInverse::new("test", SelfScaledVariant::Broyden, 2).unwrap();
        inverse.refill(3, &[1.0, 0.0, -1.0]);
        inverse.learn(Taken { grad: &[-0.5, 1.0], grad_previous: &[-1.0, -1.0], t: 1.0, direction: &[1.0, 1.0] });
        assert!(inverse.is_identity(), "yᵀHy < 0, but yᵀs > 0");
    }
}
