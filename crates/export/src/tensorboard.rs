//! The history of a run for TensorBoard: every number of `metrics.csv` as a scalar, in an event file of a finished run, or as it comes ([`Live`]).

mod live;
mod record;

pub use live::Live;

use crate::error::ExportError;
use crate::{Exported, Request};
use record::Events;
use ropinn_runs::folder::{FinishedRun, names};
use std::time::UNIX_EPOCH;

/// What TensorBoard looks for in names.
const MARK: &str = "events.out.tfevents";

/// Writes an event file into the folder that is asked for.
pub(crate) fn write(run: &FinishedRun, request: &Request) -> Result<Exported, ExportError> {
    if !run.has_metrics() {
        return Err(ExportError::NoHistory(run.path.clone()));
    }
    let metrics = run.metrics()?;
    let columns: Vec<(&str, Vec<f64>)> = metrics.all().collect();
    let column = |name: &str| columns.iter().find(|(own, _)| *own == name).map(|(_, values)| &values[..]);
    let (steps, seconds) = (column("iteration").unwrap_or_default(), column("seconds").unwrap_or_default());
    // The file was written when the run ended; what is said of times counts back from there.
    let written = run.path.join(names::METRICS).metadata().and_then(|about| about.modified());
    let written =
        written.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0.0, |time| time.as_secs_f64());
    let began = (written - seconds.last().copied().unwrap_or(0.0)).max(0.0);
    let path = request.out.join(format!("{MARK}.{:010}.ropinn", began as u64));
    request.free(&path)?;
    std::fs::create_dir_all(&request.out).map_err(|error| ExportError::not_saved(&request.out, &error))?;
    let tags: Vec<Option<String>> = columns.iter().map(|(name, _)| tag(name)).collect();
    let saved = ropinn_files::write_with(&path, |out| {
        let mut events = Events::begin(out, began)?;
        for (row, step) in steps.iter().enumerate() {
            let values =
                tags.iter().zip(&columns).filter_map(|(tag, (_, values))| Some((tag.as_deref()?, values[row])));
            events.write(began + seconds.get(row).copied().unwrap_or(0.0), *step as u64, values)?;
        }
        Ok(())
    });
    saved.map_err(|error| ExportError::not_saved(&path, &error))?;
    Ok(Exported { files: vec![path], remarks: Vec::new() })
}

/// What a column of `metrics.csv` is called in TensorBoard, where the part before the stroke is the group of its chart; none for what is
/// said otherwise: the step and the time.
fn tag(column: &str) -> Option<String> {
    let groups = [("term ", "loss"), ("equation ", "equations"), ("trained ", "parameters"), ("rmse ", "error/rmse")];
    if let Some((group, name)) = groups.iter().find_map(|(word, group)| Some((group, column.strip_prefix(word)?))) {
        return Some(format!("{group}/{name}"));
    }
    Some(match column {
        "iteration" | "seconds" => return None,
        // Runs of version 0.1 call the trained loss `loss`.
        "trained_loss" | "loss" => "loss/total".to_owned(),
        "rmae" | "rmse" => format!("error/{column}"),
        "sigma" | "region_size" | "region_raw" => format!("region/{column}"),
        other => format!("training/{other}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_tags_in_groups() {
        let tags = ["trained_loss", "term residual", "rmse", "rmse u", "trained nu", "sigma", "phase"]
            .map(|column| tag(column).unwrap());
        let wanted = [
            "loss/total",
            "loss/residual",
            "error/rmse",
            "error/rmse/u",
            "parameters/nu",
            "region/sigma",
            "training/phase",
        ];
        assert_eq!(tags, wanted);
        assert_eq!((tag("iteration"), tag("seconds")), (None, None));
    }
}
