//! Objectives, weightings and samplings on the command line.

mod common;

use common::{assert_refused, here, succeed};
use serde_json::Value;

const SMALL: &str = "--width 5 --depth 2 --threads 1 --set points.interior=grid:5x5 --set points.evaluation=grid:5x5";

#[test]
fn every_choice_has_an_option() {
    let folder = here();
    for choices in [
        "--objective gradient --weighting ntk --set ntk.samples=4 --set gradient.weight=0.1",
        "--objective variational --weighting grad-norm --set variational.elements=2 --set variational.form=weak",
        "--objective region --sampling rar-d --set rar-d.period=1 --set rar-d.pool=30 --set region.estimator=sobol",
        "--objective point --sampling r3",
    ] {
        succeed(
            folder.path(),
            &format!("solve reaction {SMALL} --optimizer lbfgs --iterations 2 {choices} --quiet --out run --overwrite"),
        );
        let text = std::fs::read_to_string(folder.path().join("run/result.json")).expect("result");
        let result: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(result["iterations"], 2, "{choices}");
        assert!(result["weights"]["residual"].as_f64().is_some_and(|weight| weight > 0.0), "{choices}");
    }
}

#[test]
fn a_search_reports_every_value() {
    let folder = here();
    let words = format!(
        "solve reaction {SMALL} --optimizer lbfgs --iterations 2 --objective gradient --search gradient.weight=1,0.1,0.01 --out found"
    );
    let out = succeed(folder.path(), &words);
    assert!(out.contains("gradient.weight") && out.contains("best"), "{out}");
    for value in ["1", "0.1", "0.01"] {
        let run = folder.path().join(format!("found/gradient.weight={value}"));
        let config = std::fs::read_to_string(run.join("config.toml")).expect("configuration");
        let config: toml::Table = config.parse().expect("TOML");
        let weight = config["objective"]["gradient"]["weight"].as_float();
        assert_eq!(weight.map(|weight| weight.to_string()), Some(value.to_owned()));
        assert!(run.join("result.json").is_file());
    }
    let table = std::fs::read_to_string(folder.path().join("found/search.csv")).expect("table");
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(table.starts_with("gradient.weight,seed,rmse,rmae,unweighted loss,seconds,best,stop reason"), "{table}");
    assert!(folder.path().join("found/search.md").is_file());
    // A second search would replace the runs.
    assert_refused(
        folder.path(),
        &words,
        "error: `found/gradient.weight=1` exists already; choose another folder with --out, replace the run with --overwrite, or go on with it with --resume\n",
    );
    succeed(folder.path(), &format!("{words} --overwrite --quiet"));
}

#[test]
fn combinations_are_listed_and_refused() {
    let folder = here();
    let table = succeed(folder.path(), "list --combinations");
    assert!(table.starts_with("| | point | region | gradient | variational | fixed | ntk |"), "{table}");
    assert_refused(
        folder.path(),
        "solve reaction --objective variational --sampling rad --optimizer adam",
        "error: objective `variational` does not work with sampling `rad`: the points of its integrals are the nodes of a \
         quadrature rule and cannot be chosen; choose another one of either\n",
    );
    assert_refused(
        folder.path(),
        "solve reaction --search gradient.weight",
        "error: `gradient.weight` is no search; write a setting and its values, e.g. gradient.weight=1,0.1,0.01\n",
    );
    assert_refused(
        folder.path(),
        "solve reaction --objective gradient --search gradient.weight=1,-1",
        "error: setting `objective.gradient.weight` is -1; it must be finite and at least 0\n",
    );
}

#[test]
fn costs_stand_side_by_side() {
    let words = "costs reaction --width 6 --depth 2 --rounds 2 --threads 1 --set points.interior=grid:9x9 --json";
    let out = succeed(here().path(), words);
    let costs: Vec<Value> = serde_json::from_str(&out).expect("a JSON list");
    let names: Vec<_> = costs.iter().map(|cost| cost["objective"].as_str().expect("a name")).collect();
    assert_eq!(names, ["point", "region", "gradient", "variational", "point, ntk"]);
    let number = |cost: &Value, key: &str| cost[key].as_f64().unwrap_or_else(|| panic!("no number `{key}` in {out}"));
    assert_eq!((number(&costs[0], "ratio"), number(&costs[0], "published_ratio")), (1.0, 1.0));
    for cost in &costs {
        assert!(number(cost, "seconds_per_100_iterations") > 0.0 && number(cost, "ratio") > 0.0);
    }
    assert_refused(here().path(), "costs --rounds 0", "error: --rounds is 0; it must be at least 1\n");
}
