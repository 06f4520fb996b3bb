//! `ropinn study gallery`: the problems of the gallery, solved with no options, beside what is wanted of them; and `ropinn study
//! precision`: problems for which features and corrections are made.

use super::sitting::Sitting;
use crate::failure::Failure;
use clap::Args;
use ropinn_runs::plan::Options;
use ropinn_runs::seeds;
use ropinn_study::gallery;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Solve every problem of the gallery with no options, from several seeds, beside the error and the time that are wanted.
///
/// The folder holds gallery.csv (one row per run), gallery.json (everything), and the runs themselves in <problem>/seed-<n>, each
/// as `ropinn solve <problem> --seed <n>` leaves it. Repeating the command keeps the runs that are finished and goes on with one that
/// was cut off. Ctrl-C finishes the step and prints the table of what is there.
#[derive(Debug, Args)]
#[command(after_help = crate::EXIT_CODES)]
pub struct Gallery {
    /// Seeds: a range such as 0..4 (both ends included) or a list such as 0,3,7.
    #[arg(long, default_value = "0..4")]
    seeds: String,
    /// Folder of the runs and tables.
    #[arg(long, value_name = "DIR", default_value = "studies/gallery")]
    out: PathBuf,
    /// Also write a page with pictures: gallery.md and images/gallery/<problem>.png in this folder.
    #[arg(long, value_name = "DIR")]
    page: Option<PathBuf>,
    #[command(flatten)]
    sitting: Sitting,
}

impl Gallery {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        show(&gallery::GALLERY, &self.seeds, (&self.out, self.page.as_deref()), &self.sitting)
    }
}

/// Solve linear problems by random features, and correct networks by them, beside the error and the time that are wanted.
///
/// Linear problems are solved with `--model features`, others with `--optimizer "gauss-newton <n> then polish"`; the runs are kept as
/// in `ropinn study gallery`. Repeating the command goes on where it stopped.
#[derive(Debug, Args)]
#[command(after_help = crate::EXIT_CODES)]
pub struct Precision {
    /// Seeds: a range such as 0..4 (both ends included) or a list such as 0,3,7.
    #[arg(long, default_value = "0")]
    seeds: String,
    /// Folder of the runs and tables.
    #[arg(long, value_name = "DIR", default_value = "studies/precision")]
    out: PathBuf,
    #[command(flatten)]
    sitting: Sitting,
}

impl Precision {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        show(&gallery::PRECISION, &self.seeds, (&self.out, None), &self.sitting)
    }
}

fn show(
    entries: &[gallery::Entry],
    seeds: &str,
    (out, page): (&Path, Option<&Path>),
    sitting: &Sitting,
) -> Result<ExitCode, Failure> {
    let gallery = gallery::Gallery {
        entries: gallery::chosen(entries, &sitting.problems)?,
        seeds: seeds::parse(seeds)?,
        options: Options::default(),
        out: out.to_owned(),
        page: page.map(Path::to_owned),
        command: Sitting::command(),
    };
    sitting.run(|threads, speaker, stop| {
        let findings = gallery.run(threads, speaker, stop)?;
        Ok((findings.to_text(out)?, findings.is_complete()))
    })
}
