//! Are the verdicts right, and the estimates? Solves that are good and solves that are bad on purpose, each with a reference that
//! the verdict has not seen.
//!
//! Half of the solves were there to choose the numbers of the verdict by (`Half::Fitted`), and the other half was not
//! looked at for that: its table is what counts.

mod cases;
mod findings;
mod score;

pub use cases::{Fault, Half, TrustCase, all, chosen};
pub use findings::Findings;
pub use score::{Outcome, Score};

use crate::earlier;
use crate::error::StudyError;
use crate::watch::StudyWatch;
use ropinn_engine::Threads;
use ropinn_runs::folder::RunFolder;
use ropinn_runs::plan::{Existing, Plan};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// What messages call the study.
const STUDY: &str = "study of trust";

/// What is solved, and where it goes.
#[derive(Clone, Debug)]
pub struct TrustStudy {
    /// The solves.
    pub cases: Vec<TrustCase>,
    /// Folder of the runs and tables.
    pub out: PathBuf,
    /// The command that repeats it.
    pub command: String,
}

impl TrustStudy {
    /// Does what is missing, until `stop` is set, and sums up what is there.
    pub fn run(
        &self,
        threads: &Threads,
        watch: &mut dyn StudyWatch,
        stop: &AtomicBool,
    ) -> Result<Findings, StudyError> {
        earlier::check_folder(&self.out, findings::MARK, STUDY)?;
        let folder = RunFolder::open(&self.out)?;
        let mut outcomes = Vec::new();
        // The tables mark the folder from the beginning.
        Findings::new(&self.command, self.cases.len(), Vec::new()).save(&folder)?;
        for (number, case) in self.cases.iter().enumerate() {
            let plan = Plan::new(&case.options(&self.out)?)?;
            let config = plan.case(case.seed, threads)?.config().clone();
            let finished = earlier::finished(&plan.out, &config, STUDY)?;
            if let Some(run) = finished {
                watch.on_round(number + 1, self.cases.len(), Some(&plan.out));
                outcomes.push(Outcome::new(case, &run.result));
                continue;
            }
            if stop.load(Ordering::Relaxed) {
                continue;
            }
            watch.on_round(number + 1, self.cases.len(), None);
            let saved = plan.begin(Existing::Resume, threads)?.run(case.seed, &mut *watch.run(), stop)?;
            watch.on_saved(&case.name(), &saved);
            if !saved.result.interrupted {
                outcomes.push(Outcome::new(case, &saved.result));
            }
            Findings::new(&self.command, self.cases.len(), outcomes.clone()).save(&folder)?;
        }
        let findings = Findings::new(&self.command, self.cases.len(), outcomes);
        findings.save(&folder)?;
        Ok(findings)
    }
}
