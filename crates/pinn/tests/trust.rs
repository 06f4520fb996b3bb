//! Estimated errors and verdicts: near the truth on good and on bad solutions, cautious where the problem itself is at fault.

use ropinn::case::Case;
use ropinn::config::{ObjectiveKind, RunConfig};
use ropinn::model::ModelKind;
use ropinn::preset::Preset;
use ropinn::problem::Problem;
use ropinn::record::{StopReason, Trust};
use ropinn::strategy::{Decision, Solver};
use ropinn::trust::assess;
use ropinn_engine::Threads;
use std::path::Path;

type Fallible<T = ()> = Result<T, Box<dyn std::error::Error>>;

fn solved(problem: &str, more: &[&str]) -> Fallible<ropinn::strategy::Solved> {
    let mut config = Preset::Default.config(problem, ModelKind::Fls, ObjectiveKind::Point);
    config.set_all(more)?;
    Ok(Solver::new(Case::new(config, &Threads::new(2)?)?)?.run(&mut (), &Default::default())?)
}

#[test]
fn estimates_are_near_the_truth_early_and_late() -> Fallible {
    for (problem, steps, word) in [("wave", 8, Trust::Wrong), ("reaction", 60, Trust::Trusted)] {
        let solved = solved(problem, &[&format!("iterations={steps}")])?;
        let results = &solved.outcome.record.results;
        let (truth, error) = (results.rmse.expect("a reference"), results.estimated_error.expect("an estimate"));
        let ratio = error.relative / truth;
        assert!((0.3..3.0).contains(&ratio), "{problem}: {:e} for {truth:e}", error.relative);
        let verdict = results.verdict.clone().expect("a verdict");
        assert_eq!(verdict.word, word, "{problem}: {:?}", verdict.reasons);
        // Its parts are of its size, and the map adds up to it.
        let parts = error.equations.expect("a part") + error.conditions.expect("a part");
        assert!(parts > 0.3 * error.relative, "{error:?}");
        let problem = solved.case.problem();
        let set = problem.evaluation()?;
        let map = solved.outcome.error_map.as_ref().expect("a map").at(problem.unknown_names(), &set.points)?;
        let values = ropinn::metrics::Predictor::of(&solved.case, problem.unknown_names())?
            .predict(&solved.outcome.theta, &set.points)?;
        let norm = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>().sqrt();
        let mapped = norm(&map) / norm(&values);
        assert!((0.5..2.0).contains(&(mapped / error.relative)), "{mapped:e} for {:e}", error.relative);
    }
    Ok(())
}

#[test]
fn a_polished_solution_knows_what_remains() -> Fallible {
    let solved = solved("reaction", &["phases=gauss-newton 40 then polish coefficients=800"])?;
    let results = &solved.outcome.record.results;
    let (truth, error) = (results.rmse.expect("a reference"), results.estimated_error.expect("an estimate"));
    assert!(truth < 1e-5 && (0.1..10.0).contains(&(error.relative / truth)), "{:e} for {truth:e}", error.relative);
    assert!(matches!(solved.outcome.stop_reason, StopReason::Polished { .. }));
    assert!(matches!(solved.decisions[..], [ropinn::strategy::Entry { decision: Decision::Polished { .. }, .. }]));
    Ok(())
}

#[test]
fn features_of_a_nonlinear_problem_begin_with_a_network() -> Fallible {
    let solved = solved("reaction", &["model=features", "model.count=800", "phases=polish"])?;
    let truth = solved.outcome.record.results.rmse.expect("a reference");
    assert!(truth < 1e-5, "{truth:e}");
    assert_eq!(solved.case.config().model.kind(), ModelKind::Features);
    Ok(())
}

/// What is wrong with the problem itself is no matter of its residual.
#[test]
fn problems_that_are_at_fault_are_never_trusted() -> Fallible {
    let rod = |conditions: &str| {
        format!(
            "coordinates = {{ x = [0, 1], t = [0, 1] }}\ntime = 't'\nunknowns = ['u']\n\
             equations = {{ heat = 'u_t - 0.1*u_xx' }}\nconditions = [{conditions}]"
        )
    };
    let start = "{ kind = 'initial', value = 'sin(pi*x)' }";
    let (held, other) =
        ("{ kind = 'dirichlet', at = 'boundary', value = 0 }", "{ kind = 'dirichlet', at = 'boundary', value = 1 }");
    for (conditions, word, says) in [
        (format!("{start}, {held}"), Trust::Trusted, "off by about"),
        (start.to_owned(), Trust::Wrong, "may not determine its solution"),
        (format!("{start}, {held}, {{ name = 'again', {}", &other[1..]), Trust::Wrong, "is off by"),
    ] {
        let problem = Problem::from_toml(&rod(&conditions), Path::new("rod.toml"))?;
        let mut config = RunConfig::default();
        config.set_all(&["model=fls", "model.width=12", "model.depth=2", "model.normalise=true", "precision=f64"])?;
        config.set_all(&["phases=gauss-newton 40", "points.interior=hammersley:600"])?;
        let case = Case::with_problem(config, problem, &Threads::new(2)?)?;
        let solved = Solver::new(case)?.run(&mut (), &Default::default())?;
        let verdict = solved.outcome.record.results.verdict.expect("a verdict");
        assert_eq!(verdict.word, word, "{conditions}: {:?}", verdict.reasons);
        assert!(verdict.reasons.iter().any(|reason| reason.contains(says)), "{conditions}: {:?}", verdict.reasons);
    }
    Ok(())
}

#[test]
fn numbers_that_ran_away_and_readings_have_no_estimate() -> Fallible {
    let mut config = RunConfig::default();
    config.set_all(&["problem.name=wave", "model.width=6", "precision=f64"])?;
    let case = Case::new(config, &Threads::new(1)?)?;
    let diverged = StopReason::Diverged { iteration: 3, loss: 9e9, first: 1.0 };
    let found = assess(&case, &case.initial_theta(), None, &diverged, &Default::default())?;
    assert_eq!((found.error, found.verdict.word), (None, Trust::Wrong));
    assert!(found.verdict.reasons[0].starts_with("diverged in iteration 3"), "{:?}", found.verdict.reasons);
    let inverse = "coordinates = { t = [0, 1] }\nunknowns = ['u']\ntrainable = { k = 1 }\n\
         equations = { decay = 'u_t + k*u' }\n\
         conditions = [{ kind = 'initial', value = 1 }, { kind = 'data', columns = ['t', 'u'], rows = [[0.5, 0.6], [1, 0.4]] }]";
    let problem = Problem::from_toml(inverse, Path::new("decay.toml"))?;
    let case = Case::with_problem(RunConfig::default(), problem, &Threads::new(1)?)?;
    let done = StopReason::Budget { iterations: 1 };
    let found = assess(&case, &case.initial_theta(), None, &done, &Default::default())?;
    assert!(found.error.is_none() && found.verdict.word > Trust::Trusted, "{:?}", found.verdict);
    Ok(())
}

/// The same bits on any number of threads, and after a kill before or while it is polished.
#[test]
fn polished_runs_go_on_to_the_same_bits() -> Fallible {
    let run = |threads: usize, folder: Option<&Path>, stop_at: Option<u64>| -> Fallible<ropinn::strategy::Solved> {
        struct Stop<'a>(&'a std::sync::atomic::AtomicBool, Option<u64>);
        impl ropinn::train::Observer for Stop<'_> {
            fn on_step(&mut self, row: &ropinn::record::Row) {
                self.0.fetch_or(self.1 == Some(row.iteration), std::sync::atomic::Ordering::Relaxed);
            }
        }
        let mut config = Preset::Default.config("reaction", ModelKind::Fls, ObjectiveKind::Region);
        config.set_all(&["width=8", "depth=2", "phases=gauss-newton 20 then polish coefficients=200"])?;
        config.set_all(&["points.interior=hammersley:400", "points.evaluation=grid:11x11"])?;
        let case = Case::new(config, &Threads::new(threads)?)?;
        let stop = std::sync::atomic::AtomicBool::new(false);
        let mut solver = match folder {
            Some(folder) => {
                let mut files = ropinn::checkpoint::CheckpointFolder::new(folder.to_owned());
                let newest = files.newest()?.map(|found| found.checkpoint);
                Solver::resumed(case.clone(), case.initial_theta(), &files, newest)?.with_checkpoints(files)
            }
            None => Solver::new(case)?,
        };
        Ok(solver.run(&mut Stop(&stop, stop_at), &stop)?)
    };
    let whole = run(1, None, None)?;
    let bits = |solved: &ropinn::strategy::Solved| solved.outcome.theta.iter().map(|t| t.to_bits()).collect::<Vec<_>>();
    assert_eq!(whole.case.config().model.kind(), ModelKind::Features);
    assert_eq!(bits(&run(2, None, None)?), bits(&whole));
    let here = tempfile::tempdir()?;
    // In the middle of the steps; then at their very end, which leaves the polish to the next sitting.
    for stop_at in [Some(7), Some(20), None] {
        let solved = run(2, Some(here.path()), stop_at)?;
        assert_eq!(stop_at.is_none(), bits(&solved) == bits(&whole));
        let judged = solved.outcome.record.results.verdict.expect("a verdict");
        assert!(stop_at.is_none() || judged.word > Trust::Trusted, "{judged:?}");
    }
    Ok(())
}
