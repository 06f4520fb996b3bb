//! A client that says exactly what it is told to, and runs to look at.

use ropinn::config::RunConfig;
use ropinn_serve::{Options, Server};
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    #[allow(dead_code)]
    pub head: String,
    pub body: String,
}

/// Sends a request with these headers and no others but the end of the connection.
pub fn raw(address: SocketAddr, line: &str, headers: &[(&str, &str)]) -> Answer {
    let mut stream = TcpStream::connect(address).expect("somebody listens");
    let mut text = format!("{line} HTTP/1.1\r\nconnection: close\r\n");
    headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
    stream.write_all((text + "\r\n").as_bytes()).expect("sent");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("an answer");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{line}: {text:?}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
}

/// Asks as a browser on this machine does.
pub fn ask(server: &Server, line: &str, headers: &[(&str, &str)]) -> Answer {
    let host = server.address().to_string();
    raw(server.address(), line, &[&[("host", &host[..])], headers].concat())
}

pub fn get(server: &Server, path: &str) -> Answer {
    ask(server, &format!("GET {path}"), &[])
}

pub fn json(answer: &Answer) -> serde_json::Value {
    serde_json::from_str(&answer.body).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

pub fn serve(folder: &Path) -> Server {
    Server::start(&Options::new(folder)).expect("served")
}

/// A finished run of nothing.
pub fn write_run(folder: &Path, problem: &str) {
    fs::create_dir_all(folder).expect("writable");
    fs::write(folder.join("config.toml"), RunConfig::default().to_toml()).expect("writable");
    fs::write(folder.join("result.json"), format!("{{\"problem\": \"{problem}\", \"seed\": 3, \"rmse\": 0.25}}"))
        .expect("writable");
    fs::write(folder.join("metrics.csv"), "iteration,trained_loss,rmse\n1,2.0,\n2,1.0,0.25\n").expect("writable");
}
