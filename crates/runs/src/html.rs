//! Plain HTML with its style and pictures inside, so that a page opens from disk without a network.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt::Write;

/// The style of every page.
pub const STYLE: &str = include_str!("html/style.css");
const SCRIPTS: [&str; 3] =
    [include_str!("html/chart.js"), include_str!("html/table.js"), include_str!("html/field.js")];

const REPORT: &str = include_str!("html/report.js");

/// Charts, tables and fields that answer to a reader, for pages of runs: `R.chart`, `R.sortable`, `R.field`.
pub fn script() -> String {
    SCRIPTS.concat()
}

/// A whole page.
pub fn page(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// A whole page whose charts, tables and fields answer to its reader. `data` is the JSON they are drawn from.
pub fn interactive_page(title: &str, body: &str, data: &str) -> String {
    // Names in it come from files of others: none may end the element it is in.
    let data = data.replace('<', "\\u003c");
    let script = script() + REPORT;
    let body = format!(
        "<p><button id=\"theme\" type=\"button\">dark or light</button></p>\n{body}\
         <noscript><p>Curves and fields are drawn by scripts in this file, which this browser does not run.</p></noscript>\n\
         <script id=\"data\" type=\"application/json\">{data}</script>\n<script>\n{script}</script>\n"
    );
    page(title, &body)
}

/// A heading with what belongs to it.
pub fn section(heading: &str, content: &str) -> String {
    format!("<h2>{heading}</h2>\n{content}")
}

/// A table with a heading. Columns of nothing but numbers are flush right.
pub fn table<S: AsRef<str>>(head: &[S], rows: impl Iterator<Item = Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows.collect();
    let is_number = |cell: &str| cell == "–" || cell.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let numeric: Vec<bool> = (0..head.len()).map(|k| rows.iter().all(|row| is_number(&row[k]))).collect();
    let line = |tag: &str, cells: &mut dyn Iterator<Item = &str>| {
        let mut text = String::from("<tr>");
        for (cell, &numeric) in cells.zip(&numeric) {
            let class = if numeric { " class=\"number\"" } else { "" };
            write!(text, "<{tag}{class}>{}</{tag}>", escaped(cell)).expect("writing to a string never fails");
        }
        text + "</tr>\n"
    };
    let mut text = String::from("<div class=\"wide\"><table>\n");
    text += &line("th", &mut head.iter().map(AsRef::as_ref));
    text.extend(rows.iter().map(|row| line("td", &mut row.iter().map(String::as_str))));
    text + "</table></div>\n"
}

/// A picture as an image, where no script of an unknown file can run.
pub fn image(bytes: &[u8], kind: &str, description: &str) -> String {
    let (data, description) = (STANDARD.encode(bytes), escaped(description));
    format!("<img alt=\"{description}\" src=\"data:image/{kind};base64,{data}\">\n")
}

/// Text that is not mistaken for marks.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
