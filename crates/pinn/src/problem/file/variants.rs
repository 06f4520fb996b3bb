//! `[variants.NAME]`: sections that hold in place of the file's own if the variant is chosen.
//!
//! `constants`, `trainable`, `fields`, `definitions`, `tables`, `points` and `evaluation` are replaced key by key, conditions by their
//! names, everything else as a whole. What is new is added. The choice is part of the text, `chosen = { variant = "NAME" }`, so that
//! whoever has the text has the problem.

use std::borrow::Cow;

use ropinn_expr::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::error::ProblemError;
use super::super::source::Source;
use super::document::{Field, SECTIONS, Section};
use super::tables::GivenTable;

/// Sections that are replaced key by key.
const KEY_BY_KEY: [&str; 7] = ["constants", "trainable", "fields", "definitions", "tables", "points", "evaluation"];

/// What was chosen, and what can be.
#[derive(Default)]
pub(super) struct Chosen {
    variant: Option<String>,
    /// Whether the variant has a name or a title of its own.
    names_itself: [bool; 2],
    pub tables: Vec<GivenTable>,
    /// The names of all variants.
    pub known: Vec<String>,
}

impl Chosen {
    /// The name of the problem that is called so without the choice.
    pub fn name_of(&self, name: &str) -> String {
        match &self.variant {
            Some(variant) if !self.names_itself[0] => format!("{name}-{variant}"),
            _ => name.to_owned(),
        }
    }

    /// The same for its title.
    pub fn title_of(&self, title: &str) -> String {
        match &self.variant {
            Some(variant) if !self.names_itself[1] => format!("{title} ({variant})"),
            _ => title.to_owned(),
        }
    }
}

/// The document with the sections of the chosen variant in their places.
pub(super) fn choose<'a>(
    mut document: Spanned<DeTable<'a>>,
    source: &Source,
) -> Result<(Spanned<DeTable<'a>>, Chosen), ProblemError> {
    let chosen = read(&document, source)?;
    let root = document.get_mut();
    if let Some(name) = &chosen.variant {
        let table = |of: Option<&Spanned<DeValue<'a>>>| of.and_then(|value| value.get_ref().as_table()).cloned();
        let variant = table(root.get("variants")).and_then(|variants| table(variants.get(name.as_str())));
        for (key, value) in variant.unwrap_or_default() {
            put(root, key, value);
        }
    }
    Ok((document, chosen))
}

/// What is chosen, if it can be.
fn read(document: &Spanned<DeTable<'_>>, source: &Source) -> Result<Chosen, ProblemError> {
    let root = Section::root(document, source);
    let mut chosen = Chosen::default();
    let variants = root.get("variants").map(|variants| variants.table("[variants]")).transpose()?;
    let variants = variants.map_or(Vec::new(), |variants| variants.fields);
    for variant in &variants {
        chosen.known.push(variant.plain_key()?.to_owned());
        variant.table(format!("[variants.{}]", variant.key))?.knowing(&SECTIONS[..SECTIONS.len() - 2])?;
    }
    let Some(choice) = root.get("chosen") else { return Ok(chosen) };
    let choice = choice.table("`chosen`")?.knowing(&["variant", "tables"])?;
    if let Some(tables) = choice.get("tables") {
        chosen.tables = tables.table("`tables`")?.fields.iter().map(given).collect::<Result<_, _>>()?;
    }
    if let Some(word) = choice.get("variant") {
        let name = word.text()?;
        let found = variants.iter().find(|variant| variant.key == name).ok_or_else(|| {
            let suggestion = nearest(name, chosen.known.iter().map(String::as_str)).map(str::to_owned);
            ProblemError::UnknownVariant { name: name.to_owned(), suggestion, known: chosen.known.join(", ") }
        })?;
        let own = found.table("a variant")?;
        chosen.names_itself = ["name", "title"].map(|key| own.get(key).is_some());
        chosen.variant = Some(name.to_owned());
    }
    Ok(chosen)
}

fn given(field: &Field<'_>) -> Result<GivenTable, ProblemError> {
    let mut numbers = Vec::new();
    field.flatten_into(&mut numbers)?;
    Ok(GivenTable { name: field.key.to_owned(), numbers, at: field.at() })
}

/// Puts one section of a variant in its place.
fn put<'a>(document: &mut DeTable<'a>, key: Spanned<Cow<'a, str>>, value: Spanned<DeValue<'a>>) {
    let section = key.get_ref().clone();
    let own = document.get_mut(section.as_ref()).map(Spanned::get_mut);
    match (own, value.get_ref()) {
        (Some(DeValue::Table(own)), DeValue::Table(others)) if KEY_BY_KEY.contains(&section.as_ref()) => {
            // An entry that is there already keeps its key, and so its place in the order of the file.
            others.iter().for_each(|(key, value)| drop(own.insert(key.clone(), value.clone())));
        }
        (Some(DeValue::Array(own)), DeValue::Array(others)) if section == "conditions" => {
            for other in others.iter() {
                let name = name_of(other.get_ref());
                match own.iter_mut().find(|entry| name.is_some() && name_of(entry.get_ref()) == name) {
                    Some(entry) => *entry = other.clone(),
                    None => own.push(other.clone()),
                }
            }
        }
        _ => drop(document.insert(key, value)),
    }
}

fn name_of<'v>(condition: &'v DeValue<'_>) -> Option<&'v str> {
    condition.as_table()?.get("name")?.get_ref().as_str()
}
