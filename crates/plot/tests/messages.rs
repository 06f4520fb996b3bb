//! Bad input, and exactly what is said about it.

use ropinn_plot::{
    Axis, BarSeries, Bars, ContourLevels, Curves, FieldFigure, Figure, Panels, PlotError, Sampling, Series, Size,
    Surface,
};

fn message<T: std::fmt::Debug>(result: Result<T, PlotError>) -> String {
    result.expect_err("bad input").to_string()
}

fn field(x: &[f64], y: &[f64], values: &[f64]) -> FieldFigure {
    FieldFigure::new(Axis::new("x", x.to_vec()), Axis::new("t", y.to_vec()), values.to_vec())
}

fn surface(x: &[f64], y: &[f64], values: &[f64]) -> Surface {
    Surface::new(Axis::new("α", x.to_vec()), Axis::new("β", y.to_vec()), "loss", values.to_vec())
}

#[test]
fn empty_data() {
    assert_eq!(message(field(&[], &[0.0], &[]).to_png_bytes()), "axis `x` is empty; give it at least one value");
    assert_eq!(
        message(Curves::new("k", "loss").with_series(Series::new("a", vec![])).to_svg_string()),
        "figure `loss` is empty; give it at least one value"
    );
    assert_eq!(message(Panels::stacked("All").to_svg_string()), "figure `All` is empty; give it at least one value");
}

#[test]
fn mismatched_lengths() {
    assert_eq!(
        message(field(&[0.0, 1.0], &[0.0, 1.0], &[1.0; 3]).to_png_bytes()),
        "the predicted field has 3 values but 4 are expected (2 nodes of `x` times 2 of `t`)"
    );
    assert_eq!(
        message(field(&[0.0, 1.0], &[0.0], &[1.0; 2]).with_exact(vec![]).to_png_bytes()),
        "the exact field has 0 values but 2 are expected (2 nodes of `x` times 1 of `t`)"
    );
    assert_eq!(
        message(field(&[0.0, 1.0], &[0.0], &[1.0; 2]).with_sampling(Sampling::Nearest).to_png_bytes()),
        "axis `t` has 1 values but 2 are expected (one per value of `x`)"
    );
    let series = Series::new("r", vec![(0.0, 1.0), (1.0, 1.0)]).with_band(vec![0.0, 0.0], vec![2.0]);
    assert_eq!(
        message(Curves::new("k", "r").with_series(series).to_svg_string()),
        "the upper edge of the band of `r` has 1 values but 2 are expected (one per point)"
    );
}

#[test]
fn nothing_to_place() {
    assert_eq!(
        message(field(&[0.0, 1.0], &[0.0], &[f64::NAN; 2]).to_png_bytes()),
        "the predicted field has no finite value; check whether the run diverged"
    );
    let zero =
        Curves::new("k", "loss").with_title("Run 1").with_series(Series::new("a", vec![(0.0, 0.0), (1.0, -1.0)]));
    assert_eq!(
        message(zero.clone().with_log_y().to_svg_string()),
        "`loss` in figure `Run 1` has no positive finite value for its logarithmic axis; use a linear axis"
    );
    assert!(zero.to_svg_string().is_ok());
    let diverged = Curves::new("k", "loss").with_series(Series::new("a", vec![(0.0, f64::NAN)]));
    assert_eq!(
        message(diverged.to_svg_string()),
        "`loss` in figure `loss` has no finite value; check whether the run diverged"
    );
}

#[test]
fn unsorted_nodes() {
    assert_eq!(
        message(field(&[0.0, 2.0, 2.0], &[0.0], &[1.0; 3]).to_png_bytes()),
        "axis `x` does not increase at node 2 (2 then 2); sort the nodes and drop repeats"
    );
    assert_eq!(
        message(field(&[0.0, f64::NAN], &[0.0], &[1.0; 2]).to_png_bytes()),
        "axis `x` does not increase at node 1 (0 then NaN); sort the nodes and drop repeats"
    );
}

#[test]
fn sizes_out_of_bounds() {
    let figure = Curves::new("k", "loss").with_series(Series::new("", vec![(0.0, 1.0), (1.0, 2.0)]));
    let refused = figure.picture_sized(Size::new(90.0, 80.0)).expect_err("too small");
    let PlotError::Size { min_width, min_height, .. } = refused else { panic!("{refused}") };
    assert!(figure.picture_sized(Size::new(min_width, min_height)).is_ok(), "the stated minimum works");
    assert_eq!(
        message(figure.picture().expect("valid").with_scale(1000.0).to_png_bytes()),
        "a picture of 640000 × 330000 pixels cannot be drawn; this figure needs between 1 × 1 and 16384 × 16384"
    );
    assert!(figure.picture().expect("valid").with_scale(f64::NAN).to_png_bytes().is_err());
}

#[test]
fn unwritable_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let figure = Curves::new("k", "loss").with_series(Series::new("", vec![(0.0, 1.0), (1.0, 2.0)]));
    let path = folder.path().join("missing").join("a.png");
    let said = message(figure.save_png(&path));
    assert!(said.starts_with(&format!("cannot write `{}`: ", path.display())), "{said}");
    assert!(said.ends_with("; check that the folder exists and is writable"), "{said}");
    figure.save_svg(folder.path().join("a.svg")).expect("a writable folder");
    assert!(std::fs::read_to_string(folder.path().join("a.svg")).expect("the file").starts_with("<svg "));
}

#[test]
fn bars_that_cannot_be_drawn() {
    let bars = || Bars::new(["PINN", "QRes"], "error").with_title("Run 1");
    let empty = "figure `Run 1` is empty; give it at least one value";
    assert_eq!(message(bars().to_svg_string()), empty);
    assert_eq!(message(bars().with_series(BarSeries::new("a", vec![None, None])).to_svg_string()), empty);
    let untitled = Bars::new(Vec::<String>::new(), "error").with_series(BarSeries::new("a", vec![]));
    assert_eq!(message(untitled.to_svg_string()), "figure `error` is empty; give it at least one value");
    let values = || vec![Some(1.0), Some(2.0)];
    let wrong = |series: BarSeries| message(bars().with_series(series).to_svg_string());
    assert_eq!(
        wrong(BarSeries::new("a", vec![Some(1.0)])),
        "the list of values of `a` has 1 values but 2 are expected (one per category)"
    );
    assert_eq!(
        wrong(BarSeries::new("a", values()).with_spread(vec![None; 3])),
        "the list of spread of `a` has 3 values but 2 are expected (one per category)"
    );
    assert_eq!(
        wrong(BarSeries::new("a", values()).with_marks(vec![None])),
        "the list of marks of `a` has 1 values but 2 are expected (one per category)"
    );
    assert_eq!(
        wrong(BarSeries::new("a", vec![Some(f64::NAN), None])),
        "`error` in figure `Run 1` has no finite value; check whether the run diverged"
    );
    let zeros = bars().with_series(BarSeries::new("a", vec![Some(0.0), Some(-1.0)]));
    assert!(zeros.to_svg_string().is_ok());
    assert_eq!(
        message(zeros.with_log_y().to_svg_string()),
        "`error` in figure `Run 1` has no positive finite value for its logarithmic axis; use a linear axis"
    );
}

#[test]
fn surfaces_that_cannot_be_drawn() {
    let ends = [0.0, 1.0];
    let said = |x: &[f64], y: &[f64], values: &[f64]| message(surface(x, y, values).to_svg_string());
    assert_eq!(said(&ends, &[], &[]), "axis `β` is empty; give it at least one value");
    assert_eq!(
        said(&[0.0], &ends, &[1.0; 2]),
        "axis `α` has 1 values but 2 are expected (a surface has at least two nodes each way)"
    );
    assert_eq!(
        said(&ends, &ends, &[1.0; 3]),
        "the surface has 3 values but 4 are expected (2 nodes of `α` times 2 of `β`)"
    );
    assert_eq!(
        said(&ends, &[1.0, 0.0], &[1.0; 4]),
        "axis `β` does not increase at node 1 (1 then 0); sort the nodes and drop repeats"
    );
    let nothing = "`loss` over `α` and `β` has no finite value; check whether the run diverged";
    assert_eq!(said(&ends, &ends, &[f64::NAN; 4]), nothing);
    // One corner is missing, and with it the only cell.
    assert_eq!(said(&ends, &ends, &[1.0, 2.0, 3.0, f64::INFINITY]), nothing);
    assert_eq!(
        message(surface(&ends, &ends, &[-1.0; 4]).with_log_z().to_svg_string()),
        "`loss` over `α` and `β` has no positive finite value for its logarithmic axis; use a linear axis"
    );
    for (azimuth, elevation, seen) in [(f64::NAN, 30.0, "NaN° and elevation 30"), (10.0, 90.0, "10° and elevation 90")]
    {
        assert_eq!(
            message(surface(&ends, &ends, &[1.0; 4]).with_view(azimuth, elevation).to_svg_string()),
            format!(
                "a surface cannot be seen from azimuth {seen}°; give a finite azimuth and an elevation from 5° to 85°"
            )
        );
    }
}

#[test]
fn contours_that_cannot_be_drawn() {
    let figure = || field(&[0.0, 1.0], &[0.0, 1.0], &[1.0; 4]);
    let at = |levels: &[f64]| figure().with_contours(ContourLevels::At(levels.to_vec())).to_svg_string();
    assert_eq!(message(at(&[])), "the list of contour levels is empty; give it at least one value");
    assert_eq!(
        message(at(&[f64::NAN])),
        "the list of contour levels has no finite value; check whether the run diverged"
    );
    let scattered = field(&[0.0, 1.0], &[0.0, 1.0], &[1.0; 2]).with_sampling(Sampling::Nearest);
    assert!(scattered.to_svg_string().is_ok());
    assert_eq!(
        message(scattered.with_contours(ContourLevels::Ticks).to_svg_string()),
        "contour lines need values on a grid, but those over `x` and `t` are scattered; \
         leave the contours out or evaluate the field on a grid"
    );
    let negative = field(&[0.0, 1.0], &[0.0, 1.0], &[-1.0; 4]).with_log_colours();
    assert_eq!(
        message(negative.to_svg_string()),
        "the predicted field has no positive finite value for its logarithmic axis; use a linear axis"
    );
}

#[test]
fn labels_of_the_wrong_number() {
    let series = Series::new("r", vec![(0.0, 1.0), (1.0, 1.0)]).with_labels(vec!["n=9".to_owned()]);
    assert_eq!(
        message(Curves::new("k", "r").with_series(series).to_svg_string()),
        "the list of labels of `r` has 1 values but 2 are expected (one per point)"
    );
}
