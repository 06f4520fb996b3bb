//! Kolmogorov–Arnold networks (Liu et al. 2024) on a fixed uniform grid, and how their splines start.
//!
//! Layer: y_j = b_j + Σ_i [ s^b_ji SiLU(x_i) + s^s_ji Σ_c C_ji,c B_c(x_i) ]. Outside the extended grid all B_c vanish and only
//! the SiLU part acts.

use super::backbone::{Backbone, Check, MAX_DEPTH, MAX_WIDTH, Shapes};
use super::paper::Benchmark;
use super::{ModelError, ModelInputs, ModelKind};
use crate::weights::WeightsError;
use ropinn_domain::Stream;
use ropinn_engine::{Activation, NetworkBuilder, NodeId, ParamLayout, SplineBasis, Tensor};
use serde::{Deserialize, Serialize};

/// Size of the noise splines start from, before division by the number of grid intervals.
const SPLINE_NOISE: f64 = 0.1;
/// Half the spread of the base scales around 1/√n_in − this.
const BASE_NOISE: f64 = 0.25;

/// Sizes of a Kolmogorov–Arnold network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Kan {
    /// Units of each hidden layer; the paper writes `[2, 5, 1]` for coordinates, `hidden = [5]` and unknowns.
    pub hidden: Vec<usize>,
    /// Intervals of the spline grid.
    pub grid: usize,
    /// Degree of the splines.
    pub degree: usize,
    /// Lower end of the grid.
    pub low: f64,
    /// Upper end of the grid.
    pub high: f64,
}

impl Default for Kan {
    fn default() -> Self {
        Self { hidden: vec![5], grid: 5, degree: 3, low: -1.0, high: 1.0 }
    }
}

impl Backbone for Kan {
    fn check(&self, check: &Check) -> Result<(), ModelError> {
        self.hidden.iter().try_for_each(|&width| check.size("hidden", width, MAX_WIDTH))?;
        check.size("hidden layers", self.hidden.len().max(1), MAX_DEPTH)?;
        check.size("grid", self.grid, MAX_DEPTH)
    }

    /// Edge j·n_in + i of a layer leads from input i to output j.
    fn lay_out(&self, _: ModelKind, net: &mut NetworkBuilder, inputs: &ModelInputs) -> Result<NodeId, ModelError> {
        let basis = SplineBasis::new(self.low, self.high, self.grid, self.degree)?;
        let widths: Vec<usize> = self.hidden.iter().copied().chain([inputs.unknowns]).collect();
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

    fn read(&mut self, shapes: &Shapes<'_>) -> Result<(), WeightsError> {
        let (edges, bases) = shapes.matrix("act_fun.0.coef")?;
        let layers = shapes.count(|layer| format!("biases.{layer}.weight"));
        let width = |layer| Ok(shapes.matrix(&format!("biases.{layer}.weight"))?.1);
        self.hidden = (0..layers).map(width).collect::<Result<_, WeightsError>>()?;
        self.hidden.pop().ok_or_else(|| shapes.missing("biases.0.weight"))?;
        // The published module keeps the same G + 1 grid points for every edge.
        if shapes.tensors.get("act_fun.0.grid").is_some() {
            let (_, points) = shapes.matrix("act_fun.0.grid")?;
            let row = &shapes.tensor("act_fun.0.grid")?.values[..points];
            (self.low, self.high, self.grid) = (row[0], row[points - 1], points - 1);
            self.degree = bases.saturating_sub(self.grid);
        } else {
            self.grid = bases.saturating_sub(self.degree);
        }
        if self.grid == 0 || self.degree == 0 {
            let expected = "a column per grid interval and spline degree";
            return Err(shapes.impossible("act_fun.0.coef", &[edges, bases], expected));
        }
        Ok(())
    }

    fn take_paper(&mut self, _: ModelKind, benchmark: Benchmark) {
        if let Benchmark::Wave | Benchmark::Convection = benchmark {
            self.hidden = vec![5, 5];
        }
    }

    fn take_quick(&mut self) -> u64 {
        self.hidden = vec![5, 5];
        100
    }

    fn width_and_depth(&self) -> (usize, usize) {
        (self.hidden.iter().copied().max().unwrap_or(0), self.hidden.len())
    }

    fn resize(&mut self, width: Option<usize>, depth: Option<usize>) {
        if let Some(depth) = depth {
            // More layers than any network may have are refused when it is built, not made here.
            self.hidden.resize(depth.min(MAX_DEPTH + 1), self.hidden.first().copied().unwrap_or(5));
        }
        if let Some(width) = width {
            self.hidden.fill(width);
        }
    }

    fn numbers(&self) -> Vec<(&'static str, f64)> {
        vec![("model.low", self.low), ("model.high", self.high)]
    }

    /// b = 0, s^s = 1, s^b = 1/√n_in + ¼(2N(0, 1) − 1), and splines through noise (U(0, 1) − ½)·0.1/G at the grid points.
    fn start(
        &self,
        tensor: &Tensor,
        layout: &ParamLayout,
        values: &mut [f64],
        draw: &mut dyn FnMut() -> Stream,
    ) -> bool {
        match tensor.name.rsplit('.').next() {
            Some("coef") => {
                let (mut stream, interpolation) = (draw(), Interpolation::new(self.grid, self.degree));
                let mut noise = vec![0.0; interpolation.points()];
                for coefficients in values.chunks_exact_mut(self.grid + self.degree) {
                    stream.fill_uniform(&mut noise);
                    noise.iter_mut().for_each(|u| *u = (*u - 0.5) * SPLINE_NOISE / self.grid as f64);
                    interpolation.coefficients_into(&mut noise, coefficients);
                }
            }
            Some("scale_base") => {
                draw().fill_normal(values);
                let mean = 1.0 / (inputs_of_layer(tensor, layout) as f64).sqrt();
                values.iter_mut().for_each(|v| *v = mean + BASE_NOISE * (2.0 * *v - 1.0));
            }
            Some("scale_sp") => values.fill(1.0),
            _ => values.fill(0.0),
        }
        true
    }
}

/// n_in from the number of edges n_out·n_in and the layer's bias of n_out entries.
fn inputs_of_layer(scale_base: &Tensor, layout: &ParamLayout) -> usize {
    let layer = scale_base.name.trim_end_matches(".scale_base").replace("act_fun.", "biases.");
    let outputs = layout.get(&format!("{layer}.weight")).map_or(1, Tensor::len);
    scale_base.len() / outputs.max(1)
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
