//! Bars, surfaces and contour lines: what is in their files.

use proptest::prelude::*;
use ropinn_plot::{
    Axis, BarSeries, Bars, ColourMap, ContourLevels, Curves, FieldFigure, Figure, Legend, Panels, Series, SeriesStyle,
    Surface, Trace,
};

fn nodes(low: f64, high: f64, count: usize) -> Vec<f64> {
    (0..count).map(|k| low + (high - low) * k as f64 / (count - 1) as f64).collect()
}

fn sampled(x: &[f64], y: &[f64], u: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    y.iter().flat_map(|&y| x.iter().map(move |&x| (x, y))).map(|(x, y)| u(x, y)).collect()
}

/// Elements of an SVG that contain all of some words.
fn elements<'a>(svg: &'a str, words: &'a [&'a str]) -> Vec<&'a str> {
    svg.lines().filter(|line| words.iter().all(|word| line.contains(word))).collect()
}

/// The points of a path, subpath by subpath.
fn path(element: &str) -> Vec<Vec<(f64, f64)>> {
    let data = element.split("d=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("path data");
    let pair = |point: &str| {
        let (x, y) = point.trim_end_matches('Z').split_once(' ').expect("two numbers");
        (x.parse().expect("a number"), y.parse().expect("a number"))
    };
    data.split('M').skip(1).map(|line| line.split('L').map(pair).collect()).collect()
}

/// Height of a bar in the picture.
fn height(bar: &str) -> f64 {
    let ys: Vec<f64> = path(bar)[0].iter().map(|p| p.1).collect();
    ys.iter().fold(f64::MIN, |a, y| a.max(*y)) - ys.iter().fold(f64::MAX, |a, y| a.min(*y))
}

fn bars() -> Bars {
    Bars::new(["PINN", "QRes", "FLS"], "error")
        .with_series(BarSeries::new("point", vec![Some(4.0), Some(2.0), Some(1.0)]))
        .with_series(
            BarSeries::new("region", vec![Some(2.0), None, Some(f64::NAN)])
                .with_spread(vec![Some(0.5), Some(0.5), Some(0.5)])
                .with_marks(vec![Some(3.0), Some(2.5), None]),
        )
        .with_mark_name("published")
}

fn bowl(count: usize) -> Surface {
    let nodes = nodes(-1.0, 1.0, count);
    let values = sampled(&nodes, &nodes, |x, y| 1e-3 + x * x + 0.3 * y * y);
    Surface::new(Axis::new("α", nodes.clone()), Axis::new("β", nodes), "loss", values)
}

/// The quads of a surface: filled areas with their own thin edge.
fn quads(svg: &str) -> Vec<&str> {
    elements(svg, &["<path", "Z\" fill=\"#", "stroke-width=\"0.4\""])
}

fn circles(count: usize) -> FieldFigure {
    let nodes = nodes(-1.0, 1.0, count);
    let values = sampled(&nodes, &nodes, |x, y| x * x + y * y);
    FieldFigure::new(Axis::new("x", nodes.clone()), Axis::new("y", nodes), values)
}

#[test]
fn bars_whiskers_and_diamonds_are_counted() {
    let svg = bars().to_svg_string().expect("valid data");
    let blue = elements(&svg, &["<path", "fill=\"#0072b2\""]);
    assert_eq!(blue.len(), 4, "three bars and the legend");
    assert_eq!(elements(&svg, &["<path", "fill=\"#d55e00\""]).len(), 2, "one bar and the legend");
    let whiskers = elements(&svg, &["stroke=\"#1f2328\" stroke-width=\"1.2\"", "fill=\"none\""]);
    assert_eq!(whiskers.len(), 1, "no bar, no whisker");
    assert_eq!(path(whiskers[0]).len(), 3, "a stem and two caps");
    let diamonds = elements(&svg, &["fill=\"#ffffff\"", "stroke=\"#1f2328\" stroke-width=\"1.2\""]);
    assert_eq!(diamonds.len(), 3, "two marks and the legend");
    for label in ["PINN", "QRes", "FLS", "point", "region", "published", "not run", "NaN", "error"] {
        assert_eq!(svg.matches(&format!("aria-label=\"{label}\"")).count(), 1, "label {label}");
    }
    let hidden = bars().with_legend(Legend::Hidden).to_svg_string().expect("valid data");
    assert!(!hidden.contains("aria-label=\"published\""));
}

#[test]
fn linear_bars_are_as_high_as_their_values_from_zero() {
    let svg = bars().to_svg_string().expect("valid data");
    let blue = elements(&svg, &["<path", "fill=\"#0072b2\""]);
    let heights: Vec<f64> = blue[..3].iter().map(|bar| height(bar)).collect();
    assert!((heights[0] / heights[1] - 2.0).abs() < 0.01 && (heights[1] / heights[2] - 2.0).abs() < 0.02);
    // The whisker of 2 ± 0.5 spans a quarter of the bar of 4.
    let whisker = elements(&svg, &["stroke=\"#1f2328\" stroke-width=\"1.2\"", "fill=\"none\""]);
    let stem = path(whisker[0])[0].clone();
    assert!(((stem[0].1 - stem[1].1) / heights[0] - 0.25).abs() < 0.01);
}

#[test]
fn logarithmic_bars_differ_by_decades() {
    let series = BarSeries::new("", vec![Some(1e-1), Some(1e-2), Some(1e-3), Some(0.0)]);
    let log = Bars::new(["a", "b", "c", "d"], "error").with_series(series).with_log_y();
    let svg = log.to_svg_string().expect("valid data");
    let heights: Vec<f64> = elements(&svg, &["<path", "fill=\"#0072b2\""]).iter().map(|bar| height(bar)).collect();
    assert_eq!(heights.len(), 3, "zero has no place, and no name no legend");
    let decade = heights[0] - heights[1];
    assert!((heights[1] - heights[2] - decade).abs() < 0.05, "equal steps: {heights:?}");
    assert!(heights[2] > 0.1 * decade, "the shortest bar is seen: {heights:?}");
    assert!(svg.contains("aria-label=\"0.00\""), "a zero on a logarithmic axis is told in figures");
}

/// A whisker that reaches below a logarithmic axis ends at the axis, without a cap.
#[test]
fn whiskers_go_on_below_a_logarithmic_axis() {
    let series = BarSeries::new("", vec![Some(1.0), Some(0.2)]).with_spread(vec![Some(1.5), Some(0.05)]);
    let svg = Bars::new(["a", "b"], "error").with_series(series).with_log_y().to_svg_string().expect("valid data");
    let whiskers = elements(&svg, &["stroke=\"#1f2328\" stroke-width=\"1.2\"", "fill=\"none\""]);
    let pieces: Vec<usize> = whiskers.iter().map(|whisker| path(whisker).len()).collect();
    assert_eq!(pieces, [2, 3]);
}

#[test]
fn values_are_written_with_three_digits() {
    let series = BarSeries::new("", vec![Some(0.012_345), Some(-2.0)]);
    let svg =
        Bars::new(["a", "b"], "gain").with_series(series).with_value_labels().to_svg_string().expect("valid data");
    assert!(svg.contains("aria-label=\"0.0123\"") && svg.contains("aria-label=\"−2.00\""));
}

#[test]
fn surfaces_have_a_quad_per_cell() {
    let svg = bowl(12).to_svg_string().expect("valid data");
    assert_eq!(quads(&svg).len(), 121);
    assert!(quads(&svg).iter().all(|quad| path(quad)[0].len() == 4));
    for label in ["α", "β", "loss", "0.0"] {
        assert!(svg.contains(&format!("aria-label=\"{label}\"")), "no label {label}");
    }
    assert_eq!(svg.matches("<image").count(), 1, "the colour bar");
}

#[test]
fn fine_surfaces_stay_small() {
    let svg = bowl(401).to_svg_string().expect("valid data");
    assert_eq!(quads(&svg).len(), 58 * 58, "every seventh of 400 intervals, and what is left");
    let finest = bowl(65).to_svg_string().expect("valid data");
    assert_eq!(quads(&finest).len(), 64 * 64);
    assert!(finest.len() < 1_000_000, "{} bytes", finest.len());
}

#[test]
fn missing_cells_leave_holes_in_a_surface() {
    let mut surface = bowl(12);
    surface.values[5 * 12 + 5] = f64::NAN;
    surface.values[0] = f64::INFINITY;
    assert_eq!(quads(&surface.to_svg_string().expect("some cells")).len(), 121 - 4 - 1);
    surface.values[0] = -1.0;
    assert_eq!(quads(&surface.clone().to_svg_string().expect("some cells")).len(), 121 - 4);
    assert_eq!(quads(&surface.with_log_z().to_svg_string().expect("some cells")).len(), 121 - 4 - 1);
}

/// Far to near: on level ground every quad stands lower in the picture than the one behind it, and every column too.
#[test]
fn far_quads_come_first() {
    let nodes = nodes(0.0, 1.0, 6);
    for azimuth in [-160.0, -135.0, -55.0, -20.0, 10.0, 45.0, 80.0, 100.0, 170.0] {
        let flat = Surface::new(Axis::new("x", nodes.clone()), Axis::new("y", nodes.clone()), "z", vec![1.0; 36]);
        let svg = flat.with_view(azimuth, 40.0).to_svg_string().expect("valid data");
        let middle = |quad: &&str| path(quad)[0].iter().map(|p| p.1).sum::<f64>() / 4.0;
        let places: Vec<f64> = quads(&svg).iter().map(middle).collect();
        assert_eq!(places.len(), 25);
        let falls = |places: &[f64]| places.windows(2).all(|pair| pair[0] < pair[1]);
        assert!(places.chunks(5).all(falls), "within a column, azimuth {azimuth}");
        let columns: Vec<f64> = places.chunks(5).map(|column| column.iter().sum()).collect();
        assert!(falls(&columns), "from column to column, azimuth {azimuth}");
    }
}

#[test]
fn capped_surfaces_are_flat_on_top() {
    let svg = bowl(33).with_cap(0.25).with_view(-55.0, 30.0).to_svg_string().expect("valid data");
    let top = ColourMap::Viridis.at(1.0);
    let plateau = format!("fill=\"#{:02x}{:02x}{:02x}\"", top.red, top.green, top.blue);
    assert!(elements(&svg, &["<path", &plateau]).len() > 100, "quads above the cap have the colour of the end");
    let whole = bowl(33).to_svg_string().expect("valid data");
    assert!(whole.contains("aria-label=\"1.2\"") && !svg.contains("aria-label=\"1.2\""), "the axis ends at the cap");
}

#[test]
fn logarithmic_surfaces_show_decades() {
    let svg = bowl(21).with_log_z().to_svg_string().expect("valid data");
    for label in ["10⁻³", "10⁻²", "10⁻¹", "10⁰"] {
        assert_eq!(svg.matches(&format!("aria-label=\"{label}\"")).count(), 2, "{label} on the axis and on the bar");
    }
}

#[test]
fn a_contour_of_a_circle_is_a_circle_in_the_picture() {
    let level = 0.49;
    let svg = circles(81).with_contours(ContourLevels::At(vec![level])).to_svg_string().expect("valid data");
    let lines = elements(&svg, &["stroke-linejoin=\"round\"", "stroke-width=\"0.9\""]);
    assert_eq!(lines.len(), 2, "one line, and its place on the colour bar");
    let image = elements(&svg, &["<image"])[0];
    let number = |name: &str| -> f64 {
        let rest = image.split(&format!(" {name}=\"")).nth(1).expect("the attribute");
        rest.split('"').next().and_then(|v| v.parse().ok()).expect("a number")
    };
    let (left, top, width, height) = (number("x"), number("y"), number("width"), number("height"));
    let rings = path(lines[0]);
    assert_eq!(rings.len(), 1);
    for (px, py) in &rings[0] {
        let (x, y) = (2.0 * (px - left) / width - 1.0, 1.0 - 2.0 * (py - top) / height);
        assert!((x.hypot(y) - level.sqrt()).abs() < 1.5e-3, "({x}, {y})");
    }
    assert!(svg.contains("aria-label=\"0.490\""));
}

#[test]
fn contours_at_ticks_match_the_colour_bar() {
    let svg = circles(41).with_contours(ContourLevels::Ticks).to_svg_string().expect("valid data");
    let lines = elements(&svg, &["stroke-linejoin=\"round\"", "stroke-width=\"0.9\""]);
    // 0 and 2 are the ends of the bar; each of 0.2, 0.4, …, 1.8 has lines and a place on the bar.
    assert_eq!(lines.len(), 18);
    assert!(!circles(41).to_svg_string().expect("valid data").contains("stroke-linejoin"));
    let trio = circles(41).with_exact(circles(41).predicted).with_contours(ContourLevels::At(vec![0.5]));
    let svg = trio.to_svg_string().expect("valid data");
    assert_eq!(elements(&svg, &["stroke-linejoin=\"round\""]).len(), 4, "on predicted and exact, not on the error");
}

#[test]
fn logarithmic_colours_have_decades_and_holes() {
    let mut figure = circles(42).with_log_colours();
    figure.predicted[0] = 0.0;
    let svg = figure.clone().with_range(0.0, 1.0).to_svg_string().expect("valid data");
    for label in ["10⁻²", "10⁻¹", "10⁰"] {
        assert!(svg.contains(&format!("aria-label=\"{label}\"")), "no {label}: the unusable end comes from the data");
    }
    let png = figure.to_png_bytes().expect("valid data");
    let mut reader = png::Decoder::new(std::io::Cursor::new(&png)).read_info().expect("a PNG header");
    let mut rgb = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut rgb).expect("PNG data");
    assert!(rgb.chunks_exact(3).any(|p| p == [0xd5, 0xd8, 0xdc]), "zero is missing on a logarithmic scale");
}

#[test]
fn marked_points_show_inside_only() {
    let diamonds = |x: f64| {
        let svg = circles(9).with_marked_point(x, 0.0, "trained").to_svg_string().expect("valid data");
        (elements(&svg, &["fill=\"#ffffff\"", "stroke-width=\"1.2\""]).len(), svg.contains("aria-label=\"trained\""))
    };
    assert_eq!(diamonds(0.0), (1, true));
    assert_eq!(diamonds(0.9), (1, true), "the label stands on the other side");
    assert_eq!(diamonds(3.0), (0, false));
    assert_eq!(diamonds(f64::NAN), (0, false));
}

#[test]
fn points_without_lines_have_labels() {
    let style = SeriesStyle { trace: Trace::Dots, ..SeriesStyle::default() };
    let labels = vec!["n=9".to_owned(), String::new(), "n=64".to_owned()];
    let series = Series::new("", vec![(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]).with_style(style).with_labels(labels);
    let svg = Curves::new("seconds", "error").with_series(series).to_svg_string().expect("valid data");
    assert_eq!(svg.matches("<circle").count(), 3);
    assert_eq!(elements(&svg, &["<path", "stroke=\"#0072b2\""]).len(), 0, "no line");
    assert_eq!(svg.matches("aria-label=\"n=").count(), 2);
}

#[test]
fn panels_hold_all_of_them_and_bytes_repeat() {
    let panels = || {
        Panels::in_columns("All", 2)
            .with(bars().with_log_y().with_value_labels())
            .with(bowl(21).with_title("point"))
            .with(circles(21).with_contours(ContourLevels::Ticks))
            .with(bowl(21).with_log_z())
    };
    let svg = panels().to_svg_string().expect("valid data");
    assert_eq!(quads(&svg).len(), 800);
    assert!(svg == panels().to_svg_string().expect("valid data"));
    assert!(panels().to_png_bytes().expect("valid data") == panels().to_png_bytes().expect("valid data"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever the values, a figure is drawn or refused with a reason; it never panics and leaves no NaN in the file.
    #[test]
    fn any_values_are_drawn_or_refused(
        values in prop::collection::vec(prop::num::f64::ANY, 12), azimuth in prop::num::f64::ANY, log in any::<bool>(),
        level in prop::num::f64::ANY,
    ) {
        let nodes = [nodes(0.0, 1.0, 4), nodes(0.0, 1.0, 3)];
        let [x, y] = nodes.map(|nodes| Axis::new("x", nodes));
        let surface = Surface { log_z: log, cap: Some(level), ..Surface::new(x.clone(), y.clone(), "z", values.clone()) };
        let field = FieldFigure { log_colours: log, ..FieldFigure::new(x, y, values.clone()) }
            .with_contours(ContourLevels::At(vec![level]))
            .with_marked_point(level, azimuth, "here");
        let entries: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
        let series = BarSeries::new("s", entries[..4].to_vec())
            .with_spread(entries[4..8].to_vec())
            .with_marks(entries[8..].to_vec());
        let bars = Bars { log_y: log, ..Bars::new(["a", "b", "c", "d"], "y") }.with_series(series).with_value_labels();
        let figures: [&dyn Figure; 4] = [&surface, &surface.clone().with_view(azimuth, 30.0), &field, &bars];
        for figure in figures {
            if let Ok(svg) = figure.to_svg_string() {
                prop_assert!(elements(&svg, &["<path", "NaN"]).is_empty());
                prop_assert!(elements(&svg, &["<path", "inf"]).is_empty());
            }
        }
    }
}
