//! Conditions that are built in hold for any parameters, of every model.

use super::Fallible;
use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::metrics::Predictor;
use ropinn::model::{ModelConfig, ModelKind};
use ropinn::problem::Problem;
use ropinn_engine::{Precision, Threads};
use std::path::Path;

fn read(text: &str) -> Problem {
    Problem::from_toml(text, Path::new("p.toml")).unwrap_or_else(|error| panic!("{error}"))
}

/// Expressions of the untrained solution at points.
fn values(problem: &Problem, model: ModelKind, wanted: &[&str], points: &[f64]) -> Vec<f64> {
    let mut config =
        RunConfig { model: ModelConfig::new(model), precision: Precision::F64, seed: 3, ..RunConfig::default() };
    config.model.resize(Some(6), None);
    let case = Case::with_problem(config, problem.clone(), &Threads::new(1).unwrap()).unwrap();
    Predictor::of(&case, wanted).unwrap().predict(&case.initial_theta(), points).unwrap()
}

fn assert_close(found: &[f64], wanted: &[f64], what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found - wanted).abs() < 1e-9 * (1.0 + wanted.abs()), "{what}: {found} for {wanted}");
    }
}

const KDV: &str = r#"
    name = "kdv"
    coordinates = { x = [-1, 1], t = [0, 1] }
    time = "t"
    unknowns = ["u"]
    equations = { kdv = "u_t + u*u_x + 0.0025*u_xxx" }
    conditions = [
        { kind = "initial", value = "cos(pi*x)" },
        { kind = "periodic", along = "x" },
    ]
    points = { interior = { layout = "grid", counts = [9, 9] } }
"#;

#[test]
fn periodic_coordinates_match_in_every_derivative_whatever_the_parameters() -> Fallible {
    let problem = read(KDV);
    assert_eq!((problem.periodic(), problem.terms(0)?.len()), (&[true, false][..], 2));
    for model in ModelKind::ALL {
        let wanted = ["u", "u_x", "u_xx", "u_xt"];
        let [low, high] = [-1.0, 1.0].map(|x| values(&problem, model, &wanted, &[x, 0.3, x, 1.0]));
        assert_close(&low, &high, model.name());
        // It varies in between, and is not periodic in time; features begin with nothing.
        let begins_at_zero = model == ModelKind::Features;
        assert!(begins_at_zero || (values(&problem, model, &["u"], &[0.2, 0.3])[0] - low[0]).abs() > 1e-6, "{model}");
    }
    Ok(())
}

#[test]
fn soft_periodic_conditions_match_all_derivatives_below_the_order() -> Fallible {
    let labels = |text: &str| -> Result<Vec<Vec<String>>, Box<dyn std::error::Error>> {
        Ok(read(text).terms(0)?.into_iter().map(|term| term.labels).collect())
    };
    let soft = KDV.replace("along = \"x\"", "along = \"x\", exact = false");
    assert_eq!(labels(&soft)?[2], ["u", "u_x", "u_xx"]);
    assert_eq!(labels(&KDV.replace("along = \"x\"", "along = \"x\", orders = [0]"))?[2], ["u"]);
    // Over another shape than a box nothing can be built in.
    let holed = "
        name = 'flow'
        coordinates = { x = [0, 4], y = [0, 1] }
        unknowns = ['u', 'p']
        geometry = { minus = { disk = { center = [1, 0.5], radius = 0.2 } } }
        equations = { a = 'u_xx + u_yy - p_x', b = 'u_x' }
        conditions = [{ kind = 'periodic', along = 'x' }]
        points = { interior = { layout = 'sobol', count = 64 }, boundary = { layout = 'sobol', count = 64 } }";
    assert_eq!(labels(holed)?[1], ["u", "u_x", "p"]);
    Ok(())
}

#[test]
fn exact_values_hold_whatever_the_parameters() -> Fallible {
    let wave = read(
        r#"
        name = "wave"
        coordinates = { x = [0, 2], y = [0, 1], t = [1, 3] }
        time = "t"
        unknowns = ["u", "v"]
        equations = { a = "u_tt - u_xx - u_yy", b = "v_t - u" }
        conditions = [
            { kind = "initial", exact = true, unknown = "u", value = "x*y" },
            { kind = "initial", exact = true, unknown = "u", derivative = "t", value = "x - 3" },
            { kind = "dirichlet", exact = true, unknown = "u", at = "x = 0", value = "-3*(t - 1)" },
            { kind = "dirichlet", exact = true, unknown = "u", at = ["y = 0", "y = 1"], value = "x*y + (x - 3)*(t - 1)" },
            { kind = "dirichlet", unknown = "v", at = "boundary", value = 0 },
        ]
        points = { interior = { layout = "grid", counts = [5, 5, 5] } }
        "#,
    );
    assert_eq!(wave.terms(0)?.len(), 2);
    for model in [ModelKind::Fls, ModelKind::Kan, ModelKind::Qres, ModelKind::Pinnsformer] {
        let start = values(&wave, model, &["u", "u_t"], &[0.3, 0.7, 1.0, 2.0, 0.2, 1.0]);
        // A sequence sees the derivative along time at its first element, like every other.
        assert_close(&start, &[0.21, -2.7, 0.4, -1.0], model.name());
        let faces = values(&wave, model, &["u"], &[0.0, 0.3, 2.5, 1.3, 0.0, 1.7, 0.6, 1.0, 3.0]);
        assert_close(&faces, &[-4.5, -1.7 * 0.7, 0.6 - 2.4 * 2.0], model.name());
        assert!(values(&wave, model, &["v"], &[0.0, 0.3, 1.0])[0] != 0.0, "v is not built in");
    }
    let ring = read(
        r#"
        name = "ring"
        coordinates = { x = [-1, 1], y = [-1, 1], t = [0, 1] }
        time = "t"
        unknowns = ["u"]
        geometry = { shape = { disk = { center = [0, 0], radius = 1 } }, minus = { disk = { center = [0, 0], radius = 0.5 } } }
        equations = { heat = "u_t - u_xx - u_yy" }
        conditions = [
            { kind = "dirichlet", exact = true, at = "boundary", value = "x + t" },
            { kind = "initial", exact = true, value = "x + (1 - x^2 - y^2)*(x^2 + y^2 - 0.25)" },
        ]
        points = { interior = { layout = "sobol", count = 64 } }
        "#,
    );
    let rim = values(&ring, ModelKind::Pinn, &["u"], &[0.6, 0.8, 0.5, 0.3, -0.4, 0.25, 0.7, 0.1, 0.0]);
    assert_close(&rim, &[1.1, 0.55, 0.7 + 0.5 * 0.25], "ring");
    let decay = read(
        "name = 'decay'\ncoordinates = { t = [0, 1] }\nunknowns = ['u']\nequations = { a = 'u_t + u' }\n\
         conditions = [{ kind = 'initial', exact = true, value = 2 }]",
    );
    assert_close(&values(&decay, ModelKind::Fls, &["u"], &[0.0]), &[2.0], "decay");
    assert!(decay.doubts().is_empty());
    Ok(())
}

#[test]
fn what_cannot_be_built_in_is_refused_with_the_reason() {
    let refusal = |conditions: &str, geometry: &str| {
        let text = format!(
            "name = 'p'\ncoordinates = {{ x = [0, 1], y = [0, 1] }}\nunknowns = ['u']\n{geometry}\n\
             equations = {{ a = 'u_xx + u_yy' }}\nconditions = [{conditions}]"
        );
        Problem::from_toml(&text, Path::new("p.toml")).unwrap_err().to_string()
    };
    let lid = "{ kind = 'dirichlet', exact = true, at = 'y = 1', value = 1 }, { kind = 'dirichlet', exact = true, at = 'x = 0', value = 0 }";
    let polygon = "geometry = { shape = { polygon = [[0, 0], [1, 0], [0.2, 0.2], [0, 1]] } }";
    let disk = "geometry = { minus = { disk = { center = [0.5, 0.5], radius = 0.2 } } }";
    for (conditions, geometry, reason) in [
        (lid, "", "at x = 0.0000, y = 1.0000 it says 0.0000, and `dirichlet y = 1` says 1.0000"),
        ("{ kind = 'neumann', exact = true, at = 'x = 0', value = 0 }", "", "normal derivatives cannot be built in"),
        ("{ kind = 'operator', exact = true, at = 'x = 0', residual = 'u_x' }", "", "only values can be built in"),
        ("{ kind = 'dirichlet', exact = true, at = 'boundary', value = 0 }", polygon, "a corner that points inwards"),
        ("{ kind = 'dirichlet', exact = true, at = 'hole 1', value = 0 }", disk, "only the whole boundary"),
        ("{ kind = 'periodic', exact = true, along = 'x' }", disk, "only boxes can be"),
        (
            "{ kind = 'dirichlet', exact = true, at = 'x = 0', value = '1/y' }",
            "",
            "its value is inf at x = 0.0000, y = 0.0000",
        ),
        (
            "{ kind = 'dirichlet', exact = true, at = 'x = 0', value = 0 }, { kind = 'dirichlet', exact = true, at = 'boundary', value = 0 }",
            "",
            "is exact at the same place",
        ),
    ] {
        let message = refusal(conditions, geometry);
        assert!(message.contains(" cannot be exact: ") && message.contains(reason), "{reason}: {message}");
        assert!(message.ends_with("; leave `exact` out or say `exact = false`"), "{message}");
    }
}
