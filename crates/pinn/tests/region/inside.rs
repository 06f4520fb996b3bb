//! Regions stay inside the domain: at the ends of coordinates, out of holes, conditions on their own part.

use super::case;
use ropinn::case::Case;
use ropinn::config::{Edge, ObjectiveKind, RunConfig};
use ropinn::metrics::Predictor;
use ropinn::model::ModelKind;
use ropinn::objective::Objective;
use ropinn::preset::Preset;
use ropinn::problem::{Problem, TermGroup};
use ropinn::train::{StopReason, TrainOutcome, Trainer};
use ropinn_engine::Threads;
use ropinn_optim::Oracle;

/// The points of each term as moved in the first evaluation.
fn moved(case: &Case) -> Vec<(TermGroup, Vec<f64>)> {
    let mut objective = Objective::new(case).expect("objective");
    let theta = case.initial_theta();
    objective.begin_step(0);
    objective.evaluate(&theta, &mut vec![0.0; theta.len()]);
    let groups = objective.part_groups().to_vec();
    groups.into_iter().enumerate().map(|(term, group)| (group, objective.points_of(term).to_vec())).collect()
}

fn case_of(problem: Problem, overrides: &[&str]) -> Case {
    let mut config = RunConfig::default();
    config.set_all(&["width=8", "depth=2", "precision=f64", "phases=gauss-newton 30"]).expect("valid");
    config.set_all(overrides).expect("valid");
    Case::with_problem(config, problem, &Threads::new(1).expect("threads")).expect("case")
}

fn run(problem: Problem, overrides: &[&str]) -> TrainOutcome {
    let mut trainer = Trainer::new(case_of(problem, overrides)).expect("trainer");
    trainer.run(&mut (), &Default::default()).expect("run")
}

fn rod(equation: &str, more: &str) -> String {
    format!(
        "name = 'rod'\ncoordinates = {{ x = [0, 1] }}\nunknowns = ['u']\nequations = {{ rod = '{equation}' }}\n\
         conditions = [{{ kind = 'dirichlet', at = 'boundary', value = 0 }}]\n\
         points = {{ interior = {{ layout = 'grid', counts = [21] }}, boundary = {{ layout = 'grid', counts = [1] }} }}\n{more}"
    )
}

fn problem(text: &str) -> Problem {
    Problem::from_toml(text, std::path::Path::new("rod.toml")).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn regions_stay_inside_the_domain_by_default() {
    let ends = [std::f64::consts::TAU, 1.0];
    for groups in ["region.groups=['residual']", "region.groups=['initial', 'boundary']"] {
        for (_, points) in moved(&case(&["region.r=0.3", "region.cap=1", groups])) {
            assert!(points.iter().enumerate().all(|(i, x)| (0.0..=ends[i % 2]).contains(x)), "{points:?}");
        }
    }
    // The published settings let them go, and say so.
    let edge = |preset: Preset| preset.config("reaction", ModelKind::Pinn, ObjectiveKind::Region).objective.region.edge;
    assert_eq!((edge(Preset::Paper), edge(Preset::Default)), (Edge::Free, Edge::Reflect));
}

#[test]
fn regions_keep_out_of_holes_and_conditions_on_their_part() {
    let l_shape = "name = 'l'\ncoordinates = { x = [0, 1], y = [0, 1] }\nunknowns = ['u']\nequations = { e = 'u_xx + u_yy' }\n\
        geometry = { minus = [{ box = { low = [0.5, 0.5], high = [1, 1] } }, { disk = { center = [0.25, 0.25], radius = 0.1 } }] }\n\
        conditions = [{ kind = 'dirichlet', at = 'boundary', value = 0 }]\n\
        points = { interior = { layout = 'grid', counts = [21, 21] }, boundary = { layout = 'halton', count = 60 } }";
    for edge in ["region.edge=reflect", "region.edge=clamp"] {
        let settings =
            ["region.r=0.3", "region.cap=1", "region.samples=3", "region.groups=['residual', 'boundary']", edge];
        let case = case_of(problem(l_shape), &settings);
        let geometry = case.problem().geometry();
        for (group, points) in moved(&case) {
            let at_rest = moved(&case_of(problem(l_shape), &["objective=point"]));
            assert!(at_rest.iter().all(|(_, still)| *still != points[..still.len().min(points.len())]), "they move");
            for point in points.chunks_exact(2) {
                assert!(geometry.contains(point, 1e-9), "{group:?} {point:?} with {edge}");
                let normal = geometry.boundary_normal(point, 1e-9);
                assert!(
                    group != TermGroup::Boundary || normal.is_some(),
                    "{point:?} has left the boundary with {edge}"
                );
            }
        }
    }
}

#[test]
fn a_coefficient_table_is_not_asked_beyond_its_ends() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::write(folder.path().join("k.csv"), "x,k\n0,1\n0.5,1.5\n1,2\n").expect("written");
    let text = rod("d(k*u_x, x) + 1", "tables = { k = { file = 'k.csv', axes = ['x'] } }");
    std::fs::write(folder.path().join("rod.toml"), text).expect("written");
    let problem = || Problem::load(folder.path().join("rod.toml")).unwrap_or_else(|error| panic!("{error}"));
    // (1 + x) u' = C − x, so that u''(1) = −1/(4 ln 2); a table that is flat beyond x = 1 gives −1/2 there.
    let curvature = |overrides: &[&str]| {
        let outcome = run(problem(), overrides);
        let mut predictor = Predictor::of(&case_of(problem(), overrides), &["u_xx"]).expect("predictor");
        (predictor.predict(&outcome.theta, &[1.0]).expect("values")[0], outcome.record.results.unweighted_loss)
    };
    let exact = -0.25 / std::f64::consts::LN_2;
    let (inside, loss) = curvature(&[]);
    assert!((inside - exact).abs() < 0.01 && loss < 1e-5, "{inside} instead of {exact}, loss {loss}");
    let (outside, loss) = curvature(&["region.edge=free"]);
    assert!((outside - exact).abs() > 0.05 && loss > 1e-3, "{outside}, loss {loss}: the case shows nothing");
}

#[test]
fn a_formula_that_is_undefined_outside_says_so() {
    let text = rod("u_xx*(1-x)^1.5 + 1", "");
    let outcome = run(problem(&text), &["phases=adam 20"]);
    assert_eq!(outcome.stop_reason, StopReason::Budget { iterations: 20 });
    assert!(outcome.record.results.unweighted_loss.is_finite());
    let outcome = run(problem(&text), &["phases=adam 20", "region.edge=free"]);
    let words = outcome.stop_reason.to_string();
    assert!(words.starts_with("non-finite loss in iteration 4, first in term `residual`"), "{words}");
    assert!(words.contains("undefined outside the domain") && words.contains("`region.edge = \"free\"`"), "{words}");
}
