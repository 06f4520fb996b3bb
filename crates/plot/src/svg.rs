//! Scene to SVG.
//!
//! Fields are embedded PNG images, clips are nested `<svg>` elements (no ids to collide when several pictures share
//! one HTML page), and glyphs are outlines defined once; two pictures that define the same glyph define it alike.

use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::error::PlotError;
use crate::font::{self, Anchor, OutlineStep, Shaped, TextStyle, Weight};
use crate::geometry::{Point, Rect};
use crate::png_file;
use crate::scene::{Mark, Pixels, Scene, Stroke, text_origin};
use crate::theme::PAPER;

/// How words appear in an SVG.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SvgText {
    /// Glyph outlines of the bundled font (with the words as `aria-label`): the same everywhere.
    #[default]
    Outlines,
    /// `<text>` elements: smaller, can be searched and copied, drawn with the reader's fonts.
    Live,
}

pub(crate) fn write(scene: &Scene, text: SvgText) -> Result<String, PlotError> {
    let mut body = String::new();
    let mut writer = Writer { out: &mut body, text, glyphs: BTreeSet::new() };
    for mark in &scene.marks {
        writer.mark(mark)?;
    }
    let glyphs = writer.glyphs;
    let (width, height) = (number(scene.size.width), number(scene.size.height));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n"
    );
    if !glyphs.is_empty() {
        svg.push_str("<defs>\n");
        for (weight, glyph) in glyphs {
            let (id, path) = (glyph_id(weight, glyph), glyph_path(weight, glyph));
            push(&mut svg, format_args!("<path id=\"{id}\" d=\"{path}\"/>\n"));
        }
        svg.push_str("</defs>\n");
    }
    push(&mut svg, format_args!("<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n", PAPER.to_css()));
    svg.push_str(&body);
    svg.push_str("</svg>\n");
    Ok(svg)
}

struct Writer<'a> {
    out: &'a mut String,
    text: SvgText,
    glyphs: BTreeSet<(Weight, u16)>,
}

impl Writer<'_> {
    fn mark(&mut self, mark: &Mark) -> Result<(), PlotError> {
        match mark {
            Mark::Lines { lines, stroke } => self.lines(lines, stroke),
            Mark::Area { outline, colour, opacity, edge } => {
                let (path, colour) = (path_data(outline, true), colour.to_css());
                self.push(format_args!("<path d=\"{path}\" fill=\"{colour}\""));
                if *opacity < 1.0 {
                    self.push(format_args!(" fill-opacity=\"{}\"", number(*opacity)));
                }
                if let Some(edge) = edge {
                    self.stroke(edge);
                }
                self.out.push_str("/>\n");
            }
            Mark::Circle { centre, radius, colour } => {
                let (x, y, r) = (number(centre.x), number(centre.y), number(*radius));
                self.push(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{}\"/>\n", colour.to_css()));
            }
            Mark::Text { text, at, anchor, style, upwards } => {
                let shaped = font::shape(text, style.weight);
                let origin = text_origin(*at, *anchor, shaped.advance * style.size, *upwards);
                match self.text {
                    SvgText::Outlines => self.outlines(text, &shaped, origin, style, *upwards),
                    SvgText::Live => self.live(text, *at, *anchor, shaped.advance * style.size, style, *upwards),
                }
            }
            Mark::Image { rect, pixels } => self.image(rect, pixels)?,
            Mark::Clipped { rect, marks } => {
                let (x, y, w, h) = rect_numbers(rect);
                self.push(format_args!(
                    "<svg x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" viewBox=\"{x} {y} {w} {h}\">\n"
                ));
                for mark in marks {
                    self.mark(mark)?;
                }
                self.out.push_str("</svg>\n");
            }
        }
        Ok(())
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        push(self.out, text);
    }

    fn lines(&mut self, lines: &[Vec<Point>], stroke: &Stroke) {
        let path: String = lines.iter().map(|line| path_data(line, false)).collect();
        self.push(format_args!("<path d=\"{path}\" fill=\"none\""));
        self.stroke(stroke);
        self.out.push_str("/>\n");
    }

    fn stroke(&mut self, stroke: &Stroke) {
        let (colour, width) = (stroke.colour.to_css(), number(stroke.width));
        self.push(format_args!(" stroke=\"{colour}\" stroke-width=\"{width}\""));
        if !stroke.dashes.is_empty() {
            let dashes: Vec<String> = stroke.dashes.iter().map(|&d| number(d)).collect();
            self.push(format_args!(" stroke-dasharray=\"{}\"", dashes.join(" ")));
        }
        if stroke.round {
            self.out.push_str(" stroke-linecap=\"round\" stroke-linejoin=\"round\"");
        }
    }

    fn outlines(&mut self, text: &str, shaped: &Shaped, origin: Point, style: &TextStyle, upwards: bool) {
        let (x, y, size) = (number(origin.x), number(origin.y), number(style.size));
        let turn = if upwards { " rotate(-90)" } else { "" };
        self.push(format_args!(
            "<g role=\"img\" aria-label=\"{}\" fill=\"{}\" transform=\"translate({x} {y}){turn} scale({size} -{size})\">",
            escape(text),
            style.colour.to_css()
        ));
        for (character, &(glyph, x)) in text.chars().zip(&shaped.glyphs) {
            if !character.is_whitespace() {
                self.glyphs.insert((style.weight, glyph));
                self.push(format_args!("<use href=\"#{}\" x=\"{}\"/>", glyph_id(style.weight, glyph), fine(x)));
            }
        }
        self.out.push_str("</g>\n");
    }

    fn live(&mut self, text: &str, at: Point, anchor: Anchor, width: f64, style: &TextStyle, upwards: bool) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let turn = if upwards { " rotate(-90)" } else { "" };
        let weight = if style.weight == Weight::Bold { " font-weight=\"bold\"" } else { "" };
        // textLength holds the layout together when the reader's fallback font is wider or narrower than ours.
        self.push(format_args!(
            "<text transform=\"translate({} {}){turn}\" text-anchor=\"{anchor}\" font-family=\"DejaVu Sans, Verdana, \
             sans-serif\" font-size=\"{}\"{weight} fill=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>\n",
            number(at.x),
            number(at.y),
            number(style.size),
            style.colour.to_css(),
            number(width),
            escape(text)
        ));
    }

    fn image(&mut self, rect: &Rect, pixels: &Pixels) -> Result<(), PlotError> {
        let (x, y, w, h) = rect_numbers(rect);
        self.push(format_args!(
            "<image x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" preserveAspectRatio=\"none\" href=\"data:image/png;base64,"
        ));
        STANDARD.encode_string(png_file::encode(pixels, pixels.width as f64 / rect.width)?, self.out);
        self.out.push_str("\"/>\n");
        Ok(())
    }
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a String does not fail");
}

fn glyph_id(weight: Weight, glyph: u16) -> String {
    match weight {
        Weight::Regular => format!("dejavu-{glyph}"),
        Weight::Bold => format!("dejavu-bold-{glyph}"),
    }
}

fn rect_numbers(rect: &Rect) -> (String, String, String, String) {
    (number(rect.left), number(rect.top), number(rect.width), number(rect.height))
}

fn path_data(points: &[Point], closed: bool) -> String {
    let mut path = String::with_capacity(14 * points.len());
    for (k, p) in points.iter().enumerate() {
        push(&mut path, format_args!("{}{} {}", if k == 0 { 'M' } else { 'L' }, number(p.x), number(p.y)));
    }
    if closed {
        path.push('Z');
    }
    path
}

/// Two decimals, without trailing zeros: a hundredth of a pixel is beyond sight.
fn number(value: f64) -> String {
    trimmed(format!("{value:.2}"))
}

/// For coordinates in em units, where two decimals would show.
fn fine(value: f64) -> String {
    trimmed(format!("{value:.4}"))
}

fn trimmed(text: String) -> String {
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" || short.is_empty() { "0".to_owned() } else { short.to_owned() }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Path data of a glyph in em units.
fn glyph_path(weight: Weight, glyph: u16) -> String {
    let step = |(command, points): OutlineStep| {
        let numbers: Vec<String> = points.iter().flat_map(|&(x, y)| [x, y]).map(|v| fine(v.into())).collect();
        format!("{command}{}", numbers.join(" "))
    };
    font::outline(glyph, weight).into_iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let written: Vec<String> = [0.0, -0.001, 1.0, 12.50, 100.0, -3.256].into_iter().map(number).collect();
        assert_eq!(written, ["0", "0", "1", "12.5", "100", "-3.26"]);
    }

    #[test]
    fn markup_in_labels_is_escaped() {
        assert_eq!(escape("a < b & \"c\""), "a &lt; b &amp; &quot;c&quot;");
    }
}
