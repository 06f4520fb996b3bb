//! Shells as patches, by surface nets (S. Gibson 1998): every cell that a level passes through has a corner, the mean of where the level meets the
//! sides of the cell, and every side of the grid that the level meets has a patch, whose corners are those of the four cells around it.

use crate::surface::view::Vector;

/// Four corners in turn around a patch.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Patch {
    pub corners: [Vector; 4],
}

impl Patch {
    pub fn middle(&self) -> Vector {
        std::array::from_fn(|k| 0.25 * self.corners.iter().map(|corner| corner[k]).sum::<f64>())
    }
}

/// The patches of one level, over nodes along each coordinate; values have the first one fastest. Where one is NaN there is no shell.
pub(super) fn patches(nodes: &[Vec<f64>; 3], values: &[f64], level: f64) -> Vec<Patch> {
    let counts = nodes.each_ref().map(Vec::len);
    let strides = [1, counts[0], counts[0] * counts[1]];
    let index = |at: [usize; 3]| (0..3).map(|k| at[k] * strides[k]).sum::<usize>();
    let place = |at: [usize; 3]| -> Vector { std::array::from_fn(|k| nodes[k][at[k]]) };
    // Where the level meets the side from a node along an axis.
    let meeting = |at: [usize; 3], axis: usize| -> Option<Vector> {
        let (a, b) = (values[index(at)] - level, values[index(at) + strides[axis]] - level);
        if !((a < 0.0) != (b < 0.0) && (b - a).is_finite()) {
            return None;
        }
        let mut met = place(at);
        met[axis] += a / (a - b) * (nodes[axis][at[axis] + 1] - met[axis]);
        Some(met)
    };
    let corner = |cell: [usize; 3]| -> Option<Vector> {
        let (mut sum, mut count) = ([0.0; 3], 0.0);
        for axis in 0..3 {
            let others = [(axis + 1) % 3, (axis + 2) % 3];
            for side in 0..4 {
                let mut at = cell;
                (at[others[0]], at[others[1]]) = (cell[others[0]] + side % 2, cell[others[1]] + side / 2);
                if let Some(met) = meeting(at, axis) {
                    (0..3).for_each(|k| sum[k] += met[k]);
                    count += 1.0;
                }
            }
        }
        (count > 0.0).then(|| sum.map(|all| all / count))
    };
    let mut patches = Vec::new();
    for axis in 0..3 {
        let others = [(axis + 1) % 3, (axis + 2) % 3];
        for n in 0..values.len() {
            let at: [usize; 3] = std::array::from_fn(|k| n / strides[k] % counts[k]);
            let inner = others.iter().all(|k| at[*k] > 0 && at[*k] + 1 < counts[*k]);
            if !inner || at[axis] + 1 == counts[axis] || meeting(at, axis).is_none() {
                continue;
            }
            let around = [(1, 1), (0, 1), (0, 0), (1, 0)].map(|(u, v)| {
                let mut cell = at;
                cell[others[0]] -= u;
                cell[others[1]] -= v;
                corner(cell)
            });
            if let [Some(a), Some(b), Some(c), Some(d)] = around {
                patches.push(Patch { corners: [a, b, c, d] });
            }
        }
    }
    patches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::view::{cross, dot};

    #[test]
    fn the_shell_of_a_ball_is_closed_and_has_its_area() {
        let nodes: Vec<f64> = (0..=40).map(|k| f64::from(k) / 20.0 - 1.0).collect();
        let values: Vec<f64> = (0..41 * 41 * 41)
            .map(|n| [n % 41, n / 41 % 41, n / 1681].iter().map(|k| nodes[*k] * nodes[*k]).sum::<f64>().sqrt())
            .collect();
        let patches = patches(&[nodes.clone(), nodes.clone(), nodes], &values, 0.7);
        let from = |a: Vector, b: Vector| std::array::from_fn::<f64, 3, _>(|k| b[k] - a[k]);
        let area = |patch: &Patch| {
            let [a, b, c, d] = patch.corners;
            let normal = cross(from(a, c), from(b, d));
            0.5 * dot(normal, normal).sqrt()
        };
        let (found, exact) = (patches.iter().map(area).sum::<f64>(), 4.0 * std::f64::consts::PI * 0.49);
        assert!((found / exact - 1.0).abs() < 0.02, "{found}, not {exact}");
        for corner in patches.iter().flat_map(|patch| patch.corners) {
            assert!((dot(corner, corner).sqrt() - 0.7).abs() < 0.01, "{corner:?}");
        }
        // Every side of a patch belongs to two.
        let mut sides = std::collections::HashMap::new();
        for patch in &patches {
            for k in 0..4 {
                let mut ends = [patch.corners[k], patch.corners[(k + 1) % 4]].map(|corner| corner.map(f64::to_bits));
                ends.sort_unstable();
                *sides.entry(ends).or_insert(0) += 1;
            }
        }
        assert!(sides.values().all(|count| *count == 2));
    }
}
