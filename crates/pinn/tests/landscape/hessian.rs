//! Hessian products of real cases, against the loss that training reports.

use super::{case, case_of, configuration, dot, jacobi_eigenvalues, moved, norm, normals};
use proptest::prelude::*;
use ropinn::case::Case;
use ropinn::landscape::{CanonicalLoss, Hessian, PowerIteration};
use ropinn::model::{Fourier, Kan, Mlp, ModelConfig, Qres};
use ropinn::objective::Objective;
use ropinn::problem::Problem;
use ropinn_engine::{Evaluation, Precision, Threads};

const PROBLEMS: [&str; 4] = ["reaction", "wave", "convection", "burgers-1d"];

fn models() -> Vec<ModelConfig> {
    let mlp = Mlp { width: 4, depth: 2, ..Mlp::default() };
    let fourier = Some(Fourier { features: 3, scale: 0.5 });
    vec![
        ModelConfig::Pinn(mlp.clone()),
        ModelConfig::Fls(mlp.clone()),
        ModelConfig::Qres(Qres { width: 3, depth: 2, ..Qres::default() }),
        // Smooth enough that differences of the gradient make sense for equations of second order.
        ModelConfig::Kan(Kan { hidden: vec![3], degree: 5, ..Kan::default() }),
        ModelConfig::Pinn(Mlp { normalise: true, ..mlp.clone() }),
        ModelConfig::Pinn(Mlp { fourier, ..mlp }),
    ]
}

/// Few points everywhere, and weights that are not all one.
fn small(problem: &str, overrides: &[&str]) -> ropinn::config::RunConfig {
    let name = format!("problem.name={problem}");
    // Hammersley points: few random ones may leave an end of the domain without any.
    let points = ["points.interior=hammersley:17", "points.boundary=hammersley:8", "points.initial=hammersley:5"];
    let mut config = configuration(&[&name, points[0], points[1], points[2], "weights.residual=0.3"]);
    config.set_all(overrides).expect("valid");
    config
}

/// Hv by central differences of the gradient with one Richardson step: error O(h⁴).
fn differences(mut gradient: impl FnMut(&[f64]) -> Vec<f64>, theta: &[f64], v: &[f64]) -> Vec<f64> {
    let mut slope = |h: f64| -> Vec<f64> {
        let (ahead, behind) = (gradient(&moved(theta, h, v)), gradient(&moved(theta, -h, v)));
        moved(&ahead, -1.0, &behind).iter().map(|d| d / (2.0 * h)).collect()
    };
    let (fine, coarse) = (slope(1e-4), slope(2e-4));
    fine.iter().zip(coarse).map(|(f, c)| (4.0 * f - c) / 3.0).collect()
}

/// The gradient that training reports at the points themselves.
fn trained_gradient(case: &Case) -> impl FnMut(&[f64]) -> Vec<f64> {
    let mut objective = Objective::new(case).expect("objective");
    move |theta| objective.evaluate_at_points(theta).expect("evaluation").grad
}

fn apply(hessian: &mut Hessian, v: &[f64]) -> Vec<f64> {
    let mut out = Vec::new();
    hessian.apply(v, &mut out).expect("product");
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]

    #[test]
    fn products_differentiate_the_gradient_of_every_model(seed in 0u64..1 << 40) {
        for problem in PROBLEMS {
            for model in models() {
                let mut config = small(problem, &["objective=region"]);
                (config.model, config.seed) = (model, seed);
                let case = case_of(config);
                let theta: Vec<f64> = moved(&case.initial_theta(), 0.3, &normals(seed ^ 1, case.parameters()));
                let (u, v) = (normals(seed ^ 2, theta.len()), normals(seed ^ 3, theta.len()));
                let mut hessian = Hessian::new(&case, &theta, Precision::F64).expect("Hessian");
                let (hu, hv) = (apply(&mut hessian, &u), apply(&mut hessian, &v));
                let wanted = differences(trained_gradient(&case), &theta, &v);
                let (gap, kind) = (norm(&moved(&hv, -1.0, &wanted)), case.config().model.kind());
                let tolerance = if kind == ropinn::model::ModelKind::Kan { 1e-3 } else { 1e-6 };
                prop_assert!(gap < tolerance * norm(&wanted), "{problem}, {kind}: {gap} of {}", norm(&wanted));
                let size = norm(&u) * norm(&hv) + norm(&v) * norm(&hu);
                prop_assert!((dot(&u, &hv) - dot(&v, &hu)).abs() < 1e-12 * size, "{problem}, {kind}");
            }
        }
    }
}

/// A damped oscillation with unknown damping and speed, seen at a few places.
const INVERSE: &str = r#"
    name = "damped"
    coordinates = { x = [0, 1], t = [0, 1] }
    time = "t"
    unknowns = ["u"]
    trainable = { a = 0.4, b = -0.3 }
    equations = { decay = "u_t + a^2*u*u_x - exp(b)*u_xx" }
    conditions = [{ kind = "initial", value = "1 + x" }, { kind = "dirichlet", at = "x = 0", value = "a*t + b" }]
    points = { interior = { layout = "grid", counts = [5, 6] } }
"#;

#[test]
fn trained_scalars_have_their_rows_and_columns() {
    let problem = Problem::from_toml(INVERSE, "damped.toml".as_ref()).expect("problem");
    let mut config = configuration(&[]);
    (config.problem.name, config.points) = (String::new(), Default::default());
    let case = Case::with_problem(config, problem, &Threads::new(1).expect("threads")).expect("case");
    let theta = case.initial_theta();
    assert_eq!(theta.len(), case.network().parameters() + 2);
    let mut hessian = Hessian::new(&case, &theta, Precision::F64).expect("Hessian");
    for k in [0, theta.len() - 2, theta.len() - 1] {
        let mut unit = vec![0.0; theta.len()];
        unit[k] = 1.0;
        let wanted = differences(trained_gradient(&case), &theta, &unit);
        let gap = norm(&moved(&apply(&mut hessian, &unit), -1.0, &wanted));
        assert!(norm(&wanted[theta.len() - 2..]) > 1e-3 && gap < 1e-7 * norm(&wanted), "{k}: {gap}");
    }
}

#[test]
fn power_iteration_finds_the_eigenvalues_of_the_dense_hessian() {
    for problem in ["reaction", "wave", "convection"] {
        let case = case_of(small(problem, &["seed=3"]));
        let (theta, n) = (case.initial_theta(), case.parameters());
        assert!(n <= 60);
        let mut hessian = Hessian::new(&case, &theta, Precision::F64).expect("Hessian");
        let mut dense = Vec::new();
        for k in 0..n {
            let mut unit = vec![0.0; n];
            unit[k] = 1.0;
            dense.extend(apply(&mut hessian, &unit));
        }
        let size = norm(&dense);
        for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
            assert!((dense[i * n + j] - dense[j * n + i]).abs() < 1e-12 * size, "{problem}: {i}, {j}");
        }
        let wanted = jacobi_eigenvalues(dense, n);
        let settings = PowerIteration { iterations: 3000, tolerance: 1e-14, seed: 1 };
        let found = hessian.largest(2, &settings).expect("eigenvalues");
        for (pair, wanted) in found.iter().zip(&wanted) {
            assert!((pair.value - wanted).abs() < 1e-5 * wanted.abs(), "{problem}: {} but {wanted}", pair.value);
            let image = apply(&mut hessian, &pair.vector);
            let gap = norm(&moved(&image, -wanted, &pair.vector));
            assert!(gap < 1e-3 * wanted.abs(), "{problem}: off by {gap} for {wanted}");
        }
    }
}

#[test]
fn the_loss_is_the_one_training_reports_at_points() {
    let others: [&[&str]; 4] =
        [&["objective=point"], &["objective=region"], &["objective=gradient", "weights.residual d/dx=2"], &["seed=5"]];
    for overrides in others {
        let trained = case_of(small("reaction", overrides));
        let theta = trained.initial_theta();
        let mut out = Evaluation::default();
        CanonicalLoss::new(&trained, Precision::F64).expect("loss").evaluate(&theta, &mut out).expect("loss");
        let mut plain = trained.config().clone();
        plain.weights.remove("residual d/dx");
        plain.set("objective=point").expect("valid");
        let wanted = Objective::new(&case_of(plain)).expect("objective").evaluate_at_points(&theta).expect("loss");
        assert_eq!((out.loss, out.parts), (wanted.loss, wanted.parts), "{overrides:?}");
    }
    let mistyped = case_of(small("reaction", &["weights.resdual=2"]));
    let message = CanonicalLoss::new(&mistyped, Precision::F64).err().expect("an error").to_string();
    assert!(message.contains("resdual"), "{message}");
}

#[test]
fn threads_and_precision_change_nothing_but_rounding() {
    let config = configuration(&["problem.name=wave", "points.interior=grid:31x31", "model.width=8"]);
    let product = |threads, precision| {
        let case = Case::new(config.clone(), &Threads::new(threads).expect("threads")).expect("case");
        let theta = case.initial_theta();
        apply(&mut Hessian::new(&case, &theta, precision).expect("Hessian"), &normals(4, theta.len()))
    };
    let (single, double) = (product(1, Precision::F32), product(1, Precision::F64));
    assert!(product(2, Precision::F32) == single && product(3, Precision::F64) == double);
    assert!(norm(&moved(&single, -1.0, &double)) < 1e-4 * norm(&double));
}

/// Derivatives of these models are sums over the elements of a sequence; those along θ are not.
#[test]
fn models_of_sequences_have_hessians() {
    for model in ["pinnsformer", "pinnsformer-encoder"] {
        let mut config = small("convection", &[]);
        config.model = ModelConfig::new(model.parse().expect("a model"));
        config.set_all(&["model.d_model=4", "model.ff_width=4", "model.out_width=4", "precision=f64"]).expect("valid");
        let case = case_of(config);
        let theta = case.initial_theta();
        let v = normals(5, theta.len());
        let found = apply(&mut Hessian::new(&case, &theta, Precision::F64).expect("Hessian"), &v);
        let wanted = differences(trained_gradient(&case), &theta, &v);
        let gap = norm(&moved(&found, -1.0, &wanted));
        assert!(gap < 1e-6 * norm(&wanted), "{model}: {gap} of {}", norm(&wanted));
    }
}

#[test]
fn what_has_no_hessian_is_named() {
    let refused = |case: &Case, theta: &[f64]| match Hessian::new(case, theta, Precision::F64) {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    };
    let plain = case(&[]);
    assert_eq!(
        refused(&plain, &[0.0; 3]),
        "the parameters given are 3 numbers, but the model has 37; use weights of the same model and sizes"
    );
}
