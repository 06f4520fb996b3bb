//! Measured values turned into terms.
//!
//! A reading y of M(u) with noise of standard deviation σ is the residual r = (M(u)(x) − y)/σ. The sum of r² over all readings
//! is −2 log of their likelihood up to a constant, so terms of stated noise are weighed by their number of readings: the
//! minimum is a maximum-likelihood estimate. All of them together are divided by the mean of 1/σ², which gives a mean square in the
//! units of the readings, and count a hundredth of it: readings have noise and equations have none, so equations must not be
//! traded for readings, or the solution follows the noise.
//!
//! If σ itself is to be found, −2 log of the likelihood has 2 ln σ for each reading. As a square that Gauss–Newton can take,
//! that is ρ² with ρ = √(1 + 2 ln(σ/σ₀)), σ₀ > 0 the lower bound of σ: up to a constant the same function. Without a lower bound
//! a solution that meets every reading would make σ, and with it the likelihood, as small as it likes.

use ropinn_expr::{Expr, MultiIndex};
use std::path::PathBuf;

use super::columns::{Columns, MissingReadings, MissingValues, Renamed, name_in_file};
use super::condition::{DataPlan, ForUnknown, MadePlan, Observations};
use super::error::ProblemError;
use super::formula::Formula;
use super::inputs::Inputs;
use super::resolve::Resolver;
use super::term::{MadeOf, Noise, Support, Term};
use super::trainable::with_truth;

/// Readings may be so far outside, compared with the domain: files have few digits.
const OUTSIDE: f64 = 1e-6;

/// What readings of stated noise count, compared with their weighted mean square.
const SHARE: f64 = 0.01;

/// What becomes of a condition on measured values.
pub(super) type Readings = (Vec<(Term, Support)>, Vec<MissingReadings>);

/// A measured quantity: its label, its expression, and the column of its values.
struct Measured {
    label: String,
    observed: Expr,
    column: usize,
    level: Level,
}

/// Its noise level.
#[derive(Clone)]
enum Level {
    Unstated,
    Number(f64),
    /// In a column.
    Column(usize),
    /// To be found: which number, its expression, its lower bound and its first value.
    Trained {
        index: usize,
        sigma: Expr,
        low: f64,
        first: f64,
    },
}

impl Level {
    /// 1/σ²; what that is on average in a column is for others to say.
    fn precision(&self, of_column: impl FnOnce(usize) -> f64) -> f64 {
        match self {
            Level::Unstated => 1.0,
            Level::Number(sigma) => sigma.powi(-2),
            Level::Trained { first, .. } => first.powi(-2),
            Level::Column(column) => of_column(*column),
        }
    }

    /// The residual of a difference, in units of the noise; `inverse` is 1/σ where it comes with the data.
    fn scaled(&self, difference: Expr, inverse: Expr) -> Expr {
        match self {
            Level::Unstated => difference,
            Level::Number(sigma) => difference * (1.0 / sigma),
            Level::Column(_) => difference * inverse,
            Level::Trained { sigma, .. } => difference / sigma.clone(),
        }
    }
}

impl Resolver<'_> {
    pub(super) fn data(&self, data: &DataPlan, inputs: &Inputs) -> Result<Readings, ProblemError> {
        match &data.observations {
            Observations::Made { of, noise, seed } => Ok((vec![self.made(data, of, *noise, *seed)?], Vec::new())),
            Observations::Rows { columns, rows } => {
                self.tabulated(data, &Renamed::new(), vec![self.inline(columns, rows)?])
            }
            Observations::Files { paths, renamed, names } => {
                let read = |path: &PathBuf| inputs.columns(path, MissingValues::SkipCell, names.as_deref());
                self.tabulated(data, renamed, paths.iter().map(read).collect::<Result<_, _>>()?)
            }
        }
    }

    /// Terms of values in columns, file by file.
    fn tabulated(&self, data: &DataPlan, renamed: &Renamed, files: Vec<Columns>) -> Result<Readings, ProblemError> {
        let (mut terms, mut notes) = (Vec::new(), Vec::new());
        let several = files.len() > 1;
        for columns in &files {
            let place = |name: &String| columns.whole(name_in_file(renamed, name));
            let places = self.scope().coord_names().iter().map(place).collect::<Result<Vec<_>, _>>()?;
            self.check_places(columns, &places)?;
            let measured = self.measured(data, renamed, columns, &places)?;
            let present = |row: usize, one: &Measured| !columns.row(row)[one.column].is_nan();
            let mut whole: Vec<&Measured> = Vec::new();
            let mut gappy: Vec<&Measured> = Vec::new();
            for one in &measured {
                let missing = (0..columns.len()).filter(|&row| !present(row, one)).count();
                if missing == 0 {
                    whole.push(one);
                    continue;
                }
                let (origin, column) = (columns.origin.clone(), columns.names[one.column].clone());
                notes.push(MissingReadings { origin, column, missing, rows: columns.len() });
                gappy.push(one);
            }
            // Columns without gaps share their places and with them the work.
            let groups = [whole].into_iter().chain(gappy.into_iter().map(|one| vec![one]));
            for group in groups.filter(|group| !group.is_empty()) {
                let rows: Vec<usize> =
                    (0..columns.len()).filter(|&row| group.iter().all(|one| present(row, one))).collect();
                if rows.is_empty() {
                    let (path, column) = (columns.origin.clone(), columns.names[group[0].column].clone());
                    return Err(ProblemError::NoReadings { path, column }.at(self.at()));
                }
                terms.push(self.term_of(columns, &places, &group, &rows)?);
            }
        }
        if several {
            // Files of one condition are one set of readings, cut into pieces.
            let total: usize = files.iter().map(Columns::len).sum();
            for (term, _) in terms.iter_mut().filter(|(term, _)| term.noise.is_none()) {
                term.weight = term.samples(self.around.ranges.len()) as f64 / total.max(1) as f64;
            }
        }
        Ok((terms, notes))
    }

    /// One term of some measured quantities on some rows.
    fn term_of(
        &self,
        columns: &Columns,
        places: &[usize],
        group: &[&Measured],
        rows: &[usize],
    ) -> Result<(Term, Support), ProblemError> {
        let mut data: Vec<(usize, bool)> = Vec::new();
        let mut residuals = Vec::new();
        for one in group {
            data.push((one.column, false));
            let difference = one.observed.clone() - Expr::data(data.len() - 1);
            if let Level::Column(sigma) = one.level {
                data.push((sigma, true));
            }
            let inverse = Expr::data(data.len() - 1);
            residuals.push((one.label.clone(), one.level.scaled(difference, inverse)));
        }
        let levels: Vec<&Level> = group.iter().map(|one| &one.level).collect();
        let of_column = |column: usize| {
            rows.iter().map(|&row| columns.row(row)[column].powi(-2)).sum::<f64>() / rows.len().max(1) as f64
        };
        let precision = levels.iter().map(|level| level.precision(of_column)).sum();
        let noise = noise_of(&levels, precision, rows.len());
        residuals.extend(self.log_parts(&levels));
        let (mut term, support) = self.finish(residuals, Support::Given);
        for &row in rows {
            let values = columns.row(row);
            term.points.extend(places.iter().map(|&k| values[k]));
            term.data.extend(data.iter().map(|&(k, inverse)| if inverse { 1.0 / values[k] } else { values[k] }));
        }
        term.noise = noise;
        Ok((term, support))
    }

    /// What is measured: the columns that are named, else all that hold numbers.
    fn measured(
        &self,
        data: &DataPlan,
        renamed: &Renamed,
        columns: &Columns,
        places: &[usize],
    ) -> Result<Vec<Measured>, ProblemError> {
        let coordinates = self.scope().coord_names();
        if let Some(formula) = &data.value_of {
            let observed = self.observed(formula)?;
            let (column, label) =
                (columns.index(name_in_file(renamed, "value"))?, observed.display(self.scope()).to_string());
            let level = self.level(data, &label, Some((columns, column)))?;
            return Ok(vec![Measured { label, observed, column, level }]);
        }
        let named: Vec<(&str, usize)> = renamed
            .iter()
            .filter(|(name, _)| !coordinates.contains(name))
            .map(|(name, column)| Ok((name.as_str(), columns.index(column)?)))
            .collect::<Result<_, ProblemError>>()?;
        let levels: Vec<&str> = data.sigma.iter().filter_map(|(_, level)| level.as_text()).collect();
        let others = (0..columns.names.len()).filter(|k| {
            let name = &columns.names[*k];
            // Words under a name of the problem's own are a mistake, under any other a remark.
            !places.contains(k)
                && !levels.contains(&name.as_str())
                && (!columns.is_text(*k) || self.scope().parse(name).is_ok())
        });
        let listed = if named.is_empty() { others.map(|k| (columns.names[k].as_str(), k)).collect() } else { named };
        let mut measured = Vec::new();
        for (name, column) in listed {
            let what = format!("column `{name}` of condition `{}`", self.name);
            let formula = Formula::from(name).found_at(self.condition.written_at, None);
            let is_file = matches!(data.observations, Observations::Files { .. });
            let observed = match formula.resolve(self.scope(), &what, self.around.source) {
                // A name nobody chose for this problem.
                Err(_) if is_file && renamed.iter().all(|(own, _)| own != name) => {
                    let reason =
                        self.scope().parse(name).map_or_else(|e| e.kind.to_string(), |_| "it is never a number".into());
                    let (path, column) = (columns.origin.clone(), name.to_owned());
                    let unknown = self.scope().unknown_names()[0].clone();
                    return Err(ProblemError::StrangeColumn { path, column, reason, unknown }.at(self.at()));
                }
                observed => observed?,
            };
            columns.index(&columns.names[column])?;
            let level = self.level(data, name, Some((columns, column)))?;
            measured.push(Measured { label: name.to_owned(), observed, column, level });
        }
        if measured.is_empty() {
            columns.index(&self.scope().unknown_names()[0])?;
        }
        Ok(measured)
    }

    fn observed(&self, formula: &Formula) -> Result<Expr, ProblemError> {
        let what = self.what("value_of");
        let observed = formula.resolve(self.scope(), &what, self.around.source)?;
        if !observed.depends_on_unknowns() {
            let unknowns = self.scope().unknown_names().join(", ");
            return Err(ProblemError::NoUnknown { what, unknowns }.at(formula.position(self.around.source)));
        }
        Ok(observed)
    }

    /// The noise level of a measured quantity; a text is a column of the file, a number to be found, or a formula.
    fn level(&self, data: &DataPlan, label: &str, file: Option<(&Columns, usize)>) -> Result<Level, ProblemError> {
        let own = |(name, _): &&ForUnknown| name.as_deref().is_none_or(|name| name == label);
        let Some((_, formula)) = data.sigma.iter().find(own) else {
            let (condition, quantity) = (self.name.clone(), label.to_owned());
            return match data.sigma.is_empty() {
                true => Ok(Level::Unstated),
                false => Err(ProblemError::NoSigma { condition, quantity }.at(self.at())),
            };
        };
        let at = || formula.position(self.around.source);
        let (what, column) = (self.what("sigma"), formula.as_text());
        if let (Some((columns, values)), Some(name)) = (file, column)
            && columns.names.iter().any(|own| own == name)
        {
            let sigma = columns.index(name)?;
            let bad = |row: &usize| {
                let (level, value) = (columns.row(*row)[sigma], columns.row(*row)[values]);
                (level.is_nan() || level <= 0.0) && !value.is_nan()
            };
            return match (0..columns.len()).find(bad) {
                None => Ok(Level::Column(sigma)),
                Some(row) => Err(ProblemError::BadSigma {
                    place: columns.place_of(row),
                    column: name.to_owned(),
                    value: columns.row(row)[sigma],
                }),
            };
        }
        if let Some(index) = column.and_then(|name| self.around.trainables.iter().position(|own| own.name == name)) {
            let own = &self.around.trainables[index];
            let (low, _) = own.transform.bounds();
            return match low > 0.0 && low.is_finite() {
                true => {
                    let sigma = formula.resolve(self.scope(), &what, self.around.source)?;
                    Ok(Level::Trained { index, sigma, low, first: own.first })
                }
                false => Err(ProblemError::OpenSigma {
                    name: own.name.clone(),
                    condition: self.name.clone(),
                    low: 0.01 * own.first.abs(),
                    high: 100.0 * own.first.abs(),
                }
                .at(at())),
            };
        }
        if let (Some((columns, _)), Some(name)) = (file, column)
            && self.scope().parse(name).is_err()
        {
            columns.index(name)?;
        }
        let sigma = formula.number(self.scope(), &what, self.around.source)?;
        match sigma > 0.0 {
            true => Ok(Level::Number(sigma)),
            false => Err(ProblemError::NotPositive { what: format!("the {what}"), value: sigma }.at(at())),
        }
    }

    /// ρ for each quantity whose noise level is to be found.
    fn log_parts(&self, levels: &[&Level]) -> Vec<(String, Expr)> {
        let part = |level: &&Level| match level {
            Level::Trained { index, sigma, low, .. } => {
                let label = format!("log {}", self.around.trainables[*index].name);
                Some((label, ((sigma.clone() * (1.0 / low)).log() * 2.0 + 1.0).sqrt()))
            }
            _ => None,
        };
        levels.iter().filter_map(part).collect()
    }

    fn check_places(&self, columns: &Columns, places: &[usize]) -> Result<(), ProblemError> {
        let size = self.around.ranges.iter().fold(0.0, |size: f64, (low, high)| size.max(high - low));
        for row in 0..columns.len() {
            let values = columns.row(row);
            let point: Vec<f64> = places.iter().map(|&k| values[k]).collect();
            if !self.around.geometry.contains(&point, OUTSIDE * size) {
                let named = self.scope().coord_names().iter().zip(&point);
                let point: Vec<String> = named.map(|(name, value)| format!("{name} = {value}")).collect();
                let (place, point) = (columns.place_of(row), point.join(", "));
                return Err(ProblemError::ReadingOutside { place, point }.at(self.at()));
            }
        }
        Ok(())
    }

    fn inline(&self, names: &[String], rows: &[f64]) -> Result<Columns, ProblemError> {
        let what = format!("the last row of condition `{}`", self.name);
        let (expected, rest) = (names.len(), rows.len() % names.len().max(1));
        if rows.is_empty() || rest != 0 || expected == 0 {
            return Err(ProblemError::WrongDimension { what, expected, found: rest }.at(self.at()));
        }
        match rows.iter().find(|value| value.is_infinite()) {
            Some(value) => Err(ProblemError::NotANumber {
                what: format!("every value of condition `{}`", self.name),
                value: value.to_string(),
            }
            .at(self.at())),
            None => Ok(Columns::inline(names.to_vec(), rows.to_vec(), &format!("condition `{}`", self.name))),
        }
    }

    /// Readings made from formulas or from the reference.
    fn made(
        &self,
        data: &DataPlan,
        of: &MadePlan,
        noise: f64,
        seed: Option<u32>,
    ) -> Result<(Term, Support), ProblemError> {
        if !(noise >= 0.0 && noise.is_finite()) {
            let (at, what) = (self.at(), self.what("noise"));
            return Err(ProblemError::NotANumber { what, value: noise.to_string() }.at(at));
        }
        let mut measured: Vec<(String, Expr)> = Vec::new();
        let values = match of {
            MadePlan::Reference(unknowns) => {
                let all = self.scope().unknown_names();
                let listed = if unknowns.is_empty() { all } else { &unknowns[..] };
                let fields = listed.iter().map(|name| self.field(Some(name))).collect::<Result<Vec<_>, _>>()?;
                measured
                    .extend(fields.iter().map(|(field, name)| (name.clone(), Expr::unknown(*field, MultiIndex::ZERO))));
                MadeOf::Reference(fields.into_iter().map(|(field, _)| field).collect())
            }
            MadePlan::Formulas(formulas) => {
                let mut values = Vec::new();
                for (quantity, formula) in formulas {
                    measured.push(self.quantity(data, quantity.as_deref())?);
                    let value = self.known(formula, "value")?;
                    values.push(with_truth(&value, self.around.trainables).map_err(|name| {
                        let what = self.what("value");
                        ProblemError::NoTruth { what, name }.at(formula.position(self.around.source))
                    })?);
                }
                MadeOf::Formulas(values)
            }
        };
        let levels = measured.iter().map(|(label, _)| self.level(data, label, None)).collect::<Result<Vec<_>, _>>()?;
        let levels: Vec<&Level> = levels.iter().collect();
        let scaled = |(k, ((label, observed), level)): (usize, (&(String, Expr), &&Level))| {
            let difference = observed.clone() - Expr::data(k);
            (label.clone(), level.scaled(difference, Expr::constant(1.0)))
        };
        let mut residuals: Vec<(String, Expr)> = measured.iter().zip(&levels).enumerate().map(scaled).collect();
        residuals.extend(self.log_parts(&levels));
        let (spread, written_at) = (self.condition.spread.clone(), self.condition.written_at);
        let rows = spread.as_ref().map_or(1, |spread| spread.count());
        let stated = noise_of(&levels, levels.iter().map(|level| level.precision(|_| 1.0)).sum(), rows);
        let (mut term, support) = self.finish(residuals, Support::Made { values, noise, seed, spread, written_at });
        term.noise = stated;
        Ok((term, support))
    }

    /// What a formula of made readings is the value of.
    fn quantity(&self, data: &DataPlan, name: Option<&str>) -> Result<(String, Expr), ProblemError> {
        if let (None, Some(formula)) = (name, &data.value_of) {
            let observed = self.observed(formula)?;
            return Ok((observed.display(self.scope()).to_string(), observed));
        }
        if let Some(name) = name.filter(|name| self.scope().unknown(name).is_err() && self.scope().parse(name).is_ok())
        {
            let observed = self.observed(&Formula::from(name).found_at(self.condition.written_at, None))?;
            return Ok((name.to_owned(), observed));
        }
        let (field, label) = self.field(name)?;
        Ok((label, Expr::unknown(field, MultiIndex::ZERO)))
    }
}

/// What is known of the noise of a term: all of its quantities have a level, or none has. `precision` is the sum of theirs.
fn noise_of(levels: &[&Level], precision: f64, rows: usize) -> Option<Noise> {
    if levels.iter().any(|level| matches!(level, Level::Unstated)) {
        return None;
    }
    let trained = levels.iter().filter_map(|level| match level {
        Level::Trained { index, .. } => Some(*index),
        _ => None,
    });
    Some(Noise { readings: levels.len(), trained: trained.collect(), precision: precision * rows as f64, rows })
}

/// Weighs terms of stated noise as parts of one likelihood; a weight of the condition's own stays a factor.
pub(super) fn weigh(terms: &mut [(Term, Support)]) {
    let stated = || terms.iter().filter_map(|(term, _)| term.noise.as_ref());
    let series: usize = stated().map(|noise| noise.readings).sum();
    let precision: f64 = stated().map(|noise| noise.precision).sum();
    if series == 0 {
        return;
    }
    let each = SHARE * series as f64 / precision;
    for (term, _) in terms {
        if let Some(noise) = &term.noise {
            term.weight *= each * noise.rows as f64;
        }
    }
}
