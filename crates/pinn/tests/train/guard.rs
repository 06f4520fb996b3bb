//! Numbers that run away: back to the last good point, shorter steps, and if that does not help the best weights remain.

use super::{bits, configuration, run, trainer};
use ropinn::case::Case;
use ropinn::problem::{Condition, Problem, ProblemBuilder, Spread};
use ropinn::record::Row;
use ropinn::train::{Observer, StopReason, Trainer};
use ropinn_engine::Threads;

/// u' = 0 with u(0) = 1, and a logarithm of u − `edge` that is NaN as soon as u falls to `edge` somewhere.
fn cliff(edge: f64) -> Problem {
    ProblemBuilder::new("cliff")
        .coordinate("x", 0.0, 1.0)
        .unknown("u")
        .equation("slope", "u_x + 3")
        .condition(Condition::dirichlet("x = 0", 2.0))
        .condition(Condition::operator("x = 1", format!("log(u - {edge})").as_str()).named("edge"))
        .interior(Spread::grid([9]))
        .boundary(Spread::grid([1]))
        .build()
        .expect("problem")
}

fn case(problem: Problem, overrides: &[&str]) -> Case {
    let mut config = configuration(overrides);
    config.points = Default::default();
    Case::with_problem(config, problem, &Threads::new(1).expect("threads")).expect("case")
}

#[derive(Default)]
struct Losses(Vec<f64>);

impl Observer for Losses {
    fn on_step(&mut self, row: &Row) {
        self.0.push(row.loss);
    }
}

#[test]
fn a_step_over_the_edge_is_taken_back_and_shortened() {
    // Adam walks a tenth per step towards the edge; without going back it would stay beyond.
    let problem = cliff(-0.5);
    let mut losses = Losses::default();
    let mut trainer = Trainer::new(case(problem, &["phases=adam 60 lr=0.3", "objective=point"])).expect("trainer");
    let outcome = trainer.run(&mut losses, &Default::default()).expect("run");
    let bad = losses.0.iter().filter(|loss| !loss.is_finite()).count();
    assert!(bad >= 1, "the problem never became non-finite: {:?}", losses.0);
    assert!(outcome.theta.iter().all(|value| value.is_finite()));
    assert!(outcome.record.results.unweighted_loss.is_finite(), "{}", outcome.stop_reason);
    let after = losses.0.iter().position(|loss| !loss.is_finite()).expect("one");
    assert!(losses.0[after + 1].is_finite(), "the next step starts from a good point: {:?}", losses.0);
}

#[test]
fn a_rate_beyond_reason_ends_with_its_reason_and_the_best_weights() {
    for objective in ["objective=point", "objective=region"] {
        let outcome = run(&["phases=adam 50 lr=1e200", "precision=f64", "evaluate_every=1", objective]);
        let StopReason::NonFinite { iteration, retries, term, .. } = &outcome.stop_reason else {
            panic!("{}", outcome.stop_reason)
        };
        assert!(*iteration <= 10 && *retries == 3 && term.is_some(), "{}", outcome.stop_reason);
        let best = outcome.record.results.best.expect("a best");
        assert!(outcome.theta.iter().all(|value| value.is_finite()));
        assert!(outcome.record.results.unweighted_loss.is_finite() && best.loss.is_finite());
        assert!(outcome.record.results.rmse.is_some_and(f64::is_finite));
        let first = trainer(&["precision=f64", objective], 1).case().initial_theta();
        assert_eq!(bits(&outcome.theta), bits(&first), "every move was beyond reason");
    }
}

#[test]
fn divergence_is_a_reason_to_stop() {
    let outcome = run(&["phases=adam 200 lr=1e6", "precision=f64", "objective=point"]);
    assert!(outcome.stop_reason.is_failure(), "{}", outcome.stop_reason);
    let first = outcome.record.rows[0].loss;
    assert!(
        outcome.record.results.unweighted_loss <= first,
        "{} after {first}",
        outcome.record.results.unweighted_loss
    );
    if let StopReason::Diverged { loss, first, .. } = outcome.stop_reason {
        assert!(loss > 1e6 * first);
    }
}

#[test]
fn the_best_is_the_lowest_loss_or_the_lowest_error() {
    let by_error = run(&["phases=adam 20 lr=0.05", "evaluate_every=1", "objective=point"]);
    let least = by_error.record.rows.iter().filter_map(|row| row.rmse).fold(f64::INFINITY, f64::min);
    assert_eq!(by_error.record.results.best.expect("a best").rmse, Some(least));

    // Without a reference the loss decides; Adam measures it before it moves.
    let problem = cliff(-100.0);
    let settings = ["phases=adam 20 lr=0.05", "objective=point", "precision=f64"];
    let mut trainer = Trainer::new(case(problem.clone(), &settings)).expect("trainer");
    let outcome = trainer.run(&mut (), &Default::default()).expect("run");
    let least = outcome.record.rows.iter().map(|row| row.loss).fold(f64::INFINITY, f64::min);
    let best = trainer.state().progress.best.expect("a best");
    assert_eq!((best.loss, best.rmse), (least, None));
    let mut again = Trainer::starting_at(case(problem, &settings), best.theta.clone()).expect("trainer");
    again.run(&mut (), &Default::default()).expect("run");
    assert_eq!(again.state().progress.first_loss, Some(least), "the parameters are those of the loss");
}

#[test]
fn retries_are_part_of_the_state() {
    let settings = ["phases=adam 50 lr=1e200", "precision=f64"];
    let whole = run(&settings);
    for step in 1..whole.iterations {
        let mut first = trainer(&settings, 1);
        let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        struct StopAt(u64, std::sync::Arc<std::sync::atomic::AtomicBool>);
        impl Observer for StopAt {
            fn on_step(&mut self, row: &Row) {
                if row.iteration == self.0 {
                    self.1.store(true, std::sync::atomic::Ordering::Relaxed);
                }
            }
        }
        first.run(&mut StopAt(step, stop.clone()), &stop).expect("run");
        let case = Case::new(configuration(&settings), &Threads::new(1).expect("threads")).expect("case");
        let checkpoint = ropinn::checkpoint::Checkpoint::from_bytes(&first.checkpoint().to_bytes()).expect("intact");
        let mut rest = Trainer::from_checkpoint(case, checkpoint).expect("the same run");
        let outcome = rest.run(&mut (), &Default::default()).expect("run");
        assert_eq!(outcome.stop_reason, whole.stop_reason);
        assert_eq!(bits(&outcome.theta), bits(&whole.theta));
    }
}

/// Two equations of one coordinate, the first as given.
fn of_equation(equation: &str) -> Problem {
    ProblemBuilder::new("fault")
        .coordinate("x", 0.0, 1.0)
        .unknown("u")
        .equation("e", equation)
        .condition(Condition::dirichlet("x = 1", 2.0))
        .interior(Spread::grid([9]))
        .boundary(Spread::grid([1]))
        .build()
        .expect("problem")
}

#[test]
fn a_loss_that_is_not_finite_is_never_called_done() {
    let of = |problem: Problem, settings: &[&str]| {
        let mut trainer = Trainer::new(case(problem, settings)).expect("trainer");
        let outcome = trainer.run(&mut (), &Default::default()).expect("run");
        // Asked again, it says the same.
        let case = trainer.case().clone();
        let mut again = Trainer::from_checkpoint(case, trainer.checkpoint()).expect("the same run");
        assert_eq!(again.run(&mut (), &Default::default()).expect("run").stop_reason, outcome.stop_reason);
        outcome
    };
    // From the first step on, in runs too short for three retries.
    for steps in ["phases=adam 1", "phases=adam 2", "phases=adam 3", "phases=lbfgs 2", "phases=gauss-newton 2"] {
        let outcome = of(of_equation("log(x - 2)*u_x"), &[steps]);
        assert!(outcome.stop_reason.is_failure(), "{steps}: {}", outcome.stop_reason);
        assert!(outcome.stop_reason.to_string().contains("first in term `residual`"), "{}", outcome.stop_reason);
    }
    // In the last steps only.
    let until_it_breaks = |steps: u64| {
        let phases = format!("phases=adam {steps} lr=0.3");
        of(cliff(-0.5), &[&phases, "objective=point"])
    };
    let first =
        (1..60).map(until_it_breaks).find(|outcome| outcome.record.rows.last().is_some_and(|row| row.loss.is_nan()));
    let outcome = first.expect("it breaks");
    assert!(outcome.iterations > 1 && outcome.stop_reason.is_failure(), "{}", outcome.stop_reason);
    assert!(outcome.record.results.unweighted_loss.is_finite(), "the best weights remain");
    // At the fixed points only: in regions x is never a half.
    let outcome = of(of_equation("abs(x - 0.5)*u_xx/(x - 0.5)"), &["phases=adam 5"]);
    assert!(outcome.stop_reason.is_failure());
    assert_eq!(
        outcome.stop_reason.to_string(),
        "after 5 iterations the loss is not finite at the fixed points: term `residual` is undefined at x = 0.5"
    );
    // What works is still done.
    assert_eq!(of(of_equation("u_x - 1"), &["phases=adam 2"]).stop_reason.to_string(), "all 2 iterations done");
}
