//! The inverse problems that come with the library.

#[path = "../problem_common/mod.rs"]
mod problem_common;

use problem_common::worst_residual;
use ropinn::case::Case;
use ropinn::config::ObjectiveKind;
use ropinn::model::ModelKind;
use ropinn::preset::Preset;
use ropinn::problem::{Problem, TermGroup};
use ropinn::train::Trainer;
use ropinn_engine::Threads;

const NAMES: [&str; 6] =
    ["poisson-inverse", "heat-inverse", "burgers-inverse", "lorenz-inverse", "navier-stokes-inverse", "source-inverse"];

fn builtin(name: &str) -> Problem {
    Problem::open(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn their_answers_satisfy_everything_but_the_readings() {
    let mut checked = 0;
    for name in NAMES {
        let problem = builtin(name);
        assert_eq!(problem.doubts(), [], "{name}");
        let truth: Vec<f64> = problem
            .trainables()
            .iter()
            .map(|own| own.transform.theta(own.truth.unwrap_or_else(|| panic!("{name}: {} has no truth", own.name))))
            .collect();
        let Some(exact) = problem.exact() else { continue };
        for term in problem.terms(0).expect("terms") {
            let worst = worst_residual(&problem, &term, exact, &truth);
            // Readings are in units of their noise.
            let most = if term.group == TermGroup::Data { 6.0 } else { 1e-8 };
            assert!(worst < most, "{name}: the answer leaves {worst:e} in `{}`", term.name);
        }
        checked += 1;
    }
    assert_eq!(checked, 4);
    // As it was published, the source does not fit the solution.
    let literal = builtin("poisson-inverse:pinnacle-literal");
    let equations = &literal.terms(0).expect("terms")[0];
    assert!(worst_residual(&literal, equations, literal.exact().expect("formulas"), &[]) > 0.1);
}

#[test]
fn published_ones_have_the_published_points_and_networks() {
    for (name, interior, rim) in [("poisson-inverse", 10_240, 2048), ("heat-inverse", 49_152, 8192)] {
        let problem = builtin(name);
        let axes = problem.coordinate_names().len();
        let samples: Vec<usize> = problem.terms(0).expect("terms").iter().map(|term| term.samples(axes)).collect();
        assert_eq!(samples, [interior, rim, 2500], "{name}");
        let paper = Preset::Paper.config(name, ModelKind::Pinn, ObjectiveKind::Region);
        assert_eq!(paper.model.width_and_depth(), (50, 5));
        let case = Case::with_problem(paper, problem, &Threads::new(1).expect("threads")).expect("case");
        let (hidden, field) = (4 * 50 * 51, 2 * 50 + 50);
        assert_eq!(case.parameters(), 2 * (hidden + 51) + field + (axes + 1) * 50, "{name}");
    }
}

#[test]
fn a_few_steps_lower_the_loss_of_each() {
    for name in NAMES {
        let problem = builtin(name);
        let mut config = Preset::Default.config(name, ModelKind::Pinn, ObjectiveKind::Region);
        let points = if problem.coordinate_names().len() == 1 { "grid:101" } else { "hammersley:256" };
        let settings =
            ["model.width=8", "model.depth=2", "fields.units=6", "fields.hidden_layers=1", "phases=gauss-newton 5"];
        config.set_all(&settings).expect("valid");
        config.set_all(&[format!("points.interior={points}")]).expect("valid");
        let trained = problem.trainables().len();
        let case = Case::with_problem(config, problem, &Threads::new(1).expect("threads")).expect("case");
        let outcome = Trainer::new(case).expect("trainer").run(&mut (), &Default::default()).expect("run");
        let rows = &outcome.record.rows;
        let (first, last) = (&rows[0], &rows[rows.len() - 1]);
        assert!(last.loss < first.loss && last.loss.is_finite(), "{name}: {} to {}", first.loss, last.loss);
        assert_eq!(outcome.record.results.trained.len(), trained);
        assert!(outcome.record.results.rmse.is_some_and(f64::is_finite), "{name}");
    }
}
