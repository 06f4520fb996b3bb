//! Whatever the data, no word leaves the picture and no two cover each other.

use proptest::prelude::*;

use crate::geometry::Rect;
use crate::scene::{Frame, Scene};
use crate::{
    Axis, BarSeries, Bars, ContourLevels, Curves, FieldFigure, Figure, Legend, Panels, PlotError, Series, SeriesStyle,
    Size, Surface, Trace,
};

/// The texts of a figure at some size, or why there is no picture.
fn texts(figure: &dyn Figure, size: Size) -> Result<Vec<(String, Rect)>, PlotError> {
    let mut scene = Scene::new(size);
    let area = Rect::new(0.0, 0.0, size.width, size.height);
    figure.draw(Frame { scene: &mut scene, area, left_gutter: 0.0 })?;
    Ok(scene.texts())
}

fn check(figure: &dyn Figure, size: Size) -> Result<(), String> {
    let texts = texts(figure, size).map_err(|error| error.to_string())?;
    let page = Rect::new(0.0, 0.0, size.width, size.height);
    for (k, (text, place)) in texts.iter().enumerate() {
        if !page.contains(place) {
            return Err(format!("`{text}` leaves the picture: {place:?} of {size:?}"));
        }
        if let Some((other, _)) = texts[..k].iter().find(|(_, other)| other.overlaps(place)) {
            return Err(format!("`{text}` covers `{other}` at {place:?}"));
        }
    }
    Ok(())
}

fn natural(figure: &dyn Figure) -> Result<(), String> {
    check(figure, figure.natural_size())
}

/// A size may be too small, but not the one that the refusal names.
fn drawn_or_refused(figure: &dyn Figure, size: Size) -> Result<(), String> {
    match texts(figure, size) {
        Err(PlotError::Size { min_width, min_height, .. }) => check(figure, Size::new(min_width, min_height)),
        _ => check(figure, size),
    }
}

fn nodes(low: f64, high: f64, count: usize) -> Vec<f64> {
    (0..count).map(|k| low + (high - low) * k as f64 / (count - 1) as f64).collect()
}

fn surface(low: f64, width: f64, log: bool) -> Surface {
    let (x, y) = (nodes(-width, width, 21), nodes(low, low + width, 17));
    let values = y.iter().flat_map(|b| x.iter().map(move |a| 1e-5 + (a * a + (b - low) * (b - low)) / width)).collect();
    let surface = Surface::new(Axis::new("first direction", x).with_unit("m"), Axis::new("β", y), "loss", values);
    if log { surface.with_log_z() } else { surface }
}

fn bars(values: &[Option<f64>], series: usize) -> Bars {
    let categories = values.len() / series;
    let names = (0..categories).map(|k| format!("model {k}"));
    let bars = Bars::new(names, "relative error").with_title("Errors").with_value_labels();
    values.chunks_exact(categories).enumerate().fold(bars, |bars, (k, own)| {
        let half = |factor: f64| own.iter().map(|v| v.map(|v| factor * v)).collect::<Vec<_>>();
        let own = BarSeries::new(format!("series {k}"), own.to_vec());
        bars.with_series(own.with_spread(half(0.4)).with_marks(half(1.3)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn surfaces_from_every_side(
        azimuth in -360f64..360.0, elevation in 5f64..85.0, low in -1e3f64..1e3, exponent in -5f64..5.0,
        log in any::<bool>(),
    ) {
        let figure = surface(low, 10f64.powf(exponent), log).with_title("Surface").with_view(azimuth, elevation);
        natural(&figure).map_err(TestCaseError::fail)?;
        drawn_or_refused(&figure, Size::new(320.0, 420.0)).map_err(TestCaseError::fail)?;
        // Every axis keeps its name, and the heights two labels besides those of the colour bar.
        let words = texts(&figure, figure.natural_size()).expect("drawn before");
        for name in ["first direction (m)", "β", "loss"] {
            let named = words.iter().any(|(word, _)| word == name || word.starts_with(&format!("{name} (×")));
            prop_assert!(named, "no {name} in {words:?}");
        }
    }

    #[test]
    fn bars_of_any_height(
        values in prop::collection::vec(prop::option::weighted(0.85, (1f64..10.0, -7i32..3, any::<bool>())), 12..48),
        series in 1usize..5, log in any::<bool>(),
    ) {
        let sign = |negative: bool| if negative && !log { -1.0 } else { 1.0 };
        let value = |(lead, exponent, negative): (f64, i32, bool)| sign(negative) * lead * 10f64.powi(exponent);
        let values: Vec<Option<f64>> = values.into_iter().map(|v| v.map(value)).collect();
        prop_assume!(values[..values.len() / series * series].iter().any(Option::is_some));
        let figure = Bars { log_y: log, ..bars(&values, series) };
        natural(&figure).map_err(TestCaseError::fail)?;
        natural(&figure.with_legend(Legend::Right)).map_err(TestCaseError::fail)?;
    }

    /// With few points, apart from each other, there is room for all labels; with many on one place for some.
    #[test]
    fn labels_beside_points(offsets in prop::collection::vec((0f64..0.5, 0f64..1.0), 1..9), crowd in any::<bool>()) {
        let apart = |(k, (x, y)): (usize, (f64, f64))| if crowd { (x.round(), y.round()) } else { (k as f64 + x, y) };
        let points: Vec<(f64, f64)> = offsets.into_iter().enumerate().map(apart).collect();
        let labels = (0..points.len()).map(|k| format!("n={k}")).collect();
        let style = SeriesStyle { trace: Trace::LineWithDots, ..SeriesStyle::default() };
        let series = Series::new("sizes", points.clone()).with_style(style).with_labels(labels);
        let figure = Curves::new("seconds", "error").with_series(series);
        natural(&figure).map_err(TestCaseError::fail)?;
        let words = texts(&figure, figure.natural_size()).expect("drawn before");
        let labelled = words.iter().filter(|(word, _)| word.starts_with("n=")).count();
        prop_assert!(labelled == points.len() || (crowd && labelled > 0), "{labelled} of {}", points.len());
    }
}

#[test]
fn surfaces_and_contours_side_by_side() {
    let nodes = nodes(-0.1, 0.1, 41);
    let loss: Vec<f64> = nodes.iter().flat_map(|b| nodes.iter().map(move |a| 1e-4 + 9.0 * a * a + b * b)).collect();
    let field = FieldFigure::new(Axis::new("α", nodes.clone()), Axis::new("β", nodes), loss)
        .with_log_colours()
        .with_contours(ContourLevels::Ticks)
        .with_marked_point(0.0, 0.0, "trained");
    let panels = Panels::in_columns("Loss", 2).with(surface(0.0, 1.0, true).with_title("point")).with(field);
    natural(&panels).expect("a clean layout");
}

#[test]
fn the_stated_minimum_works() {
    let values: Vec<Option<f64>> = (1..=24).map(|k| Some(f64::from(k) * 1.7e-3)).collect();
    let figures: [&dyn Figure; 2] = [&surface(0.0, 1.0, false).with_title("Surface"), &bars(&values, 3)];
    for figure in figures {
        for size in [Size::new(100.0, 80.0), Size::new(20.0, 400.0), Size::new(500.0, 60.0)] {
            assert!(matches!(texts(figure, size), Err(PlotError::Size { .. })), "{size:?} is too small");
            drawn_or_refused(figure, size).expect("the stated minimum works");
        }
    }
}
