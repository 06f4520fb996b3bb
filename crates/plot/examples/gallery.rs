//! Writes one picture of each kind to a folder: `cargo run -p ropinn-plot --example gallery -- target/gallery`.

use std::error::Error;
use std::f64::consts::PI;
use std::path::PathBuf;

use ropinn_plot::{
    Aspect, Axis, BarSeries, Bars, Column, ContourLevels, Curves, ErrorView, FieldFigure, Figure, Legend, Panels, Rule,
    Sampling, Series, SeriesStyle, Surface, SvgText, Table, Trace, mean_std, sig,
};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "target/gallery".to_owned()));
    std::fs::create_dir_all(&folder)?;
    let figures: Vec<(&str, Box<dyn Figure>)> = vec![
        ("reaction", Box::new(reaction())),
        ("single", Box::new(single())),
        ("scattered", Box::new(scattered(Sampling::Nearest))),
        ("dots", Box::new(scattered(Sampling::Dots { radius: 2.2 }).with_error(ErrorView::Absolute))),
        ("curves", Box::new(losses())),
        ("contours", Box::new(valley())),
        ("contours_trio", Box::new(reaction().with_contours(ContourLevels::Ticks))),
        ("scatter", Box::new(costs())),
        ("surface", Box::new(surface(20.0))),
        (
            "surfaces",
            Box::new(
                Panels::in_columns("Loss around the trained weights", 2)
                    .with(surface(400.0).with_title("point").with_log_z().with_range(1e-5, 10.0))
                    .with(surface(4.0).with_title("region").with_log_z().with_range(1e-5, 10.0)),
            ),
        ),
        ("bars", Box::new(errors().with_log_y())),
        ("bars_linear", Box::new(improvements())),
        (
            "training",
            Box::new(Panels::stacked("Training a region-optimised PINN").with(losses_untitled()).with(region())),
        ),
    ];
    for (name, figure) in figures {
        let picture = figure.picture()?;
        picture.save_png(folder.join(format!("{name}.png")))?;
        picture.save_svg(folder.join(format!("{name}.svg")))?;
        picture.with_svg_text(SvgText::Live).save_svg(folder.join(format!("{name}.live.svg")))?;
    }
    let table = table()?;
    std::fs::write(folder.join("table.md"), table.to_markdown())?;
    std::fs::write(folder.join("table.csv"), table.to_csv())?;
    print!("{}", table.to_text());
    Ok(())
}

fn nodes(low: f64, high: f64, count: u32) -> Vec<f64> {
    (0..count).map(|k| low + (high - low) * f64::from(k) / f64::from(count - 1)).collect()
}

fn on_grid(x: &[f64], y: &[f64], u: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    y.iter().flat_map(|&y| x.iter().map(move |&x| (x, y))).map(|(x, y)| u(x, y)).collect()
}

/// u_t = 5 u (1 − u), u(x, 0) = h(x): u = h e^{5t} / (h e^{5t} + 1 − h).
fn reaction() -> FieldFigure {
    let (x, t) = (nodes(0.0, 2.0 * PI, 101), nodes(0.0, 1.0, 101));
    let u = |x: f64, t: f64| {
        let h = (-(x - PI).powi(2) / (2.0 * (PI / 4.0).powi(2))).exp();
        h * (5.0 * t).exp() / (h * (5.0 * t).exp() + 1.0 - h)
    };
    let wrong = |x: f64, t: f64| 0.012 * t.sqrt() * (u(x, t) * (1.0 - u(x, t))) * (2.6 * x + 3.0 * t).sin();
    let exact = on_grid(&x, &t, u);
    let predicted = on_grid(&x, &t, |x, t| u(x, t) + wrong(x, t));
    FieldFigure::new(Axis::new("x", x), Axis::new("t", t), predicted)
        .with_exact(exact)
        .with_quantity("u")
        .with_title("1-D reaction, ρ = 5")
        .with_subtitle("∂u/∂t = ρ u (1 − u), u(x, 0) = exp(−8 (x − π)² / π²); PINN with region optimisation, σ₀ = 10⁻⁴")
}

fn single() -> FieldFigure {
    let (x, y) = (nodes(-2.0, 2.0, 161), nodes(-1.0, 1.0, 81));
    let hole = |x: f64, y: f64| (x - 0.6).hypot(y) < 0.3;
    let u = on_grid(&x, &y, |x, y| if hole(x, y) { f64::NAN } else { 3.1e4 * (PI * x).sin() * (PI * y).cos() });
    FieldFigure::new(Axis::new("x", x).with_unit("m"), Axis::new("y", y).with_unit("m"), u)
        .with_quantity("p (Pa)")
        .with_title("Pressure around an obstacle")
        .with_aspect(Aspect::Equal)
}

/// Points of a disc with a hole, on a sunflower spiral.
fn scattered(sampling: Sampling) -> FieldFigure {
    let place = |k: u32| {
        let (radius, angle) = ((0.1 + 0.9 * f64::from(k) / 2500.0).sqrt(), 2.399_963_229_728_653 * f64::from(k));
        (radius * angle.cos(), radius * angle.sin())
    };
    let (x, y): (Vec<f64>, Vec<f64>) = (0..2500).map(place).unzip();
    let exact: Vec<f64> = x.iter().zip(&y).map(|(x, y)| (3.0 * x).sin() * (2.0 * y).cos()).collect();
    let predicted =
        exact.iter().zip(&x).zip(&y).map(|((u, x), y)| u + 2e-5 * (9.0 * x).cos() * (7.0 * y).sin()).collect();
    FieldFigure::new(Axis::new("x", x), Axis::new("y", y), predicted)
        .with_exact(exact)
        .with_sampling(sampling)
        .with_aspect(Aspect::Equal)
        .with_title("Poisson equation on an annulus")
        .with_subtitle("2500 scattered points")
}

/// A loss around its minimum, along two directions.
fn landscape(rough: f64) -> (Axis, Axis, Vec<f64>) {
    let (a, b) = (nodes(-0.1, 0.1, 101), nodes(-0.1, 0.1, 101));
    let loss = move |a: f64, b: f64| {
        let wave = (70.0 * a).sin() * (55.0 * b + 1.0).cos();
        3e-5 + 220.0 * (a - 3.0 * b * b).powi(2) + 14.0 * b * b + rough * (1.0 + wave) * (a * a + b * b)
    };
    let values = on_grid(&a, &b, loss);
    (Axis::new("α", a), Axis::new("β", b), values)
}

fn valley() -> FieldFigure {
    let (a, b, loss) = landscape(20.0);
    FieldFigure::new(a, b, loss)
        .with_title("Loss around the trained weights")
        .with_subtitle("along the two sharpest directions")
        .with_quantity("loss")
        .with_aspect(Aspect::Equal)
        .with_log_colours()
        .with_contours(ContourLevels::Ticks)
        .with_marked_point(0.0, 0.0, "trained")
}

fn surface(rough: f64) -> Surface {
    let (a, b, loss) = landscape(rough);
    Surface::new(a, b, "loss", loss)
}

/// Time against error, each point labelled with the size of its network.
fn costs() -> Curves {
    let sizes = [9.0, 16.0, 32.0, 64.0, 128.0f64];
    let series = |name: &str, slow: f64, exact: f64| {
        let points = sizes.map(|n| (slow * n.powf(1.2), exact * n.powf(-1.7) * (1.0 + 0.3 * noise(n, slow))));
        let style = SeriesStyle { trace: Trace::Dots, ..SeriesStyle::default() };
        let labels = sizes.map(|n| format!("n={n}")).to_vec();
        Series::new(name, points.to_vec()).with_style(style).with_labels(labels)
    };
    Curves::new("seconds of training", "relative error (rMSE)")
        .with_log_x()
        .with_log_y()
        .with_title("Time against error")
        .with_series(series("point", 0.3, 0.4))
        .with_series(series("region", 0.4, 0.3))
        .with_series(series("gradient", 0.33, 0.36))
}

/// A repeatable noise in [−1, 1].
fn noise(k: f64, seed: f64) -> f64 {
    let s = (12.9898 * k + 78.233 * seed).sin() * 43_758.545_3;
    2.0 * (s - s.floor()) - 1.0
}

fn falling(seed: f64, start: f64, rate: f64, floor: f64) -> Vec<(f64, f64)> {
    (0..=1000)
        .map(f64::from)
        .map(|k| (k, (start * (-rate * k).exp() + floor) * (0.12 * noise(k, seed)).exp()))
        .collect()
}

fn losses_untitled() -> Curves {
    Curves::new("iteration", "loss")
        .with_log_y()
        .with_series(Series::new("residual", falling(1.0, 0.8, 0.011, 2e-5)))
        .with_series(Series::new("initial condition", falling(2.0, 0.3, 0.016, 1.5e-6)))
        .with_series(Series::new("boundary condition", falling(3.0, 0.05, 0.014, 1e-7)))
        .with_series(Series::new("total", falling(4.0, 2.5, 0.009, 1e-4)))
}

fn losses() -> Curves {
    losses_untitled()
        .with_title("Loss per term")
        .with_subtitle("1-D reaction, L-BFGS after 200 steps of Adam")
        .with_rule(Rule::AtX(200.0, "Adam → L-BFGS".to_owned()))
        .with_rule(Rule::AtY(1e-6, "tolerance".to_owned()))
}

fn region() -> Curves {
    let mean = |k: f64| 1e-4 * (0.35 + 0.9 * (-(k - 420.0) * (k - 420.0) / 9e4).exp());
    let points: Vec<(f64, f64)> = (0..=500).map(|k| (2.0 * f64::from(k), mean(2.0 * f64::from(k)))).collect();
    let spread = |k: f64| 2.2e-5 * (1.0 + 0.3 * (k / 90.0).sin());
    let lower = points.iter().map(|p| p.1 - spread(p.0)).collect();
    let upper = points.iter().map(|p| p.1 + spread(p.0)).collect();
    Curves::new("iteration", "region size r")
        .with_series(Series::new("mean ± std over 5 seeds", points).with_band(lower, upper))
}

/// Errors of three models trained in three ways, against published ones.
fn errors() -> Bars {
    let some = |values: [f64; 3]| values.map(Some).to_vec();
    Bars::new(["PINN", "QRes", "FLS"], "relative error (rMSE)")
        .with_title("1-D reaction")
        .with_subtitle("mean ± standard deviation over five seeds")
        .with_series(
            BarSeries::new("point", some([0.981, 0.979, 0.0328]))
                .with_spread(some([0.002, 0.004, 0.0305]))
                .with_marks(some([0.981, 0.977, 0.022])),
        )
        .with_series(
            BarSeries::new("fixed region", vec![Some(0.0212), None, Some(0.0118)])
                .with_spread(vec![Some(0.0041), None, Some(0.0032)])
                .with_marks(vec![None, Some(0.024), None]),
        )
        .with_series(
            BarSeries::new("region", some([0.0104, 0.0145, 0.00412]))
                .with_spread(some([0.0018, 0.0030, 0.0007]))
                .with_marks(some([0.017, 0.0133, 0.0041])),
        )
        .with_mark_name("published")
        .with_value_labels()
}

fn improvements() -> Bars {
    let problems = ["reaction", "wave", "convection", "Burgers", "Klein–Gordon", "Allen–Cahn", "Poisson", "heat"];
    let gains = |seed: f64| -> Vec<Option<f64>> {
        (0..problems.len()).map(|k| Some(40.0 * noise(k as f64, seed) + 25.0)).collect()
    };
    let mut region = gains(3.0);
    region[4] = None;
    region[6] = Some(f64::NAN);
    Bars::new(problems, "error saved (%)")
        .with_series(BarSeries::new("gradient", gains(2.0)))
        .with_series(BarSeries::new("region", region).with_spread(vec![Some(6.0); problems.len()]))
        .with_value_labels()
        .with_legend(Legend::Right)
}

fn table() -> Result<Table, Box<dyn Error>> {
    let mut table = Table::new([
        Column::left("problem"),
        Column::left("model"),
        Column::right("rel. L1"),
        Column::right("rel. L2 (5 seeds)"),
        Column::centre("converged"),
    ]);
    table.push(["reaction", "PINN", &sig(0.007, 3), &mean_std(0.0172, 0.0031, 3), "yes"])?;
    table.push(["wave", "PINN", &sig(0.0512, 3), &mean_std(0.0541, 0.0008, 3), "yes"])?;
    table.push(["convection", "QRes", &sig(4.2e-5, 3), &mean_std(6.13e-5, 7.2e-6, 3), "no"])?;
    Ok(table)
}
