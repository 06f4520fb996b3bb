//! Runs that survive: killed at any moment, short of disk, with a damaged checkpoint, with numbers that run away.
#![cfg(unix)]

mod common;

use common::{TINY, assert_refused, command, files, here, json, ropinn, succeed};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// SplitMix64: small, seeded, the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

/// Small, but with enough steps to be killed among them; checkpoints as often as 2 % of the time allow.
const SMALL: &str = "solve reaction --width 8 --depth 2 --set points.interior=grid:11x11 --set points.evaluation=grid:11x11 \
                     --set checkpoint.every_iterations=1 --threads 1 --quiet";

/// Optimisers with as many steps as take around a second.
const OPTIMIZERS: [(&str, &str); 7] = [
    ("adam", "--optimizer adam --iterations 1500 --set log_every=7"),
    ("lbfgs", "--optimizer lbfgs --iterations 150 --objective point --set stop.on_convergence=false"),
    ("gauss-newton", "--optimizer gauss-newton --iterations 120 --set stop.on_convergence=false"),
    ("polish", "--optimizer gauss-newton\u{a0}60\u{a0}then\u{a0}polish --set phases.1.coefficients=90"),
    ("features", "--model features --set model.count=60 --set model.layers=1"),
    ("inverse", "--optimizer gauss-newton --iterations 80 --set stop.on_convergence=false"),
    ("auto", "--strategy auto --optimizer gauss-newton --iterations 60 --set strategy.work=0.2"),
];

/// A number within bounds and a field to be found from readings with noise, which the runs called `inverse` are of.
const INVERSE: &str = "coordinates = { x = [0, 1], t = [0, 1] }
time = 't'
unknowns = ['u']
trainable = { k = { init = 0.5, bounds = [0, 2] }, s = { init = 0.1, bounds = [1e-3, inf] } }
fields = { f = { of = 'x', width = 5, depth = 1, smooth = 1e-4 } }
equations = { heat = 'u_t - k*u_xx - f' }
conditions = [
    { kind = 'data', value = 'sin(pi*x)*exp(-t)', noise = 0.05, sigma = 's', points = { layout = 'uniform', count = 50 } },
    { kind = 'initial', value = 'sin(pi*x)' },
    { kind = 'dirichlet', at = 'boundary', value = 0 },
]";

fn bytes(path: PathBuf) -> Vec<u8> {
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// metrics.csv without its column of seconds.
fn timeless(run: &Path) -> Vec<String> {
    let text = fs::read_to_string(run.join("metrics.csv")).expect("metrics");
    let column = text.lines().next().expect("a header").split(',').position(|name| name == "seconds").expect("seconds");
    let without = |line: &str| {
        let cells = line.split(',').enumerate().filter(|(k, _)| *k != column);
        cells.map(|(_, cell)| cell).collect::<Vec<_>>().join(",")
    };
    text.lines().map(without).collect()
}

fn assert_same(run: &Path, expected: &Path, what: &str) {
    for file in ["model.safetensors", "prediction.npy"] {
        assert!(bytes(run.join(file)) == bytes(expected.join(file)), "{what}: {file} differs");
    }
    assert_eq!(timeless(run), timeless(expected), "{what}");
    let numbers = |run: &Path| {
        let mut result = json(&run.join("result.json"));
        result["seconds"] = 0.into();
        // How many there are is no part of the result, and a resumed run may have others.
        result["threads"] = 0.into();
        result
    };
    assert_eq!(numbers(run), numbers(expected), "{what}");
}

#[test]
fn twenty_kills_leave_no_trace() {
    let folder = here();
    let here = folder.path();
    let mut random = Random(6);
    let mut killed_while_training = 0;
    let mut kills = 0;
    fs::write(here.join("inverse.toml"), INVERSE).expect("a file");
    for (name, optimizer) in OPTIMIZERS {
        let small = if name == "inverse" { SMALL.replace("reaction", "inverse.toml") } else { SMALL.to_owned() };
        let began = Instant::now();
        succeed(here, &format!("{small} {optimizer} --out {name}"));
        let whole = began.elapsed().as_millis() as u64;
        let trials = match name {
            "adam" => 6,
            "polish" | "features" | "inverse" => 3,
            _ => 7,
        };
        for trial in 0..trials {
            let out = format!("{name}-{trial}");
            let words = format!("{small} {optimizer} --out {out} --resume");
            // A run killed twice counts twice: the second kill meets a resumed one.
            let rounds = 1 + usize::from(trial == 0);
            for _ in 0..rounds {
                let mut child = command(here, &words).spawn().expect("the binary starts");
                std::thread::sleep(Duration::from_millis(random.below(whole)));
                child.kill().expect("SIGKILL"); // fails only for a process that was waited for
                child.wait().expect("it ends");
                kills += 1;
            }
            killed_while_training += usize::from(!here.join(&out).join("result.json").exists());
            succeed(here, &words);
            assert_same(&here.join(&out), &here.join(name), &out);
            let left: Vec<String> =
                files(&here.join(&out)).into_iter().filter(|name| name.contains("unfinished")).collect();
            assert!(left.is_empty(), "{left:?}");
        }
    }
    assert!(kills >= 20, "{kills} kills");
    assert!(killed_while_training >= 5, "only {killed_while_training} were killed before they had ended");
}

/// A run of a few seconds, killed after its checkpoints number at least two.
fn killed_run(here: &Path, out: &str) -> Vec<PathBuf> {
    let words = format!("{SMALL} --optimizer lbfgs --iterations 100000 --out {out}");
    let mut child = command(here, &words).spawn().expect("the binary starts");
    let checkpoints = || {
        let entries = fs::read_dir(here.join(out).join("checkpoints")).into_iter().flatten().flatten();
        let mut steps: Vec<PathBuf> = entries
            .map(|e| e.path())
            .filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("step-")))
            .collect();
        steps.sort();
        steps
    };
    while checkpoints().len() < 2 {
        assert!(child.try_wait().expect("a child").is_none(), "the run ended before it had two checkpoints");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("SIGKILL");
    child.wait().expect("it ends");
    checkpoints()
}

fn step_of(checkpoint: &Path) -> u64 {
    let name = checkpoint.file_stem().expect("a name").to_string_lossy().into_owned();
    name.trim_start_matches("step-").parse().expect("a number")
}

#[test]
fn a_damaged_checkpoint_is_passed_over_and_torn_metrics_are_mended() {
    let folder = here();
    let here = folder.path();
    let checkpoints = killed_run(here, "run");
    let [.., previous, newest] = &checkpoints[..] else { panic!("{checkpoints:?}") };
    let (first, last) = (step_of(previous), step_of(newest));
    let end = last + 3;
    fs::copy(here.join("run/config.toml"), here.join("copy.toml")).expect("a copy");
    succeed(here, &format!("solve copy.toml --iterations {end} --threads 2 --quiet --out whole"));

    let mut damaged = bytes(newest.clone());
    let place = damaged.len() / 2;
    damaged[place] ^= 0x10;
    fs::write(newest, damaged).expect("writable");
    let metrics = here.join("run/metrics.csv");
    let text = fs::read_to_string(&metrics).expect("metrics");
    fs::write(&metrics, format!("{text}99999,1,1.2e-3,4.")).expect("writable");
    let finished = ropinn(here, &format!("resume run --iterations {end} --quiet"));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let shown = |path: &Path| path.strip_prefix(here).expect("below").display().to_string();
    assert_eq!(
        finished.stderr,
        format!(
            "warning: the checkpoint `{}` is damaged: its checksum does not fit its content; using `{}`\n",
            shown(newest),
            shown(previous)
        ),
        "from {first}"
    );
    assert_same(&here.join("run"), &here.join("whole"), "after a damaged checkpoint");

    // With none intact every step is done again.
    for entry in fs::read_dir(here.join("run/checkpoints")).expect("checkpoints").flatten() {
        fs::write(entry.path(), "ROPINNcp and nothing else").expect("writable");
    }
    let finished = ropinn(here, "resume run --quiet");
    assert!(finished.stderr.ends_with("; no other is intact, so the run starts from the beginning\n"), "{finished:?}");
    assert_same(&here.join("run"), &here.join("whole"), "from the beginning");
}

#[test]
fn finished_runs_are_repeated_or_extended() {
    let folder = here();
    let here = folder.path();
    for (name, words) in
        [("lbfgs", "--optimizer lbfgs"), ("adam", "--optimizer adam"), ("gn", "--optimizer gauss-newton")]
    {
        let words = format!("solve wave {TINY} {words} --set evaluate_every=2 --quiet").replace("--iterations 3", "");
        succeed(here, &format!("{words} --iterations 8 --out {name}-whole"));
        succeed(here, &format!("{words} --iterations 3 --out {name}"));
        let before = bytes(here.join(name).join("model.safetensors"));
        succeed(here, &format!("resume {name} --quiet"));
        assert!(bytes(here.join(name).join("model.safetensors")) == before, "nothing was left to do");
        succeed(here, &format!("resume {name} --iterations 5 --quiet"));
        succeed(here, &format!("{words} --iterations 8 --out {name} --resume"));
        assert_same(&here.join(name), &here.join(format!("{name}-whole")), name);
        // The extended run is repeated from its own configuration.
        succeed(here, &format!("solve {name} --out {name}-again --quiet"));
        assert_same(&here.join(format!("{name}-again")), &here.join(name), name);
    }
    // Of several phases those that have not ended can be longer.
    let phases = |out: &str, phases: &str| {
        let words = format!("solve wave {TINY} --quiet --out {out}").replace("--iterations 3", "");
        let done: common::Finished =
            command(here, &words).args(["--optimizer", phases]).output().expect("the binary starts").into();
        assert_eq!(done.code, Some(0), "{done:?}");
    };
    phases("both", "adam 3 then lbfgs 2");
    phases("both-whole", "adam 3 then lbfgs 4");
    succeed(here, "resume both --set phases.1.iterations=4 --quiet");
    assert_same(&here.join("both"), &here.join("both-whole"), "the second phase");
    let done = ropinn(here, "resume lbfgs --iterations 4");
    assert_eq!(
        done.stderr,
        "error: phase 1 has done 8 iterations already, so it cannot end after 4; ask for at least 8\n"
    );
    assert_eq!(done.code, Some(2));
}

#[test]
fn limits_and_their_change() {
    let folder = here();
    let here = folder.path();
    let words = format!("solve reaction {TINY} --quiet").replace("--iterations 3", "--iterations 6");
    succeed(here, &format!("{words} --out whole"));
    succeed(here, &format!("{words} --out run --max-seconds 1e-9"));
    let stopped =
        |run: &str| json(&here.join(run).join("result.json"))["stop_reason"].as_str().expect("words").to_owned();
    assert_eq!(stopped("run"), "time limit of 0.000000001 s reached");
    succeed(here, "resume run --max-seconds 0 --quiet");
    assert_eq!(stopped("run"), "all 6 iterations done");
    assert_same(&here.join("run"), &here.join("whole"), "a time limit");
    succeed(here, &format!("{words} --out target --target-error 10 --set evaluate_every=2"));
    assert!(stopped("target").starts_with("target reached: rMSE "), "{}", stopped("target"));
    assert_eq!(json(&here.join("target/result.json"))["iterations"], 2);
    let refused = |words: &str, complaint: &str| assert_refused(here, words, complaint);
    refused(
        "solve reaction --max-seconds -1",
        "error: setting `stop.max_seconds` is -1; it must be finite and at least 0\n",
    );
    refused(
        "solve reaction --target-error nan",
        "error: setting `stop.target_error` is NaN; it must be finite and at least 0\n",
    );
}

#[test]
fn a_second_process_is_refused_and_a_crash_leaves_no_lock() {
    let folder = here();
    let here = folder.path();
    let words = "solve reaction --width 8 --depth 2 --iterations 1000000 --set points.interior=grid:11x11 --threads 1 \
                 --max-seconds 100 --out run";
    let mut child =
        command(here, &format!("{words} --json")).stdout(Stdio::piped()).spawn().expect("the binary starts");
    let mut events = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    while !line.contains("\"step\"") {
        line.clear();
        assert_ne!(events.read_line(&mut line).expect("UTF-8"), 0, "the run ended before its first step");
    }
    let complaint =
        "error: another process is working on `run`; wait for it to end, or choose another folder with --out\n";
    for second in [format!("{words} --resume"), format!("{words} --overwrite"), "resume run".to_owned()] {
        let finished = ropinn(here, &second);
        assert_eq!((finished.code, finished.stderr.as_str()), (Some(2), complaint), "{second}");
    }
    child.kill().expect("SIGKILL");
    child.wait().expect("it ends");
    succeed(here, "resume run --iterations 3 --max-seconds 0 --quiet");
    assert_eq!(json(&here.join("run/result.json"))["iterations"], 3);
}

#[test]
fn what_cannot_be_resumed_is_refused() {
    let folder = here();
    let here = folder.path();
    let refused = |words: &str, complaint: &str| assert_refused(here, words, complaint);
    refused("resume gone", "error: `gone` holds no run to go on with: there is no such folder\n");
    fs::create_dir(here.join("mine")).expect("a folder");
    fs::write(here.join("mine/notes.txt"), "mine").expect("writable");
    refused("resume mine", "error: `mine` holds no run to go on with: it has no config.toml\n");
    refused("solve reaction --out mine --resume", "error: `mine` holds no run to go on with: it has no config.toml\n");
    succeed(here, &format!("solve reaction {TINY} --out run --quiet"));
    refused(
        &format!("solve reaction {TINY} --seed 4 --out run --resume"),
        "error: this is another run than the one saved: `seed` is 0 there and 4 here; \
         only `stop`, `checkpoint` and the iterations of unfinished phases may change\n",
    );
    refused(
        &format!("solve reaction {TINY} --init-from run/model.safetensors --out run --resume"),
        "error: the run in `run` did not start from these weights; give the same --init-from, or none if it had none\n",
    );
    let conflict = ropinn(here, "solve reaction --resume --overwrite");
    assert_eq!(conflict.code, Some(2));
    refused(
        "solve reaction --model pinnsformer --set points.interior=grid:7000x7000 --set region.samples=1000",
        &memory_complaint(here),
    );
}

/// The refusal with the memory this machine has left put in.
fn memory_complaint(here: &Path) -> String {
    let words = "solve reaction --model pinnsformer --set points.interior=grid:7000x7000 --set region.samples=1000";
    let stderr = ropinn(here, words).stderr;
    let (needed, rest) = stderr.split_once("but ").expect("two numbers");
    let (_, advice) = rest.split_once(" are available").expect("two numbers");
    assert_eq!(needed, "error: the run needs about 3.9 TB of memory, ");
    assert_eq!(
        advice,
        "; most of it is for the points; take fewer of them (`points.interior`) or fewer `region.samples`\n"
    );
    stderr
}

#[test]
fn an_experiment_goes_on_where_it_was() {
    let folder = here();
    let here = folder.path();
    let words = format!("solve reaction {TINY} --seeds 0..2 --quiet");
    succeed(here, &format!("{words} --out whole"));
    succeed(here, &format!("solve reaction {TINY} --seeds 0..1 --out run --quiet"));
    fs::remove_file(here.join("run/seed-1/result.json")).expect("there");
    fs::remove_file(here.join("run/seed-1/model.safetensors")).expect("there");
    succeed(here, &format!("{words} --out run --resume"));
    for seed in ["seed-0", "seed-1", "seed-2"] {
        assert_same(&here.join("run").join(seed), &here.join("whole").join(seed), seed);
    }
    let refused = ropinn(here, "resume run");
    assert_eq!(
        (refused.code, refused.stderr.as_str()),
        (
            Some(2),
            "error: `run` holds no run to go on with: it holds several seeds; repeat its `ropinn solve` command with --resume\n"
        )
    );
}

/// Runs a command under a limit on the size of files, which fails writes like a full disk. The signal that comes with it is
/// ignored, as it is nobody's on a full disk.
fn with_file_limit(here: &Path, kilobytes: u64, words: &str) -> common::Finished {
    let script = format!("trap '' XFSZ; ulimit -f {kilobytes}; exec {} {words}", env!("CARGO_BIN_EXE_ropinn"));
    Command::new("bash").args(["-c", &script]).current_dir(here).output().expect("bash").into()
}

#[test]
fn a_full_disk_loses_nothing() {
    let folder = here();
    let here = folder.path();
    let words = format!("{SMALL} --optimizer lbfgs --iterations 40 --set history=50").replace(" --quiet", "");
    succeed(here, &format!("{words} --out whole --quiet"));
    let size = fs::read_dir(here.join("whole/checkpoints")).expect("checkpoints").flatten();
    let largest = size.map(|entry| entry.metadata().expect("a file").len()).max().expect("one");

    // The first steps are saved; with the limit neither checkpoints nor pictures fit.
    succeed(here, &format!("{words} --iterations 4 --out run --quiet").replacen("--iterations 40 ", "", 1));
    let before = bytes(here.join("run/model.safetensors"));
    let kept: Vec<(String, Vec<u8>)> = files(&here.join("run/checkpoints"))
        .into_iter()
        .map(|name| (name.clone(), bytes(here.join("run/checkpoints").join(name))))
        .collect();
    let limit = 16;
    assert!(largest > limit * 1024, "a checkpoint of {largest} bytes fits into the limit");
    let finished = with_file_limit(here, limit, &format!("{words} --out run --resume"));
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert!(finished.stderr.contains("warning: cannot write the checkpoint `run/checkpoints/step-000000000040.ckpt`: File too large (os error 27); earlier checkpoints are untouched\n"), "{finished:?}");
    let last = finished.stderr.lines().last().expect("a complaint");
    assert!(last.starts_with("error: cannot write `run/"), "{last}");
    assert!(last.ends_with("; what was saved before is untouched: make room, then run `ropinn resume run`"), "{last}");
    for (name, content) in kept {
        assert!(bytes(here.join("run/checkpoints").join(&name)) == content, "{name} was touched");
    }
    assert!(!before.is_empty());
    // Some other process makes room.
    succeed(here, "resume run --quiet");
    assert_same(&here.join("run"), &here.join("whole"), "after a full disk");
}

#[test]
fn numbers_that_run_away_leave_the_best_weights() {
    let folder = here();
    let here = folder.path();
    let text = "name = \"cliff\"\ncoordinates = { x = [0, 1] }\nunknowns = [\"u\"]\n[equations]\nfall = \"u_x + 0.001*log(u + 0.5)\"\n\
                [[conditions]]\nkind = \"dirichlet\"\nat = \"x = 0\"\nvalue = \"-3\"\n\
                [points]\ninterior = { layout = \"grid\", counts = [9] }\n";
    fs::write(here.join("cliff.toml"), text).expect("writable");
    let run = |words: &str, optimizer: &str| -> common::Finished {
        command(here, words).args(["--optimizer", optimizer]).output().expect("the binary starts").into()
    };
    let finished = run("solve cliff.toml --width 6 --depth 1 --objective point --out run --quiet", "adam 500 lr=0.5");
    assert_eq!(finished.code, Some(1), "{finished:?}");
    let result = json(&here.join("run/result.json"));
    let reason = result["stop_reason"].as_str().expect("words");
    let iteration: u64 = reason
        .strip_prefix("non-finite loss in iteration ")
        .and_then(|rest| rest.strip_suffix(", first in term `residual`, after 3 retries with shorter steps"))
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| panic!("{reason}"));
    assert_eq!(result["iterations"], iteration);
    let best = result["best"]["trained_loss"].as_f64().expect("a best");
    assert_eq!(result["trained_loss"], best, "{result}");
    assert!((result["unweighted_loss"].as_f64().expect("finite") - best).abs() <= 1e-3 * best, "{result}");
    // The weights are good for predictions.
    fs::write(here.join("points.csv"), "x\n0.5\n").expect("writable");
    let predicted = succeed(here, "predict run --points points.csv");
    assert!(
        predicted.lines().nth(1).expect("a line").split(',').all(|cell| cell.parse::<f64>().is_ok_and(f64::is_finite))
    );
    // Going on changes nothing.
    let again = ropinn(here, "resume run --quiet");
    assert_eq!(again.code, Some(1), "{again:?}");
    assert_eq!(json(&here.join("run/result.json"))["stop_reason"], reason);
}

#[test]
fn exit_codes_are_in_the_help() {
    let folder = here();
    for words in ["--help", "solve --help"] {
        let help = succeed(folder.path(), words);
        for code in ["Exit codes:", "0    done", "1    the run failed", "2    bad input", "130  interrupted"] {
            assert!(help.contains(code), "{words}: {help}");
        }
    }
}
