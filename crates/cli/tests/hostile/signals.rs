//! Signals at bad moments.

use super::{attack_with, here, laboratory};

#[test]
fn signals_at_any_moment_leave_a_run_that_goes_on() {
    let (_outside, folder) = here();
    laboratory(&folder);
    let ropinn = env!("CARGO_BIN_EXE_ropinn");
    let options = "--width 4 --depth 1 --iterations 400 --threads 1 --quiet --out run";
    attack_with(&folder, &format!("exec {ropinn} solve rod.toml {} --out whole", options.replace(" --out run", "")));
    let bytes = |run: &str| std::fs::read(folder.join(run).join("model.safetensors")).expect("weights");
    for (signal, milliseconds) in
        [("TERM", 5), ("INT", 20), ("HUP", 40), ("TERM", 80), ("INT", 120), ("KILL", 60), ("QUIT", 30)]
    {
        let _ = std::fs::remove_dir_all(folder.join("run"));
        let delay = f64::from(milliseconds) / 1000.0;
        // Whatever the moment was, the same command with --resume ends where the undisturbed run does.
        let script = format!(
            "{ropinn} solve rod.toml {options} & pid=$!; sleep {delay}; kill -{signal} $pid; wait $pid; \
             exec {ropinn} solve rod.toml {options} --resume"
        );
        let finished = attack_with(&folder, &script);
        assert_eq!(finished.code, Some(0), "{signal} after {milliseconds} ms: {}", finished.stderr);
        assert!(bytes("run") == bytes("whole"), "{signal} after {milliseconds} ms: other weights");
    }
}
