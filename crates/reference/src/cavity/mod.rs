//! Flow in a square box whose lid slides at speed 1: the steady Navier–Stokes equations by finite differences.
//!
//! With the stream function, u = ψ_y and v = −ψ_x, they are one equation, with q = Δψ:
//!
//! Δq/Re − (ψ_y q_x − ψ_x q_y) = 0, ψ = 0 and ∂ψ/∂n = 0 on the walls, ψ_y = 1 on the lid.
//!
//! All differences are central; values beyond a wall follow from the slope there, which gives q on it. Newton's method solves the
//! equations, from slow flow to fast. Errors are even powers of the cell's width where the flow is smooth, so that two grids
//! give a better value than either ([`velocities`]); at the two corners of the lid, where u jumps, it is not.

mod banded;

use banded::Banded;

/// Newton's method ends when a step changes ψ by less than this.
const SETTLED: f64 = 1e-11;
const MOST_STEPS: usize = 30;

/// A flow on a grid.
#[derive(Clone, Debug)]
pub struct Flow {
    cells: usize,
    /// ψ at all nodes, `[y][x]`.
    psi: Vec<f64>,
}

impl Flow {
    /// The flow at a Reynolds number on a grid of cells × cells; `None` if Newton's method does not settle.
    ///
    /// ```
    /// let flow = ropinn_reference::cavity::Flow::new(10.0, 16).expect("slow flow is easily found");
    /// let [u, v] = flow.velocity(8, 8); // in the middle
    /// assert!(u < -0.1 && v.abs() < 0.02);
    /// ```
    pub fn new(reynolds: f64, cells: usize) -> Option<Flow> {
        let mut flow = Flow { cells, psi: vec![0.0; (cells + 1) * (cells + 1)] };
        // Each flow begins with one four times slower.
        let mut path = vec![reynolds];
        while path[path.len() - 1] > 30.0 {
            path.push(path[path.len() - 1] / 4.0);
        }
        path.into_iter().rev().all(|reynolds| flow.settle(reynolds)).then_some(flow)
    }

    /// (u, v) at a node inside.
    pub fn velocity(&self, i: usize, j: usize) -> [f64; 2] {
        let per_length = 0.5 * self.cells as f64;
        let u = (self.at(i, j + 1) - self.at(i, j - 1)) * per_length;
        [u, -(self.at(i + 1, j) - self.at(i - 1, j)) * per_length]
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.psi[j * (self.cells + 1) + i]
    }

    /// The nodes and factors of q at a node, and what the lid adds.
    fn q_stencil(&self, i: usize, j: usize) -> (Vec<(usize, usize, f64)>, f64) {
        let (n, factor) = (self.cells, (self.cells * self.cells) as f64);
        let wall = |i: usize, j: usize, lid: f64| (vec![(i, j, 2.0 * factor)], 2.0 * lid * n as f64);
        match (i, j) {
            (0, _) => wall(1, j, 0.0),
            (_, 0) => wall(i, 1, 0.0),
            (i, _) if i == n => wall(n - 1, j, 0.0),
            (_, j) if j == n => wall(i, n - 1, 1.0),
            _ => {
                let arms = [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)].map(|(i, j)| (i, j, factor));
                (arms.into_iter().chain([(i, j, -4.0 * factor)]).collect(), 0.0)
            }
        }
    }

    fn q(&self, i: usize, j: usize) -> f64 {
        let (stencil, lid) = self.q_stencil(i, j);
        lid + stencil.iter().map(|&(i, j, factor)| factor * self.at(i, j)).sum::<f64>()
    }

    fn settle(&mut self, reynolds: f64) -> bool {
        for _ in 0..MOST_STEPS {
            let step = self.newton_step(reynolds);
            let largest = step.iter().fold(0.0, |a: f64, b| if b.is_nan() { f64::NAN } else { a.max(b.abs()) });
            let inside = self.cells - 1;
            for (k, change) in step.iter().enumerate() {
                self.psi[(k / inside + 1) * (self.cells + 1) + k % inside + 1] += change;
            }
            if !largest.is_finite() {
                return false;
            }
            if largest < SETTLED {
                return true;
            }
        }
        false
    }

    /// −J⁻¹F at the inner nodes.
    fn newton_step(&self, reynolds: f64) -> Vec<f64> {
        let (n, inside) = (self.cells, self.cells - 1);
        let index = |i: usize, j: usize| (j - 1) * inside + i - 1;
        let is_inside = |i: usize, j: usize| (1..n).contains(&i) && (1..n).contains(&j);
        let (spread, slope) = ((n * n) as f64 / reynolds, 0.5 * n as f64);
        let q: Vec<f64> = (0..(n + 1) * (n + 1)).map(|k| self.q(k % (n + 1), k / (n + 1))).collect();
        let q = |i: usize, j: usize| q[j * (n + 1) + i];
        let mut matrix = Banded::new(inside * inside, 2 * inside);
        let mut right = vec![0.0; inside * inside];
        for j in 1..n {
            for i in 1..n {
                let row = index(i, j);
                let [u, v] = self.velocity(i, j);
                let (q_x, q_y) = ((q(i + 1, j) - q(i - 1, j)) * slope, (q(i, j + 1) - q(i, j - 1)) * slope);
                let around = q(i + 1, j) + q(i - 1, j) + q(i, j + 1) + q(i, j - 1) - 4.0 * q(i, j);
                right[row] = u * q_x + v * q_y - spread * around;
                let factors = [
                    (i + 1, j, spread - u * slope),
                    (i - 1, j, spread + u * slope),
                    (i, j + 1, spread - v * slope),
                    (i, j - 1, spread + v * slope),
                    (i, j, -4.0 * spread),
                ];
                for (i, j, factor) in factors {
                    for (i, j, part) in self.q_stencil(i, j).0.into_iter().filter(|&(i, j, _)| is_inside(i, j)) {
                        matrix.add(row, index(i, j), factor * part);
                    }
                }
                let carried = [
                    (i, j + 1, -q_x * slope),
                    (i, j - 1, q_x * slope),
                    (i + 1, j, q_y * slope),
                    (i - 1, j, -q_y * slope),
                ];
                for (i, j, factor) in carried.into_iter().filter(|&(i, j, _)| is_inside(i, j)) {
                    matrix.add(row, index(i, j), factor);
                }
            }
        }
        matrix.solve(right)
    }
}

/// (x, y, u, v) at the inner nodes of a grid of `nodes` cells, from grids of `cells` and half as many (Richardson 1911);
/// `cells` is a multiple of twice the nodes. `None` if there is no such flow.
pub fn velocities(reynolds: f64, cells: usize, nodes: usize) -> Option<Vec<[f64; 4]>> {
    let [coarse, fine] = [cells / 2, cells].map(|cells| Flow::new(reynolds, cells));
    let (coarse, fine) = (coarse?, fine?);
    let every = cells / nodes;
    let row = |k: usize| {
        let (i, j) = (k % (nodes - 1) + 1, k / (nodes - 1) + 1);
        let ([u, v], [fine_u, fine_v]) =
            (coarse.velocity(i * every / 2, j * every / 2), fine.velocity(i * every, j * every));
        let place = |i: usize| i as f64 / nodes as f64;
        [place(i), place(j), (4.0 * fine_u - u) / 3.0, (4.0 * fine_v - v) / 3.0]
    };
    Some((0..(nodes - 1) * (nodes - 1)).map(row).collect())
}
