//! Pipes, devices and folders in place of files: nothing waits for a writer that never comes.

use super::{TINY, attack, attack_with, here, laboratory, refused};
use std::fs;
use std::path::Path;
use std::process::Command;

fn pipe(path: &Path) {
    let _ = fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo exists").success());
}

#[test]
fn pipes_are_refused_and_not_waited_for() {
    let (_outside, folder) = here();
    laboratory(&folder);
    assert_eq!(attack(&folder, &format!("solve rod.toml {TINY} --out run")).code, Some(0));
    pipe(&folder.join("pipe"));
    pipe(&folder.join("pipe.toml"));
    for words in [
        "solve pipe.toml".to_owned(),
        "show pipe.toml".to_owned(),
        format!("solve rod.toml {TINY} --init-from pipe --out other"),
        "predict run --points pipe".to_owned(),
    ] {
        refused(&folder, &words, "it is not a regular file");
    }
    for name in ["soil.csv", "measured.csv", "exact.csv"] {
        laboratory(&folder);
        pipe(&folder.join(name));
        refused(&folder, &format!("solve rod.toml {TINY} --out other"), "it is not a regular file");
        fs::remove_file(folder.join(name)).expect("a pipe");
    }
    for name in ["config.toml", "result.json", "model.safetensors", "metrics.csv", "inputs/soil.csv"] {
        fs::rename(folder.join("run").join(name), folder.join("kept")).expect("a file");
        pipe(&folder.join("run").join(name));
        for verb in ["predict run --points points.csv", "resume run --iterations 3", "report run", "evaluate run"] {
            fs::write(folder.join("points.csv"), "x\n0.5\n").expect("writable");
            attack(&folder, verb);
        }
        let _ = fs::remove_file(folder.join("run").join(name));
        fs::rename(folder.join("kept"), folder.join("run").join(name)).expect("a file");
    }
    for entry in fs::read_dir(folder.join("run/checkpoints")).expect("checkpoints").flatten() {
        pipe(&entry.path());
    }
    attack(&folder, "resume run --iterations 4 --quiet");
}

#[test]
fn checkpoints_are_looked_at_before_they_are_read() {
    let (_outside, folder) = here();
    laboratory(&folder);
    assert_eq!(attack(&folder, &format!("solve rod.toml {TINY} --out run")).code, Some(0));
    let huge = folder.join("run/checkpoints/step-000000000009.ckpt");
    // Six gigabytes of nothing; then with the beginning, and the length, of a checkpoint.
    let size: u64 = 6 << 30;
    fs::File::create(&huge).and_then(|file| file.set_len(size)).expect("a sparse file");
    let under_a_gigabyte = |words: &str| {
        let script = format!("ulimit -v {}; exec {} {words}", 1 << 20, env!("CARGO_BIN_EXE_ropinn"));
        attack_with(&folder, &script)
    };
    let finished = under_a_gigabyte("resume run --iterations 3 --quiet");
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stderr.contains("it does not begin like a checkpoint"), "{}", finished.stderr);
    let huge = folder.join("run/checkpoints/step-000000000010.ckpt");
    let mut head = b"ROPINNcp\x01\0\0\0".to_vec();
    head.extend((size - 23).to_le_bytes());
    fs::write(&huge, head).expect("writable");
    fs::OpenOptions::new().write(true).open(&huge).and_then(|file| file.set_len(size)).expect("a sparse file");
    let finished = under_a_gigabyte("resume run --iterations 4 --quiet");
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stderr.contains("warning: the checkpoint"), "{}", finished.stderr);
}
