//! Ctrl-C, and the signals that ask a program to end: the first finishes what is under way and saves, the second quits at once.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code of an interrupted run: 128 + SIGINT, as shells report it.
pub const EXIT_CODE: u8 = 130;

/// What a command says that finishes the step and saves.
pub const AFTER_THIS_STEP: &str = "stopping after this step; once more quits without saving";

/// A flag that the first signal sets, and what is then said.
pub fn listen(words: &'static str) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = flag.clone();
    // Without a handler a signal ends the program at once: less polite, but no reason not to start.
    let _ = ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(EXIT_CODE));
        }
        // The terminal may be gone.
        let _ = writeln!(std::io::stderr(), "\n{words}");
    });
    flag
}
