//! From requests to answers.

use crate::content::Content;
use crate::detail::{self, Detail};
use crate::guard::{Guard, Refusal};
use crate::history::History;
use crate::index::Index;
use crate::page;
use crate::place::{decoded, folder_of};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use ropinn_runs::folder::{names, request_stop};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Courses that are kept in memory; the one that was asked for least lately goes first.
const COURSES: usize = 64;
/// Events that wait for a page that reads slowly; it needs only the last one.
const WAITING: usize = 4;
/// A page that hears nothing for so long thinks that nobody is there.
const REASSURANCE: Duration = Duration::from_secs(10);

/// What nothing of ours may do: load from elsewhere, run what is written into a page, be framed.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Everything answers are made of.
pub struct Answers {
    /// The served folder, all links in its own path resolved.
    pub root: PathBuf,
    /// Who may ask.
    pub guard: Guard,
    /// What was there at the last look.
    pub index: watch::Receiver<Arc<Index>>,
    courses: Mutex<Courses>,
}

#[derive(Default)]
struct Courses {
    clock: u64,
    by_name: BTreeMap<String, (u64, Arc<Mutex<History>>)>,
}

/// A request taken apart.
struct Asked {
    /// What for, such as `/api/run`.
    what: &'static str,
    /// The run.
    name: String,
    query: BTreeMap<String, String>,
}

type Answer = Response<Content>;

impl Answers {
    /// Answers for a folder.
    pub fn new(root: PathBuf, guard: Guard, index: watch::Receiver<Arc<Index>>) -> Self {
        Self { root, guard, index, courses: Mutex::default() }
    }

    /// The answer to a request, whatever it is.
    pub async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Answer {
        let mut answer = match self.try_answer(&request).await {
            Ok(answer) => answer,
            Err((status, words)) => with_status(status, json(&Words { error: words })),
        };
        let headers = answer.headers_mut();
        for (name, value) in [
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::CACHE_CONTROL, "no-store"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
        answer
    }

    async fn try_answer(self: &Arc<Self>, request: &Request<Incoming>) -> Result<Answer, Refusal> {
        let query = query_of(request.uri().query().unwrap_or_default());
        let token = query.get("token").map(String::as_str);
        self.guard.check(request.headers(), token)?;
        let path = request.uri().path();
        let changes = path.starts_with("/api/stop/");
        if request.method() != if changes { Method::POST } else { Method::GET } {
            return Err((StatusCode::METHOD_NOT_ALLOWED, "this is not how to ask for it"));
        }
        if changes {
            self.guard.check_change(request.headers())?;
        }
        match path {
            "/" => return Ok(self.page(token.is_some())),
            "/page.css" => return Ok(typed("text/css; charset=utf-8", page::style())),
            "/page.js" => return Ok(typed("text/javascript; charset=utf-8", page::script())),
            _ => {}
        }
        let asked = asked(path, query).ok_or((StatusCode::NOT_FOUND, "there is no such page"))?;
        match asked.what {
            "/api/runs" => self.listing(&asked).await,
            "/api/events" => Ok(self.events(asked)),
            _ => {
                let own = Arc::clone(self);
                // Files may be slow; others are answered meanwhile.
                let answer = tokio::task::spawn_blocking(move || own.of_run(&asked)).await;
                answer.unwrap_or(Err((StatusCode::INTERNAL_SERVER_ERROR, "the answer could not be made")))
            }
        }
    }

    /// The page itself. One that came with the token keeps it in a cookie, and its address no longer shows it.
    fn page(&self, has_token: bool) -> Answer {
        if has_token && self.guard.is_open() {
            let mut answer = with_status(StatusCode::SEE_OTHER, Response::new(Content::whole("")));
            answer.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/"));
            if let Ok(cookie) = HeaderValue::from_str(&self.guard.cookie()) {
                answer.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            return answer;
        }
        typed("text/html; charset=utf-8", page::html(self.guard.token.text()))
    }

    async fn listing(&self, asked: &Asked) -> Result<Answer, Refusal> {
        let mut index = self.index.clone();
        // The first look may still be under way.
        let seen = index.wait_for(|index| index.version > 0).await;
        let seen = seen.map_err(|_| (StatusCode::SERVICE_UNAVAILABLE, "the server is closing"))?.clone();
        let since = asked.query.get("since").and_then(|version| version.parse().ok()).unwrap_or(0);
        Ok(json(&seen.since(since)))
    }

    /// Tells a page whenever something has changed: anything, or the run it names.
    fn events(&self, asked: Asked) -> Answer {
        let (sender, events) = mpsc::channel(WAITING);
        let mut index = self.index.clone();
        let run = asked.query.get("run").cloned();
        tokio::spawn(async move {
            let mut told = 0;
            loop {
                let now = {
                    let seen = index.borrow_and_update();
                    run.as_deref().map_or(seen.version, |run| seen.changed(run).unwrap_or(seen.version))
                };
                let event = if now == told { ": still here\n\n".to_owned() } else { format!("data: {now}\n\n") };
                told = now;
                if sender.send(Bytes::from(event)).await.is_err() {
                    return;
                }
                loop {
                    match tokio::time::timeout(REASSURANCE, index.changed()).await {
                        Err(_) => break,
                        Ok(Err(_)) => return,
                        Ok(Ok(())) => {}
                    }
                    let seen = index.borrow();
                    if run.as_deref().is_none_or(|run| seen.changed(run) != Some(told)) {
                        break;
                    }
                }
            }
        });
        let mut answer = Response::new(Content::Events(events));
        answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        answer
    }

    fn of_run(&self, asked: &Asked) -> Result<Answer, Refusal> {
        let missing = (StatusCode::NOT_FOUND, "there is no such run");
        let run = folder_of(&self.root, &asked.name).filter(|run| run.join(names::CONFIG).is_file()).ok_or(missing)?;
        match asked.what {
            "/api/run" => Ok(json(&Detail::read(&run))),
            "/api/history" => Ok(self.course(&asked.name, &run)),
            "/api/field" => {
                let step = asked.query.get("step").and_then(|step| step.parse().ok());
                let field = step.and_then(|step| detail::field(&run, step));
                match field.ok_or((StatusCode::NOT_FOUND, "no field of that step is kept"))? {
                    Ok(bytes) => Ok(typed("application/octet-stream", bytes)),
                    Err(words) => Ok(self.unreadable(&words)),
                }
            }
            _ => match request_stop(&run) {
                Ok(()) => Ok(json(&Words { error: "" })),
                Err(error) => Ok(with_status(StatusCode::CONFLICT, self.words(&error.to_string()))),
            },
        }
    }

    fn course(&self, name: &str, run: &Path) -> Answer {
        let history = self.courses.lock().unwrap_or_else(PoisonError::into_inner).of(name, run);
        let mut history = history.lock().unwrap_or_else(PoisonError::into_inner);
        match history.update() {
            Ok(()) => json(&history.told()),
            Err(words) => self.unreadable(&format!("{}: {words}", names::METRICS)),
        }
    }

    fn unreadable(&self, words: &str) -> Answer {
        with_status(StatusCode::UNPROCESSABLE_ENTITY, self.words(words))
    }

    /// What went wrong; where the served folder is, is nobody's business.
    fn words(&self, words: &str) -> Answer {
        json(&Words { error: &words.replace(&self.root.display().to_string(), ".") })
    }
}

impl Courses {
    fn of(&mut self, name: &str, run: &Path) -> Arc<Mutex<History>> {
        self.clock += 1;
        if !self.by_name.contains_key(name) && self.by_name.len() >= COURSES {
            let oldest = self.by_name.iter().min_by_key(|(_, (when, _))| *when).map(|(name, _)| name.clone());
            oldest.iter().for_each(|name| drop(self.by_name.remove(name)));
        }
        let fresh = || (0, Arc::new(Mutex::new(History::new(run.join(names::METRICS)))));
        let entry = self.by_name.entry(name.to_owned()).or_insert_with(fresh);
        entry.0 = self.clock;
        Arc::clone(&entry.1)
    }
}

#[derive(Serialize)]
struct Words<'a> {
    error: &'a str,
}

fn asked(path: &str, query: BTreeMap<String, String>) -> Option<Asked> {
    const ALONE: [&str; 2] = ["/api/runs", "/api/events"];
    const OF_RUNS: [&str; 4] = ["/api/run", "/api/history", "/api/field", "/api/stop"];
    if let Some(what) = ALONE.into_iter().find(|what| *what == path) {
        return Some(Asked { what, name: String::new(), query });
    }
    let named = |what: &'static str| Some((what, path.strip_prefix(what)?.strip_prefix('/')?));
    let (what, name) = OF_RUNS.into_iter().find_map(named)?;
    Some(Asked { what, name: decoded(name)?, query })
}

fn query_of(text: &str) -> BTreeMap<String, String> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        Some((decoded(name)?, decoded(value)?))
    };
    text.split('&').filter_map(pair).collect()
}

fn typed(kind: &'static str, content: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Content::whole(content));
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

fn json(value: &impl Serialize) -> Answer {
    match serde_json::to_vec(value) {
        Ok(bytes) => typed("application/json", bytes),
        Err(_) => with_status(StatusCode::INTERNAL_SERVER_ERROR, Response::new(Content::whole(""))),
    }
}

fn with_status(status: StatusCode, mut answer: Answer) -> Answer {
    *answer.status_mut() = status;
    answer
}
