//! Terms, loss and parameter gradient of every model on every main benchmark, with weights from a PyTorch file and no
//! perturbation. `benches/peers/golden_losses.py` writes the files, from losses coded there by hand.

use crate::{Fallible, golden, read};
use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::model::{ModelConfig, ModelKind};
use ropinn::objective::Objective;
use ropinn::weights::{NamedTensors, read_weights, theta_from};
use ropinn_engine::{Evaluation, Precision, Threads};
use serde::Deserialize;
use std::collections::BTreeMap;

/// PyTorch's numbers for one model on one problem.
#[derive(Deserialize)]
struct Wanted {
    grid: usize,
    terms: BTreeMap<String, f64>,
    loss: f64,
    gradient: BTreeMap<String, Vec<f64>>,
}

/// Largest relative differences.
struct Tolerance {
    loss: f64,
    gradient: f64,
}

const IN_F64: Tolerance = Tolerance { loss: 1e-12, gradient: 1e-12 };
const IN_F32: Tolerance = Tolerance { loss: 1e-5, gradient: 1e-4 };

fn check(file: &str) -> Fallible {
    let kind: ModelKind = file.trim_end_matches("-deep").parse()?;
    let tensors = read_weights(&golden(&format!("losses/{file}.safetensors")))?;
    let wanted: BTreeMap<String, Wanted> = read(&format!("losses/{file}.json"))?;
    assert_eq!(wanted.keys().collect::<Vec<_>>(), ["convection", "reaction", "wave"]);
    for (problem, wanted) in &wanted {
        for (precision, tolerance) in [(Precision::F64, IN_F64), (Precision::F32, IN_F32)] {
            let place = format!("{file} on {problem} in {precision}");
            let case = case(problem, kind, &tensors, wanted.grid, precision)?;
            check_case(&case, &tensors, wanted, &tolerance, &place)?;
        }
    }
    Ok(())
}

fn case(problem: &str, kind: ModelKind, weights: &NamedTensors, grid: usize, precision: Precision) -> Fallible<Case> {
    let model = ModelConfig::from_weights(kind, weights)?;
    let mut config = RunConfig { model, precision, ..RunConfig::default() };
    config.set_all(&[format!("problem.name={problem}"), format!("points.interior=grid:{grid}x{grid}")])?;
    Ok(Case::new(config, &Threads::new(2)?)?)
}

fn check_case(case: &Case, weights: &NamedTensors, wanted: &Wanted, tolerance: &Tolerance, place: &str) -> Fallible {
    let theta = theta_from(weights, case.network().layout())?;
    let mut objective = Objective::new(case)?;
    let Evaluation { loss, parts: terms, grad, .. } = objective.evaluate_at_points(&theta)?;
    let mut names = objective.part_names().to_vec();
    let close = |what: &str, found: f64, wanted: f64| {
        let error = (found / wanted - 1.0).abs();
        assert!(error <= tolerance.loss, "{place}: {what} is {found} instead of {wanted}, off by {error:e}");
    };
    for (name, term) in names.iter().zip(terms) {
        close(name, term, wanted.terms[name]);
    }
    names.sort();
    assert_eq!(names, wanted.terms.keys().cloned().collect::<Vec<_>>(), "{place}");
    close("loss", loss, wanted.loss);
    check_gradient(case, &grad, wanted, tolerance, place);
    Ok(())
}

/// ‖g − g*‖ against ‖g*‖, and each tensor's worst entry against its own largest one with a floor of the mean entry of g*:
/// a tensor whose gradient is small beside the others must be right as well.
fn check_gradient(case: &Case, found: &[f64], wanted: &Wanted, tolerance: &Tolerance, place: &str) {
    let norm = |entries: &[f64]| entries.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    let layout = case.network().layout();
    let whole = norm(&wanted.gradient.values().flatten().copied().collect::<Vec<_>>());
    let mean = whole / (found.len() as f64).sqrt();
    let mut off = Vec::with_capacity(found.len());
    for (name, wanted) in &wanted.gradient {
        let range = layout.get(name).unwrap_or_else(|| panic!("{place}: no tensor {name}")).range();
        assert_eq!(range.len(), wanted.len(), "{place}: {name}");
        let differences: Vec<f64> = found[range].iter().zip(wanted).map(|(found, wanted)| found - wanted).collect();
        let largest = |entries: &[f64]| entries.iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
        let error = largest(&differences) / largest(wanted).max(mean);
        assert!(error <= tolerance.gradient, "{place}: the gradient of {name} is off by {error:e}");
        off.extend(differences);
    }
    assert_eq!(off.len(), found.len(), "{place}: PyTorch has other parameters");
    let error = norm(&off) / whole;
    assert!(error <= tolerance.gradient, "{place}: the gradient is off by {error:e}");
}

macro_rules! losses {
    ($($test:ident: $file:literal),*) => {$(
        #[test]
        fn $test() -> Fallible {
            check($file)
        }
    )*};
}

losses! {
    pinn: "pinn",
    qres: "qres",
    fls: "fls",
    pinnsformer: "pinnsformer",
    pinnsformer_encoder: "pinnsformer-encoder",
    kan: "kan",
    deep_kan: "kan-deep"
}

/// Elements of a sequence lie so close together that one more hardly changes the gradient; 21 of them have more planes than a
/// word has bits.
#[test]
fn gradients_of_long_sequences() -> Fallible {
    let tensors = read_weights(&golden("losses/pinnsformer.safetensors"))?;
    let norm = |elements: usize| -> Fallible<f64> {
        let model = ModelConfig::from_weights(ModelKind::Pinnsformer, &tensors)?;
        let mut config = RunConfig { model, precision: Precision::F64, ..RunConfig::default() };
        config.set_all(&["problem.name=wave", "points.interior=grid:3x3", &format!("model.sequence={elements}")])?;
        let case = Case::new(config, &Threads::new(2)?)?;
        let theta = theta_from(&tensors, case.network().layout())?;
        let grad = Objective::new(&case)?.evaluate_at_points(&theta)?.grad;
        Ok(grad.iter().map(|g| g * g).sum::<f64>().sqrt())
    };
    let (short, long) = (norm(20)?, norm(21)?);
    assert!((long / short - 1.0).abs() < 1e-3, "{short}, then {long}");
    Ok(())
}
