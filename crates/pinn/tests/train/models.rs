//! Every model learns, with every optimiser and objective.

use super::run;
use ropinn::record::Record;
use ropinn_engine::Threads;

const SMALL: [(&str, &[&str]); 6] = [
    ("pinn", &["model.width=8"]),
    ("qres", &["model.width=6", "model.depth=2"]),
    ("fls", &["model.width=8"]),
    ("pinnsformer", &["model.d_model=4", "model.ff_width=8", "model.out_width=8"]),
    ("pinnsformer-encoder", &["model.d_model=4", "model.ff_width=8", "model.out_width=8"]),
    ("kan", &["model.hidden=[3]"]),
];

#[test]
fn every_model_lowers_the_loss() {
    for (model, sizes) in SMALL {
        for problem in ["reaction", "wave", "convection"] {
            for objective in ["objective=point", "objective=region"] {
                let kind = format!("model={model}");
                let name = format!("problem.name={problem}");
                let settings =
                    [&kind, &name, objective, "phases=adam 8 lr=1e-2 then lbfgs 3", "points.interior=grid:7x7"];
                let outcome = run(&settings.iter().chain(sizes).copied().collect::<Vec<_>>());
                let rows = &outcome.record.rows;
                assert_eq!(outcome.stop_reason.to_string(), "all 11 iterations done");
                assert!(
                    rows[10].loss < 0.8 * rows[0].loss,
                    "{model} on {problem}: {} → {}",
                    rows[0].loss,
                    rows[10].loss
                );
                assert!(rows.iter().all(|row| row.loss.is_finite() && row.grad_norm.is_finite()));
                assert_eq!(outcome.record.names.terms.len(), rows[0].parts.len());
            }
        }
    }
}

#[test]
fn rows_add_up() {
    let outcome = run(&["phases=lbfgs 6", "evaluate_every=4", "weights.initial=3", "precision=f64"]);
    let Record { rows, results, .. } = &outcome.record;
    for row in rows {
        let sum: f64 = row.parts.iter().sum();
        assert!((row.loss - sum).abs() < 1e-12 * row.loss, "the terms add up to the trained loss, weights included");
        assert_eq!(row.rmse.is_some(), row.iteration == 4 || row.iteration == 6);
        assert!(row.region_size <= 0.01 && row.region_raw == 1e-4 / row.sigma);
    }
    assert!(rows.windows(2).all(|pair| pair[0].evaluations < pair[1].evaluations));
    assert_eq!((results.rmse, results.evaluations), (rows[5].rmse, rows[5].evaluations));
    assert_eq!(results.trained_loss, rows[5].loss);
    assert_eq!(results.iterations, 6);

    let lines: Vec<String> = outcome.record.csv().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 7);
    let columns = lines[0].split(',').count();
    assert!(lines.iter().all(|line| line.split(',').count() == columns), "{lines:?}");
    let loss: f64 = lines[6].split(',').nth(2).and_then(|text| text.parse().ok()).expect("a loss");
    assert_eq!(loss.to_bits(), rows[5].loss.to_bits());

    let json = serde_json::to_string(&outcome.record).expect("JSON");
    assert_eq!(serde_json::from_str::<Record>(&json).expect("a record"), outcome.record);
}

#[test]
fn trained_scalars_find_their_value() {
    // u' = −k u from 1, observed at k = 2: the rate is recovered along with the solution.
    use ropinn::problem::{Condition, ProblemBuilder, Spread};
    let problem = ProblemBuilder::new("rate")
        .coordinate("x", 0.0, 1.0)
        .unknown("u")
        .trainable("k", 0.5)
        .equation("decay", "u_x + k*u")
        .condition(Condition::made_data("exp(-2*x)", 0.0, Spread::grid([21])))
        .interior(Spread::grid([21]))
        .exact("u", "exp(-2*x)")
        .build()
        .expect("problem");
    let mut config = super::configuration(&["precision=f64", "objective=point", "phases=lbfgs 60"]);
    config.points = Default::default();
    let case = ropinn::case::Case::with_problem(config, problem, &Threads::new(1).expect("threads")).expect("case");
    let outcome = ropinn::train::Trainer::new(case).expect("trainer").run(&mut (), &Default::default()).expect("run");
    let k = outcome.record.results.trained["k"].value;
    assert!((k - 2.0).abs() < 1e-2, "k = {k}, {}", outcome.stop_reason);
}
