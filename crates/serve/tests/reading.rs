//! What is shown: broken runs, many runs, long runs.

mod common;

use common::{get, json, serve, write_run};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

#[test]
fn broken_runs_show_what_is_readable_and_say_what_is_not() {
    let here = tempfile::tempdir().expect("a folder");
    let broken = here.path().join("broken");
    write_run(&broken, "wave");
    fs::write(broken.join("result.json"), "{\"problem\": ").expect("writable");
    fs::write(broken.join("metrics.csv"), b"iteration,trained_loss,rmse\n1,2,\n\xff\xfe,,\n2,,,,\n3,1.5,0.5\n4,1")
        .expect("writable");
    fs::create_dir(broken.join("snapshots")).expect("writable");
    fs::write(broken.join("snapshots/0000000003.field"), "{\"half").expect("writable");
    let server = serve(here.path());
    let list = json(&get(&server, "/api/runs"));
    assert_eq!(list["runs"][0]["state"], "unreadable");
    let run = json(&get(&server, "/api/run/broken"));
    assert!(
        run["troubles"][0].as_str().is_some_and(|words| words.starts_with("result.json: EOF while parsing")),
        "{run}"
    );
    assert_eq!((run["model"].as_str(), run["fields"][0].as_u64()), (Some("pinn"), Some(3)));
    let course = json(&get(&server, "/api/history/broken"));
    assert_eq!(
        (course["rows"].as_u64(), course["bad"].as_u64(), course["last"][2].as_f64()),
        (Some(2), Some(2), Some(0.5))
    );
    let field = get(&server, "/api/field/broken?step=3");
    let words = json(&field)["error"].as_str().map(str::to_owned);
    assert_eq!(
        (field.status, words.as_deref()),
        (422, Some("cannot read `./broken/snapshots/0000000003.field`: its first line does not end"))
    );
}

#[test]
fn ten_thousand_runs_are_listed_and_a_change_is_told_alone() {
    let here = tempfile::tempdir().expect("a folder");
    for k in 0..10_000 {
        let run = here.path().join(format!("sweep-{}/run-{k:05}", k / 100));
        fs::create_dir_all(&run).expect("writable");
        fs::write(run.join("config.toml"), "seed = 0\n").expect("writable");
        fs::write(
            run.join("result.json"),
            "{\"problem\": \"wave\", \"model\": \"fls\", \"objective\": \"region\", \"rmse\": 0.1}",
        )
        .expect("writable");
    }
    let server = serve(here.path());
    let list = json(&get(&server, "/api/runs"));
    let version = list["version"].as_u64().expect("a version");
    assert_eq!(list["runs"].as_array().map(Vec::len), Some(10_000));
    // The page is told, and asks for what has changed.
    let mut events = TcpStream::connect(server.address()).expect("somebody listens");
    write!(events, "GET /api/events HTTP/1.1\r\nhost: {}\r\n\r\n", server.address()).expect("sent");
    let mut lines =
        BufReader::new(events).lines().map(|line| line.expect("text")).filter(|line| line.starts_with("data: "));
    assert_eq!(lines.next(), Some(format!("data: {version}")));
    fs::write(here.path().join("sweep-7/run-00777/result.json"), "{\"problem\": \"heat\"}").expect("writable");
    assert_eq!(lines.next(), Some(format!("data: {}", version + 1)));
    let news = json(&get(&server, &format!("/api/runs?since={version}")));
    assert_eq!(news["runs"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (news["runs"][0]["id"].as_str(), news["runs"][0]["problem"].as_str()),
        (Some("sweep-7/run-00777"), Some("heat"))
    );
    // The tree of runs and all of this test are in the same process.
    if let Ok(status) = fs::read_to_string("/proc/self/status") {
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        assert!(peak.expect("a size") < 200 * 1024, "{peak:?} kB");
    }
}

#[test]
fn a_million_rows_are_a_few_hundred_points() {
    let here = tempfile::tempdir().expect("a folder");
    let run = here.path().join("long");
    write_run(&run, "wave");
    let mut text = String::from("iteration,trained_loss,rmse\n");
    (1..=1_000_000).for_each(|k| text += &format!("{k},{},\n", if k == 654_321 { "1e30" } else { "1.5" }));
    fs::write(run.join("metrics.csv"), text).expect("writable");
    let server = serve(here.path());
    let answer = get(&server, "/api/history/long");
    let course = json(&answer);
    assert_eq!((course["rows"].as_u64(), course["last"][0].as_f64()), (Some(1_000_000), Some(1e6)));
    assert!(answer.body.len() < 100_000, "{} bytes", answer.body.len());
    assert!(
        course["values"][1].as_array().is_some_and(|loss| loss.contains(&serde_json::json!(1e30))),
        "the spike is there"
    );
}
