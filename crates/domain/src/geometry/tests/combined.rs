//! Unions, differences and intersections: membership, boundaries and normals.

use super::*;
use proptest::prelude::*;
use std::f64::consts::PI;

/// The difference used most: every piece, its visible length and the direction of its normals.
#[test]
fn l_shape_shows_only_its_outline() {
    let domain = l_shape();
    let piece = |body, face| BoundaryPart::Piece(BoundaryTag { body, piece: Piece::Face(face) });
    let length = |part| domain.boundary_measure(part).map(Measure::value);
    let (outer, hole) = (Body::Outer(1), Body::Hole(1));
    for (body, face, want) in [
        (outer, Face::low(0), 1.0),
        (outer, Face::low(1), 1.0),
        (outer, Face::high(0), 0.5),
        (outer, Face::high(1), 0.5),
        (hole, Face::low(0), 0.5),
        (hole, Face::low(1), 0.5),
        (hole, Face::high(0), 0.0),
        (hole, Face::high(1), 0.0),
    ] {
        assert!((length(piece(body, face)).unwrap() - want).abs() < 1e-3, "{body} {face}");
    }
    assert!((domain.measure().unwrap().value() - 0.75).abs() < 1e-3);
    let cut = domain.sample_boundary(piece(hole, Face::low(0)), 20, &Layout::Halton, 0).unwrap();
    assert!((0..20).all(|i| cut.row(i)[0] == 0.5 && cut.normal(i) == Some(&[1.0, 0.0])));
    assert_eq!(
        domain.sample_boundary(piece(hole, Face::high(0)), 5, &Layout::Halton, 0).unwrap_err().to_string(),
        "boundary part `hole 1 face 0 high` is empty: none of 1049856 candidate points lies on it; check the shapes that cover it"
    );
}

#[test]
fn overlapping_discs_match_their_closed_forms() {
    let disc = |x: f64| Geometry::ball(&[x, 0.0], 1.0).unwrap();
    let lens = 2.0 * PI / 3.0 - 3f64.sqrt() / 2.0;
    let cases = [
        (disc(0.0).union(disc(1.0)).unwrap(), 2.0 * PI - lens, 8.0 * PI / 3.0),
        (disc(0.0).intersection(disc(1.0)).unwrap(), lens, 4.0 * PI / 3.0),
        (disc(0.0).minus(disc(1.0)).unwrap(), PI - lens, 2.0 * PI),
    ];
    for (domain, area, outline) in cases {
        let (got_area, got_outline) = (domain.measure().unwrap(), domain.boundary_measure(BoundaryPart::All).unwrap());
        assert!((got_area.value() - area).abs() < 2e-3, "{got_area:?} {area}");
        assert!((got_outline.value() - outline).abs() < 2e-3, "{got_outline:?} {outline}");
    }
}

#[test]
fn seams_between_touching_solids_are_not_boundary() {
    let lower = Geometry::cuboid(&[0.0, 0.0], &[1.0, 0.5]).unwrap();
    let both = lower.union(Geometry::cuboid(&[0.0, 0.5], &[1.0, 1.0]).unwrap()).unwrap();
    assert!(!both.on_boundary(&[0.4, 0.5], 1e-9));
    assert_eq!(both.boundary_normal(&[0.0, 0.5], 1e-9), Some(vec![-1.0, 0.0]));
    let h = 0.5f64.sqrt();
    let corner = both.boundary_normal(&[1.0, 1.0], 1e-9).unwrap();
    assert!((corner[0] - h).abs() < 1e-15 && (corner[1] - h).abs() < 1e-15);
    let outline = both.boundary_measure(BoundaryPart::All).unwrap().value();
    assert!((outline - 4.0).abs() < 1e-3, "{outline}");
    // A cut that only touches changes nothing.
    let touched = unit_square().minus(Geometry::cuboid(&[1.0, 0.0], &[2.0, 1.0]).unwrap()).unwrap();
    assert_eq!(touched.boundary_normal(&[1.0, 0.5], 1e-9), Some(vec![1.0, 0.0]));
}

#[test]
fn coincident_surfaces_are_covered_once() {
    let twice = unit_square().intersection(unit_square()).unwrap();
    let points = twice.sample_boundary(BoundaryPart::All, 200, &Layout::Uniform, 3).unwrap();
    assert!(points.tags().unwrap().iter().all(|tag| tag.body == Body::Outer(1)));
    let outline = twice.boundary_measure(BoundaryPart::All).unwrap().value();
    assert!((outline - 4.0).abs() < 1e-3, "{outline}");
}

#[test]
fn squares_that_touch_at_a_corner_have_no_normal_there() {
    let pair = unit_square().union(Geometry::cuboid(&[1.0, 1.0], &[2.0, 2.0]).unwrap()).unwrap();
    assert!(pair.on_boundary(&[1.0, 1.0], 1e-9));
    assert_eq!(pair.boundary_normal(&[1.0, 1.0], 1e-9), None);
}

#[test]
fn bodies_are_numbered_in_order_and_holes_apart() {
    let tags: Vec<String> = pierced_square().boundary_pieces().iter().map(|piece| piece.tag.to_string()).collect();
    assert_eq!(
        tags,
        [
            "outer 1 face 0 low",
            "outer 1 face 0 high",
            "outer 1 face 1 low",
            "outer 1 face 1 high",
            "hole 1 sphere",
            "hole 2 sphere",
            "hole 3 sphere",
            "hole 4 sphere",
        ]
    );
    // What is taken from a hole belongs to the domain again.
    let ring = Geometry::ball(&[0.5, 0.5], 0.4).unwrap().minus(Geometry::ball(&[0.5, 0.5], 0.2).unwrap()).unwrap();
    let island = unit_square().minus(ring).unwrap();
    assert_eq!(island.boundary_pieces().last().unwrap().tag.to_string(), "outer 2 sphere");
    assert!(island.contains(&[0.5, 0.5], 0.0) && !island.contains(&[0.8, 0.5], 0.0));
    assert_eq!(island.boundary_normal(&[0.7, 0.5], 1e-9), Some(vec![1.0, 0.0]));
    assert_eq!(island.boundary_normal(&[0.9, 0.5], 1e-9), Some(vec![-1.0, 0.0]));
}

/// Membership by plain Boolean logic, kept beside the geometry it describes.
#[derive(Debug, Clone)]
struct Described {
    domain: Geometry,
    logic: Logic,
}

#[derive(Debug, Clone)]
enum Logic {
    Box(Vec<f64>, Vec<f64>),
    Ball(Vec<f64>, f64),
    Or(Box<Logic>, Box<Logic>),
    AndNot(Box<Logic>, Box<Logic>),
    And(Box<Logic>, Box<Logic>),
}

impl Logic {
    fn holds(&self, p: &[f64]) -> bool {
        match self {
            Logic::Box(low, high) => (0..p.len()).all(|k| low[k] < p[k] && p[k] < high[k]),
            Logic::Ball(center, r) => p.iter().zip(center).map(|(x, c)| (x - c).powi(2)).sum::<f64>() < r * r,
            Logic::Or(a, b) => a.holds(p) || b.holds(p),
            Logic::AndNot(a, b) => a.holds(p) && !b.holds(p),
            Logic::And(a, b) => a.holds(p) && b.holds(p),
        }
    }
}

fn solid(dim: usize) -> impl Strategy<Value = Described> {
    let center = || prop::collection::vec(-0.5..0.5f64, dim);
    let cuboid = (center(), prop::collection::vec(0.3..1.0f64, dim)).prop_map(|(low, side)| {
        let high: Vec<f64> = low.iter().zip(&side).map(|(l, s)| l + s).collect();
        Described { domain: Geometry::cuboid(&low, &high).unwrap(), logic: Logic::Box(low, high) }
    });
    let ball = (center(), 0.2..0.8f64)
        .prop_map(|(c, r)| Described { domain: Geometry::ball(&c, r).unwrap(), logic: Logic::Ball(c, r) });
    prop_oneof![cuboid, ball]
}

/// Up to five solids; combinations with nothing in common are passed over.
fn combination(dim: usize) -> impl Strategy<Value = Described> {
    let more = prop::collection::vec((0..3u8, solid(dim)), 1..5);
    (solid(dim), more).prop_map(|(first, more)| {
        more.into_iter().fold(first, |whole, (operation, next)| {
            let (a, b) = (Box::new(whole.logic.clone()), Box::new(next.logic));
            let (combined, logic) = match operation {
                0 => (whole.domain.clone().union(next.domain), Logic::Or(a, b)),
                1 => (whole.domain.clone().minus(next.domain), Logic::AndNot(a, b)),
                _ => (whole.domain.clone().intersection(next.domain), Logic::And(a, b)),
            };
            combined.map_or(whole, |domain| Described { domain, logic })
        })
    })
}

fn check_combination(described: &Described, seed: u64) -> std::result::Result<(), TestCaseError> {
    let Described { domain, logic } = described;
    let dim = domain.dim();
    let mut random = Stream::new(seed, Purpose::Noise);
    for _ in 0..200 {
        let p: Vec<f64> = (0..dim).map(|_| 3.0 * random.uniform() - 1.5).collect();
        prop_assert_eq!(domain.contains(&p, 0.0), logic.holds(&p));
        prop_assert!(!logic.holds(&p) || domain.bounding_box().signed_distance(&p) <= 0.0);
    }
    // Thin or empty domains are refused with a typed error; sample only what is clearly there.
    prop_assume!(domain.measure().unwrap().value() > 1e-2 * domain.bounding_box().measure());
    for layout in [Layout::Hammersley, Layout::Uniform] {
        let inside = domain.sample_interior(60, &layout, seed).unwrap();
        prop_assert_eq!(inside.len(), 60);
        for p in &inside {
            prop_assert!(domain.contains(p, 1e-12));
        }
        let boundary = domain.sample_boundary(BoundaryPart::All, 60, &layout, seed).unwrap();
        prop_assert_eq!(boundary.len(), 60);
        for i in 0..60 {
            let (p, n) = (boundary.row(i), boundary.normal(i).unwrap());
            prop_assert!(domain.signed_distance(p).abs() < 1e-12, "{:?} is off the boundary", p);
            prop_assert!((n.iter().map(|n| n * n).sum::<f64>() - 1.0).abs() < 1e-12);
            let moved = |by: f64| p.iter().zip(n).map(|(x, n)| x + by * n).collect::<Vec<_>>();
            prop_assert!(logic.holds(&moved(-1e-9)), "{:?} enters at {:?}", n, p);
            prop_assert!(!logic.holds(&moved(1e-9)), "{:?} leaves at {:?}", n, p);
            let tag = boundary.tags().unwrap()[i];
            prop_assert!(domain.on_part(p, BoundaryPart::Piece(tag), 1e-10));
            prop_assert_eq!(domain.boundary_normal(p, 1e-10), Some(n.to_vec()));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn plane_combinations_hold_together(described in combination(2), seed: u64) {
        check_combination(&described, seed)?;
    }

    #[test]
    fn spatial_combinations_hold_together(described in combination(3), seed: u64) {
        check_combination(&described, seed)?;
    }

    #[test]
    fn five_dimensional_combinations_hold_together(described in combination(5), seed: u64) {
        check_combination(&described, seed)?;
    }

    #[test]
    fn interval_combinations_hold_together(described in combination(1), seed: u64) {
        check_combination(&described, seed)?;
    }
}
