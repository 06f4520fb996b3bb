//! Scene to pixels, with tiny-skia.

use tiny_skia::{
    Color, FillRule, FilterQuality, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, PixmapPaint, StrokeDash,
    Transform,
};

use crate::colour::Rgb;
use crate::font::{self, Anchor, TextStyle};
use crate::geometry::{Point, Rect};
use crate::scene::{Mark, Pixels, Scene, Stroke, text_origin};
use crate::theme::PAPER;

/// Paints the scene at `scale` pixels per unit; `None` when there is no such pixel buffer (empty, or beyond memory).
pub(crate) fn paint(scene: &Scene, scale: f64) -> Option<Pixels> {
    let width = (scene.size.width * scale).round() as u32;
    let height = (scene.size.height * scale).round() as u32;
    let mut canvas = Pixmap::new(width, height)?;
    canvas.fill(Color::from_rgba8(PAPER.red, PAPER.green, PAPER.blue, 255));
    let unit = Transform::from_scale(scale as f32, scale as f32);
    for mark in &scene.marks {
        paint_mark(&mut canvas, mark, unit, None);
    }
    let rgb = canvas.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect();
    Some(Pixels { width: width as usize, height: height as usize, rgb })
}

fn paint_mark(canvas: &mut Pixmap, mark: &Mark, unit: Transform, mask: Option<&Mask>) {
    match mark {
        Mark::Lines { lines, stroke } => {
            if let Some(path) = polylines(lines, false) {
                canvas.stroke_path(&path, &ink(stroke.colour, 1.0), &pen(stroke), unit, mask);
            }
        }
        Mark::Area { outline, colour, opacity, edge } => {
            if let Some(path) = polylines(std::slice::from_ref(outline), true) {
                canvas.fill_path(&path, &ink(*colour, *opacity), FillRule::Winding, unit, mask);
                if let Some(edge) = edge {
                    canvas.stroke_path(&path, &ink(edge.colour, 1.0), &pen(edge), unit, mask);
                }
            }
        }
        Mark::Circle { centre, radius, colour } => {
            if let Some(path) = PathBuilder::from_circle(centre.x as f32, centre.y as f32, *radius as f32) {
                canvas.fill_path(&path, &ink(*colour, 1.0), FillRule::Winding, unit, mask);
            }
        }
        Mark::Text { text, at, anchor, style, upwards } => {
            if let Some(path) = text_path(text, *at, *anchor, style, *upwards) {
                canvas.fill_path(&path, &ink(style.colour, 1.0), FillRule::Winding, unit, mask);
            }
        }
        Mark::Image { rect, pixels } => paint_image(canvas, rect, pixels, unit, mask),
        Mark::Clipped { rect, marks } => {
            let inside = clip(canvas, rect, unit);
            for mark in marks {
                paint_mark(canvas, mark, unit, inside.as_ref());
            }
        }
    }
}

fn ink(colour: Rgb, opacity: f64) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(colour.red, colour.green, colour.blue, (255.0 * opacity).round() as u8);
    paint
}

fn pen(stroke: &Stroke) -> tiny_skia::Stroke {
    tiny_skia::Stroke {
        width: stroke.width as f32,
        line_cap: if stroke.round { LineCap::Round } else { LineCap::Butt },
        line_join: if stroke.round { LineJoin::Round } else { LineJoin::Miter },
        dash: StrokeDash::new(stroke.dashes.iter().map(|&d| d as f32).collect(), 0.0),
        ..tiny_skia::Stroke::default()
    }
}

fn polylines(lines: &[Vec<Point>], closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for line in lines {
        for (k, p) in line.iter().enumerate() {
            if k == 0 {
                builder.move_to(p.x as f32, p.y as f32);
            } else {
                builder.line_to(p.x as f32, p.y as f32);
            }
        }
        if closed {
            builder.close();
        }
    }
    builder.finish()
}

fn text_path(text: &str, at: Point, anchor: Anchor, style: &TextStyle, upwards: bool) -> Option<Path> {
    let shaped = font::shape(text, style.weight);
    let origin = text_origin(at, anchor, shaped.advance * style.size, upwards);
    let mut path = PathBuilder::new();
    for (glyph, shift) in shaped.glyphs {
        // From em coordinates with y upwards to those of the scene.
        let place = |&(x, y): &(f32, f32)| {
            let (along, above) = (style.size * (shift + f64::from(x)), style.size * f64::from(y));
            let (x, y) = if upwards { (-above, -along) } else { (along, -above) };
            ((origin.x + x) as f32, (origin.y + y) as f32)
        };
        for (command, points) in font::outline(glyph, style.weight) {
            match (command, &points.iter().map(place).collect::<Vec<_>>()[..]) {
                ('M', &[(x, y)]) => path.move_to(x, y),
                ('L', &[(x, y)]) => path.line_to(x, y),
                ('Q', &[(x1, y1), (x, y)]) => path.quad_to(x1, y1, x, y),
                ('C', &[(x1, y1), (x2, y2), (x, y)]) => path.cubic_to(x1, y1, x2, y2, x, y),
                _ => path.close(),
            }
        }
    }
    path.finish()
}

fn paint_image(canvas: &mut Pixmap, rect: &Rect, pixels: &Pixels, unit: Transform, mask: Option<&Mask>) {
    let Some(mut image) = Pixmap::new(pixels.width as u32, pixels.height as u32) else {
        return;
    };
    for (target, rgb) in image.data_mut().chunks_exact_mut(4).zip(pixels.rgb.chunks_exact(3)) {
        target[..3].copy_from_slice(rgb);
        target[3] = 255;
    }
    let (sx, sy) = (rect.width / pixels.width as f64, rect.height / pixels.height as f64);
    let place = unit.pre_translate(rect.left as f32, rect.top as f32).pre_scale(sx as f32, sy as f32);
    // At one image pixel per picture pixel no filter may blur it.
    let exact = (place.sx - 1.0).abs() < 1e-4 && (place.sy - 1.0).abs() < 1e-4;
    let quality = if exact { FilterQuality::Nearest } else { FilterQuality::Bilinear };
    canvas.draw_pixmap(0, 0, image.as_ref(), &PixmapPaint { quality, ..PixmapPaint::default() }, place, mask);
}

fn clip(canvas: &Pixmap, rect: &Rect, unit: Transform) -> Option<Mask> {
    let mut mask = Mask::new(canvas.width(), canvas.height())?;
    let bounds = tiny_skia::Rect::from_xywh(rect.left as f32, rect.top as f32, rect.width as f32, rect.height as f32)?;
    mask.fill_path(&PathBuilder::from_rect(bounds), FillRule::Winding, true, unit);
    Some(mask)
}
