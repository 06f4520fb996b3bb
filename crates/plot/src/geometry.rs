//! Points, sizes and rectangles in picture units (one unit is one CSS pixel; y grows downwards).

/// Width and height of a picture, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// Horizontal extent.
    pub width: f64,
    /// Vertical extent.
    pub height: f64,
}

impl Size {
    /// A size from its two extents.
    pub const fn new(width: f64, height: f64) -> Self {
        Self { width, height }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub x: f64,
    pub y: f64,
}

pub(crate) const fn point(x: f64, y: f64) -> Point {
    Point { x, y }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub const fn new(left: f64, top: f64, width: f64, height: f64) -> Self {
        Self { left, top, width, height }
    }

    pub const fn size(&self) -> Size {
        Size::new(self.width, self.height)
    }

    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    pub fn centre_x(&self) -> f64 {
        self.left + 0.5 * self.width
    }

    pub fn centre_y(&self) -> f64 {
        self.top + 0.5 * self.height
    }

    /// Clockwise from the top left.
    pub fn corners(&self) -> [Point; 4] {
        let (l, t, r, b) = (self.left, self.top, self.right(), self.bottom());
        [point(l, t), point(r, t), point(r, b), point(l, b)]
    }

    /// Whether the two share more than an edge.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right() && other.left < self.right() && self.top < other.bottom() && other.top < self.bottom()
    }

    pub fn contains(&self, other: &Self) -> bool {
        self.left <= other.left
            && self.top <= other.top
            && other.right() <= self.right()
            && other.bottom() <= self.bottom()
    }

    /// The smallest rectangle around both.
    pub fn union(&self, other: &Self) -> Self {
        let (left, top) = (self.left.min(other.left), self.top.min(other.top));
        let (right, bottom) = (self.right().max(other.right()), self.bottom().max(other.bottom()));
        Self::new(left, top, right - left, bottom - top)
    }

    /// The rectangle without a margin on each side.
    pub fn shrunk(&self, left: f64, top: f64, right: f64, bottom: f64) -> Self {
        Self::new(self.left + left, self.top + top, self.width - left - right, self.height - top - bottom)
    }

    /// Edges moved to whole units, so that rasters and hairlines stay sharp at every integer scale.
    pub fn snapped(&self) -> Self {
        let (left, top) = (self.left.round(), self.top.round());
        Self::new(left, top, self.right().round() - left, self.bottom().round() - top)
    }
}
