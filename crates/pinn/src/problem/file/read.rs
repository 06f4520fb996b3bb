//! The sections of a problem file.
//!
//! ```toml
//! name = "burgers"
//! title = "Burgers' equation"
//! coordinates = { x = [-1, 1], t = [0, 1] }   # in the order of the network's inputs; ends may be formulas
//! time = "t"
//! unknowns = ["u"]
//! [constants]                                 # numbers or formulas of earlier constants
//! [tables.a]                                  # coefficients on a grid: `file` and `axes`, or nodes and `values`
//! [trainable]                                 # numbers to be found: first values, or tables with `init`, `bounds`, `scale`, …
//! [fields.a]                                  # functions of some coordinates to be found: `of`, `transform`, `smooth`, …
//! [definitions]                               # abbreviations, such as coefficients in closed form
//! [equations]                                 # residuals that vanish for a solution, or `{ residual = "…", weight = 10 }`
//! [geometry]                                  # unless it is the box of the ranges
//! [[conditions]]
//! [points]                                    # interior, boundary, initial, residual_everywhere
//! [evaluation]                                # where errors are measured; `success`
//! [reference]                                 # a formula for each unknown, `file`, `built-in`, `fourier`, `laplace`, or `cole-hopf`
//! [variants.other]                            # sections that replace those of the file, if
//! chosen = { variant = "other" }              # says so, as the command line does
//! ```

use std::path::Path;

use toml::de::DeTable;

use super::super::builder::{Named, ProblemBuilder};
use super::super::error::ProblemError;
use super::super::formula::Formula;
use super::super::source::Source;
use super::document::{Field, SECTIONS, Section};
use super::{conditions, fields, points, references, shapes, tables, trainables, variants};

/// What a file says, not yet checked for sense. So many lines in front of it are not its own.
pub(super) fn problem(text: &str, origin: &Path, added_lines: usize) -> Result<ProblemBuilder, ProblemError> {
    let source = Source { origin: origin.display().to_string(), text: Some(text.to_owned()), added_lines };
    let document = DeTable::parse(text).map_err(|error| {
        let at = source.position(error.span().map_or(0, |span| span.start));
        ProblemError::Syntax { snippet: source.snippet(&at), message: error.message().to_owned() }.at(at)
    })?;
    let (document, chosen) = variants::choose(document, &source)?;
    let root = Section::root(&document, &source).knowing(&SECTIONS)?;
    // A file has a name already.
    let file = origin.file_stem().map(|name| name.to_string_lossy().replace(char::is_control, "")).unwrap_or_default();
    let name = root.get("name").map_or(Ok(file.as_str()), |name| name.text())?;
    let mut builder = ProblemBuilder::new(&chosen.name_of(name));
    let title = root.get("title").map(|title| title.text()).transpose()?;
    builder.title = title.map(|title| chosen.title_of(title));
    builder.variants = chosen.known;
    let coordinates = root.require("coordinates", "coordinates = { x = [0, 1], t = [0, 1] }")?;
    builder.coordinates = coordinates.table("`coordinates`")?.fields.iter().map(range).collect::<Result<_, _>>()?;
    builder.time = root.get("time").map(|time| time.named(time.text()?, ())).transpose()?;
    let unknowns = root.require("unknowns", "unknowns = [\"u\"]")?.one_or_more()?;
    builder.unknowns = unknowns.into_iter().map(|name| name.named(name.text()?, ())).collect::<Result<_, _>>()?;
    builder.constants = formulas(&root, "constants")?;
    if let Some(sought) = root.get("trainable") {
        builder.trainables =
            sought.table("[trainable]")?.fields.iter().map(trainables::sought).collect::<Result<_, _>>()?;
    }
    if let Some(sought) = root.get("fields") {
        builder.fields = sought.table("[fields]")?.fields.iter().map(fields::field).collect::<Result<_, _>>()?;
    }
    if let Some(definitions) = root.get("definitions") {
        builder.definitions =
            definitions.table("[definitions]")?.fields.iter().map(definition).collect::<Result<_, _>>()?;
    }
    if let Some(equations) = root.get("equations") {
        let read = equations.table("[equations]")?.fields.iter().map(equation).collect::<Result<Vec<_>, _>>()?;
        (builder.equations, builder.equation_weights) = read.into_iter().unzip();
    }
    if let Some(tables) = root.get("tables") {
        builder.tables = tables.table("[tables]")?.fields.iter().map(tables::table).collect::<Result<_, _>>()?;
    }
    tables::replace(&mut builder.tables, chosen.tables)?;
    if let Some(geometry) = root.get("geometry") {
        builder.shapes = shapes::plan(geometry)?;
    }
    if let Some(list) = root.get("conditions") {
        let names: Vec<String> = builder.coordinates.iter().map(|coordinate| coordinate.name.clone()).collect();
        let numbered = list.list()?.into_iter().enumerate();
        builder.conditions =
            numbered.map(|(k, entry)| conditions::condition(entry, k + 1, &names)).collect::<Result<_, _>>()?;
    }
    if let Some(section) = root.get("points") {
        builder.points = points::plan(section)?;
    }
    if let Some(section) = root.get("evaluation") {
        (builder.evaluation, builder.success) = points::evaluation(section)?;
    }
    builder.reference_error = root.get("reference").map(references::measured).transpose()?.flatten();
    builder.reference = root.get("reference").map(references::reference).transpose()?.flatten();
    builder.source = source.clone();
    Ok(builder)
}

fn range(field: &Field<'_>) -> Result<Named<[Formula; 2]>, ProblemError> {
    let ends = field.formulas()?;
    let found = ends.len();
    let range: Result<[Formula; 2], _> = ends.try_into();
    let range = range.map_err(|_| {
        ProblemError::WrongDimension { what: format!("the range of `{}`", field.key), expected: 2, found }
            .at(field.at())
    })?;
    field.named(field.key, range)
}

/// Names and formulas of a section, in the order of the file.
fn formulas(root: &Section<'_>, key: &str) -> Result<Vec<Named<Formula>>, ProblemError> {
    let Some(section) = root.get(key) else {
        return Ok(Vec::new());
    };
    let section = section.table(format!("[{key}]"))?;
    section.fields.iter().map(|field| field.named(field.key, field.formula()?)).collect()
}

/// A formula, or one with random coefficients.
fn definition(field: &Field<'_>) -> Result<Named<Formula>, ProblemError> {
    let formula = if field.is_table() { tables::random_waves(field)? } else { field.formula()? };
    field.named(field.key, formula)
}

/// A residual, or a residual and its weight.
fn equation(field: &Field<'_>) -> Result<(Named<Formula>, f64), ProblemError> {
    if !field.is_table() {
        return Ok((field.named(field.key, field.formula()?)?, 1.0));
    }
    let section = field.table(format!("equation `{}`", field.key))?.knowing(&["residual", "weight"])?;
    let residual = section.require("residual", "residual = \"u_t - u_xx\"")?.formula()?;
    let weight = section.get("weight").map(|weight| weight.number()).transpose()?.unwrap_or(1.0);
    Ok((field.named(field.key, residual)?, weight))
}
