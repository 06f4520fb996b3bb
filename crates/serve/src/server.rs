//! The server itself: an address, a thread that answers and one that looks at the folder.

use crate::answer::Answers;
use crate::guard::Guard;
use crate::index::Index;
use crate::token::Token;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{Semaphore, oneshot, watch};

/// Connections at a time; further ones wait. Most systems let a process open 1024 files, and those of runs are to be read too.
const CONNECTIONS: usize = 900;
/// A request has to be there after so long.
const PATIENCE: Duration = Duration::from_secs(20);
/// Threads that read files.
const READERS: usize = 4;
/// Time between two looks at the folder, and the least in units of the time a look takes.
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);
const REST: u32 = 5;

/// What is served, and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder with the runs; it may be a run itself.
    pub folder: PathBuf,
    /// The address to listen on: this machine alone, unless another one is wanted.
    pub address: IpAddr,
    /// The port; 0 for any that is free.
    pub port: u16,
}

impl Options {
    /// A folder, for this machine alone.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), address: Ipv4Addr::LOCALHOST.into(), port: 0 }
    }
}

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// No folder.
    #[error("`{}` is no folder; name the folder of your runs, e.g. `ropinn serve runs`", .0.display())]
    NoFolder(PathBuf),
    /// An address that is not ours, or taken.
    #[error("cannot listen on {0}: {1}; choose another --port or --bind")]
    Address(SocketAddr, io::Error),
    /// What the system lacks.
    #[error("cannot start the server: {0}")]
    System(String),
}

/// A server, until it is dropped.
#[derive(Debug)]
pub struct Server {
    guard: Guard,
    // Letting go of the two ends the threads.
    closing: Option<(Sender<()>, oneshot::Sender<()>)>,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Starts to serve.
    pub fn start(options: &Options) -> Result<Self, ServeError> {
        let missing = |_| ServeError::NoFolder(options.folder.clone());
        let root = options.folder.canonicalize().map_err(missing)?;
        if !root.is_dir() {
            return Err(ServeError::NoFolder(options.folder.clone()));
        }
        let wanted = SocketAddr::new(options.address, options.port);
        let system = |error: io::Error| ServeError::System(error.to_string());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(READERS).build();
        let runtime = runtime.map_err(system)?;
        let listener = {
            let _inside = runtime.enter();
            listen(wanted).map_err(|error| ServeError::Address(wanted, error))?
        };
        let address = listener.local_addr().map_err(system)?;
        let token = Token::new().map_err(|error| ServeError::System(error.to_string()))?;
        let guard = Guard { address, token };
        let (sender, index) = watch::channel(Arc::new(Index::default()));
        let answers = Arc::new(Answers::new(root.clone(), guard.clone(), index));
        let ((looking, no_more_looks), (answering, no_more_answers)) = (channel(), oneshot::channel());
        let threads = vec![
            std::thread::spawn(move || look(&root, &sender, &no_more_looks)),
            std::thread::spawn(move || {
                runtime.block_on(async {
                    tokio::spawn(serve(listener, answers));
                    let _ = no_more_answers.await;
                });
                // Answers that nobody waits for are not waited for either.
                runtime.shutdown_background();
            }),
        ];
        Ok(Self { guard, closing: Some((looking, answering)), threads })
    }

    /// The address to open: with the token, if others can reach it.
    pub fn url(&self) -> String {
        let address = self.guard.address;
        let token = if self.guard.is_open() { format!("?token={}", self.guard.token.text()) } else { String::new() };
        format!("http://{address}/{token}")
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.guard.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.closing = None;
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

/// Looks at the folder again and again, with rests that are long compared with a look.
fn look(root: &Path, index: &watch::Sender<Arc<Index>>, closing: &Receiver<()>) {
    let mut own = Index::default();
    loop {
        let began = Instant::now();
        // The first look is worth telling even if there is nothing.
        if own.look(root) || own.version == 0 {
            own.version = own.version.max(1);
            index.send_replace(Arc::new(own.clone()));
        }
        match closing.recv_timeout(BETWEEN_LOOKS.max(REST * began.elapsed())) {
            Err(RecvTimeoutError::Timeout) => {}
            _ => return,
        }
    }
}

/// Listens, with room for everybody who comes at the same moment.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A port that was ours a moment ago is free; on Windows the same word means something else.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(CONNECTIONS as u32)
}

async fn serve(listener: TcpListener, answers: Arc<Answers>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
        // Whatever is wrong with one connection is no reason not to take the next one.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let answers = Arc::clone(&answers);
        // Answers are short, and somebody waits for them.
        let _ = stream.set_nodelay(true);
        tokio::spawn(async move {
            let answer = service_fn(move |request| {
                let answers = Arc::clone(&answers);
                async move { Ok::<_, Infallible>(answers.answer(request).await) }
            });
            let mut connection = http1::Builder::new();
            connection.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
            let _ = connection.serve_connection(TokioIo::new(stream), answer).await;
            drop(place);
        });
    }
}
