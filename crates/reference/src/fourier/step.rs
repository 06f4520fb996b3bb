//! One step of the fourth-order exponential Runge–Kutta method of Cox & Matthews (2002), with z = hL and φ = φ(z):
//!
//! a = e^(z/2)u + (h/2)φ₁(z/2)N(u),  b = e^(z/2)u + (h/2)φ₁(z/2)N(a),  c = e^(z/2)a + (h/2)φ₁(z/2)(2N(b) − N(u)),
//! u ← e^z u + h(φ₁ − 3φ₂ + 4φ₃)N(u) + h(2φ₂ − 4φ₃)(N(a) + N(b)) + h(4φ₃ − φ₂)N(c).

use super::evolution::{Evolution, TIME};
use super::phi::Matrix;
use super::transform::Transform;
use num_complex::Complex64;
use ropinn_expr::Node;
use std::collections::BTreeSet;
use std::rc::Rc;

/// An evolution on a grid.
pub(super) struct Stepper<'a> {
    evolution: &'a Evolution,
    pub transform: Transform,
    places: Rc<[f64]>,
    /// What N needs on the grid.
    wanted: Vec<(usize, u32)>,
    linear: Vec<Matrix>,
}

/// What a step of one length needs at each wave number.
pub(super) struct Weights {
    length: f64,
    half: Vec<Complex64>,
    half_input: Vec<Complex64>,
    whole: Vec<Complex64>,
    inputs: [Vec<Complex64>; 3],
}

impl<'a> Stepper<'a> {
    pub fn new(evolution: &'a Evolution, nodes: usize) -> Self {
        let entries = evolution.nonlinear.iter().flat_map(|expr| expr.unknowns());
        let wanted: BTreeSet<(usize, u32)> =
            entries.map(|(field, alpha, _)| (field, u32::from(alpha.get(0)))).collect();
        let orders = evolution.linear.iter().map(|entry| entry.2).chain(wanted.iter().map(|entry| entry.1));
        let transform = Transform::new(nodes, evolution.space, orders.max().unwrap_or(0));
        let unknowns = evolution.initial.len();
        let matrix = |k: usize| {
            let mut matrix = Matrix::zero(unknowns);
            for &(rate, field, order, factor) in &evolution.linear {
                *matrix.entry(rate, field) += factor * transform.slope(k, order);
            }
            matrix
        };
        let linear = (0..transform.modes).map(matrix).collect();
        let places = transform.places().into();
        Self { evolution, transform, places, wanted: wanted.into_iter().collect(), linear }
    }

    pub fn start(&mut self) -> Vec<Complex64> {
        let leaf = |node: &Node| self.coordinate(node, self.evolution.time.0);
        let values = |expr: &ropinn_expr::Expr| expr.eval_rows(self.places.len(), &leaf);
        let rows: Vec<Rc<[f64]>> = self.evolution.initial.iter().map(values).collect();
        self.transform.spectrum(&rows)
    }

    fn coordinate(&self, node: &Node, time: f64) -> Rc<[f64]> {
        match node {
            Node::Coord { axis: TIME, .. } => [time].into(),
            Node::Coord { .. } => self.places.clone(),
            _ => [f64::NAN].into(),
        }
    }

    pub fn weights(&self, length: f64) -> Weights {
        let unknowns = self.evolution.initial.len();
        let phi = |length: f64| self.linear.iter().map(|matrix| (*matrix * length).phi()).collect::<Vec<_>>();
        let (half, whole) = (phi(length / 2.0), phi(length));
        let combined = |phi: &[[Matrix; 4]], [e, first, second, third]: [f64; 4]| {
            let sum = |phi: &[Matrix; 4]| phi[0] * e + phi[1] * first + phi[2] * second + phi[3] * third;
            Matrix::planes(phi.iter().map(sum), unknowns)
        };
        let input =
            |factors: [f64; 3]| combined(&whole, [0.0, length * factors[0], length * factors[1], length * factors[2]]);
        Weights {
            length,
            half: combined(&half, [1.0, 0.0, 0.0, 0.0]),
            half_input: combined(&half, [0.0, length / 2.0, 0.0, 0.0]),
            whole: combined(&whole, [1.0, 0.0, 0.0, 0.0]),
            inputs: [[1.0, -3.0, 4.0], [0.0, 2.0, -4.0], [0.0, -1.0, 4.0]].map(input),
        }
    }

    /// N(u) at an instant.
    fn nonlinear(&mut self, u: &[Complex64], time: f64) -> Vec<Complex64> {
        let rows = self.transform.rows(u, &self.wanted);
        let leaf = |node: &Node| match node {
            Node::Unknown { field, alpha, .. } => {
                let own = (*field, u32::from(alpha.get(0)));
                self.wanted.binary_search(&own).map_or_else(|_| [f64::NAN].into(), |k| rows[k].clone())
            }
            other => self.coordinate(other, time),
        };
        let values = |expr: &ropinn_expr::Expr| expr.eval_rows(self.places.len(), &leaf);
        let rates: Vec<Rc<[f64]>> = self.evolution.nonlinear.iter().map(values).collect();
        self.transform.spectrum(&rates)
    }

    pub fn step(&mut self, weights: &Weights, time: f64, u: &[Complex64]) -> Vec<Complex64> {
        let Weights { length, half, half_input, whole, inputs } = weights;
        let middle = time + length / 2.0;
        let modes = self.transform.modes;
        // Σ Mv over pairs of matrices and vectors, at all wave numbers.
        let sum = |parts: &[(&[Complex64], &[Complex64])]| {
            let mut sum = vec![Complex64::ZERO; u.len()];
            for (matrices, vector) in parts {
                for (row, planes) in sum.chunks_exact_mut(modes).zip(matrices.chunks_exact(u.len())) {
                    for (plane, values) in planes.chunks_exact(modes).zip(vector.chunks_exact(modes)) {
                        row.iter_mut().zip(plane).zip(values).for_each(|((sum, entry), value)| *sum += entry * value);
                    }
                }
            }
            sum
        };
        let rate = self.nonlinear(u, time);
        let a = sum(&[(half, u), (half_input, &rate)]);
        let rate_a = self.nonlinear(&a, middle);
        let b = sum(&[(half, u), (half_input, &rate_a)]);
        let rate_b = self.nonlinear(&b, middle);
        let turned: Vec<Complex64> = rate_b.iter().zip(&rate).map(|(b, first)| 2.0 * b - first).collect();
        let c = sum(&[(half, &a), (half_input, &turned)]);
        let rate_c = self.nonlinear(&c, time + length);
        let between: Vec<Complex64> = rate_a.iter().zip(&rate_b).map(|(a, b)| a + b).collect();
        sum(&[(whole, u), (&inputs[0], &rate), (&inputs[1], &between), (&inputs[2], &rate_c)])
    }
}
