//! From statements to a problem: names are declared, formulas parsed, places found and files read, in this order:
//! constants, ranges, geometry, numbers to be found, tables, definitions, equations, conditions, reference.

use ropinn_domain::Geometry;
use ropinn_expr::{Expr, Scope, ScopeError};
use std::collections::{HashMap, HashSet};

use super::Problem;
use super::builder::{Named, ProblemBuilder};
use super::columns::MissingReadings;
use super::error::ProblemError;
use super::exact::Exact;
use super::formula::Formula;
use super::place::Surroundings;
use super::readings::weigh;
use super::reference::Reference;
use super::resolve::{Stated, check_residual, resolve};
use super::source::Position;
use super::term::{EQUATIONS, MadeOf, Support, Term, TermGroup};
use super::trainable::{Sought, Trainable};
use super::unknown_field::{SoughtField, UnknownField};

/// Terms, what is built into the solution, and what readings lack.
type Conditions = (Vec<(Term, Support)>, Exact, Vec<MissingReadings>);

impl ProblemBuilder {
    /// Checks everything and resolves names, places and files.
    pub fn build(self) -> Result<Problem, ProblemError> {
        let mut scope = self.scope()?;
        self.declare_constants(&mut scope)?;
        let ranges = self.ranges(&scope)?;
        let time_axis = self.time_axis()?;
        let geometry = self.geometry(&scope, &ranges, time_axis)?;
        let resolve = |named: &Named<SoughtField>| named.value.resolve(named, &scope, &self.source);
        let fields = self.fields.iter().map(resolve).collect::<Result<Vec<UnknownField>, _>>()?;
        let trainables = self.declare_coefficients(&mut scope)?;
        let (source, orders) = (&self.source, Vec::new());
        let mut around = Surroundings {
            scope: &scope,
            ranges: &ranges,
            time_axis,
            geometry: &geometry,
            source,
            orders,
            trainables: &trainables,
            fields: fields.len(),
        };
        let equations = self.resolve_equations(&around)?;
        around.orders = orders_of(&equations, &scope);
        let (mut terms, exact, missing) = self.resolve_conditions(&around)?;
        let mut equations = Term::new(EQUATIONS.to_owned(), TermGroup::Residual, equations);
        equations.label_weights.clone_from(&self.equation_weights);
        terms.push((equations, Support::Equations));
        for (k, (sought, field)) in self.fields.iter().zip(&fields).enumerate() {
            let smoothness = sought.value.smoothness(field, self.unknowns.len() + k, &scope);
            terms.extend(smoothness.map(|term| (term, Support::Equations)));
        }
        let reference = self.resolve_reference(&around, &terms, &exact)?;
        self.check_made(&terms, reference.as_ref())?;
        self.check_points(geometry.dim())?;
        Ok(Problem {
            title: self.title.unwrap_or_else(|| self.name.clone()),
            name: self.name,
            scope,
            ranges,
            time_axis,
            geometry,
            trainables,
            fields,
            missing,
            terms,
            exact,
            points: self.points,
            evaluation: self.evaluation,
            reference,
            reference_error: self.reference_error,
            success: self.success,
            source: self.source,
            inputs: self.inputs.into_read(),
            variants: self.variants,
            builtin: None,
        })
    }

    pub(super) fn at(&self, written_at: usize) -> Box<Position> {
        self.source.position(written_at)
    }

    pub(super) fn name_error(&self, written_at: usize) -> impl Fn(ScopeError) -> ProblemError + '_ {
        move |source| ProblemError::Name { source }.at(self.at(written_at))
    }

    fn scope(&self) -> Result<Scope, ProblemError> {
        let first = self.coordinates.first().map_or(0, |coordinate| coordinate.written_at);
        let coordinates = self.coordinates.iter().map(|coordinate| coordinate.name.as_str());
        let unknowns = self.unknowns.iter().map(|unknown| unknown.name.as_str());
        let fields = self.fields.iter().map(|field| field.name.as_str());
        if self.unknowns.is_empty() {
            let (at, section) = (self.at(0), "the problem".to_owned());
            return Err(ProblemError::MissingKey {
                section,
                key: "unknowns",
                example: "unknowns = [\"u\"]".to_owned(),
            }
            .at(at));
        }
        Scope::new(coordinates, unknowns.chain(fields)).map_err(self.name_error(first))
    }

    fn declare_constants(&self, scope: &mut Scope) -> Result<(), ProblemError> {
        for Named { name, value, written_at } in &self.constants {
            let value = value.number(scope, &format!("constant `{name}`"), &self.source)?;
            scope.constant(name, value).map_err(self.name_error(*written_at))?;
        }
        Ok(())
    }

    fn ranges(&self, scope: &Scope) -> Result<Vec<(f64, f64)>, ProblemError> {
        let range = |Named { name, value: [low, high], written_at }: &Named<[Formula; 2]>| {
            let what = format!("range of coordinate `{name}`");
            let [low, high] = [low, high].map(|end| end.number(scope, &what, &self.source));
            let (low, high) = (low?, high?);
            if low < high {
                return Ok((low, high));
            }
            let (at, coordinate) = (self.at(*written_at), name.clone());
            Err(ProblemError::InvertedRange { coordinate, low, high }.at(at))
        };
        self.coordinates.iter().map(range).collect()
    }

    fn time_axis(&self) -> Result<Option<usize>, ProblemError> {
        let Some(Named { name, written_at, .. }) = &self.time else {
            return Ok(None);
        };
        let names: Vec<&str> = self.coordinates.iter().map(|coordinate| coordinate.name.as_str()).collect();
        match names.split_last() {
            // The only coordinate has two ends like any other; nothing is sampled at an instant.
            Some((last, [])) if last == name => Ok(None),
            Some((last, [_, ..])) if last == name => Ok(Some(names.len() - 1)),
            _ => Err(ProblemError::TimeNotLast { time: name.clone(), coordinates: names.join(", ") }
                .at(self.at(*written_at))),
        }
    }

    fn geometry(
        &self,
        scope: &Scope,
        ranges: &[(f64, f64)],
        time_axis: Option<usize>,
    ) -> Result<Geometry, ProblemError> {
        let space = &ranges[..time_axis.unwrap_or(ranges.len())];
        let at = || self.at(self.shapes.written_at);
        let number = |formula: &Formula| formula.number(scope, "a number of the geometry", &self.source);
        let domain = self.shapes.geometry(space, &number).map_err(|error| error.at(at()))?;
        if domain.space_dim() != space.len() {
            let (expected, found) = (space.len(), domain.space_dim());
            return Err(ProblemError::GeometryDimension { expected, found }.at(at()));
        }
        let around = domain.bounding_box();
        for (axis, &(from, to)) in space.iter().enumerate() {
            let (low, high) = (around.low()[axis], around.high()[axis]);
            let slack = 1e-9 * (to - from);
            if low < from - slack || high > to + slack {
                let coordinate = scope.coord_names()[axis].clone();
                return Err(ProblemError::OutOfRange { coordinate, low, high, range: (from, to) }.at(at()));
            }
        }
        match time_axis.map(|axis| ranges[axis]) {
            Some((start, end)) => domain.over_time(start, end).map_err(|error| ProblemError::from(error).at(at())),
            None => Ok(domain),
        }
    }

    /// Numbers to be found, tables and definitions, in this order so that the latter can use the former.
    fn declare_coefficients(&self, scope: &mut Scope) -> Result<Vec<Trainable>, ProblemError> {
        let declare = |named: &Named<Sought>| named.value.declare(named, scope, &self.source);
        let trainables = self.trainables.iter().map(declare).collect::<Result<_, _>>()?;
        for table in &self.tables {
            table.value.declare(table, scope, &self.inputs, &self.source)?;
        }
        for Named { name, value, written_at } in &self.definitions {
            let expr = value.resolve(scope, &format!("definition `{name}`"), &self.source)?;
            scope.define(name, expr).map_err(self.name_error(*written_at))?;
        }
        Ok(trainables)
    }

    fn resolve_equations(&self, around: &Surroundings<'_>) -> Result<Vec<(String, Expr)>, ProblemError> {
        let mut equations: Vec<(String, Expr)> = Vec::new();
        for (Named { name, value, written_at }, &weight) in self.equations.iter().zip(&self.equation_weights) {
            let what = format!("equation `{name}`");
            if !(weight >= 0.0 && weight.is_finite()) {
                return Err(ProblemError::BadWeight { what, weight }.at(self.at(*written_at)));
            }
            if equations.iter().any(|(other, _)| other == name) {
                let at = self.at(*written_at);
                return Err(ProblemError::Duplicate { what: "equations", name: name.clone() }.at(at));
            }
            let residual = value.resolve(around.scope, &what, &self.source)?;
            check_residual(&residual, &what, 1, around, *written_at)?;
            equations.push((name.clone(), residual));
        }
        match equations.is_empty() {
            true => Err(ProblemError::NoEquation.at(self.at(0))),
            false => Ok(equations),
        }
    }

    /// The conditions in the order initial, boundary, data, and what is built into the solution; those without a name of
    /// their own never clash.
    fn resolve_conditions(&self, around: &Surroundings<'_>) -> Result<Conditions, ProblemError> {
        let mut resolved: Vec<(Term, Support)> = Vec::new();
        let mut missing = Vec::new();
        let mut exact = Exact { periodic: vec![false; around.ranges.len()], ..Exact::default() };
        let mut taken = HashSet::from([EQUATIONS.to_owned()]);
        // Of conditions that say the same elsewhere, the number of the last.
        let mut last: HashMap<String, usize> = HashMap::new();
        for condition in &self.conditions {
            let terms = match resolve(condition, around, &self.inputs)? {
                Stated::Terms(terms, more) => {
                    missing.extend(more);
                    terms
                }
                Stated::Periodic(axis) => {
                    exact.periodic[axis] = true;
                    continue;
                }
                Stated::Pinned(more) => {
                    exact.pins.extend(more);
                    continue;
                }
            };
            for (k, (mut next, support)) in terms.into_iter().enumerate() {
                // Readings of one condition can be several terms.
                if k == 0 && taken.contains(&next.name) && condition.name.is_some() {
                    let at = self.at(condition.written_at);
                    return Err(ProblemError::Duplicate { what: "conditions", name: next.name }.at(at));
                }
                if taken.contains(&next.name) {
                    let number = last.entry(next.name.clone()).or_insert(1);
                    let numbered = |k: usize| format!("{} ({k})", next.name);
                    *number = (*number + 1..).find(|&k| !taken.contains(&numbered(k))).unwrap_or(usize::MAX);
                    next.name = numbered(*number);
                }
                taken.insert(next.name.clone());
                resolved.push((next, support));
            }
        }
        resolved.sort_by_key(|(term, _)| term.group);
        weigh(&mut resolved);
        exact.prescribed = around.prescribe(&exact.pins)?;
        Ok((resolved, exact, missing))
    }

    /// Refuses readings of a reference that is not known wherever they are taken.
    fn check_made(&self, terms: &[(Term, Support)], reference: Option<&Reference>) -> Result<(), ProblemError> {
        let everywhere = !matches!(reference, None | Some(Reference::Tabulated { .. } | Reference::Solved(_)));
        let made = terms.iter().find_map(|(term, support)| match support {
            Support::Made { values: MadeOf::Reference(_), written_at, .. } => Some((term, *written_at)),
            _ => None,
        });
        match made.filter(|_| !everywhere) {
            None => Ok(()),
            Some((term, at)) => Err(ProblemError::NothingToRead { condition: term.name.clone() }.at(self.at(at))),
        }
    }

    /// Counts that cannot be right whatever the points are for.
    fn check_points(&self, dim: usize) -> Result<(), ProblemError> {
        let named = [("interior", &self.points.interior), ("evaluation", &self.evaluation)];
        for (what, spread) in named {
            let Some(spread) = spread else { continue };
            spread.check(what)?;
            if let Some(counts) = spread.grid_counts().filter(|counts| counts.len() != dim) {
                let (at, what) = (self.at(0), format!("the {what} grid"));
                return Err(ProblemError::WrongDimension { what, expected: dim, found: counts.len() }.at(at));
            }
        }
        Ok(())
    }
}

/// The highest derivative of each unknown along each coordinate.
fn orders_of(equations: &[(String, Expr)], scope: &Scope) -> Vec<Vec<u32>> {
    let mut orders = vec![vec![0; scope.coord_names().len()]; scope.unknown_names().len()];
    for (field, alpha, _) in equations.iter().flat_map(|(_, residual)| residual.unknowns()) {
        for (axis, order) in orders[field].iter_mut().enumerate() {
            *order = (*order).max(u32::from(alpha.get(axis)));
        }
    }
    orders
}
