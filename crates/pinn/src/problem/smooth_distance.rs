//! A smooth function that is positive inside a domain and vanishes on its boundary, as a formula.
//!
//! Half-planes and balls have polynomials of that kind, and common insides their products. Where shapes are taken away or added
//! the sign matters everywhere, which R-functions keep (Rvachev 1982): a ∧ b = a + b − √(a² + b²), a ∨ b = a + b + √(a² + b²).
//! They are smooth but for the corners where both vanish.

use ropinn_domain::Geometry;
use ropinn_domain::geometry::{Operation, Polygon, Solid};
use ropinn_expr::Expr;

/// The most edges of a polygon: each is a factor.
const MAX_EDGES: usize = 32;

/// Two functions that vanish on the boundary and are positive inside.
struct Inside {
    /// A product; its sign outside means nothing.
    smooth: Expr,
    /// Negative outside.
    signed: Expr,
}

/// The function for the space part of a domain; the reason if there is none.
pub(super) fn smooth_distance(geometry: &Geometry) -> Result<Expr, String> {
    let solids: Vec<&Solid> = geometry.solids().collect();
    if let Some(reason) = solids.into_iter().find_map(refusal) {
        return Err(reason);
    }
    let join = |operation, a: Inside, b: Inside| match operation {
        Operation::Union => {
            let either = either(&a.signed, &b.signed);
            Inside { smooth: either.clone(), signed: either }
        }
        Operation::Intersection => Inside { smooth: a.smooth * b.smooth, signed: both(&a.signed, &b.signed) },
        Operation::Difference => {
            let outside = -b.signed;
            Inside { signed: both(&a.signed, &outside), smooth: a.smooth * outside }
        }
    };
    Ok(geometry.fold(&inside, &join).smooth)
}

fn refusal(solid: &Solid) -> Option<String> {
    let Solid::Polygon(polygon) = solid else { return None };
    let corners = polygon.vertices().len();
    match half_planes(polygon) {
        _ if corners > MAX_EDGES => {
            Some(format!("a polygon of {corners} edges is too much for a formula; at most {MAX_EDGES}"))
        }
        None => Some("the outline has a corner that points inwards; make it of convex shapes".to_owned()),
        Some(_) => None,
    }
}

fn inside(solid: &Solid) -> Inside {
    let factors: Vec<Expr> = match solid {
        Solid::Cuboid(cuboid) => {
            let slab = |(axis, (&low, &high)): (usize, (&f64, &f64))| {
                let x = Expr::coord(axis);
                (&x - low) * (high - &x) * (1.0 / (high - low))
            };
            cuboid.low().iter().zip(cuboid.high()).enumerate().map(slab).collect()
        }
        Solid::Ball(ball) => {
            let away = ball.center().iter().enumerate().map(|(axis, &c)| (Expr::coord(axis) - c).powi(2));
            let radius = ball.radius();
            vec![(Expr::constant(radius * radius) - Expr::sum(away)) * (0.5 / radius)]
        }
        Solid::Polygon(polygon) => half_planes(polygon).unwrap_or_default(),
    };
    let signed = factors.iter().skip(1).fold(factors[0].clone(), |signed, factor| both(&signed, factor));
    Inside { smooth: Expr::product(factors), signed }
}

/// Distances to the lines through the edges, positive inside; none if the polygon is not convex.
fn half_planes(polygon: &Polygon) -> Option<Vec<Expr>> {
    let vertices = polygon.vertices();
    let n = vertices.len();
    let edge = |k: usize| (vertices[k % n], vertices[(k + 1) % n]);
    let turn = |k: usize| {
        let ((a, b), (_, c)) = (edge(k), edge(k + 1));
        (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
    };
    let left = (0..n).all(|k| turn(k) >= 0.0);
    let right = (0..n).all(|k| turn(k) <= 0.0);
    let sign = if left { 1.0 } else { -1.0 };
    let half_plane = |k: usize| {
        let (a, b) = edge(k);
        let [dx, dy] = [b[0] - a[0], b[1] - a[1]];
        let scale = sign / dx.hypot(dy);
        (Expr::coord(1) - a[1]) * (scale * dx) - (Expr::coord(0) - a[0]) * (scale * dy)
    };
    (left || right).then(|| (0..n).map(half_plane).collect())
}

fn both(a: &Expr, b: &Expr) -> Expr {
    a + b - root(a, b)
}

fn either(a: &Expr, b: &Expr) -> Expr {
    a + b + root(a, b)
}

fn root(a: &Expr, b: &Expr) -> Expr {
    (a.powi(2) + b.powi(2)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropinn_domain::{BoundaryPart, Layout};
    use ropinn_expr::Env;

    fn square(low: f64, high: f64) -> Geometry {
        Geometry::cuboid(&[low; 2], &[high; 2]).unwrap()
    }

    #[test]
    fn vanishes_on_the_boundary_and_is_positive_inside() {
        let disk = |x: f64, r: f64| Geometry::ball(&[x, 0.5], r).unwrap();
        let hexagon: Vec<[f64; 2]> = (0..6).map(|k| (f64::from(k) * 1.047).sin_cos().into()).collect();
        let shapes = [
            disk(0.0, 0.7),
            square(0.0, 1.0).minus(disk(0.5, 0.2)).unwrap(),
            square(0.0, 1.0).minus(square(0.5, 1.0)).unwrap(),
            square(0.0, 1.0).union(disk(1.0, 0.4)).unwrap(),
            square(0.0, 1.0).intersection(disk(0.3, 0.6)).unwrap(),
            Geometry::polygon(&hexagon).unwrap(),
            square(0.0, 1.0).union(square(1.0, 2.0)).unwrap().minus(disk(0.2, 0.1)).unwrap(),
        ];
        for (k, shape) in shapes.iter().enumerate() {
            let distance = smooth_distance(shape).unwrap();
            let value = |point: &[f64]| distance.eval(&Env::at(point));
            for point in shape.sample_boundary(BoundaryPart::All, 200, &Layout::Halton, 1).unwrap().iter() {
                assert!(value(point).abs() < 1e-9, "shape {k} at {point:?}: {}", value(point));
            }
            for point in shape.sample_interior(200, &Layout::Halton, 1).unwrap().iter() {
                let size = shape.signed_distance(point);
                assert!(size > -1e-3 || value(point) > 0.0, "shape {k} at {point:?}: {}", value(point));
            }
        }
        let arrow = Geometry::polygon(&[[0.0, 0.0], [1.0, 0.0], [0.2, 0.2], [0.0, 1.0]]).unwrap();
        assert!(smooth_distance(&arrow).unwrap_err().contains("points inwards"));
    }
}
