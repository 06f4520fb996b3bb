//! Names and links that lead out of the folder.

use super::{ROD, TINY, attack, here, laboratory, refused, write};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// A run whose problem and data are gone.
fn lonely_run(folder: &Path) -> String {
    laboratory(folder);
    write(folder, "p.csv", "x\n0.5\n");
    let finished = attack(folder, &format!("solve rod.toml {TINY} --out run"));
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    for name in ["rod.toml", "soil.csv", "measured.csv", "exact.csv"] {
        fs::remove_file(folder.join(name)).expect("a file");
    }
    fs::read_to_string(folder.join("run/config.toml")).expect("a configuration")
}

const VERBS: [&str; 4] = [
    "resume run --iterations 3 --quiet",
    "solve run --out other --quiet",
    "evaluate run",
    "predict run --points p.csv",
];

#[test]
fn problems_do_not_follow_links_out_of_their_folder() {
    let (outside, folder) = here();
    for name in ["soil.csv", "measured.csv", "exact.csv"] {
        for target in [outside.path().join("secret.csv"), Path::new("../secret.csv").to_owned()] {
            laboratory(&folder);
            fs::remove_file(folder.join(name)).expect("a file");
            symlink(&target, folder.join(name)).expect("a link");
            refused(&folder, &format!("solve rod.toml {TINY}"), "is not in the folder of the problem file or below it");
            fs::remove_file(folder.join(name)).expect("a link");
        }
    }
    laboratory(&folder);
    symlink("..", folder.join("up")).expect("a link");
    write(&folder, "rod.toml", ROD.replace("measured.csv", "up/secret.csv"));
    refused(&folder, &format!("solve rod.toml {TINY}"), "is not in the folder of the problem file or below it");
    // Within the folder links are nobody's concern.
    fs::rename(folder.join("soil.csv"), folder.join("earth.csv")).expect("a file");
    symlink("earth.csv", folder.join("soil.csv")).expect("a link");
    write(&folder, "rod.toml", ROD);
    assert_eq!(attack(&folder, &format!("solve rod.toml {TINY}")).code, Some(0));
}

#[test]
fn tampered_runs_read_nothing_but_their_own_files() {
    let (_outside, folder) = here();
    let honest = lonely_run(&folder);
    assert!(honest.contains("name = \"rod.toml\""), "{honest}");
    let tampered = [
        // Another home for the problem, another file of it, both.
        honest.replace("name = \"rod.toml\"", "name = \"../secret.toml\""),
        honest.replace("name = \"rod.toml\"", "name = \"../../../../../../../../etc/zzz.toml\""),
        honest.replace("measured.csv", "secret.csv").replace("name = \"rod.toml\"", "name = \"../zzz.toml\""),
        honest.replace("file = \"measured.csv\"", "file = \"passwd\"").replace("\"rod.toml\"", "\"/etc/zzz.toml\""),
        honest.replace("measured.csv", "../secret.csv"),
        honest.replace("measured.csv", "../../secret.csv"),
        honest.replace("measured.csv", "/etc/passwd"),
        // No text, only a name.
        "[problem]\nname = \"../secret.toml\"\n".to_owned(),
        "[problem]\nname = \"/etc/passwd\"\n".to_owned(),
    ];
    // What the run ended with may say no more than what was asked for.
    for text in &tampered {
        write(&folder, "run/solution.toml", text);
        VERBS[2..]
            .iter()
            .for_each(|verb| refused(&folder, verb, "solution.toml is about another problem than config.toml"));
    }
    fs::remove_file(folder.join("run/solution.toml")).expect("a file");
    symlink(folder.join("../secret.toml"), folder.join("run/solution.toml")).expect("a link");
    VERBS[2..].iter().for_each(|verb| refused(&folder, verb, "leads out of the run's folder"));
    fs::remove_file(folder.join("run/solution.toml")).expect("a link");
    for text in &tampered {
        assert_ne!(*text, honest);
        write(&folder, "run/config.toml", text);
        for verb in VERBS {
            attack(&folder, verb);
            let _ = fs::remove_dir_all(folder.join("other"));
        }
        // Clearing a folder follows such names as little.
        attack(&folder, &format!("solve wave {TINY} --set points.interior=grid:5x5 --out run --overwrite"));
        assert!(folder.join("../secret.csv").is_file() && folder.join("../secret.toml").is_file());
        fs::remove_dir_all(folder.join("run")).expect("removable");
        lonely_run(&folder);
    }
}

#[test]
fn inputs_that_are_links_are_refused() {
    let (outside, folder) = here();
    lonely_run(&folder);
    let copies = outside.path().join("copies");
    fs::rename(folder.join("run/inputs"), &copies).expect("a move");
    symlink(&copies, folder.join("run/inputs")).expect("a link");
    refused(&folder, "resume run --iterations 3", "leads out of the run's folder");
    fs::remove_file(folder.join("run/inputs")).expect("a link");
    fs::create_dir(folder.join("run/inputs")).expect("writable");
    for name in ["soil.csv", "measured.csv", "exact.csv"] {
        symlink(copies.join(name), folder.join("run/inputs").join(name)).expect("a link");
    }
    refused(&folder, "resume run --iterations 3", "leads out of the run's folder");
}

#[test]
fn data_that_changed_is_refused() {
    let (_outside, folder) = here();
    laboratory(&folder);
    let words = format!("solve rod.toml {TINY} --out run");
    assert_eq!(attack(&folder, &words).code, Some(0));
    write(&folder, "measured.csv", "x,u\n0,0\n0.5,0.5\n");
    refused(&folder, &format!("{words} --resume"), "`problem.inputs.measured.csv`");
    // From another folder with a file of that name: the run's own copies count.
    write(&folder, "elsewhere/measured.csv", "x,u\n0,9\n");
    assert_eq!(attack(&folder.join("elsewhere"), "resume ../run --iterations 3 --quiet").code, Some(0));
    write(&folder, "run/inputs/measured.csv", "x,u\n0,0\n0.5,0.6\n");
    refused(&folder, "resume run --iterations 4", "is damaged: its checksum is not the one the run recorded");
}
