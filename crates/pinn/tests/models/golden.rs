//! Values, coordinate derivatives and parameter gradients of every model against PyTorch's automatic differentiation in
//! double precision. `benches/peers/golden_models.py` writes the files and describes them.
//!
//! On a pseudo-sequence a mixed derivative depends on the order of differentiation; the engine's `u_xt` is PyTorch's `u_xt`,
//! by x first and then by t.

use crate::Fallible;
use ropinn::model::{Model, ModelConfig, ModelInputs, ModelKind};
use ropinn::weights::{NamedTensor, NamedTensors, theta_from};
use ropinn_engine::{Evaluation, Evaluator, Network, Precision, Program, Samples, TermSpec, Threads};
use ropinn_expr::Scope;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

#[derive(Deserialize)]
struct Golden {
    model: String,
    points: Points,
    outputs: BTreeMap<String, Vec<f64>>,
    loss: Scalar,
    mean_square: Scalar,
    layers: Vec<Layer>,
}

#[derive(Deserialize)]
struct Points {
    x: Vec<f64>,
    t: Vec<f64>,
}

#[derive(Deserialize)]
struct Scalar {
    value: f64,
}

#[derive(Deserialize)]
struct Layer {
    name: String,
    shape: Vec<usize>,
    values: Vec<f64>,
    grad_loss: Vec<f64>,
    grad_mean_square: Vec<f64>,
}

/// One golden file with the network and θ made from it.
struct Case {
    golden: Golden,
    network: Arc<Network>,
    theta: Vec<f64>,
    points: Vec<f64>,
}

impl Case {
    fn read(name: &str) -> Fallible<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.json"));
        let golden: Golden = serde_json::from_str(&std::fs::read_to_string(path)?)?;
        let kind: ModelKind = golden.model.trim_end_matches("-deep").parse()?;
        let named = |l: &Layer| (l.name.clone(), NamedTensor { shape: l.shape.clone(), values: l.values.clone() });
        let tensors = NamedTensors { tensors: golden.layers.iter().map(named).collect(), ..NamedTensors::default() };
        let network = Arc::new(ModelConfig::from_weights(kind, &tensors)?.build(&ModelInputs::new(2, 1))?);
        let theta = theta_from(&tensors, network.layout())?;
        let points = golden.points.x.iter().zip(&golden.points.t).flat_map(|(&x, &t)| [x, t]).collect();
        Ok(Self { golden, network, theta, points })
    }

    fn evaluator(&self, terms: &[&[&str]], precision: Precision) -> Fallible<Evaluator> {
        let scope = Scope::new(["x", "t"], ["u"])?;
        let mut programs = Vec::new();
        for term in terms {
            let residuals = term.iter().map(|text| scope.parse(text)).collect::<Result<_, _>>()?;
            programs.push(Program::compile(&self.network, &TermSpec::new("golden", residuals), 0)?);
        }
        Ok(Evaluator::new(programs, precision, &Threads::new(1)?)?)
    }

    fn check_derivatives(&self, precision: Precision, tolerance: f64) -> Fallible {
        let names = ["u", "u_x", "u_t", "u_xx", "u_tt", "u_xt"];
        let mut found = Vec::new();
        let mut evaluator = self.evaluator(&[&names], precision)?;
        let set = evaluator.add(0, Samples::points(&self.points))?;
        evaluator.residuals(&self.theta, set, &mut found)?;
        // found[sample][output][element], wanted[output][sample][element]
        let elements = self.network.elements();
        for (output, name) in names.iter().enumerate() {
            let of_output = |sample: &'_ [f64]| sample[output * elements..(output + 1) * elements].to_vec();
            let found: Vec<f64> = found.chunks_exact(names.len() * elements).flat_map(of_output).collect();
            self.check(name, &found, &self.golden.outputs[*name], tolerance);
        }
        Ok(())
    }

    fn check_gradients(&self, precision: Precision, tolerance: f64) -> Fallible {
        let loss: [&[&str]; 3] = [&["u_t - 5*u*(1 - u)"], &["u_tt - 4*u_xx"], &["u_xt"]];
        let (value, gradient) = (self.golden.loss.value, |l: &Layer| l.grad_loss.clone());
        self.check_gradient("grad_loss", &loss, &[1.0, 0.1, 0.01], value, gradient, precision, tolerance)?;
        let (value, gradient) = (self.golden.mean_square.value, |l: &Layer| l.grad_mean_square.clone());
        self.check_gradient("grad_mean_square", &[&["u"]], &[1.0], value, gradient, precision, tolerance)
    }

    #[expect(clippy::too_many_arguments, reason = "what is differentiated, what it should be, and how closely")]
    fn check_gradient(
        &self,
        what: &str,
        terms: &[&[&str]],
        weights: &[f64],
        value: f64,
        wanted: impl Fn(&Layer) -> Vec<f64>,
        precision: Precision,
        tolerance: f64,
    ) -> Fallible {
        let mut out = Evaluation::default();
        let mut evaluator = self.evaluator(terms, precision)?;
        let sets = evaluator.add_all(&vec![Samples::points(&self.points); terms.len()])?;
        evaluator.evaluate(&self.theta, &sets, weights, &mut out)?;
        self.check(what, &[out.loss], &[value], tolerance);
        for layer in &self.golden.layers {
            let tensor = self.network.layout().get(&layer.name).expect("theta_from found every tensor");
            self.check(&format!("{what} {}", layer.name), &out.grad[tensor.range()], &wanted(layer), tolerance);
        }
        Ok(())
    }

    /// Compares relative to the largest entry, since small entries are differences of large numbers.
    fn check(&self, what: &str, found: &[f64], wanted: &[f64], tolerance: f64) {
        assert_eq!(found.len(), wanted.len(), "{} {what}", self.golden.model);
        let scale = wanted.iter().fold(1e-3, |scale: f64, w| scale.max(w.abs()));
        for (i, (f, w)) in found.iter().zip(wanted).enumerate() {
            let error = (f - w).abs() / scale;
            assert!(error <= tolerance, "{} {what}[{i}]: {f} instead of {w}, off by {error:e}", self.golden.model);
        }
    }
}

macro_rules! golden {
    ($($test:ident: $name:literal),*) => {$(
        #[test]
        fn $test() -> Fallible {
            let case = Case::read($name)?;
            case.check_derivatives(Precision::F64, 1e-10)?;
            case.check_gradients(Precision::F64, 1e-10)?;
            case.check_derivatives(Precision::F32, 3e-5)?;
            case.check_gradients(Precision::F32, 1e-4)
        }
    )*};
}

golden! {
    pinn: "pinn",
    fls: "fls",
    qres: "qres",
    pinnsformer: "pinnsformer",
    pinnsformer_encoder: "pinnsformer-encoder",
    kan: "kan",
    deep_kan: "kan-deep"
}

#[test]
fn names_and_shapes_are_those_of_the_published_modules() -> Fallible {
    for name in ["pinn", "fls", "qres", "pinnsformer", "pinnsformer-encoder", "kan", "kan-deep"] {
        let case = Case::read(name)?;
        let mut found: Vec<_> = case.network.layout().tensors().iter().map(|t| (&t.name, &t.shape)).collect();
        let mut wanted: Vec<_> = case.golden.layers.iter().map(|l| (&l.name, &l.shape)).collect();
        if !name.starts_with("pinnsformer") {
            assert_eq!(found, wanted, "{name}"); // also in the order of named_parameters()
        }
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "{name}");
    }
    Ok(())
}
