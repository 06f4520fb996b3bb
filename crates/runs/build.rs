//! Tells the binary which compiler built it: runs record the versions they were made with.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let said = Command::new(compiler).arg("--version").output();
    let version = said.ok().and_then(|out| String::from_utf8(out.stdout).ok()).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=ROPINN_RUSTC={}", version.trim());
}
