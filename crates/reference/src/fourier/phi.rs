//! The functions φ_j(z) = ∫₀¹ e^((1−s)z) s^(j−1)/(j−1)! ds of a small matrix, φ₀ = e^z, by scaling and squaring:
//!
//! φ₃ from its series at z/2ˢ, φ_j(z) = zφ_{j+1}(z) + 1/j!, and from z to 2z (Skaflestad & Wright 2009)
//! φ₀ ← φ₀², φ₁ ← (φ₀ + 1)φ₁/2, φ₂ ← (φ₁² + 2φ₂)/4, φ₃ ← (φ₁φ₂ + φ₂ + 2φ₃)/8. No eigenvalues are needed, and nothing cancels
//! where z is small, the trouble of the formulas (e^z − 1)/z, ….

use num_complex::Complex64;
use std::ops::{Add, Mul};

/// Rows of the largest matrix.
pub(super) const MAX_UNKNOWNS: usize = 4;

/// A square matrix of `rows` rows, the others unused.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix {
    rows: usize,
    entries: [[Complex64; MAX_UNKNOWNS]; MAX_UNKNOWNS],
}

impl Matrix {
    pub fn zero(rows: usize) -> Self {
        Self { rows, entries: [[Complex64::ZERO; MAX_UNKNOWNS]; MAX_UNKNOWNS] }
    }

    pub fn identity(rows: usize) -> Self {
        let mut matrix = Self::zero(rows);
        (0..rows).for_each(|i| matrix.entries[i][i] = Complex64::ONE);
        matrix
    }

    /// One entry of many matrices, for each entry: rows one after the other.
    pub fn planes(matrices: impl Iterator<Item = Matrix> + Clone, rows: usize) -> Vec<Complex64> {
        let entries = (0..rows * rows).map(|entry| (entry / rows, entry % rows));
        entries.flat_map(|(i, j)| matrices.clone().map(move |matrix| matrix.entries[i][j])).collect()
    }

    pub fn entry(&mut self, row: usize, column: usize) -> &mut Complex64 {
        &mut self.entries[row][column]
    }

    /// The largest sum of sizes in a row.
    fn norm(&self) -> f64 {
        let sum = |row: &[Complex64; MAX_UNKNOWNS]| row[..self.rows].iter().map(|entry| entry.norm()).sum();
        self.entries[..self.rows].iter().map(sum).fold(0.0, f64::max)
    }

    /// φ₀ to φ₃.
    pub fn phi(&self) -> [Matrix; 4] {
        const TERMS: u32 = 14;
        let one = Self::identity(self.rows);
        let halvings = self.norm().log2().ceil().clamp(-1.0, 1000.0) as i32 + 1;
        let z = *self * 0.5_f64.powi(halvings);
        // φ₃ = Σ zⁿ/(n + 3)!, by Horner's rule.
        let start = one * (1.0 / f64::from(TERMS + 3));
        let series = (3..TERMS + 3).rev().fold(start, |sum, n| (z * sum + one) * (1.0 / f64::from(n)));
        let third = series * 0.5;
        let second = z * third + one * 0.5;
        let first = z * second + one;
        let double = |[e, first, second, third]: [Matrix; 4]| {
            [
                e * e,
                (e + one) * first * 0.5,
                (first * first + second * 2.0) * 0.25,
                (first * second + second + third * 2.0) * 0.125,
            ]
        };
        (0..halvings).fold([z * first + one, first, second, third], |phi, _| double(phi))
    }
}

/// φ₀ to φ₃ of a number.
pub(crate) fn phi_of_number(z: f64) -> [f64; 4] {
    let mut matrix = Matrix::zero(1);
    *matrix.entry(0, 0) = z.into();
    matrix.phi().map(|mut phi| phi.entry(0, 0).re)
}

impl Add for Matrix {
    type Output = Matrix;

    fn add(mut self, other: Matrix) -> Matrix {
        for (row, others) in self.entries[..self.rows].iter_mut().zip(&other.entries) {
            row[..other.rows].iter_mut().zip(others).for_each(|(entry, other)| *entry += other);
        }
        self
    }
}

impl Mul<f64> for Matrix {
    type Output = Matrix;

    fn mul(mut self, factor: f64) -> Matrix {
        self.entries[..self.rows].iter_mut().flatten().for_each(|entry| *entry *= factor);
        self
    }
}

impl Mul for Matrix {
    type Output = Matrix;

    fn mul(self, other: Matrix) -> Matrix {
        let mut product = Matrix::zero(self.rows);
        for i in 0..self.rows {
            for j in 0..self.rows {
                product.entries[i][j] = (0..self.rows).map(|k| self.entries[i][k] * other.entries[k][j]).sum();
            }
        }
        product
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size_and_direction_have_the_values_of_the_closed_forms() {
        for size in [1e-9, 1e-3, 0.7, 3.0, 40.0, 5e3] {
            for direction in [Complex64::new(-1.0, 0.0), Complex64::I, Complex64::new(-0.6, 0.8)] {
                let z = size * direction;
                let mut matrix = Matrix::zero(1);
                *matrix.entry(0, 0) = z;
                let phi = matrix.phi().map(|mut phi| *phi.entry(0, 0));
                let exact = z.exp();
                assert!((phi[0] - exact).norm() < 1e-14 * (1.0 + size), "e^{z}: {} is not {exact}", phi[0]);
                // φ_j = zφ_{j+1} + 1/j!, whatever the way they were found.
                for (j, factorial) in [1.0, 1.0, 2.0].into_iter().enumerate() {
                    let recurred = z * phi[j + 1] + 1.0 / factorial;
                    assert!((recurred - phi[j]).norm() < 1e-14 * (1.0 + size), "φ_{j}({z}): {recurred} and {}", phi[j]);
                }
            }
        }
    }

    #[test]
    fn a_rotation_is_found_without_its_eigenvalues() {
        let mut turn = Matrix::zero(2);
        *turn.entry(0, 1) = Complex64::new(-300.0, 0.0);
        *turn.entry(1, 0) = Complex64::new(300.0, 0.0);
        let [mut e, mut first, ..] = turn.phi();
        assert!((*e.entry(0, 0) - 300.0_f64.cos()).norm() < 1e-11 && (*e.entry(1, 0) - 300.0_f64.sin()).norm() < 1e-11);
        assert!((*first.entry(0, 0) - 300.0_f64.sin() / 300.0).norm() < 1e-12);
    }
}
