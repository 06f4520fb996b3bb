//! A = LU by fronts: each group of the order gathers its entries and what its children left, and is eliminated.

use super::dissection::{Group, Order};
use super::front::{Eliminated, eliminate};
use super::matrix::Matrix;
use crate::SolveError;

/// A factored matrix.
pub(crate) struct Factor<'a> {
    order: &'a Order,
    fronts: Vec<Eliminated>,
}

/// Fronts of a part of the tree in their order, and what its root left for later groups.
type Part = (Vec<Eliminated>, Vec<f64>);

impl<'a> Factor<'a> {
    /// Factors a matrix whose entries are where those of the ordered one are.
    pub fn new(matrix: &Matrix, order: &'a Order) -> Result<Self, SolveError> {
        let root = order.groups.len() - 1;
        let (fronts, _) = factor(matrix, order, root).ok_or(SolveError::Singular)?;
        Ok(Self { order, fronts })
    }

    /// x with Ax = b.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = self.order.unknowns.iter().map(|unknown| b[*unknown as usize]).collect();
        let mut room = Vec::new();
        for (group, front) in self.order.groups.iter().zip(&self.fronts) {
            let mut own = x[group.start..group.end].to_vec();
            front.forward(&mut own, &group.boundary, &mut x, &mut room);
            x[group.start..group.end].copy_from_slice(&own);
        }
        for (group, front) in self.order.groups.iter().zip(&self.fronts).rev() {
            room.clear();
            room.extend(group.boundary.iter().map(|place| x[*place as usize]));
            front.backward(&mut x[group.start..group.end], &room);
        }
        self.order.places.iter().map(|place| x[*place as usize]).collect()
    }
}

fn factor(matrix: &Matrix, order: &Order, root: usize) -> Option<Part> {
    let group = &order.groups[root];
    let parts: Vec<Part> = match group.children[..] {
        [] => Vec::new(),
        [only] => vec![factor(matrix, order, only)?],
        [first, second, ..] => {
            let (a, b) = rayon::join(|| factor(matrix, order, first), || factor(matrix, order, second));
            vec![a?, b?]
        }
    };
    let (own, size) = (group.end - group.start, group.end - group.start + group.boundary.len());
    let mut front = vec![0.0; size * size];
    gather(matrix, order, group, &mut front, size);
    let mut fronts = Vec::new();
    for (child, (mut before, left)) in group.children.iter().zip(parts) {
        add_left(&mut front, size, group, &order.groups[*child].boundary, &left);
        fronts.append(&mut before);
    }
    let (eliminated, left) = eliminate(front, own, size)?;
    fronts.push(eliminated);
    Some((fronts, left))
}

/// Where a place of the order stands in the front of a group.
fn local(group: &Group, place: u32) -> usize {
    match group.boundary.binary_search(&place) {
        Ok(k) => group.end - group.start + k,
        Err(_) => place as usize - group.start,
    }
}

/// The matrix's own entries in the rows and columns of a group.
fn gather(matrix: &Matrix, order: &Order, group: &Group, front: &mut [f64], size: usize) {
    for place in group.start..group.end {
        let (unknown, row) = (order.unknowns[place], place - group.start);
        let (columns, values) = matrix.row(unknown as usize);
        for (column, value) in columns.iter().zip(values) {
            let other = order.places[*column as usize];
            if other as usize >= group.start {
                let k = local(group, other);
                front[row * size + k] += value;
                if other as usize >= group.end {
                    front[k * size + row] += matrix.at(*column as usize, unknown);
                }
            }
        }
    }
}

fn add_left(front: &mut [f64], size: usize, group: &Group, places: &[u32], left: &[f64]) {
    let at: Vec<usize> = places.iter().map(|place| local(group, *place)).collect();
    for (row, values) in at.iter().zip(left.chunks_exact(at.len().max(1))) {
        let row = &mut front[row * size..][..size];
        at.iter().zip(values).for_each(|(column, value)| row[*column] += value);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Entries;
    use super::*;

    /// Entries of a grid's five-point stencil with a saddle point's zero block on some of the diagonal.
    #[test]
    fn equations_on_a_grid_are_solved_to_rounding() {
        let n = 60;
        let mut entries = Entries::new(n * n);
        for k in 0..n * n {
            let (i, j) = (k % n, k / n);
            entries.add(k, k, if (i + j) % 5 == 2 { 0.0 } else { 4.0 + 0.1 * (k as f64).sin() });
            let mut couple =
                |other: usize, value: f64| entries.add(k, other, value + 0.3 * (other as f64 - k as f64).sin());
            (i > 0).then(|| couple(k - 1, -1.0));
            (i + 1 < n).then(|| couple(k + 1, -1.0));
            (j > 0).then(|| couple(k - n, -1.0));
            (j + 1 < n).then(|| couple(k + n, -1.0));
        }
        let matrix = entries.finish();
        let places: Vec<[f64; 3]> = (0..n * n).map(|k| [(k % n) as f64, (k / n) as f64, 0.0]).collect();
        let order = Order::new(&matrix, &places);
        assert!(order.groups.len() > 50);
        let x: Vec<f64> = (0..n * n).map(|k| (0.1 * k as f64).cos()).collect();
        let solved = Factor::new(&matrix, &order).unwrap().solve(&matrix.times(&x));
        let (found, wanted) = (matrix.times(&solved), matrix.times(&x));
        let worst = found.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-10, "{worst:e}");
    }
}
