//! Points that follow the residual in whole runs, and state that survives a break.

use super::case;
use ropinn::objective::Objective;
use ropinn::record::Row;
use ropinn::train::{Observer, TrainOutcome, Trainer};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const RAR_D: [&str; 4] = ["sampling=rar-d", "rar-d.period=2", "rar-d.pool=200", "rar-d.count=3"];
const RAD: [&str; 3] = ["sampling=rad", "rad.period=2", "rad.pool=200"];
const R3: [&str; 2] = ["sampling=r3", "r3.period=2"];

fn trainer(overrides: &[&str]) -> Trainer {
    Trainer::new(case(overrides)).expect("trainer")
}

fn finish(trainer: &mut Trainer) -> TrainOutcome {
    trainer.run(&mut (), &Default::default()).expect("run")
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn refinement_adds_points_and_repeats() {
    for (objective, phases) in [("objective=region", "phases=lbfgs 7"), ("objective=gradient", "phases=gauss-newton 7")]
    {
        let settings = [&RAR_D[..], &[objective, phases]].concat();
        let (mut first, mut second) = (trainer(&settings), trainer(&settings));
        let (one, two) = (finish(&mut first), finish(&mut second));
        assert_eq!(bits(&one.theta), bits(&two.theta));
        let points = first.objective().memory().points;
        assert_eq!(bits(&points), bits(&second.objective().memory().points));
        // After steps 2, 4 and 6.
        assert_eq!(points.len(), 2 * (35 + 9));
        let own = first.case().problem().terms(0).expect("terms")[0].points.clone();
        assert_eq!(points[..70], own, "the first points stay");
        assert!(points[70..].chunks_exact(2).all(|point| first.case().problem().geometry().contains(point, 0.0)));
        assert_eq!(first.objective().points_of(0).len(), points.len(), "added points move like the others");
    }
}

#[test]
fn resampling_keeps_the_number_of_points() {
    for settings in [&RAD[..], &R3] {
        let mut trainer = trainer(&[settings, &["phases=adam 5"]].concat());
        let before = trainer.objective().memory().points;
        finish(&mut trainer);
        let after = trainer.objective().memory().points;
        assert_eq!(before.len(), after.len());
        assert_ne!(before, after);
    }
}

#[test]
fn refined_points_have_large_residuals() {
    // Of many candidates with k = 8 only those near the largest residual are drawn.
    let case =
        case(&["objective=point", "sampling=rar-d", "rar-d.period=1", "rar-d.count=4", "rar-d.k=8", "rar-d.pool=500"]);
    let theta: Vec<f64> = case.initial_theta().iter().map(|value| 3.0 * value).collect();
    let mut objective = Objective::new(&case).expect("objective");
    let before = objective.evaluate_at_points(&theta).expect("evaluation").parts[0];
    objective.adapt(1, &theta).expect("points");
    let after = objective.evaluate_at_points(&theta).expect("evaluation").parts[0];
    assert!(after > before, "{before} → {after}");
}

/// Asks to stop after some outer step.
struct StopAt(u64, Arc<AtomicBool>);

impl Observer for StopAt {
    fn on_step(&mut self, row: &Row) {
        if row.iteration == self.0 {
            self.1.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_break_leaves_no_trace() {
    let weightings: [&[&str]; 2] = [
        &["weighting=ntk", "ntk.period=2", "ntk.samples=5"],
        &["weighting=grad-norm", "grad-norm.period=2", "objective=variational", "variational.elements=2"],
    ];
    for settings in [&RAR_D[..], &RAD, &R3, weightings[0], weightings[1]] {
        let settings = [settings, &["phases=adam 2 then lbfgs 4"]].concat();
        let whole = finish(&mut trainer(&settings));
        for step in [1, 3, 4] {
            let mut before = trainer(&settings);
            let stop = Arc::new(AtomicBool::new(false));
            before.run(&mut StopAt(step, stop.clone()), &stop).expect("run");
            let state = before.state();
            let mut after = Trainer::resuming(case(&settings), state).expect("the same run");
            let rest = finish(&mut after);
            assert_eq!(bits(&rest.theta), bits(&whole.theta), "{settings:?} after step {step}");
            assert_eq!(rest.record.results.weights, whole.record.results.weights);
        }
    }
}

#[test]
fn memories_of_other_objectives_are_refused() {
    let mut plain = Objective::new(&case(&[])).expect("objective");
    let memory = |overrides: &[&str]| Objective::new(&case(overrides)).expect("objective").memory();
    let mut message = |memory| plain.restore(memory).expect_err("foreign").to_string();
    assert_eq!(
        message(memory(&["weighting=ntk"])),
        "the saved state does not belong to this run: the number of weights is 3, but it should be 0; \
         use the configuration it was saved with"
    );
    assert_eq!(
        message(memory(&["sampling=r3"])),
        "the saved state does not belong to this run: the number of adapted coordinates is 70, but it should be 0; \
         use the configuration it was saved with"
    );
    assert_eq!(plain.restore(memory(&[])), Ok(()));
}
