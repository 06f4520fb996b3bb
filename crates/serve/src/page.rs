//! The page: all that a browser gets is in this program.

use ropinn_runs::html;

const HTML: &str = include_str!("page/index.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPTS: [&str; 3] = [include_str!("page/list.js"), include_str!("page/run.js"), include_str!("page/app.js")];

/// The page, with the token that changes need.
pub fn html(token: &str) -> String {
    HTML.replace("{token}", token)
}

/// Its style: that of reports, and what only a live page needs.
pub fn style() -> String {
    format!("{}{STYLE}", html::STYLE)
}

/// Its scripts: those of reports, and what only a live page needs.
pub fn script() -> String {
    html::script() + &SCRIPTS.concat()
}
