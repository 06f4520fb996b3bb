//! Between Fourier coefficients and values on a grid.
//!
//! A field is u(x) = Σ_{|k| ≤ K} û_k e^(iκ_k(x − x₀)), κ_k = 2πk/(x₁ − x₀), real, so that only k ≥ 0 is kept; fields follow one
//! another. K is a third of the nodes: products of two fields have no false wave numbers then (Orszag's 2/3 rule).

use super::fft::Fft;
use num_complex::Complex64;
use std::rc::Rc;

pub(super) struct Transform {
    fft: Fft,
    nodes: usize,
    /// K + 1.
    pub modes: usize,
    low: f64,
    length: f64,
    /// (iκ_k)^order by order.
    slopes: Vec<Vec<Complex64>>,
    buffer: Vec<Complex64>,
}

impl Transform {
    /// For derivatives up to some order.
    pub fn new(nodes: usize, (low, high): (f64, f64), highest: u32) -> Self {
        let (modes, buffer) = (nodes / 3 + 1, vec![Complex64::ZERO; nodes]);
        let kappa = |k: usize| Complex64::I * (std::f64::consts::TAU * k as f64 / (high - low));
        let slopes = (0..=highest).map(|order| (0..modes).map(|k| kappa(k).powu(order)).collect()).collect();
        Self { fft: Fft::new(nodes), nodes, modes, low, length: high - low, slopes, buffer }
    }

    /// The grid, without its last end.
    pub fn places(&self) -> Vec<f64> {
        (0..self.nodes).map(|j| self.low + self.length * j as f64 / self.nodes as f64).collect()
    }

    /// (iκ_k)^order.
    pub fn slope(&self, k: usize, order: u32) -> Complex64 {
        self.slopes[order as usize][k]
    }

    /// Values of derivatives `(field, order)` on the grid, two by each transform: one as real, one as imaginary part.
    pub fn rows(&mut self, spectrum: &[Complex64], wanted: &[(usize, u32)]) -> Vec<Rc<[f64]>> {
        let mut rows = Vec::with_capacity(wanted.len());
        for pair in wanted.chunks(2) {
            self.buffer.fill(Complex64::ZERO);
            for (&(field, order), unit) in pair.iter().zip([Complex64::ONE, Complex64::I]) {
                let slopes = &self.slopes[order as usize];
                for (k, (coefficient, slope)) in spectrum[field * self.modes..].iter().zip(slopes).enumerate() {
                    let value = coefficient * slope;
                    // Backwards, so that the transform has the sign of the inverse.
                    self.buffer[(self.nodes - k) % self.nodes] += unit * value;
                    if k > 0 {
                        self.buffer[k] += unit * value.conj();
                    }
                }
            }
            self.fft.transform(&mut self.buffer);
            rows.push(self.buffer.iter().map(|z| z.re).collect());
            if pair.len() == 2 {
                rows.push(self.buffer.iter().map(|z| z.im).collect());
            }
        }
        rows
    }

    /// The coefficients of fields given on the grid.
    pub fn spectrum(&mut self, rows: &[Rc<[f64]>]) -> Vec<Complex64> {
        let mut spectrum = Vec::with_capacity(rows.len() * self.modes);
        let scale = 0.5 / self.nodes as f64;
        for pair in rows.chunks(2) {
            let imaginary = |j: usize| pair.get(1).map_or(0.0, |row| row[j]);
            let packed = (0..self.nodes).map(|j| Complex64::new(pair[0][j], imaginary(j)));
            self.buffer.iter_mut().zip(packed).for_each(|(z, value)| *z = value);
            self.fft.transform(&mut self.buffer);
            let both = |k: usize| (self.buffer[k], self.buffer[(self.nodes - k) % self.nodes].conj());
            spectrum.extend((0..self.modes).map(both).map(|(ahead, back)| (ahead + back) * scale));
            if pair.len() == 2 {
                spectrum.extend((0..self.modes).map(both).map(|(ahead, back)| (back - ahead) * Complex64::I * scale));
            }
        }
        spectrum
    }

    /// u at one place, for each field.
    pub fn value(&self, spectrum: &[Complex64], field: usize, x: f64) -> f64 {
        let turn = Complex64::cis(std::f64::consts::TAU * (x - self.low) / self.length);
        let own = &spectrum[field * self.modes..][..self.modes];
        // Horner's rule in e^(iκx), the conjugates counted by the factor.
        let sum = own[1..].iter().rev().fold(Complex64::ZERO, |sum, coefficient| (sum + coefficient) * turn);
        own[0].re + 2.0 * sum.re
    }
}
