//! References of the tasks at resolutions that take a second: within their estimated error of what others found, and what they leave of
//! equations and conditions.

use ropinn::problem::{PointOverrides, Problem};
use ropinn_expr::{Env, Expr, MultiIndex};
use std::collections::{BTreeSet, HashMap};

/// A task with other settings of its solver, on points of a grid.
fn coarse(name: &str, edits: &[(&str, &str)], grid: &str) -> Problem {
    let text = edits.iter().fold(Problem::open(name).unwrap().source_text().to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{name}: {from}");
        text.replace(from, to)
    });
    let evaluation = Some(grid.parse().unwrap());
    let problem = Problem::from_toml(&text, "task.toml".as_ref()).unwrap_or_else(|error| panic!("{name}: {error}"));
    problem.with_points(&PointOverrides { evaluation, ..PointOverrides::default() })
}

/// The value of the first unknown at points, and the estimated error relative to the largest of them.
fn values(problem: &Problem, points: &[f64]) -> (Vec<f64>, f64) {
    let found = problem.reference_values(points).unwrap_or_else(|error| panic!("{error}")).unwrap();
    let (unknowns, error) = (problem.unknown_names().len(), found.error.unwrap());
    (found.values.into_iter().step_by(unknowns).collect(), error)
}

/// Compares values with known ones, within a few estimated errors of a solution of this size and what the digits leave open.
fn compare(problem: &Problem, size: f64, known: &[(&[f64], f64, f64)]) {
    let points: Vec<f64> = known.iter().flat_map(|(point, ..)| point.iter().copied()).collect();
    let (found, error) = values(problem, &points);
    assert!(error > 0.0 && error < 0.05, "{}: {error:e}", problem.name);
    for ((point, value, open), found) in known.iter().zip(&found) {
        let allowed = open + 4.0 * error * size;
        assert!(
            (found - value).abs() <= allowed,
            "{} at {point:?}: {found}, not {value} (± {allowed:.1e})",
            problem.name
        );
    }
}

#[test]
fn diffusion_around_unequal_holes() {
    let problem = coarse("poisson-2d-cg", &[("size = 0.01", "size = 0.04")], "grid:9x9");
    let known: [(&[f64], f64, f64); 3] =
        [(&[0.0, 0.0], 0.29031, 2e-5), (&[0.0, 0.5], 0.13255, 2e-5), (&[0.8, 0.8], -0.16098, 2e-5)];
    compare(&problem, 1.3, &known);
    // The values on the boundary are those of the conditions.
    let (rim, _) = values(&problem, &[-1.0, 0.3, 1.0, 1.0, 0.5, 0.3, 0.4, 0.0]);
    for (value, expected) in rim.iter().zip([0.2, 0.2, 1.0, 1.0]) {
        assert!((value - expected).abs() < 1e-3, "{value} on the boundary, not {expected}");
    }
}

#[test]
fn heat_between_seventeen_holes() {
    let problem = coarse("heat-2d-cg", &[("size = 0.15, steps = 300", "size = 0.5, steps = 40")], "grid:9x9x3");
    let known: [(&[f64], f64, f64); 3] =
        [(&[2.0, 0.0, 3.0], 2.1486, 2e-3), (&[-4.0, 0.0, 3.0], 1.471, 2e-3), (&[6.0, 6.0, 3.0], 0.850, 2e-3)];
    compare(&problem, 3.25, &known);
    assert_eq!(values(&problem, &[2.0, 0.0, 0.0]).0, [0.0]);
}

#[test]
fn heat_in_a_random_medium() {
    let problem =
        coarse("heat-2d-vc", &[("table = \"a\", steps = 200 }", "cells = [48, 48], steps = 40 }")], "grid:9x9x3");
    let known: [(&[f64], f64, f64); 4] = [
        (&[0.5, 0.1, 0.5], 0.705, 2e-3),
        (&[0.5, 0.5, 0.5], 3.246, 2e-3),
        (&[0.5, 0.7, 0.5], -0.275, 2e-3),
        (&[0.75, 0.5, 0.5], 6.179, 4e-3),
    ];
    compare(&problem, 6.2, &known);
}

#[test]
fn waves_in_a_random_medium() {
    let problem = coarse("wave-2d-cg", &[("wave = { cells = 255 }", "wave = { cells = 48 }")], "grid:9x9x3");
    let known: [(&[f64], f64, f64); 4] = [
        (&[-0.5, 0.0, 0.5], -0.179, 4e-3),
        (&[0.0, 0.0, 0.5], 0.186, 4e-3),
        (&[0.5, 0.5, 0.5], 0.049, 4e-3),
        (&[0.5, -0.5, 0.5], 0.211, 4e-3),
    ];
    compare(&problem, 0.4, &known);
}

#[test]
fn diffusion_in_blocks_is_the_same_on_fewer_cells() {
    // The tables are our own, so that nobody else has values: those of the resolution that runs use, within the error of fewer cells.
    let points = [0.3, -2.2, -4.1, 3.3, 5.0, 5.0, 7.7, -8.4];
    let (fine, _) = values(&coarse("poisson-2d-ms", &[], "grid:5x5"), &points);
    let problem = coarse("poisson-2d-ms", &[("cells = [200, 200]", "cells = [50, 50]")], "grid:5x5");
    let known: Vec<(&[f64], f64, f64)> =
        points.chunks(2).zip(&fine).map(|(point, value)| (point, *value, 0.0)).collect();
    compare(&problem, fine.iter().fold(0.0, |largest: f64, value| largest.max(value.abs())), &known);
}

#[test]
fn a_lid_that_moves_fastest_in_its_middle() {
    let problem = coarse("ns-2d-c", &[("size = 0.01", "size = 0.05")], "grid:9x9");
    compare(
        &problem,
        1.0,
        &[(&[0.5, 0.5], -0.17876, 1e-3), (&[0.24657, 0.5], -0.07233, 1e-3), (&[0.5, 1.0], 1.0, 1e-9)],
    );
    let found = problem.reference_values(&[0.0, 0.0]).unwrap().unwrap().values;
    assert!(found.iter().all(|value| value.abs() < 1e-9), "at rest and without pressure in the corner: {found:?}");
}

#[test]
fn substances_in_a_wide_box() {
    let problem = coarse("gray-scott", &[("nodes = 512, steps = 800", "nodes = 128, steps = 200")], "grid:9x9x3");
    compare(&problem, 1.0, &[(&[0.0, 0.0, 50.0], 0.448876, 1e-5)]);
    let initial = problem.reference_values(&[-0.05, -0.02, 0.0]).unwrap().unwrap().values;
    assert!(initial[0].abs() < 1e-3, "{initial:?}");
}

/// Shifts of a point, and the factor of the value there.
type Stencil = Vec<(Vec<f64>, f64)>;

/// What a reference leaves of each equation at points, its derivatives taken by central differences of these widths: root mean square, in
/// units of what the terms of the equation are.
fn left_over(problem: &Problem, points: &[f64], widths: &[f64]) -> Vec<(String, f64)> {
    let axes = widths.len();
    // A derivative along one axis, as shifts and factors.
    let differences = |order: u8, width: f64| -> Vec<(f64, f64)> {
        match order {
            0 => vec![(0.0, 1.0)],
            1 => vec![(-1.0, -0.5 / width), (1.0, 0.5 / width)],
            2 => vec![(-1.0, 1.0 / (width * width)), (0.0, -2.0 / (width * width)), (1.0, 1.0 / (width * width))],
            _ => panic!("derivatives of order {order}"),
        }
    };
    let stencil = |index: MultiIndex| -> Stencil {
        (0..axes).fold(vec![(Vec::new(), 1.0)], |all, axis| {
            let own = differences(index.get(axis), widths[axis]);
            let with = |(shifts, factor): (Vec<f64>, f64)| {
                let each = own
                    .iter()
                    .map(move |(shift, more)| ([&shifts[..], &[shift * widths[axis]]].concat(), factor * more));
                each.collect::<Vec<_>>()
            };
            all.into_iter().flat_map(with).collect()
        })
    };
    let equations: Vec<(String, Expr)> =
        problem.equations().map(|(name, expr)| (name.to_owned(), expr.clone())).collect();
    let read: BTreeSet<(usize, MultiIndex)> =
        equations.iter().flat_map(|(_, expr)| expr.unknowns()).map(|(unknown, index, _)| (unknown, index)).collect();
    let indices: BTreeSet<MultiIndex> = read.iter().map(|(_, index)| *index).collect();
    let stencils: Vec<(MultiIndex, Stencil)> = indices.into_iter().map(|index| (index, stencil(index))).collect();
    let asked: Vec<f64> = points
        .chunks(axes)
        .flat_map(|point| {
            let shifted = stencils.iter().flat_map(|(_, stencil)| stencil.iter());
            shifted
                .flat_map(|(shifts, _)| point.iter().zip(shifts).map(|(x, shift)| x + shift).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        })
        .collect();
    let values =
        problem.reference_values(&asked).unwrap_or_else(|error| panic!("{}: {error}", problem.name)).unwrap().values;
    let unknowns = problem.unknown_names().len();
    let mut rows = values.chunks(unknowns);
    let mut sums = vec![(0.0, 0.0); equations.len()];
    for point in points.chunks(axes) {
        let mut derivatives = HashMap::new();
        for (index, stencil) in &stencils {
            let found: Vec<&[f64]> = rows.by_ref().take(stencil.len()).collect();
            for unknown in 0..unknowns {
                let value: f64 = found.iter().zip(stencil).map(|(row, (_, factor))| factor * row[unknown]).sum();
                derivatives.insert((unknown, *index), value);
            }
        }
        for ((_, expr), (residuals, sizes)) in equations.iter().zip(&mut sums) {
            let with = |changed: Option<(usize, MultiIndex)>| {
                let value = |unknown: usize, index: MultiIndex, _: usize| {
                    let factor = if changed == Some((unknown, index)) { 1.0 + 1e-6 } else { 1.0 };
                    factor * derivatives[&(unknown, index)]
                };
                expr.eval(&Env::at(point).with_unknowns(value))
            };
            let residual = with(None);
            let own = expr
                .unknowns()
                .into_iter()
                .map(|(unknown, index, _)| ((with(Some((unknown, index))) - residual) / 1e-6).abs());
            *residuals += residual * residual;
            *sizes += own.fold(0.0, f64::max).powi(2);
        }
    }
    equations.into_iter().zip(sums).map(|((name, _), (residuals, sizes))| (name, (residuals / sizes).sqrt())).collect()
}

/// Points inside a box, evenly.
fn inside(ranges: &[(f64, f64)], count: u32) -> Vec<f64> {
    // Multiples of irrational numbers.
    let rates = [0.754_877_666, 0.569_840_291, 0.414_213_562];
    let coordinate = |k: u32, axis: usize| (f64::from(k + 1) * rates[axis]).fract();
    (0..count)
        .flat_map(|k| {
            ranges.iter().enumerate().map(move |(axis, (low, high))| low + (high - low) * coordinate(k, axis))
        })
        .collect()
}

#[test]
fn references_solve_their_equations() {
    // A task, its solver made coarse, where there is no hole, widths of differences; these themselves are off by some percent.
    type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [(f64, f64)], &'a [f64]);
    let rows: [Row<'_>; 6] = [
        ("poisson-2d-cg", &[("size = 0.01", "size = 0.02")], &[(-0.2, 0.2), (0.1, 0.4)], &[0.04, 0.04]),
        ("poisson-3d-cg", &[("cells = 48", "cells = 16")], &[(0.05, 0.15), (0.4, 0.6), (0.1, 0.4)], &[0.02; 3]),
        (
            "heat-2d-cg",
            &[("size = 0.15, steps = 300", "size = 0.3, steps = 100")],
            &[(1.6, 2.4), (-1.0, 1.0), (1.0, 2.5)],
            &[0.3, 0.3, 0.1],
        ),
        ("ns-2d-c", &[("size = 0.01", "size = 0.04")], &[(0.3, 0.7), (0.3, 0.7)], &[0.05, 0.05]),
        (
            "ns-2d-lt",
            &[("size = 0.025, steps = 3000", "size = 0.07, steps = 300")],
            &[(0.5, 1.5), (0.3, 0.7), (0.5, 2.0)],
            &[0.05, 0.05, 0.05],
        ),
        (
            "gray-scott",
            &[("nodes = 512, steps = 800", "nodes = 128, steps = 200")],
            &[(-0.4, 0.4), (-0.4, 0.4), (20.0, 100.0)],
            &[0.02, 0.02, 1.0],
        ),
    ];
    for (name, edits, ranges, widths) in rows {
        let grid = if ranges.len() == 2 { "grid:5x5" } else { "grid:5x5x3" };
        let problem = coarse(name, edits, grid);
        for (equation, left) in left_over(&problem, &inside(ranges, 12), widths) {
            assert!(left < 0.1, "{name}: {left:.1e} of {equation} is left");
        }
    }
}

#[test]
fn the_reference_of_a_variant_is_known_for_what_it_solves() {
    let problem = coarse("poisson-2d-ms:div", &[("cells = [200, 200]", "cells = [60, 60]")], "grid:5x5");
    assert_eq!(problem.referenced(), [true, false, false]);
    let set = problem.evaluation().unwrap();
    let reference = set.reference.unwrap();
    assert!(reference.chunks(3).all(|row| row[0].is_finite() && row[1].is_nan() && row[2].is_nan()));
    assert!(problem.reference_at(&[0.0, 0.0]).is_none(), "known at its own points only");
}

#[test]
fn scattered_times_are_refused_before_anything_is_computed() {
    let evaluation = Some("halton:5000".parse().unwrap());
    let problem = Problem::open("heat-2d-lt").unwrap();
    let problem = problem.with_points(&PointOverrides { evaluation, ..PointOverrides::default() });
    let message = problem.evaluation().unwrap_err().to_string();
    assert!(
        message.ends_with(
            "the reference would be needed at 5000 different times, and a numerical solver gives at most 2001; measure errors on a \
             grid, such as points.evaluation=grid:51x51x26"
        ),
        "{message}"
    );
}

#[test]
fn what_a_solver_does_not_solve_is_refused_with_the_reason() {
    let message = |name: &str, from: &str, to: &str| {
        let text = Problem::open(name).unwrap().source_text().to_owned();
        assert!(text.contains(from), "{name}: {from}");
        Problem::from_toml(&text.replacen(from, to, 1), "task.toml".as_ref()).unwrap_err().to_string()
    };
    let diffusion = "`elements` solves one linear equation of diffusion in a rectangle with round holes";
    let cases = [
        ("poisson-2d-cg", "k^2*u - f", "k^2*u^2 - f", format!("{diffusion}; the equation is not linear")),
        (
            "poisson-2d-cg",
            "-(u_xx + u_yy)",
            "-(u_xx + 2*u_yy)",
            format!("{diffusion}; second derivatives along different coordinates have different factors"),
        ),
        ("poisson-2d-cg", "at = \"holes\"", "at = \"hole 1\"", format!("{diffusion}; nothing it knows of is said on hole 2 sphere")),
        (
            "ns-2d-c",
            "mass = \"u_x + v_y\"",
            "mass = \"u_x + 2*v_y\"",
            "`flow` solves the equations of Navier and Stokes for u, v and p in the plane, their velocities given or p = 0 on each side; \
             equation 3 is no balance of mass"
                .to_owned(),
        ),
        (
            "gray-scott",
            "fed = \"u_t -",
            "fed = \"u_t - u_x -",
            "`reaction` solves u_t = d Δu + N(x, y, t, u) for each unknown in a rectangle, periodic or zero at its sides, from t = 0; the \
             equation of `u` has other derivatives"
                .to_owned(),
        ),
        (
            "wave-2d-cg",
            "derivative = \"t\"\nvalue = 0",
            "derivative = \"t\"\nvalue = 1",
            "`wave` solves u_tt = c Δu or u_tt = ∇·(c∇u) in a square, at rest at t = 0, without flux at its sides; it does not begin at rest"
                .to_owned(),
        ),
        (
            "burgers-2d",
            "period = 1,",
            "period = 3,",
            "`burgers` solves u_t + u u_x + v u_y = ν Δu and the same for v, periodic along x and y, from t = 0; the domain is no rectangle \
             of whole periods from the origin"
                .to_owned(),
        ),
        (
            "poisson-3d-cg",
            "kind = \"neumann\"",
            "kind = \"dirichlet\"",
            "`immersed` solves one linear equation of diffusion in a cube less balls, without flux through its surfaces; outer 1 face 0 low \
             is not closed"
                .to_owned(),
        ),
    ];
    for (name, from, to, expected) in cases {
        let found = message(name, from, to);
        assert!(found.starts_with("task.toml:") && found.ends_with(&expected), "{found}");
    }
}
