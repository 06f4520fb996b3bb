//! A folder of runs as a web page on this machine, growing while they train.
//!
//! [`Server::start`] binds an address and answers on a thread of its own until it is dropped. Everything it shows comes from the
//! files of runs, read within bounds; it writes nothing but a request to stop, and that only for a page that knows its token.
//!
//! ```
//! use ropinn_serve::{Options, Server};
//! let folder = tempfile::tempdir()?;
//! let server = Server::start(&Options::new(folder.path()))?;
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod answer;
mod content;
mod detail;
mod guard;
mod history;
mod index;
mod line;
mod page;
mod place;
mod server;
mod token;

pub use server::{Options, ServeError, Server};
