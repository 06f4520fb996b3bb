//! Bad input and the exact words it is refused with.

use super::*;
use crate::Points;

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T>, message: &str) {
    assert_eq!(result.unwrap_err().to_string(), message);
}

#[test]
fn shapes_are_checked_when_built() {
    refused(Geometry::interval(2.0, 1.0), "axis 0 runs from 2 to 1; the first number must be the smaller one");
    refused(
        Geometry::cuboid(&[0.0, 1.0], &[1.0, 1.0]),
        "axis 1 runs from 1 to 1; the first number must be the smaller one",
    );
    refused(
        Geometry::cuboid(&[0.0], &[1.0, 1.0]),
        "the high corner of a cuboid has 2 coordinates where 1 are needed; give it one number per axis",
    );
    refused(Geometry::cuboid(&[], &[]), "a cuboid has no coordinates; give at least one axis");
    refused(
        Geometry::interval(0.0, f64::INFINITY),
        "number 0 of the high corner of a cuboid is inf; use finite numbers only",
    );
    refused(Geometry::ball(&[0.0, 0.0], 0.0), "the radius of a ball is 0; it must be greater than zero");
    refused(Geometry::ball(&[0.0, f64::NAN], 1.0), "number 1 of the centre of a ball is NaN; use finite numbers only");
    refused(Geometry::ball(&[], 1.0), "a ball has no coordinates; give at least one axis");
    // Found by mutating problem files: finite numbers whose sum is not.
    for (center, radius) in [([0.0, 0.0], f64::MAX), ([1e308, 0.0], 1e308)] {
        let error = Geometry::ball(&center, radius).expect_err("beyond all numbers").to_string();
        assert!(error.contains("of the box around a ball is") && error.ends_with("use finite numbers only"), "{error}");
    }
}

#[test]
fn polygons_are_checked_when_built() {
    refused(Geometry::polygon(&[[0.0, 0.0], [1.0, 0.0]]), "a polygon needs at least 3 vertices, 2 given");
    refused(
        Geometry::polygon(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]),
        "vertices 0 and 3 of the polygon coincide; list each corner once and do not repeat the first at the end",
    );
    refused(
        Geometry::polygon(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]),
        "polygon edges 0-1 and 2-3 cross; list the vertices in order around the outline",
    );
    refused(
        Geometry::polygon(&[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0]]),
        "polygon edges 0-1 and 1-2 cross; list the vertices in order around the outline",
    );
    refused(
        Geometry::polygon(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 0.0]]),
        "polygon edges 0-1 and 2-3 cross; list the vertices in order around the outline",
    );
    refused(
        Geometry::polygon(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]),
        "the polygon with 3 vertices encloses no area; move a vertex off the line",
    );
}

#[test]
fn combinations_are_checked_when_built() {
    let disc = || Geometry::ball(&[0.0, 0.0], 1.0).unwrap();
    refused(
        disc().union(Geometry::interval(0.0, 1.0).unwrap()),
        "the second shape has 1 coordinates where 2 are needed; give it one number per axis",
    );
    refused(
        disc().intersection(Geometry::cuboid(&[2.0, 0.0], &[3.0, 1.0]).unwrap()),
        "the intersected shapes have nothing in common: along axis 0 one ends at 1 and the other starts at 2; move them together",
    );
    let combine_first =
        "shapes are combined in space only; take the union, difference or intersection first and attach time last";
    refused(disc().over_time(0.0, 1.0).unwrap().minus(disc()), combine_first);
    refused(disc().over_time(0.0, 1.0).unwrap().over_time(0.0, 1.0), combine_first);
    refused(disc().over_time(1.0, 0.0), "axis 2 runs from 1 to 0; the first number must be the smaller one");
}

#[test]
fn requests_for_points_are_checked() {
    let nothing = unit_square().minus(Geometry::ball(&[0.5, 0.5], 1.0).unwrap()).unwrap();
    refused(
        nothing.sample_interior(10, &Layout::Uniform, 0),
        "the domain is empty: it holds nowhere among 1051136 candidate points; check the shapes it combines",
    );
    let disc = Geometry::ball(&[0.5, 0.5], 0.2).unwrap();
    refused(
        disc.sample_interior(4, &Layout::Grid { counts: vec![2, 2] }, 0),
        "a grid needs a box, but the domain is not one; use Sobol, Hammersley, Halton, Latin hypercube or uniform points",
    );
    refused(
        unit_square().sample_boundary(BoundaryPart::All, 4, &Layout::Grid { counts: vec![4] }, 0),
        "a grid needs a box, but this part of the boundary is not one; use Sobol, Hammersley, Halton, Latin hypercube or uniform points",
    );
    refused(disc.sample_interior(0, &Layout::Uniform, 0), "0 points requested; ask for at least one");
    refused(
        disc.sample_boundary(BoundaryPart::All, 0, &Layout::Uniform, 0),
        "0 points requested; ask for at least one",
    );
    refused(
        disc.sample_boundary(BoundaryPart::Hole(2), 4, &Layout::Uniform, 0),
        "the domain has no boundary part `hole 2`; its parts are: outer 1 sphere",
    );
    refused(
        disc.sample_initial(4, &Layout::Uniform, 0),
        "the domain has no time axis; attach one with `over_time` before asking for initial points",
    );
    // A sliver between two nearly equal discs: found, but not often enough.
    let sliver =
        Geometry::ball(&[0.0, 0.0], 1.0).unwrap().minus(Geometry::ball(&[0.0, 0.0], 1.0 - 1e-5).unwrap()).unwrap();
    let error = sliver.sample_interior(1000, &Layout::Uniform, 0).unwrap_err();
    assert!(matches!(error, DomainError::TooSparse { accepted: 1.., requested: 1000, .. }), "{error}");
}

#[test]
fn points_of_the_wrong_size_are_nowhere() {
    let square = unit_square();
    assert!(!square.contains(&[0.5], 1.0) && !square.contains(&[0.5, 0.5, 0.5], 1.0));
    assert!(!square.on_boundary(&[0.0], 1.0) && square.boundary_normal(&[0.0], 1.0).is_none());
    assert!(!square.on_initial(&[], 1.0));
}

#[test]
fn point_sets_keep_their_shape() {
    refused(Points::new(0), "a point set has no coordinates; give at least one axis");
    refused(
        Points::from_coords(2, vec![1.0, 2.0, 3.0]),
        "the last point has 1 coordinates where 2 are needed; give it one number per axis",
    );
    let mut points = Points::from_coords(2, vec![1.0, 2.0]).unwrap();
    refused(points.push(&[1.0]), "the new point has 1 coordinates where 2 are needed; give it one number per axis");
    let tag = unit_square().boundary_pieces()[0].tag;
    let mixed = "points with and without normals cannot be mixed; push boundary points with their normal and tag, others without";
    refused(points.push_boundary(&[0.0, 0.5], &[-1.0, 0.0], tag), mixed);
    let edge = unit_square().sample_boundary(BoundaryPart::All, 6, &Layout::Halton, 0).unwrap();
    refused(points.append(&edge), mixed);

    let mut twice = edge.clone();
    twice.append(&edge).unwrap();
    assert_eq!((twice.len(), twice.row(7), twice.normal(7)), (12, edge.row(1), edge.normal(1)));
    let picked = twice.select(&[7, 0]);
    assert_eq!((picked.row(0), picked.normal(1)), (edge.row(1), edge.normal(0)));
    assert_eq!(picked.tags().unwrap(), [edge.tags().unwrap()[1], edge.tags().unwrap()[0]]);
}
