//! The twenty forward tasks of the PINNacle benchmark: their points, their random fields, and that every one of them trains.

mod problem_common;

use problem_common::worst_residual;
use ropinn::case::Case;
use ropinn::config::ObjectiveKind;
use ropinn::preset::Preset;
use ropinn::problem::{Problem, TermGroup};
use ropinn::train::Trainer;
use ropinn_engine::Threads;
use ropinn_expr::Env;

/// Points of the equations, and of each condition in the order of the loss.
const TASKS: [(&str, usize, &[usize]); 20] = [
    ("burgers-1d", 12_288, &[2048, 2048]),
    ("burgers-2d", 49_152, &[8192, 4096, 4096]),
    ("poisson-2d-c", 10_240, &[128, 1920]),
    ("poisson-2d-cg", 10_240, &[128, 1920]),
    ("poisson-3d-cg", 40_960, &[8192]),
    ("poisson-2d-ms", 10_240, &[2048]),
    ("heat-2d-vc", 49_152, &[8192, 8192]),
    ("heat-2d-ms", 49_152, &[8192, 8192]),
    ("heat-2d-cg", 49_152, &[8192, 5006, 2731, 455]),
    ("heat-2d-lt", 49_152, &[8192, 8192]),
    ("ns-2d-c", 10_240, &[512, 1536, 1]),
    ("ns-2d-cg", 10_240, &[144, 275, 1629]),
    ("ns-2d-lt", 49_152, &[8192, 1365, 1366, 5461]),
    ("wave-1d-c", 10_240, &[512, 512, 1024]),
    ("wave-2d-cg", 40_960, &[1365, 1365, 5461]),
    ("wave-2d-ms", 49_152, &[8192, 8192]),
    ("gray-scott", 49_152, &[8192]),
    ("kuramoto-sivashinsky", 12_288, &[2048]),
    ("poisson-nd", 40_960, &[8192]),
    ("heat-nd", 49_152, &[8192, 8192]),
];

fn builtin(name: &str) -> Problem {
    Problem::open(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Every task and every variant of one.
fn all() -> Vec<String> {
    let with_variants = |(name, ..): &(&str, usize, &[usize])| {
        let variants: Vec<String> =
            builtin(name).variants().iter().map(|variant| format!("{name}:{variant}")).collect();
        std::iter::once((*name).to_owned()).chain(variants)
    };
    TASKS.iter().flat_map(with_variants).collect()
}

#[test]
fn points_are_the_published_ones() {
    for (name, equations, conditions) in TASKS {
        let problem = builtin(name);
        let axes = problem.coordinate_names().len();
        let terms = problem.terms(0).unwrap_or_else(|error| panic!("{name}: {error}"));
        let counts: Vec<usize> = terms.iter().map(|term| term.samples(axes)).collect();
        // Sequences share points out by rounding.
        let near = counts[1..].len() == conditions.len()
            && counts[1..].iter().zip(conditions).all(|(found, wanted)| found.abs_diff(*wanted) <= 3);
        assert!(near && counts[0].abs_diff(equations) <= 1, "{name}: {counts:?}");
        assert_eq!(terms[0].group, TermGroup::Residual);
        let inside = |point: &[f64]| problem.ranges().iter().zip(point).all(|((low, high), x)| low <= x && x <= high);
        assert!(terms.iter().all(|term| term.points.chunks_exact(axes).all(inside)), "{name}: points in the ranges");
    }
}

#[test]
fn random_fields_are_rebuilt() {
    let at = |problem: &Problem, term: usize, residual: usize, point: &[f64]| {
        -problem.terms(0).unwrap()[term].residuals[residual].eval(&Env::at(point).with_unknowns(|_, _, _| 0.0))
    };
    let burgers = builtin("burgers-2d");
    for (point, values) in
        [([0.0, 0.0, 0.0], [0.6093427686, 1.3944564497]), ([0.3, 0.7, 0.0], [0.2012947033, 1.5038940958])]
    {
        for (residual, value) in values.into_iter().enumerate() {
            assert!((at(&burgers, 1, residual, &point) - value).abs() < 1e-9);
        }
    }
    // The conductivity at a node, and halfway to the next: a = −r for u_xx = 1 and nothing else.
    let conductivity = |problem: &Problem, x: f64, y: f64| {
        let (_, residual) = problem.equations().next().unwrap();
        let point = [x, y, 0.0];
        -residual.eval(&Env::at(&point).with_unknowns(|_, alpha, _| f64::from(u8::from(alpha.get(0) == 2))))
    };
    let heat = builtin("heat-2d-vc");
    for (row, column, g) in [(10, 20, 0.9291992167_f64), (200, 50, 0.7135428809), (0, 0, 0.9726314384)] {
        let (x, y) = (f64::from(column) / 255.0, f64::from(row) / 255.0);
        assert!((conductivity(&heat, x + 0.4 / 255.0, y) - g.exp()).abs() < 1e-8, "{row}, {column}");
    }
    assert!((conductivity(&heat, -0.01, -0.01) - 0.9726314384_f64.exp()).abs() < 1e-8, "clamped outside");
    let binary = builtin("heat-2d-vc:binary-div");
    assert_eq!(conductivity(&binary, 50.0 / 255.0, 200.0 / 255.0), 2.0);
    assert_eq!(conductivity(&binary, 128.0 / 255.0, 127.0 / 255.0), 1.0);
}

#[test]
fn exact_solutions_leave_no_residual() {
    let mut checked = Vec::new();
    for name in all() {
        let problem = builtin(&name);
        // The stated solution of this one does not solve it.
        let Some(exact) = problem.exact().filter(|_| name != "wave-2d-ms") else { continue };
        for term in problem.terms(3).unwrap() {
            let worst = worst_residual(&problem, &term, exact, &[]);
            assert!(worst < 1e-8, "{name}: the exact solution leaves {worst:e} in `{}`", term.name);
        }
        checked.push(name);
    }
    assert_eq!(checked.join(" "), "heat-2d-ms wave-1d-c wave-2d-ms:corrected poisson-nd heat-nd");
}

#[test]
fn the_stated_solution_of_the_long_waves_solves_another_equation() {
    let problem = builtin("wave-2d-ms");
    let terms = problem.terms(0).unwrap();
    let left = |k: usize| worst_residual(&problem, &terms[k], problem.exact().unwrap(), &[]);
    assert!(left(1) < 1e-9 && left(2) < 1e-9 && left(0) > 1.0);
}

/// The file without its references, which may take their time.
fn without_reference(problem: &Problem) -> Problem {
    let (source, mut kept, mut lines) = (problem.source_text(), true, Vec::new());
    for line in source.lines() {
        if line.starts_with('[') {
            kept = !line.starts_with("[reference") && !line.contains(".reference");
        }
        if kept {
            lines.push(line.to_owned());
        } else if let Some(variant) = line.strip_suffix(".reference]") {
            // A variant that is nothing else is there all the same.
            let others =
                source.lines().filter(|other| other.trim_start_matches('[').starts_with(&variant[1..])).count();
            lines.extend((others == 1).then(|| format!("{variant}]")));
        }
    }
    Problem::from_toml(&lines.join("\n"), "task.toml".as_ref()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_task_and_variant_trains_under_both_presets() {
    let threads = Threads::new(2).unwrap();
    for name in all() {
        let problem = builtin(&name);
        for preset in [Preset::Default, Preset::Paper] {
            let model = preset.default_model(problem.builtin_name());
            let mut config = preset.config(problem.builtin_name(), model, ObjectiveKind::Region);
            config
                .set_all(&[
                    "iterations=3",
                    "points.interior=hammersley:200",
                    "points.boundary=hammersley:300",
                    "points.evaluation=hammersley:50",
                ])
                .unwrap();
            if problem.time_axis().is_some() {
                config.set_all(&["points.initial=hammersley:100"]).unwrap();
            }
            let case = Case::with_problem(config, without_reference(&problem), &threads);
            let case = case.unwrap_or_else(|error| panic!("{name} ({preset}): {error}"));
            let outcome = Trainer::new(case).and_then(|mut trainer| trainer.run(&mut (), &Default::default()));
            let outcome = outcome.unwrap_or_else(|error| panic!("{name} ({preset}): {error}"));
            assert!(outcome.record.results.trained_loss.is_finite(), "{name} ({preset})");
        }
    }
}
