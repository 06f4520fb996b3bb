//! The equations on a grid of cells: Au without a matrix for whole cells, a small one for each cell that is cut.
//!
//! Layers of cells are worked on in two turns, every other one at a time: those share no nodes, so that sums do not depend on threads.

use super::basis::{ALONG, DEGREE, LOCAL, along, at};
use super::problem::{Immersed, Part};
use super::rule::{GAUSS, outside};
use crate::SolveError;
use rayon::prelude::*;
use ropinn_linalg::{Packed, Product, Target, View, Workspace};

/// The part of a whole cell's integrals that a cut one has in addition.
const ALPHA: f64 = 1e-6;

pub(super) struct System {
    cells: usize,
    /// Nodes along a side.
    pub nodes: usize,
    /// ∇·∇ above ·, both for the unit cube: `[2·LOCAL][LOCAL]`.
    both: Packed<f64>,
    /// Factors of both for each whole cell; none for the others.
    factors: Vec<[f64; 2]>,
    unit: [Vec<f64>; 2],
    /// Cut cells of each layer: number and matrix.
    pub cut: Vec<Vec<(usize, Vec<f64>)>>,
    pub right: Vec<f64>,
    /// A_kk; 0 for nodes of no cell.
    pub diagonal: Vec<f64>,
}

type Row = (Vec<[f64; 2]>, Vec<(usize, Vec<f64>)>, Vec<[f64; LOCAL]>);

impl System {
    pub fn new(problem: &Immersed, cells: usize, side: f64) -> Result<Self, SolveError> {
        let (nodes, h) = (DEGREE * cells + 1, side / cells as f64);
        let (stiffness, mass) = unit_matrices();
        let mut both = Packed::default();
        both.set((2 * LOCAL, LOCAL), 1.0, &[&stiffness[..], &mass[..]].concat(), View::rows(0, LOCAL));
        let layers = (0..cells).into_par_iter().map(|layer| gather(problem, cells, h, layer, (&stiffness, &mass)));
        let layers = layers.collect::<Result<Vec<Row>, SolveError>>()?;
        let count = nodes * nodes * nodes;
        let (right, diagonal, unit) = (vec![0.0; count], vec![0.0; count], [stiffness, mass]);
        let mut system = Self { cells, nodes, both, factors: Vec::new(), unit, cut: Vec::new(), right, diagonal };
        for (layer, (factors, cut, loads)) in layers.into_iter().enumerate() {
            system.factors.extend(factors);
            system.cut.push(cut);
            for (k, load) in loads.iter().enumerate() {
                let number = layer * cells * cells + k;
                for (local, node) in system.numbers(number).into_iter().enumerate() {
                    let own = system.entries(number)(local, local);
                    system.right[node] += load[local];
                    system.diagonal[node] += own;
                }
            }
        }
        Ok(system)
    }

    /// The entries of a cell's own matrix.
    pub fn entries(&self, cell: usize) -> impl Fn(usize, usize) -> f64 {
        let layer = &self.cut[cell / (self.cells * self.cells)];
        let cut = layer.binary_search_by_key(&cell, |(number, _)| *number).ok().map(|k| &layer[k].1);
        let ([stiffness, mass], factors) = (&self.unit, self.factors[cell]);
        move |row: usize, column: usize| {
            let k = row * LOCAL + column;
            cut.map_or_else(|| factors[0] * stiffness[k] + factors[1] * mass[k], |matrix| matrix[k])
        }
    }

    /// The cell beside another, if there is one.
    pub fn neighbour(&self, cell: usize, shift: [isize; 3]) -> Option<usize> {
        let n = self.cells;
        let at = [cell % n, cell / n % n, cell / (n * n)];
        let [x, y, z] = [0, 1, 2].map(|axis| at[axis].checked_add_signed(shift[axis]).filter(|k| *k < n));
        Some(x? + n * (y? + n * z?))
    }

    /// The nodes of a cell.
    pub fn numbers(&self, cell: usize) -> [usize; LOCAL] {
        let n = self.cells;
        let first = DEGREE * (cell % n + self.nodes * (cell / n % n + self.nodes * (cell / (n * n))));
        std::array::from_fn(|k| {
            first + k % ALONG + self.nodes * (k / ALONG % ALONG + self.nodes * (k / (ALONG * ALONG)))
        })
    }

    /// Au.
    pub fn times(&self, u: &[f64], product: &mut [f64]) {
        product.fill(0.0);
        self.by_layers(product, |layer, offset, planes| self.layer_times(layer, u, offset, planes));
    }

    /// Lets each layer of cells, by its number, add to its planes of nodes, the first of which has an offset.
    pub fn by_layers(&self, sum: &mut [f64], add: impl Fn(usize, usize, &mut [f64]) + Sync) {
        let plane = self.nodes * self.nodes;
        for turn in 0..2 {
            // A layer reaches from its first plane of nodes to the first of the next, which it shares.
            let planes = &mut sum[turn * DEGREE * plane..];
            planes.par_chunks_mut(2 * DEGREE * plane).enumerate().for_each(|(pair, planes)| {
                let layer = 2 * pair + turn;
                if layer < self.cells {
                    add(layer, layer * DEGREE * plane, planes);
                }
            });
        }
    }

    /// What a layer of cells adds to its planes of nodes.
    fn layer_times(&self, layer: usize, u: &[f64], offset: usize, planes: &mut [f64]) {
        let n = self.cells;
        let (mut gathered, mut products) = (vec![0.0; LOCAL * n], vec![0.0; 2 * LOCAL * n]);
        let mut work = Workspace::default();
        for row in 0..n {
            let first = (layer * n + row) * n;
            let factors = &self.factors[first..first + n];
            if factors.iter().all(|factors| *factors == [0.0; 2]) {
                continue;
            }
            // The cells of a row stand next to each other: their numbers grow by DEGREE.
            let start = self.numbers(first);
            for (local, node) in start.iter().enumerate() {
                let from = u[*node..].iter().step_by(DEGREE);
                gathered[local * n..][..n].iter_mut().zip(from).for_each(|(to, value)| *to = *value);
            }
            let target = Target::new(&mut products, 0, n);
            self.both.times(n, &gathered, View::rows(0, n), target, Product::Set, &mut work);
            for (local, node) in start.iter().enumerate() {
                let (slopes, values) = (&products[local * n..][..n], &products[(LOCAL + local) * n..][..n]);
                let to = planes[node - offset..].iter_mut().step_by(DEGREE);
                for (((to, factors), slope), value) in to.zip(factors).zip(slopes).zip(values) {
                    *to += factors[0] * slope + factors[1] * value;
                }
            }
        }
        for (cell, matrix) in &self.cut[layer] {
            let own = self.numbers(*cell);
            let values = own.map(|node| u[node]);
            for (node, row) in own.iter().zip(matrix.chunks_exact(LOCAL)) {
                planes[node - offset] += row.iter().zip(&values).map(|(entry, value)| entry * value).sum::<f64>();
            }
        }
    }
}

/// ∫ ∇u·∇v and ∫ uv over the unit cube.
fn unit_matrices() -> (Vec<f64>, Vec<f64>) {
    let (mut k, mut m) = ([[0.0; ALONG]; ALONG], [[0.0; ALONG]; ALONG]);
    for (s, weight) in GAUSS {
        let (values, slopes) = along(s);
        for i in 0..ALONG {
            for j in 0..ALONG {
                k[i][j] += weight * slopes[i] * slopes[j];
                m[i][j] += weight * values[i] * values[j];
            }
        }
    }
    let split = |k: usize| [k % ALONG, k / ALONG % ALONG, k / (ALONG * ALONG)];
    let entry = |number: usize| {
        let (a, b) = (split(number / LOCAL), split(number % LOCAL));
        let (k, m) = ([0, 1, 2].map(|axis| k[a[axis]][b[axis]]), [0, 1, 2].map(|axis| m[a[axis]][b[axis]]));
        (k[0] * m[1] * m[2] + m[0] * k[1] * m[2] + m[0] * m[1] * k[2], m[0] * m[1] * m[2])
    };
    (0..LOCAL * LOCAL).map(entry).unzip()
}

/// Factors, matrices of cut cells and loads of a layer of cells.
fn gather(
    problem: &Immersed,
    cells: usize,
    h: f64,
    layer: usize,
    (stiffness, mass): (&[f64], &[f64]),
) -> Result<Row, SolveError> {
    let (mut factors, mut cut, mut loads) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..cells * cells {
        let place = [k % cells, k / cells, layer];
        let low = [0, 1, 2].map(|axis| problem.low[axis] + h * place[axis] as f64);
        let high = low.map(|x| x + h);
        let part = problem.part(low, high);
        let middle = low.map(|x| x + 0.5 * h);
        let (mut own, mut load, mut scale) = (Vec::new(), [0.0; LOCAL], [0.0; 2]);
        if part != Part::Outside {
            let coefficients = [(problem.diffusivity)(&middle), (problem.decay)(&middle)];
            let whole = [coefficients[0] * h, coefficients[1] * h * h * h];
            if coefficients.iter().any(|value| !value.is_finite()) {
                return Err(SolveError::NotFinite { what: "a coefficient", place: format!("{middle:?}") });
            }
            let balls = if part == Part::Cut { &problem.balls[..] } else { &[] };
            if part == Part::Cut {
                own = stiffness.iter().zip(mass).map(|(k, m)| ALPHA * (whole[0] * k + whole[1] * m)).collect();
            } else {
                scale = whole;
            }
            for (place, weight) in outside(low, high, balls) {
                let functions = at([0, 1, 2].map(|axis| (place[axis] - low[axis]) / h));
                add_load(problem, &place, weight, h, &functions, &mut load)?;
                if part == Part::Cut {
                    add_matrix(&mut own, &functions, [coefficients[0] / (h * h), coefficients[1]].map(|c| c * weight));
                }
            }
        }
        if part == Part::Cut {
            cut.push((layer * cells * cells + k, own));
        }
        factors.push(scale);
        loads.push(load);
    }
    Ok((factors, cut, loads))
}

fn add_load(
    problem: &Immersed,
    place: &[f64; 3],
    weight: f64,
    h: f64,
    functions: &[[f64; LOCAL]; 4],
    load: &mut [f64; LOCAL],
) -> Result<(), SolveError> {
    let flux = problem.flux.map_or([0.0; 3], |flux| flux.map(|component| component(place) / h));
    let parts = [(problem.source)(place), flux[0], flux[1], flux[2]];
    if parts.iter().any(|part| !part.is_finite()) {
        return Err(SolveError::NotFinite { what: "the source or flux", place: format!("{place:?}") });
    }
    for (part, functions) in parts.iter().zip(functions).filter(|(part, _)| **part != 0.0) {
        load.iter_mut().zip(functions).for_each(|(load, function)| *load += weight * part * function);
    }
    Ok(())
}

/// a∇u·∇v + buv at a place.
fn add_matrix(matrix: &mut [f64], functions: &[[f64; LOCAL]; 4], [a, b]: [f64; 2]) {
    let [values, x, y, z] = functions;
    for (i, row) in matrix.chunks_exact_mut(LOCAL).enumerate() {
        let (v, s, t, r) = (b * values[i], a * x[i], a * y[i], a * z[i]);
        for (j, entry) in row.iter_mut().enumerate() {
            *entry += v * values[j] + s * x[j] + t * y[j] + r * z[j];
        }
    }
}
