//! Corners of triangles: even along the boundary, a hexagonal lattice inside, joined by a constrained Delaunay triangulation and
//! moved between their neighbours.

use super::domain::{Domain, inside};
use crate::SolveError;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

/// Corners a mesh may have before it is refined.
const MOST_CORNERS: f64 = 4e5;
/// A rim is cut into at least this many parts.
const FEWEST_PARTS: usize = 16;
/// The least depth of the lattice inside the domain, in sides.
const APART: f64 = 0.6;
/// Times that corners are moved to the mean of their neighbours.
const MOVES: usize = 8;

type Triangles = (Vec<[f64; 2]>, Vec<[u32; 3]>);

pub(super) fn triangulate(domain: &Domain, size: f64) -> Result<Triangles, SolveError> {
    let (low, high) = domain.bounds();
    let corners = (high[0] - low[0]) * (high[1] - low[1]) / (0.866 * size * size);
    if size.is_nan() || size <= 0.0 || corners > MOST_CORNERS {
        let expected = format!("positive, and large enough for at most {MOST_CORNERS} triangles");
        return Err(SolveError::Resolution { key: "size", value: size.to_string(), expected });
    }
    let (mut points, pairs) = boundary(domain, size);
    let fixed = points.len();
    let rise = size * 0.75_f64.sqrt();
    for row in 0..=((high[1] - low[1]) / rise) as usize {
        for column in 0..=((high[0] - low[0]) / size) as usize {
            let shift = if row % 2 == 0 { 0.25 } else { 0.75 };
            let point = [low[0] + size * (column as f64 + shift), low[1] + rise * (row as f64 + 0.5)];
            if inside(&domain.outline, point) && domain.depth(point) > APART * size {
                points.push(point);
            }
        }
    }
    for _ in 0..MOVES {
        let triangles = join(domain, &points, &pairs)?;
        let mut sums = vec![([0.0; 2], 0.0); points.len()];
        for triangle in &triangles {
            for (k, corner) in triangle.iter().enumerate() {
                for other in [triangle[(k + 1) % 3], triangle[(k + 2) % 3]] {
                    let ((sum, count), [x, y]) = (&mut sums[*corner as usize], points[other as usize]);
                    (sum[0], sum[1], *count) = (sum[0] + x, sum[1] + y, *count + 1.0);
                }
            }
        }
        for (point, (sum, count)) in points.iter_mut().zip(&sums).skip(fixed).filter(|(_, (_, count))| *count > 0.0) {
            *point = sum.map(|sum| sum / count);
        }
    }
    let triangles = join(domain, &points, &pairs)?;
    Ok((points, triangles))
}

/// Points along the sides and rims, and which of them follow one another.
fn boundary(domain: &Domain, size: f64) -> (Vec<[f64; 2]>, Vec<[usize; 2]>) {
    let (mut points, mut pairs) = (Vec::new(), Vec::new());
    for (a, b) in domain.sides() {
        let parts = ((b[0] - a[0]).hypot(b[1] - a[1]) / size).round().max(1.0) as usize;
        let at = |k: usize| [0, 1].map(|axis| a[axis] + (b[axis] - a[axis]) * k as f64 / parts as f64);
        points.extend((0..parts).map(at));
    }
    let outline = points.len();
    pairs.extend((0..outline).map(|k| [k, (k + 1) % outline]));
    for hole in &domain.holes {
        let parts = ((std::f64::consts::TAU * hole.radius / size).round() as usize).max(FEWEST_PARTS);
        let first = points.len();
        let at = |k: usize| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / parts as f64).sin_cos();
            [hole.center[0] + hole.radius * cos, hole.center[1] + hole.radius * sin]
        };
        points.extend((0..parts).map(at));
        pairs.extend((0..parts).map(|k| [first + k, first + (k + 1) % parts]));
    }
    (points, pairs)
}

/// Delaunay triangles that lie in the domain.
fn join(domain: &Domain, points: &[[f64; 2]], pairs: &[[usize; 2]]) -> Result<Vec<[u32; 3]>, SolveError> {
    let vertices = points.iter().map(|[x, y]| Point2::new(*x, *y)).collect();
    let refuse = |error: spade::InsertionError| SolveError::Domain { reason: error.to_string() };
    let all =
        ConstrainedDelaunayTriangulation::<Point2<f64>>::bulk_load_cdt(vertices, pairs.to_vec()).map_err(refuse)?;
    if all.num_vertices() != points.len() {
        return Err(SolveError::Domain { reason: "two pieces of its boundary meet; leave room between them".into() });
    }
    let within = |corners: &[u32; 3]| {
        let center = [0, 1].map(|axis| corners.iter().map(|k| points[*k as usize][axis]).sum::<f64>() / 3.0);
        // The centre of a triangle beside a rim may lie between it and the polygon of its corners.
        let on =
            |rim: &super::Disc| corners.iter().all(|k| rim.distance(points[*k as usize]).abs() < 1e-9 * rim.radius);
        let deep = |rim: &super::Disc| rim.distance(center) < -0.2 * rim.radius;
        inside(&domain.outline, center) && !domain.holes.iter().any(|rim| on(rim) || deep(rim))
    };
    let corners = all.inner_faces().map(|face| face.vertices().map(|vertex| vertex.fix().index() as u32));
    Ok(corners.filter(within).collect())
}
