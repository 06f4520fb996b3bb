//! Systems: each equation with its residual and its weight, each unknown with its error; trained numbers step by step.

use super::{configuration, trainer};
use ropinn::case::Case;
use ropinn::error::Error;
use ropinn::objective::Objective;
use ropinn::problem::Problem;
use ropinn::train::{TrainOutcome, Trainer};
use ropinn_engine::Threads;
use ropinn_optim::Oracle;

/// u' = v, v' = −k² u with u = sin 2x: two equations of different size.
fn system(swing: &str) -> Problem {
    let text = format!(
        "name = 'swing'\ncoordinates = {{ x = [0, 1] }}\nunknowns = ['u', 'v']\ntrainable = {{ k = 1.5 }}\n\
         equations = {{ speed = 'u_x - v', swing = {swing} }}\n\
         conditions = [{{ kind = 'dirichlet', at = 'x = 0', value = {{ u = 0, v = 2 }}, name = 'start' }}]\n\
         points = {{ interior = {{ layout = 'grid', counts = [9] }}, boundary = {{ layout = 'grid', counts = [1] }} }}\n\
         reference = {{ u = 'sin(2*x)', v = '2*cos(2*x)' }}"
    );
    Problem::from_toml(&text, "swing.toml".as_ref()).unwrap_or_else(|error| panic!("{error}"))
}

const PLAIN: &str = "'v_x + k^2*u'";
const WEIGHED: &str = "{ residual = 'v_x + k^2*u', weight = 4 }";

fn case(swing: &str, overrides: &[&str]) -> Case {
    let mut config = configuration(&["precision=f64", "evaluate_every=2"]);
    config.points = Default::default();
    config.set_all(overrides).expect("valid");
    Case::with_problem(config, system(swing), &Threads::new(1).expect("threads")).expect("case")
}

fn run(swing: &str, overrides: &[&str]) -> TrainOutcome {
    let mut trainer = Trainer::new(case(swing, overrides)).expect("trainer");
    trainer.run(&mut (), &Default::default()).expect("run")
}

fn close(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() <= 1e-12 * wanted.abs()
}

#[test]
fn each_equation_and_each_unknown_is_shown() {
    for objective in ["objective=region", "objective=point", "objective=gradient"] {
        let outcome = run(WEIGHED, &[objective, "phases=lbfgs 4"]);
        let (record, results) = (&outcome.record, &outcome.record.results);
        assert_eq!(
            (&record.names.equations[..], &record.names.unknowns[..]),
            (&["speed", "swing"].map(str::to_owned)[..], &["u", "v"].map(str::to_owned)[..])
        );
        for row in &record.rows {
            assert!(close(row.equations.iter().sum(), row.parts[0]) && row.equations.len() == 2, "{row:?}");
            assert!(close(row.parts.iter().sum(), row.loss), "{row:?}");
            assert_eq!(row.rmse_by_unknown.len(), if row.rmse.is_some() { 2 } else { 0 });
        }
        // The totals stay, and the single ones add up to them.
        assert_eq!(results.parts.keys().collect::<Vec<_>>(), ["residual", "start"]);
        assert!(close(results.equations.values().sum(), results.parts["residual"]) && results.equations.len() == 2);
        // rMSE² is the mean of those of the unknowns, weighed by the size of their references.
        let (exact, rmse) = (
            case(PLAIN, &[]).problem().evaluation().expect("points").reference.expect("known"),
            &results.rmse_by_unknown,
        );
        let size = |k: usize| exact.iter().skip(k).step_by(2).map(|u| u * u).sum::<f64>();
        let mean = (rmse["u"].powi(2) * size(0) + rmse["v"].powi(2) * size(1)) / (size(0) + size(1));
        assert!((mean.sqrt() / results.rmse.expect("known") - 1.0).abs() < 1e-9, "{results:?}");
        assert_eq!(results.rmae_by_unknown.len(), 2);
        let text = record.csv();
        let header = text.lines().next().expect("a header");
        assert!(
            header.contains(",equation speed,equation swing,trained k,") && header.ends_with(",rmse,rmse u,rmse v"),
            "{header}"
        );
        assert!(text.lines().all(|line| line.split(',').count() == header.split(',').count()), "{text}");
    }
    // One equation and one unknown are their own totals.
    let alone = trainer(&["phases=adam 2"], 1).run(&mut (), &Default::default()).expect("run").record;
    assert!(alone.names.equations.is_empty() && alone.names.unknowns.is_empty() && alone.results.equations.is_empty());
}

#[test]
fn each_equation_has_a_weight() {
    let weights = |swing: &str, overrides: &[&str]| {
        let objective = Objective::new(&case(swing, overrides)).map_err(|error: Error| error.to_string())?;
        Ok::<_, String>(objective.weights().to_vec())
    };
    assert_eq!(weights(PLAIN, &[]), Ok(vec![1.0, 1.0, 1.0]));
    assert_eq!(weights(WEIGHED, &[]), Ok(vec![1.0, 4.0, 1.0]), "in the problem");
    assert_eq!(weights(WEIGHED, &["weights.swing=9"]), Ok(vec![1.0, 9.0, 1.0]), "the run has the last word");
    assert_eq!(weights(WEIGHED, &["weights.residual=2"]), Ok(vec![2.0, 8.0, 1.0]), "all equations together");
    let slopes = ["objective=gradient", "gradient.weight=0.5"];
    assert_eq!(weights(WEIGHED, &slopes), Ok(vec![1.0, 4.0, 0.5, 2.0, 1.0]));
    assert_eq!(
        weights(PLAIN, &["weights.swng=9"]),
        Err("`weights.swng`: the problem has no term or equation of that name; its terms are `residual`, `start`; \
             did you mean `swing`?"
            .to_owned())
    );
    // It is a factor of the equation's part, for integrals too.
    let loss = |swing: &str, overrides: &[&str]| {
        let case = case(swing, overrides);
        let (theta, mut objective) = (case.initial_theta(), Objective::new(&case).expect("objective"));
        objective.begin_step(0);
        objective.evaluate(&theta, &mut vec![0.0; theta.len()])
    };
    for objective in ["objective=point", "objective=gradient", "objective=variational"] {
        let of = |speed: &str, swing: &str| loss(PLAIN, &[objective, speed, swing, "weights.start=0"]);
        let [neither, first, second] = [
            of("weights.speed=0", "weights.swing=0"),
            of("weights.speed=1", "weights.swing=0"),
            of("weights.speed=0", "weights.swing=1"),
        ];
        assert!(neither == 0.0 && first > 0.0 && second > 0.0, "{objective}: {neither} {first} {second}");
        assert!(close(of("weights.speed=3", "weights.swing=5"), 3.0 * first + 5.0 * second), "{objective}");
        assert!(close(loss(WEIGHED, &[objective, "weights.start=0"]), first + 4.0 * second), "{objective}");
    }
    let refused = |weight: &str| {
        let text = format!(
            "name = 'a'\ncoordinates = {{ x = [0, 1] }}\nunknowns = ['u']\nequations = {{ e = {{ residual = 'u_x', {weight} }} }}"
        );
        Problem::from_toml(&text, "a.toml".as_ref()).expect_err(weight).to_string()
    };
    assert!(
        refused("weight = -1").contains("the weight of equation `e` is -1; it must be zero or more"),
        "{}",
        refused("weight = -1")
    );
    assert!(refused("wieght = 2").contains("weight"), "{}", refused("wieght = 2"));
}

#[test]
fn the_course_of_trained_numbers_is_in_every_row() {
    let outcome = run(PLAIN, &["phases=gauss-newton 12"]);
    let (record, results) = (&outcome.record, &outcome.record.results);
    let course: Vec<f64> = record.rows.iter().map(|row| row.trained[0]).collect();
    assert_eq!((course.len(), course.last()), (12, results.trained.get("k").map(|found| &found.value)));
    assert!(course.windows(2).any(|pair| pair[0] != pair[1]), "{course:?}");
    let column = record.csv().lines().next().expect("a header").split(',').position(|name| name == "trained k");
    let cells: Vec<f64> = record
        .csv()
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(column.expect("a column")).expect("a cell").parse().expect("a number"))
        .collect();
    assert_eq!(cells, course);
}
