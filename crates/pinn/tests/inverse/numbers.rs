//! Numbers to be found: bounds, scales, and where they may stand.

use super::{bits, case, read, refusal, train};
use ropinn::train::Trainer;
use ropinn_expr::Env;

/// u′ = −k u, read without noise at k = 2.
fn decay(k: &str) -> String {
    format!(
        "coordinates = {{ x = [0, 1] }}\nunknowns = ['u']\ntrainable = {{ k = {k} }}\nequations = {{ decay = 'u_x + k*u' }}\n\
         conditions = [{{ kind = 'data', value = 'exp(-2*x)', sigma = 0.1, points = {{ layout = 'grid', counts = [21] }} }}]\n\
         points = {{ interior = {{ layout = 'grid', counts = [21] }} }}\nreference = {{ u = 'exp(-2*x)' }}"
    )
}

#[test]
fn bounded_numbers_find_their_value_without_leaving_their_bounds() {
    for (k, low, high) in [
        ("0.5", f64::NEG_INFINITY, f64::INFINITY),
        ("{ init = 0.5, bounds = [0, inf] }", 0.0, f64::INFINITY),
        ("{ init = 0.5, bounds = [-inf, 3] }", f64::NEG_INFINITY, 3.0),
        ("{ init = 0.5, bounds = [0, 2.1], scale = 0.3 }", 0.0, 2.1),
    ] {
        let case = case(read(&decay(k)), &["phases=gauss-newton 60"]);
        assert_eq!(case.trained_numbers(&case.initial_theta()).len(), 1);
        assert!((case.trained_numbers(&case.initial_theta())[0] - 0.5).abs() < 1e-12);
        let outcome = train(case.clone());
        let found = outcome.record.results.trained["k"].value;
        assert!((found - 2.0).abs() < 1e-3, "{k}: {found}, {}", outcome.stop_reason);
        for row in &outcome.record.rows {
            assert!(low < row.trained[0] && row.trained[0] < high, "{k}: {}", row.trained[0]);
        }
        // The weights have the number itself, and come back from it.
        let weights = case.weights(&outcome.theta).expect("weights");
        assert_eq!(weights.trained("k").map(f64::to_bits), Some(found.to_bits()));
        let again = case.theta_from(&weights).expect("the same network");
        assert!((again.last().unwrap() - outcome.theta.last().unwrap()).abs() < 1e-9);
    }
}

#[test]
fn a_bound_that_is_in_the_way_is_approached_and_not_crossed() {
    let outcome = train(case(read(&decay("{ init = 0.5, bounds = [0, 1.5] }")), &["phases=gauss-newton 40"]));
    let found = outcome.record.results.trained["k"].value;
    assert!(1.2 < found && found < 1.5, "{found}");
}

#[test]
fn runs_with_bounds_go_on_from_checkpoints_to_the_same_bits() {
    let problem = || read(&decay("{ init = 0.5, bounds = [0, 3] }"));
    let overrides = ["phases=adam 3 then gauss-newton 4"];
    let whole = train(case(problem(), &overrides));
    let mut early = Trainer::new(case(problem(), &overrides)).expect("trainer");
    let stop = std::sync::atomic::AtomicBool::new(true);
    early.run(&mut (), &stop).expect("run");
    let mut late = Trainer::from_checkpoint(case(problem(), &overrides), early.checkpoint()).expect("the same run");
    let resumed = late.run(&mut (), &Default::default()).expect("run");
    assert_eq!(bits(&resumed.theta), bits(&whole.theta));
}

#[test]
fn values_of_tables_can_be_found() {
    let problem = read(
        "coordinates = { x = [0, 1], t = [0, 1] }\nunknowns = ['u']\ntime = 't'\n\
         trainable = { clay = { init = 2, bounds = [0, inf] }, sand = 5 }\n\
         tables = { a = { axes = { x = [0, 0.5, 1] }, values = ['clay', 3, 'clay'] }, \
                    b = { axes = { x = [0.25, 0.75] }, values = ['sand', 'sand/2'], lookup = 'nearest' } }\n\
         equations = { heat = 'u_t - d(a*u_x, x) - b' }\nconditions = [{ kind = 'initial', value = 0 }]",
    );
    let theta: Vec<f64> = problem.trainables().iter().map(|own| own.start()).collect();
    let value =
        |text: &str, x: f64| problem.scope().parse(text).expect(text).eval(&Env::at(&[x, 0.0]).with_trainables(&theta));
    for (text, x, expected) in
        [("a", 0.0, 2.0), ("a", 0.25, 2.5), ("a", 0.5, 3.0), ("a_x", 0.75, -2.0), ("b", 0.1, 5.0), ("b", 0.9, 2.5)]
    {
        assert!((value(text, x) - expected).abs() < 1e-12, "{text} at {x}: {}", value(text, x));
    }
}

#[test]
fn conditions_can_have_numbers_to_be_found() {
    let problem = read(
        "coordinates = { x = [0, 1] }\nunknowns = ['u']\ntrainable = { end = 0.2 }\nequations = { line = 'u_xx' }\n\
         conditions = [{ kind = 'dirichlet', at = 'x = 0', value = 0 }, { kind = 'dirichlet', at = 'x = 1', value = 'end' },\n\
         { kind = 'data', columns = ['x', 'u'], rows = [[0.5, 0.6]] }]\npoints = { interior = { layout = 'grid', counts = [11] } }",
    );
    let outcome = train(case(problem, &["phases=gauss-newton 40"]));
    let end = outcome.record.results.trained["end"].value;
    assert!((end - 1.2).abs() < 1e-4, "{end}");
}

#[test]
fn what_cannot_be_is_said_with_its_place() {
    for (k, message) in [
        (
            "{ init = 0.5, bounds = [1, 2] }",
            "p.toml:3:15: `k` begins at 0.5, which is not between its bounds 1 and 2; begin inside them, for example: init = 1.5",
        ),
        (
            "{ init = 0, bounds = [0, inf] }",
            "p.toml:3:15: `k` begins at 0, which is not between its bounds 0 and inf; begin inside them, for example: init = 1",
        ),
        (
            "{ init = 0.5, bounds = [2, 1] }",
            "p.toml:3:15: the bounds of `k` are 2 and 1; the first must be the smaller one, and inf stands for none",
        ),
        (
            "{ init = 0.5, bounds = [1] }",
            "p.toml:3:42: `bounds` must be two numbers, such as [0, 1] or [0, inf], found a list",
        ),
        (
            "{ init = 0.5, bounds = [0, 1], transform = 'log' }",
            "p.toml:3:15: `k` cannot have transform = \"log\": a logarithm keeps to one side of one bound; write one of them as inf, or leave `transform` out",
        ),
        (
            "{ init = 0.5, transform = 'logit' }",
            "p.toml:3:15: `k` cannot have transform = \"logit\": it needs two finite bounds, for example: bounds = [0, 1]",
        ),
        ("{ init = 0.5, scale = 0 }", "p.toml:3:41: the scale of `k` is 0; it must be above zero"),
        ("{ bounds = [0, 1] }", "p.toml:3:15: [trainable.k] needs `init`, for example: init = 0.5"),
    ] {
        assert_eq!(refusal(&decay(k)), message, "{k}");
    }
    let few = "coordinates = { x = [0, 1] }\nunknowns = ['u']\ntrainable = { k = 1, m = 2 }\nequations = { e = 'u_x + k*u + m' }\n\
               conditions = [{ kind = 'data', columns = ['x', 'u'], rows = [[0.5, 1]] }]";
    let said: Vec<String> = read(few).doubts().iter().map(ToString::to_string).collect();
    assert!(said.contains(&"2 numbers are to be found (`k`, `m`), and there are only 1 readings; add readings, or make constants of some of them".to_owned()), "{said:?}");
}
