//! Functions of a triangle in its own coordinates (ξ, η), λ₀ = 1 − ξ − η, λ₁ = ξ, λ₂ = η: λᵢ at corners for linear elements; λᵢ(2λᵢ − 1)
//! and 4λᵢλⱼ for quadratic ones, which also map the triangle into the plane.

use super::mesh::Mesh;

/// Places and weights that integrate polynomials of degree 5 over the triangle (Radon 1948); weights add up to its area, ½.
pub(crate) const RULE: [([f64; 2], f64); 7] = {
    const A: f64 = 0.470_142_064_105_115_1;
    const B: f64 = 0.101_286_507_323_456_34;
    const W: f64 = 0.066_197_076_394_253_1;
    const V: f64 = 0.062_969_590_272_413_58;
    [
        ([1.0 / 3.0, 1.0 / 3.0], 0.1125),
        ([A, A], W),
        ([1.0 - 2.0 * A, A], W),
        ([A, 1.0 - 2.0 * A], W),
        ([B, B], V),
        ([1.0 - 2.0 * B, B], V),
        ([B, 1.0 - 2.0 * B], V),
    ]
};

/// Gauss's three places and weights on [0, 1].
pub(crate) const EDGE_RULE: [(f64, f64); 3] =
    [(0.112_701_665_379_258_3, 5.0 / 18.0), (0.5, 4.0 / 9.0), (0.887_298_334_620_741_7, 5.0 / 18.0)];

/// All functions at one place: the first three are the linear ones if the order is 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub linear: [f64; 3],
    pub values: [f64; 6],
    slopes: [[f64; 2]; 6],
}

const LINEAR_SLOPES: [[f64; 2]; 3] = [[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]];

impl Shape {
    pub fn new([xi, eta]: [f64; 2]) -> Self {
        let l = [1.0 - xi - eta, xi, eta];
        let pairs = [(0, 1), (1, 2), (2, 0)];
        let (mut values, mut slopes) = ([0.0; 6], [[0.0; 2]; 6]);
        for k in 0..3 {
            let (i, j) = pairs[k];
            values[k] = l[k] * (2.0 * l[k] - 1.0);
            values[3 + k] = 4.0 * l[i] * l[j];
            for axis in 0..2 {
                slopes[k][axis] = (4.0 * l[k] - 1.0) * LINEAR_SLOPES[k][axis];
                slopes[3 + k][axis] = 4.0 * (l[i] * LINEAR_SLOPES[j][axis] + l[j] * LINEAR_SLOPES[i][axis]);
            }
        }
        Self { linear: l, values, slopes }
    }

    /// Where the place is in the plane.
    pub fn place(&self, mesh: &Mesh, triangle: usize) -> [f64; 2] {
        let mut place = [0.0; 2];
        for (node, value) in mesh.triangles[triangle].iter().zip(self.values) {
            let [x, y] = mesh.nodes[*node as usize];
            place = [place[0] + value * x, place[1] + value * y];
        }
        place
    }

    /// x_ξ, x_η, y_ξ, y_η and their determinant.
    pub fn jacobian(&self, mesh: &Mesh, triangle: usize) -> ([f64; 4], f64) {
        let mut j = [0.0; 4];
        for (node, slope) in mesh.triangles[triangle].iter().zip(self.slopes) {
            let [x, y] = mesh.nodes[*node as usize];
            j = [j[0] + x * slope[0], j[1] + x * slope[1], j[2] + y * slope[0], j[3] + y * slope[1]];
        }
        (j, j[0] * j[3] - j[1] * j[2])
    }

    /// Values of the functions of an order: three or six.
    pub fn values_of(&self, order: usize) -> &[f64] {
        if order == 1 { &self.linear } else { &self.values }
    }

    /// Slopes along x and y of the functions of an order, and the determinant.
    pub fn slopes_of(&self, order: usize, mesh: &Mesh, triangle: usize) -> ([[f64; 2]; 6], f64) {
        let ([a, b, c, d], determinant) = self.jacobian(mesh, triangle);
        let own: &[[f64; 2]] = if order == 1 { &LINEAR_SLOPES } else { &self.slopes };
        let mut slopes = [[0.0; 2]; 6];
        for (slope, [xi, eta]) in slopes.iter_mut().zip(own) {
            *slope = [(xi * d - eta * c) / determinant, (eta * a - xi * b) / determinant];
        }
        (slopes, determinant)
    }
}

/// On a side with nodes (first, second, middle), at s from 0 to 1: the quadratic functions and their slopes in s.
pub(crate) fn edge_shape(s: f64) -> ([f64; 3], [f64; 3]) {
    let (a, b) = (1.0 - s, s);
    ([a * (2.0 * a - 1.0), b * (2.0 * b - 1.0), 4.0 * a * b], [1.0 - 4.0 * a, 4.0 * b - 1.0, 4.0 * (a - b)])
}
