//! Kolmogorov–Arnold networks (Liu et al. 2024) on a fixed uniform grid, and how their splines start.
//!
//! Layer: y_j = b_j + Σ_i [ s^b_ji SiLU(x_i) + s^s_ji Σ_c C_ji,c B_c(x_i) ]. Outside the extended grid all B_c vanish and only
//! the SiLU part acts.

use super::Kan;
use ropinn_engine::{Activation, EngineError, NetworkBuilder, NodeId, SplineBasis};

/// The whole network; edge j·n_in + i of a layer leads from input i to output j.
pub(super) fn spline_network(net: &mut NetworkBuilder, sizes: &Kan, unknowns: usize) -> Result<NodeId, EngineError> {
    let basis = SplineBasis::new(sizes.low, sizes.high, sizes.grid, sizes.degree)?;
    let widths: Vec<usize> = sizes.hidden.iter().copied().chain([unknowns]).collect();
    let mut x = net.input();
    // The published module lists all biases before all splines.
    let mut biases = Vec::with_capacity(widths.len());
    for (layer, &width) in widths.iter().enumerate() {
        biases.push(net.param(format!("biases.{layer}.weight"), &[1, width])?);
    }
    for (layer, (&width, bias)) in widths.iter().zip(biases).enumerate() {
        let name = format!("act_fun.{layer}");
        let edges = width * net.width(x);
        let coefficients = net.param(format!("{name}.coef"), &[edges, basis.len()])?;
        let base_scale = net.param(format!("{name}.scale_base"), &[edges])?;
        let spline_scale = net.param(format!("{name}.scale_sp"), &[edges])?;
        let silu = net.activate(Activation::Silu, x)?;
        let base = net.linear_with(silu, base_scale, Some(bias))?;
        let bases = net.spline(x, basis)?;
        let spline = net.spline_linear(bases, coefficients, spline_scale, basis.len())?;
        x = net.sum(&[base, spline])?;
    }
    Ok(x)
}

/// The spline of smallest coefficients through given values at the grid points: `c = Aᵀ(AAᵀ)⁻¹ y`.
///
/// A has a row per grid point and a column per basis function. On a uniform grid every row holds the cardinal spline at the
/// whole numbers 1 … p (1/6, 4/6, 1/6 for cubics), one column further right in each row.
pub(super) struct Interpolation {
    cardinal: Vec<f64>,
    /// Lower Cholesky factor L of AAᵀ, row by row.
    factor: Vec<Vec<f64>>,
}

impl Interpolation {
    pub fn new(intervals: usize, degree: usize) -> Self {
        let cardinal = cardinal_spline(degree);
        // (AAᵀ)_{i, i−k} = Σ_j M(j) M(j+k), zero for rows that do not overlap
        let gram = |k: usize| cardinal.iter().zip(cardinal.iter().skip(k)).map(|(a, b)| a * b).sum::<f64>();
        let mut factor: Vec<Vec<f64>> = Vec::with_capacity(intervals + 1);
        for i in 0..=intervals {
            let mut row: Vec<f64> = Vec::with_capacity(i + 1);
            for (j, done) in factor.iter().enumerate() {
                let rest = gram(i - j) - dot(&row, done);
                row.push(rest / done[j]);
            }
            row.push((gram(0) - dot(&row, &row)).sqrt());
            factor.push(row);
        }
        Self { cardinal, factor }
    }

    /// Number of grid points.
    pub fn points(&self) -> usize {
        self.factor.len()
    }

    /// Coefficients of the smallest spline with those values at the grid points; `values` is used as scratch space.
    pub fn coefficients_into(&self, values: &mut [f64], coefficients: &mut [f64]) {
        for (i, row) in self.factor.iter().enumerate() {
            values[i] = (values[i] - dot(&row[..i], values)) / row[i];
        }
        for (i, row) in self.factor.iter().enumerate().rev() {
            values[i] /= row[i];
            let solved = values[i];
            values.iter_mut().zip(&row[..i]).for_each(|(value, l)| *value -= l * solved);
        }
        coefficients.fill(0.0);
        for (i, value) in values.iter().enumerate() {
            for (coefficient, weight) in coefficients[i..].iter_mut().zip(&self.cardinal) {
                *coefficient += weight * value;
            }
        }
    }
}

/// Σ a_i b_i over the shorter of the two.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// M_p(1), …, M_p(p), from M_q(y) = (y M_{q−1}(y) + (q+1−y) M_{q−1}(y−1))/q and M_1(1) = 1 (de Boor 2001, ch. IX).
fn cardinal_spline(degree: usize) -> Vec<f64> {
    let mut values = vec![1.0];
    for q in 2..=degree {
        let below = |j: usize| if (1..q).contains(&j) { values[j - 1] } else { 0.0 };
        values = (1..=q).map(|j| (j as f64 * below(j) + (q + 1 - j) as f64 * below(j - 1)) / q as f64).collect();
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cardinal_values_are_the_known_fractions() {
        assert_eq!(cardinal_spline(1), [1.0]);
        assert_eq!(cardinal_spline(2), [0.5, 0.5]);
        for (found, wanted) in cardinal_spline(3).iter().zip([1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0]) {
            assert!((found - wanted).abs() < 1e-15);
        }
        let wanted = [1.0, 26.0, 66.0, 26.0, 1.0].map(|n| n / 120.0);
        assert!(cardinal_spline(5).iter().zip(wanted).all(|(f, w)| (f - w).abs() < 1e-15));
    }

    #[test]
    fn interpolates_with_the_smallest_coefficients() {
        for (intervals, degree) in [(5, 3), (1, 3), (7, 1), (4, 2), (9, 4), (6, 5)] {
            let interpolation = Interpolation::new(intervals, degree);
            let values: Vec<f64> = (0..=intervals).map(|i| (1.7 * i as f64 + 0.3).sin()).collect();
            let mut coefficients = vec![0.0; intervals + degree];
            interpolation.coefficients_into(&mut values.clone(), &mut coefficients);
            let at = |i: usize, c: &[f64]| -> f64 {
                cardinal_spline(degree).iter().zip(&c[i..]).map(|(weight, c)| weight * c).sum()
            };
            for (i, value) in values.iter().enumerate() {
                assert!((at(i, &coefficients) - value).abs() < 1e-12, "{intervals} {degree}: point {i}");
            }
            // Smallest: orthogonal to everything A sends to zero. Project unit vectors onto that null space to get all of it.
            for unit in 0..coefficients.len() {
                let mut null = vec![0.0; coefficients.len()];
                null[unit] = 1.0;
                let mut image: Vec<f64> = (0..=intervals).map(|i| at(i, &null)).collect();
                let mut in_rows = vec![0.0; coefficients.len()];
                interpolation.coefficients_into(&mut image, &mut in_rows);
                null.iter_mut().zip(&in_rows).for_each(|(n, r)| *n -= r);
                let along: f64 = null.iter().zip(&coefficients).map(|(n, c)| n * c).sum();
                assert!(along.abs() < 1e-12, "{intervals} {degree}: not minimal along {unit}: {along:e}");
            }
        }
    }
}
