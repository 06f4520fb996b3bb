//! Bad input, and exactly what is said about it.

use ropinn_plot::{Axis, Curves, FieldFigure, Figure, Panels, PlotError, Sampling, Series, Size};

fn message<T: std::fmt::Debug>(result: Result<T, PlotError>) -> String {
    result.expect_err("bad input").to_string()
}

fn field(x: &[f64], y: &[f64], values: &[f64]) -> FieldFigure {
    FieldFigure::new(Axis::new("x", x.to_vec()), Axis::new("t", y.to_vec()), values.to_vec())
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
