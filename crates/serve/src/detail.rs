//! One run in all its parts: result, settings, log, fields. What cannot be read is said, the rest is shown.

use crate::line::{Line, text_of};
use crate::place::is_own_file;
use ropinn_files::open_regular;
use ropinn_runs::folder::{Snapshot, names, snapshots_in};
use serde::Serialize;
use serde_json::Value;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// The largest file that is read whole, and what is read of a log.
const MAX_BYTES: u64 = 8 << 20;
const LOG_BYTES: u64 = 1 << 15;

/// All about a run but its course and its fields themselves.
#[derive(Serialize)]
pub struct Detail {
    #[serde(flatten)]
    line: Line,
    /// The whole result, if it can be read.
    result: Option<Value>,
    /// The configuration as it is written.
    config: Option<String>,
    /// The last lines of the log.
    log: Option<String>,
    /// Steps of which the field is kept.
    fields: Vec<u64>,
    /// What cannot be read.
    troubles: Vec<String>,
}

impl Detail {
    /// Reads what there is.
    pub fn read(run: &Path) -> Self {
        let mut troubles = Vec::new();
        let mut text = |name: &str| match text_of(run, name, MAX_BYTES)? {
            Ok(text) => Some(text),
            Err(trouble) => {
                troubles.push(trouble);
                None
            }
        };
        let (config, result) = (text(names::CONFIG), text(names::RESULT));
        let parsed =
            result.map(|text| serde_json::from_str(&text).map_err(|error| format!("{}: {error}", names::RESULT)));
        let result = parsed.and_then(|parsed| parsed.map_err(|trouble| troubles.push(trouble)).ok());
        let log = tail(&run.join(names::LOG));
        let fields = snapshots_in(run).into_iter().map(|(step, _)| step).collect();
        Self { line: Line::read(run), result, config, log, fields, troubles }
    }
}

/// The field after a step, as its file has it; an error in words if that makes no sense.
pub fn field(run: &Path, step: u64) -> Option<Result<Vec<u8>, String>> {
    let (_, path) = snapshots_in(run).into_iter().find(|(own, _)| *own == step)?;
    // What is handed out was checked: a page draws what it is told.
    Some(Snapshot::read(&path).and_then(|snapshot| snapshot.to_bytes()).map_err(|error| error.to_string()))
}

/// The last lines of a text.
fn tail(path: &Path) -> Option<String> {
    if !is_own_file(path) {
        return None;
    }
    let (mut file, size) = open_regular(path).ok()?;
    file.seek(SeekFrom::Start(size.saturating_sub(LOG_BYTES))).ok()?;
    let mut bytes = Vec::new();
    file.take(LOG_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Some(match size > LOG_BYTES {
        true => text.split_once('\n').map_or("", |(_, whole)| whole).to_owned(),
        false => text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_readable_is_shown() {
        let here = tempfile::tempdir().expect("a folder");
        let run = here.path();
        fs::write(run.join(names::CONFIG), "seed = [").expect("writable");
        fs::write(run.join(names::RESULT), b"\xff\xfe").expect("writable");
        fs::write(run.join(names::LOG), "first\n".repeat(10_000) + "last\n").expect("writable");
        fs::create_dir(run.join(names::SNAPSHOTS)).expect("writable");
        fs::write(run.join(names::SNAPSHOTS).join("0000000007.field"), "{}").expect("writable");
        let detail = Detail::read(run);
        assert_eq!(detail.troubles, ["result.json: it is not UTF-8 text"]);
        assert_eq!((detail.config.as_deref(), &detail.fields[..]), (Some("seed = ["), &[7][..]));
        let log = detail.log.expect("a log");
        assert!(log.len() as u64 <= LOG_BYTES && log.starts_with("first\n") && log.ends_with("first\nlast\n"));
        assert!(field(run, 7).expect("a file").is_err_and(|words| words.ends_with("its first line does not end")));
        assert!(field(run, 8).is_none());
    }
}
