//! The two bundled faces (DejaVu Sans, regular and bold): text metrics and glyph outlines.
//!
//! Both back ends and every layout decision use the same advances (hmtx + kern tables), so a label takes the room it
//! was given whatever fonts the reader's machine has.

use std::sync::LazyLock;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use crate::colour::Rgb;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

/// Which point of a line of text sits at the given position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct TextStyle {
    pub size: f64,
    pub weight: Weight,
    pub colour: Rgb,
}

impl TextStyle {
    pub const fn regular(size: f64, colour: Rgb) -> Self {
        Self { size, weight: Weight::Regular, colour }
    }

    pub const fn bold(size: f64, colour: Rgb) -> Self {
        Self { size, weight: Weight::Bold, colour }
    }

    pub fn width(&self, text: &str) -> f64 {
        shape(text, self.weight).advance * self.size
    }

    /// Distance from the middle of the digits to the baseline.
    pub fn half_digit(&self) -> f64 {
        0.365 * self.size
    }

    /// From one baseline to the next.
    pub fn line_height(&self) -> f64 {
        (1.35 * self.size).round()
    }

    /// Breaks at spaces so that each line fits; a single word longer than the line stays whole.
    pub fn wrap(&self, text: &str, width: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for paragraph in text.lines() {
            let mut line = String::new();
            for word in paragraph.split(' ') {
                let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
                if line.is_empty() || self.width(&longer) <= width {
                    line = longer;
                } else {
                    lines.push(std::mem::replace(&mut line, word.to_owned()));
                }
            }
            lines.push(line);
        }
        lines
    }
}

/// A line of text as glyphs, in em units from its start.
#[derive(Debug, Clone)]
pub(crate) struct Shaped {
    pub glyphs: Vec<(u16, f64)>,
    pub advance: f64,
}

static REGULAR: LazyLock<Face<'static>> = LazyLock::new(|| parse(include_bytes!("../fonts/DejaVuSans-subset.ttf")));
static BOLD: LazyLock<Face<'static>> = LazyLock::new(|| parse(include_bytes!("../fonts/DejaVuSans-Bold-subset.ttf")));

fn parse(bytes: &'static [u8]) -> Face<'static> {
    Face::parse(bytes, 0).expect("the bundled font is a valid TrueType file")
}

fn face(weight: Weight) -> &'static Face<'static> {
    match weight {
        Weight::Regular => &REGULAR,
        Weight::Bold => &BOLD,
    }
}

/// Glyphs and kerning for one line; characters outside the subset become the font's empty box.
pub(crate) fn shape(text: &str, weight: Weight) -> Shaped {
    let face = face(weight);
    let em = f64::from(face.units_per_em());
    let mut shaped = Shaped { glyphs: Vec::with_capacity(text.len()), advance: 0.0 };
    let mut before = None;
    for character in text.chars() {
        let glyph = face.glyph_index(character).unwrap_or(GlyphId(0));
        shaped.advance += before.map_or(0.0, |left| kerning(face, left, glyph) / em);
        shaped.glyphs.push((glyph.0, shaped.advance));
        shaped.advance += f64::from(face.glyph_hor_advance(glyph).unwrap_or(0)) / em;
        before = Some(glyph);
    }
    shaped
}

fn kerning(face: &Face<'_>, left: GlyphId, right: GlyphId) -> f64 {
    let tables = face.tables().kern.into_iter().flat_map(|kern| kern.subtables);
    let pairs = tables.filter(|table| table.horizontal && !table.variable);
    pairs.filter_map(|table| table.glyphs_kerning(left, right)).map(f64::from).sum()
}

/// A step along the outline of a glyph: an SVG path command and its points, in an em of 1 with y upwards.
pub(crate) type OutlineStep = (char, Vec<(f32, f32)>);

/// The outline of a glyph; empty for a space.
pub(crate) fn outline(glyph: u16, weight: Weight) -> Vec<OutlineStep> {
    let face = face(weight);
    let mut steps = Steps { scale: 1.0 / f32::from(face.units_per_em()), taken: Vec::new() };
    face.outline_glyph(GlyphId(glyph), &mut steps);
    steps.taken
}

struct Steps {
    scale: f32,
    taken: Vec<OutlineStep>,
}

impl Steps {
    fn take(&mut self, command: char, points: &[(f32, f32)]) {
        let points = points.iter().map(|(x, y)| (self.scale * x, self.scale * y));
        self.taken.push((command, points.collect()));
    }
}

impl OutlineBuilder for Steps {
    fn move_to(&mut self, x: f32, y: f32) {
        self.take('M', &[(x, y)]);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.take('L', &[(x, y)]);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.take('Q', &[(x1, y1), (x, y)]);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.take('C', &[(x1, y1), (x2, y2), (x, y)]);
    }
    fn close(&mut self) {
        self.take('Z', &[]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::INK;

    #[test]
    fn mathematics_has_glyphs_in_both_weights() {
        let needed = "aZ09 −×·±∞≈≤≥∂∇Δ√∫∑ αβγδεζηθκλμνξπρστφχψω ΓΘΛΣΦΨΩ ⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺₀₁₂ₓₜ û → ∈ ‘’“” – — … ° ℓ\u{2009}";
        for weight in [Weight::Regular, Weight::Bold] {
            let missing: Vec<char> = needed.chars().filter(|&c| face(weight).glyph_index(c).is_none()).collect();
            assert!(missing.is_empty(), "{weight:?} lacks {missing:?}");
        }
    }

    #[test]
    fn kerning_pulls_pairs_together() {
        let style = TextStyle::regular(10.0, INK);
        assert!(style.width("AV") < style.width("A") + style.width("V"));
        assert_eq!(style.width(""), 0.0);
    }

    #[test]
    fn wrapping_keeps_words_and_fits_lines() {
        let style = TextStyle::regular(12.0, INK);
        let text = "a loss that falls and a region that grows";
        let lines = style.wrap(text, 120.0);
        assert!(lines.len() > 1);
        assert!(lines.iter().all(|line| style.width(line) <= 120.0), "{lines:?}");
        assert_eq!(lines.join(" "), text);
        assert_eq!(style.wrap("unbreakable", 1.0), ["unbreakable"]);
    }
}
