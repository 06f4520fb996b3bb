//! `ropinn new`: a problem file to fill in.

use crate::failure::Failure;
use crate::options::{Choice, one_of};
use crate::output;
use clap::Args;
use ropinn_runs::RunError;
use std::path::PathBuf;
use std::process::ExitCode;

/// The files, which solve as they stand, and what each is about.
const TEMPLATES: &[Choice<&str>] = &[
    ("heat", include_str!("../templates/heat.toml"), "Diffusion: one unknown in space and time"),
    ("flow", include_str!("../templates/flow.toml"), "Steady flow in the plane: a system, with a pressure"),
    ("wave", include_str!("../templates/wave.toml"), "Waves: second order in time, exact conditions"),
    ("inverse", include_str!("../templates/inverse.toml"), "A number to be found from noisy readings"),
];

/// Write a commented problem file to fill in.
///
/// It solves as it stands; docs/problem-file.md tells what else it may say.
#[derive(Debug, Args)]
pub struct New {
    /// Name of the problem; the file is <NAME>.toml.
    name: PathBuf,
    /// What it is like.
    #[arg(long, value_parser = one_of(TEMPLATES), default_value = "heat")]
    like: &'static str,
}

impl New {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let file = self.name.file_name().ok_or_else(|| Failure::NoName(self.name.clone()))?.to_string_lossy();
        let name = file.strip_suffix(".toml").unwrap_or(&file);
        let path = self.name.with_file_name(format!("{name}.toml"));
        // A link that leads nowhere is in the way too.
        if path.symlink_metadata().is_ok() {
            return Err(Failure::ProblemExists(path));
        }
        ropinn_files::write(&path, self.like.as_bytes()).map_err(|error| RunError::unwritable(&path, &error))?;
        let shown = path.display();
        output::print(&format!("{shown}: edit it, then run `ropinn solve {shown}`\n"))?;
        Ok(ExitCode::SUCCESS)
    }
}
