//! Coefficients given as values on a grid of nodes: listed, by a formula of the nodes, random, or as rows of a file in any order.

use std::path::PathBuf;
use std::sync::Arc;

use ropinn_expr::{Env, Expr, Lookup, Scope, Table, TableAxis};

use super::columns::{Columns, MissingValues, Renamed, check_renamed, name_in_file};
use super::error::ProblemError;
use super::formula::Formula;
use super::inputs::Inputs;
use super::named::Named;
use super::random_values::Law;
use super::source::Position;
use super::source::Source;
use super::spread::MAX_POINTS;

/// A tabulated coefficient in the making.
#[derive(Clone, Debug)]
pub(super) enum TablePlan {
    /// Nothing left to do.
    Ready(Arc<Table>),
    /// Nodes along each axis, and values with the last axis running fastest.
    Grid { axes: Vec<(String, Nodes)>, values: Values, lookup: Lookup },
    /// A file with a column for each axis and one named like the table.
    File { path: PathBuf, axes: Vec<String>, lookup: Lookup, renamed: Renamed },
}

/// The nodes of one axis.
#[derive(Clone, Debug)]
pub(super) enum Nodes {
    Listed(Vec<Formula>),
    /// So many from one number to another, both included.
    Even {
        low: Formula,
        high: Formula,
        count: usize,
    },
}

/// Where the values at the nodes come from.
#[derive(Clone, Debug)]
pub(super) enum Values {
    Listed(Vec<f64>),
    /// A formula of the coordinates the axes are named after.
    Formula(Formula),
    /// Drawn from a seed.
    Random(Law),
    /// Numbers, some of which are to be found.
    Sought(Vec<Formula>),
}

impl Nodes {
    pub fn count(&self) -> usize {
        match self {
            Nodes::Listed(nodes) => nodes.len(),
            Nodes::Even { count, .. } => *count,
        }
    }

    fn values(&self, number: impl Fn(&Formula) -> Result<f64, ProblemError>) -> Result<Vec<f64>, ProblemError> {
        match self {
            Nodes::Listed(nodes) => nodes.iter().map(number).collect(),
            Nodes::Even { low, high, count } => {
                let (low, high, last) = (number(low)?, number(high)?, count.saturating_sub(1).max(1) as f64);
                let node = |k: usize| {
                    let share = k as f64 / last;
                    low * (1.0 - share) + high * share
                };
                Ok((0..*count).map(node).collect())
            }
        }
    }
}

impl TablePlan {
    /// How many values it has along each axis, unless a file says so.
    pub fn shape(&self) -> Option<Vec<usize>> {
        match self {
            TablePlan::Grid { axes, .. } => Some(axes.iter().map(|(_, nodes)| nodes.count()).collect()),
            TablePlan::Ready(table) => Some(table.axes().iter().map(|axis| axis.nodes.len()).collect()),
            TablePlan::File { .. } => None,
        }
    }

    /// Declares the name of the coefficient: a table, or Σ k_j T_j(x) where the k_j among its values are to be found and T_j is
    /// the table of 1 at their nodes and 0 at all others. Look-ups are linear in the values, so that is the table of the values.
    pub fn declare(
        &self,
        named: &Named<TablePlan>,
        scope: &mut Scope,
        inputs: &Inputs,
        source: &Source,
    ) -> Result<(), ProblemError> {
        let (name, at) = (&named.name, source.position(named.written_at));
        let refused = |source| ProblemError::Name { source }.at(at.clone());
        let TablePlan::Grid { axes, values: Values::Sought(formulas), lookup } = self else {
            let table = self.table(name, scope, inputs, source, at.clone())?;
            return scope.table(name, table).map(drop).map_err(refused);
        };
        // The first entry has what is known already.
        let mut shares = vec![(Expr::constant(1.0), vec![0.0; formulas.len()])];
        for (node, formula) in formulas.iter().enumerate() {
            let value = formula.resolve(scope, &format!("values of table `{name}`"), source)?;
            if value.depends_on_unknowns() || value.depends_on_coords() {
                let what = format!("values of table `{name}`");
                return Err(ProblemError::ValueHasUnknown { what }.at(formula.position(source)));
            }
            match (value.as_constant(), shares.iter().position(|(share, _)| *share == value)) {
                (Some(known), _) => shares[0].1[node] = known,
                (None, Some(share)) => shares[share].1[node] = 1.0,
                (None, None) => {
                    let mut nodes = vec![0.0; formulas.len()];
                    nodes[node] = 1.0;
                    shares.push((value, nodes));
                }
            }
        }
        let mut sum = Vec::new();
        for (share, nodes) in shares.into_iter().filter(|(_, nodes)| nodes.iter().any(|value| *value != 0.0)) {
            let plan = TablePlan::Grid { axes: axes.clone(), values: Values::Listed(nodes), lookup: *lookup };
            let table = plan.table(name, scope, inputs, source, at.clone())?;
            let mut alone = scope.clone();
            alone.table(name, table).map_err(&refused)?;
            sum.push(share * Formula::from(name.as_str()).resolve(&alone, &format!("table `{name}`"), source)?);
        }
        scope.define(name, Expr::sum(sum)).map(drop).map_err(refused)
    }

    fn table(
        &self,
        name: &str,
        scope: &Scope,
        inputs: &Inputs,
        source: &Source,
        at: Box<Position>,
    ) -> Result<Arc<Table>, ProblemError> {
        match self {
            TablePlan::Ready(table) => Ok(Arc::clone(table)),
            TablePlan::Grid { axes, values, lookup } => {
                let number = |formula: &Formula| formula.number(scope, &format!("a node of table `{name}`"), source);
                let axis = |(name, nodes): &(String, Nodes)| {
                    Ok(TableAxis { name: name.clone(), nodes: nodes.values(number)? })
                };
                let shape: Vec<usize> = axes.iter().map(|(_, nodes)| nodes.count()).collect();
                let count = shape.iter().fold(1_usize, |product, nodes| product.saturating_mul(*nodes));
                if count > MAX_POINTS {
                    let what = format!("table `{name}`");
                    return Err(ProblemError::TooManyPoints { what, count, limit: MAX_POINTS }.at(at));
                }
                let axes: Vec<TableAxis> = axes.iter().map(axis).collect::<Result<_, ProblemError>>()?;
                let values = match values {
                    Values::Listed(values) => values.clone(),
                    Values::Sought(formulas) => formulas.iter().map(number).collect::<Result<_, _>>()?,
                    Values::Formula(formula) => at_nodes(name, formula, &axes, scope, source)?,
                    Values::Random(law) => law.values(&shape).map_err(|source| {
                        ProblemError::RandomTable { table: name.to_owned(), source }.at(at.clone())
                    })?,
                };
                let refused = |source| ProblemError::Table { table: name.to_owned(), source }.at(at);
                Table::new(axes, values, *lookup).map(Arc::new).map_err(refused)
            }
            TablePlan::File { path, axes, lookup, renamed } => {
                let columns = inputs.columns(path, MissingValues::Refuse, None)?;
                check_renamed(renamed, axes.iter().map(String::as_str).chain([name])).map_err(|e| e.at(at.clone()))?;
                let column = |name: &str| columns.index(name_in_file(renamed, name));
                let places = axes.iter().map(|axis| column(axis)).collect::<Result<Vec<_>, _>>()?;
                let values = column(name)?;
                table_from_rows(name, axes, (&places, values), *lookup, &columns, at).map(Arc::new)
            }
        }
    }
}

/// The values of a formula at all nodes, the last axis running fastest.
fn at_nodes(
    table: &str,
    formula: &Formula,
    axes: &[TableAxis],
    scope: &Scope,
    source: &Source,
) -> Result<Vec<f64>, ProblemError> {
    let what = format!("values of table `{table}`");
    let expr = formula.resolve(scope, &what, source)?;
    if expr.depends_on_unknowns() || expr.depends_on_trainables() {
        return Err(ProblemError::ValueHasUnknown { what }.at(formula.position(source)));
    }
    // What is no axis has no value, and neither has a formula that uses it.
    let mut point = vec![f64::NAN; scope.coord_names().len()];
    let columns: Vec<Option<usize>> =
        axes.iter().map(|axis| scope.coord_names().iter().position(|name| *name == axis.name)).collect();
    let count = axes.iter().map(|axis| axis.nodes.len()).product();
    let mut values = Vec::with_capacity(count);
    for flat in 0..count {
        let mut rest = flat;
        for (axis, column) in axes.iter().zip(&columns).rev() {
            if let Some(column) = column {
                point[*column] = axis.nodes[rest % axis.nodes.len()];
            }
            rest /= axis.nodes.len();
        }
        values.push(expr.eval(&Env::at(&point)));
    }
    Ok(values)
}

/// The table of one column over others; the rows must fill a grid.
fn table_from_rows(
    name: &str,
    axes: &[String],
    (axis_columns, value_column): (&[usize], usize),
    lookup: Lookup,
    columns: &Columns,
    at: Box<Position>,
) -> Result<Table, ProblemError> {
    let nodes: Vec<Vec<f64>> = axis_columns.iter().map(|&k| distinct(columns.rows().map(|row| row[k]))).collect();
    let shape: Vec<usize> = nodes.iter().map(Vec::len).collect();
    let not_a_grid =
        || ProblemError::NotAGrid { table: name.to_owned(), rows: columns.len(), nodes: shape.clone() }.at(at.clone());
    let total = shape.iter().try_fold(1usize, |product, n| product.checked_mul(*n));
    if total != Some(columns.len()) {
        return Err(not_a_grid());
    }
    let mut values = vec![f64::NAN; columns.len()];
    for row in columns.rows() {
        // The last axis runs fastest.
        let flat = axis_columns.iter().zip(&nodes).try_fold(0, |flat, (&k, nodes)| {
            let place = nodes.binary_search_by(|node| node.total_cmp(&(row[k] + 0.0))).ok()?;
            Some(flat * nodes.len() + place)
        });
        let flat = flat.filter(|&flat| values[flat].is_nan()).ok_or_else(not_a_grid)?;
        values[flat] = row[value_column];
    }
    let axes = axes.iter().zip(nodes).map(|(name, nodes)| TableAxis { name: name.clone(), nodes });
    Table::new(axes.collect(), values, lookup)
        .map_err(|source| ProblemError::Table { table: name.to_owned(), source }.at(at.clone()))
}

/// The different values, sorted; adding 0 turns −0 into 0.
fn distinct(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut nodes: Vec<f64> = values.map(|value| value + 0.0).collect();
    nodes.sort_by(f64::total_cmp);
    nodes.dedup_by(|a, b| a.total_cmp(b).is_eq());
    nodes
}
