//! The gallery as a page: what was asked, on which machine, the table, and each problem with its picture.

use super::findings::Findings;
use super::room::Room;
use super::standing::Standing;
use super::tables::{self, Medium};
use super::wording;
use crate::error::StudyError;
use crate::watch::StudyWatch;
use ropinn_plot::sig;
use ropinn_runs::RunError;
use ropinn_runs::watch::Remark;
use std::fs;
use std::path::{Path, PathBuf};

const PAGE: &str = "gallery.md";
/// Where the page finds its pictures.
const PICTURES: &str = "images/gallery";
/// The picture of a run that shows its solution.
const SOLUTION: &str = "fields.png";

/// Rows of a picture: some problems have more unknowns and instants than a page has room for.
const TALLEST: usize = 1000;

/// A place for a page and its pictures.
pub struct Page<'a>(&'a Path);

impl<'a> Page<'a> {
    /// Makes the folders, so that a place where nothing can be written is known before the work begins.
    pub fn prepare(folder: &'a Path) -> Result<Self, StudyError> {
        let pictures = folder.join(PICTURES);
        let made = fs::create_dir_all(&pictures);
        made.map_err(|error| StudyError::NoPage(folder.to_owned(), error.to_string()))?;
        Ok(Self(folder))
    }

    /// Writes the page and its pictures.
    pub fn write(&self, findings: &Findings, rooms: &[Room], watch: &mut dyn StudyWatch) -> Result<(), StudyError> {
        let mut text = introduction(findings)?;
        for (standing, room) in findings.problems.iter().zip(rooms) {
            let picture = self.picture(standing, room, watch)?;
            text += &section(standing, room, picture.as_deref());
        }
        self.save(PAGE, text.as_bytes())
    }

    /// Saves a small copy of the picture of the run of median error; tells its name, unless there is none.
    fn picture(
        &self,
        standing: &Standing,
        room: &Room,
        watch: &mut dyn StudyWatch,
    ) -> Result<Option<String>, StudyError> {
        let run = standing.median_run().and_then(|attempt| room.run(attempt.run.seed));
        let Some(bytes) = run.and_then(|run| run.picture(SOLUTION)) else { return Ok(None) };
        let name = format!("{PICTURES}/{}.png", standing.problem);
        match ropinn_plot::half_size(&bytes, TALLEST) {
            Ok(bytes) => self.save(&name, &bytes).map(|()| Some(name)),
            Err(error) => {
                watch.on_remark(&Remark::NotDrawn { name, reason: error.to_string() });
                Ok(None)
            }
        }
    }

    fn save(&self, name: &str, bytes: &[u8]) -> Result<(), StudyError> {
        let path: PathBuf = self.0.join(name);
        Ok(ropinn_files::write(&path, bytes).map_err(|error| RunError::not_saved(&path, &error))?)
    }
}

fn introduction(findings: &Findings) -> Result<String, StudyError> {
    let missing = findings.missing().map_or_else(String::new, |words| format!("**{words}.**\n\n"));
    let machines: String = findings.machines.iter().map(|machine| format!("{machine}\n\n")).collect();
    let table = tables::standings(&findings.problems, Medium::Page)?.to_markdown();
    Ok(format!(
        "# Gallery\n\n\
         What `ropinn solve <problem> --seed <k>` does with no other option, for {}. Errors are relative (rMSE) against the \
         problem's reference,\n\
         seconds are those of training; medians and worst are over the seeds. A seed reaches what is wanted if error and time are both \
         within it.\n\
         Marks: `yes`, all seeds do; **miss**, some seed does not; `open`, runs are missing; –, nothing is wanted.\n\
         Where a picture would be too tall, it shows the first unknowns and instants; `fields.png` of the run shows all.\n\n\
         One command makes the page; repeated, it goes on where it stopped:\n\n\
         ```sh\n{}\n```\n\n{missing}{machines}{table}",
        findings.seeds_in_words(),
        findings.command
    ))
}

fn section(standing: &Standing, room: &Room, picture: Option<&str>) -> String {
    let (problem, source) = (&room.plan.problem, room.plan.problem.source_text());
    let mut text = format!("\n## {}\n\n**{}.** {}", standing.problem, problem.title, wording::opening(source));
    text = text.trim_end().to_owned() + "\n\n";
    let equations = wording::equations(source);
    if !equations.is_empty() {
        text += &format!("```toml\n{equations}```\n\n");
    }
    if let Some(name) = picture {
        text += &format!("![{}]({name})\n\n", problem.title);
    }
    text += &format!("{}\n\n```sh\nropinn solve {}\n```\n", result(standing, room.entry.note), standing.problem);
    text
}

/// Error and time in a sentence, and what one has to know about them.
fn result(standing: &Standing, note: &str) -> String {
    let (Some(rmse), Some(seconds), Some(median)) = (standing.rmse, standing.seconds, standing.median_run()) else {
        return format!("No run is finished yet. {note}").trim_end().to_owned();
    };
    let (there, seeds) = (standing.runs.len(), standing.seeds);
    let of = if there < seeds { format!(", of {there} of {seeds} seeds") } else { String::new() };
    let (error, time) = (sig(rmse.median, 3), format!("{:.1}", seconds.median));
    format!("Median rMSE {error} in {time} s{of}; the picture is that of seed {}. {note}", median.run.seed)
        .trim_end()
        .to_owned()
}
