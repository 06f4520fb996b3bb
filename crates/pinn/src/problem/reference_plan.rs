//! From what is said about a reference to one that can be asked for values.

use ropinn_expr::{Expr, Scope};
use ropinn_reference::ode::OdeError;

use super::builder::{Named, ProblemBuilder, ReferencePlan};
use super::builtin_tables;
use super::columns::{Columns, MissingValues, Renamed, check_renamed, name_in_file};
use super::error::ProblemError;
use super::exact::Exact;
use super::formula::Formula;
use super::place::Surroundings;
use super::reference::{Computed, Method, Reference};
use super::solvable::Stated;
use super::term::{Support, Term};
use super::trainable::with_truth;

impl ProblemBuilder {
    pub(super) fn resolve_reference(
        &self,
        around: &Surroundings<'_>,
        terms: &[(Term, Support)],
        exact: &Exact,
    ) -> Result<Option<Reference>, ProblemError> {
        let Some(Named { value: plan, written_at, .. }) = &self.reference else {
            return Ok(None);
        };
        let (scope, written_at) = (around.scope, *written_at);
        let stated = Stated { around, terms, exact };
        let refused = |error: ProblemError| error.at(self.at(written_at));
        let computed = |method: Method| Reference::Computed(Computed::new(method, written_at));
        Ok(Some(match plan {
            ReferencePlan::Formulas(formulas) => self.closed_form(formulas, around, written_at)?,
            ReferencePlan::File { path, renamed, unknowns } => {
                let columns = self.inputs.columns(path, MissingValues::SkipRow, None)?;
                let all = || scope.coord_names().iter().chain(scope.unknown_names()).map(String::as_str);
                check_renamed(renamed, all()).map_err(refused)?;
                for Named { name, written_at, .. } in unknowns.iter().flatten() {
                    scope.unknown(name).map_err(self.name_error(*written_at))?;
                }
                let known = |unknown: &String| match unknowns {
                    Some(listed) => listed.iter().any(|entry| entry.name == *unknown),
                    None => true,
                };
                tabulated(&columns, renamed, scope, known)?
            }
            ReferencePlan::BuiltIn(name) => {
                let text = builtin_tables::table(name).unwrap_or_default();
                let columns = Columns::parse(text, name, MissingValues::SkipRow)?;
                tabulated(&columns, &Renamed::new(), scope, |unknown| columns.index(unknown).is_ok())?
            }
            ReferencePlan::ColeHopf { viscosity } => self.cole_hopf(viscosity, scope, written_at)?,
            ReferencePlan::Fourier(resolution) => computed(stated.fourier(*resolution).map_err(refused)?),
            ReferencePlan::Laplace { terms } => computed(stated.laplace(*terms).map_err(refused)?),
            ReferencePlan::Ode { start, steps } => {
                let begins = self.starts(start, scope, written_at)?;
                computed(stated.ode(begins, *steps).map_err(refused)?)
            }
            ReferencePlan::Solver(plan, seconds) => {
                Reference::Solved(plan.solver(*seconds, &stated, written_at).map_err(refused)?)
            }
        }))
    }

    fn closed_form(
        &self,
        formulas: &[Named<Formula>],
        around: &Surroundings<'_>,
        written_at: usize,
    ) -> Result<Reference, ProblemError> {
        let (scope, unknowns) = (around.scope, around.scope.unknown_names());
        if formulas.is_empty() {
            let (unknown, unknowns) = (unknowns[0].clone(), unknowns.join(", "));
            return Err(ProblemError::ReferenceLacks { unknown, unknowns }.at(self.at(written_at)));
        }
        let given = |unknown: &String| self.reference_formula(unknown, formulas, around);
        if let Some(stray) = formulas.iter().find(|entry| !unknowns.contains(&entry.name)) {
            scope.unknown(&stray.name).map_err(self.name_error(stray.written_at))?;
        }
        Ok(Reference::ClosedForm(unknowns.iter().map(given).collect::<Result<_, _>>()?))
    }

    /// What each unknown begins with.
    fn starts(&self, start: &[Named<Formula>], scope: &Scope, written_at: usize) -> Result<Vec<f64>, ProblemError> {
        if let Some(stray) = start.iter().find(|entry| !scope.unknown_names().contains(&entry.name)) {
            scope.unknown(&stray.name).map_err(self.name_error(stray.written_at))?;
        }
        let of = |unknown: &String| match start.iter().find(|entry| entry.name == *unknown) {
            Some(entry) => entry.value.number(scope, &format!("start of `{unknown}`"), &self.source),
            None => {
                let reason = format!("`start` says nothing about `{unknown}`");
                Err(ProblemError::Ode(OdeError::Equations { reason }).at(self.at(written_at)))
            }
        };
        scope.unknown_names().iter().map(of).collect()
    }

    fn cole_hopf(&self, viscosity: &Formula, scope: &Scope, written_at: usize) -> Result<Reference, ProblemError> {
        if scope.coord_names().len() != 2 || scope.unknown_names().len() != 1 {
            return Err(ProblemError::ColeHopfElsewhere.at(self.at(written_at)));
        }
        let value = viscosity.number(scope, "viscosity", &self.source)?;
        if value <= 0.0 {
            let (at, what) = (viscosity.position(&self.source), "viscosity above zero".to_owned());
            return Err(ProblemError::NotANumber { what, value: value.to_string() }.at(at));
        }
        Ok(Reference::ColeHopf { viscosity: value })
    }

    /// The formula of an unknown; never a number for one of which nothing is said.
    fn reference_formula(
        &self,
        unknown: &String,
        formulas: &[Named<Formula>],
        around: &Surroundings<'_>,
    ) -> Result<Expr, ProblemError> {
        let (scope, trainables) = (around.scope, around.trainables);
        let Some(entry) = formulas.iter().find(|entry| entry.name == *unknown) else {
            return Ok(Expr::constant(f64::NAN));
        };
        let what = format!("reference of `{unknown}`");
        let expr = entry.value.resolve(scope, &what, &self.source)?;
        match with_truth(&expr, trainables).ok().filter(|expr| !expr.depends_on_unknowns()) {
            None => Err(ProblemError::ReferenceNotKnown { what }.at(entry.value.position(&self.source))),
            Some(expr) => Ok(expr),
        }
    }
}

/// The rows of a file; an unknown that is not among the known ones has no values.
fn tabulated(
    columns: &Columns,
    renamed: &Renamed,
    scope: &Scope,
    known: impl Fn(&String) -> bool,
) -> Result<Reference, ProblemError> {
    let (coordinates, unknowns) = (scope.coord_names(), scope.unknown_names());
    let index = |name: &String| columns.index(name_in_file(renamed, name));
    let there: Vec<bool> = unknowns.iter().map(&known).collect();
    let names = coordinates.iter().chain(unknowns.iter().filter(|unknown| known(unknown)));
    let indices = names.map(index).collect::<Result<Vec<_>, _>>()?;
    let (mut points, mut values) = (Vec::new(), Vec::new());
    for row in columns.select(&indices).chunks_exact(indices.len()) {
        let (point, value) = row.split_at(coordinates.len());
        points.extend_from_slice(point);
        let mut value = value.iter();
        values.extend(there.iter().map(|&there| there.then(|| value.next()).flatten().copied().unwrap_or(f64::NAN)));
    }
    match points.is_empty() {
        true => Err(ProblemError::NoRows { path: columns.origin.clone() }),
        false => Ok(Reference::Tabulated { points, values }),
    }
}
