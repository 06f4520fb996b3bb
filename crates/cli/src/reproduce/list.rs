//! `ropinn reproduce --list`: the experiments in one line each, with their cost here.

use super::cost::Rates;
use super::experiment::Experiment;
use super::scale::Scale;
use crate::failure::Failure;
use crate::output;
use crate::solve::duration;
use ropinn_engine::Threads;
use ropinn_plot::{Column, Table};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Serialize)]
struct Entry {
    id: &'static str,
    title: &'static str,
    /// Estimate per scale, alone on this machine.
    seconds: BTreeMap<&'static str, f64>,
}

/// Prints all experiments.
pub fn print(threads: &Threads, json: bool) -> Result<(), Failure> {
    let rates = Scale::ALL.into_iter().map(|scale| Rates::measure(scale, threads));
    let rates = rates.collect::<Result<Vec<_>, _>>()?;
    let mut entries = Vec::new();
    for experiment in Experiment::ALL {
        let mut seconds = BTreeMap::new();
        for (scale, rates) in Scale::ALL.into_iter().zip(&rates) {
            seconds.insert(scale.name(), rates.seconds(experiment)?);
        }
        entries.push(Entry { id: experiment.id(), title: experiment.title(), seconds });
    }
    if json {
        return output::print_json(&entries);
    }
    let scales = Scale::ALL.map(|scale| Column::right(scale.name()));
    let mut table = Table::new([Column::left("id")].into_iter().chain(scales).chain([Column::left("what")]));
    for entry in &entries {
        let times = Scale::ALL.map(|scale| duration(Duration::from_secs_f64(entry.seconds[scale.name()])));
        let cells = [entry.id.to_owned()].into_iter().chain(times).chain([entry.title.to_owned()]);
        table.push(cells)?;
    }
    let threads = threads.count();
    output::print(&format!(
        "{}\nTimes are upper estimates for {threads} threads from rates measured just now; experiments share runs, and runs that \
         converge stop early.\n",
        table.to_text()
    ))
}
