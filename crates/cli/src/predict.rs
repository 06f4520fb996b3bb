//! `ropinn predict`: values and derivatives of a trained solution at points of one's own.

mod points;

use crate::failure::Failure;
use crate::options;
use crate::output;
use crate::run_folder::{FinishedRun, write_whole};
use clap::Args;
use points::PointReader;
use ropinn::metrics::Predictor;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Predict values and derivatives of a trained solution at points of a CSV file.
#[derive(Debug, Args)]
pub struct Predict {
    /// Folder of the run.
    run: PathBuf,
    /// CSV file of the points, `-` for standard input: its first line names the coordinates, other columns are passed over.
    #[arg(long, value_name = "FILE")]
    points: String,
    /// What to predict, separated by commas: unknowns, derivatives, expressions of them [default: all unknowns].
    #[arg(long, value_name = "LIST")]
    want: Option<String>,
    /// File of the predictions [default: standard output].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file, if there is one.
    #[arg(long, requires = "out")]
    overwrite: bool,
    /// Threads; results do not depend on them [default: one per core].
    #[arg(long)]
    threads: Option<usize>,
}

impl Predict {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let threads = options::threads(self.threads)?;
        if let Some(path) = self.out.as_ref().filter(|path| path.exists() && !self.overwrite) {
            return Err(Failure::FileExists { path: path.clone() });
        }
        let (case, theta) = FinishedRun::load(&self.run)?.trained(&threads)?;
        let coordinates = case.problem().coordinate_names();
        let wanted = match &self.want {
            Some(list) => split_list(list),
            None => case.problem().unknown_names().to_vec(),
        };
        let mut predictor = Predictor::of(&case, &wanted)?;
        let mut reader = PointReader::open(&self.points, coordinates)?;
        let mut text = header(coordinates.iter().chain(&wanted));
        while let Some(points) = reader.next_batch()? {
            let values = predictor.predict(&theta, &points).map_err(Failure::run)?;
            for (point, values) in points.chunks_exact(coordinates.len()).zip(values.chunks_exact(wanted.len())) {
                push_line(&mut text, point.iter().chain(values));
            }
            if self.out.is_none() {
                output::print(&std::mem::take(&mut text))?;
            }
        }
        if let Some(path) = &self.out {
            write_whole(path, text.as_bytes()).map_err(|error| Failure::unwritable(path, &error))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn header<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let quoted = |name: &String| {
        if name.contains([',', '"']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.clone() }
    };
    names.map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

fn push_line<'a>(text: &mut String, values: impl Iterator<Item = &'a f64>) {
    for (i, value) in values.enumerate() {
        write!(text, "{}{value}", if i > 0 { "," } else { "" }).expect("writing to a string never fails");
    }
    text.push('\n');
}

/// Splits at commas that are not inside brackets: `u, min(u, 1)` are two.
fn split_list(list: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in list.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth <= 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("the list starts with one part").push(c);
    }
    parts.into_iter().map(|part| part.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::split_list;

    #[test]
    fn commas_in_calls_do_not_split() {
        assert_eq!(split_list("u, u_x,min(u, max(0,1)) ,2*u"), ["u", "u_x", "min(u, max(0,1))", "2*u"]);
        assert_eq!(split_list("u,"), ["u", ""]);
    }
}
