//! What studies of runs share: which problems, how a sitting goes, and how it ends.

use crate::failure::Failure;
use crate::interrupt;
use crate::options;
use crate::output::{self, Voice};
use crate::speaker::Speaker;
use clap::Args;
use ropinn_engine::Threads;
use ropinn_study::StudyError;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Said at the first Ctrl-C.
const AFTER_THIS_STEP: &str =
    "stopping after this step; once more quits at once, and the command goes on when repeated";

/// One sitting of a study.
#[derive(Debug, Args)]
pub struct Sitting {
    /// Only these problems of the study, separated by commas [default: all].
    #[arg(long, value_delimiter = ',')]
    pub problems: Vec<String>,
    /// Train nothing: tables of the runs that are there.
    #[arg(long)]
    report: bool,
    /// Threads; errors do not depend on them, times do [default: one per core].
    #[arg(long)]
    threads: Option<usize>,
    /// Say nothing but the tables and errors.
    #[arg(long)]
    quiet: bool,
}

impl Sitting {
    /// The command that repeats the study: what makes it, not the look at what is there of it.
    pub fn command() -> String {
        output::command_line().replace(" --report", "")
    }

    /// Works until it is done or somebody stops it, and prints what `work` has to say; it also says whether all is there.
    pub fn run(
        &self,
        work: impl FnOnce(&Threads, &mut Speaker, &AtomicBool) -> Result<(String, bool), StudyError>,
    ) -> Result<ExitCode, Failure> {
        let threads = options::threads(self.threads)?;
        let stop = interrupt::listen(AFTER_THIS_STEP);
        stop.store(self.report, Ordering::Relaxed);
        let mut speaker = Speaker::new(if self.quiet { Voice::Silence } else { Voice::Words }, &stop);
        let (text, is_complete) = work(&threads, &mut speaker, &stop)?;
        speaker.end()?;
        output::print(&text)?;
        let is_cut_off = !self.report && !is_complete;
        Ok(if is_cut_off { ExitCode::from(interrupt::EXIT_CODE) } else { ExitCode::SUCCESS })
    }
}
