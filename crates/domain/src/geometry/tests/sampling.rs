//! How many points, where, and how evenly.

use super::*;
use proptest::prelude::*;
use std::f64::consts::PI;

fn domains() -> Vec<Geometry> {
    let ball5 = Geometry::ball(&[0.0; 5], 1.0).unwrap();
    let holed_box = Geometry::cuboid(&[0.0; 3], &[1.0, 2.0, 1.0]).unwrap();
    vec![
        Geometry::interval(-1.0, 3.0).unwrap(),
        Geometry::interval(0.0, 1.0).unwrap().over_time(0.0, 2.0).unwrap(),
        unit_square(),
        pierced_square(),
        pierced_square().over_time(0.0, 5.0).unwrap(),
        l_shape(),
        Geometry::ball(&[3.0], 0.5).unwrap(),
        Geometry::ball(&[1.0, 2.0], 0.5).unwrap(),
        Geometry::ball(&[1.0, 2.0, 3.0], 0.5).unwrap(),
        ball5.clone(),
        ball5.over_time(0.0, 1.0).unwrap(),
        Geometry::polygon(&[[0.0, 0.0], [4.0, 1.0], [1.0, 1.0], [0.5, 3.0]]).unwrap(),
        holed_box.minus(Geometry::ball(&[0.5, 0.5, 0.5], 0.3).unwrap()).unwrap(),
        Geometry::cuboid(&[0.0; 10], &[1.0; 10]).unwrap(),
    ]
}

#[test]
fn every_layout_gives_exactly_n_points_on_every_domain_again_and_again() {
    for domain in domains() {
        for layout in layouts() {
            for n in [1, 2, 7, 128] {
                let inside = domain.sample_interior(n, &layout, 5).unwrap();
                assert_eq!((inside.len(), inside.dim()), (n, domain.dim()));
                assert!(inside.iter().all(|p| domain.contains(p, 1e-12)));
                assert_eq!(inside, domain.sample_interior(n, &layout, 5).unwrap());

                let boundary = domain.sample_boundary(BoundaryPart::All, n, &layout, 5).unwrap();
                assert_eq!(boundary.len(), n);
                assert!(boundary.iter().all(|p| domain.on_boundary(p, 1e-9)), "{layout:?} {domain:?}");
                assert_eq!(boundary, domain.sample_boundary(BoundaryPart::All, n, &layout, 5).unwrap());
                if domain.time().is_some() {
                    assert!((0..n).all(|i| boundary.normal(i).unwrap()[domain.dim() - 1] == 0.0));
                    let initial = domain.sample_initial(n, &layout, 5).unwrap();
                    assert_eq!(initial.len(), n);
                    assert!(initial.iter().all(|p| domain.on_initial(p, 1e-12)));
                }
            }
        }
    }
}

#[test]
fn boundary_points_follow_lengths_and_areas() {
    let n = 20_000;
    let box3 = Geometry::cuboid(&[0.0; 3], &[1.0, 2.0, 3.0]).unwrap();
    let cases = [
        (pierced_square(), vec![1.0, 1.0, 1.0, 1.0, 0.2 * PI, 0.2 * PI, 0.2 * PI, 0.2 * PI]),
        (l_shape(), vec![1.0, 0.5, 1.0, 0.5, 0.5, 0.0, 0.5, 0.0]),
        (box3, vec![6.0, 6.0, 3.0, 3.0, 2.0, 2.0]),
    ];
    for (domain, shares) in cases {
        let pieces = domain.boundary_pieces();
        let points = domain.sample_boundary(BoundaryPart::All, n, &Layout::Uniform, 1).unwrap();
        let tags = points.tags().unwrap();
        let counts: Vec<usize> =
            pieces.iter().map(|piece| tags.iter().filter(|tag| **tag == piece.tag).count()).collect();
        let (seen, hidden): (Vec<usize>, Vec<usize>) = (0..shares.len()).partition(|&i| shares[i] > 0.0);
        assert!(hidden.iter().all(|&i| counts[i] == 0));
        let pick = |all: &[usize]| seen.iter().map(|&i| all[i]).collect::<Vec<_>>();
        let shares: Vec<f64> = seen.iter().map(|&i| shares[i]).collect();
        let chi2 = chi_square(&pick(&counts), &shares);
        // At most 7 degrees of freedom: 99.9 % lie below 24.3.
        assert!(chi2 < 24.3, "chi-square {chi2}: {counts:?}");
    }
}

#[test]
fn balls_are_filled_evenly_in_every_dimension() {
    let n = 20_000;
    for dim in [1, 2, 3, 4, 5, 8] {
        let ball = Geometry::ball(&vec![0.0; dim], 1.0).unwrap();
        let inside = ball.sample_interior(n, &Layout::Uniform, 9).unwrap();
        let mut cells = [0; 20];
        for p in &inside {
            let radius = p.iter().map(|x| x * x).sum::<f64>().sqrt();
            cells[((radius.powi(dim as i32) * 20.0) as usize).min(19)] += 1;
        }
        let chi2 = chi_square(&cells, &[1.0; 20]);
        assert!(chi2 < 43.8, "radii in {dim} dimensions: chi-square {chi2}"); // 19 degrees of freedom, 99.9 %
        let sphere = ball.sample_boundary(BoundaryPart::All, n, &Layout::Uniform, 9).unwrap();
        for axis in 0..dim {
            let mean = |points: &crate::Points, k: i32| points.column(axis).map(|x| x.powi(k)).sum::<f64>() / n as f64;
            // Second moments: 1/(d + 2) inside, 1/d on the surface; odd ones vanish.
            assert!(mean(&inside, 1).abs() < 0.03 && mean(&sphere, 1).abs() < 0.03, "{dim} {axis}");
            assert!((mean(&inside, 2) * (dim + 2) as f64 - 1.0).abs() < 0.05, "{dim} {axis}");
            assert!((mean(&sphere, 2) * dim as f64 - 1.0).abs() < 0.05, "{dim} {axis}");
        }
    }
}

#[test]
fn polygons_are_filled_evenly() {
    let triangle = Geometry::polygon(&[[0.0, 0.0], [3.0, 0.0], [0.0, 2.0]]).unwrap();
    let points = triangle.sample_interior(20_000, &Layout::Uniform, 4).unwrap();
    let mut cells = [0; 10];
    // P(x < s) = 1 − (1 − s/3)² in this triangle.
    points.column(0).for_each(|x| cells[((1.0 - (1.0 - x / 3.0).powi(2)) * 10.0) as usize] += 1);
    let chi2 = chi_square(&cells, &[1.0; 10]);
    assert!(chi2 < 27.9, "chi-square {chi2}"); // 9 degrees of freedom, 99.9 %
}

#[test]
fn boxes_take_layouts_as_they_are() {
    let strip = Geometry::interval(-1.0, 1.0).unwrap().over_time(0.0, 10.0).unwrap();
    let plain = Geometry::cuboid(&[-1.0, 0.0], &[1.0, 10.0]).unwrap();
    for layout in layouts() {
        let points = strip.sample_interior(50, &layout, 8).unwrap();
        assert_eq!(points, plain.sample_interior(50, &layout, 8).unwrap());
        let unit = layout.unit_points(2, 50, 8, Purpose::Interior).unwrap();
        for (p, u) in points.iter().zip(unit.chunks_exact(2)) {
            assert!((p[0] - (2.0 * u[0] - 1.0)).abs() < 1e-15 && (p[1] - 10.0 * u[1]).abs() < 1e-14);
        }
    }
}

#[test]
fn rejection_keeps_hammersley_regular_to_the_end() {
    let domain = pierced_square().over_time(0.0, 1.0).unwrap();
    let points = domain.sample_interior(1000, &Layout::Hammersley, 0).unwrap();
    let mut cells = [0; 10];
    points.column(2).for_each(|t| cells[(t * 10.0) as usize] += 1);
    assert!(cells.iter().all(|count| (90..=110).contains(count)), "{cells:?}");
}

#[test]
fn grids_reach_their_ends_exactly() {
    let (low, high) = (0.1, 0.1 + 2.0 * PI);
    let strip = Geometry::interval(low, high).unwrap().over_time(0.0, 1.0).unwrap();
    let grid = strip.sample_interior(6, &Layout::Grid { counts: vec![3, 2] }, 0).unwrap();
    let xs: Vec<f64> = grid.column(0).collect();
    assert_eq!((xs[0], xs[2], xs[3], xs[5]), (low, high, low, high));
    assert_eq!(grid.column(1).collect::<Vec<_>>(), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    // Without the ends in space; without the initial instant, but with the last, in time.
    let inner = strip.sample_interior(4, &Layout::InteriorGrid { counts: vec![1, 4] }, 0).unwrap();
    assert_eq!(inner.column(1).collect::<Vec<_>>(), [0.25, 0.5, 0.75, 1.0]);
    assert!(inner.column(0).all(|x| (x - (low + PI)).abs() < 1e-15));

    let room = Geometry::cuboid(&[0.0; 3], &[1.0, 2.0, 3.0]).unwrap();
    let wall = BoundaryPart::Face(Face::high(1));
    let points = room.sample_boundary(wall, 6, &Layout::Grid { counts: vec![2, 3] }, 0).unwrap();
    assert_eq!(points.column(0).collect::<Vec<_>>(), [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
    assert!(points.column(1).all(|y| y == 2.0));
    assert_eq!(points.column(2).collect::<Vec<_>>(), [0.0, 0.0, 1.5, 1.5, 3.0, 3.0]);
}

#[test]
fn interval_ends_share_the_points() {
    let strip = Geometry::interval(0.0, 1.0).unwrap().over_time(0.0, 1.0).unwrap();
    let points = strip.sample_boundary(BoundaryPart::All, 100, &Layout::Hammersley, 0).unwrap();
    let left = points.column(0).filter(|&x| x == 0.0).count();
    assert!((49..=51).contains(&left), "{left} of 100 on the left");
    assert!((0..100).all(|i| points.normal(i).unwrap() == [if points.row(i)[0] == 0.0 { -1.0 } else { 1.0 }, 0.0]));
}

proptest! {
    #[test]
    fn faces_can_be_picked(axis in 0usize..3, high: bool, n in 1usize..60, seed: u64) {
        let face = if high { Face::high(axis) } else { Face::low(axis) };
        let room = Geometry::cuboid(&[0.0; 3], &[1.0, 2.0, 3.0]).unwrap();
        let cuboid = room.as_box().unwrap();
        let domain = room.minus(Geometry::ball(&[0.5, 1.0, 1.0], 0.7).unwrap()).unwrap().over_time(0.0, 1.0).unwrap();
        let points = domain.sample_boundary(BoundaryPart::Face(face), n, &Layout::LatinHypercube, seed).unwrap();
        prop_assert_eq!(points.len(), n);
        for i in 0..n {
            prop_assert_eq!(points.row(i)[axis], cuboid.face_value(face));
            prop_assert_eq!(points.normal(i).unwrap()[axis], if high { 1.0 } else { -1.0 });
            prop_assert!(domain.contains(points.row(i), 1e-12));
        }
    }
}
