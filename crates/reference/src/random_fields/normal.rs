//! Standard normal numbers by Marsaglia's polar method, in the order of NumPy's `RandomState`.

use super::twister::Twister;

/// An endless row of standard normal numbers, the same as `numpy.random.RandomState(seed).standard_normal()` draws.
///
/// ```
/// let first = ropinn_reference::random_fields::LegacyNormal::new(20220722).next().unwrap();
/// assert!((first - 0.334388846115497).abs() < 1e-15);
/// ```
pub struct LegacyNormal {
    twister: Twister,
    kept: Option<f64>,
}

impl LegacyNormal {
    /// Begins from a seed.
    pub fn new(seed: u32) -> Self {
        Self { twister: Twister::new(seed), kept: None }
    }
}

impl Iterator for LegacyNormal {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        if let Some(kept) = self.kept.take() {
            return Some(kept);
        }
        loop {
            let (p, q) = (2.0 * self.twister.uniform() - 1.0, 2.0 * self.twister.uniform() - 1.0);
            let w = p * p + q * q;
            if w > 0.0 && w < 1.0 {
                let m = (-2.0 * w.ln() / w).sqrt();
                self.kept = Some(p * m);
                return Some(q * m);
            }
        }
    }
}
