//! `[geometry]`: a shape, and the shapes that are added or taken away, in the order of the file.
//!
//! ```toml
//! [geometry]
//! shape = { disk = { center = [0, 0], radius = 1 } }    # "box", the ranges of the coordinates, unless given
//! minus = [{ disk = { center = [0.3, 0.3], radius = 0.1 } }, { box = { low = [0, 0], high = [1, 1] } }]
//! intersect = [{ polygon = [[0, 0], [1, 0], [0, 1]] }]
//! ```

use super::super::error::ProblemError;
use super::super::formula::Formula;
use super::super::shape::{Combination, Shape, ShapePlan};
use super::document::Field;

const SHAPES: [&str; 4] = ["box", "disk", "ball", "polygon"];

pub(super) fn plan(field: Field<'_>) -> Result<ShapePlan, ProblemError> {
    let section = field.table("[geometry]")?.knowing(&["shape", "minus", "union", "intersect"])?;
    let mut plan = ShapePlan { written_at: field.written_at, ..ShapePlan::default() };
    for entry in &section.fields {
        let combination = match entry.key {
            "minus" => Combination::Minus,
            "union" => Combination::Union,
            "intersect" => Combination::Intersect,
            _ => {
                plan.base = base(entry)?;
                continue;
            }
        };
        for each in entry.one_or_more()? {
            plan.steps.push((combination, shape(&each)?));
        }
    }
    Ok(plan)
}

fn base(field: &Field<'_>) -> Result<Shape, ProblemError> {
    if field.is_table() {
        return shape(field);
    }
    field.choice("shape", &[((), "box")]).map(|()| Shape::Ranges)
}

fn shape(field: &Field<'_>) -> Result<Shape, ProblemError> {
    let section = field.table("a shape")?.knowing(&SHAPES)?;
    let kind = section.single(field.key, "shape", &SHAPES)?;
    match kind.key {
        "box" => {
            let corners = kind.table("`box`")?.knowing(&["low", "high"])?;
            Ok(Shape::Box {
                low: corners.require("low", "low = [0, 0]")?.formulas()?,
                high: corners.require("high", "high = [1, 1]")?.formulas()?,
            })
        }
        "polygon" => Ok(Shape::Polygon { vertices: kind.list()?.iter().map(vertex).collect::<Result<_, _>>()? }),
        _ => {
            let parts = kind.table(format!("`{}`", kind.key))?.knowing(&["center", "radius"])?;
            Ok(Shape::Ball {
                center: parts.require("center", "center = [0, 0]")?.formulas()?,
                radius: parts.require("radius", "radius = 1")?.formula()?,
            })
        }
    }
}

fn vertex(field: &Field<'_>) -> Result<[Formula; 2], ProblemError> {
    let numbers = field.formulas()?;
    let found = numbers.len();
    numbers.try_into().map_err(|_| {
        ProblemError::WrongDimension { what: "a corner of the polygon".to_owned(), expected: 2, found }.at(field.at())
    })
}
