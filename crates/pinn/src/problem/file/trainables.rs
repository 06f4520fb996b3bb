//! `[trainable]`: numbers to be found, each with its first value, or with a table of what is known of it.

use super::super::builder::Named;
use super::super::error::ProblemError;
use super::super::formula::Formula;
use super::super::trainable::{Sought, TransformKind};
use super::document::Field;

/// A first value, or `{ init = 0.5, bounds = [0, 1], scale = 0.1, transform = "logit", truth = 0.3 }`.
pub(super) fn sought(field: &Field<'_>) -> Result<Named<Sought>, ProblemError> {
    if !field.is_table() {
        return field.named(field.key, field.formula()?.into());
    }
    let keys = ["init", "bounds", "scale", "transform", "truth"];
    let section = field.table(format!("[trainable.{}]", field.key))?.knowing(&keys)?;
    let mut sought = Sought::from(section.require("init", "init = 0.5")?.formula()?);
    let formula = |key: &str| section.get(key).map(|value| value.formula()).transpose();
    if let Some(bounds) = section.get("bounds") {
        let ends: Result<[Formula; 2], _> = bounds.formulas()?.try_into();
        let ends = ends.map_err(|_| bounds.wrong("two numbers, such as [0, 1] or [0, inf]"))?;
        sought.bounds = Some(ends);
    }
    (sought.scale, sought.truth) = (formula("scale")?, formula("truth")?);
    let transform = section.get("transform").map(|word| word.choice("transform", &TransformKind::WORDS));
    sought.transform = transform.transpose()?;
    field.named(field.key, sought)
}
