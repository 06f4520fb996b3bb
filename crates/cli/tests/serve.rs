//! Runs on a page: `ropinn serve` and `solve --live`, a run that is stopped from its page, and many readers at once.
#![cfg(unix)]

mod common;

use common::{assert_refused, command, here, json, succeed};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Seconds that many readers read; a full minute is for those who ask for it.
const SECONDS: &str = "ROPINN_SERVE_SECONDS";
const READERS: usize = 500;

/// Ends a server whatever becomes of the test.
struct Served {
    child: Child,
    address: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The part of a line that is an address, without protocol and path.
fn address_in(line: &str) -> String {
    let rest = line.split("http://").nth(1).unwrap_or_else(|| panic!("no address in {line:?}"));
    rest.split('/').next().expect("an end").to_owned()
}

fn serve(folder: &Path, words: &str) -> Served {
    let mut child = command(folder, words).stdout(Stdio::piped()).spawn().expect("the binary starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
    Served { child, address: address_in(&line) }
}

/// Asks over a connection of its own; the reason if there is no whole answer.
fn ask(address: &str, line: &str, headers: &str) -> Result<(u16, String), String> {
    let words = |error: std::io::Error| format!("{line}: {error}");
    let mut stream = TcpStream::connect(address).map_err(words)?;
    write!(stream, "{line} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{headers}\r\n").map_err(words)?;
    let mut text = String::new();
    stream.read_to_string(&mut text).map_err(words)?;
    let parts = text.split_once("\r\n\r\n").and_then(|(head, body)| {
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some((status, body.to_owned()))
    });
    parts.ok_or_else(|| format!("{line}: no answer but {text:?}"))
}

fn get(address: &str, path: &str) -> Result<Value, String> {
    let (status, body) = ask(address, &format!("GET {path}"), "")?;
    match status {
        200 => serde_json::from_str(&body).map_err(|error| format!("{path}: {error}: {body}")),
        _ => Err(format!("{path}: {status} {body}")),
    }
}

#[test]
fn what_cannot_be_served_is_refused() {
    let folder = here();
    assert_refused(
        folder.path(),
        "serve",
        "error: `runs` is no folder; name the folder of your runs, e.g. `ropinn serve runs`\n",
    );
    let served = serve(folder.path(), "serve .");
    let port = served.address.rsplit(':').next().expect("a port");
    let taken = common::ropinn(folder.path(), &format!("serve . --port {port}"));
    assert_eq!(taken.code, Some(2), "{taken:?}");
    assert!(taken.stderr.starts_with(&format!("error: cannot listen on 127.0.0.1:{port}: ")), "{taken:?}");
    assert!(taken.stderr.ends_with("; choose another --port or --bind\n"), "{taken:?}");
}

#[test]
fn a_run_is_seen_while_it_trains_and_stopped_from_its_page() {
    let folder = here();
    let endless = "solve reaction --width 16 --depth 2 --iterations 1000000 --set points.interior=grid:41x41 --threads 2 --set stop.max_seconds=100";
    let mut child = command(folder.path(), &format!("{endless} --live --out run"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut said = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    while !line.starts_with("live: http://127.0.0.1:") {
        line.clear();
        assert_ne!(said.read_line(&mut line).expect("text"), 0, "it ended without saying where");
    }
    let address = address_in(&line);
    let rest = std::thread::spawn(move || {
        let mut all = String::new();
        said.read_to_string(&mut all).map(|_| all)
    });
    // It grows: rows come, and a field of a step.
    let until = |is_so: &dyn Fn(&Value) -> bool, path: &str| loop {
        match get(&address, path) {
            Ok(seen) if is_so(&seen) => return seen,
            _ => std::thread::sleep(Duration::from_millis(100)),
        }
    };
    let first = until(&|course| course["rows"].as_u64() > Some(0), "/api/history/.");
    until(&|course| course["rows"].as_u64() > first["rows"].as_u64(), "/api/history/.");
    // How long it will take is known after some steps.
    let run = until(&|run| run["fields"][0].is_u64() && run["left"].as_f64() > Some(0.0), "/api/run/.");
    assert_eq!((run["state"].as_str(), run["problem"].as_str()), (Some("training"), Some("reaction")));
    assert!(run["log"].as_str().is_some_and(|log| log.contains("the run starts")), "{run}");
    let (_, page) = ask(&address, "GET /", "").expect("a page");
    let token =
        page.split("name=\"token\" content=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a token");
    let asked = ask(&address, "POST /api/stop/.", &format!("x-ropinn-token: {token}\r\n")).expect("an answer");
    assert_eq!(asked, (200, "{\"error\":\"\"}".to_owned()));
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let said = rest.join().expect("no panic").expect("text");
    assert!(said.contains("interrupted after "), "{said}");
    let run = folder.path().join("run");
    assert_eq!(json(&run.join("result.json"))["interrupted"], true);
    assert!(!run.join("progress.json").exists() && !run.join("stop").exists());
    // What it has said stays, and it can go on.
    let log = fs::read_to_string(run.join("log.txt")).expect("a log");
    assert!(log.contains("asked to stop") && log.contains("interrupted after "), "{log}");
}

#[test]
fn a_search_says_which_runs_there_will_be() {
    let folder = here();
    let words = format!("solve reaction {} --search region.r=1e-4,1e-3 --seeds 0..1 --out found --quiet", common::TINY);
    succeed(folder.path(), &words);
    let cells = json(&folder.path().join("found/cells.json"));
    assert_eq!((&cells["of_rows"], &cells["rows"]), (&"region.r".into(), &serde_json::json!(["1e-4", "1e-3"])));
    let served = serve(folder.path(), "serve .");
    let list = get(&served.address, "/api/runs").expect("a list");
    let folders = list["groups"]["found"]["folders"]
        .as_array()
        .expect("cells")
        .iter()
        .flat_map(|row| row.as_array().expect("a row"));
    let ids: Vec<String> = folders.map(|folder| format!("found/{}", folder.as_str().expect("text"))).collect();
    let runs: Vec<&str> =
        list["runs"].as_array().expect("runs").iter().map(|run| run["id"].as_str().expect("text")).collect();
    assert_eq!((ids.len(), runs.len()), (4, 4));
    assert!(ids.iter().all(|id| runs.contains(&id.as_str())), "{ids:?} {runs:?}");
}

#[test]
fn five_hundred_readers_lose_nothing_and_change_no_bits() {
    let folder = here();
    let words = "solve reaction --optimizer adam\u{a0}600 --width 8 --depth 2 --set points.interior=grid:21x21 --threads 2 --quiet";
    succeed(folder.path(), &format!("{words} --out alone"));
    fs::create_dir(folder.path().join("watched")).expect("writable");
    let served = serve(folder.path(), "serve watched");
    let seconds = std::env::var(SECONDS).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let (began, done, reads) = (Instant::now(), AtomicBool::new(false), AtomicUsize::new(0));
    let address = &served.address[..];
    std::thread::scope(|scope| {
        let read = || {
            let (mut seen, mut own) = (0, 0);
            // Everybody reads at least twice, the last time after the end.
            loop {
                let is_over = done.load(Ordering::Relaxed);
                let list = get(address, "/api/runs").expect("a list");
                assert_eq!(list["runs"][0]["id"], "run-0");
                let course = get(address, "/api/history/run-0").expect("a course");
                let rows = course["rows"].as_u64().expect("a count");
                assert!(rows >= seen && course["bad"] == 0, "{rows} after {seen}, {} bad", course["bad"]);
                seen = rows;
                reads.fetch_add(1, Ordering::Relaxed);
                own += 1;
                if is_over && own > 1 {
                    assert_eq!(seen, 600);
                    return;
                }
                std::thread::sleep(Duration::from_millis(500));
            }
        };
        let mut runs = 0;
        while runs == 0 || began.elapsed() < Duration::from_secs(seconds) {
            let mut child =
                command(folder.path(), &format!("{words} --out watched/run-{runs}")).spawn().expect("it starts");
            if runs == 0 {
                // Readers come once there is something to read.
                while !get(address, "/api/runs").is_ok_and(|list| list["runs"][0].is_object()) {
                    std::thread::sleep(Duration::from_millis(20));
                }
                for _ in 0..READERS {
                    std::thread::Builder::new().stack_size(256 << 10).spawn_scoped(scope, read).expect("a thread");
                }
            }
            assert!(child.wait().expect("it ends").success());
            let bytes = |run: &str| fs::read(folder.path().join(run).join("model.safetensors")).expect("weights");
            assert!(bytes(&format!("watched/run-{runs}")) == bytes("alone"), "readers have changed bits");
            runs += 1;
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(reads.load(Ordering::Relaxed) >= 2 * READERS);
    // Ctrl-C closes the page.
    let sent = Command::new("kill").args(["-INT", &served.child.id().to_string()]).status();
    assert!(sent.expect("kill exists").success());
    let mut served = served;
    assert_eq!(served.child.wait().expect("it ends").code(), Some(0));
}
