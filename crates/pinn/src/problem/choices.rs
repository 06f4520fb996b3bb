//! What is chosen of a problem when it is opened: one of the variants of its file, other numbers for its tables.
//!
//! A choice becomes the first line of the text, `chosen = { variant = "div", tables = { a = [1, 2] } }`: a run that keeps the text
//! keeps the choice, whatever becomes of the files the numbers came from.

use std::path::{Path, PathBuf};

use super::Problem;
use super::builder::ProblemBuilder;
use super::columns::{MAX_DATA_BYTES, read_limited};
use super::error::ProblemError;
use super::file::{MAX_PROBLEM_BYTES, stated};
use super::inputs::Inputs;

/// What is chosen of a problem.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// One of the variants of the file.
    pub variant: Option<String>,
    /// Files with other numbers for tables, by the names of the tables: all values, the last axis running fastest, with
    /// blanks, commas or line ends between them; `%` and `#` begin remarks.
    pub tables: Vec<(String, PathBuf)>,
}

impl Choices {
    fn is_empty(&self) -> bool {
        self.variant.is_none() && self.tables.is_empty()
    }
}

impl Problem {
    /// The built-in problem of that name, or the problem in that file. Built-in names have neither separators nor endings, so
    /// whatever has one of them is meant as a file. `name:variant` is one of the variants of either.
    ///
    /// ```
    /// use ropinn::problem::Problem;
    /// assert_eq!(Problem::open("wave-2d-ms:corrected")?.name, "wave-2d-ms-corrected");
    /// assert_eq!(Problem::open("wave:corrected").unwrap_err().to_string(),
    ///     "the problem has no variant `corrected`; its variants are: none");
    /// # Ok::<(), ropinn::problem::ProblemError>(())
    /// ```
    pub fn open(name: &str) -> Result<Problem, ProblemError> {
        Self::open_with(name, &Choices::default())
    }

    /// The same with what is chosen of it.
    pub fn open_with(name: &str, choices: &Choices) -> Result<Problem, ProblemError> {
        let (name, choices) = match split(name) {
            Some((name, variant)) if choices.variant.is_none() => {
                (name, Choices { variant: Some(variant.to_owned()), ..choices.clone() })
            }
            _ => (name, choices.clone()),
        };
        let (path, own) = (Path::new(name), Self::builtin_name_of(name));
        let is_path = path.extension().is_some() || path.components().count() > 1 || path.is_file();
        if own.is_some() || !is_path {
            let problem = Problem::builtin(name)?;
            return match choices.is_empty() {
                true => Ok(problem),
                false => Ok(Problem {
                    builtin: own,
                    ..choose(problem.source_text(), Path::new(&format!("{name}.toml")), &choices)?
                }),
            };
        }
        choose(&read_limited(path, MAX_PROBLEM_BYTES)?, path, &choices)
    }

    /// A built-in problem from the text it had when it was opened, with what was chosen of it.
    ///
    /// ```
    /// use ropinn::problem::Problem;
    /// let opened = Problem::open("wave-2d-ms:corrected")?;
    /// let again = Problem::builtin_from("wave-2d-ms", opened.source_text())?;
    /// assert_eq!((again.name.as_str(), again.builtin_name()), ("wave-2d-ms-corrected", Some("wave-2d-ms")));
    /// # Ok::<(), ropinn::problem::ProblemError>(())
    /// ```
    pub fn builtin_from(name: &str, text: &str) -> Result<Problem, ProblemError> {
        let own = Problem::builtin(name)?.builtin;
        let (origin, inputs) = (format!("{name}.toml"), Inputs::below(""));
        Ok(Problem { builtin: own, ..Problem::from_toml_with(text, Path::new(&origin), inputs)? })
    }
}

/// A name and the variant behind its last colon. A path that exists is never cut, nor is one with a drive before it.
fn split(name: &str) -> Option<(&str, &str)> {
    let (before, variant) = name.rsplit_once(':')?;
    let plain = !variant.is_empty() && !variant.contains(['/', '\\']) && before.len() > 1;
    (plain && !Path::new(name).exists()).then_some((before, variant))
}

fn choose(text: &str, origin: &Path, choices: &Choices) -> Result<Problem, ProblemError> {
    let inputs = Inputs::below(origin.parent().unwrap_or(Path::new("")));
    if choices.is_empty() {
        return Problem::from_toml_with(text, origin, inputs);
    }
    let variant = choices.variant.as_ref().map(|name| format!("variant = {}", toml::Value::from(name.as_str())));
    let with = |parts: &[String]| format!("chosen = {{ {} }}\n{text}", parts.join(", "));
    let plain = stated(&with(variant.as_slice()), origin, 1)?;
    let mut tables = Vec::new();
    for (name, path) in &choices.tables {
        let numbers = numbers_for(name, path, &plain)?;
        let digits: Vec<String> = numbers.iter().map(|number| format!("{number:?}")).collect();
        tables.push(format!("{} = [{}]", toml::Value::from(name.as_str()), digits.join(", ")));
    }
    let tables = (!tables.is_empty()).then(|| format!("tables = {{ {} }}", tables.join(", ")));
    let parts: Vec<String> = variant.into_iter().chain(tables).collect();
    ProblemBuilder { inputs, ..stated(&with(&parts), origin, 1)? }.build()
}

/// The numbers in a file, as many as a table of the problem has.
fn numbers_for(table: &str, path: &Path, problem: &ProblemBuilder) -> Result<Vec<f64>, ProblemError> {
    let known = || problem.tables.iter().map(|table| table.name.as_str());
    let Some(plan) = problem.tables.iter().find(|own| own.name == table) else {
        return Err(ProblemError::UnknownTable {
            name: table.to_owned(),
            suggestion: ropinn_expr::nearest(table, known()).map(str::to_owned),
            known: known().collect::<Vec<_>>().join(", "),
        });
    };
    let Some(shape) = plan.value.shape() else {
        return Err(ProblemError::TableOfFile { table: table.to_owned() });
    };
    let expected = shape.iter().fold(1_usize, |product, count| product.saturating_mul(*count));
    let shape = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ");
    let (path, text) = (path.display().to_string(), read_limited(path, MAX_DATA_BYTES)?);
    let (mut numbers, mut last) = (Vec::new(), 0);
    for (index, line) in text.strip_prefix('\u{feff}').unwrap_or(&text).lines().enumerate() {
        let line = line.split(['%', '#']).next().unwrap_or_default();
        let cells = line.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';')).filter(|cell| !cell.is_empty());
        for cell in cells {
            last = index + 1;
            let number: Option<f64> = cell.parse().ok().filter(|number: &f64| number.is_finite());
            numbers.push(number.ok_or_else(|| ProblemError::NotNumbers {
                path: path.clone(),
                line: last,
                found: cell.chars().take(40).flat_map(char::escape_debug).collect(),
                table: table.to_owned(),
                expected,
                shape: shape.clone(),
            })?);
        }
        if numbers.len() > expected {
            break;
        }
    }
    match numbers.len() == expected {
        true => Ok(numbers),
        false => {
            let (line, found, table) = (last, numbers.len(), table.to_owned());
            Err(ProblemError::NumberCount { path, line, found, table, expected, shape })
        }
    }
}
