//! A row tells the parts of the loss at the parameters its step accepted.

use super::bits;
use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::problem::Problem;
use ropinn::train::Trainer;
use ropinn_engine::Threads;

/// A loss of 10¹⁰ + w (u(½) − 3)² with so small a w that the second part is lost in rounding: a search along −g finds many
/// places of the same loss, none of them lower, and stays where it began.
#[test]
fn equal_losses_are_not_mistaken_for_each_other() {
    let text = r#"
        name = "plateau"
        coordinates = { x = [0, 1] }
        unknowns = ["u"]
        equations = { large = "100000 + 1e-30*u" }
        conditions = [{ name = "small", kind = "data", columns = ["x", "u"], rows = [[0.5, 3]] }]
        points = { interior = { layout = "grid", counts = [2] } }
    "#;
    let problem = Problem::from_toml(text, "plateau.toml".as_ref()).expect("a problem");
    let mut config = RunConfig::default();
    let small = ["objective=point", "precision=f64", "width=4", "depth=1", "weights.small=1e-7"];
    config.set_all(&small).expect("valid");
    config.set_all(&["phases=lbfgs 1 lr=1e8 tolerance_change=1e-30 tolerance_grad=0"]).expect("valid");
    let case = Case::with_problem(config, problem, &Threads::new(1).expect("threads")).expect("case");
    let start = case.initial_theta();
    let outcome = Trainer::new(case).expect("trainer").run(&mut (), &Default::default()).expect("run");
    let (row, results) = (outcome.record.rows.last().expect("a row"), &outcome.record.results);
    assert!(outcome.evaluations > 2 && bits(&outcome.theta) == bits(&start), "the search found nothing lower");
    let weighted = results.parts.iter().map(|(name, part)| part * results.weights[name]);
    let parts: Vec<f64> = weighted.collect();
    assert_eq!(bits(&row.parts), bits(&parts));
}
