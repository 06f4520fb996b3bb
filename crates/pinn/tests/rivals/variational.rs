//! Variational residuals inside the objective.

use super::{case, close, evaluated, with_residuals};
use ropinn::config::RunConfig;
use ropinn::error::Error;
use ropinn::objective::Objective;
use ropinn::problem::{Problem, TermGroup};
use ropinn::variational::{Role, VariationalRule};
use ropinn_engine::Threads;
use ropinn_optim::{LeastSquares, Oracle};

const SMALL: [&str; 4] =
    ["objective=variational", "variational.elements=3", "variational.tests=2", "variational.quadrature=5"];

fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    SMALL.into_iter().chain(more.iter().copied()).collect()
}

#[test]
fn the_residual_term_is_the_mean_square_of_integrals() {
    let variational = case(&small(&[]));
    let theta = variational.initial_theta();
    let mut objective = Objective::new(&variational).expect("objective");
    let (loss, terms, _) = evaluated(&mut objective, &theta);
    // The equation's values at the rule's points, by a least-squares view of the point objective there.
    let rule = VariationalRule::new(&variational.problem().ranges(), &variational.config().objective.variational);
    let rule = rule.expect("rule");
    let point = case(&["objective=point"]);
    let mut at_nodes = with_residuals(&point, |term| {
        if term.group == TermGroup::Residual {
            term.points = rule.points().to_vec();
        }
    });
    let mut values = Vec::new();
    at_nodes.begin_step(0);
    LeastSquares::residuals(&mut at_nodes, &theta, &mut values);
    let count = rule.points().len() / 2;
    let values: Vec<f64> = values[..count].iter().map(|r| r * (count as f64).sqrt()).collect();
    let integrals = rule.integrals(&Role::strong(1), &values).expect("integrals");
    let wanted = integrals.iter().map(|i| i * i).sum::<f64>() / integrals.len() as f64;
    assert!(close(terms[0], wanted, 1e-11), "{} but {wanted}", terms[0]);

    // Conditions are what they always are.
    let (_, plain, _) = evaluated(&mut Objective::new(&point).expect("objective"), &theta);
    assert!(terms[1..].iter().zip(&plain[1..]).all(|(a, b)| close(*a, *b, 1e-12)));
    assert!(close(loss, terms.iter().sum(), 1e-12));
    let at_points = objective.evaluate_at_points(&theta).expect("evaluation");
    assert!(close(at_points.loss, loss, 1e-12));
}

#[test]
fn its_gradient_is_that_of_the_loss() {
    let models: [&[&str]; 3] = [
        &["problem.name=wave"],
        &["problem.name=burgers-1d", "points.boundary=hammersley:9", "points.initial=hammersley:9"],
        &["model=pinnsformer-encoder", "model.d_model=4", "model.ff_width=4", "model.out_width=4"],
    ];
    for (more, form) in models.iter().flat_map(|more| ["strong", "weak"].map(|form| (more, form))) {
        let form = format!("variational.form={form}");
        let case = case(&small(&[more, &[form.as_str(), "weights.residual=7"][..]].concat()));
        let theta = case.initial_theta();
        let mut objective = Objective::new(&case).expect("objective");
        let (_, _, grad) = evaluated(&mut objective, &theta);
        let mut ignored = vec![0.0; theta.len()];
        for p in (0..theta.len()).step_by(theta.len() / 12) {
            let mut loss_at = |h: f64| {
                let mut moved = theta.clone();
                moved[p] += h;
                objective.evaluate(&moved, &mut ignored)
            };
            let h = 1e-5;
            let slope = (loss_at(h) - loss_at(-h)) / (2.0 * h);
            assert!((slope - grad[p]).abs() < 1e-6 * (1.0 + slope.abs()), "{more:?} {p}: {slope} but {}", grad[p]);
        }
    }
}

#[test]
fn weak_and_strong_forms_agree_for_smooth_networks() {
    for problem in ["reaction", "wave", "convection"] {
        let term = |form: &str| {
            let (name, form) = (format!("problem.name={problem}"), format!("variational.form={form}"));
            // Small elements, so that the rule is exact to many digits for the network's own shape.
            let case = case(&[&name, "objective=variational", "variational.elements=6", &form]);
            evaluated(&mut Objective::new(&case).expect("objective"), &case.initial_theta()).1[0]
        };
        let (strong, weak) = (term("strong"), term("weak"));
        assert!(close(strong, weak, 1e-7), "{problem}: {strong} and {weak}");
    }
}

#[test]
fn an_equation_without_a_weak_form_is_refused() {
    let text = r#"
        name = "curved"
        coordinates = { x = [0, 1], y = [0, 1] }
        unknowns = ["u"]
        equations = { eikonal = "u_xx^2 + u_yy - 1" }
        points = { interior = { layout = "grid", counts = [3, 3] } }
    "#;
    let problem = Problem::from_toml(text, "curved.toml".as_ref()).expect("a problem");
    let mut config = RunConfig::default();
    config.set_all(&["objective=variational", "variational.form=weak"]).expect("valid");
    let case = ropinn::case::Case::with_problem(config, problem, &Threads::new(1).expect("threads")).expect("case");
    let Err(error) = Objective::new(&case) else { panic!("no weak form") };
    assert!(matches!(error, Error::WeakForm(_)));
    let wanted = "objective.variational.form=weak: the term `u_xx^2` of order 2 cannot be integrated by parts to a \
                  lower order; write it as a derivative of lower-order terms, or use the strong form";
    assert_eq!(error.to_string(), wanted);
}
