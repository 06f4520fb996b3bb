//! One step of Cox & Matthews (2002) for numbers z = h(l − dκ²), one for each coefficient:
//!
//! a = e^(z/2)u + (h/2)φ₁(z/2)N(u),  b = e^(z/2)u + (h/2)φ₁(z/2)N(a),  c = e^(z/2)a + (h/2)φ₁(z/2)(2N(b) − N(u)),
//! u ← e^z u + h(φ₁ − 3φ₂ + 4φ₃)N(u) + h(2φ₂ − 4φ₃)(N(a) + N(b)) + h(4φ₃ − φ₂)N(c).

use super::reaction::Reaction;
use super::transform::Transform;
use crate::SolveError;
use crate::fourier::phi_of_number;
use rayon::prelude::*;

/// `[unknown][coefficient]`.
type Spectra = Vec<Vec<f64>>;

pub(super) struct Stepper<'a> {
    reaction: &'a Reaction<'a>,
    transform: Transform,
    room: Vec<f64>,
}

/// e^(z/2), (h/2)φ₁(z/2), e^z and the three factors of rates, for each unknown and coefficient.
pub(super) struct Weights {
    length: f64,
    all: Vec<Vec<[f64; 6]>>,
}

impl<'a> Stepper<'a> {
    pub fn new(reaction: &'a Reaction, nodes: usize) -> Self {
        Self { reaction, transform: Transform::new(nodes, reaction.sides), room: Vec::new() }
    }

    fn place(&self, k: usize) -> [f64; 2] {
        let (nodes, Reaction { low, high, .. }) = (self.transform.nodes, self.reaction);
        let at = |axis: usize, j: usize| low[axis] + (high[axis] - low[axis]) * j as f64 / nodes as f64;
        [at(0, k % nodes), at(1, k / nodes)]
    }

    pub fn start(&mut self) -> Result<Spectra, SolveError> {
        let mut spectra = Vec::new();
        for initial in &self.reaction.initial {
            let value = |k: usize| initial(&self.place(k));
            let mut values: Vec<f64> = (0..self.transform.nodes.pow(2)).map(value).collect();
            if let Some(k) = values.iter().position(|value| !value.is_finite()) {
                return Err(SolveError::NotFinite { what: "a first value", place: format!("{:?}", self.place(k)) });
            }
            self.transform.both_ways(&mut values, &mut self.room);
            spectra.push(values);
        }
        Ok(spectra)
    }

    pub fn values(&mut self, spectra: &Spectra) -> Spectra {
        let mut values = spectra.clone();
        values.iter_mut().for_each(|values| self.transform.both_ways(values, &mut self.room));
        values
    }

    pub fn weights(&self, length: f64) -> Weights {
        let (nodes, Reaction { low, high, .. }) = (self.transform.nodes, self.reaction);
        let squared = |axis: usize, k: usize| (self.transform.wave(k) / (high[axis] - low[axis])).powi(2);
        let of = |(linear, spread): (&f64, &f64)| -> Vec<[f64; 6]> {
            let number = |k: usize| {
                let z = length * (linear - spread * (squared(0, k % nodes) + squared(1, k / nodes)));
                let ([half, first_half, ..], [whole, p1, p2, p3]) = (phi_of_number(0.5 * z), phi_of_number(z));
                let inputs = [p1 - 3.0 * p2 + 4.0 * p3, 2.0 * p2 - 4.0 * p3, 4.0 * p3 - p2].map(|f| length * f);
                [half, 0.5 * length * first_half, whole, inputs[0], inputs[1], inputs[2]]
            };
            (0..nodes * nodes).into_par_iter().map(number).collect()
        };
        let all = self.reaction.linear.iter().zip(&self.reaction.diffusivities).map(of).collect();
        Weights { length, all }
    }

    /// Coefficients of N for those of u.
    fn rates(&mut self, spectra: &Spectra, time: f64) -> Spectra {
        let values = self.values(spectra);
        let (unknowns, nodes) = (values.len(), self.transform.nodes);
        let mut together = vec![0.0; unknowns * nodes * nodes];
        together.par_chunks_mut(unknowns * nodes).enumerate().with_min_len(32).for_each(|(row, rates)| {
            let mut u = vec![0.0; unknowns];
            for (column, rates) in rates.chunks_exact_mut(unknowns).enumerate() {
                let k = row * nodes + column;
                let [x, y] = self.place(k);
                u.iter_mut().zip(&values).for_each(|(u, values)| *u = values[k]);
                (self.reaction.rates)(&[x, y, time], &u, rates);
            }
        });
        let mut spectra = Vec::with_capacity(unknowns);
        for unknown in 0..unknowns {
            let mut rates: Vec<f64> = together.iter().skip(unknown).step_by(unknowns).copied().collect();
            self.transform.both_ways(&mut rates, &mut self.room);
            spectra.push(rates);
        }
        spectra
    }

    pub fn step(&mut self, weights: &Weights, time: f64, u: &mut Spectra) {
        let middle = time + 0.5 * weights.length;
        let halfway = |from: &Spectra, rate: &dyn Fn(usize, usize) -> f64| -> Spectra {
            let of = |unknown: usize| {
                let numbers = weights.all[unknown].iter().zip(&from[unknown]).enumerate();
                numbers.map(|(k, (w, u))| w[0] * u + w[1] * rate(unknown, k)).collect()
            };
            (0..from.len()).map(of).collect()
        };
        let first = self.rates(u, time);
        let a = halfway(u, &|unknown, k| first[unknown][k]);
        let of_a = self.rates(&a, middle);
        let b = halfway(u, &|unknown, k| of_a[unknown][k]);
        let of_b = self.rates(&b, middle);
        let c = halfway(&a, &|unknown, k| 2.0 * of_b[unknown][k] - first[unknown][k]);
        let of_c = self.rates(&c, time + weights.length);
        for (unknown, own) in u.iter_mut().enumerate() {
            for (k, (value, w)) in own.iter_mut().zip(&weights.all[unknown]).enumerate() {
                let between = of_a[unknown][k] + of_b[unknown][k];
                *value = w[2] * *value + w[3] * first[unknown][k] + w[4] * between + w[5] * of_c[unknown][k];
            }
        }
    }
}
