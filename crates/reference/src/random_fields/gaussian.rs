//! A Gaussian random field on a periodic grid: g = Re F⁻¹(Z A), Z complex white noise, A(k) = (|k|² + 10⁻¹⁰)^(−α/4), A(0) = 0;
//! then without its mean, and of standard deviation 1.

use super::normal::LegacyNormal;
use crate::fourier::Fft;
use num_complex::Complex64;

/// Keeps the amplitude of the mean finite before it is left out.
const SHIFT: f64 = 1e-10;

/// A square table of values at nodes (row r, column c), which stand at x = c/(n − 1), y = r/(n − 1) of the unit square.
#[derive(Clone, Debug, PartialEq)]
pub struct GaussianField {
    nodes: usize,
    values: Vec<f64>,
}

/// The field of a seed with n × n nodes, n a power of two: X, then Y of Z = X + iY are drawn row by row.
pub fn gaussian_field(seed: u32, nodes: usize, alpha: f64) -> GaussianField {
    let nodes = nodes.next_power_of_two();
    let count = nodes * nodes;
    let mut normal = LegacyNormal::new(seed);
    let draw = |normal: &mut LegacyNormal| normal.take(count).collect::<Vec<f64>>();
    let (x, y) = (draw(&mut normal), draw(&mut normal));
    let wave = |k: usize| if k < nodes / 2 { k as f64 } else { k as f64 - nodes as f64 };
    // Conjugated, so that the transform has the sign of the inverse; the real part does not notice.
    let coefficient = |k: usize| {
        let squared = wave(k / nodes).powi(2) + wave(k % nodes).powi(2);
        let amplitude = if k == 0 { 0.0 } else { (squared + SHIFT).powf(-alpha / 4.0) };
        Complex64::new(x[k], -y[k]) * amplitude
    };
    let mut rows: Vec<Vec<Complex64>> =
        (0..nodes).map(|r| (0..nodes).map(|c| coefficient(r * nodes + c)).collect()).collect();
    let mut fft = Fft::new(nodes);
    for _ in 0..2 {
        rows.iter_mut().for_each(|row| fft.transform(row));
        rows = (0..nodes).map(|c| rows.iter().map(|row| row[c]).collect()).collect();
    }
    let mut values: Vec<f64> = rows.iter().flatten().map(|z| z.re).collect();
    let mean = values.iter().sum::<f64>() / count as f64;
    values.iter_mut().for_each(|value| *value -= mean);
    let deviation = (values.iter().map(|value| value * value).sum::<f64>() / count as f64).sqrt();
    values.iter_mut().for_each(|value| *value /= deviation);
    GaussianField { nodes, values }
}

impl GaussianField {
    /// Nodes along each side.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// All values, row by row: y is the slow coordinate.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The value at a row and a column.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.nodes + column]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_of_a_known_seed_is_rebuilt() {
        let field = gaussian_field(20_220_722, 256, 4.0);
        let expected = [
            (0, 0, 0.9726314384),
            (0, 1, 1.0238367732),
            (1, 0, 0.9753393617),
            (10, 20, 0.9291992167),
            (127, 128, -0.2539408686),
            (200, 50, 0.7135428809),
            (50, 200, 0.8323367484),
        ];
        for (row, column, value) in expected {
            let found = field.at(row, column);
            assert!((found - value).abs() < 1e-10, "g({row}, {column}) = {found}, not {value}");
        }
        assert_eq!(field.values().iter().filter(|g| **g > 0.0).count(), 34_075);
        let (low, high) = field.values().iter().fold((0.0_f64, 0.0_f64), |(l, h), g| (l.min(*g), h.max(*g)));
        assert!((low + 2.80630053).abs() < 1e-8 && (high - 2.65593202).abs() < 1e-8);
    }
}
