//! The pictures of a run: fields, estimated errors, residuals, training, region size; each as PNG and SVG.

use super::prediction::Prediction;
use super::{fields, residuals, training};
use crate::error::RunError;
use crate::pictures;
use crate::watch::Watch;
use ropinn::case::Case;
use ropinn::record::Record;
use ropinn::trust::ErrorMap;
use std::path::{Path, PathBuf};

/// Draws what can be drawn and tells which PNG files there are.
pub fn draw(
    folder: &Path,
    case: &Case,
    record: &Record,
    (theta, prediction, map): (&[f64], &Prediction, Option<&ErrorMap>),
    watch: &mut dyn Watch,
) -> Result<Vec<PathBuf>, RunError> {
    let title = format!("{}, {}, {}", case.problem().title, record.config.model.kind(), record.config.objective.kind);
    let figures = [
        ("fields", fields::figure(case, theta, prediction, (&title, &errors(record)), None)?),
        ("estimate", map.map(|map| residuals::estimate(case, theta, map, &title)).transpose()?.flatten()),
        ("residual", residuals::figure(case, theta, &title)?),
        ("training", training::losses(record, &title)),
        ("region", training::region(record, &title)),
    ];
    let mut drawn = Vec::new();
    for (name, figure) in figures {
        let Some(figure) = figure else { continue };
        match pictures::save(figure.as_ref(), folder, name)? {
            Ok(()) => drawn.push(folder.join(format!("{name}.png"))),
            Err(remark) => watch.on_remark(&remark),
        }
    }
    Ok(drawn)
}

fn errors(record: &Record) -> String {
    match (record.results.rmae, record.results.rmse) {
        (Some(rmae), Some(rmse)) => {
            let (rmae, rmse) = (ropinn_plot::sig(rmae, 3), ropinn_plot::sig(rmse, 3));
            format!("seed {}, rMAE {rmae}, rMSE {rmse}", record.config.seed)
        }
        _ => format!("seed {}", record.config.seed),
    }
}
