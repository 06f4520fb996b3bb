//! `ropinn study trust`: are the verdicts right, and the estimated errors?

use crate::failure::Failure;
use crate::interrupt;
use crate::options;
use crate::output::{self, Voice};
use crate::speaker::Speaker;
use clap::Args;
use ropinn_study::trust;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

/// Said at the first Ctrl-C.
const AFTER_THIS_STEP: &str =
    "stopping after this step; once more quits at once, and the command goes on when repeated";

/// Compare verdicts and estimated errors with the truth, on solves that are good and on solves that are bad on purpose.
///
/// The folder holds trust.csv (one row per solve), trust.json (everything), and the runs themselves. Half of the solves were used
/// to choose the numbers of the verdict, the other half was not: the table shows both. Repeating the command keeps what is
/// finished.
#[derive(Debug, Args)]
#[command(after_help = crate::EXIT_CODES)]
pub struct Trust {
    /// Only solves of these problems, separated by commas [default: all].
    #[arg(long, value_delimiter = ',')]
    problems: Vec<String>,
    /// Folder of the runs and tables.
    #[arg(long, value_name = "DIR", default_value = "studies/trust")]
    out: PathBuf,
    /// Train nothing: tables of the runs that are there.
    #[arg(long)]
    report: bool,
    /// Threads; results do not depend on them [default: one per core].
    #[arg(long)]
    threads: Option<usize>,
    /// Say nothing but the tables and errors.
    #[arg(long)]
    quiet: bool,
}

impl Trust {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let threads = options::threads(self.threads)?;
        let study = trust::TrustStudy {
            cases: trust::chosen(&self.problems)?,
            out: self.out.clone(),
            command: output::command_line().replace(" --report", ""),
        };
        let stop = interrupt::listen(AFTER_THIS_STEP);
        stop.store(self.report, Ordering::Relaxed);
        let mut speaker = Speaker::new(if self.quiet { Voice::Silence } else { Voice::Words }, &stop);
        let findings = study.run(&threads, &mut speaker, &stop)?;
        speaker.end()?;
        output::print(&findings.to_text()?)?;
        let is_cut_off = !self.report && !findings.is_complete();
        Ok(if is_cut_off { ExitCode::from(interrupt::EXIT_CODE) } else { ExitCode::SUCCESS })
    }
}
