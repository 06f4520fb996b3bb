//! The pictures of a run: fields, training, region size; each as PNG and SVG.

use super::prediction::Prediction;
use super::{fields, training, write_whole};
use crate::failure::Failure;
use crate::output::remark;
use ropinn::case::Case;
use ropinn::record::Record;
use ropinn_plot::Figure;
use std::path::{Path, PathBuf};

/// Draws what can be drawn and tells which PNG files there are.
pub fn draw(folder: &Path, case: &Case, record: &Record, prediction: &Prediction) -> Result<Vec<PathBuf>, Failure> {
    let title = format!("{}, {}, {}", case.problem().title, record.config.model.kind(), record.config.objective.kind);
    let figures = [
        ("fields", fields::figure(case, prediction, &title, &errors(record), None)),
        ("training", training::losses(record, &title)),
        ("region", training::region(record, &title)),
    ];
    let mut drawn = Vec::new();
    for (name, figure) in figures {
        let Some(figure) = figure else { continue };
        let png = folder.join(format!("{name}.png"));
        match save(figure.as_ref(), &png) {
            Ok(()) => drawn.push(png),
            // Numbers that ran away cannot be drawn; everything else is still worth keeping.
            Err(Failure::Plot(error)) => remark(&format!("no picture `{name}`: {error}")),
            Err(failure) => return Err(failure),
        }
    }
    Ok(drawn)
}

fn save(figure: &dyn Figure, png: &Path) -> Result<(), Failure> {
    let picture = figure.picture()?;
    let write = |path: &Path, bytes: &[u8]| write_whole(path, bytes).map_err(|error| Failure::not_saved(path, &error));
    write(png, &picture.to_png_bytes()?)?;
    write(&png.with_extension("svg"), picture.to_svg_string()?.as_bytes())
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
