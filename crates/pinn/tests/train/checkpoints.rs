//! Checkpoints: going on from any of them leaves no trace, damaged ones are noticed, foreign ones refused.

use super::{bits, configuration, run, trainer};
use ropinn::case::Case;
use ropinn::checkpoint::{Checkpoint, CheckpointError, CheckpointFolder, Damage};
use ropinn::record::{Record, Row};
use ropinn::train::{Observer, TrainOutcome, Trainer};
use ropinn_domain::{Purpose, Stream};
use ropinn_engine::Threads;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Stops after some outer step.
struct StopAt(u64, Arc<AtomicBool>);

impl Observer for StopAt {
    fn on_step(&mut self, row: &Row) {
        if row.iteration == self.0 {
            self.1.store(true, Ordering::Relaxed);
        }
    }
}

fn case(overrides: &[&str]) -> Case {
    Case::new(configuration(overrides), &Threads::new(1).expect("threads")).expect("case")
}

/// The checkpoint of a run stopped after `step`, as it comes back from its bytes.
fn broken_off(overrides: &[&str], step: u64) -> Checkpoint {
    let mut trainer = trainer(overrides, 2);
    let stop = Arc::new(AtomicBool::new(step == 0));
    trainer.run(&mut StopAt(step, stop.clone()), &stop).expect("run");
    let checkpoint = trainer.checkpoint();
    let again = Checkpoint::from_bytes(&checkpoint.to_bytes()).expect("intact");
    // Bytes rather than values: a NaN is equal to itself.
    assert_eq!(again.to_bytes(), checkpoint.to_bytes());
    again
}

fn go_on(overrides: &[&str], checkpoint: Checkpoint) -> TrainOutcome {
    let mut trainer = Trainer::from_checkpoint(case(overrides), checkpoint).expect("the same run");
    trainer.run(&mut (), &Default::default()).expect("run")
}

fn assert_same(found: &TrainOutcome, expected: &TrainOutcome, what: &str) {
    assert_eq!(bits(&found.theta), bits(&expected.theta), "{what}");
    assert_eq!((found.iterations, found.evaluations), (expected.iterations, expected.evaluations), "{what}");
    let timeless = |record: &Record| {
        let rows = record.rows.iter().map(|row| Row { seconds: 0.0, ..row.clone() });
        rows.map(|row| record.names.csv(&row)).collect::<String>()
    };
    assert_eq!(timeless(&found.record), timeless(&expected.record), "{what}");
    let (found, expected) = (&found.record.results, &expected.record.results);
    assert_eq!(found.trained_loss.to_bits(), expected.trained_loss.to_bits(), "{what}");
    assert_eq!(found.best, expected.best, "{what}");
}

const OPTIMIZERS: [&str; 9] = [
    "phases=adam 7 decay=cosine",
    "phases=lbfgs 7 history=5",
    "phases=ssbfgs 7",
    "phases=ssbfgs 7 history=4",
    "phases=ssbroyden 7",
    "phases=gauss-newton 7",
    "phases=gauss-newton 7 form=matrix-free scaling=diagonal",
    "phases=adam 3 then lbfgs 4",
    "phases=adam 3 then gauss-newton 4",
];

#[test]
fn every_optimiser_and_objective_goes_on_with_the_same_bits() {
    let objectives = [
        &["objective=point"][..],
        &["objective=region", "region.r=1e-3", "region.past=3"],
        &["objective=region", "region.rule=paper", "region.resample=per-step", "region.samples=2", "region.r=1e-3"],
    ];
    for phases in OPTIMIZERS {
        for objective in objectives {
            let settings: Vec<&str> =
                [phases, "evaluate_every=2", "log_every=3"].iter().chain(objective).copied().collect();
            let whole = run(&settings);
            for step in [0, 1, 3, 6, 7] {
                let what = format!("{settings:?} after {step}");
                assert_same(&go_on(&settings, broken_off(&settings, step)), &whole, &what);
            }
        }
    }
}

#[test]
fn a_finished_run_is_extended() {
    for phases in ["phases=adam", "phases=lbfgs", "phases=ssbroyden", "phases=gauss-newton"] {
        // 5 is neither in turn to be logged nor to be measured, so its row shows that the short run ended there.
        let settings =
            |iterations: &str| [format!("{phases} {iterations}"), "log_every=3".into(), "evaluate_every=2".into()];
        let (short, long) = (settings("5"), settings("9"));
        let (short, long): (Vec<&str>, Vec<&str>) =
            (short.iter().map(String::as_str).collect(), long.iter().map(String::as_str).collect());
        let mut first = trainer(&short, 1);
        first.run(&mut (), &Default::default()).expect("run");
        assert_same(&go_on(&long, first.checkpoint()), &run(&long), phases);
    }
}

#[test]
fn an_ended_run_stays_ended_unless_its_reason_goes_away() {
    let settings = ["phases=lbfgs 9", "stop.target_error=10", "evaluate_every=2"];
    let mut first = trainer(&settings, 1);
    let ended = first.run(&mut (), &Default::default()).expect("run");
    let again = go_on(&settings, first.checkpoint());
    assert_eq!(again.stop_reason, ended.stop_reason);
    assert_same(&again, &ended, "nothing more is done");
    let further = go_on(&["phases=lbfgs 9", "evaluate_every=2"], first.checkpoint());
    assert_same(&further, &run(&["phases=lbfgs 9", "evaluate_every=2"]), "the target is given up");

    // A time limit ends a run between any two steps, and nothing of it remains.
    let mut limited = trainer(&["phases=lbfgs 9", "stop.max_seconds=1e-9", "stop.plateau.window=5"], 1);
    assert_eq!(limited.run(&mut (), &Default::default()).expect("run").iterations, 1);
    let free = ["phases=lbfgs 9", "stop.plateau.window=5"];
    assert_same(&go_on(&free, limited.checkpoint()), &run(&free), "more time");
}

#[test]
fn other_runs_are_refused_by_the_setting_that_differs() {
    let settings = ["phases=adam 3 then lbfgs 4", "seed=2"];
    let checkpoint = broken_off(&settings, 5);
    let message = |overrides: &[&str]| match Trainer::from_checkpoint(case(overrides), checkpoint.clone()) {
        Ok(_) => panic!("{overrides:?} was accepted"),
        Err(error) => error.to_string(),
    };
    let rest = "; only `stop`, `checkpoint` and the iterations of unfinished phases may change";
    let other = |setting: &str, there: &str, here: &str| {
        format!("this is another run than the one saved: `{setting}` is {there} there and {here} here{rest}")
    };
    assert_eq!(message(&["phases=adam 3 then lbfgs 4", "seed=3"]), other("seed", "2", "3"));
    assert_eq!(message(&["phases=adam 4 then lbfgs 4", "seed=2"]), other("phases.0.iterations", "3", "4"));
    assert_eq!(message(&["phases=adam 3 then lbfgs 4", "seed=2", "width=9"]), other("model.width", "8", "9"));
    assert_eq!(
        message(&["phases=adam 3 then lbfgs 4 history=3", "seed=2"]),
        other("phases.1.history", "50", "3").replace("50", &ropinn_optim::LbfgsConfig::default().history.to_string())
    );
    assert_eq!(
        message(&["phases=adam 3 then lbfgs 1", "seed=2"]),
        "phase 2 has done 2 iterations already, so it cannot end after 1; ask for at least 2"
    );
    let mut unreadable = checkpoint.clone();
    unreadable.config = "seed = 'x'".to_owned();
    let Err(error) = Trainer::from_checkpoint(case(&settings), unreadable) else { panic!("accepted") };
    assert!(error.to_string().starts_with("the configuration in the checkpoint is refused: "), "{error}");
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .map(|e| e.file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names
}

#[test]
fn the_last_two_and_the_best_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut checkpoint = broken_off(&["phases=lbfgs 3"], 2);
    let mut files = CheckpointFolder::new(folder.path());
    std::fs::write(folder.path().join(".unfinished-old"), "half a checkpoint").expect("writable");
    for step in 3..8 {
        checkpoint.state.progress.steps = step;
        if step == 4 {
            checkpoint.state.progress.best.as_mut().expect("a best").iteration = 4;
        }
        files.write(&checkpoint).expect("written");
    }
    assert_eq!(names(folder.path()), ["best.ckpt", "step-000000000006.ckpt", "step-000000000007.ckpt"]);
    let found = files.newest().expect("readable").expect("one");
    assert_eq!((found.checkpoint.state.progress.steps, found.rejected), (7, Vec::new()));
    let best =
        Checkpoint::from_bytes(&std::fs::read(folder.path().join("best.ckpt")).expect("a file")).expect("intact");
    assert_eq!(best.state.progress.steps, 4);

    // Going back to an earlier step gives the later ones up.
    checkpoint.state.progress.steps = 5;
    files.write(&checkpoint).expect("written");
    assert_eq!(names(folder.path()), ["best.ckpt", "step-000000000005.ckpt"]);
    files.clear().expect("removable");
    assert!(!folder.path().exists());
    assert!(files.newest().expect("nothing wrong").is_none());
}

#[test]
fn any_flipped_byte_of_the_newest_is_noticed_and_the_previous_one_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = CheckpointFolder::new(folder.path());
    let mut checkpoint = broken_off(&["phases=lbfgs 3 history=2"], 2);
    files.write(&checkpoint).expect("written");
    checkpoint.state.progress.steps = 3;
    let newest = files.write(&checkpoint).expect("written");
    let intact = std::fs::read(&newest).expect("a file");
    let mut draws = Stream::new(1, Purpose::Interior);
    let mut below = |n: usize| ((draws.uniform() * n as f64) as usize).min(n - 1);
    // The frame byte by byte, and places anywhere.
    let places: Vec<usize> = (0..24).chain((0..400).map(|_| below(intact.len()))).collect();
    for place in places {
        let mut bytes = intact.clone();
        bytes[place] ^= 1 + below(255) as u8;
        std::fs::write(&newest, &bytes).expect("writable");
        let found = files.newest().expect("readable").expect("the previous one");
        assert_eq!(found.checkpoint.state.progress.steps, 2, "byte {place}");
        assert!(matches!(found.rejected[..], [CheckpointError::Damaged { .. }]), "byte {place}: {:?}", found.rejected);
    }
    for length in 0..intact.len().min(200) {
        std::fs::write(&newest, &intact[..length]).expect("writable");
        assert_eq!(files.newest().expect("readable").expect("the previous one").rejected.len(), 1);
    }
}

#[test]
fn formats_of_other_versions_are_not_passed_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = CheckpointFolder::new(folder.path());
    let checkpoint = broken_off(&["phases=lbfgs 3"], 2);
    let path = files.write(&checkpoint).expect("written");
    let mut bytes = std::fs::read(&path).expect("a file");
    bytes[8] = 7;
    let end = bytes.len() - 4;
    let checksum = ropinn_files::checksum(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    std::fs::write(&path, &bytes).expect("writable");
    let error = files.newest().expect_err("refused").to_string();
    let shown = path.display();
    assert_eq!(
        error,
        format!(
            "the checkpoint `{shown}` has format 7, but this version reads format 2; resume with the version that wrote it"
        )
    );
    assert_eq!(Checkpoint::from_bytes(b"PK\x03\x04 something else entirely"), Err(Damage::Magic));
}
