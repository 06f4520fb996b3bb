//! Who gets what: names and pages of others, other machines, ways out of the folder, changes without the token.

mod common;

use common::{Answer, ask, get, json, raw, serve, write_run};
use ropinn_serve::{Options, Server};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

fn token_of(page: &Answer) -> String {
    let rest = page.body.split("name=\"token\" content=\"").nth(1).expect("a token");
    rest.split('"').next().expect("its end").to_owned()
}

#[test]
fn the_page_is_whole_and_may_load_nothing_from_elsewhere() {
    let here = tempfile::tempdir().expect("a folder");
    write_run(&here.path().join("wave"), "wave");
    let server = serve(here.path());
    let page = get(&server, "/");
    assert!(
        page.status == 200 && page.head.contains("content-security-policy: default-src 'none'; script-src 'self'"),
        "{page:?}"
    );
    for (path, kind) in [("/page.css", "text/css"), ("/page.js", "text/javascript")] {
        let part = get(&server, path);
        assert!(part.status == 200 && part.head.contains(&format!("content-type: {kind}")), "{path}");
        assert!(!part.body.replace("http://www.w3.org/2000/svg", "").contains("http"), "{path} names another place");
    }
    let runs = json(&get(&server, "/api/runs"));
    assert_eq!((runs["runs"][0]["id"].as_str(), runs["runs"][0]["rmse"].as_f64()), (Some("wave"), Some(0.25)));
    assert_eq!(json(&get(&server, "/api/run/wave"))["result"]["problem"], "wave");
    let course = json(&get(&server, "/api/history/wave"));
    assert_eq!((course["rows"].as_u64(), course["values"][1][1].as_f64()), (Some(2), Some(1.0)));
    assert_eq!((get(&server, "/none").status, get(&server, "/api/run/none").status), (404, 404));
    assert_eq!(ask(&server, "POST /api/runs", &[]).status, 405);
}

#[test]
fn names_and_pages_of_others_get_nothing() {
    let here = tempfile::tempdir().expect("a folder");
    write_run(&here.path().join("wave"), "wave");
    let server = serve(here.path());
    for path in ["/", "/page.js", "/api/runs", "/api/run/wave", "/api/events"] {
        let line = format!("GET {path}");
        let foreign = raw(server.address(), &line, &[("host", "evil.example")]);
        assert!(foreign.status == 421 && !foreign.body.contains("wave"), "{foreign:?}");
        let foreign = ask(&server, &line, &[("origin", "http://evil.example")]);
        assert!(foreign.status == 403 && !foreign.body.contains("wave"), "{foreign:?}");
    }
}

#[test]
fn stopping_needs_the_token_of_the_page() {
    let here = tempfile::tempdir().expect("a folder");
    let run = here.path().join("wave");
    write_run(&run, "wave");
    // A process works on it, as far as anybody can see.
    fs::write(run.join("progress.json"), "{\"steps\": 1, \"planned\": 9, \"seconds\": 0.5, \"left\": 4.0}")
        .expect("writable");
    let server = serve(here.path());
    for headers in [&[][..], &[("x-ropinn-token", "guess")]] {
        assert_eq!(ask(&server, "POST /api/stop/wave", headers).status, 403);
    }
    let token = token_of(&get(&server, "/"));
    let by_query = ask(&server, &format!("POST /api/stop/wave?token={token}"), &[]);
    assert_eq!(by_query.status, 403, "a form of another page could send that");
    assert_eq!(get(&server, "/api/stop/wave").status, 405);
    assert!(!run.join("stop").exists());
    let asked = ask(&server, "POST /api/stop/wave", &[("x-ropinn-token", &token)]);
    assert!(asked.status == 200 && run.join("stop").exists(), "{asked:?}");
    // Nobody works on it any more.
    fs::remove_file(run.join("progress.json")).expect("removable");
    let refused = ask(&server, "POST /api/stop/wave", &[("x-ropinn-token", &token)]);
    assert_eq!(
        (refused.status, json(&refused)["error"].as_str()),
        (409, Some("`./wave` is not being trained: there is nothing to stop"))
    );
}

#[test]
fn other_machines_need_the_token() {
    let here = tempfile::tempdir().expect("a folder");
    write_run(&here.path().join("wave"), "wave");
    let address = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    let server = Server::start(&Options { address, ..Options::new(here.path()) }).expect("served");
    let at = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), server.address().port());
    let host = at.to_string();
    let ask = |path: &str, headers: &[(&str, &str)]| {
        raw(at, &format!("GET {path}"), &[&[("host", &host[..])], headers].concat())
    };
    for path in ["/", "/page.js", "/api/runs", "/api/events", "/?token=guess"] {
        assert_eq!(ask(path, &[]).status, 401, "{path}");
    }
    let url = server.url();
    let token = url.split("token=").nth(1).expect("the printed address has it");
    let first = ask(&format!("/?token={token}"), &[]);
    assert!(first.status == 303 && first.head.contains("httponly; samesite=strict"), "{first:?}");
    let cookie = format!("ropinn={token}");
    assert_eq!((ask("/", &[("cookie", &cookie)]).status, ask("/api/runs", &[("cookie", &cookie)]).status), (200, 200));
    assert!(!serve(here.path()).url().contains("token"), "this machine alone needs none");
}

#[test]
fn no_way_leads_out_of_the_folder() {
    let here = tempfile::tempdir().expect("a folder");
    let (root, secret) = (here.path().join("runs"), here.path().join("secret"));
    write_run(&root.join("wave"), "wave");
    write_run(&secret, "secret");
    let server = serve(&root);
    let absolute = secret.to_str().expect("text").to_owned();
    let ways = [
        "../secret",
        "..%2fsecret",
        "%2e%2e/secret",
        "%2e%2e%2fsecret",
        "..%5csecret",
        "%252e%252e%252fsecret",
        "wave/../../secret",
        "wave%2f..%2f..%2fsecret",
        "./../secret",
        "//secret",
        "wave/..%00/secret",
        "..",
        "%2e%2e",
        &absolute,
        &absolute[1..],
    ];
    for way in ways {
        for what in ["run", "history", "field"] {
            let answer = get(&server, &format!("/api/{what}/{way}?step=1"));
            assert!(answer.status == 404 && !answer.body.contains("secret"), "{what} {way}: {answer:?}");
        }
    }
    assert!(!get(&server, "/api/runs").body.contains("secret"));
}

#[test]
#[cfg(unix)]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let here = tempfile::tempdir().expect("a folder");
    let (root, secret) = (here.path().join("runs"), here.path().join("secret"));
    write_run(&root.join("wave"), "wave");
    write_run(&secret, "secret");
    fs::create_dir(secret.join("snapshots")).expect("writable");
    fs::write(secret.join("snapshots/0000000001.field"), "secret").expect("writable");
    fs::write(secret.join("log.txt"), "secret").expect("writable");
    symlink(&secret, root.join("linked")).expect("a link");
    symlink(&secret, root.join("seed-1")).expect("a link");
    for name in ["result.json", "metrics.csv", "log.txt", "snapshots"] {
        let _ = fs::remove_file(root.join("wave").join(name));
        symlink(secret.join(name), root.join("wave").join(name)).expect("a link");
    }
    let server = serve(&root);
    let runs = get(&server, "/api/runs");
    assert!(
        runs.body.contains("\"id\":\"wave\"") && !runs.body.contains("linked") && !runs.body.contains("seed-1"),
        "{runs:?}"
    );
    assert!(!runs.body.contains("\"secret\""), "{runs:?}");
    for path in ["/api/run/linked", "/api/run/seed-1", "/api/field/wave?step=1"] {
        assert_eq!(get(&server, path).status, 404, "{path}");
    }
    let run = get(&server, "/api/run/wave");
    assert!(!run.body.contains("secret") && run.body.contains("it is a link, so it is not read"), "{run:?}");
    assert_eq!(json(&get(&server, "/api/history/wave"))["rows"], 0);
}
