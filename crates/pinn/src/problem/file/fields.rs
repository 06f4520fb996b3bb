//! `[fields.NAME]`: functions of some coordinates that are to be found, each with a network of its own.

use ropinn_engine::Activation;

use super::super::builder::Named;
use super::super::error::ProblemError;
use super::super::unknown_field::{Smoothness, SoughtField};
use super::document::Field;

/// `{ of = ["x", "y"], width = 32, depth = 3, activation = "tanh", transform = "positive", smooth = 1e-4 }`.
pub(super) fn field(field: &Field<'_>) -> Result<Named<SoughtField>, ProblemError> {
    let keys = ["of", "width", "depth", "activation", "transform", "smooth"];
    let section = field.table(format!("[fields.{}]", field.key))?.knowing(&keys)?;
    let coordinates = section.require("of", "of = [\"x\", \"y\"]")?.one_or_more()?;
    let mut sought = SoughtField::of(Vec::<String>::new());
    let named = |name: Field<'_>| name.named(name.text()?, ());
    sought.of = coordinates.into_iter().map(named).collect::<Result<_, _>>()?;
    let count = |key: &str, usual: usize| section.get(key).map_or(Ok(usual), |count| count.count());
    (sought.width, sought.depth) = (count("width", sought.width)?, count("depth", sought.depth)?);
    if let Some(word) = section.get("activation") {
        let known = Activation::ALL.map(|activation| (activation, activation.name()));
        sought.activation = word.choice("known activation", &known)?;
    }
    if let Some(word) = section.get("transform") {
        sought.positive = word.choice("transform of a field", &[(false, "none"), (true, "positive")])?;
    }
    sought.smooth = section.get("smooth").map(smoothness).transpose()?;
    field.named(field.key, sought)
}

/// A weight of the gradient, or which weight it is.
fn smoothness(field: Field<'_>) -> Result<Smoothness, ProblemError> {
    const KINDS: [&str; 2] = ["gradient", "total-variation"];
    if !field.is_table() {
        return field.number().map(Smoothness::Gradient);
    }
    let kind = field.table("`smooth`")?.knowing(&KINDS)?.single(field.key, "smoothness", &KINDS)?;
    let weight = kind.number()?;
    Ok(if kind.key == KINDS[0] { Smoothness::Gradient(weight) } else { Smoothness::TotalVariation(weight) })
}
