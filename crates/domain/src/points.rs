//! A batch of points: n rows of `dim` coordinates, with outward normals and boundary tags where they lie on a boundary.

use crate::error::{DomainError, Result, require_dim};
use crate::part::BoundaryTag;

/// n points of `dim` coordinates each, flat and row-major: coordinate k of point i is `coords()[i * dim + k]`.
///
/// ```
/// use ropinn_domain::Points;
/// let mut points = Points::new(2)?;
/// points.push(&[0.5, 1.0])?;
/// assert_eq!((points.len(), points.row(0)), (1, &[0.5, 1.0][..]));
/// # Ok::<(), ropinn_domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    dim: usize,
    coords: Vec<f64>,
    normals: Option<Vec<f64>>,
    tags: Option<Vec<BoundaryTag>>,
}

impl Points {
    /// No points yet, in `dim` ≥ 1 coordinates.
    pub fn new(dim: usize) -> Result<Self> {
        Self::from_coords(dim, Vec::new())
    }

    /// Takes over a flat row-major list of coordinates.
    pub fn from_coords(dim: usize, coords: Vec<f64>) -> Result<Self> {
        if dim == 0 {
            return Err(DomainError::NoDimensions { what: "a point set" });
        }
        require_dim("the last point", dim, if coords.len().is_multiple_of(dim) { dim } else { coords.len() % dim })?;
        Ok(Self { dim, coords, normals: None, tags: None })
    }

    /// Coordinates per point.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.coords.len() / self.dim
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.coords.is_empty()
    }

    /// Coordinates of point `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.coords[i * self.dim..(i + 1) * self.dim]
    }

    /// All coordinates, row-major.
    pub fn coords(&self) -> &[f64] {
        &self.coords
    }

    /// All coordinates, row-major, to be moved in place.
    pub fn coords_mut(&mut self) -> &mut [f64] {
        &mut self.coords
    }

    /// Gives the coordinates away.
    pub fn into_coords(self) -> Vec<f64> {
        self.coords
    }

    /// The points one after another.
    pub fn iter(&self) -> std::slice::ChunksExact<'_, f64> {
        self.coords.chunks_exact(self.dim)
    }

    /// The values of one coordinate, point after point.
    pub fn column(&self, axis: usize) -> impl Iterator<Item = f64> + '_ {
        self.iter().map(move |row| row[axis])
    }

    /// Outward unit normals, laid out as the coordinates, if these are boundary points.
    pub fn normals(&self) -> Option<&[f64]> {
        self.normals.as_deref()
    }

    /// Outward unit normal at point `i`.
    pub fn normal(&self, i: usize) -> Option<&[f64]> {
        self.normals.as_ref().map(|normals| &normals[i * self.dim..(i + 1) * self.dim])
    }

    /// The boundary piece each point was drawn from, if these are boundary points.
    pub fn tags(&self) -> Option<&[BoundaryTag]> {
        self.tags.as_deref()
    }

    /// Appends an interior point.
    pub fn push(&mut self, row: &[f64]) -> Result<()> {
        require_dim("the new point", self.dim, row.len())?;
        if self.normals.is_some() {
            return Err(DomainError::MixedNormals);
        }
        self.coords.extend_from_slice(row);
        Ok(())
    }

    /// Appends a boundary point with its outward unit normal and its piece of boundary.
    pub fn push_boundary(&mut self, row: &[f64], normal: &[f64], tag: BoundaryTag) -> Result<()> {
        require_dim("the new point", self.dim, row.len())?;
        require_dim("the new normal", self.dim, normal.len())?;
        if self.normals.is_none() && !self.is_empty() {
            return Err(DomainError::MixedNormals);
        }
        self.coords.extend_from_slice(row);
        self.normals.get_or_insert_default().extend_from_slice(normal);
        self.tags.get_or_insert_default().push(tag);
        Ok(())
    }

    /// Appends all points of another set; either both carry normals or neither does.
    pub fn append(&mut self, other: &Points) -> Result<()> {
        require_dim("the appended set", self.dim, other.dim)?;
        if other.is_empty() {
            return Ok(());
        }
        if self.is_empty() {
            *self = other.clone();
            return Ok(());
        }
        match (&mut self.normals, &other.normals) {
            (Some(mine), Some(theirs)) => mine.extend_from_slice(theirs),
            (None, None) => {}
            _ => return Err(DomainError::MixedNormals),
        }
        if let (Some(mine), Some(theirs)) = (&mut self.tags, &other.tags) {
            mine.extend_from_slice(theirs);
        }
        self.coords.extend_from_slice(&other.coords);
        Ok(())
    }

    /// The points with the given indices, in that order, with their normals and tags.
    pub fn select(&self, indices: &[usize]) -> Points {
        let rows = |flat: &[f64]| {
            indices.iter().flat_map(|&i| flat[i * self.dim..(i + 1) * self.dim].iter().copied()).collect()
        };
        Points {
            dim: self.dim,
            coords: rows(&self.coords),
            normals: self.normals.as_deref().map(rows),
            tags: self.tags.as_ref().map(|tags| indices.iter().map(|&i| tags[i]).collect()),
        }
    }
}

impl<'a> IntoIterator for &'a Points {
    type Item = &'a [f64];
    type IntoIter = std::slice::ChunksExact<'a, f64>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
