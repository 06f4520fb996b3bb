//! The network as a graph of ONNX operators: an array `coordinates` `[point][coordinate]` in, `unknowns` `[point][unknown]` out, with whatever
//! is built into the solution: normalised and periodic coordinates, exact conditions, pieces of time, corrections.
//!
//! Inside it computes in the precision of the run, so that corrections of 1e-10 are not lost; the ends are single precision unless double
//! is asked for.

mod expressions;
mod graph;
mod look_up;
mod operations;

use crate::error::ExportError;
use crate::{Exported, Request};
use graph::{Graph, Number, Port};
use operations::Writer;
use ropinn::case::Case;
use ropinn::model::Model;
use ropinn_engine::{Precision, Threads};
use ropinn_runs::folder::FinishedRun;

/// Readers of protocol buffers refuse more.
const MOST_BYTES: usize = (1 << 31) - 1;

/// Writes the model.
pub fn write(run: &FinishedRun, request: &Request, threads: &Threads) -> Result<Exported, ExportError> {
    request.free(&request.out)?;
    let (case, theta) = run.trained_for_predictions(threads)?;
    let bytes = model(&case, &theta, request.double)?;
    ropinn_files::write(&request.out, &bytes).map_err(|error| ExportError::not_saved(&request.out, &error))?;
    Ok(Exported { files: vec![request.out.clone()], remarks: Vec::new() })
}

/// The bytes of the model.
fn model(case: &Case, theta: &[f64], double: bool) -> Result<Vec<u8>, ExportError> {
    let (network, problem) = (case.network(), case.problem());
    let inner = if case.config().precision == Precision::F64 { Number::Double } else { Number::Float };
    if theta.len().saturating_mul(size_of::<f64>()) > MOST_BYTES {
        return Err(ExportError::NotInOnnx(format!("{} parameters do not fit into a file of 2 GB", theta.len())));
    }
    let ends = if double { Number::Double } else { Number::Float };
    let from = Port { name: "coordinates", number: ends, columns: network.coordinates() };
    let to = Port { name: "unknowns", number: ends, columns: network.unknowns() };
    let mut graph = Graph::new(inner);
    let mut input = from.value();
    if ends != inner {
        input = graph.cast(&input, inner);
    }
    let sequence = case.config().model.sequence().zip(problem.time_axis());
    if let Some((sequence, time)) = sequence {
        // [point][coordinate] to [point][element][coordinate], each element later by one step.
        let axis = graph.wholes(&[1], &[1]);
        let own = graph.apply("Unsqueeze", &[&input, &axis]);
        let axes = network.coordinates();
        let mut later = vec![0.0; sequence.len * axes];
        (0..sequence.len).for_each(|k| later[k * axes + time] = k as f64 * sequence.step);
        let later = graph.numbers(&[sequence.len, axes], &later);
        input = graph.apply("Add", &[&own, &later]);
    }
    let mut writer = Writer::new(&mut graph, network, &theta[..network.parameters()], input);
    let mut result = writer.output()?;
    if sequence.is_some() {
        let first = graph.wholes(&[], &[0]);
        result = graph.node("Gather", &[&result, &first], &[graph::Attribute::Int("axis", 1)]);
    }
    if ends != inner {
        result = graph.cast(&result, ends);
    }
    let remarks = [
        ("problem", problem.name.clone()),
        ("model", case.config().model.kind().name().to_owned()),
        ("coordinates", problem.coordinate_names().join(",")),
        ("unknowns", problem.unknown_names().join(",")),
    ];
    Ok(graph.model(&result, (&from, &to), &remarks))
}
