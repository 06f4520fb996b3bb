//! Solutions of others, as PINNacle's files have them, beside the reference of a problem.
//!
//! `%` begins a remark. A row has the coordinates in space, then a value for each unknown at the first instant, for each at the
//! second, …; rows with NaN are left out. The instants are those the last remark names (`u @ t=0.5`), one for each column, or else evenly
//! spread over the time of the problem.

use crate::error::RunError;
use crate::references::References;
use crate::watch::Remark;
use ropinn::metrics::relative_errors;
use ropinn::problem::{MAX_DATA_BYTES, Problem};
use serde::Serialize;
use std::path::Path;

/// Points of a file this far outside, relative to the size of the domain, are on its edge: meshes are rounded.
const ON_THE_EDGE: f64 = 1e-5;

/// How far a file is from the reference.
#[derive(Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The problem.
    pub problem: String,
    /// The file.
    pub file: String,
    /// Points in space of the file.
    pub places: usize,
    /// Instants of the file.
    pub instants: usize,
    /// Rows without a value, in the file or in the reference.
    pub left_out: usize,
    /// Σ|e| / Σ|u|, u the reference.
    pub rmae: f64,
    /// √(Σe² / Σu²).
    pub rmse: f64,
    /// √(Σe² / Σu²) of each unknown.
    pub by_unknown: Vec<(String, f64)>,
    /// The estimated error of the reference.
    pub reference_error: Option<f64>,
}

/// What a file holds: points `[point][axis]` and values `[point][unknown]`.
struct Held {
    points: Vec<f64>,
    values: Vec<f64>,
    places: usize,
    instants: usize,
    left_out: usize,
}

impl Comparison {
    /// Compares a problem's reference with a file; what takes its time is told before.
    pub fn new(
        problem: &Problem,
        references: &References,
        file: &Path,
        tell: &mut dyn FnMut(&Remark),
    ) -> Result<Self, RunError> {
        let text = ropinn_files::read_text(file, MAX_DATA_BYTES)?;
        let name = file.display().to_string();
        let mut held = read(problem, &text, &name)?;
        if let Some(work) = problem.reference_work() {
            let kept = references.folder().map(Path::to_owned);
            let waits = problem.known_reference(&held.points).is_none()
                && references.path(problem, &held.points).is_none_or(|path| !path.exists());
            if waits {
                let (problem, method, seconds) = (problem.name.clone(), work.method, work.seconds);
                tell(&Remark::Reference { problem, method, seconds, kept });
            }
        }
        let no_reference = || RunError::NoReference(problem.name.clone());
        let (reference, _) = references.values(problem, &held.points)?.ok_or_else(no_reference)?;
        let unknowns = problem.unknown_names();
        let referenced = problem.referenced();
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for (own, other) in reference.values.chunks_exact(unknowns.len()).zip(held.values.chunks_exact(unknowns.len()))
        {
            if (0..unknowns.len()).all(|k| !referenced[k] || own[k].is_finite()) {
                ours.extend_from_slice(own);
                theirs.extend_from_slice(other);
            } else {
                held.left_out += 1;
            }
        }
        let all = relative_errors(&theirs, &ours);
        let of = |values: &[f64], k: usize| values.iter().skip(k).step_by(unknowns.len()).copied().collect::<Vec<_>>();
        let by_unknown = (0..unknowns.len())
            .filter(|&k| referenced[k])
            .map(|k| (unknowns[k].clone(), relative_errors(&of(&theirs, k), &of(&ours, k)).rmse))
            .collect();
        let Held { places, instants, left_out, .. } = held;
        let (rmae, rmse, reference_error) = (all.rmae, all.rmse, reference.error);
        Ok(Self {
            problem: problem.name.clone(),
            file: name,
            places,
            instants,
            left_out,
            rmae,
            rmse,
            by_unknown,
            reference_error,
        })
    }

    /// For a terminal.
    pub fn to_text(&self) -> String {
        let mut text = format!("{} beside {}\n", self.problem, self.file);
        let mut line = |name: &str, value: String| text += &format!("  {name:<16} {value}\n");
        line("points", format!("{} at {} instants, {} left out", self.places, self.instants, self.left_out));
        line("rmae", format!("{:.3e}", self.rmae));
        line("rmse", format!("{:.3e}", self.rmse));
        if self.by_unknown.len() > 1 {
            let each = self.by_unknown.iter().map(|(name, rmse)| format!("{name} {rmse:.3e}"));
            line("rmse by unknown", each.collect::<Vec<_>>().join(", "));
        }
        let error = self.reference_error.map_or("none".to_owned(), |error| format!("{error:.1e}"));
        line("our own error", format!("{error} (estimated)"));
        text
    }
}

fn read(problem: &Problem, text: &str, file: &str) -> Result<Held, RunError> {
    let bad = |line: usize, what: String| RunError::BadLine(file.to_owned(), line as u64, what);
    let (unknowns, time) = (problem.unknown_names().len(), problem.time_axis());
    let space = problem.coordinate_names().len() - usize::from(time.is_some());
    let mut needed = format!("{} coordinates in space ({})", space, problem.coordinate_names()[..space].join(", "));
    needed += &format!(" and a value of {} at each instant", problem.unknown_names().join(", "));
    let (mut remark, mut columns, mut rows) = ("", None, Vec::new());
    for (index, line) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().enumerate() {
        let number = index + 1;
        let line = line.trim();
        if line.is_empty() || line.starts_with('%') {
            remark = if line.is_empty() { remark } else { line };
            continue;
        }
        let cell = |cell: &str| {
            let short: String = cell.chars().take(40).flat_map(char::escape_debug).collect();
            cell.parse::<f64>().map_err(|_| bad(number, format!("`{short}` is not a number; a row has {needed}")))
        };
        let cells = line.split(|c: char| c.is_whitespace() || c == ',').filter(|text| !text.is_empty());
        let row: Vec<f64> = cells.map(cell).collect::<Result<_, _>>()?;
        let expected = *columns.get_or_insert(row.len());
        if row.len() != expected {
            return Err(bad(number, format!("{} columns where the rows before have {expected}", row.len())));
        }
        let values = row.len().saturating_sub(space);
        if values == 0 || !values.is_multiple_of(unknowns) || time.is_none() && values != unknowns {
            return Err(bad(number, format!("{} columns, but a row has {needed}", row.len())));
        }
        rows.push((number, row));
    }
    let Some((_, first)) = rows.first() else { return Err(bad(text.lines().count(), "no row of numbers".to_owned())) };
    let instants = (first.len() - space) / unknowns;
    let times = time.map(|axis| times(remark, instants * unknowns, unknowns, problem.ranges()[axis]));
    let (geometry, size) = (problem.geometry(), problem.geometry().bounding_box());
    let size = size.low().iter().zip(size.high()).map(|(low, high)| high - low).fold(0.0, f64::max);
    let mut held = Held { points: Vec::new(), values: Vec::new(), places: rows.len(), instants, left_out: 0 };
    for (number, row) in &rows {
        let (place, values) = row.split_at(space);
        let mut point = place.to_vec();
        point.extend(geometry.time().map(|[start, _]| start));
        if !geometry.contains(&point, ON_THE_EDGE * size) {
            let place: Vec<String> = place.iter().map(f64::to_string).collect();
            let ranges: Vec<String> =
                problem.ranges()[..space].iter().map(|(low, high)| format!("[{low}, {high}]")).collect();
            let ranges = ranges.join(" x ");
            return Err(bad(*number, format!("({}) is outside the domain, which lies in {ranges}", place.join(", "))));
        }
        for (k, value) in values.chunks_exact(unknowns).enumerate() {
            if value.iter().any(|value| !value.is_finite()) {
                held.left_out += 1;
                continue;
            }
            held.points.extend_from_slice(place);
            held.points.extend(times.as_ref().map(|times| times[k]));
            held.values.extend_from_slice(value);
        }
    }
    match held.points.is_empty() {
        true => Err(bad(rows[0].0, "no row has all its values: they are NaN".to_owned())),
        false => Ok(held),
    }
}

/// The instants of the columns: those a remark names, or evenly many.
fn times(remark: &str, columns: usize, unknowns: usize, (start, end): (f64, f64)) -> Vec<f64> {
    let number = |text: &str| {
        let digits: String =
            text.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E')).collect();
        digits.parse::<f64>().ok()
    };
    let named: Vec<f64> = remark.split("t=").skip(1).filter_map(number).collect();
    let count = columns / unknowns;
    let inside = |t: &f64| start - 1e-9 <= *t && *t <= end + 1e-9;
    if named.len() == columns && named.iter().all(inside) {
        return named.into_iter().step_by(unknowns).collect();
    }
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count)
        .map(|k| if k + 1 == count && count > 1 { end } else { start + (end - start) * k as f64 / last })
        .collect()
}
