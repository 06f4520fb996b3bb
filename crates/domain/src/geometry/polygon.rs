//! Simple polygons in the plane, convex or not, with their vertices in either sense of rotation.

use super::cuboid::{Cuboid, lerp};
use super::edge_tree::EdgeTree;
use super::facet::{Contact, Facet, Meeting};
use crate::error::{DomainError, Result, require_finite};
use crate::part::Piece;
use std::collections::HashMap;

/// A polygon whose edges meet at shared vertices only.
#[derive(Debug, Clone, PartialEq)]
pub struct Polygon {
    vertices: Vec<[f64; 2]>,
    /// Twice the enclosed area, positive if the vertices go round counter-clockwise.
    doubled_area: f64,
    tree: EdgeTree,
}

impl Polygon {
    /// The polygon through `vertices`, in order around the outline, each listed once.
    pub fn new(vertices: &[[f64; 2]]) -> Result<Self> {
        let n = vertices.len();
        if n < 3 {
            return Err(DomainError::TooFewVertices { found: n });
        }
        require_finite("the vertex list of a polygon", vertices.as_flattened())?;
        let mut seen = HashMap::with_capacity(n);
        for (second, vertex) in vertices.iter().enumerate() {
            // Adding 0 makes the two zeros one.
            if let Some(first) = seen.insert(vertex.map(|x| (x + 0.0).to_bits()), second) {
                return Err(DomainError::RepeatedVertex { first, second });
            }
        }
        let [a, b] = [vertices[0], vertices[1]];
        if vertices.iter().all(|&c| turn(a, b, c) == 0.0) {
            return Err(DomainError::ZeroArea { vertices: n });
        }
        let tree = EdgeTree::new(n, &|k| (vertices[k], vertices[(k + 1) % n]));
        refuse_crossings(vertices, &tree)?;
        // Measured from the first vertex, so that far-away polygons do not lose their area to rounding.
        let doubled_area: f64 = (1..n - 1).map(|k| turn(a, vertices[k], vertices[k + 1])).sum();
        if doubled_area == 0.0 {
            return Err(DomainError::ZeroArea { vertices: n });
        }
        Ok(Self { vertices: vertices.to_vec(), doubled_area, tree })
    }

    /// The vertices, as given.
    pub fn vertices(&self) -> &[[f64; 2]] {
        &self.vertices
    }

    /// Enclosed area (shoelace formula).
    pub fn area(&self) -> f64 {
        self.doubled_area.abs() / 2.0
    }

    /// Ends of the edge from vertex `k` to the next.
    fn edge(&self, k: usize) -> ([f64; 2], [f64; 2]) {
        (self.vertices[k], self.vertices[(k + 1) % self.vertices.len()])
    }

    pub(super) fn edge_length(&self, k: usize) -> f64 {
        let (a, b) = self.edge(k);
        (b[0] - a[0]).hypot(b[1] - a[1])
    }

    /// Unit normal out of the polygon: the edge turned clockwise if the polygon runs counter-clockwise.
    fn edge_normal(&self, k: usize) -> Vec<f64> {
        let (a, b) = self.edge(k);
        let scale = self.doubled_area.signum() / self.edge_length(k);
        vec![scale * (b[1] - a[1]), scale * (a[0] - b[0])]
    }

    pub(super) fn place_on_edge(&self, k: usize, unit: f64) -> Vec<f64> {
        let (a, b) = self.edge(k);
        let between = |axis: usize| {
            let forward = a[axis] <= b[axis];
            if forward { lerp(a[axis], b[axis], unit) } else { lerp(b[axis], a[axis], 1.0 - unit) }
        };
        vec![between(0), between(1)]
    }

    pub(super) fn bounding_box(&self) -> Cuboid {
        let range = |axis: usize| {
            let ends = self.vertices.iter().map(|v| v[axis]);
            (ends.clone().fold(f64::INFINITY, f64::min), ends.fold(f64::NEG_INFINITY, f64::max))
        };
        let ((x0, x1), (y0, y1)) = (range(0), range(1));
        Cuboid::new(&[x0, y0], &[x1, y1]).expect("a polygon with area has width and height")
    }

    /// Distance to the segment of edge `k`.
    fn edge_distance(&self, k: usize, point: &[f64]) -> f64 {
        let (a, b) = self.edge(k);
        let (along, towards) = ([b[0] - a[0], b[1] - a[1]], [point[0] - a[0], point[1] - a[1]]);
        let length2 = along[0] * along[0] + along[1] * along[1];
        let foot = ((along[0] * towards[0] + along[1] * towards[1]) / length2).clamp(0.0, 1.0);
        (towards[0] - foot * along[0]).hypot(towards[1] - foot * along[1])
    }

    /// A ray to the right crosses the outline an odd number of times if it starts inside.
    fn encloses(&self, point: &[f64]) -> bool {
        let mut inside = false;
        let cross = |k: usize| {
            let (a, b) = self.edge(k);
            // Half-open in y, so that a vertex on the ray counts for exactly one of its edges.
            if (a[1] > point[1]) != (b[1] > point[1]) {
                let crossing = a[0] + (point[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
                inside ^= point[0] < crossing;
            }
        };
        self.tree.visit(|bounds| bounds.straddles(point[1]), cross);
        inside
    }

    pub(super) fn signed_distance(&self, point: &[f64]) -> f64 {
        let distance = self.tree.nearest(point, |k| self.edge_distance(k, point));
        if self.encloses(point) { -distance } else { distance }
    }

    pub(super) fn contact(&self, point: &[f64], tolerance: f64) -> Contact {
        let n = self.vertices.len();
        let mut touching = Vec::new();
        self.tree
            .within(point, tolerance, |k| touching.extend((self.edge_distance(k, point) <= tolerance).then_some(k)));
        let meeting = match touching[..] {
            [i, j] => self.meeting_at(if (i + 1) % n == j { j } else { i }),
            _ => Meeting::BehindAll,
        };
        let facets = touching.iter().map(|&k| Facet { piece: Piece::Edge(k), normal: self.edge_normal(k) });
        Contact { facets: facets.collect(), meeting }
    }

    fn meeting_at(&self, vertex: usize) -> Meeting {
        let n = self.vertices.len();
        let [before, here, after] = [vertex + n - 1, vertex, vertex + 1].map(|k| self.vertices[k % n]);
        let convex = turn(before, here, after) * self.doubled_area >= 0.0;
        if convex { Meeting::BehindAll } else { Meeting::BehindAny }
    }
}

/// Twice the signed area of the triangle a, b, c: positive for a left turn.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Names the first two edges that share more than a common vertex.
fn refuse_crossings(vertices: &[[f64; 2]], tree: &EdgeTree) -> Result<()> {
    let n = vertices.len();
    let edge = |k: usize| (k, (k + 1) % n);
    let clash = |first: (usize, usize), second: (usize, usize)| {
        if first.1 == second.0 {
            folds_back(vertices[first.0], vertices[first.1], vertices[second.1])
        } else if second.1 == first.0 {
            folds_back(vertices[second.0], vertices[second.1], vertices[first.1])
        } else {
            let [a, b, c, d] = [first.0, first.1, second.0, second.1].map(|k| vertices[k]);
            segments_meet(a, b, c, d)
        }
    };
    for i in 0..n {
        let (first, mut second) = (edge(i), None);
        tree.near_segment((vertices[first.0], vertices[first.1]), |j| {
            second = second.or(Some(edge(j)).filter(|second| j > i && clash(first, *second)));
        });
        if let Some(second) = second {
            return Err(DomainError::SelfIntersection { first, second });
        }
    }
    Ok(())
}

/// Whether the path a → b → c returns along itself.
fn folds_back(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> bool {
    let backwards = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) < 0.0;
    turn(a, b, c) == 0.0 && backwards
}

/// Whether the closed segments ab and cd share a point.
fn segments_meet(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> bool {
    let within = |p: [f64; 2], q: [f64; 2], x: [f64; 2]| {
        (0..2).all(|axis| x[axis] >= p[axis].min(q[axis]) && x[axis] <= p[axis].max(q[axis]))
    };
    let (c_side, d_side) = (turn(a, b, c), turn(a, b, d));
    let (a_side, b_side) = (turn(c, d, a), turn(c, d, b));
    let crosses = c_side * d_side < 0.0 && a_side * b_side < 0.0;
    let touches = [(c_side, a, b, c), (d_side, a, b, d), (a_side, c, d, a), (b_side, c, d, b)];
    crosses || touches.iter().any(|&(side, p, q, x)| side == 0.0 && within(p, q, x))
}
