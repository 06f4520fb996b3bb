//! The page itself.

use super::curves::Chart;
use super::{ReportedRun, count, curves, fields, settings};
use crate::error::RunError;
use crate::folder::RunResult;
use crate::html::{escaped, image, interactive_page, section, table};
use crate::statistics::{Statistics, solved};
use ropinn::record::Trained;
use ropinn_plot::{scientific, sig};
use serde::Serialize;

/// What the scripts of the page draw.
#[derive(Serialize)]
struct Data<'a> {
    runs: Vec<RunData<'a>>,
    charts: &'a [Chart],
}

#[derive(Serialize)]
struct RunData<'a> {
    label: &'a str,
    columns: Vec<String>,
    values: Vec<Vec<Option<f64>>>,
    fields: Vec<(u64, String)>,
}

/// The whole page.
pub fn write(runs: &[ReportedRun]) -> Result<String, RunError> {
    let charts = curves::charts(runs);
    let of_run = |reported: &'_ ReportedRun| {
        let (columns, course) = curves::course(reported);
        let fields = fields::of_run(&reported.run.path, runs.len());
        (columns, course.values, fields)
    };
    let with_label = |reported| {
        let (columns, values, fields) = of_run(reported);
        RunData { label: &reported.label, columns, values, fields }
    };
    let data = Data { runs: runs.iter().map(with_label).collect(), charts: &charts };
    let mut body = format!("<h1>ropinn: {}</h1>\n", count(runs.len()));
    body += &results(runs);
    body += &each(runs);
    body += &groups(runs);
    body += "<div class=\"charts\">\n";
    for (k, chart) in charts.iter().enumerate() {
        body += &format!("<section data-chart=\"{k}\"><h2>{}</h2></section>\n", escaped(&chart.heading));
    }
    body += "</div>\n";
    body += &solutions(runs, &data);
    body += &differences(runs);
    let data = serde_json::to_string(&data).map_err(|error| RunError::Print(error.into()))?;
    Ok(interactive_page("ropinn report", &body, &data))
}

fn results(runs: &[ReportedRun]) -> String {
    let head = "run,problem,model,objective,seed,parameters,rMSE,rMAE,trained loss,unweighted loss at fixed points,\
                iterations,evaluations,seconds,stopped";
    let head: Vec<&str> = head.split(',').collect();
    let loss = |value: f64| if value.is_finite() { scientific(value, 3) } else { "not finite".to_owned() };
    let row = |reported: &ReportedRun| {
        let r = &reported.run.result;
        let error = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| sig(value, 3));
        vec![
            reported.label.clone(),
            r.problem.clone(),
            r.model.clone(),
            r.objective.clone(),
            r.seed.to_string(),
            r.parameters.to_string(),
            error(r.rmse),
            error(r.rmae),
            loss(r.trained_loss),
            loss(r.unweighted_loss),
            r.iterations.to_string(),
            r.evaluations.to_string(),
            format!("{:.1}", r.seconds),
            r.stop_reason.clone(),
        ]
    };
    section("Results", &table(&head, runs.iter().map(row)))
}

/// What runs have several of: equations, unknowns and trained numbers, each with its own figures.
fn each(runs: &[ReportedRun]) -> String {
    type Figures = fn(&RunResult) -> Vec<Vec<String>>;
    let tables: [(&str, &[&str], Figures); 3] = [
        ("Equations", &["run", "equation", "unweighted mean square at fixed points", "weight"], |r| {
            let weight =
                |name: &String| r.weights.get(&format!("residual {name}")).map_or_else(String::new, |w| sig(*w, 4));
            r.equations.iter().map(|(name, value)| vec![name.clone(), scientific(*value, 3), weight(name)]).collect()
        }),
        ("Unknowns", &["run", "unknown", "rMSE", "rMAE"], |r| {
            let both = r.rmse_by_unknown.iter().zip(r.rmae_by_unknown.values());
            both.map(|((name, rmse), rmae)| vec![name.clone(), sig(*rmse, 3), sig(*rmae, 3)]).collect()
        }),
        ("Trained numbers", &["run", "number", "value", "standard error", "95 % from", "to", "remark"], |r| {
            let end = |value: Option<f64>, digits: usize| value.map_or_else(String::new, |value| sig(value, digits));
            let row = |(name, found): (&String, &Trained)| {
                let interval = [(found.standard_error, 2), (found.low, 6), (found.high, 6)];
                let numbers = interval.map(|(value, digits)| end(value, digits));
                let remark = found.remark.clone().unwrap_or_default();
                [vec![name.clone(), sig(found.value, 6)], numbers.to_vec(), vec![remark]].concat()
            };
            r.trained.iter().map(row).collect()
        }),
    ];
    let mut text = String::new();
    for (heading, head, figures) in tables {
        let of_run = |reported: &ReportedRun| {
            let label = reported.label.clone();
            figures(&reported.run.result).into_iter().map(move |row| [vec![label.clone()], row].concat())
        };
        let rows: Vec<Vec<String>> = runs.iter().flat_map(of_run).collect();
        if !rows.is_empty() {
            text += &section(heading, &table(head, rows.into_iter()));
        }
    }
    text
}

/// Runs that differ only in their seed form a group; a group of several has statistics.
fn groups(runs: &[ReportedRun]) -> String {
    let key = |reported: &ReportedRun| {
        let mut config = reported.run.config.clone();
        config.seed = 0;
        config.to_toml()
    };
    let mut groups: Vec<(String, Vec<&ReportedRun>)> = Vec::new();
    for reported in runs {
        let own = key(reported);
        match groups.iter_mut().find(|(key, _)| *key == own) {
            Some((_, members)) => members.push(reported),
            None => groups.push((own, vec![reported])),
        }
    }
    let several: Vec<&Vec<&ReportedRun>> = groups.iter().map(|(_, members)| members).filter(|m| m.len() > 1).collect();
    if several.is_empty() {
        return String::new();
    }
    let head = ["problem", "model", "objective", "seeds", "solved", "median rMSE", "mean ± std", "best", "worst"];
    let row = |members: &&Vec<&ReportedRun>| {
        let first = &members[0].run.result;
        let errors = || members.iter().map(|reported| reported.run.result.rmse);
        let solved = first.success_threshold.map(|threshold| (solved(errors(), threshold), threshold));
        let cells = Statistics::of(errors().flatten()).map_or_else(|| [const { String::new() }; 4], |s| s.cells());
        let mut row = vec![first.problem.clone(), first.model.clone(), first.objective.clone()];
        row.push(members.len().to_string());
        row.push(solved.map_or_else(
            || "–".to_owned(),
            |(solved, threshold)| format!("{solved} of {} (rMSE < {threshold})", members.len()),
        ));
        row.extend(cells);
        row
    };
    section("Over seeds", &table(&head, several.iter().map(row)))
}

/// The field of each run to look into; a picture where a run has kept none.
fn solutions(runs: &[ReportedRun], data: &Data<'_>) -> String {
    let mut text = String::from("<h2>Solutions</h2>\n<div class=\"charts\">\n");
    for (k, reported) in runs.iter().enumerate() {
        let name = escaped(&reported.label);
        text += &format!("<section data-run=\"{k}\"><h3>{name}</h3>\n");
        match reported.run.picture("fields.svg") {
            _ if !data.runs[k].fields.is_empty() => text += &format!("<div data-fields=\"{k}\"></div>\n"),
            Some(svg) => text += &image(&svg, "svg+xml", &format!("solution of {}", reported.label)),
            None => text += "<p>This run has no picture of its solution.</p>\n",
        }
        text += &format!(
            "<details><summary>Training of {name}</summary><div data-terms=\"{k}\"></div></details></section>\n"
        );
    }
    text + "</div>\n"
}

fn differences(runs: &[ReportedRun]) -> String {
    let comparison = settings::compare(runs);
    let mut text = String::new();
    if !comparison.different.is_empty() {
        let head: Vec<&str> = ["setting"].into_iter().chain(runs.iter().map(|run| run.label.as_str())).collect();
        let rows = comparison.different.into_iter().map(|(path, values)| [vec![path], values].concat());
        text += &section("Settings that differ", &table(&head, rows));
    }
    let rows = comparison.shared.into_iter().map(|(path, value)| vec![path, value]);
    let shared = table(&["setting", "value"], rows);
    let heading = if runs.len() > 1 { "Settings all runs share" } else { "Settings" };
    text += &format!("<details><summary>{heading}</summary>\n{shared}</details>\n");
    let mut machines: Vec<String> = runs.iter().map(|reported| reported.run.result.machine()).collect();
    machines.sort();
    machines.dedup();
    text.extend(machines.iter().map(|machine| format!("<p class=\"machine\">{}</p>\n", escaped(machine))));
    text
}
