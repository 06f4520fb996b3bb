//! Coefficients given as values on a grid of nodes, from rows in any order.

use std::path::PathBuf;
use std::sync::Arc;

use ropinn_expr::{Lookup, Scope, Table, TableAxis};

use super::columns::{Columns, MissingValues, Renamed, check_renamed, name_in_file};
use super::error::ProblemError;
use super::formula::Formula;
use super::inputs::Inputs;
use super::source::Position;
use super::source::Source;

/// A tabulated coefficient in the making.
#[derive(Clone, Debug)]
pub(super) enum TablePlan {
    /// Nothing left to do.
    Ready(Arc<Table>),
    /// Nodes along each axis, and values with the last axis running fastest.
    Inline { axes: Vec<(String, Vec<Formula>)>, values: Vec<f64>, lookup: Lookup },
    /// A file with a column for each axis and one named like the table.
    File { path: PathBuf, axes: Vec<String>, lookup: Lookup, renamed: Renamed },
}

impl TablePlan {
    pub fn table(
        &self,
        name: &str,
        scope: &Scope,
        inputs: &Inputs,
        source: &Source,
        at: Box<Position>,
    ) -> Result<Arc<Table>, ProblemError> {
        match self {
            TablePlan::Ready(table) => Ok(Arc::clone(table)),
            TablePlan::Inline { axes, values, lookup } => {
                let number = |formula: &Formula| formula.number(scope, &format!("a node of table `{name}`"), source);
                let axis = |(name, nodes): &(String, Vec<Formula>)| {
                    let nodes = nodes.iter().map(number).collect::<Result<_, _>>()?;
                    Ok(TableAxis { name: name.clone(), nodes })
                };
                let axes = axes.iter().map(axis).collect::<Result<_, ProblemError>>()?;
                let refused = |source| ProblemError::Table { table: name.to_owned(), source }.at(at);
                Table::new(axes, values.clone(), *lookup).map(Arc::new).map_err(refused)
            }
            TablePlan::File { path, axes, lookup, renamed } => {
                let columns = inputs.columns(path, MissingValues::Refuse)?;
                check_renamed(renamed, axes.iter().map(String::as_str).chain([name])).map_err(|e| e.at(at.clone()))?;
                let column = |name: &str| columns.index(name_in_file(renamed, name));
                let places = axes.iter().map(|axis| column(axis)).collect::<Result<Vec<_>, _>>()?;
                let values = column(name)?;
                table_from_rows(name, axes, (&places, values), *lookup, &columns, at).map(Arc::new)
            }
        }
    }
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
