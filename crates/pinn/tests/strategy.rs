//! The strategy `auto`: decisions that repeat to the bit, on any number of threads, after a kill, with damaged files.

use ropinn::case::Case;
use ropinn::checkpoint::CheckpointFolder;
use ropinn::config::RunConfig;
use ropinn::metrics::Predictor;
use ropinn::record::{Entry, Row, StopReason};
use ropinn::strategy::{Decision, Solved, Solver};
use ropinn::train::Observer;
use ropinn_engine::Threads;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

type Fallible = Result<(), Box<dyn std::error::Error>>;

/// Small enough to be quick; too small to be solved at once.
fn case(problem: &str, threads: usize, more: &[&str]) -> Case {
    let mut config = RunConfig::default();
    config.set(&format!("problem.name={problem}")).expect("valid");
    let usual = [
        "model=fls",
        "model.width=6",
        "model.depth=2",
        "model.normalise=true",
        "precision=f64",
        "points.interior=hammersley:60",
        "points.evaluation=grid:9x9",
        "phases=gauss-newton 12",
        "strategy.kind=auto",
        "strategy.work=0.02",
        "checkpoint.every_iterations=1",
    ];
    config.set_all(&usual).expect("valid");
    config.set_all(more).expect("valid");
    Case::new(config, &Threads::new(threads).expect("threads")).expect("case")
}

fn kinds(decisions: &[Entry]) -> BTreeSet<String> {
    let kind = |entry: &Entry| {
        let value = serde_json::to_value(entry).expect("JSON");
        value["decision"].as_str().expect("a name").to_owned()
    };
    decisions.iter().map(kind).collect()
}

/// What must not depend on how a run came about; times do.
fn essence(solved: &Solved) -> (Vec<u64>, Vec<Entry>, Vec<Row>, StopReason) {
    let bits = solved.outcome.theta.iter().map(|value| value.to_bits()).collect();
    let rows = solved.outcome.record.rows.iter().map(|row| Row { seconds: 0.0, ..row.clone() }).collect();
    (bits, solved.decisions.clone(), rows, solved.outcome.stop_reason.clone())
}

/// Copies the folder of checkpoints after some steps, as a kill would leave it.
struct Copies<'a> {
    folder: &'a Path,
    at: &'a [u64],
    to: &'a Path,
}

impl Copies<'_> {
    fn copy(&self, iteration: u64) -> PathBuf {
        self.to.join(iteration.to_string())
    }
}

impl Observer for Copies<'_> {
    fn on_step(&mut self, row: &Row) {
        if self.at.contains(&row.iteration) {
            let copy = self.copy(row.iteration);
            fs::create_dir_all(&copy).expect("folder");
            for file in fs::read_dir(self.folder).into_iter().flatten().flatten() {
                fs::copy(file.path(), copy.join(file.file_name())).expect("copied");
            }
        }
    }
}

#[test]
fn decisions_repeat_to_the_bit_on_any_number_of_threads() -> Fallible {
    let solve = |threads| Solver::new(case("wave", threads, &[]))?.run(&mut (), &Default::default());
    let (one, two) = (solve(1)?, solve(2)?);
    assert!(kinds(&one.decisions).len() >= 3, "{:#?}", one.decisions);
    assert_eq!(essence(&one), essence(&two));
    assert_eq!(one.outcome.record.decisions, one.decisions);
    Ok(())
}

#[test]
fn a_killed_run_goes_on_to_the_same_bits() -> Fallible {
    let here = tempfile::tempdir()?;
    let (folder, copies) = (here.path().join("run"), here.path().join("copies"));
    let at: Vec<u64> = (1..40).collect();
    let mut observer = Copies { folder: &folder, at: &at, to: &copies };
    let mut solver = Solver::new(case("wave", 1, &[]))?.with_checkpoints(CheckpointFolder::new(&folder));
    let whole = solver.run(&mut observer, &Default::default())?;
    assert!(whole.outcome.iterations > 20 && kinds(&whole.decisions).len() >= 3, "{:#?}", whole.decisions);
    for iteration in (1..whole.outcome.iterations.min(40)).step_by(5) {
        let mut files = CheckpointFolder::new(observer.copy(iteration));
        let newest = files.newest()?.map(|found| found.checkpoint);
        let case = case("wave", 2, &[]);
        let theta = case.initial_theta();
        let solved = Solver::resumed(case, theta, &files, newest)?.run(&mut (), &Default::default())?;
        assert_eq!(essence(&solved), essence(&whole), "killed after step {iteration}");
    }
    Ok(())
}

#[test]
fn a_damaged_journal_costs_time_only() -> Fallible {
    let here = tempfile::tempdir()?;
    let (folder, copies) = (here.path().join("run"), here.path().join("copies"));
    let mut observer = Copies { folder: &folder, at: &[17], to: &copies };
    let mut solver = Solver::new(case("wave", 1, &[]))?.with_checkpoints(CheckpointFolder::new(&folder));
    let whole = solver.run(&mut observer, &Default::default())?;
    for (name, length) in [("strategy.json", 1), ("strategy.json", 2), ("strategy.before.json", 2)] {
        let copy = observer.copy(17);
        let path = copy.join(name);
        let mut bytes = fs::read(&path)?;
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        bytes.truncate(bytes.len() / length);
        fs::write(&path, bytes)?;
        let mut files = CheckpointFolder::new(&copy);
        let newest = files.newest()?.map(|found| found.checkpoint);
        let case = case("wave", 1, &[]);
        let theta = case.initial_theta();
        let solved = Solver::resumed(case, theta, &files, newest)?.run(&mut (), &Default::default())?;
        assert_eq!(essence(&solved), essence(&whole), "{name}");
    }
    Ok(())
}

#[test]
fn an_interrupted_run_is_a_whole_solution_and_goes_on() -> Fallible {
    struct StopAt<'a>(u64, &'a AtomicBool);
    impl Observer for StopAt<'_> {
        fn on_step(&mut self, row: &Row) {
            self.1.store(row.iteration >= self.0, Ordering::Relaxed);
        }
    }
    let (here, stop) = (tempfile::tempdir()?, AtomicBool::new(false));
    let whole = Solver::new(case("wave", 1, &[]))?.run(&mut (), &Default::default())?;
    let last = whole.outcome.iterations - 1;
    let mut solver = Solver::new(case("wave", 1, &[]))?.with_checkpoints(CheckpointFolder::new(here.path()));
    let solved = solver.run(&mut StopAt(last, &stop), &stop)?;
    assert_eq!(solved.outcome.stop_reason, StopReason::Interrupted { iteration: last });
    let values =
        Predictor::of(&solved.case, &["u"])?.predict(&solved.outcome.theta, &[0.5, 0.0, 0.5, 0.5, 0.5, 1.0])?;
    assert!(values.iter().all(|value| value.is_finite()));
    let mut files = CheckpointFolder::new(here.path());
    let newest = files.newest()?.map(|found| found.checkpoint);
    let case = case("wave", 1, &[]);
    let theta = case.initial_theta();
    let solved = Solver::resumed(case, theta, &files, newest)?.run(&mut (), &Default::default())?;
    assert_eq!(essence(&solved), essence(&whole));
    Ok(())
}

#[test]
fn plain_is_the_trainer_and_nothing_else() -> Fallible {
    let case = case("wave", 1, &["strategy.kind=plain"]);
    let plain = Solver::new(case.clone())?.run(&mut (), &Default::default())?;
    let trained = ropinn::train::Trainer::new(case)?.run(&mut (), &Default::default())?;
    assert_eq!((plain.outcome.theta, plain.outcome.iterations), (trained.theta, 12));
    assert!(plain.decisions.is_empty());
    Ok(())
}

#[test]
fn what_cannot_be_solved_is_said() -> Fallible {
    let solved = Solver::new(case("ks-periodic", 1, &["strategy.work=0.002"]))?.run(&mut (), &Default::default())?;
    let words = solved.outcome.stop_reason.to_string();
    assert!(matches!(solved.outcome.stop_reason, StopReason::NotSolved { .. }), "{words}");
    assert!(words.contains("not solved: on fresh points the residual is"), "{words}");
    // Whatever it is, it can be asked for values everywhere.
    let values = Predictor::of(&solved.case, &["u"])?.predict(&solved.outcome.theta, &[1.0, 0.1, 1.0, 0.5])?;
    assert!(values.iter().all(|value| value.is_finite()));
    Ok(())
}

#[test]
fn short_waves_are_read_off_what_is_given() -> Fallible {
    let first = |problem: &str| -> Result<Vec<Decision>, Box<dyn std::error::Error>> {
        let axes =
            if problem.starts_with("heat") { "points.evaluation=grid:3x3x3" } else { "points.evaluation=grid:3x3" };
        let solved = Solver::new(case(problem, 1, &[axes, "strategy.work=1e-6"]))?.run(&mut (), &Default::default())?;
        let first = solved.decisions.into_iter().filter(|entry| entry.iteration == 0);
        Ok(first.map(|entry| entry.decision).collect())
    };
    assert_eq!(first("heat-2d-ms")?, [Decision::ShortWaves { coordinate: "x".to_owned(), waves: 9.5 }]);
    assert_eq!(first("wave")?, []);
    assert_eq!(first("reaction")?, []);
    Ok(())
}

/// Growth and decay from a first value; the points are too few for what happens, so that a solution may leap between them.
const PREY: &str = "coordinates = { t = [0, 10] }
unknowns = ['x', 'y']
equations = { prey = 'x_t - 1.5*x + x*y', predator = 'y_t + 3*y - x*y' }
conditions = [{ kind = 'dirichlet', at = 't = 0', value = { x = 1, y = 1 } }]";

#[test]
fn points_at_the_ends_of_a_single_coordinate_stay_there() -> Fallible {
    let problem = ropinn::problem::Problem::from_toml(PREY, "prey.toml".as_ref())?;
    let ends = |more: &[&str]| -> Result<Vec<f64>, Box<dyn std::error::Error>> {
        let mut config = RunConfig::default();
        let usual = ["model=fls", "model.width=4", "model.depth=1", "precision=f64", "points.interior=grid:9"];
        config.set_all(&usual)?;
        config.set_all(&["objective=region", "phases=gauss-newton 4"])?;
        config.set_all(more)?;
        let mut trainer = ropinn::train::Trainer::new(Case::with_problem(config, problem.clone(), &Threads::new(1)?)?)?;
        trainer.run(&mut (), &Default::default())?;
        let points = trainer.objective().points_of(0);
        Ok(points.iter().copied().filter(|t| *t == 0.0 || *t == 10.0).collect())
    };
    // Within their regions, and when all are drawn anew.
    assert_eq!(ends(&[])?, [0.0, 10.0]);
    assert_eq!(ends(&["sampling=rad", "sampling.rad.period=2", "sampling.rad.pool=50"])?, [0.0, 10.0]);
    Ok(())
}

/// Six periods: too many for a small network at once. The coordinate is not called time.
const SPRING: &str = "coordinates = { s = [0, '12*pi'] }
unknowns = ['u']
equations = { spring = 'u_ss + u' }
conditions = [{ kind = 'initial', value = 1 }, { kind = 'initial', derivative = 's', value = 0 }]
reference = { u = 'cos(s)' }";

fn spring(threads: usize) -> Case {
    let problem = ropinn::problem::Problem::from_toml(SPRING, "spring.toml".as_ref()).expect("a problem");
    let mut config = RunConfig::default();
    let usual = [
        "model=fls",
        "model.width=6",
        "model.depth=2",
        "model.normalise=true",
        "precision=f64",
        "points.interior=grid:60",
        "phases=gauss-newton 60",
        "strategy.kind=auto",
        "strategy.work=1",
        "checkpoint.every_iterations=1",
    ];
    config.set_all(&usual).expect("valid");
    Case::with_problem(config, problem, &Threads::new(threads).expect("threads")).expect("case")
}

#[test]
fn an_ordinary_differential_equation_is_solved_in_intervals() -> Fallible {
    let here = tempfile::tempdir()?;
    let (folder, copies) = (here.path().join("run"), here.path().join("copies"));
    let at: Vec<u64> = (0..40).map(|k| 47 * k + 1).collect();
    let mut observer = Copies { folder: &folder, at: &at, to: &copies };
    let mut solver = Solver::new(spring(1))?.with_checkpoints(CheckpointFolder::new(&folder));
    let whole = solver.run(&mut observer, &Default::default())?;
    let kinds = kinds(&whole.decisions);
    assert!(kinds.contains("intervals") && kinds.contains("next-interval"), "{:#?}", whole.decisions);
    assert!(!whole.case.config().pieces.is_empty());
    // One solution over all of the coordinate.
    let points: Vec<f64> = (0..=200).map(|k| 12.0 * std::f64::consts::PI * f64::from(k) / 200.0).collect();
    let values = Predictor::of(&whole.case, &["u"])?.predict(&whole.outcome.theta, &points)?;
    let worst = points.iter().zip(&values).fold(0.0f64, |worst, (s, u)| worst.max((u - s.cos()).abs()));
    assert!(worst < 1e-3, "{worst}: {} {:#?}", whole.outcome.stop_reason, whole.decisions);
    // Its weights are read back.
    let file = here.path().join("model.safetensors");
    whole.case.weights(&whole.outcome.theta)?.save(&file, ropinn_engine::Precision::F64)?;
    let again = Case::with_problem(whole.case.config().clone(), spring(1).problem().clone(), &Threads::new(1)?)?;
    assert_eq!(again.theta_from(&ropinn::weights::read_weights(&file)?)?, whole.outcome.theta);
    // Killed in the middle, it goes on to the same bits.
    let late = at.iter().copied().filter(|at| *at < whole.outcome.iterations).collect::<Vec<_>>();
    for iteration in [late[late.len() / 2], late[late.len() - 1]] {
        let mut files = CheckpointFolder::new(observer.copy(iteration));
        let newest = files.newest()?.map(|found| found.checkpoint);
        let case = spring(2);
        let theta = case.initial_theta();
        let solved = Solver::resumed(case, theta, &files, newest)?.run(&mut (), &Default::default())?;
        assert_eq!(essence(&solved), essence(&whole), "killed after step {iteration}");
    }
    Ok(())
}

#[test]
fn what_auto_decides_itself_is_refused() {
    let refused = |set: &str| {
        let mut config = RunConfig::default();
        config.set_all(&["problem.name=wave", "phases=gauss-newton 6", "strategy.kind=auto"]).expect("valid");
        config.set(set).and_then(|()| config.validate()).expect_err("refused").to_string()
    };
    assert_eq!(
        refused("phases=adam 5"),
        "`phases` is adam 5, which does not go with the strategy `auto`: it trains by a single phase of Gauss–Newton steps; \
         choose the strategy `plain`"
    );
    assert!(refused("sampling=rad").contains("`sampling` is rad"));
    assert!(refused("weighting=ntk").contains("`weighting` is ntk"));
    assert!(refused("objective=gradient").contains("`objective` is gradient"));
    assert!(refused("pieces=[0.5]").contains("`pieces` is [0.5]"));
    assert!(refused("strategy.work=0").contains("setting `strategy.work` is 0; it must be finite and above 0"));
    assert!(refused("strategy.tolerance=-1").contains("setting `strategy.tolerance` is -1"));
}
