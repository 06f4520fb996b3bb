//! What is in the files: words, images, sizes, and pixels of the right colour.

use proptest::prelude::*;
use ropinn_plot::{
    Aspect, Axis, ColourMap, Curves, ErrorView, FieldFigure, Figure, Legend, Panels, Rule, Sampling, Series,
    SeriesStyle, Size, SvgText, Trace,
};

fn nodes(count: usize) -> Vec<f64> {
    (0..count).map(|k| k as f64 / (count.max(2) - 1) as f64).collect()
}

fn trio(count: usize) -> FieldFigure {
    let x = nodes(count);
    let exact: Vec<f64> = x.iter().flat_map(|y| x.iter().map(move |x| x * y)).collect();
    let predicted = exact.iter().map(|u| u + 2e-3 * (7.0 * u).sin()).collect();
    FieldFigure::new(Axis::new("x", x.clone()).with_unit("m"), Axis::new("t", x), predicted)
        .with_exact(exact)
        .with_title("Trio: σ, θ, ∂u/∂t & x² < 1")
}

fn loss() -> Curves {
    let points = (1..200).map(|k| (f64::from(k), 1.0 / f64::from(k * k))).collect();
    Curves::new("iteration", "loss").with_log_y().with_series(Series::new("total", points))
}

/// Width, height and RGB bytes of a PNG file.
fn decode(bytes: &[u8]) -> (usize, usize, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG header");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size that fits memory")];
    let info = reader.next_frame(&mut pixels).expect("PNG data");
    assert_eq!(info.color_type, png::ColorType::Rgb);
    (info.width as usize, info.height as usize, pixels)
}

fn distinct_colours(rgb: &[u8]) -> usize {
    rgb.chunks_exact(3).collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
fn trio_svg_holds_words_and_images() {
    let svg = trio(12).to_svg_string().expect("valid data");
    for label in
        ["Predicted", "Exact", "Error", "predicted − exact", "x (m)", "t", "0.4", "Trio: σ, θ, ∂u/∂t &amp; x² &lt; 1"]
    {
        assert!(svg.contains(&format!("aria-label=\"{label}\"")), "no label {label}");
    }
    assert_eq!(svg.matches("<image").count(), 6);
    assert_eq!(svg.matches("data:image/png;base64,iVBORw0KGgo").count(), 6);
    assert_eq!(svg.matches("<rect").count(), 1, "a heat map is an image, not rectangles");
    for used in svg.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(svg.contains(&format!("id=\"{used}\"")), "glyph {used} is not defined");
    }
}

#[test]
fn live_text_is_text() {
    let svg = trio(5).picture().expect("valid data").with_svg_text(SvgText::Live).to_svg_string().expect("valid data");
    assert!(svg.contains(">Predicted</text>") && svg.contains("x² &lt; 1</text>"));
    assert!(!svg.contains("<use"));
}

#[test]
fn png_has_the_promised_size_and_colours() {
    let figure = trio(20);
    let size = figure.natural_size();
    let (width, height, rgb) = decode(&figure.to_png_bytes().expect("valid data"));
    assert_eq!((width, height), ((2.0 * size.width) as usize, (2.0 * size.height) as usize));
    assert!(distinct_colours(&rgb) > 300);
    assert_eq!(rgb[..3], [255, 255, 255], "the margin is paper");
    for s in [0.0, 1.0] {
        let end = ColourMap::Viridis.at(s);
        // The frame covers the last row of the bar: a few levels off is the most the rest can show.
        let near = |p: &[u8]| [end.red, end.green, end.blue].iter().zip(p).all(|(a, b)| a.abs_diff(*b) <= 4);
        assert!(rgb.chunks_exact(3).any(near), "no pixel at end {s} of the map");
    }
    let picture = figure.picture_sized(Size::new(900.0, 300.0)).expect("large enough").with_scale(1.5);
    let (width, height, _) = decode(&picture.to_png_bytes().expect("valid data"));
    assert_eq!((width, height), (1350, 450));
}

#[test]
fn same_data_same_bytes() {
    assert!(trio(15).to_png_bytes().expect("valid") == trio(15).to_png_bytes().expect("valid"));
    assert!(loss().to_svg_string().expect("valid") == loss().to_svg_string().expect("valid"));
}

#[test]
fn constant_single_and_partly_missing_fields_are_drawn() {
    for value in [0.0, 3.5, -1e-9, 1e200] {
        let figure = FieldFigure::new(Axis::new("x", nodes(4)), Axis::new("y", nodes(3)), vec![value; 12]);
        assert!(figure.to_png_bytes().is_ok(), "constant {value}");
    }
    let point = FieldFigure::new(Axis::new("x", vec![2.0]), Axis::new("y", vec![-1.0]), vec![7.0]);
    assert!(point.clone().with_exact(vec![7.0]).to_png_bytes().is_ok());
    assert!(point.with_sampling(Sampling::Nearest).to_png_bytes().is_ok());
    let holes =
        FieldFigure::new(Axis::new("x", nodes(2)), Axis::new("y", nodes(2)), vec![f64::NAN, 1.0, f64::INFINITY, 2.0]);
    let (_, _, rgb) = decode(&holes.to_png_bytes().expect("two finite values"));
    assert!(rgb.chunks_exact(3).any(|p| p == [0xd5, 0xd8, 0xdc]), "missing values are grey");
}

#[test]
fn scattered_points_show_as_dots_and_cells() {
    let (x, y): (Vec<f64>, Vec<f64>) = (0..300).map(|k| (2.4 * f64::from(k)).sin_cos()).unzip();
    let values: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
    let figure = FieldFigure::new(Axis::new("x", x), Axis::new("y", y), values.clone())
        .with_exact(values)
        .with_aspect(Aspect::Equal)
        .with_error(ErrorView::Absolute);
    for sampling in [Sampling::Dots { radius: 3.0 }, Sampling::Nearest] {
        let svg = figure.clone().with_sampling(sampling).to_svg_string().expect("valid data");
        assert_eq!(svg.matches("<image").count(), 6);
        assert!(svg.contains("|predicted − exact|"));
    }
}

#[test]
fn curves_svg_holds_names_dashes_and_rules() {
    let svg = loss()
        .with_series(Series::new("boundary", vec![(1.0, 1e-3), (199.0, 1e-6)]))
        .with_rule(Rule::AtX(50.0, "switch".to_owned()))
        .with_rule(Rule::AtY(1e9, "out of view".to_owned()))
        .to_svg_string()
        .expect("valid data");
    for label in ["total", "boundary", "iteration", "loss", "switch", "10⁻³"] {
        assert!(svg.contains(&format!("aria-label=\"{label}\"")), "no label {label}");
    }
    assert!(!svg.contains("out of view"));
    assert!(svg.contains("stroke=\"#0072b2\"") && svg.contains("stroke=\"#d55e00\""));
    assert!(svg.contains("stroke-dasharray=\"6 2.6\""));
    let hidden = loss().with_legend(Legend::Hidden).to_svg_string().expect("valid data");
    assert!(!hidden.contains("aria-label=\"total\""));
}

#[test]
fn unusable_points_leave_gaps() {
    let points =
        vec![(0.0, 1.0), (1.0, 0.5), (2.0, 0.0), (3.0, f64::NAN), (4.0, 0.2), (5.0, 0.1), (6.0, -1.0), (7.0, 0.3)];
    let svg = Curves::new("k", "loss")
        .with_log_y()
        .with_series(Series::new("", points))
        .to_svg_string()
        .expect("some usable");
    let curve = svg.split("<path d=\"").find(|p| p.contains("#0072b2")).expect("the curve");
    // Two runs of two points, and a lone point whose line has no length and which is therefore a dot.
    assert_eq!(curve.split('"').next().expect("path data").matches('M').count(), 3);
    assert_eq!(svg.matches("<circle").count(), 1);
}

#[test]
fn bands_reach_the_floor_of_a_log_axis() {
    let points = vec![(0.0, 1.0), (1.0, 0.1), (2.0, 0.01)];
    let series = Series::new("mean", points).with_band(vec![0.5, 0.0, -1.0], vec![2.0, 0.3, 0.03]);
    let svg = Curves::new("k", "r").with_log_y().with_series(series).to_svg_string().expect("valid data");
    assert!(svg.contains("fill-opacity=\"0.2\""));
    let dots = SeriesStyle { trace: Trace::Dots, ..SeriesStyle::default() };
    let scatter = Curves::new("k", "r").with_series(Series::new("s", vec![(0.0, 1.0), (1.0, 2.0)]).with_style(dots));
    assert_eq!(scatter.to_svg_string().expect("valid data").matches("<circle").count(), 3, "two points and the legend");
}

#[test]
fn a_million_points_make_a_small_picture_with_their_spike() {
    let spike = |k: u32| {
        if k == 543_210 { 50.0 } else { (f64::from(k) * 0.01).sin() }
    };
    let points = |spike: &dyn Fn(u32) -> f64| (0..1_000_000).map(|k| (f64::from(k), spike(k))).collect::<Vec<_>>();
    let svg = |points| Curves::new("k", "u").with_series(Series::new("", points)).to_svg_string().expect("valid data");
    let long = svg(points(&spike));
    assert!(long.len() < 300_000, "{} bytes", long.len());
    let curve = long.split("<path d=\"").find(|p| p.contains("#0072b2")).expect("the curve");
    let data = curve.split('"').next().expect("path data").trim_start_matches('M');
    let heights: Vec<f64> = data.split('L').filter_map(|p| p.split_once(' ')?.1.parse().ok()).collect();
    let (top, bottom) = heights.iter().fold((f64::MAX, f64::MIN), |(a, b), y| (a.min(*y), b.max(*y)));
    assert!(bottom - top > 200.0, "the spike fills the plot: {top} to {bottom}");
}

#[test]
fn panels_stack_and_share_the_left_axis() {
    let wide = Curves::new("iteration", "r").with_series(Series::new("", vec![(0.0, 12_000.0), (1.0, 90_000.0)]));
    let narrow = Curves::new("iteration", "loss").with_series(Series::new("", vec![(0.0, 1.0), (1.0, 2.0)]));
    let (first, second) = (wide.natural_size(), narrow.natural_size());
    let panels = Panels::stacked("Both").with(wide).with(narrow);
    assert!(panels.natural_size().height >= first.height + second.height);
    let svg = panels.to_svg_string().expect("valid data");
    let clips: Vec<&str> = svg.split("<svg x=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(clips.len(), 2);
    assert_eq!(clips[0], clips[1], "the two plots start at the same x");
}

/// Ranges at the ends of f64, where differences and ratios overflow.
#[test]
fn extreme_ranges_are_drawn() {
    for pair in [[-1.7e308, 1.7e308], [5e-324, 1e-310], [9.8e-309, 6e141], [1e-300, 1e300], [1.0, 1.0 + 1e-15]] {
        let field = FieldFigure::new(Axis::new("x", nodes(2)), Axis::new("y", vec![0.0]), pair.to_vec());
        assert!(field.with_exact(vec![0.0; 2]).to_png_bytes().is_ok(), "field {pair:?}");
        let series = Series::new("s", vec![(0.0, pair[0]), (1.0, pair[1])]);
        let curves = Curves::new("k", "u").with_series(series);
        assert!(curves.to_png_bytes().is_ok(), "curves {pair:?}");
        if pair[1] > 1e-300 && pair[0] > 0.0 {
            assert!(curves.with_log_y().to_png_bytes().is_ok(), "log {pair:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the values, a figure is drawn or refused with a reason; it never panics.
    #[test]
    fn any_values_are_drawn_or_refused(values in prop::collection::vec(prop::num::f64::ANY, 12), log in any::<bool>()) {
        let field = FieldFigure::new(Axis::new("x", nodes(4)), Axis::new("y", nodes(3)), values.clone());
        let field = field.with_exact(values.iter().map(|v| v * 0.5).collect()).to_svg_string();
        prop_assert_eq!(field.is_ok(), values.iter().any(|v| v.is_finite()), "{:?}", field.err());
        let points: Vec<(f64, f64)> = values.chunks(2).map(|p| (p[0], p[1])).collect();
        let places = |v: f64, log: bool| v.is_finite() && (!log || v >= f64::MIN_POSITIVE);
        let drawable = points.iter().any(|p| places(p.0, log) && places(p.1, !log));
        let curves = Curves { log_x: log, log_y: !log, ..Curves::new("x", "y") };
        let curves = curves.with_series(Series::new("any", points)).to_svg_string();
        prop_assert_eq!(curves.is_ok(), drawable, "{:?}", curves.err());
        for svg in [field, curves].into_iter().flatten() {
            prop_assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
            let mut attributes = svg.split('"').zip(svg.split('"').skip(1)).step_by(2);
            let is_number = |(name, text): (&str, &str)| !name.ends_with("aria-label=") && !text.starts_with("data:");
            let broken = attributes.find(|&pair| is_number(pair) && (pair.1.contains("NaN") || pair.1.contains("inf")));
            prop_assert_eq!(broken, None);
        }
    }
}
