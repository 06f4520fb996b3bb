//! Calibration of the region size by the spread of recent gradients: R = clip(r/σ, 0, cap).
//!
//! g_k is the mean gradient of all evaluations of outer step k, line-search trials included; G holds the last T₀ of them.
//! - rule `code`: σ = mean_p std_k(G_kp) / (mean_k |G_kp| + 10⁻⁶), as in the published code;
//! - rule `paper`: σ = ‖std_k(G_k)‖, Wu et al. 2024, Algorithm 1.
//!
//! `std` divides by the count. σ = 0 counts as 1, so the first two steps use r itself, and so does every step if T₀ = 1.
//! For `code`, 0 ≤ σ ≤ √(T₀ − 1), and noise of mean zero gives about √(π/2)·√((T₀−1)/T₀) ≈ 1.2.

use crate::config::{ObjectiveConfig, Rule};
use crate::error::Error;
use crate::model::ModelConfig;
use ropinn_engine::{Network, Tensor};
use std::collections::VecDeque;

/// Keeps the denominator of rule `code` away from 0.
const FLOOR: f64 = 1e-6;

/// Parameters handled at a time, so that the sums over past steps stay in the first-level cache.
const BLOCK: usize = 512;

/// Region sizes of an outer step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionSize {
    /// Spread σ of the gradients of past steps.
    pub sigma: f64,
    /// r/σ.
    pub raw: f64,
    /// R = clip(r/σ, 0, cap).
    pub size: f64,
}

/// σ and what it is measured from.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// r, and the largest R.
    reach: f64,
    cap: f64,
    rule: Rule,
    /// T₀; 0 if the region is not calibrated.
    past: usize,
    /// Entries the mean of rule `code` runs over.
    recorded: usize,
    gradients: VecDeque<Vec<f64>>,
    sum: Vec<f64>,
    count: usize,
    sigma: f64,
}

/// The memory of a [`Calibration`] between outer steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CalibrationState {
    /// Mean gradients of past steps, oldest first.
    pub gradients: Vec<Vec<f64>>,
    /// σ of the next step.
    pub sigma: f64,
}

impl Calibration {
    /// σ = 1 for gradients of `parameters` entries; rule `code` takes its mean over `recorded` entries, of which those
    /// beyond the parameters count as zeros (see [`gradients_recorded`]).
    pub fn new(config: &ObjectiveConfig, parameters: usize, recorded: usize) -> Self {
        let past = if config.is_calibrated() { config.region.past } else { 0 };
        let sum = if past > 0 { vec![0.0; parameters] } else { Vec::new() };
        let (reach, cap, rule) = (config.reach(), config.region.cap, config.region.rule);
        let gradients = VecDeque::with_capacity(past);
        Self { reach, cap, rule, past, recorded, gradients, sum, count: 0, sigma: 1.0 }
    }

    /// The spread of the gradients of past steps.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// Region sizes until the next step ends.
    pub fn region(&self) -> RegionSize {
        let raw = self.reach / self.sigma;
        RegionSize { sigma: self.sigma, raw, size: raw.clamp(0.0, self.cap) }
    }

    /// Forgets evaluations since the last step ended.
    pub fn begin_step(&mut self) {
        self.count = 0;
    }

    /// Adds the gradient of one evaluation. Those of non-finite losses are left out.
    pub fn record(&mut self, loss: f64, grad: &[f64]) {
        if self.past == 0 || !loss.is_finite() {
            return;
        }
        if self.count == 0 {
            self.sum.copy_from_slice(grad);
        } else {
            self.sum.iter_mut().zip(grad).for_each(|(sum, g)| *sum += g);
        }
        self.count += 1;
    }

    /// Moves the mean gradient of the step to the past and measures σ.
    pub fn end_step(&mut self) {
        if self.count == 0 {
            return;
        }
        let mut mean = match self.gradients.len() == self.past {
            true => self.gradients.pop_front().unwrap_or_default(),
            false => Vec::new(),
        };
        let count = self.count as f64;
        mean.clear();
        mean.extend(self.sum.iter().map(|sum| sum / count));
        self.gradients.push_back(mean);
        self.count = 0;
        let sigma = self.spread();
        self.sigma = if sigma > 0.0 { sigma } else { 1.0 };
    }

    /// The memory to save with a run.
    pub fn state(&self) -> CalibrationState {
        CalibrationState { gradients: self.gradients.iter().cloned().collect(), sigma: self.sigma }
    }

    /// Continues from a saved memory.
    pub fn restore(&mut self, state: CalibrationState) -> Result<(), Error> {
        if state.gradients.len() > self.past {
            let (what, expected, found) = ("the number of past gradients", self.past, state.gradients.len());
            return Err(Error::ForeignState { what, expected, found });
        }
        if let Some(gradient) = state.gradients.iter().find(|gradient| gradient.len() != self.sum.len()) {
            let (what, expected, found) = ("the length of a past gradient", self.sum.len(), gradient.len());
            return Err(Error::ForeignState { what, expected, found });
        }
        self.gradients = state.gradients.into();
        self.sigma = state.sigma;
        self.count = 0;
        Ok(())
    }

    fn spread(&self) -> f64 {
        let parameters = self.sum.len();
        let past = self.gradients.len() as f64;
        let mut total = 0.0;
        for start in (0..parameters).step_by(BLOCK) {
            let block = start..(start + BLOCK).min(parameters);
            let (mut mean, mut size, mut square) = ([0.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK]);
            for gradient in &self.gradients {
                let sums = mean.iter_mut().zip(&mut size);
                for ((mean, size), g) in sums.zip(&gradient[block.clone()]) {
                    *mean += g;
                    *size += g.abs();
                }
            }
            mean.iter_mut().for_each(|mean| *mean /= past);
            for gradient in &self.gradients {
                for ((square, mean), g) in square.iter_mut().zip(&mean).zip(&gradient[block.clone()]) {
                    *square += (g - mean) * (g - mean);
                }
            }
            // Entries past the block's end are 0 and add nothing.
            total += match self.rule {
                Rule::Code => {
                    let ratio = |(square, size): (&f64, &f64)| (square / past).sqrt() / (size / past + FLOOR);
                    square.iter().zip(&size).map(ratio).sum::<f64>()
                }
                Rule::Paper => square.iter().map(|square| square / past).sum::<f64>(),
            };
        }
        match self.rule {
            Rule::Code => total / self.recorded.max(1) as f64,
            Rule::Paper => total.sqrt(),
        }
    }
}

/// Gradient entries the published code records for a model: its parameters, and for KAN the zeros of parameters that exist
/// there but are inactive: four per edge of the symbolic branch and one for each of three frozen tensors per layer.
pub fn gradients_recorded(model: &ModelConfig, network: &Network) -> usize {
    let inactive = match model {
        ModelConfig::Kan(_) => {
            let scales = network.layout().tensors().iter().filter(|tensor| tensor.name.ends_with("scale_base"));
            scales.map(|layer| 4 * Tensor::len(layer) + 3).sum()
        }
        _ => 0,
    };
    network.parameters() + inactive
}
