//! What is read: problems, configurations, tables, weights, checkpoints.

use super::mutate::{Draws, damage};
use super::repeat;
use ropinn::case::Case;
use ropinn::checkpoint::Checkpoint;
use ropinn::config::RunConfig;
use ropinn::problem::Problem;
use ropinn::train::Trainer;
use ropinn::weights::{read_weights, save_weights, theta_from};
use ropinn_engine::{Precision, Threads};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const TOML: [&str; 26] = [
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "=",
    "\"",
    "'''",
    "\"\"\"",
    ".",
    ",",
    "\n",
    "#",
    "[points]\n",
    "[equations]\n",
    "[[conditions]]\n",
    "u_xx",
    "x = 0",
    "grid",
    "counts = [3, 3]",
    "file = \"x.csv\"",
    "\u{feff}",
    "é",
    "a.b.c.d = 1\n",
    "[tables.k]\n",
];

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[test]
fn problems() {
    let builtins = Problem::builtin_names();
    let (accepted, cases) = repeat(3_000, |case| {
        let mut draws = Draws::of_case(case);
        let mut bytes = Problem::builtin_source(draws.pick(&builtins)).expect("built in").as_bytes().to_vec();
        damage(&mut bytes, &TOML, &mut draws);
        // Data files a problem names are looked for in a folder that does not exist.
        match Problem::from_toml(&text(bytes), Path::new("/nowhere/problem.toml")) {
            Ok(problem) => !problem.unknown_names().is_empty(),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                false
            }
        }
    });
    assert!(accepted > cases / 50, "{accepted} of {cases}: the damage is too great to get far");
}

#[test]
fn configurations() {
    let kinds = ["pinn", "kan", "pinnsformer", "qres"];
    let phases = ["adam 5 decay=cosine", "lbfgs 5", "ssbroyden 3 then gauss-newton 4"];
    let (accepted, cases) = repeat(3_000, |case| {
        let mut draws = Draws::of_case(case);
        let mut config = RunConfig::default();
        let settings = [format!("model={}", draws.pick(&kinds)), format!("phases={}", draws.pick(&phases))];
        config.set_all(&settings).expect("valid");
        let mut bytes = config.to_toml().into_bytes();
        damage(&mut bytes, &TOML, &mut draws);
        let text = text(bytes);
        let _ = RunConfig::is_run_config(&text);
        let line = text.lines().nth(draws.below(40)).unwrap_or_default().to_owned();
        let _ = config.set(&line.replace(" = ", "="));
        match RunConfig::from_toml(&text) {
            Ok(config) => {
                assert_eq!(RunConfig::from_toml(&config.to_toml()).as_ref(), Ok(&config), "case {case}");
                true
            }
            Err(_) => false,
        }
    });
    assert!(accepted > cases / 50, "{accepted} of {cases}");
}

#[test]
fn tables() {
    let problem = r#"name = "tables"
coordinates = { x = [0, 1], y = [0, 1] }
unknowns = ["u"]
[tables.a]
file = "a.csv"
axes = ["x", "y"]
[equations]
heat = "a*u_xx + u_yy"
[[conditions]]
kind = "data"
file = "observed.csv"
[points]
interior = { layout = "grid", counts = [3, 3] }
[reference]
file = "solution.csv"
"#;
    let folder = tempfile::tempdir().expect("a folder");
    let sound = [
        ("a.csv", "x,y,a\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n"),
        ("observed.csv", "# seen\nx;y;u\n0.5;0.5;1\n0.25;0.75;-2e-3\n"),
        ("solution.csv", "x y u\n 0  0 1\n1 1 NaN\n0.5 0.5 2\n"),
    ];
    let pieces = [",", ";", "\t", " ", "\n", "\"", "NaN", "inf", "1e999", "-0", "#", "\r", "x", "0,0,1\n", "\u{feff}"];
    let (accepted, cases) = repeat(1_500, |case| {
        let mut draws = Draws::of_case(case);
        let hit = draws.below(sound.len());
        for (k, (name, content)) in sound.iter().enumerate() {
            let mut bytes = content.as_bytes().to_vec();
            if k == hit {
                damage(&mut bytes, &pieces, &mut draws);
            }
            fs::write(folder.path().join(name), bytes).expect("writable");
        }
        match Problem::from_toml(problem, &folder.path().join("problem.toml")) {
            Ok(problem) => {
                problem.evaluation().expect("a table is a reference");
                true
            }
            Err(error) => {
                assert!(error.to_string().len() < 2_000, "case {case}: {error}");
                false
            }
        }
    });
    assert!(accepted > cases / 50, "{accepted} of {cases}");
}

fn small_case(phases: &str) -> Case {
    let mut config = RunConfig::default();
    let settings = ["problem.name=reaction", "points.interior=grid:5x5", "width=3", "depth=1", phases];
    config.set_all(&settings).expect("valid");
    config.set_all(&["region.past=2", "points.evaluation=grid:5x5"]).expect("valid");
    Case::new(config, &Threads::new(1).expect("threads")).expect("case")
}

#[test]
fn weights() {
    let case = small_case("phases=adam 2");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.safetensors");
    let (layout, theta) = (case.network().layout(), case.initial_theta());
    save_weights(&path, layout, &theta, Precision::F32, &BTreeMap::new()).expect("writable");
    let sound = fs::read(&path).expect("readable");
    let pieces = ["{", "}", "\"shape\":[1000000000000]", "\"dtype\":\"F64\"", "[", "]", ",", ":", "\"", "__metadata__"];
    let (accepted, cases) = repeat(3_000, |case| {
        let mut draws = Draws::of_case(case);
        let mut bytes = sound.clone();
        damage(&mut bytes, &pieces, &mut draws);
        fs::write(&path, &bytes).expect("writable");
        match read_weights(&path).and_then(|tensors| theta_from(&tensors, layout)) {
            Ok(found) => {
                assert!(found.len() == theta.len() && found.iter().all(|number| number.is_finite()), "case {case}");
                // The numbers are the end of the file: nothing else may be read as them.
                assert_eq!(bytes.len(), sound.len(), "case {case}");
                true
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                false
            }
        }
    });
    assert!(accepted > 0 && accepted < cases / 2, "{accepted} of {cases}");
}

#[test]
fn a_header_of_a_trillion_elements_takes_no_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.safetensors");
    let header = r#"{"a":{"dtype":"F64","shape":[1000000,1000000],"data_offsets":[0,8000000000000]}}"#;
    fs::write(&path, [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &[0; 64]].concat()).expect("writable");
    let error = read_weights(&path).expect_err("refused").to_string();
    assert!(error.contains("is not a valid safetensors file"), "{error}");
}

/// With its checksum put right: damage that only a hostile writer makes.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() < 24 {
        return bytes;
    }
    let end = bytes.len() - 4;
    bytes[12..20].copy_from_slice(&(end as u64 - 20).to_le_bytes());
    let checksum = ropinn_files::checksum(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[test]
fn checkpoints() {
    let mut trainer = Trainer::new(small_case("phases=lbfgs 2 history=3")).expect("trainer");
    trainer.run(&mut (), &Default::default()).expect("run");
    let sound = trainer.checkpoint().to_bytes();
    assert!(Checkpoint::from_bytes(&sealed(sound.clone())).is_ok());
    // Two steps are left to do.
    let case = small_case("phases=lbfgs 4 history=3");
    let (accepted, cases) = repeat(3_000, |number| {
        let mut draws = Draws::of_case(number);
        let mut bytes = sound.clone();
        match draws.below(3) {
            // A length or count at the edge, anywhere.
            0 => {
                let at = draws.below(bytes.len() - 8);
                let edges = [0, 1, u64::MAX, u64::MAX / 8, u64::from(u32::MAX), 1 << 40, bytes.len() as u64];
                bytes[at..at + 8].copy_from_slice(&edges[draws.below(edges.len())].to_le_bytes());
            }
            _ => damage(&mut bytes, &["\0\0\0\0\0\0\0\0", "adam", "lbfgs", "x"], &mut draws),
        }
        let plain = Checkpoint::from_bytes(&bytes);
        assert!(plain.is_err() || bytes == sound, "case {number}: damage went unnoticed");
        match Checkpoint::from_bytes(&sealed(bytes)) {
            // One that is in order but for what it says must not break the run either.
            Ok(checkpoint) => match Trainer::from_checkpoint(case.clone(), checkpoint) {
                Ok(mut trainer) if number % 10 == 0 => trainer.run(&mut (), &Default::default()).is_ok(),
                resumed => resumed.is_ok(),
            },
            Err(_) => false,
        }
    });
    assert!(accepted > cases / 50, "{accepted} of {cases}");
}

/// Nesting and lengths beyond reason: refused or read, never a stack that overflows.
#[test]
fn bombs() {
    let deep = 100_000;
    let bombs = [
        format!("a = {}", "[".repeat(deep)),
        format!("a = {}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("a = {}1{}", "{a = ".repeat(deep), "}".repeat(deep)),
        format!("{} = 1", vec!["a"; deep].join(".")),
        format!("[{}]\nb = 1", vec!["a"; deep].join(".")),
        format!("[[{}]]\nb = 1", vec!["a"; deep].join(".")),
        (0..200).map(|k| format!("[{}]\n", vec!["a"; k + 1].join("."))).collect::<String>(),
        "[[a]]\n".repeat(deep),
        format!("name = \"{}\"", "x".repeat(3 << 20)),
        format!(
            "name = \"u\"\ncoordinates = {{ x = [0, \"{}1{}\"] }}\nunknowns = [\"u\"]",
            "(".repeat(deep),
            ")".repeat(deep)
        ),
        format!("name = \"u\"\ncoordinates = {{ x = [0, \"1{}\"] }}\nunknowns = [\"u\"]", "^2".repeat(deep)),
        format!("[problem]\nname = \"reaction\"\n[model]\nkind = {}", "[".repeat(deep)),
    ];
    for bomb in &bombs {
        let short: String = bomb.chars().take(30).collect();
        assert!(Problem::from_toml(bomb, Path::new("bomb.toml")).is_err(), "{short}");
        assert!(RunConfig::from_toml(bomb).is_err(), "{short}");
        let mut config = RunConfig::default();
        // A problem may be called what you like; there just is none of that name.
        let set = config.set(&bomb.replacen(" = ", "=", 1));
        assert!(if bomb.starts_with("name") { set.is_ok() } else { set.is_err() }, "{short}");
        assert!(set.is_ok() || config == RunConfig::default(), "{short}");
    }
    let large = format!("name = \"{}\"", "x".repeat(5 << 20));
    let error = Problem::from_toml(&large, Path::new("large.toml")).expect_err("refused").to_string();
    assert!(error.contains("large.toml"), "{error}");
}

#[test]
fn problem_files_read_nothing_elsewhere() {
    let source = Problem::builtin_source("reaction").expect("built in");
    for outside in ["/etc/passwd", "../secret.csv", "data/../../secret.csv"] {
        let text = format!("{source}\n[[conditions]]\nkind = \"data\"\nfile = \"{outside}\"\n");
        let error = Problem::from_toml(&text, Path::new("p.toml")).expect_err("refused").to_string();
        let rest =
            format!(": `{outside}` is not in the folder of the problem file or below it; move the data file there");
        assert!(error.starts_with("p.toml:") && error.ends_with(&rest), "{error}");
    }
}
