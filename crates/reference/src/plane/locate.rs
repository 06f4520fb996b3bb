//! Which triangle a point lies in, and where in it: x(ξ, η) = Σ xₖNₖ(ξ, η) is solved by Newton's method.

use super::mesh::Mesh;
use super::shape::Shape;

/// How far outside a triangle, in its own coordinates, a point of the domain may be: rims are not quite what bent sides are.
const SLACK: f64 = 0.05;

/// Triangles by the cells of a grid.
#[derive(Clone, Debug)]
pub(crate) struct Locator {
    low: [f64; 2],
    step: [f64; 2],
    cells: [usize; 2],
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Locator {
    pub fn new(mesh: &Mesh) -> Self {
        let (low, high) = mesh.domain.bounds();
        let along = ((mesh.triangles.len() as f64 / 2.0).sqrt().ceil() as usize).max(1);
        let cells = [along, along];
        let step = [0, 1].map(|axis| (high[axis] - low[axis]) / along as f64);
        let mut locator = Self { low, step, cells, starts: Vec::new(), members: Vec::new() };
        let mut pairs = Vec::new();
        for (number, triangle) in mesh.triangles.iter().enumerate() {
            let side = |axis: usize| triangle.iter().map(move |node| mesh.nodes[*node as usize][axis]);
            let range = |axis: usize| {
                let (least, most) =
                    side(axis).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
                let extra = SLACK * (most - least);
                locator.cell(axis, least - extra)..=locator.cell(axis, most + extra)
            };
            for j in range(1) {
                pairs.extend(range(0).map(|i| ((j * along + i) as u32, number as u32)));
            }
        }
        pairs.sort_unstable();
        locator.starts = vec![0; along * along + 1];
        pairs.iter().for_each(|(cell, _)| locator.starts[*cell as usize + 1] += 1);
        (0..along * along).for_each(|cell| locator.starts[cell + 1] += locator.starts[cell]);
        locator.members = pairs.into_iter().map(|(_, number)| number).collect();
        locator
    }

    fn cell(&self, axis: usize, x: f64) -> usize {
        (((x - self.low[axis]) / self.step[axis]).max(0.0) as usize).min(self.cells[axis] - 1)
    }

    /// The triangle and (ξ, η) of a point of the domain; `None` outside.
    pub fn find(&self, mesh: &Mesh, point: [f64; 2]) -> Option<(usize, [f64; 2])> {
        if !mesh.domain.contains(point) {
            return None;
        }
        let cell = self.cell(1, point[1]) * self.cells[0] + self.cell(0, point[0]);
        let members = &self.members[self.starts[cell] as usize..self.starts[cell + 1] as usize];
        let mut best = (-SLACK, None);
        for &number in members {
            let Some([xi, eta]) = inverse(mesh, number as usize, point) else { continue };
            let depth = xi.min(eta).min(1.0 - xi - eta);
            if depth > best.0 {
                best = (depth, Some((number as usize, [xi, eta])));
            }
        }
        best.1
    }
}

fn inverse(mesh: &Mesh, triangle: usize, [x, y]: [f64; 2]) -> Option<[f64; 2]> {
    let mut at = [1.0 / 3.0; 2];
    for _ in 0..12 {
        let shape = Shape::new(at);
        let place = shape.place(mesh, triangle);
        let ([a, b, c, d], determinant) = shape.jacobian(mesh, triangle);
        let (dx, dy) = (x - place[0], y - place[1]);
        let step = [(d * dx - b * dy) / determinant, (a * dy - c * dx) / determinant];
        at = [at[0] + step[0], at[1] + step[1]];
        if step[0].abs().max(step[1].abs()) < 1e-13 {
            return Some(at);
        }
        if !(at[0].abs() < 4.0 && at[1].abs() < 4.0) {
            return None;
        }
    }
    Some(at)
}
