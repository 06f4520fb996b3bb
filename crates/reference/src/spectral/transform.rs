//! Between values on a grid and their coefficients, two rows by each complex transform.
//!
//! Periodic: H_k = Σ a_j cas(2πjk/n); zero on the sides: S_k = Σ a_j sin(πjk/n). Both are their own inverses but for a factor.

use super::reaction::Sides;
use crate::fourier::Fft;
use num_complex::Complex64;
use rayon::prelude::*;

/// Rows that one task takes, so that its roots of unity pay.
const TASK: usize = 64;

pub(super) struct Transform {
    pub nodes: usize,
    sides: Sides,
}

impl Transform {
    pub fn new(nodes: usize, sides: Sides) -> Self {
        Self { nodes, sides }
    }

    /// 2π times the wave number of a coefficient along an axis, for a side of length 1.
    pub fn wave(&self, k: usize) -> f64 {
        match self.sides {
            Sides::Periodic => std::f64::consts::TAU * k.min(self.nodes - k) as f64,
            Sides::Zero => std::f64::consts::PI * k as f64,
        }
    }

    /// What the transform there and back multiplies by.
    fn there_and_back(&self) -> f64 {
        match self.sides {
            Sides::Periodic => (self.nodes * self.nodes) as f64,
            Sides::Zero => 0.25 * (self.nodes * self.nodes) as f64,
        }
    }

    /// Coefficients of values, or values of coefficients, in place.
    pub fn both_ways(&self, values: &mut Vec<f64>, room: &mut Vec<f64>) {
        for _ in 0..2 {
            self.rows(values);
            self.transpose(values, room);
        }
        let scale = self.there_and_back().sqrt().recip();
        values.par_iter_mut().for_each(|value| *value *= scale);
    }

    fn rows(&self, values: &mut [f64]) {
        let n = self.nodes;
        let length = if self.sides == Sides::Zero { 2 * n } else { n };
        values.par_chunks_mut(TASK * n).for_each(|rows| {
            let (mut fft, mut data) = (Fft::new(length), vec![Complex64::ZERO; length]);
            for pair in rows.chunks_mut(2 * n) {
                let (a, b) = pair.split_at_mut(n);
                match self.sides {
                    Sides::Periodic => {
                        data.iter_mut().zip(a.iter().zip(&*b)).for_each(|(z, (a, b))| *z = Complex64::new(*a, *b));
                        fft.transform(&mut data);
                        for k in 0..n {
                            let (ahead, back) = (data[k], data[(n - k) % n].conj());
                            let (own, other) = (0.5 * (ahead + back), 0.5 * (ahead - back));
                            // The second row has been multiplied by i.
                            (a[k], b[k]) = (own.re - own.im, other.im + other.re);
                        }
                    }
                    Sides::Zero => {
                        data[0] = Complex64::ZERO;
                        data[n] = Complex64::ZERO;
                        for j in 1..n {
                            let z = Complex64::new(a[j], b[j]);
                            (data[j], data[2 * n - j]) = (z, -z);
                        }
                        fft.transform(&mut data);
                        (a[0], b[0]) = (0.0, 0.0);
                        for k in 1..n {
                            (a[k], b[k]) = (-0.5 * data[k].im, 0.5 * data[k].re);
                        }
                    }
                }
            }
        });
    }

    fn transpose(&self, values: &mut Vec<f64>, room: &mut Vec<f64>) {
        let n = self.nodes;
        room.resize(n * n, 0.0);
        let from = &values[..];
        room.par_chunks_mut(TASK * n).enumerate().for_each(|(task, rows)| {
            for j in 0..n {
                let row = &from[j * n + task * TASK..];
                (0..rows.len() / n).for_each(|i| rows[i * n + j] = row[i]);
            }
        });
        std::mem::swap(values, room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_waves_have_single_coefficients_and_come_back() {
        let n = 16;
        let at = |k: usize, sides: Sides| {
            let place = |j: usize| (j as f64) / n as f64;
            let (x, y) = (place(k % n), place(k / n));
            let (tau, pi) = (std::f64::consts::TAU, std::f64::consts::PI);
            match sides {
                Sides::Periodic => (tau * (3.0 * x + y)).cos(),
                Sides::Zero => (3.0 * pi * x).sin() * (5.0 * pi * y).sin(),
            }
        };
        for (sides, expected) in [(Sides::Periodic, vec![(13, 1), (3, 15)]), (Sides::Zero, vec![(3, 5)])] {
            let transform = Transform::new(n, sides);
            let first: Vec<f64> = (0..n * n).map(|k| at(k, sides)).collect();
            let (mut values, mut room) = (first.clone(), Vec::new());
            transform.both_ways(&mut values, &mut room);
            for (k, value) in values.iter().enumerate() {
                let there = expected.contains(&(k % n, k / n));
                assert!(there == (value.abs() > 1e-12), "{sides:?}: {value} at ({}, {})", k % n, k / n);
            }
            transform.both_ways(&mut values, &mut room);
            assert!(values.iter().zip(&first).all(|(a, b)| (a - b).abs() < 1e-13));
        }
    }
}
