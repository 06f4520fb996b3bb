//! The files of an experiment: a table for reading (Markdown), one for scripts (CSV), a page with everything (HTML), figures.

use super::cell::Depths;
use super::experiment::{Experiment, Wanted};
use super::figures::{self, Drawing};
use super::landscape;
use super::outcome::RowOutcome;
use super::sweep::Sweep;
use super::tables;
use super::watch::SweepWatch;
use crate::error::StudyError;
use crate::machines::machines;
use ropinn::model::ModelKind;
use ropinn_plot::Table;
use ropinn_runs::html;
use ropinn_runs::pictures;
use serde::Serialize;
use std::path::PathBuf;

/// What an experiment has so far.
#[derive(Serialize)]
pub struct Report {
    /// Name of the experiment.
    pub id: &'static str,
    /// Name of its scale.
    pub scale: &'static str,
    /// The page.
    pub file: PathBuf,
    /// Whether every run of every row is done.
    pub complete: bool,
    /// What a terminal shows of it.
    #[serde(skip)]
    pub text: String,
}

/// Which rows are wanted, and all the files of them.
pub(super) fn write(
    sweep: &Sweep,
    experiment: Experiment,
    wanted: &Wanted,
    rows: Vec<RowOutcome>,
    command: &str,
    watch: &dyn SweepWatch,
) -> Result<Report, StudyError> {
    let scale = wanted.scale;
    let mut drawings = figures::of(experiment, &rows, scale)?;
    let mut tables = vec![tables::table(experiment, &rows)?];
    let mut brief = tables[0].without(&tables::DETAILS);
    if experiment == Experiment::Landscape {
        let found = landscape::summary(sweep, &rows)?;
        drawings.extend(found.drawings);
        brief = found.table.clone().unwrap_or(brief);
        tables.extend(found.table);
    }
    let name = file_name(experiment, wanted);
    let folder = sweep.folder();
    let mut drawn = Vec::new();
    for mut drawing in drawings {
        if wanted.depths == Depths::AsPublished {
            drawing.name += "-as-published";
        }
        // What cannot be drawn the tables tell better.
        match pictures::save(drawing.figure.as_ref(), folder.path(), &drawing.name)? {
            Ok(()) => drawn.push(drawing),
            Err(remark) => watch.on_remark(&remark.to_string()),
        }
    }
    let mut remarks = vec![format!("{}.", capitalised(scale.words()))];
    let has_qres = rows.iter().any(|row| row.row.model() == ModelKind::Qres);
    if has_qres {
        let words = match wanted.depths {
            Depths::AsPublished => {
                "QRes has four blocks with points and two with regions, as in the published scripts: those rows do not compare \
                 like with like."
            }
            Depths::Equal => {
                "Every method has the same network: QRes has four blocks throughout, where the published scripts give it two \
                 with regions (--as-published repeats that)."
            }
        };
        remarks.push(words.to_owned());
    }
    remarks.push("rMSE, rMAE and loss are medians over seeds.".to_owned());
    remarks.extend(tables::notes(experiment, &rows));
    let machines = machines(rows.iter().flat_map(|row| row.runs.iter().map(|run| &run.result)));
    let page = Page { command, experiment, remarks, tables, drawn, machines };
    folder.write(&format!("{name}.md"), page.markdown().as_bytes())?;
    folder.write(&format!("{name}.html"), page.html(sweep)?.as_bytes())?;
    folder.write(&format!("{name}.csv"), page.tables[0].to_csv().as_bytes())?;
    folder.write(&format!("{name}-runs.csv"), tables::runs(&rows)?.to_csv().as_bytes())?;
    let complete = rows.iter().all(|row| row.runs.len() == row.row.seeds.len());
    let file = folder.path().join(format!("{name}.html"));
    let text = format!("\n{}\n{}\n\n{}", experiment.title(), scale.words(), brief.to_text());
    Ok(Report { id: experiment.id(), scale: scale.name(), file, complete, text })
}

/// Name of an experiment's files, without the ending.
fn file_name(experiment: Experiment, wanted: &Wanted) -> String {
    match wanted.depths {
        Depths::Equal => experiment.id().to_owned(),
        Depths::AsPublished => format!("{}-as-published", experiment.id()),
    }
}

struct Page<'a> {
    command: &'a str,
    experiment: Experiment,
    remarks: Vec<String>,
    tables: Vec<Table>,
    drawn: Vec<Drawing>,
    machines: Vec<String>,
}

impl Page<'_> {
    fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n```sh\n{}\n```\n\n", self.experiment.title(), self.command);
        self.remarks.iter().for_each(|remark| text += &format!("{remark}\n\n"));
        for table in &self.tables {
            text += &format!("{}\n", table.to_markdown());
        }
        for drawing in &self.drawn {
            text += &format!("![{}]({}.svg)\n\n", capitalised(&drawing.description), drawing.name);
        }
        self.machines.iter().for_each(|machine| text += &format!("{machine}\n\n"));
        text.trim_end().to_owned() + "\n"
    }

    fn html(&self, sweep: &Sweep) -> Result<String, StudyError> {
        let title = self.experiment.title();
        let mut body = format!("<h1>{}</h1>\n<pre>{}</pre>\n", html::escaped(title), html::escaped(self.command));
        self.remarks.iter().for_each(|remark| body += &format!("<p>{}</p>\n", html::escaped(remark)));
        for table in &self.tables {
            let head: Vec<&str> = table.head().collect();
            body += &html::table(&head, table.rows().map(<[String]>::to_vec));
        }
        for drawing in &self.drawn {
            let svg = drawing.figure.to_svg_string()?;
            body += &html::image(svg.as_bytes(), "svg+xml", &drawing.description);
        }
        body += &format!(
            "<p class=\"machine\">Runs in {}</p>\n",
            html::escaped(&sweep.folder().path().display().to_string())
        );
        for machine in &self.machines {
            body += &format!("<p class=\"machine\">{}</p>\n", html::escaped(machine));
        }
        Ok(html::page(&format!("ropinn reproduce {}", self.experiment.id()), &body))
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
