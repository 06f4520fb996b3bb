//! One axis of a tensor-product map: y[…, k, …] = Σ_q m[k, q] x[…, q, …].
//!
//! Applied to each axis in turn this costs D·Q^(D+1) operations for Q nodes per axis, where the matrix of all test
//! functions at all nodes would cost K^D·Q^D and as much memory.

/// A matrix that maps the nodes of an axis to its test functions.
#[derive(Clone, Debug)]
pub(super) struct Contraction {
    tests: usize,
    nodes: usize,
    /// `[test][node]`.
    entries: Vec<f64>,
}

impl Contraction {
    pub fn new(tests: usize, nodes: usize, entries: Vec<f64>) -> Self {
        Self { tests, nodes, entries }
    }

    /// Nodes to tests along `axis`, when the axes before it (which vary faster) are already mapped to tests.
    pub fn apply(&self, axis: usize, values: &mut Vec<f64>, scratch: &mut Vec<f64>) {
        let inner = self.tests.pow(axis as u32);
        map_axis(values, scratch, inner, (self.nodes, self.tests), |k, q| self.entries[k * self.nodes + q]);
    }

    /// Tests to nodes along `axis`, when the axes before it are already mapped to nodes.
    pub fn apply_transposed(&self, axis: usize, values: &mut Vec<f64>, scratch: &mut Vec<f64>) {
        let inner = self.nodes.pow(axis as u32);
        map_axis(values, scratch, inner, (self.tests, self.nodes), |q, k| self.entries[k * self.nodes + q]);
    }
}

/// y[o, j, i] = Σ_l m(j, l) x[o, l, i] with i < `inner` running fastest, l < `from` and j < `to`.
fn map_axis(
    values: &mut Vec<f64>,
    scratch: &mut Vec<f64>,
    inner: usize,
    (from, to): (usize, usize),
    entry: impl Fn(usize, usize) -> f64,
) {
    scratch.clear();
    scratch.resize(values.len() / from * to, 0.0);
    for (x, y) in values.chunks_exact(from * inner).zip(scratch.chunks_exact_mut(to * inner)) {
        for (j, row) in y.chunks_exact_mut(inner).enumerate() {
            for (l, x) in x.chunks_exact(inner).enumerate() {
                let factor = entry(j, l);
                row.iter_mut().zip(x).for_each(|(y, x)| *y += factor * x);
            }
        }
    }
    std::mem::swap(values, scratch);
}
