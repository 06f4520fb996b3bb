//! Every reason to stop, in words.

use super::{configuration, run, trainer};
use ropinn::case::Case;
use ropinn::problem::{Condition, ProblemBuilder, Spread};
use ropinn::train::{StopReason, Trainer};
use ropinn_engine::Threads;

#[test]
fn limits_stop_the_run() {
    let target = run(&["phases=lbfgs 9", "stop.target_error=10", "evaluate_every=2"]);
    assert!(target.stop_reason.to_string().starts_with("target reached: rMSE "), "{}", target.stop_reason);
    assert_eq!(target.iterations, 2, "the error is measured every second step");
    let time = run(&["phases=lbfgs 9", "stop.max_seconds=1e-9"]);
    assert_eq!((time.stop_reason.to_string().as_str(), time.iterations), ("time limit of 0.000000001 s reached", 1));
    let plateau = run(&["phases=adam 50", "stop.plateau.window=3", "stop.plateau.drop=0.9"]);
    assert_eq!(plateau.stop_reason.to_string(), "plateau: the loss fell by less than 90 % in 3 iterations");
    assert!(plateau.iterations < 50);
    assert!(plateau.record.rows.last().is_some_and(|row| row.rmse.is_some()), "the last row has the error");
}

#[test]
fn convergence_stops_still_objectives_only() {
    let converged = ["phases=lbfgs 20", "tolerance_grad=1e3"];
    let with = |more: &[&str]| run(&converged.iter().chain(more).copied().collect::<Vec<_>>()).stop_reason.to_string();
    assert_eq!(with(&["objective=point"]), "converged after 5 iterations: the gradient is within `tolerance_grad`");
    assert_eq!(with(&["objective=region"]), "all 20 iterations done", "other points, other gradients");
    assert_eq!(with(&["objective=point", "stop.on_convergence=false"]), "all 20 iterations done");
    let next = run(&["phases=lbfgs 20 tolerance_grad=1e3 then adam 2", "objective=point"]);
    assert_eq!((next.stop_reason.to_string().as_str(), next.iterations), ("all 7 iterations done", 7));
}

#[test]
fn a_minimum_is_recognised() {
    // One linear problem without noise: L-BFGS reaches the precision of f64 and stays there.
    let outcome = run(&[
        "problem.name=reaction",
        "objective=point",
        "precision=f64",
        "phases=lbfgs 2000",
        "model.width=2",
        "depth=1",
    ]);
    assert!(
        matches!(outcome.stop_reason, StopReason::Converged { .. } | StopReason::LineSearchFailed { .. }),
        "{}",
        outcome.stop_reason
    );
}

#[test]
fn the_term_that_is_not_finite_is_named() {
    let problem = ProblemBuilder::new("bad")
        .coordinate("x", 0.0, 1.0)
        .unknown("u")
        .equation("flat", "u_x")
        .condition(Condition::dirichlet("x = 0", 1.0))
        .condition(Condition::operator("x = 1", "log(u - 100)").named("impossible"))
        .interior(Spread::grid([5]))
        .boundary(Spread::grid([1]))
        .build()
        .expect("problem");
    for phases in ["phases=adam 5", "phases=lbfgs 5", "phases=ssbroyden 5", "phases=gauss-newton 5"] {
        let mut config = configuration(&[phases]);
        config.points = Default::default();
        let case = Case::with_problem(config, problem.clone(), &Threads::new(1).expect("threads")).expect("case");
        let first = case.initial_theta();
        let outcome = Trainer::new(case).expect("trainer").run(&mut (), &Default::default()).expect("a result");
        assert_eq!(
            outcome.stop_reason.to_string(),
            "non-finite loss in iteration 4, first in term `impossible`, after 3 retries with shorter steps"
        );
        assert_eq!(outcome.theta, first, "the last finite parameters are kept");
        let json = serde_json::to_string(&outcome.record).expect("JSON");
        let record: ropinn::record::Record = serde_json::from_str(&json).expect("a record");
        assert!(record.rows[0].loss.is_nan() && record.results.unweighted_loss.is_nan());
    }
}

#[test]
fn an_interrupt_before_the_start_still_has_a_result() {
    let outcome = trainer(&["phases=lbfgs 5"], 1).run(&mut (), &true.into()).expect("a result");
    assert_eq!(outcome.stop_reason, StopReason::Interrupted { iteration: 0 });
    assert!(outcome.record.rows.is_empty() && outcome.record.results.unweighted_loss.is_finite());
}

#[test]
fn bad_input_is_refused_by_name() {
    let threads = Threads::new(1).expect("threads");
    let message = |overrides: &[&str]| match Case::new(configuration(overrides), &threads).and_then(Trainer::new) {
        Ok(_) => panic!("{overrides:?} was accepted"),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        message(&["weights.inital=3"]),
        "`weights.inital`: the problem has no term or equation of that name; its terms are `residual`, `initial`, `periodic`; \
         did you mean `initial`?"
    );
    assert_eq!(
        message(&["problem.name=poisson-2d-c", "model=pinnsformer", "points.interior=uniform:50"]),
        "model `pinnsformer` works on sequences in time, but problem `poisson-2d-c` has no time coordinate; choose another model"
    );
    assert!(message(&["problem.name=raection"]).contains("`reaction`"), "{}", message(&["problem.name=raection"]));
    assert!(message(&["problem.name=no/such.toml"]).contains("no/such.toml"));
    let case = Case::new(configuration(&[]), &threads).expect("case");
    let Err(error) = Trainer::starting_at(case, vec![0.0; 3]) else { panic!("accepted") };
    assert_eq!(
        error.to_string(),
        "the parameters given are 3 numbers, but the model has 105; use weights of the same model and sizes"
    );
}
