//! Runs whose files were damaged: each file in each way, under each command.

use super::{TINY, attack, here, laboratory};
use std::fs;
use std::path::{Path, PathBuf};

/// A way to damage a file.
type Damage = (&'static str, fn(&mut Vec<u8>));

const DAMAGES: [Damage; 6] = [
    ("emptied", |bytes| bytes.clear()),
    ("cut in half", |bytes| bytes.truncate(bytes.len() / 2)),
    ("doubled", |bytes| bytes.extend(bytes.clone())),
    ("zeroed", |bytes| bytes.fill(0)),
    ("one byte flipped", |bytes| {
        let middle = bytes.len() / 2;
        bytes.iter_mut().skip(middle).take(1).for_each(|byte| *byte ^= 0x15);
    }),
    ("filled with brackets", |bytes| bytes.fill(b'[')),
];

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("writable");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).expect("a copy");
        }
    }
}

/// Files a command reads.
fn files(run: &Path) -> Vec<PathBuf> {
    let fixed = ["config.toml", "solution.toml", "result.json", "metrics.csv", "model.safetensors", "inputs/soil.csv"]
        .map(|name| run.join(name));
    let checkpoints = fs::read_dir(run.join("checkpoints")).expect("checkpoints").flatten().map(|entry| entry.path());
    fixed.into_iter().chain(checkpoints).collect()
}

#[test]
fn damaged_runs_are_refused_or_mended() {
    let (_outside, folder) = here();
    laboratory(&folder);
    assert_eq!(attack(&folder, &format!("solve rod.toml {TINY} --out sound")).code, Some(0));
    fs::copy(folder.join("sound/config.toml"), folder.join("sound/solution.toml")).expect("a copy");
    fs::write(folder.join("points.csv"), "x\n0.5\n").expect("writable");
    for file in files(&folder.join("sound")) {
        let name = file.strip_prefix(folder.join("sound")).expect("below").to_owned();
        let content = fs::read(&file).expect("readable");
        for (what, damage) in DAMAGES {
            let _ = fs::remove_dir_all(folder.join("run"));
            copy(&folder.join("sound"), &folder.join("run"));
            let mut bytes = content.clone();
            damage(&mut bytes);
            fs::write(folder.join("run").join(&name), &bytes).expect("writable");
            println!("{} {what}", name.display());
            // The last one changes the folder.
            for verb in
                ["predict run --points points.csv", "evaluate run", "report run", "resume run --iterations 3 --quiet"]
            {
                attack(&folder, verb);
            }
        }
        // A folder in its place.
        let _ = fs::remove_dir_all(folder.join("run"));
        copy(&folder.join("sound"), &folder.join("run"));
        fs::remove_file(folder.join("run").join(&name)).expect("a file");
        fs::create_dir(folder.join("run").join(&name)).expect("writable");
        attack(&folder, "resume run --iterations 3 --quiet");
    }
}
