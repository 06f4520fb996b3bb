//! `[variants.NAME]`: sections that hold in place of the file's own if the variant is chosen.
//!
//! `constants`, `trainable`, `definitions`, `tables`, `points` and `evaluation` are replaced key by key, conditions by their
//! names, everything else as a whole. What is new is added. The choice is part of the text, `chosen = { variant = "NAME" }`, so that
//! whoever has the text has the problem.

use std::borrow::Cow;

use ropinn_expr::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::error::ProblemError;
use super::super::source::Source;
use super::document::{Field, Section};
use super::read::SECTIONS;
use super::tables::GivenTable;

/// Sections that are replaced key by key.
const KEY_BY_KEY: [&str; 6] = ["constants", "trainable", "definitions", "tables", "points", "evaluation"];

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
    document: Spanned<DeTable<'a>>,
    source: &Source,
) -> Result<(Spanned<DeTable<'a>>, Chosen), ProblemError> {
    let mut chosen = Chosen::default();
    let root = Section::root(&document, source);
    let mut sections = None;
    if let Some(variants) = root.get("variants") {
        let variants = variants.table("[variants]")?;
        chosen.known = variants.fields.iter().map(|variant| variant.key.to_owned()).collect();
        let mine: Vec<&'static str> =
            SECTIONS.into_iter().filter(|key| !matches!(*key, "variants" | "chosen")).collect();
        for variant in &variants.fields {
            variant.text_of_key()?;
            variant.table(format!("[variants.{}]", variant.key))?.knowing(&mine)?;
        }
    }
    if let Some(choice) = root.get("chosen") {
        let choice = choice.table("`chosen`")?.knowing(&["variant", "tables"])?;
        if let Some(tables) = choice.get("tables") {
            chosen.tables = tables.table("`tables`")?.fields.iter().map(given).collect::<Result<_, _>>()?;
        }
        if let Some(word) = choice.get("variant") {
            let name = word.text()?;
            let found = root.get("variants").map(|all| all.table("[variants]")).transpose()?;
            let found = found.and_then(|all| all.get(name)).ok_or_else(|| {
                ProblemError::UnknownVariant {
                    name: name.to_owned(),
                    suggestion: nearest(name, chosen.known.iter().map(String::as_str)).map(str::to_owned),
                    known: chosen.known.join(", "),
                }
                .at(word.at())
            })?;
            let own = found.table("a variant")?;
            chosen.names_itself = ["name", "title"].map(|key| own.get(key).is_some());
            chosen.variant = Some(name.to_owned());
            sections = found.cloned_table();
        }
    }
    let span = document.span();
    let mut merged = document.into_inner();
    for (key, value) in sections.into_iter().flatten() {
        put(&mut merged, key, value);
    }
    Ok((Spanned::new(span, merged), chosen))
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
