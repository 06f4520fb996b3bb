//! `ropinn watch`: the curves of a run in a terminal, growing with it.

mod view;

use crate::failure::Failure;
use crate::output;
use clap::Args;
use console::{Key, Term};
use ropinn_runs::follow::Follower;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;
use view::{State, View};

/// How often a run is looked at, and the size of the terminal.
const TICK: Duration = Duration::from_millis(500);

/// What a plot that is printed takes.
const PRINTED: (usize, usize) = (100, 24);

/// The terminal as a page of its own, which the one before it comes back after.
const OPEN: &str = "\x1b[?1049h\x1b[?25l";
const CLOSE: &str = "\x1b[?25h\x1b[?1049l";

/// Draw the curves of a run in the terminal, growing while it trains.
///
/// Keys: tab or arrows for the next curves, l for a linear or logarithmic axis, x for steps or seconds, q to end. Where there is no terminal,
/// one plot is printed.
#[derive(Debug, Args)]
#[command(after_help = crate::EXIT_CODES)]
pub struct Watch {
    /// Folder of the run.
    run: PathBuf,
}

impl Watch {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let mut follower = Follower::new(&self.run)?;
        follower.refresh()?;
        if !(std::io::stdout().is_terminal() && std::io::stdin().is_terminal()) {
            let page = View::default().page(&State::of(&self.run, &follower), PRINTED.0, PRINTED.1, false);
            output::print(&(page.join("\n") + "\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        output::print(OPEN)?;
        let watched = self.follow(follower);
        output::print(CLOSE)?;
        watched.map(|()| ExitCode::SUCCESS)
    }

    /// Draws until somebody has seen enough.
    fn follow(&self, mut follower: Follower) -> Result<(), Failure> {
        let (keys, mut view, term) = (keys(), View::default(), Term::stdout());
        let colours = term.features().colors_supported();
        loop {
            follower.refresh()?;
            let (rows, columns) = term.size();
            let page = view.page(&State::of(&self.run, &follower), columns.into(), rows.into(), colours);
            // Each line is cleared to its end, and so is what lies below the last one.
            let text: Vec<String> = page.iter().map(|line| format!("{line}\x1b[K")).collect();
            output::print(&format!("\x1b[H{}\x1b[J", text.join("\r\n")))?;
            match keys.recv_timeout(TICK) {
                Ok(key) if is_end(&key) => return Ok(()),
                Ok(key) => view.press(&key),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }
}

fn is_end(key: &Key) -> bool {
    matches!(key, Key::Char('q' | 'Q') | Key::Escape | Key::CtrlC)
}

/// Keys as they come. Reading one waits for it, so that has a thread of its own, which ends with the key that ends the command: nobody is left
/// reading who would keep the terminal as it is read.
fn keys() -> Receiver<Key> {
    let (send, receive) = sync_channel(0);
    std::thread::spawn(move || {
        while let Ok(key) = Term::stdout().read_key_raw() {
            let last = is_end(&key);
            if send.send(key).is_err() || last {
                return;
            }
        }
    });
    receive
}
