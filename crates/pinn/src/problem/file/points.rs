//! `[points]` and `[evaluation]`: how many points, where, and how they are spread.

use super::super::error::ProblemError;
use super::super::sampling::PointPlan;
use super::super::spread::{LAYOUTS, Spread};
use super::document::{Field, Section};

pub(super) fn plan(field: Field<'_>) -> Result<PointPlan, ProblemError> {
    let section = field.table("[points]")?.knowing(&["interior", "boundary", "initial", "residual_everywhere"])?;
    let spread_of = |key: &str| section.get(key).map(spread).transpose();
    Ok(PointPlan {
        interior: spread_of("interior")?,
        boundary: spread_of("boundary")?,
        initial: spread_of("initial")?,
        residual_everywhere: section.get("residual_everywhere").map(|flag| flag.flag()).transpose()?.unwrap_or(false),
    })
}

/// The points at which errors are measured, and the error that counts as success.
pub(super) fn evaluation(field: Field<'_>) -> Result<(Option<Spread>, Option<f64>), ProblemError> {
    let section = field.table("[evaluation]")?.knowing(&["layout", "count", "counts", "success"])?;
    let success = section.get("success").map(|threshold| threshold.number()).transpose()?;
    let points = section.get("layout").map(|_| spread_from(&section)).transpose()?;
    Ok((points, success))
}

/// `{ layout = "grid", counts = [101, 101] }` or `{ layout = "sobol", count = 1024 }`.
pub(super) fn spread(field: Field<'_>) -> Result<Spread, ProblemError> {
    spread_from(&field.table(format!("`{}`", field.key))?.knowing(&["layout", "count", "counts"])?)
}

fn spread_from(section: &Section<'_>) -> Result<Spread, ProblemError> {
    let layout = section.require("layout", "layout = \"sobol\"")?.choice("layout", &LAYOUTS)?;
    section.exclusive("count", "counts")?;
    let spread = |counts, count| Spread::scattered(layout(counts), count);
    if spread(Vec::new(), 0).grid_counts().is_some() {
        let counts = section.require("counts", "counts = [101, 101]")?.list()?;
        return Ok(spread(counts.iter().map(Field::count).collect::<Result<_, _>>()?, 0));
    }
    Ok(spread(Vec::new(), section.require("count", "count = 1024")?.count()?))
}
