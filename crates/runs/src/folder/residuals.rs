//! Sizes as pictures beside that of the solution: where the equations hold and where they do not, and what the solution is off
//! by.

use super::raster::{self, Plane};
use crate::error::RunError;
use ropinn::case::Case;
use ropinn::metrics::Predictor;
use ropinn::problem::Problem;
use ropinn::trust::ErrorMap;
use ropinn_plot::{Aspect, Axis, Curves, FieldFigure, Figure, Panels, Series, sig};

/// Sizes below this share of the largest are drawn as if they had it: nobody needs more colours.
const FLOOR: f64 = 1e-6;

/// |r| of each equation: curves over one coordinate, heat maps over two, a row of slices over more.
pub fn figure(case: &Case, theta: &[f64], title: &str) -> Result<Option<Box<dyn Figure>>, RunError> {
    let problem = case.problem();
    let (names, residuals): (Vec<&str>, Vec<_>) = problem.equations().map(|(name, r)| (name, r.clone())).unzip();
    let mut predictor = Predictor::new(case, residuals).map_err(RunError::run)?;
    let labels: Vec<String> = names.iter().map(|name| format!("|{name}|")).collect();
    maps(problem, &labels, ("|residual|", title, "size of the residual of each equation"), |points| {
        predictor.predict(theta, points).map_err(RunError::run)
    })
}

/// The estimated error of each unknown, and the true one beside it where there is a formula to compare with.
pub fn estimate(case: &Case, theta: &[f64], map: &ErrorMap, title: &str) -> Result<Option<Box<dyn Figure>>, RunError> {
    let problem = case.problem();
    let unknowns = problem.unknown_names();
    let mut predictor = Predictor::of(case, unknowns).map_err(RunError::run)?;
    let middle: Vec<f64> = problem.ranges().iter().map(|(low, high)| 0.5 * (low + high)).collect();
    let known = problem.reference_at(&middle).is_some();
    let estimated = unknowns.iter().map(|name| format!("estimated |error| of {name}"));
    let beside = unknowns.iter().map(|name| format!("true |error| of {name}")).filter(|_| known);
    let labels: Vec<String> = estimated.chain(beside).collect();
    maps(problem, &labels, ("|error|", title, "what the solution is off by"), |points| {
        let estimated = map.at(unknowns, points).map_err(RunError::run)?;
        let Some(exact) = problem.reference_at(points).filter(|_| known) else { return Ok(estimated) };
        let predicted = predictor.predict(theta, points).map_err(RunError::run)?;
        let off: Vec<f64> = predicted.iter().zip(&exact).map(|(p, e)| p - e).collect();
        let rows = estimated.chunks_exact(unknowns.len()).zip(off.chunks_exact(unknowns.len()));
        Ok(rows.flat_map(|(one, other)| [one, other].concat()).collect())
    })
}

/// Sizes of some quantities, `[point][quantity]`.
fn maps(
    problem: &Problem,
    labels: &[String],
    (quantity, title, subtitle): (&str, &str, &str),
    mut values: impl FnMut(&[f64]) -> Result<Vec<f64>, RunError>,
) -> Result<Option<Box<dyn Figure>>, RunError> {
    let mut sizes = |points: &[f64]| -> Result<Vec<Vec<f64>>, RunError> {
        let values = values(points)?;
        let of = |k: usize| values.iter().skip(k).step_by(labels.len()).map(|r| r.abs()).collect();
        Ok((0..labels.len()).map(of).collect())
    };
    let coordinates = problem.coordinate_names();
    if coordinates.len() == 1 {
        let nodes = raster::line(problem);
        let mut curves = Curves::new(&coordinates[0], quantity).with_log_y();
        for (name, sizes) in labels.iter().zip(sizes(&nodes)?) {
            curves = curves.with_series(Series::new(name, nodes.iter().copied().zip(floored(sizes)).collect()));
        }
        return Ok(Some(Box::new(Panels::stacked(title).with(curves))));
    }
    let slices = raster::slices(problem);
    let mut rows: Vec<Vec<FieldFigure>> = labels.iter().map(|_| Vec::new()).collect();
    for fixed in &slices {
        let plane = Plane::new(problem, fixed.clone()).halved();
        let points = plane.points();
        let edge = raster::edge(problem, &points);
        let values = fixed.iter().zip(&coordinates[2..]).map(|(value, name)| format!("{name} = {}", sig(*value, 3)));
        let place = values.collect::<Vec<_>>().join(", ");
        for ((name, row), sizes) in labels.iter().zip(&mut rows).zip(sizes(&points)?) {
            let quantity = if place.is_empty() { name.clone() } else { format!("{name} at {place}") };
            let (x, y) = (Axis::new(&coordinates[0], plane.x.clone()), Axis::new(&coordinates[1], plane.y.clone()));
            let aspect = if raster::is_in_space(problem) { Aspect::Equal } else { Aspect::Fill };
            let mut field = FieldFigure::new(x, y, floored(sizes)).with_quantity(quantity).with_aspect(aspect);
            (field.edge, field.log_colours) = (edge.clone(), true);
            row.push(field);
        }
    }
    let mut panels = Panels::in_columns(title, slices.len()).with_subtitle(subtitle);
    panels.figures = rows.into_iter().flatten().map(|field| Box::new(field) as Box<dyn Figure>).collect();
    Ok(Some(Box::new(panels)))
}

fn floored(sizes: Vec<f64>) -> Vec<f64> {
    let largest = sizes.iter().copied().filter(|size| size.is_finite()).fold(f64::MIN_POSITIVE, f64::max);
    sizes.into_iter().map(|size| size.max(FLOOR * largest)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropinn::config::RunConfig;
    use ropinn::problem::Problem;
    use ropinn_engine::Threads;

    #[test]
    fn every_equation_has_a_map() {
        let flow = "coordinates = { x = [0, 1], y = [0, 1], t = [0, 1] }\ntime = 't'\nunknowns = ['u', 'v']\n\
             geometry = { minus = { disk = { center = [0.5, 0.5], radius = 0.2 } } }\n\
             equations = { mass = 'u_x + v_y', spin = 'u_t - v_xx' }\n\
             conditions = [{ kind = 'initial', value = { u = 0, v = 0 } }]";
        let line = "coordinates = { t = [0, 1] }\nunknowns = ['u']\nequations = { decay = 'u_t + u' }\n\
             conditions = [{ kind = 'initial', value = 1 }]";
        for text in [flow, line] {
            let problem = Problem::from_toml(text, "p.toml".as_ref()).expect("a problem");
            let mut config = RunConfig::default();
            config.set_all(&["model.width=4", "model.depth=1"]).expect("settings");
            let case = Case::with_problem(config, problem, &Threads::new(1).expect("a thread")).expect("a case");
            let figure = figure(&case, &case.initial_theta(), "residuals").expect("numbers").expect("a figure");
            let svg = figure.picture().and_then(|picture| picture.to_svg_string()).expect("a picture");
            for (name, _) in case.problem().equations() {
                assert!(svg.contains(name), "{name}");
            }
        }
    }
}
