//! The command line `ropinn`: parse, call, print. No numerics live here.
//!
//! Results go to standard output, progress and complaints to standard error. Exit codes: 0 for success, 2 for bad input
//! (found before anything is written), 1 for a run that failed, 130 for one that was interrupted and saved.
#![forbid(unsafe_code)]

mod chosen;
mod costs;
mod evaluate;
mod export;
mod failure;
mod interrupt;
mod list;
mod new;
mod options;
mod output;
mod perf;
mod predict;
mod race;
mod reference;
mod report;
mod reproduce;
mod resume;
mod serve;
mod solve;
mod speaker;
mod study;
mod watch;

use clap::{Parser, Subcommand};
use failure::Failure;
use ropinn_engine::Simd;
use std::process::ExitCode;

/// How commands end, for scripts.
pub const EXIT_CODES: &str = "Exit codes:
  0    done
  1    the run failed: its numbers ran away (the best weights are saved), or its results could not be written
  2    bad input: nothing was trained and nothing changed
  3    the verdict is not what --require asks for; all results are saved
  130  interrupted: the step was finished and the run saved; `ropinn resume <run>` goes on";

/// Solve partial differential equations with physics-informed neural networks and region optimisation.
#[derive(Debug, Parser)]
#[command(name = "ropinn", version, max_term_width = 110, arg_required_else_help = true, after_help = EXIT_CODES)]
struct CommandLine {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    List(list::List),
    Show(list::Show),
    New(new::New),
    // The many options make this variant much larger than the others.
    Solve(Box<solve::Solve>),
    Resume(resume::Resume),
    Predict(predict::Predict),
    Evaluate(evaluate::Evaluate),
    Export(export::Export),
    Watch(watch::Watch),
    Reference(reference::Reference),
    Report(report::Report),
    Serve(serve::Serve),
    Perf(perf::Perf),
    Race(race::Race),
    Study(study::Study),
    Costs(costs::Costs),
    Reproduce(reproduce::Reproduce),
}

fn main() -> ExitCode {
    let verb = CommandLine::parse().verb;
    let result = Simd::from_environment().map_err(Failure::Simd).and_then(|_| run(&verb));
    match result {
        Ok(code) => code,
        // Whoever read our output has seen enough (`ropinn list | head`).
        Err(Failure::OutputClosed) => ExitCode::SUCCESS,
        Err(failure) => {
            output::complain(&failure);
            failure.exit_code()
        }
    }
}

fn run(verb: &Verb) -> Result<ExitCode, Failure> {
    match verb {
        Verb::List(list) => list.run(),
        Verb::Show(show) => show.run(),
        Verb::New(new) => new.run(),
        Verb::Solve(solve) => solve.run(),
        Verb::Resume(resume) => resume.run(),
        Verb::Predict(predict) => predict.run(),
        Verb::Evaluate(evaluate) => evaluate.run(),
        Verb::Export(export) => export.run(),
        Verb::Watch(watch) => watch.run(),
        Verb::Reference(reference) => reference.run(),
        Verb::Report(report) => report.run(),
        Verb::Serve(serve) => serve.run(),
        Verb::Perf(perf) => perf.run(),
        Verb::Race(race) => race.run(),
        Verb::Study(study) => study.run(),
        Verb::Costs(costs) => costs.run(),
        Verb::Reproduce(reproduce) => reproduce.run(),
    }
}
