//! `ropinn race`, run as users run it. Nothing here depends on how fast the machine is.

mod common;

use common::{assert_refused, command, files, here, json, ropinn, succeed};
use std::fs;
use std::path::Path;

const TINY: &str =
    "--set points.interior=grid:11x11 --set points.evaluation=grid:11x11 --set model.width=6 --threads 2";

/// Two optimisers on two objectives from two seeds, for a blink each.
const SMALL: &str = "race reaction --seconds 0.3 --seeds 0..1 --optimizers adam,gauss-newton --out r";

fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn result_files(folder: &Path) -> Vec<String> {
    files(folder).into_iter().filter(|name| name.ends_with("result.json")).collect()
}

#[test]
fn a_race_leaves_tables_a_picture_and_the_runs() {
    let folder = here();
    let race = folder.path().join("r");
    let out = succeed(folder.path(), &format!("{SMALL} {TINY}"));
    assert!(out.contains("reaction, adam-point, seed 0: rMSE") && out.ends_with("folder: r\n"), "{out}");

    let entrants = ["adam-point", "adam-region", "gauss-newton-point", "gauss-newton-region"];
    let expected: Vec<String> =
        entrants.iter().flat_map(|e| [0, 1].map(|seed| format!("reaction/{e}/seed-{seed}/result.json"))).collect();
    assert_eq!(result_files(&race), expected);
    let own: Vec<String> = files(&race).into_iter().filter(|name| !name.contains('/')).collect();
    assert_eq!(
        own,
        [".lock", "cells.json", "race.csv", "race.json", "race.md", "reaction", "reaction.png", "reaction.svg"]
    );

    let markdown = read(&race, "race.md");
    let rows: Vec<Vec<&str>> = markdown
        .lines()
        .filter(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), 2 + 4, "{markdown}");
    assert_eq!(
        rows[0].join(","),
        "optimiser,objective,seeds,rMSE at 0.15 s,at 0.3 s,best,worst,s to 1e-2,s to 1e-3,s to 1e-4,s to 1e-5,iterations"
    );
    for (row, entrant) in rows[2..].iter().zip(entrants) {
        assert_eq!((format!("{}-{}", row[0], row[1]), row[2]), (entrant.to_owned(), "2"));
    }
    assert!(markdown.contains("## reaction\n") && markdown.contains("(reaction.svg)"), "{markdown}");
    assert!(markdown.contains(&format!("`ropinn {SMALL} {TINY}`")), "{markdown}");

    // The end of a course in race.csv is the result of that run; race.json knows the median when the time is up.
    let csv = read(&race, "race.csv");
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("problem,optimizer,objective,seed,seconds,iteration,evaluations,trained_loss,rmse"));
    let cells: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let summary = json(&race.join("race.json"));
    assert_eq!((summary["seconds"].as_f64(), summary["threads"].as_u64()), (Some(0.3), Some(2)));
    let standings = summary["problems"][0]["entrants"].as_array().expect("entrants");
    assert_eq!(standings.len(), 4);
    for (standing, entrant) in standings.iter().zip(entrants) {
        let mut errors = Vec::new();
        for seed in ["0", "1"] {
            let result = json(&race.join(format!("reaction/{entrant}/seed-{seed}/result.json")));
            let course = || cells.iter().filter(|row| format!("{}-{}", row[1], row[2]) == entrant && row[3] == seed);
            let last = course().next_back().expect("a measurement");
            let rmse = result["rmse"].as_f64().expect("an error");
            assert!((last[8].parse::<f64>().expect("a number") / rmse - 1.0).abs() < 1e-6, "{last:?} {rmse}");
            assert_eq!(last[5], result["iterations"].to_string());
            let times: Vec<f64> = course().map(|row| row[4].parse().expect("seconds")).collect();
            assert!(times.is_sorted(), "{times:?}");
            errors.extend(course().rfind(|row| row[4].parse::<f64>().expect("seconds") <= 0.3).map(|row| row[8]));
        }
        let errors: Vec<f64> = errors.iter().map(|error| error.parse().expect("a number")).collect();
        match (standing["rmse"]["median"].as_f64(), &errors[..]) {
            (Some(median), [a, b]) => assert!((median / (0.5 * (a + b)) - 1.0).abs() < 1e-6, "{median} {errors:?}"),
            // A machine so slow that a run saw no error in time.
            (median, some) => assert!(median.is_none() && some.len() < 2, "{median:?} {errors:?}"),
        }
        assert_eq!(standing["runs"].as_array().map(Vec::len), Some(2));
    }
}

#[test]
fn only_the_optimiser_differs() {
    let folder = here();
    let words = "race reaction --seconds 100 --seeds 3 --optimizers adam,lbfgs,ssbfgs,ssbroyden,gn --set iterations=2 \
                 --set region.r=1e-3 --set lr=0.5 --out r";
    succeed(folder.path(), &format!("{words} {TINY}"));
    let config = |entrant: &str| {
        let text = read(folder.path(), &format!("r/reaction/{entrant}/seed-3/config.toml"));
        text.parse::<toml::Table>().expect("TOML")
    };
    let first = config("adam-region");
    for entrant in ["adam", "lbfgs", "ssbfgs", "ssbroyden", "gauss-newton"] {
        for objective in ["point", "region"] {
            let own = config(&format!("{entrant}-{objective}"));
            for key in ["seed", "precision", "problem", "points", "model", "init", "stop"] {
                assert_eq!(own.get(key), first.get(key), "{entrant}-{objective}: {key}");
            }
            assert_eq!(own["objective"]["kind"].as_str(), Some(objective));
            // What only some entrants have is set for them: the region's size and the rate of those with a rate.
            let r = own["objective"]["region"]["r"].as_float();
            assert_eq!(r == Some(1e-3), objective == "region", "{entrant}-{objective}: r = {r:?}");
            let rate = own["phases"][0].get("lr").and_then(toml::Value::as_float);
            assert_eq!(rate, ["adam", "lbfgs"].contains(&entrant).then_some(0.5), "{entrant}");
        }
    }
}

#[test]
fn a_repeated_race_goes_on() {
    let folder = here();
    let race = folder.path().join("r");
    let first = format!("{SMALL} {TINY} --set iterations=3 --objectives point");
    succeed(folder.path(), &first);
    let results = || result_files(&race).into_iter().map(|file| read(&race, &file)).collect::<Vec<_>>();
    let (before, csv) = (results(), read(&race, "race.csv"));
    assert_eq!(before.len(), 4);

    let again = ropinn(folder.path(), &first);
    assert_eq!((again.code, again.stderr.matches(" is finished\n").count()), (Some(0), 4), "{}", again.stderr);
    assert_eq!((results(), read(&race, "race.csv")), (before.clone(), csv));

    // One that was not finished is done again, in its place; the others are kept.
    fs::remove_file(race.join("reaction/adam-point/seed-0/result.json")).expect("removable");
    let again = ropinn(folder.path(), &first);
    assert_eq!((again.code, again.stderr.matches(" is finished\n").count()), (Some(0), 3), "{}", again.stderr);
    assert_eq!(results()[1..], before[1..]);
    let seeds =
        |runs: &serde_json::Value| runs.as_array().expect("runs").iter().map(|run| run["seed"].clone()).collect();
    let order: Vec<serde_json::Value> = seeds(&json(&race.join("race.json"))["problems"][0]["entrants"][0]["runs"]);
    assert_eq!(order, [0, 1]);

    // A further seed joins.
    let more = ropinn(folder.path(), &first.replace("0..1", "0..2"));
    assert_eq!((more.code, more.stderr.matches(" is finished\n").count()), (Some(0), 4), "{}", more.stderr);
    assert_eq!(results().len(), 6);

    let other = |path: &str, setting: &str| {
        format!(
            "error: `r/reaction/{path}/seed-0` was run with another `{setting}`, so the race cannot go on with it; \
             choose another folder with --out, or run it again with --overwrite\n"
        )
    };
    assert_refused(folder.path(), &first.replace("0.3", "0.4"), &other("adam-point", "stop.max_seconds"));
    assert_refused(folder.path(), &first.replace("threads 2", "threads 1"), &other("adam-point", "threads"));
    assert_refused(folder.path(), &format!("{first} --set damping=1e-2"), &other("gauss-newton-point", "phases"));
    let replaced = ropinn(folder.path(), &format!("{first} --overwrite --threads 1").replace("--threads 2", ""));
    assert_eq!((replaced.code, replaced.stderr.matches(" is finished\n").count()), (Some(0), 0), "{}", replaced.stderr);
    assert_eq!(json(&race.join("reaction/adam-point/seed-0/result.json"))["threads"], 1);
}

#[test]
fn events_end_with_the_race() {
    let folder = here();
    let words = format!("race convection reaction --seconds 9 --seeds 0 --optimizers gn --objectives point {TINY}");
    let out = succeed(folder.path(), &format!("{words} --set iterations=2 --json"));
    let events: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let kinds: Vec<&str> = events.iter().map(|event| event["event"].as_str().expect("a kind")).collect();
    let run = ["start", "phase", "choice", "step", "step", "finish"];
    assert_eq!(kinds, [&run[..], &run[..], &["race"]].concat());
    let race = &events[events.len() - 1];
    assert_eq!((race["folder"].as_str(), race["problems"].as_array().map(Vec::len)), (Some("race"), Some(2)));
    assert_eq!(race["problems"][1]["entrants"][0]["iterations"]["median"], 2.0);
}

#[test]
#[cfg(unix)]
fn an_interrupted_race_finishes_its_run_and_sums_up() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};
    let folder = here();
    let words = format!("race reaction --seconds 2 --seeds 0..1 --optimizers adam --objectives point --out r {TINY}");
    let mut child = command(folder.path(), &format!("{words} --json")).stdout(Stdio::piped()).spawn().expect("starts");
    let mut events = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    while !line.contains("\"step\"") {
        line.clear();
        assert_ne!(events.read_line(&mut line).expect("UTF-8"), 0, "the race ended before its first step");
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill exists").success());
    let mut rest = String::new();
    events.read_to_string(&mut rest).expect("UTF-8");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(rest.lines().last().expect("an event").contains("\"race\""), "{rest}");
    let race = folder.path().join("r");
    assert_eq!(result_files(&race), ["reaction/adam-point/seed-0/result.json"]);
    let first = json(&race.join("reaction/adam-point/seed-0/result.json"));
    assert_eq!(first["stop_reason"], "time limit of 2 s reached");
    assert!(read(&race, "race.md").contains("| adam      | point     |     1 |"), "{}", read(&race, "race.md"));

    succeed(folder.path(), &words);
    assert_eq!(json(&race.join("reaction/adam-point/seed-0/result.json")), first);
    assert!(race.join("reaction/adam-point/seed-1/result.json").is_file());
}

#[test]
fn bad_input_is_refused() {
    let folder = here();
    let refused = |words: &str, complaint: &str| assert_refused(folder.path(), words, complaint);
    refused(
        "race reacton",
        &format!(
            "error: no built-in problem is named `reacton` (did you mean `reaction`?); built in are: {}\n\
             hint: `ropinn list` shows all problems; a file needs its ending `.toml`\n",
            ropinn::problem::Problem::builtin_names().join(", ")
        ),
    );
    refused(
        "race reaction --optimizers adam,gaus-newton",
        "error: invalid value 'gaus-newton' for '--optimizers <OPTIMIZERS>'\n  \
         [possible values: adam, lbfgs, ssbfgs, ssbroyden, gauss-newton, polish]\n\n  \
         tip: a similar value exists: 'gauss-newton'\n\nFor more information, try '--help'.\n",
    );
    for seconds in ["0", "-1", "inf", "NaN"] {
        let complaint = format!("error: --seconds is {seconds}; it must be a positive number\n");
        refused(&format!("race reaction --seconds {seconds}"), &complaint);
    }
    refused(
        "race reaction --seeds 3..1",
        "error: `3..1` does not name seeds; write a range such as 0..9 (both ends included) or a list such as 0,3,7\n",
    );
    refused("race reaction wave reaction", "error: problem `reaction` is named twice; name it once\n");
    refused("race reaction --optimizers gn,gn", "error: optimiser `gauss-newton` is named twice; name it once\n");
    refused("race reaction --objectives point,point", "error: objective `point` is named twice; name it once\n");
    let bare = "coordinates = { x = [0, 1] }\nunknowns = ['u']\nequations = { line = 'u_xx' }\n\
                conditions = [{ kind = 'dirichlet', at = 'boundary', value = 0 }]";
    fs::write(folder.path().join("bare.toml"), bare).expect("writable");
    refused(
        "race bare.toml",
        "error: problem `bare` has no reference solution, so there is no error to race for; choose a problem with one\n",
    );
    for (set, setting, instead) in [
        ("phases=adam", "phases", "--optimizers"),
        ("seed=7", "seed", "--seeds"),
        ("stop.max_seconds=7", "stop.max_seconds", "--seconds"),
        ("objective.kind=point", "objective.kind", "--objectives"),
    ] {
        refused(
            &format!("race reaction --set {set} --objectives region --optimizers lbfgs"),
            &format!("error: --set changes `{setting}`, which the race itself sets; use {instead} instead\n"),
        );
    }
    refused("race reaction --set widht=3", "error: unknown setting `widht`; did you mean `width`?\n");
    refused(
        "race reaction --objectives point --set region.r=1",
        "error: `objective.region.r` has no effect with the `point` objective; drop it or choose the `region` objective\n",
    );
    refused("race reaction --threads 0", "error: --threads is 0; it must be at least 1\n");

    fs::create_dir(folder.path().join("mine")).expect("writable");
    fs::write(folder.path().join("mine/notes.txt"), "mine").expect("writable");
    for path in ["mine", "mine/notes.txt"] {
        for overwrite in ["", " --overwrite"] {
            refused(
                &format!("race reaction --out {path}{overwrite}"),
                &format!("error: `{path}` exists and is not the folder of a race; choose another folder with --out\n"),
            );
        }
    }
}
