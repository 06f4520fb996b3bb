//! The discrete Fourier transform z_k = Σ_j z_j e^(−2πijk/n) for n a power of two (Stockham's ordering: no bit reversal).

use num_complex::Complex64;

/// Roots of unity and room for one length.
pub(crate) struct Fft {
    roots: Vec<Complex64>,
    scratch: Vec<Complex64>,
}

impl Fft {
    pub fn new(n: usize) -> Self {
        let root = |k: usize| Complex64::cis(-std::f64::consts::TAU * k as f64 / n as f64);
        Self { roots: (0..n / 2).map(root).collect(), scratch: vec![Complex64::ZERO; n] }
    }

    pub fn transform(&mut self, data: &mut Vec<Complex64>) {
        let n = self.scratch.len();
        let (mut half, mut stride) = (n / 2, 1);
        while half > 0 {
            for (p, pair) in self.scratch.chunks_exact_mut(2 * stride).enumerate() {
                let root = self.roots[p * stride];
                let (sums, differences) = pair.split_at_mut(stride);
                let a = &data[stride * p..stride * (p + 1)];
                let b = &data[stride * (p + half)..stride * (p + half + 1)];
                for (((sum, difference), a), b) in sums.iter_mut().zip(differences).zip(a).zip(b) {
                    *sum = a + b;
                    *difference = (a - b) * root;
                }
            }
            std::mem::swap(data, &mut self.scratch);
            (half, stride) = (half / 2, 2 * stride);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_sum_of_its_definition() {
        for n in [1, 2, 8, 32] {
            let signal: Vec<Complex64> =
                (0..n).map(|j| Complex64::new((1.3 * j as f64).sin(), 0.1 * j as f64)).collect();
            let mut fast = signal.clone();
            Fft::new(n).transform(&mut fast);
            for (k, value) in fast.iter().enumerate() {
                let term = |(j, z): (usize, &Complex64)| {
                    z * Complex64::cis(-std::f64::consts::TAU * (j * k) as f64 / n as f64)
                };
                let sum: Complex64 = signal.iter().enumerate().map(term).sum();
                assert!((value - sum).norm() < 1e-13 * n as f64, "n = {n}, k = {k}: {value} is not {sum}");
            }
        }
    }
}
