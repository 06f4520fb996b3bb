//! Points on the boundary: pieces of the solids' surfaces, in proportion to their size, without the parts that the
//! combination hides.
//!
//! One layout covers all pieces. Its first coordinate picks the piece from the running total of sizes, and its position
//! within the piece's share is stretched to [0, 1] again to serve as the piece's first parameter: in the plane that is
//! arc length along the outline. For a domain over time the last coordinate is time.

use super::cuboid::lerp;
use super::rejection::Request;
use super::{BoundaryPart, BoundaryTag, Geometry, Solid};
use crate::error::{DomainError, Result};
use crate::points::Points;
use crate::rng::Purpose;
use crate::sequence::{Layout, Spacing, grid_len, unit_grid};

/// A piece of the surface of one of the solids, before the others cut into it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundaryPiece {
    /// Its name.
    pub tag: BoundaryTag,
    /// Length or area of the whole piece, in space.
    pub measure: f64,
    member: usize,
}

/// A boundary point before it is stored.
struct Placed {
    point: Vec<f64>,
    normal: Vec<f64>,
    tag: BoundaryTag,
}

/// The pieces of a part with the running total of their sizes.
pub(super) struct Pieces {
    list: Vec<BoundaryPiece>,
    totals: Vec<f64>,
}

impl Pieces {
    pub fn total(&self) -> f64 {
        self.totals.last().copied().unwrap_or(0.0)
    }

    /// The piece at fraction `unit` of the total, and how far into it that is.
    fn pick(&self, unit: f64) -> (BoundaryPiece, f64) {
        if let [only] = self.list[..] {
            return (only, unit);
        }
        let target = unit * self.total();
        let index = self.totals.partition_point(|&total| total <= target).min(self.list.len() - 1);
        let piece = self.list[index];
        (piece, ((target - (self.totals[index] - piece.measure)) / piece.measure).clamp(0.0, 1.0))
    }
}

impl Geometry {
    /// Every piece of every solid's surface; parts of them may be hidden by other solids.
    pub fn boundary_pieces(&self) -> Vec<BoundaryPiece> {
        let of_member = |(member, solid): (usize, &Solid)| {
            let body = self.body(member);
            solid.pieces().into_iter().map(move |(piece, measure)| BoundaryPiece {
                tag: BoundaryTag { body, piece },
                measure,
                member,
            })
        };
        self.solids().enumerate().flat_map(of_member).collect()
    }

    pub(super) fn pieces_of(&self, part: BoundaryPart) -> Result<Pieces> {
        let all = self.boundary_pieces();
        let list: Vec<BoundaryPiece> = all.iter().copied().filter(|piece| part.includes(piece.tag)).collect();
        if list.is_empty() {
            let names: Vec<String> = all.iter().map(|piece| piece.tag.to_string()).collect();
            return Err(DomainError::NoSuchPart { part, available: names.join(", ") });
        }
        let totals = list.iter().scan(0.0, |total, piece| {
            *total += piece.measure;
            Some(*total)
        });
        Ok(Pieces { totals: totals.collect(), list })
    }

    /// Exactly `n` points on the given part of the boundary, with outward unit normals and the piece each lies on.
    ///
    /// Points are spread over the part in proportion to length or area; where surfaces of several solids coincide, the
    /// first solid owns them. Grids work on a single face of a box: one count
    /// per remaining axis, time last.
    ///
    /// ```
    /// use ropinn_domain::{BoundaryPart, Face, Geometry, Layout};
    /// let strip = Geometry::interval(0.0, 1.0)?.over_time(0.0, 2.0)?;
    /// let left = BoundaryPart::Face(Face::low(0));
    /// let points = strip.sample_boundary(left, 3, &Layout::Grid { counts: vec![3] }, 0)?;
    /// assert_eq!(points.coords(), [0.0, 0.0, 0.0, 1.0, 0.0, 2.0]);
    /// assert_eq!(points.normal(1), Some(&[-1.0, 0.0][..]));
    /// # Ok::<(), ropinn_domain::DomainError>(())
    /// ```
    pub fn sample_boundary(&self, part: BoundaryPart, n: usize, layout: &Layout, seed: u64) -> Result<Points> {
        if n == 0 {
            return Err(DomainError::ZeroPoints);
        }
        let pieces = self.pieces_of(part)?;
        let placed = match layout.grid() {
            Some((counts, spacing)) => self.face_grid(&pieces, counts, spacing, n)?,
            None => {
                let request = Request { n, layout, seed, purpose: Purpose::Boundary };
                self.spread(&pieces, &request).map_err(|error| match error {
                    DomainError::EmptyDomain { candidates } => DomainError::EmptyPart { part, candidates },
                    other => other,
                })?
            }
        };
        let mut points = Points::new(self.dim())?;
        for Placed { point, normal, tag } in &placed {
            points.push_boundary(point, normal, *tag)?;
        }
        Ok(points)
    }

    fn spread(&self, pieces: &Pieces, request: &Request<'_>) -> Result<Vec<Placed>> {
        let parameters = self.boundary_parameters(pieces);
        // A lone end of an interval has nothing to spread over, yet layouts need an axis.
        let dim = (parameters + usize::from(self.time.is_some())).max(1);
        request.fill(dim, |unit| self.place_on_boundary(pieces, &unit[..parameters], unit[dim - 1]))
    }

    /// Numbers it takes to name a point of these pieces; one at least if there is a choice between them.
    pub(super) fn boundary_parameters(&self, pieces: &Pieces) -> usize {
        let needed = |piece: &BoundaryPiece| self.members[piece.member].solid.piece_parameters(piece.tag.piece);
        let choice = usize::from(pieces.list.len() > 1);
        pieces.list.iter().map(needed).max().unwrap_or(0).max(choice)
    }

    /// The boundary point for these parameters; `None` if another solid hides it or an earlier one owns it.
    fn place_on_boundary(&self, pieces: &Pieces, unit: &[f64], unit_time: f64) -> Option<Placed> {
        let (tag, mut point, mut normal) = self.visible(pieces, unit)?;
        if let Some([start, end]) = self.time {
            point.push(lerp(start, end, unit_time));
            normal.push(0.0);
        }
        Some(Placed { point, normal, tag })
    }

    pub(super) fn visible(&self, pieces: &Pieces, unit: &[f64]) -> Option<(BoundaryTag, Vec<f64>, Vec<f64>)> {
        let (piece, within) = pieces.pick(unit.first().copied().unwrap_or(0.0));
        let mut parameters = unit.to_vec();
        parameters.iter_mut().take(1).for_each(|first| *first = within);
        let point = self.members[piece.member].solid.place_on_piece(piece.tag.piece, &parameters)?;
        let here = self.surroundings(&point, self.rounding())?;
        // Coincident surfaces of several solids would be covered once for each: the first one keeps them.
        let shown = here.tags.contains(&piece.tag) && !self.owned_earlier(&piece, &here.tags);
        Some((piece.tag, point, here.normal.filter(|_| shown)?))
    }

    fn owned_earlier(&self, piece: &BoundaryPiece, tags: &[BoundaryTag]) -> bool {
        let own_body = self.body(piece.member);
        let mut earlier = (0..piece.member).map(|member| self.body(member));
        // Two surfaces that merely cross share too few points to matter; dropping those is harmless.
        earlier.any(|body| body != own_body && tags.iter().any(|tag| tag.body == body))
    }

    fn face_grid(&self, pieces: &Pieces, counts: &[usize], spacing: Spacing, n: usize) -> Result<Vec<Placed>> {
        let dim = self.dim() - 1;
        if self.as_box().is_none() || pieces.list.len() != 1 || dim == 0 {
            return Err(DomainError::GridNeedsBox { what: "this part of the boundary" });
        }
        grid_len(counts, dim, n)?;
        let mut unit = vec![0.0; n * dim];
        unit_grid(counts, &self.axis_spacing(spacing)[1..], &mut unit);
        let parameters = self.space_dim() - 1;
        let rows = unit.chunks_exact(dim);
        Ok(rows.filter_map(|unit| self.place_on_boundary(pieces, &unit[..parameters], unit[dim - 1])).collect())
    }
}
