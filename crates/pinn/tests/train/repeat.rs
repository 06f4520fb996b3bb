//! The same bits again: for r = 0 and points, for any number of threads, from a saved configuration, after a break.

use super::{bits, configuration, run, trainer};
use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::record::Row;
use ropinn::train::{Observer, Trainer};
use ropinn_engine::Threads;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn a_region_of_size_zero_is_point_optimisation() {
    for precision in ["precision=f32", "precision=f64"] {
        let point = run(&[precision, "phases=lbfgs 5", "objective=point"]);
        for region in [&["region.r=0"][..], &["region.r=0", "region.samples=3", "region.edge=clamp"], &["region.cap=0"]]
        {
            let settings: Vec<&str> = [precision, "phases=lbfgs 5"].into_iter().chain(region.iter().copied()).collect();
            let still = run(&settings);
            assert_eq!(bits(&still.theta), bits(&point.theta), "{region:?}");
            assert_eq!(still.evaluations, point.evaluations);
        }
        let region = run(&[precision, "phases=lbfgs 5"]);
        assert_ne!(bits(&region.theta), bits(&point.theta));
    }
}

#[test]
fn fixed_regions_and_one_past_step_are_the_same() {
    let fixed = run(&["phases=lbfgs 5", "region.calibrate=false"]);
    let past = run(&["phases=lbfgs 5", "region.past=1"]);
    assert_eq!(bits(&fixed.theta), bits(&past.theta));
}

#[test]
fn threads_change_nothing() {
    for model in [&["points.interior=grid:23x19"][..], &["model=kan"]] {
        let settings: Vec<&str> = model.iter().copied().chain(["phases=adam 5 then lbfgs 5"]).collect();
        let outcomes =
            [1, 2, 3].map(|threads| trainer(&settings, threads).run(&mut (), &Default::default()).expect("run").theta);
        assert_eq!(bits(&outcomes[0]), bits(&outcomes[1]));
        assert_eq!(bits(&outcomes[0]), bits(&outcomes[2]));
    }
}

#[test]
fn seeds_matter() {
    let settings = ["phases=lbfgs 3", "seed=1"];
    assert_eq!(bits(&run(&settings).theta), bits(&run(&settings).theta));
    assert_ne!(bits(&run(&settings).theta), bits(&run(&["phases=lbfgs 3", "seed=2"]).theta));
}

#[test]
fn the_saved_configuration_repeats_the_run() {
    let first = trainer(&["phases=adam 4 decay=cosine then lbfgs 3", "seed=5"], 2);
    let saved = first.case().config().to_toml();
    let again =
        Case::new(RunConfig::from_toml(&saved).expect("valid"), &Threads::new(1).expect("threads")).expect("case");
    assert_eq!(again.config().to_toml(), saved);
    let run = |mut trainer: Trainer| trainer.run(&mut (), &Default::default()).expect("run");
    let (first, again) = (run(first), run(Trainer::new(again).expect("trainer")));
    assert_eq!(bits(&first.theta), bits(&again.theta));
}

/// Asks to stop after some outer step.
struct StopAt {
    step: u64,
    stop: Arc<AtomicBool>,
}

impl Observer for StopAt {
    fn on_step(&mut self, row: &Row) {
        if row.iteration == self.step {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_break_leaves_no_trace() {
    let settings = ["phases=adam 4 then lbfgs 5", "region.r=1e-3", "region.past=3"];
    let whole = run(&settings);
    for step in [0, 2, 4, 7] {
        let mut before = trainer(&settings, 2);
        let stop = Arc::new(AtomicBool::new(step == 0));
        let outcome = before.run(&mut StopAt { step, stop: stop.clone() }, &stop).expect("run");
        // Reaching the end of a phase is noticed before the wish to stop.
        assert_eq!(outcome.stop_reason.to_string(), format!("interrupted after {step} iterations"));
        let case = Case::new(configuration(&settings), &Threads::new(1).expect("threads")).expect("case");
        let mut after = Trainer::resuming(case, before.state()).expect("the same run");
        let rest = after.run(&mut (), &Default::default()).expect("run");
        assert_eq!(bits(&rest.theta), bits(&whole.theta), "after step {step}");
        assert_eq!(rest.evaluations, whole.evaluations);
        let timeless = |rows: &[Row]| rows.iter().map(|row| Row { seconds: 0.0, ..row.clone() }).collect::<Vec<_>>();
        assert_eq!(timeless(&rest.record.rows), timeless(&whole.record.rows));
    }
}

#[test]
fn foreign_states_are_refused() {
    let state = trainer(&["phases=lbfgs 2"], 1).state();
    let case =
        |overrides: &[&str]| Case::new(configuration(overrides), &Threads::new(1).expect("threads")).expect("case");
    let message = |overrides: &[&str], state| match Trainer::resuming(case(overrides), state) {
        Ok(_) => panic!("a foreign state was accepted"),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        message(&["model.width=9"], state.clone()),
        "the parameters given are 105 numbers, but the model has 127; use weights of the same model and sizes"
    );
    assert_eq!(
        message(&["phases=adam 2"], state.clone()),
        "the state was saved by `lbfgs`, but `adam` is loading it; build a `lbfgs` or start afresh"
    );
    let mut later = state;
    later.progress.phase = 3;
    assert_eq!(
        message(&["phases=lbfgs 2"], later),
        "the saved state does not belong to this run: the phase is 4, but it should be 1; \
         use the configuration it was saved with"
    );
}
