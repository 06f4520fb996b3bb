//! Typed access to a TOML document; every value knows its place, so that messages can point at it.

use std::path::{Component, Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::builder::Named;
use super::super::columns::Renamed;
use super::super::error::ProblemError;
use super::super::formula::Formula;
use super::super::source::Position;
use super::super::source::Source;
use ropinn_expr::nearest;

/// The keys of a file; the last two are not for variants.
pub(super) const SECTIONS: [&str; 18] = [
    "name",
    "title",
    "coordinates",
    "time",
    "unknowns",
    "constants",
    "tables",
    "trainable",
    "fields",
    "definitions",
    "equations",
    "geometry",
    "conditions",
    "points",
    "evaluation",
    "reference",
    "variants",
    "chosen",
];

/// A value under a key, or an entry of a list.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub key: &'a str,
    /// Byte of the file where the key, or the entry, starts.
    pub written_at: usize,
    value: &'a Spanned<DeValue<'a>>,
    source: &'a Source,
}

/// A table with its name for messages.
pub(super) struct Section<'a> {
    name: String,
    written_at: usize,
    /// In the order of the file.
    pub fields: Vec<Field<'a>>,
    source: &'a Source,
}

impl<'a> Section<'a> {
    /// The whole document.
    pub fn root(document: &'a Spanned<DeTable<'a>>, source: &'a Source) -> Self {
        Self::new(document.get_ref(), "the problem".to_owned(), 0, source)
    }

    fn new(table: &'a DeTable<'a>, name: String, written_at: usize, source: &'a Source) -> Self {
        let field = |(key, value): (&'a Spanned<std::borrow::Cow<'a, str>>, &'a Spanned<DeValue<'a>>)| Field {
            key: key.get_ref().as_ref(),
            written_at: key.span().start,
            value,
            source,
        };
        let mut fields: Vec<Field<'a>> = table.iter().map(field).collect();
        // Tables iterate by name; the order of coordinates and constants is that of the file.
        fields.sort_by_key(|field| field.written_at);
        Section { name, written_at, fields, source }
    }

    /// The same section, if every key is one of these.
    pub fn knowing(self, keys: &[&'static str]) -> Result<Self, ProblemError> {
        match self.fields.iter().find(|field| !keys.contains(&field.key)) {
            None => Ok(self),
            Some(stray) => Err(ProblemError::UnknownKey {
                key: stray.key.to_owned(),
                section: self.name,
                suggestion: nearest(stray.key, keys.iter().copied()).map(str::to_owned),
                known: keys.join(", "),
            }
            .at(stray.at())),
        }
    }

    pub fn get(&self, key: &str) -> Option<Field<'a>> {
        self.fields.iter().find(|field| field.key == key).copied()
    }

    pub fn require(&self, key: &'static str, example: &str) -> Result<Field<'a>, ProblemError> {
        let missing =
            || ProblemError::MissingKey { section: self.name.clone(), key, example: example.to_owned() }.at(self.at());
        self.get(key).ok_or_else(missing)
    }

    /// `columns = { u = "temperature" }`: what a file calls the quantities of the problem.
    pub fn renamed(&self) -> Result<Renamed, ProblemError> {
        let Some(columns) = self.get("columns") else { return Ok(Renamed::new()) };
        let columns = columns.table("`columns`")?;
        columns.fields.iter().map(|field| Ok((field.key.to_owned(), field.text()?.to_owned()))).collect()
    }

    pub fn at(&self) -> Box<Position> {
        self.source.position(self.written_at)
    }

    /// The only entry of a table that says which of several kinds it is by its key.
    pub fn single(&self, key: &str, what: &str, kinds: &[&str]) -> Result<Field<'a>, ProblemError> {
        match self.fields[..] {
            [only] => Ok(only),
            _ => Err(ProblemError::WrongType {
                key: key.to_owned(),
                expected: format!("one {what} in each pair of braces ({})", kinds.join(", ")),
                found: format!("{} of them", self.fields.len()),
            }
            .at(self.at())),
        }
    }

    /// Refuses two keys that exclude each other.
    pub fn exclusive(&self, first: &str, second: &str) -> Result<(), ProblemError> {
        match (self.get(first), self.get(second)) {
            (Some(_), Some(other)) => Err(ProblemError::Conflict {
                section: self.name.clone(),
                first: first.to_owned(),
                second: second.to_owned(),
            }
            .at(other.at())),
            _ => Ok(()),
        }
    }
}

impl<'a> Field<'a> {
    pub fn at(&self) -> Box<Position> {
        self.source.position(self.written_at)
    }

    /// Something under a name, found here.
    pub fn named<T>(&self, name: &str, value: T) -> Result<Named<T>, ProblemError> {
        Ok(Named { name: name.to_owned(), value, written_at: self.written_at })
    }

    /// Byte of the file where the value starts.
    pub fn value_at(&self) -> usize {
        self.value.span().start
    }

    pub fn wrong(&self, expected: &str) -> ProblemError {
        let found = match self.value.get_ref() {
            DeValue::String(text) => {
                format!("the text \"{}\"", text.chars().take(40).flat_map(char::escape_debug).collect::<String>())
            }
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            DeValue::Boolean(flag) => flag.to_string(),
            DeValue::Datetime(_) => "a date".to_owned(),
            DeValue::Array(_) => "a list".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        };
        let (at, key) = (self.source.position(self.value_at()), self.key.to_owned());
        ProblemError::WrongType { key, expected: expected.to_owned(), found }.at(at)
    }

    /// A text on one line. Names end up in terminals, so nothing that steers one passes.
    pub fn text(&self) -> Result<&'a str, ProblemError> {
        let text = self.value.get_ref().as_str().ok_or_else(|| self.wrong("a text"))?;
        let plain = !text.contains(char::is_control);
        plain.then_some(text).ok_or_else(|| self.wrong("a text without control characters"))
    }

    /// A file in the folder of the problem file or below it. Problem files come from anywhere; what they can make us read
    /// must not.
    pub fn data_path(&self) -> Result<PathBuf, ProblemError> {
        let path = Path::new(self.text()?);
        let stays = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        match path.components().all(stays) {
            true => Ok(path.to_owned()),
            false => Err(ProblemError::OutsideFolder { path: path.display().to_string() }
                .at(self.source.position(self.value_at()))),
        }
    }

    pub fn flag(&self) -> Result<bool, ProblemError> {
        self.value.get_ref().as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    /// Settings in a table, or `true` for the usual ones.
    pub fn settings(&self) -> Result<Option<Section<'a>>, ProblemError> {
        match self.value.get_ref() {
            DeValue::Boolean(true) => Ok(None),
            DeValue::Table(_) => self.table(format!("`{}`", self.key)).map(Some),
            _ => Err(self.wrong("true or a table of settings")),
        }
    }

    /// A finite number.
    pub fn number(&self) -> Result<f64, ProblemError> {
        let number = self.plain_number().filter(|number| number.is_finite());
        number.ok_or_else(|| self.wrong("a finite number"))
    }

    fn plain_number(&self) -> Option<f64> {
        match self.value.get_ref() {
            DeValue::Integer(_) => self.integer().map(|number| number as f64),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        }
    }

    fn integer(&self) -> Option<i128> {
        let number = self.value.get_ref().as_integer()?;
        i128::from_str_radix(number.as_str(), number.radix()).ok()
    }

    /// A count: a whole number of at least one.
    pub fn count(&self) -> Result<usize, ProblemError> {
        let count = self.integer().and_then(|number| usize::try_from(number).ok()).filter(|count| *count > 0);
        count.ok_or_else(|| self.wrong("a whole number above zero"))
    }

    /// A whole number from zero.
    pub fn whole(&self) -> Result<u32, ProblemError> {
        let number = self.integer().and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| self.wrong("a whole number"))
    }

    /// A number, or a text to be parsed later.
    pub fn formula(&self) -> Result<Formula, ProblemError> {
        let start = self.value_at();
        if let Some(text) = self.value.get_ref().as_str() {
            return Ok(Formula::from(text).found_at(start, self.verbatim(text)));
        }
        let number = self.plain_number().ok_or_else(|| self.wrong("a number or a formula in quotes"))?;
        Ok(Formula::from(number).found_at(start, None))
    }

    /// Byte at which a text stands letter by letter; none if escapes or line endings change it.
    fn verbatim(&self, text: &str) -> Option<usize> {
        let written = self.source.text.as_deref()?.get(self.value.span())?;
        let quotes = if written.starts_with("\"\"\"") || written.starts_with("'''") { 3 } else { 1 };
        let inside = written.get(quotes..written.len().checked_sub(quotes)?)?;
        let trimmed = if quotes == 3 { inside.strip_prefix('\n').unwrap_or(inside) } else { inside };
        (trimmed == text).then(|| self.value_at() + quotes + inside.len() - trimmed.len())
    }

    /// Numbers in lists of lists, row after row.
    pub fn flatten_into(&self, out: &mut Vec<f64>) -> Result<(), ProblemError> {
        if !self.is_list() {
            out.push(self.number()?);
            return Ok(());
        }
        self.list()?.iter().try_for_each(|entry| entry.flatten_into(out))
    }

    /// The same for formulas.
    pub fn formulas_into(&self, out: &mut Vec<Formula>) -> Result<(), ProblemError> {
        if !self.is_list() {
            out.push(self.formula()?);
            return Ok(());
        }
        self.list()?.iter().try_for_each(|entry| entry.formulas_into(out))
    }

    /// Refuses a key that would steer a terminal where it is printed.
    pub fn plain_key(&self) -> Result<&'a str, ProblemError> {
        let plain =
            !self.key.is_empty() && self.key.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
        plain.then_some(self.key).ok_or_else(|| {
            ProblemError::WrongType {
                key: self.key.escape_debug().take(40).collect(),
                expected: "a name of letters, digits, `-`, `_` and `.`".to_owned(),
                found: "others".to_owned(),
            }
            .at(self.at())
        })
    }

    pub fn is_flag(&self) -> bool {
        self.value.get_ref().is_bool()
    }

    pub fn is_text(&self) -> bool {
        self.value.get_ref().is_str()
    }

    pub fn is_list(&self) -> bool {
        self.value.get_ref().is_array()
    }

    pub fn is_table(&self) -> bool {
        self.value.get_ref().is_table()
    }

    pub fn list(&self) -> Result<Vec<Field<'a>>, ProblemError> {
        let entries = self.value.get_ref().as_array().ok_or_else(|| self.wrong("a list"))?;
        let entry = |value: &'a Spanned<DeValue<'a>>| Field { written_at: value.span().start, value, ..*self };
        Ok(entries.iter().map(entry).collect())
    }

    /// A list, or a single value that stands for a list of one.
    pub fn one_or_more(&self) -> Result<Vec<Field<'a>>, ProblemError> {
        if self.is_list() { self.list() } else { Ok(vec![*self]) }
    }

    pub fn texts(&self) -> Result<Vec<&'a str>, ProblemError> {
        self.one_or_more()?.iter().map(Field::text).collect()
    }

    pub fn formulas(&self) -> Result<Vec<Formula>, ProblemError> {
        self.list()?.iter().map(Field::formula).collect()
    }

    pub fn table(&self, name: impl Into<String>) -> Result<Section<'a>, ProblemError> {
        let table = self.value.get_ref().as_table().ok_or_else(|| self.wrong("a table"))?;
        Ok(Section::new(table, name.into(), self.written_at, self.source))
    }

    /// One of several words.
    pub fn choice<T: Copy>(&self, what: &'static str, choices: &[(T, &'static str)]) -> Result<T, ProblemError> {
        let word = self.text()?;
        let chosen = choices.iter().find(|(_, known)| *known == word).map(|(choice, _)| *choice);
        chosen.ok_or_else(|| {
            let words: Vec<&str> = choices.iter().map(|(_, known)| *known).collect();
            ProblemError::UnknownChoice {
                what,
                found: word.to_owned(),
                suggestion: nearest(word, words.iter().copied()).map(str::to_owned),
                known: words.join(", "),
            }
            .at(self.source.position(self.value_at()))
        })
    }
}
