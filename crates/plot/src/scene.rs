//! A picture before it has a format: a list of marks in CSS pixels, painted in order.

use crate::colour::Rgb;
use crate::font::{Anchor, TextStyle};
use crate::geometry::{Point, Rect, Size, point};
use crate::theme::{DIAMOND_RADIUS, DIAMOND_RIM, INK, PAPER};

/// A figure's place in a scene, handed to [`Figure::draw`](crate::Figure::draw).
#[derive(Debug)]
pub struct Frame<'a> {
    pub(crate) scene: &'a mut Scene,
    pub(crate) area: Rect,
    /// Least distance from the left edge to the data, so that stacked figures share their left axis.
    pub(crate) left_gutter: f64,
}

#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub size: Size,
    pub marks: Vec<Mark>,
}

#[derive(Debug, Clone)]
pub(crate) enum Mark {
    /// One or several open polylines, stroked.
    Lines {
        lines: Vec<Vec<Point>>,
        stroke: Stroke,
    },
    /// A closed polygon, filled and, with an edge, stroked.
    Area {
        outline: Vec<Point>,
        colour: Rgb,
        opacity: f64,
        edge: Option<Stroke>,
    },
    Circle {
        centre: Point,
        radius: f64,
        colour: Rgb,
    },
    Text {
        text: String,
        at: Point,
        anchor: Anchor,
        style: TextStyle,
        upwards: bool,
    },
    Image {
        rect: Rect,
        pixels: Pixels,
    },
    /// Marks of which only the part inside `rect` shows.
    Clipped {
        rect: Rect,
        marks: Vec<Mark>,
    },
}

#[derive(Debug, Clone)]
pub(crate) struct Stroke {
    pub colour: Rgb,
    pub width: f64,
    /// Lengths of strokes and gaps, alternating; empty for a solid line.
    pub dashes: &'static [f64],
    pub round: bool,
}

impl Stroke {
    pub const fn solid(colour: Rgb, width: f64) -> Self {
        Self { colour, width, dashes: &[], round: false }
    }
}

impl Mark {
    /// A filled rectangle.
    pub fn block(rect: Rect, colour: Rgb, opacity: f64) -> Self {
        Self::Area { outline: rect.corners().to_vec(), colour, opacity, edge: None }
    }

    /// A diamond of paper with a dark rim, seen on every colour.
    pub fn hollow_diamond(centre: Point) -> Self {
        let Point { x, y } = centre;
        let r = DIAMOND_RADIUS;
        let outline = vec![point(x, y - r), point(x + r, y), point(x, y + r), point(x - r, y)];
        Self::Area { outline, colour: PAPER, opacity: 1.0, edge: Some(Stroke::solid(INK, DIAMOND_RIM)) }
    }
}

/// Opaque RGB pixels, row by row from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pixels {
    pub width: usize,
    pub height: usize,
    pub rgb: Vec<u8>,
}

impl Pixels {
    /// Asks `colour(column, row)` for every pixel.
    pub fn from_fn(width: usize, height: usize, mut colour: impl FnMut(usize, usize) -> Rgb) -> Self {
        let mut rgb = Vec::with_capacity(3 * width * height);
        for row in 0..height {
            for column in 0..width {
                rgb.extend_from_slice(&colour(column, row).channels());
            }
        }
        Self { width, height, rgb }
    }
}

impl Scene {
    pub fn new(size: Size) -> Self {
        Self { size, marks: Vec::new() }
    }

    pub fn line(&mut self, from: Point, to: Point, stroke: Stroke) {
        self.marks.push(Mark::Lines { lines: vec![vec![from, to]], stroke });
    }

    /// The four edges of a rectangle, as hairlines of a frame.
    pub fn outline(&mut self, rect: Rect, stroke: Stroke) {
        let corners = rect.corners();
        let ring = corners.into_iter().chain([corners[0]]).collect();
        self.marks.push(Mark::Lines { lines: vec![ring], stroke });
    }

    pub fn text(&mut self, text: impl Into<String>, at: Point, anchor: Anchor, style: TextStyle) {
        self.marks.push(Mark::Text { text: text.into(), at, anchor, style, upwards: false });
    }

    /// Text turned a quarter to the left, reading upwards.
    pub fn text_upwards(&mut self, text: impl Into<String>, at: Point, anchor: Anchor, style: TextStyle) {
        self.marks.push(Mark::Text { text: text.into(), at, anchor, style, upwards: true });
    }

    /// Text on a patch of paper, readable over curves and colours; returns the patch.
    pub fn plaque(&mut self, text: &str, at: Point, anchor: Anchor, style: TextStyle) -> Rect {
        let width = style.width(text);
        let left = if anchor == Anchor::End { at.x - width } else { at.x } - 2.0;
        let patch = Rect::new(left, at.y - style.size, width + 4.0, style.size + 3.5);
        self.marks.push(Mark::block(patch, PAPER, 0.82));
        self.text(text, at, anchor, style);
        patch
    }
}

/// Where a line of text starts once its anchor is honoured.
pub(crate) fn text_origin(at: Point, anchor: Anchor, width: f64, upwards: bool) -> Point {
    let back = match anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => 0.5 * width,
        Anchor::End => width,
    };
    if upwards { point(at.x, at.y + back) } else { point(at.x - back, at.y) }
}

#[cfg(test)]
impl Scene {
    /// Every text and the box around its letters.
    pub fn texts(&self) -> Vec<(String, Rect)> {
        fn collect(marks: &[Mark], found: &mut Vec<(String, Rect)>) {
            for mark in marks {
                match mark {
                    Mark::Text { text, at, anchor, style, upwards } => {
                        let width = style.width(text);
                        let origin = text_origin(*at, *anchor, width, *upwards);
                        let (above, below) = (0.73 * style.size, 0.05 * style.size);
                        let place = if *upwards {
                            Rect::new(origin.x - above, origin.y - width, above + below, width)
                        } else {
                            Rect::new(origin.x, origin.y - above, width, above + below)
                        };
                        found.push((text.clone(), place));
                    }
                    Mark::Clipped { marks, .. } => collect(marks, found),
                    _ => {}
                }
            }
        }
        let mut found = Vec::new();
        collect(&self.marks, &mut found);
        found
    }
}
