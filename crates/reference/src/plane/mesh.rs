//! Triangles of six nodes: three corners, then the middles of the sides 01, 12 and 20. Sides on a hole are bent: their middle is on its rim.

use super::domain::{Domain, distance_to};
use crate::SolveError;

/// A side on the boundary: two corners, the middle, and the piece it lies on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Edge {
    pub nodes: [u32; 3],
    pub piece: usize,
}

/// Triangles that fill a domain.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    pub(crate) domain: Domain,
    /// Corners first, then middles.
    pub(crate) nodes: Vec<[f64; 2]>,
    pub(crate) corners: usize,
    pub(crate) triangles: Vec<[u32; 6]>,
    pub(crate) edges: Vec<Edge>,
}

impl Mesh {
    /// Triangles with sides of about a length.
    pub fn new(domain: &Domain, size: f64) -> Result<Self, SolveError> {
        let (corners, triangles) = super::generate::triangulate(domain, size)?;
        Ok(Self::from_corners(domain.clone(), corners, triangles))
    }

    /// Two triangles in each cell of a grid with these lines, so that coefficients may jump there.
    pub fn grid(xs: &[f64], ys: &[f64]) -> Result<Self, SolveError> {
        for lines in [xs, ys] {
            if lines.len() < 2
                || lines.windows(2).any(|pair| pair[0].is_nan() || pair[1].is_nan() || pair[0] >= pair[1])
            {
                return Err(SolveError::Domain { reason: "lines of a grid must be at least two, and increase".into() });
            }
        }
        let (columns, rows) = (xs.len(), ys.len());
        let domain = Domain::rectangle([xs[0], ys[0]], [xs[columns - 1], ys[rows - 1]], Vec::new())?;
        let corners = ys.iter().flat_map(|y| xs.iter().map(move |x| [*x, *y])).collect();
        let mut triangles = Vec::new();
        for j in 0..rows - 1 {
            for i in 0..columns - 1 {
                let at = |i: usize, j: usize| (j * columns + i) as u32;
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                // Diagonals end in the corners of the rectangle, so that no triangle has two sides on its boundary.
                match (2 * i < columns - 1) == (2 * j < rows - 1) {
                    true => triangles.extend([[a, b, c], [a, c, d]]),
                    false => triangles.extend([[a, b, d], [b, c, d]]),
                }
            }
        }
        Ok(Self::from_corners(domain, corners, triangles))
    }

    /// Four triangles for each; the domain is met better where it is round.
    pub fn refined(&self) -> Self {
        let parts = |t: &[u32; 6]| [[t[0], t[3], t[5]], [t[3], t[1], t[4]], [t[5], t[4], t[2]], [t[3], t[4], t[5]]];
        Self::from_corners(self.domain.clone(), self.nodes.clone(), self.triangles.iter().flat_map(parts).collect())
    }

    fn from_corners(domain: Domain, corners: Vec<[f64; 2]>, mut triangles: Vec<[u32; 3]>) -> Self {
        split_corners(&mut triangles);
        let count = corners.len();
        let mut nodes = corners;
        let mut whole: Vec<[u32; 6]> = triangles.iter().map(|[a, b, c]| [*a, *b, *c, 0, 0, 0]).collect();
        let mut edges = Vec::new();
        for side in sides(&triangles).chunk_by(|a, b| a.0 == b.0) {
            let ([p, q], ..) = side[0];
            let (a, b) = (nodes[p as usize], nodes[q as usize]);
            let mut middle = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
            let number = nodes.len() as u32;
            if let [(_, triangle, k)] = side {
                let piece = piece_of(&domain, a, b);
                if let Some(hole) = piece.checked_sub(domain.outline.len()) {
                    middle = domain.holes[hole].onto_rim(middle);
                }
                // The domain is to the left of the side from its first to its second corner.
                let own = triangles[*triangle as usize];
                edges.push(Edge { nodes: [own[*k as usize], own[(*k as usize + 1) % 3], number], piece });
            }
            nodes.push(middle);
            side.iter().for_each(|(_, triangle, k)| whole[*triangle as usize][3 + *k as usize] = number);
        }
        Self { domain, nodes, corners: count, triangles: whole, edges }
    }
}

/// (corners in increasing order, triangle, which of its sides), sorted.
fn sides(triangles: &[[u32; 3]]) -> Vec<([u32; 2], u32, u8)> {
    let own = |(t, corners): (usize, &[u32; 3])| {
        let [a, b, c] = *corners;
        let side = |p: u32, q: u32, k: u8| ([p.min(q), p.max(q)], t as u32, k);
        [side(a, b, 0), side(b, c, 1), side(c, a, 2)]
    };
    let mut all: Vec<_> = triangles.iter().enumerate().flat_map(own).collect();
    all.sort_unstable();
    all
}

/// Turns the third side of triangles that have two on the boundary: in such a triangle the pressure of a flow is not determined well.
fn split_corners(triangles: &mut [[u32; 3]]) {
    let all = sides(triangles);
    let mut outer = vec![0; triangles.len()];
    let alone = |side: &[([u32; 2], u32, u8)]| side.len() == 1;
    all.chunk_by(|a, b| a.0 == b.0).filter(|side| alone(side)).for_each(|side| outer[side[0].1 as usize] += 1);
    for pair in all.chunk_by(|a, b| a.0 == b.0).filter(|side| side.len() == 2) {
        let (one, other) = if outer[pair[0].1 as usize] >= 2 { (pair[0], pair[1]) } else { (pair[1], pair[0]) };
        if outer[one.1 as usize] >= 2 && outer[other.1 as usize] == 0 {
            let turned = |(_, triangle, k): ([u32; 2], u32, u8)| {
                let own = triangles[triangle as usize];
                [own[k as usize], own[(k as usize + 1) % 3], own[(k as usize + 2) % 3]]
            };
            let ([a, b, corner], [.., far]) = (turned(one), turned(other));
            triangles[one.1 as usize] = [corner, a, far];
            triangles[other.1 as usize] = [corner, far, b];
        }
    }
}

/// The piece on which both ends of a side lie.
fn piece_of(domain: &Domain, a: [f64; 2], b: [f64; 2]) -> usize {
    let sides = domain.sides().map(|side| distance_to(side, a).max(distance_to(side, b)));
    let rims = domain.holes.iter().map(|hole| hole.distance(a).abs().max(hole.distance(b).abs()));
    let nearest = sides.chain(rims).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    nearest.map_or(0, |(piece, _)| piece)
}
