//! `[[conditions]]`: what must hold where.
//!
//! | `kind` | says it with | |
//! |---|---|---|
//! | `initial` | `value`, `derivative = "t"` | at the first instant unless `at` says otherwise |
//! | `dirichlet`, `neumann` | `at`, `value` | |
//! | `robin` | `at`, `flux` | ∂u/∂n = flux |
//! | `periodic` | `along`, perhaps `orders = [0, 1]` or `residual` | both ends of a coordinate; exact on a box unless orders are given |
//! | `operator` | `at`, `residual` | |
//! | `data` | `file`, perhaps `columns = { u = "temperature" }`; `columns` and `rows`; or `value` or `from`, `noise`, `seed` and `points` | `sigma`, `value_of` |
//!
//! All take `name`, `weight`, `points` and `exact`, which builds initial values, Dirichlet values and periods into the
//! solution instead of the loss. With several unknowns `unknown` says which, or `value` and `flux` are tables:
//! `value = { u = 0, v = 0 }`.

use super::super::condition::{Condition, DataPlan, ForUnknown, Kind, MadePlan, Observations, PlaceText};
use super::super::error::ProblemError;
use super::document::{Field, Section};
use super::points::spread;

/// The kinds as files call them.
#[derive(Clone, Copy)]
enum Word {
    Initial,
    Dirichlet,
    Neumann,
    Robin,
    Periodic,
    Operator,
    Data,
}

const WORDS: [(Word, &str); 7] = [
    (Word::Initial, "initial"),
    (Word::Dirichlet, "dirichlet"),
    (Word::Neumann, "neumann"),
    (Word::Robin, "robin"),
    (Word::Periodic, "periodic"),
    (Word::Operator, "operator"),
    (Word::Data, "data"),
];

impl Word {
    /// The keys that have a meaning for this kind.
    fn keys(self) -> &'static [&'static str] {
        match self {
            Word::Initial => &["kind", "name", "weight", "points", "exact", "at", "unknown", "value", "derivative"],
            Word::Dirichlet | Word::Neumann => &["kind", "name", "weight", "points", "exact", "at", "unknown", "value"],
            Word::Robin => &["kind", "name", "weight", "points", "exact", "at", "unknown", "flux"],
            Word::Periodic => &["kind", "name", "weight", "points", "exact", "along", "unknown", "orders", "residual"],
            Word::Operator => &["kind", "name", "weight", "points", "exact", "at", "residual"],
            Word::Data => &[
                "kind", "name", "weight", "points", "exact", "unknown", "file", "columns", "rows", "value", "value_of",
                "sigma", "noise", "seed", "from",
            ],
        }
    }
}

/// Reads one entry, the `number`-th; examples in messages have the coordinates of the problem.
pub(super) fn condition(field: Field<'_>, number: usize, coordinates: &[String]) -> Result<Condition, ProblemError> {
    let section = field.table(format!("condition {number}"))?;
    let word = section.require("kind", "kind = \"dirichlet\"")?.choice("kind of condition", &WORDS)?;
    let section = section.knowing(word.keys())?;
    let kind = match word {
        Word::Initial => Kind::Value {
            word: "initial",
            formulas: for_unknowns(&section, "value", "value = \"sin(pi*x)\"")?,
            derivative: section.get("derivative").map(|along| along.text().map(str::to_owned)).transpose()?,
        },
        Word::Dirichlet => {
            Kind::Value { word: "dirichlet", formulas: for_unknowns(&section, "value", "value = 0")?, derivative: None }
        }
        Word::Neumann => {
            Kind::Flux { word: "neumann", formulas: for_unknowns(&section, "value", "value = 0")?, of_unknowns: false }
        }
        Word::Robin => Kind::Flux {
            word: "robin",
            formulas: for_unknowns(&section, "flux", "flux = \"5 - u\"")?,
            of_unknowns: true,
        },
        Word::Periodic => periodic(&section)?,
        Word::Operator => {
            let residuals = section.require("residual", "residual = \"u_x - u_y\"")?.one_or_more()?;
            Kind::Operator { residuals: residuals.iter().map(Field::formula).collect::<Result<_, _>>()? }
        }
        Word::Data => Kind::Data(data(&section, coordinates)?),
    };
    let default_places: &[&str] = if matches!(word, Word::Initial) { &["initial"] } else { &[] };
    let mut condition = Condition::of_kind(kind, default_places);
    if let Some(at) = section.get("at") {
        let place = |place: &Field<'_>| Ok(PlaceText { text: place.text()?.to_owned(), written_at: place.value_at() });
        condition.places = at.one_or_more()?.iter().map(place).collect::<Result<_, ProblemError>>()?;
    }
    condition.name = section.get("name").map(|name| name.text().map(str::to_owned)).transpose()?;
    condition.weight = section.get("weight").map(|weight| weight.number()).transpose()?.unwrap_or(1.0);
    condition.spread = section.get("points").map(spread).transpose()?;
    condition.exact = section.get("exact").map(|exact| exact.flag()).transpose()?;
    condition.written_at = field.written_at;
    Ok(condition)
}

/// One formula for `unknown`, or a table of them by unknown.
fn for_unknowns(
    section: &Section<'_>,
    key: &'static str,
    example: &'static str,
) -> Result<Vec<ForUnknown>, ProblemError> {
    let field = section.require(key, example)?;
    if !field.is_table() {
        let unknown = section.get("unknown").map(|name| name.text().map(str::to_owned)).transpose()?;
        return Ok(vec![(unknown, field.formula()?)]);
    }
    let by_unknown = field.table(format!("`{key}`"))?;
    by_unknown.fields.iter().map(|entry| Ok((Some(entry.key.to_owned()), entry.formula()?))).collect()
}

fn periodic(section: &Section<'_>) -> Result<Kind, ProblemError> {
    section.exclusive("orders", "residual")?;
    let orders = match section.get("orders") {
        Some(orders) => Some(orders.one_or_more()?.iter().map(Field::whole).collect::<Result<_, _>>()?),
        None => None,
    };
    Ok(Kind::Periodic {
        along: section.require("along", "along = \"x\"")?.text()?.to_owned(),
        orders,
        unknown: section.get("unknown").map(|name| name.text().map(str::to_owned)).transpose()?,
        residual: section.get("residual").map(|text| text.formula()).transpose()?,
    })
}

fn data(section: &Section<'_>, coordinates: &[String]) -> Result<DataPlan, ProblemError> {
    let sigma = match section.get("sigma") {
        None => Vec::new(),
        Some(levels) if levels.is_table() => {
            let levels = levels.table("`sigma`")?;
            let level = |entry: &Field<'_>| Ok((Some(entry.key.to_owned()), entry.formula()?));
            levels.fields.iter().map(level).collect::<Result<_, ProblemError>>()?
        }
        Some(level) => vec![(None, level.formula()?)],
    };
    let value_of = section.get("value_of").map(|quantity| quantity.formula()).transpose()?;
    Ok(DataPlan { observations: observations(section, coordinates)?, value_of, sigma })
}

fn observations(section: &Section<'_>, coordinates: &[String]) -> Result<Observations, ProblemError> {
    let sources = ["file", "rows", "value", "from"];
    for (k, first) in sources.iter().enumerate() {
        sources[k + 1..].iter().try_for_each(|second| section.exclusive(first, second))?;
    }
    if let Some(file) = section.get("file") {
        let paths = file.one_or_more()?.iter().map(Field::data_path).collect::<Result<_, _>>()?;
        let (renamed, names) = match section.get("columns").filter(Field::is_list) {
            Some(names) => (Vec::new(), Some(names.texts()?.into_iter().map(str::to_owned).collect())),
            None => (section.renamed()?, None),
        };
        return Ok(Observations::Files { paths, renamed, names });
    }
    let noise = section.get("noise").map(|noise| noise.number()).transpose()?.unwrap_or(0.0);
    let seed = section.get("seed").map(|seed| seed.whole()).transpose()?;
    if let Some(from) = section.get("from") {
        from.choice("source of readings", &[((), "reference")])?;
        let unknowns = section.get("unknown").map(|names| names.texts()).transpose()?.unwrap_or_default();
        let unknowns = unknowns.into_iter().map(str::to_owned).collect();
        return Ok(Observations::Made { of: MadePlan::Reference(unknowns), noise, seed });
    }
    if section.get("value").is_some() {
        let formulas = for_unknowns(section, "value", "value = \"sin(pi*x)\"")?;
        return Ok(Observations::Made { of: MadePlan::Formulas(formulas), noise, seed });
    }
    let columns = format!("columns = [\"{}\", \"u\"]", coordinates.join("\", \""));
    let row = format!("rows = [[{}0.3]]", "0.5, ".repeat(coordinates.len()));
    let rows_field = section.require("rows", &row)?;
    let columns = section.require("columns", &columns)?.texts()?;
    let mut rows = Vec::new();
    for row in rows_field.list()? {
        let before = rows.len();
        row.flatten_into(&mut rows)?;
        let (expected, found) = (columns.len(), rows.len() - before);
        if found != expected {
            return Err(ProblemError::WrongDimension { what: "the row".to_owned(), expected, found }.at(row.at()));
        }
    }
    Ok(Observations::Rows { columns: columns.into_iter().map(str::to_owned).collect(), rows })
}
