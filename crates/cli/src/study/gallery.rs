//! `ropinn study gallery`: the problems of the gallery, solved with no options, beside what is wanted of them; and `ropinn study
//! precision`: problems for which features and corrections are made.

use crate::failure::Failure;
use crate::interrupt;
use crate::options;
use crate::output::{self, Voice};
use crate::speaker::Speaker;
use clap::Args;
use ropinn_runs::plan::Options;
use ropinn_runs::seeds;
use ropinn_study::gallery;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

/// Said at the first Ctrl-C.
const AFTER_THIS_STEP: &str =
    "stopping after this step; once more quits at once, and the command goes on when repeated";

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
    /// Only these problems of the gallery, separated by commas [default: all].
    #[arg(long, value_delimiter = ',')]
    problems: Vec<String>,
    /// Folder of the runs and tables.
    #[arg(long, value_name = "DIR", default_value = "studies/gallery")]
    out: PathBuf,
    /// Also write a page with pictures: gallery.md and images/gallery/<problem>.png in this folder.
    #[arg(long, value_name = "DIR")]
    page: Option<PathBuf>,
    /// Train nothing: tables and page of the runs that are there.
    #[arg(long)]
    report: bool,
    /// Threads; errors do not depend on them, times do [default: one per core].
    #[arg(long)]
    threads: Option<usize>,
    /// Say nothing but the table and errors.
    #[arg(long)]
    quiet: bool,
}

impl Gallery {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        self.show(&gallery::GALLERY)
    }

    fn show(&self, entries: &[gallery::Entry]) -> Result<ExitCode, Failure> {
        let threads = options::threads(self.threads)?;
        let gallery = gallery::Gallery {
            entries: gallery::chosen(entries, &self.problems)?,
            seeds: seeds::parse(&self.seeds)?,
            options: Options::default(),
            out: self.out.clone(),
            page: self.page.clone(),
            // What makes the page is the study, not the look at what is there of it.
            command: output::command_line().replace(" --report", ""),
        };
        let stop = interrupt::listen(AFTER_THIS_STEP);
        stop.store(self.report, Ordering::Relaxed);
        let mut speaker = Speaker::new(if self.quiet { Voice::Silence } else { Voice::Words }, &stop);
        let findings = gallery.run(&threads, &mut speaker, &stop)?;
        speaker.end()?;
        output::print(&findings.to_text(&self.out)?)?;
        let is_cut_off = !self.report && !findings.is_complete();
        Ok(if is_cut_off { ExitCode::from(interrupt::EXIT_CODE) } else { ExitCode::SUCCESS })
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
    /// Only these problems, separated by commas [default: all].
    #[arg(long, value_delimiter = ',')]
    problems: Vec<String>,
    /// Folder of the runs and tables.
    #[arg(long, value_name = "DIR", default_value = "studies/precision")]
    out: PathBuf,
    /// Train nothing: tables of the runs that are there.
    #[arg(long)]
    report: bool,
    /// Threads; errors do not depend on them, times do [default: one per core].
    #[arg(long)]
    threads: Option<usize>,
    /// Say nothing but the table and errors.
    #[arg(long)]
    quiet: bool,
}

impl Precision {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let Self { seeds, problems, out, report, threads, quiet } = self;
        let (seeds, problems, out) = (seeds.clone(), problems.clone(), out.clone());
        Gallery { seeds, problems, out, page: None, report: *report, threads: *threads, quiet: *quiet }
            .show(&gallery::PRECISION)
    }
}
