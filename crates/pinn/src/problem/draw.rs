//! One set of points at a time: inside the domain, at an instant, on parts of the boundary.
//!
//! Grids need a box; over another domain they are laid over the box around it, and the points that do not belong are
//! left out.

use ropinn_domain::geometry::{Body, Piece};
use ropinn_domain::{BoundaryPart, BoundaryTag, DomainError, Face, Geometry, Layout, Points, Purpose, Side, Stream};

use super::Problem;
use super::error::ProblemError;
use super::place::straight_pieces;
use super::sampling::Batch;
use super::spread::Spread;

fn accept<T>(what: &str, drawn: Result<T, DomainError>) -> Result<T, ProblemError> {
    drawn.map_err(|source| ProblemError::Sampling { what: what.to_owned(), source })
}

impl Problem {
    /// Points of the interior; a grid over a domain that is not a box keeps the points inside.
    pub(super) fn sample_inside(
        &self,
        spread: &Spread,
        purpose: Purpose,
        seed: u64,
        what: &str,
    ) -> Result<Points, ProblemError> {
        spread.check(what)?;
        let domain = accept(what, self.domain_for(spread))?;
        let points = domain.sample_interior_for(purpose, spread.count(), spread.layout(), seed);
        self.keep_inside(accept(what, points)?, what)
    }

    /// The domain, or the box around it for grids, which need one.
    fn domain_for(&self, spread: &Spread) -> Result<Geometry, DomainError> {
        match spread.grid_counts() {
            Some(_) => self.bounding_geometry(),
            None => Ok(self.geometry.clone()),
        }
    }

    fn keep_inside(&self, points: Points, what: &str) -> Result<Points, ProblemError> {
        self.keep(points, |row| self.geometry.contains(row, self.touching()), what)
    }

    /// The points that belong; all of them do if the domain is a box.
    fn keep(&self, points: Points, belongs: impl Fn(&[f64]) -> bool, what: &str) -> Result<Points, ProblemError> {
        if self.geometry.as_box().is_some() {
            return Ok(points);
        }
        let kept: Vec<usize> = (0..points.len()).filter(|&i| belongs(points.row(i))).collect();
        match kept.is_empty() {
            true => Err(ProblemError::EmptyGrid { what: what.to_owned(), count: points.len() }),
            false => Ok(points.select(&kept)),
        }
    }

    /// Points of a grid this close to the domain belong to it.
    pub(crate) fn touching(&self) -> f64 {
        1e-12 * self.ranges.iter().fold(0.0, |size: f64, (low, high)| size.max(low.abs()).max(high.abs()))
    }

    /// The box around the domain, over the same time.
    pub(super) fn bounding_geometry(&self) -> Result<Geometry, DomainError> {
        let (around, space) = (self.geometry.bounding_box(), self.geometry.space_dim());
        let domain = Geometry::cuboid(&around.low()[..space], &around.high()[..space])?;
        match self.geometry.time() {
            Some([start, end]) => domain.over_time(start, end),
            None => Ok(domain),
        }
    }

    /// Points at the first or last instant.
    pub(super) fn sample_instant(
        &self,
        side: Side,
        spread: &Spread,
        seed: u64,
        what: &str,
    ) -> Result<Batch, ProblemError> {
        let (domain, dim) = (&self.geometry, self.geometry.dim());
        let spread = spread.on_face(dim - 1, dim);
        spread.check(what)?;
        let candidates = accept(what, self.domain_for(&spread))?.sample_initial(spread.count(), spread.layout(), seed);
        let mut points = self.keep_inside(accept(what, candidates)?, what)?;
        if side == Side::High {
            let (_, end) = self.ranges[dim - 1];
            points.coords_mut().chunks_exact_mut(dim).for_each(|row| row[dim - 1] = end);
        }
        Ok(Batch::from_points(&points, domain.space_dim()))
    }

    /// Points on parts of the boundary: a grid on each face, or scattered points shared out by size.
    pub(super) fn sample_parts(
        &self,
        parts: &[BoundaryPart],
        spread: &Spread,
        seed: u64,
        what: &str,
    ) -> Result<Batch, ProblemError> {
        spread.check(what)?;
        let shares = match spread.grid_counts() {
            Some(_) => self.face_grids(parts, spread),
            None => self.split(parts, spread, what)?,
        };
        let (domain, mut batch) = (&self.geometry, Batch::default());
        for (index, (part, spread)) in shares.into_iter().enumerate() {
            let seed = if index == 0 { seed } else { Stream::new(seed, Purpose::Custom(2)).bits_at(index as u64) };
            let points = match self.face_around(part).filter(|_| spread.grid_counts().is_some()) {
                Some(face) => self.face_grid(part, face, &spread, what)?,
                None => accept(what, domain.sample_boundary(part, spread.count(), spread.layout(), seed))?,
            };
            batch.extend(Batch::from_points(&points, domain.space_dim()));
        }
        Ok(batch)
    }

    /// The face of the box around the domain in which a face of one of its boxes lies, if it does.
    fn face_around(&self, part: BoundaryPart) -> Option<Face> {
        let straight =
            straight_pieces(&self.geometry).into_iter().find(|piece| BoundaryPart::Piece(piece.tag) == part)?;
        let BoundaryTag { body: Body::Outer(_), piece: Piece::Face(face) } = straight.tag else {
            return None;
        };
        (straight.value == self.geometry.bounding_box().face_value(face)).then_some(face)
    }

    /// A grid over a face of the box around the domain, without the points where the domain does not reach it.
    fn face_grid(&self, part: BoundaryPart, face: Face, spread: &Spread, what: &str) -> Result<Points, ProblemError> {
        let around = accept(what, self.bounding_geometry())?;
        let all = around.sample_boundary(BoundaryPart::Face(face), spread.count(), spread.layout(), 0);
        let all = accept(what, all)?;
        let on_part = |row: &[f64]| self.geometry.on_part(row, part, self.touching());
        self.keep(all, on_part, what)
    }

    /// Every face of these parts with its own grid.
    fn face_grids(&self, parts: &[BoundaryPart], spread: &Spread) -> Vec<(BoundaryPart, Spread)> {
        let pieces = self.geometry.boundary_pieces();
        let tags = pieces.iter().map(|piece| piece.tag).filter(|tag| parts.iter().any(|part| part.includes(*tag)));
        let grid_of = |tag: BoundaryTag| {
            let dim = self.geometry.dim();
            let spread = match tag.piece {
                // The end of an interval without time is a single point.
                _ if dim == 1 => Spread::scattered(Layout::Halton, 1),
                Piece::Face(face) => spread.on_face(face.axis, dim),
                Piece::Edge(_) | Piece::Sphere => spread.clone(),
            };
            (BoundaryPart::Piece(tag), spread)
        };
        tags.map(grid_of).collect()
    }

    /// Splits scattered points over several parts in proportion to their size, each part getting one at least.
    fn split(
        &self,
        parts: &[BoundaryPart],
        spread: &Spread,
        what: &str,
    ) -> Result<Vec<(BoundaryPart, Spread)>, ProblemError> {
        if let [only] = parts {
            return Ok(vec![(*only, spread.clone())]);
        }
        let sizes = parts.iter().map(|part| self.geometry.boundary_measure(*part).map(|size| size.value()));
        let sizes: Vec<f64> = accept(what, sizes.collect())?;
        let total: f64 = sizes.iter().sum();
        let (mut shares, mut so_far, mut given) = (Vec::new(), 0.0, 0);
        for (part, size) in parts.iter().zip(&sizes).filter(|(_, size)| **size > 0.0) {
            // Rounding the running total keeps the sum exact.
            so_far += size;
            let up_to = (so_far / total * spread.count() as f64).round() as usize;
            let count = up_to.saturating_sub(given).max(1);
            given += count;
            shares.push((*part, spread.with_count(count)));
        }
        Ok(shares)
    }
}
