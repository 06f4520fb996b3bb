//! Distances, sizes and normals of single solids.

use super::*;
use proptest::prelude::*;
use std::f64::consts::{PI, TAU};

#[test]
fn ball_sizes_match_the_textbook() {
    let r = 1.3f64;
    let volumes = [2.0 * r, PI * r * r, 4.0 / 3.0 * PI * r.powi(3), PI.powi(2) / 2.0 * r.powi(4)];
    let surfaces = [2.0, TAU * r, 4.0 * PI * r * r, TAU * PI * r.powi(3)];
    let fifth = (8.0 * PI.powi(2) / 15.0 * r.powi(5), 8.0 * PI.powi(2) / 3.0 * r.powi(4));
    let all = volumes.into_iter().zip(surfaces).chain([fifth]);
    for (dim, (volume, surface)) in (1..).zip(all) {
        let ball = Ball::new(&vec![0.5; dim], r).unwrap();
        assert!((ball.measure() / volume - 1.0).abs() < 1e-14, "volume in {dim} dimensions");
        assert!((ball.surface() / surface - 1.0).abs() < 1e-14, "surface in {dim} dimensions");
    }
}

#[test]
fn box_corners_and_edges_add_face_normals() {
    for dim in [1, 2, 3, 5, 70] {
        let cuboid = Geometry::cuboid(&vec![-1.0; dim], &vec![2.0; dim]).unwrap();
        for meeting in 1..=dim {
            // The first `meeting` axes at alternate ends, the others in the middle.
            let point: Vec<f64> =
                (0..dim).map(|axis| if axis >= meeting { 0.3 } else { [-1.0, 2.0][axis % 2] }).collect();
            let normal = cuboid.boundary_normal(&point, 1e-9).unwrap();
            for (axis, n) in normal.iter().enumerate() {
                let sign = if axis >= meeting { 0.0 } else { [-1.0, 1.0][axis % 2] };
                assert!((n - sign / (meeting as f64).sqrt()).abs() < 1e-15, "{dim} {meeting} {axis}");
            }
        }
        assert_eq!(cuboid.boundary_normal(&vec![0.3; dim], 1e-9), None);
    }
}

#[test]
fn polygon_corners_add_edge_normals_convex_or_not() {
    let l = Geometry::polygon(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.5], [0.5, 0.5], [0.5, 1.0], [0.0, 1.0]]).unwrap();
    let h = 0.5f64.sqrt();
    for (point, want) in [([0.0, 0.0], [-h, -h]), ([0.5, 0.5], [h, h]), ([1.0, 0.0], [h, -h]), ([0.5, 0.7], [1.0, 0.0])]
    {
        let normal = l.boundary_normal(&point, 1e-9).unwrap();
        assert!((normal[0] - want[0]).abs() + (normal[1] - want[1]).abs() < 1e-14, "{point:?}: {normal:?}");
    }
    assert_eq!(l.measure().unwrap(), Measure::Exact(0.75));
    assert_eq!(l.boundary_measure(BoundaryPart::All).unwrap(), Measure::Exact(4.0));
    assert_eq!(l.boundary_measure(BoundaryPart::Edge(2)).unwrap(), Measure::Exact(0.5));
}

/// A polygon around the origin, star-shaped and so free of crossings, usually not convex.
fn star() -> impl Strategy<Value = Vec<[f64; 2]>> {
    prop::collection::vec(0.3..1.0f64, 3..12).prop_map(|radii| {
        let step = TAU / radii.len() as f64;
        radii.iter().enumerate().map(|(k, r)| [r * (k as f64 * step).cos(), r * (k as f64 * step).sin()]).collect()
    })
}

proptest! {
    #[test]
    fn box_distance_is_to_the_nearest_surface_point(
        low in prop::collection::vec(-2.0..0.0f64, 3), side in prop::collection::vec(0.1..3.0f64, 3),
        point in prop::collection::vec(-4.0..4.0f64, 3),
    ) {
        let high: Vec<f64> = low.iter().zip(&side).map(|(l, s)| l + s).collect();
        let cuboid = Cuboid::new(&low, &high).unwrap();
        let nearest = cuboid.faces().map(|face| {
            let mut foot: Vec<f64> = (0..3).map(|k| point[k].clamp(low[k], high[k])).collect();
            foot[face.axis] = cuboid.face_value(face);
            foot.iter().zip(&point).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        }).fold(f64::INFINITY, f64::min);
        let inside = (0..3).all(|k| low[k] < point[k] && point[k] < high[k]);
        let want = if inside { -nearest } else { nearest };
        prop_assert!((cuboid.signed_distance(&point) - want).abs() < 1e-12);
    }

    #[test]
    fn polygon_agrees_with_its_triangles(vertices in star(), point in prop::array::uniform2(-1.2..1.2f64)) {
        let polygon = Polygon::new(&vertices).unwrap();
        let n = vertices.len();
        let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
        let area: f64 = (0..n).map(|k| cross(vertices[k], vertices[(k + 1) % n]) / 2.0).sum();
        prop_assert!((polygon.area() - area).abs() < 1e-13);
        // Inside a star-shaped polygon means inside one of the triangles from the origin.
        let within = |k: usize| {
            let (a, b) = (vertices[k], vertices[(k + 1) % n]);
            let whole = cross(a, b);
            let (u, v) = (cross(point, b) / whole, cross(a, point) / whole);
            u >= 0.0 && v >= 0.0 && u + v <= 1.0
        };
        let distance = polygon.signed_distance(&point);
        prop_assume!(distance.abs() > 1e-9);
        prop_assert_eq!(distance < 0.0, (0..n).any(within));

        let dense = (0..n).flat_map(|k| (0..=200).map(move |j| (k, f64::from(j) / 200.0)));
        let nearest = dense.map(|(k, u)| {
            let foot = polygon.place_on_edge(k, u);
            (foot[0] - point[0]).hypot(foot[1] - point[1])
        }).fold(f64::INFINITY, f64::min);
        prop_assert!(distance.abs() <= nearest + 1e-12 && nearest - distance.abs() < 0.01);

        let mut reversed = vertices.clone();
        reversed.reverse();
        let reversed = Polygon::new(&reversed).unwrap();
        prop_assert!((reversed.signed_distance(&point) - distance).abs() < 1e-12);
    }

    #[test]
    fn normals_leave_the_solid(vertices in star(), unit in 0.0..1.0f64, backwards: bool) {
        let mut vertices = vertices;
        if backwards {
            vertices.reverse();
        }
        let domain = Geometry::polygon(&vertices).unwrap();
        let boundary = domain.sample_boundary(BoundaryPart::All, 40, &Layout::Hammersley, (unit * 1e9) as u64).unwrap();
        for i in 0..boundary.len() {
            let (p, n) = (boundary.row(i), boundary.normal(i).unwrap());
            let moved = |by: f64| domain.signed_distance(&[p[0] + by * n[0], p[1] + by * n[1]]);
            prop_assert!(moved(1e-9) > 0.0 && moved(-1e-9) < 0.0);
        }
    }
}
