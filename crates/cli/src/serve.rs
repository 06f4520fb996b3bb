//! `ropinn serve`: the runs of a folder on a page of this machine, growing while they train.

use crate::failure::Failure;
use crate::interrupt;
use crate::output;
use clap::Args;
use ropinn_serve::{Options, Server};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often Ctrl-C is looked for.
const LOOK: Duration = Duration::from_millis(100);

/// Show the runs of a folder on a web page, growing while they train.
///
/// The page is for this machine alone unless --bind names another address; then it opens with the token in the printed address only.
/// Ctrl-C closes it; runs go on.
#[derive(Debug, Args)]
pub struct Serve {
    /// The folder with the runs, or of one run.
    #[arg(default_value = "runs")]
    folder: PathBuf,
    /// Port to listen on [default: any that is free].
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Address to listen on: others than that of this machine let other machines in that have the token.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
}

impl Serve {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let stop = interrupt::listen("closing the page; runs go on");
        let server = Server::start(&Options { folder: self.folder.clone(), address: self.bind, port: self.port })
            .map_err(Failure::Serve)?;
        output::print(&format!("{} is shown at {}\n", self.folder.display(), server.url()))?;
        while !stop.load(Ordering::Relaxed) {
            std::thread::sleep(LOOK);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The page of a run that is about to train, or of several; it closes when it is dropped.
pub fn live(folder: &Path) -> Result<Server, Failure> {
    let server = Server::start(&Options::new(folder)).map_err(Failure::Serve)?;
    output::remark(&format!("live: {}", server.url()));
    Ok(server)
}
