//! What observers are told, in which order.

use super::trainer;
use ropinn::config::Phase;
use ropinn::record::Row;
use ropinn::train::{Observer, Start, TrainOutcome};

#[derive(Default)]
struct Diary(Vec<String>);

impl Observer for Diary {
    fn on_start(&mut self, start: &Start<'_>) {
        let Start { names, parameters, steps_done, steps_planned, .. } = start;
        self.0.push(format!("start {} {parameters} {steps_done}/{steps_planned}", names.terms.join(" ")));
    }

    fn on_phase(&mut self, number: usize, phase: &Phase) {
        self.0.push(format!("phase {number} {}", phase.name()));
    }

    fn on_step(&mut self, row: &Row) {
        self.0.push(format!("step {} {}", row.iteration, if row.rmse.is_some() { "measured" } else { "" }));
    }

    fn on_finish(&mut self, outcome: &TrainOutcome) {
        self.0.push(format!("finish {} {}", outcome.stop_reason, outcome.record.rows.len()));
    }
}

#[test]
fn observers_see_every_step() {
    let mut diary = Diary::default();
    let settings = ["phases=adam 3 then lbfgs 2", "log_every=2", "evaluate_every=4"];
    trainer(&settings, 1).run(&mut diary, &Default::default()).expect("run");
    let expected = [
        "start residual initial periodic 105 0/5",
        "phase 1 adam",
        "step 1 ",
        "step 2 ",
        "step 3 measured",
        "phase 2 lbfgs",
        "step 4 measured",
        "step 5 measured",
        "finish all 5 iterations done 4",
    ];
    assert_eq!(diary.0, expected);
}
