//! Shapes of the plane as polygons with round holes: a rectangle, less discs inside it and rectangles at its corners.

use ropinn_domain::geometry::{Body, Cuboid, Piece, Solid};
use ropinn_domain::{BoundaryTag, Face, Geometry};
use ropinn_reference::plane::{Disc, Domain};

/// The domain, and which piece of boundary each of its sides and holes is.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    pub domain: Domain,
    pub tags: Vec<BoundaryTag>,
}

impl Outline {
    /// The outline of a geometry, or what is in the way.
    pub fn new(geometry: &Geometry) -> Result<Self, String> {
        let mut solids = geometry.solids();
        let Some(Solid::Cuboid(base)) = solids.next().filter(|_| geometry.space_dim() == 2) else {
            return Err("the domain does not begin with a rectangle".to_owned());
        };
        let (low, high) = ([base.low()[0], base.low()[1]], [base.high()[0], base.high()[1]]);
        let outer = |face: Face| BoundaryTag { body: Body::Outer(1), piece: Piece::Face(face) };
        // Counter-clockwise from the lower left corner: each with the side that begins there.
        let corners = [low, [high[0], low[1]], high, [low[0], high[1]]];
        let sides = [Face::low(1), Face::high(0), Face::high(1), Face::low(0)];
        let mut corners: Vec<Vec<([f64; 2], BoundaryTag)>> =
            corners.into_iter().zip(sides.map(outer)).map(|corner| vec![corner]).collect();
        let (mut holes, mut tags) = (Vec::new(), Vec::new());
        let pieces = geometry.boundary_pieces();
        for (number, solid) in (1..).zip(solids) {
            let body = Body::Hole(number);
            if !pieces.iter().any(|piece| piece.tag.body == body) {
                return Err("the domain has shapes that are added or intersected".to_owned());
            }
            match solid {
                Solid::Ball(ball) => {
                    holes.push(Disc { center: [ball.center()[0], ball.center()[1]], radius: ball.radius() });
                    tags.push(BoundaryTag { body, piece: Piece::Sphere });
                }
                Solid::Cuboid(notch) => cut(&mut corners, base, notch, body)?,
                Solid::Polygon(_) => return Err("the domain has a polygon taken away".to_owned()),
            }
        }
        let (outline, mut sides): (Vec<_>, Vec<_>) = corners.into_iter().flatten().unzip();
        sides.extend(tags);
        let domain = Domain::new(outline, holes).map_err(|error| error.to_string())?;
        Ok(Outline { domain, tags: sides })
    }

    /// The corners of the rectangle, if it is one without anything taken away.
    pub fn is_rectangle(&self) -> bool {
        self.tags.len() == 4
    }
}

/// Cuts a rectangle out of a corner.
fn cut(corners: &mut [Vec<([f64; 2], BoundaryTag)>], base: &Cuboid, notch: &Cuboid, body: Body) -> Result<(), String> {
    let ([x0, y0], [x1, y1]) = ([base.low()[0], base.low()[1]], [base.high()[0], base.high()[1]]);
    let ([l, b], [r, t]) = ([notch.low()[0], notch.low()[1]], [notch.high()[0], notch.high()[1]]);
    let face = |face: Face| BoundaryTag { body, piece: Piece::Face(face) };
    let (left, right, bottom, top) = (l <= x0 && r < x1, r >= x1 && l > x0, b <= y0 && t < y1, t >= y1 && b > y0);
    // From the side before the corner, around the notch, to the side after it.
    let (corner, path) = match (left, right, bottom, top) {
        (true, _, true, _) => (0, [([x0, t], face(Face::high(1))), ([r, t], face(Face::high(0)))]),
        (_, true, true, _) => (1, [([l, y0], face(Face::low(0))), ([l, t], face(Face::high(1)))]),
        (_, true, _, true) => (2, [([x1, b], face(Face::low(1))), ([l, b], face(Face::low(0)))]),
        (true, _, _, true) => (3, [([r, y1], face(Face::high(0))), ([r, b], face(Face::low(1)))]),
        _ => return Err("a rectangle that is taken away is not at a corner".to_owned()),
    };
    let last = [[r, y0], [x1, t], [l, y1], [x0, b]][corner];
    let [(_, after)] = corners[corner][..] else { return Err("a corner is taken away twice".to_owned()) };
    corners[corner] = path.into_iter().chain([(last, after)]).collect();
    Ok(())
}
