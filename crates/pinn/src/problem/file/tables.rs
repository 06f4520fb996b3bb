//! `[tables]`: coefficients on a grid of nodes, and definitions with random coefficients.
//!
//! ```toml
//! [tables.a]
//! axes = { x = [0, 0.5, 1], y = { low = 0, high = 1, count = 3 } }
//! values = { uniform = { low = 1, high = 2, seed = 7 } }    # or numbers, names of numbers to be found, or a formula of x and y
//! lookup = "nearest"
//! ```

use ropinn_expr::{Expr, Lookup, nearest};
use ropinn_reference::random_fields::periodic_pair;

use super::super::builder::Named;
use super::super::coefficient::{Nodes, TablePlan, Values};
use super::super::error::ProblemError;
use super::super::formula::Formula;
use super::super::random_values::Law;
use super::super::source::Position;
use super::document::{Field, Section};

/// One table.
pub(super) fn table(field: &Field<'_>) -> Result<Named<TablePlan>, ProblemError> {
    let section =
        field.table(format!("[tables.{}]", field.key))?.knowing(&["file", "columns", "axes", "values", "lookup"])?;
    section.exclusive("file", "values")?;
    let lookup = match section.get("lookup") {
        Some(word) => word.choice("look-up", &[(Lookup::Linear, "linear"), (Lookup::Nearest, "nearest")])?,
        None => Lookup::Linear,
    };
    let axes = section.require("axes", "axes = [\"x\", \"y\"]")?;
    let plan = match section.get("file") {
        Some(file) => TablePlan::File {
            path: file.data_path()?,
            axes: axes.texts()?.into_iter().map(str::to_owned).collect(),
            lookup,
            renamed: section.renamed()?,
        },
        None => {
            let axis = |axis: &Field<'_>| Ok((axis.key.to_owned(), nodes(axis)?));
            let axes = axes.table("`axes`")?.fields.iter().map(axis).collect::<Result<_, ProblemError>>()?;
            TablePlan::Grid { axes, values: values(&section)?, lookup }
        }
    };
    field.named(field.key, plan)
}

fn nodes(field: &Field<'_>) -> Result<Nodes, ProblemError> {
    if !field.is_table() {
        return field.formulas().map(Nodes::Listed);
    }
    let section = field.table(format!("axis `{}`", field.key))?.knowing(&["low", "high", "count"])?;
    Ok(Nodes::Even {
        low: section.require("low", "low = 0")?.formula()?,
        high: section.require("high", "high = 1")?.formula()?,
        count: section.require("count", "count = 101")?.count()?,
    })
}

fn values(section: &Section<'_>) -> Result<Values, ProblemError> {
    let field = section.require("values", "values = [[1, 2], [3, 4]]")?;
    if field.is_table() {
        return law(&field).map(Values::Random);
    }
    if field.is_text() {
        return field.formula().map(Values::Formula);
    }
    let mut values = Vec::new();
    let numbers = field.flatten_into(&mut values);
    if numbers.is_err() {
        let mut formulas = Vec::new();
        field.formulas_into(&mut formulas)?;
        return Ok(Values::Sought(formulas));
    }
    Ok(Values::Listed(values))
}

/// The one law that is named, and its settings.
fn law(field: &Field<'_>) -> Result<Law, ProblemError> {
    const LAWS: [&str; 3] = ["uniform", "log-uniform", "gaussian-field"];
    let kind = field.table("`values`")?.knowing(&LAWS)?.single(field.key, "law", &LAWS)?;
    let section = kind.table(format!("`{}`", kind.key))?;
    let number = |key: &'static str, example: &str| section.require(key, example)?.number();
    let seed = section.require("seed", "seed = 1").and_then(|seed| seed.whole());
    Ok(match kind.key {
        "gaussian-field" => {
            let law = Law::GaussianField { exponent: number("exponent", "exponent = 4")?, seed: seed? };
            section.knowing(&["exponent", "seed"])?;
            law
        }
        name => {
            let (low, high, seed) = (number("low", "low = 0")?, number("high", "high = 1")?, seed?);
            section.knowing(&["low", "high", "seed"])?;
            if name == "uniform" { Law::Uniform { low, high, seed } } else { Law::LogUniform { low, high, seed } }
        }
    })
}

/// One of the two fields of random waves of a seed: s Σ A_ij sin 2π(ix + jy) + B_ij cos 2π(ix + jy) + c, over the first two
/// coordinates.
pub(super) fn random_waves(field: &Field<'_>) -> Result<Formula, ProblemError> {
    const KINDS: [&str; 1] = ["random-waves"];
    let kind = field.table(format!("definition `{}`", field.key))?.knowing(&KINDS)?.single(
        field.key,
        "definition with random numbers",
        &KINDS,
    )?;
    let section = kind.table("`random-waves`")?.knowing(&["seed", "field"])?;
    let seed = section.require("seed", "seed = 1")?.whole()?;
    let number = section.require("field", "field = 1")?;
    let fields = periodic_pair(seed);
    let chosen = number.count()?.checked_sub(1).and_then(|k| fields.get(k)).ok_or_else(|| number.wrong("1 or 2"))?;
    let [x, y] = [0, 1].map(Expr::coord);
    let wave = |(i, j, sine, cosine): (usize, usize, f64, f64)| {
        let phase = std::f64::consts::TAU * (i as f64 * &x + j as f64 * &y);
        sine * phase.clone().sin() + cosine * phase.cos()
    };
    let sum = Expr::sum(chosen.waves().map(wave));
    Ok(Formula::from(chosen.scale() * sum + chosen.shift()).found_at(field.value_at(), None))
}

/// Puts numbers that were chosen in the place of those the file has.
pub(super) fn replace(tables: &mut [Named<TablePlan>], given: Vec<GivenTable>) -> Result<(), ProblemError> {
    for GivenTable { name, numbers, at } in given {
        let known: Vec<String> = tables.iter().map(|table| table.name.clone()).collect();
        let Some(table) = tables.iter_mut().find(|table| table.name == name) else {
            let suggestion = nearest(&name, known.iter().map(String::as_str)).map(str::to_owned);
            return Err(ProblemError::UnknownTable { name, suggestion, known: known.join(", ") }.at(at));
        };
        match &mut table.value {
            TablePlan::Grid { values, .. } => *values = Values::Listed(numbers),
            _ => return Err(ProblemError::TableOfFile { table: name }.at(at)),
        }
    }
    Ok(())
}

/// Numbers for a table, and where they were given.
pub(super) struct GivenTable {
    pub name: String,
    pub numbers: Vec<f64>,
    pub at: Box<Position>,
}
