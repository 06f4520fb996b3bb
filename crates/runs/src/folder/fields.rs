//! The solution as a picture: a curve over one coordinate, a heat map over two, slices of it over more.
//!
//! The network and a formula are drawn on dense nodes of the picture's own ([`super::raster`]), cut by the geometry; what a
//! table knows is drawn where it knows it.

use super::FinishedRun;
use super::prediction::Prediction;
use super::raster::{self, FullGrid, Plane, Space};
use super::streamlines::{Flow, streamlines, velocity};
use crate::error::RunError;
use ropinn::case::Case;
use ropinn::metrics::Predictor;
use ropinn::problem::Term;
use ropinn_engine::Threads;
use ropinn_plot::{
    Aspect, Axis, Curves, FieldFigure, Figure, Isosurfaces, KnownAt, Panels, Sampling, Series, SeriesStyle, Trace, sig,
};

/// Dots in a scatter plot, and sensors; more only make the file large.
const MOST_DOTS: usize = 4000;
const MOST_SENSORS: usize = 400;

/// One figure for all unknowns; `None` if there is nothing sensible to show. Errors are shown on the range they have unless
/// another is given.
pub fn figure(
    case: &Case,
    theta: &[f64],
    prediction: &Prediction,
    (title, subtitle): (&str, &str),
    error_range: Option<f64>,
) -> Result<Option<Box<dyn Figure>>, RunError> {
    let mut view = View::new(case, theta, prediction, error_range)?;
    let mut panels = Panels::stacked(title).with_subtitle(subtitle);
    panels.figures = match prediction.set.axes {
        1 => view.curves()?,
        _ => view.fields()?,
    };
    // Without anything to compare with, the slices of an unknown stand in a row, and so do unknowns without slices.
    if prediction.set.reference.is_none() {
        panels.columns = match prediction.set.axes {
            1 => 1,
            2 => prediction.unknowns.len().clamp(1, 3),
            // Beside them stand the shells, if there are any.
            _ => raster::slices(case.problem()).len() + usize::from(Space::of(case.problem()).is_some()),
        };
    }
    Ok(if panels.figures.is_empty() { None } else { Some(Box::new(panels)) })
}

/// The solution of a finished run, from its weights.
pub fn solution_figure(
    run: &FinishedRun,
    subtitle: &str,
    error_range: Option<f64>,
) -> Result<Option<Box<dyn Figure>>, RunError> {
    let (case, theta) = run.trained(&Threads::new(1)?)?;
    let prediction = Prediction::new(&case, &theta)?;
    figure(&case, &theta, &prediction, ("", subtitle), error_range)
}

struct View<'a> {
    case: &'a Case,
    theta: &'a [f64],
    /// At the evaluation points, which are those of the reference if it is a table.
    prediction: &'a Prediction,
    predictor: Predictor,
    sensors: Vec<Term>,
    error_range: Option<f64>,
}

/// One plane of a field: everything at its nodes, `[node][unknown]`.
struct Slice {
    plane: Plane,
    edge: Option<Vec<f64>>,
    predicted: Vec<f64>,
    exact: Option<Vec<f64>>,
    /// Points of the table in this plane, if that is what the reference is.
    known: Option<Known>,
    sensors: Vec<(f64, f64)>,
}

/// Some points of the table.
struct Known {
    x: Vec<f64>,
    y: Vec<f64>,
    sampling: Sampling,
    points: Vec<usize>,
}

impl<'a> View<'a> {
    fn new(
        case: &'a Case,
        theta: &'a [f64],
        prediction: &'a Prediction,
        error_range: Option<f64>,
    ) -> Result<Self, RunError> {
        let predictor = Predictor::of(case, case.problem().unknown_names()).map_err(RunError::run)?;
        let sensors = case.problem().observations(case.config().seed).map_err(RunError::run)?;
        Ok(Self { case, theta, prediction, predictor, sensors, error_range })
    }

    fn predict(&mut self, points: &[f64]) -> Result<Vec<f64>, RunError> {
        self.predictor.predict(self.theta, points).map_err(RunError::run)
    }

    fn unknowns(&self) -> &[String] {
        &self.prediction.unknowns
    }

    /// Every so many numbers, from the place of one unknown.
    fn pick(&self, values: &[f64], unknown: usize) -> Vec<f64> {
        values.iter().skip(unknown).step_by(self.unknowns().len()).copied().collect()
    }

    /// A curve of each unknown, and its error if it is known.
    fn curves(&mut self) -> Result<Vec<Box<dyn Figure>>, RunError> {
        let nodes = raster::line(self.case.problem());
        let predicted = self.predict(&nodes)?;
        let exact = self.case.problem().reference_at(&nodes);
        let edge = raster::edge(self.case.problem(), &nodes);
        let mut figures: Vec<Box<dyn Figure>> = Vec::new();
        for unknown in 0..self.unknowns().len() {
            let pairs = |values: &[f64]| -> Vec<(f64, f64)> {
                let is_inside = |k: usize| edge.as_ref().is_none_or(|edge| edge[k] <= 0.0);
                let value = |(k, value): (usize, f64)| (nodes[k], if is_inside(k) { value } else { f64::NAN });
                self.pick(values, unknown).into_iter().enumerate().map(value).collect()
            };
            let (name, x) = (self.unknowns()[unknown].as_str(), self.prediction.coordinate(0).0);
            let dots = SeriesStyle { trace: Trace::Dots, ..SeriesStyle::default() };
            let mut curves = Curves::new(x, name).with_series(Series::new("predicted", pairs(&predicted)));
            let mut error = None;
            if let Some(exact) = &exact {
                curves = curves.with_series(Series::new(self.prediction.reference_name, pairs(exact)));
                let differences: Vec<f64> = predicted.iter().zip(exact).map(|(p, e)| p - e).collect();
                error = Some(Series::new("", pairs(&differences)));
            } else if let (at, Some(table)) = self.prediction.of_unknown(unknown) {
                let places = thinned(self.prediction.coordinate(0).1);
                let dotted = |values: Vec<f64>| places.iter().copied().zip(thinned(values)).collect::<Vec<_>>();
                let differences = at.iter().zip(&table).map(|(p, e)| p - e).collect();
                error = Some(Series::new("", dotted(differences)).with_style(dots));
                curves = curves.with_series(Series::new("reference", dotted(table)).with_style(dots));
            }
            let measured = self.measured(name);
            if !measured.is_empty() {
                curves = curves.with_series(Series::new("sensors", measured).with_style(dots));
            }
            figures.push(Box::new(curves));
            if let Some(error) = error {
                let label = format!("error of {name} (predicted − {})", self.prediction.reference_name);
                figures.push(Box::new(Curves::new(x, label).with_series(error)));
            }
        }
        Ok(figures)
    }

    /// What sensors say of an unknown, over the first coordinate.
    fn measured(&self, unknown: &str) -> Vec<(f64, f64)> {
        let axes = self.prediction.set.axes;
        let of_term = |term: &Term| {
            let column = term.labels.iter().position(|label| label == unknown);
            let columns = term.data.len() / term.samples(axes).max(1);
            let places = term.points.iter().step_by(axes).copied().collect::<Vec<_>>();
            let values = column.map_or_else(Vec::new, |k| term.data.iter().skip(k).step_by(columns).copied().collect());
            places.into_iter().zip(values).collect::<Vec<_>>()
        };
        thinned_to(self.sensors.iter().flat_map(of_term).collect(), MOST_SENSORS)
    }

    /// All slices of each unknown, or what takes their place.
    fn fields(&mut self) -> Result<Vec<Box<dyn Figure>>, RunError> {
        let slices = self.slices()?;
        // A table that no slice shows.
        let is_hidden = slices.iter().all(|slice| slice.known.is_none() && slice.exact.is_none());
        let mut shells = self.shells()?.into_iter();
        let mut figures: Vec<Box<dyn Figure>> = Vec::new();
        for unknown in 0..self.unknowns().len() {
            figures
                .extend(self.of_unknown(&slices, unknown).into_iter().map(|field| Box::new(field) as Box<dyn Figure>));
            figures.extend(shells.next().map(|shells| Box::new(shells) as Box<dyn Figure>));
            figures.extend(Some(unknown).filter(|_| is_hidden).and_then(|unknown| self.parity(unknown)));
        }
        figures.extend(self.flow(&slices));
        Ok(figures)
    }

    /// Where each unknown has certain values, if there are three coordinates in space.
    fn shells(&mut self) -> Result<Vec<Isosurfaces>, RunError> {
        let Some(space) = Space::of(self.case.problem()) else { return Ok(Vec::new()) };
        let points = space.points();
        let predicted = self.predict(&points)?;
        let (edge, names) = (raster::edge(self.case.problem(), &points), self.case.problem().coordinate_names());
        let axes: [Axis; 3] = std::array::from_fn(|k| Axis::new(&names[k], space.nodes[k].clone()));
        let of = |unknown: usize| {
            let mut values = self.pick(&predicted, unknown);
            let outside = edge.iter().flatten().zip(&mut values).filter(|(distance, _)| **distance > 0.0);
            outside.for_each(|(_, value)| *value = f64::NAN);
            let name = &self.unknowns()[unknown];
            let instant = space.instant.zip(names.last()).map(|(t, time)| format!(" at {time} = {}", sig(t, 3)));
            Isosurfaces::new(axes.clone(), format!("{name}{}, shells", instant.unwrap_or_default()), values)
        };
        Ok((0..self.unknowns().len()).map(of).collect())
    }

    /// The speed of a flow with lines along it, if two unknowns are the velocity in the plane of the picture.
    fn flow(&self, slices: &[Slice]) -> Vec<Box<dyn Figure>> {
        let Some((u, v)) = velocity(self.case.problem()) else { return Vec::new() };
        let speed = |slice: &Slice| {
            let (u, v) = (self.pick(&slice.predicted, u), self.pick(&slice.predicted, v));
            let mut field = self.slice(slice, 0);
            field.predicted = u.iter().zip(&v).map(|(u, v)| u.hypot(*v)).collect();
            field.quantity = field.quantity.replacen(&self.unknowns()[0], "speed", 1);
            (field.exact, field.known_at, field.sensors) = (None, None, Vec::new());
            let flow = Flow { plane: &slice.plane, u: &u, v: &v, edge: slice.edge.as_deref() };
            Box::new(field.with_streamlines(streamlines(&flow))) as Box<dyn Figure>
        };
        slices.iter().map(speed).collect()
    }

    fn slices(&mut self) -> Result<Vec<Slice>, RunError> {
        let problem = self.case.problem();
        let is_table = self.prediction.set.reference.is_some() && problem.reference_at(&[]).is_none();
        let grid = if is_table { FullGrid::of(&self.prediction.set.points, self.prediction.set.axes) } else { None };
        let mut planes = raster::slices(problem);
        if let Some(grid) = &grid {
            // Where the table has values, they need not be guessed.
            planes = planes.iter().map(|fixed| grid.nearest(fixed)).collect();
            planes.dedup();
        }
        let known = |fixed: &[f64]| -> Option<Known> {
            match &grid {
                Some(grid) => {
                    let (x, y) = (grid.nodes[0].clone(), grid.nodes[1].clone());
                    Some(Known { x, y, sampling: Sampling::Grid, points: grid.plane(fixed).to_vec() })
                }
                None => (is_table && fixed.is_empty()).then(|| self.scattered()),
            }
        };
        let known: Vec<Option<Known>> = planes.iter().map(|fixed| known(fixed)).collect();
        let sensors: Vec<Vec<(f64, f64)>> = (0..planes.len()).map(|k| self.sensors_on(&planes, k)).collect();
        let mut slices = Vec::new();
        for ((fixed, known), sensors) in planes.into_iter().zip(known).zip(sensors) {
            let plane = Plane::new(problem, fixed);
            let points = plane.points();
            let (edge, exact) = (raster::edge(problem, &points), problem.reference_at(&points));
            slices.push(Slice { plane, edge, predicted: self.predict(&points)?, exact, known, sensors });
        }
        Ok(slices)
    }

    /// All points of the table as dots.
    fn scattered(&self) -> Known {
        /// Width of a panel, shared by the dots of a row.
        const WIDTH: f64 = 200.0;
        let points: Vec<usize> = thinned((0..self.prediction.set.len()).collect());
        let radius = (0.4 * WIDTH / (points.len() as f64).sqrt()).clamp(1.2, 4.0);
        let along = |axis: usize| {
            let places = self.prediction.coordinate(axis).1;
            points.iter().map(|&k| places[k]).collect()
        };
        Known { x: along(0), y: along(1), sampling: Sampling::Dots { radius }, points }
    }

    /// The sensors whose last coordinate is nearer to this plane than to the others.
    fn sensors_on(&self, planes: &[Vec<f64>], own: usize) -> Vec<(f64, f64)> {
        let nearest = |point: &&[f64]| {
            let Some(last) = point.get(2..).and_then(<[f64]>::last) else { return true };
            let distance = |k: usize| planes[k].last().map_or(0.0, |at| (at - last).abs());
            (0..planes.len()).all(|other| distance(own) <= distance(other))
        };
        let points = self.sensors.iter().flat_map(|term| term.points.chunks_exact(self.prediction.set.axes));
        thinned_to(points.filter(nearest).map(|point| (point[0], point[1])).collect(), MOST_SENSORS)
    }

    /// The slices of one unknown, which share their colours.
    fn of_unknown(&self, slices: &[Slice], unknown: usize) -> Vec<FieldFigure> {
        let mut figures: Vec<FieldFigure> = slices.iter().map(|slice| self.slice(slice, unknown)).collect();
        if figures.len() > 1 {
            let ends = |values: &mut dyn Iterator<Item = f64>| {
                let finite = values.filter(|value| value.is_finite());
                finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
            };
            let (low, high) = ends(&mut figures.iter().flat_map(shown));
            let largest = ends(&mut figures.iter().flat_map(errors).map(f64::abs)).1;
            for figure in &mut figures {
                figure.range = (low <= high).then_some((low, high));
                figure.error_range = figure.error_range.or(Some(largest).filter(|largest| *largest > 0.0));
            }
        }
        figures
    }

    fn slice(&self, slice: &Slice, unknown: usize) -> FieldFigure {
        let names = self.case.problem().coordinate_names();
        let fixed =
            slice.plane.fixed.iter().zip(&names[2..]).map(|(value, name)| format!("{name} = {}", sig(*value, 3)));
        let fixed = fixed.collect::<Vec<_>>().join(", ");
        let name = &self.unknowns()[unknown];
        let quantity = if fixed.is_empty() { name.clone() } else { format!("{name} at {fixed}") };
        let (x, y) = (Axis::new(&names[0], slice.plane.x.clone()), Axis::new(&names[1], slice.plane.y.clone()));
        // Space has the same unit along both coordinates, space and time do not.
        let aspect = if raster::is_in_space(self.case.problem()) { Aspect::Equal } else { Aspect::Fill };
        let mut field = FieldFigure::new(x, y, self.pick(&slice.predicted, unknown))
            .with_quantity(quantity)
            .with_aspect(aspect)
            .with_sensors(slice.sensors.clone());
        (field.edge, field.error_range) = (slice.edge.clone(), self.error_range);
        if let Some(exact) = &slice.exact {
            field = field.with_exact(self.pick(exact, unknown));
            if !self.case.problem().reference_is_exact() {
                field = field.with_exact_name("Reference");
            }
        } else if let (Some(known), (predicted, Some(table))) = (&slice.known, self.prediction.of_unknown(unknown)) {
            let at = |values: &[f64]| known.points.iter().map(|&k| values[k]).collect::<Vec<_>>();
            let places =
                KnownAt { x: known.x.clone(), y: known.y.clone(), sampling: known.sampling, predicted: at(&predicted) };
            field = field.with_exact(at(&table)).with_exact_name("Reference").with_known_at(places);
        }
        field
    }

    /// Predicted against known, for points that no plane shows.
    fn parity(&self, unknown: usize) -> Option<Box<dyn Figure>> {
        let (predicted, table) = self.prediction.of_unknown(unknown);
        let (name, table) = (&self.unknowns()[unknown], table?);
        let ends = (
            table.iter().copied().fold(f64::INFINITY, f64::min),
            table.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        );
        let dots = thinned(table.into_iter().zip(predicted).collect());
        let style = SeriesStyle { trace: Trace::Dots, ..SeriesStyle::default() };
        let curves = Curves::new(format!("reference {name}"), format!("predicted {name}"))
            .with_series(Series::new("points of the reference", dots).with_style(style))
            .with_series(Series::new("equal", vec![(ends.0, ends.0), (ends.1, ends.1)]));
        Some(Box::new(curves))
    }
}

/// Values inside the domain, those to compare with included.
fn shown(figure: &FieldFigure) -> Vec<f64> {
    let exact = figure.exact.as_deref().unwrap_or_default();
    let is_elsewhere = figure.known_at.is_some();
    let own = if is_elsewhere { Vec::new() } else { inside(figure, exact) };
    let other = if is_elsewhere { exact } else { &[] };
    [&inside(figure, &figure.predicted)[..], &own, other].concat()
}

/// Errors inside the domain.
fn errors(figure: &FieldFigure) -> Vec<f64> {
    let exact = figure.exact.as_deref().unwrap_or_default();
    let predicted = figure.known_at.as_ref().map_or(&figure.predicted, |places| &places.predicted);
    let errors: Vec<f64> = predicted.iter().zip(exact).map(|(p, e)| p - e).collect();
    if figure.known_at.is_some() { errors } else { inside(figure, &errors) }
}

fn inside(figure: &FieldFigure, values: &[f64]) -> Vec<f64> {
    let is_inside = |k: usize| figure.edge.as_ref().is_none_or(|edge| edge[k] <= 0.0);
    values.iter().enumerate().filter(|(k, _)| is_inside(*k)).map(|(_, value)| *value).collect()
}

/// Every so many, as many as a picture takes.
fn thinned<T>(all: Vec<T>) -> Vec<T> {
    thinned_to(all, MOST_DOTS)
}

fn thinned_to<T>(all: Vec<T>, most: usize) -> Vec<T> {
    let step = all.len().div_ceil(most).max(1);
    all.into_iter().step_by(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropinn::config::RunConfig;

    /// The heat maps of a tiny network that was never trained.
    fn drawn(problem: &str, set: &[&str]) -> Vec<FieldFigure> {
        let mut config = RunConfig::default();
        config.set_all(&[&[problem, "model.width=4", "model.depth=1"], set].concat()).expect("settings");
        let case = Case::new(config, &Threads::new(1).expect("a thread")).expect("a case");
        let theta = case.initial_theta();
        let prediction = Prediction::new(&case, &theta).expect("a prediction");
        let mut view = View::new(&case, &theta, &prediction, None).expect("a view");
        let slices = view.slices().expect("slices");
        view.of_unknown(&slices, 0)
    }

    #[test]
    fn pictures_show_all_waves_whatever_the_evaluation_grid() {
        let fields = drawn("problem.name=heat-2d-ms", &["points.evaluation=interior-grid:8x8x5"]);
        assert_eq!(fields.len(), 3);
        for field in &fields {
            let (nx, ny) = (field.x.values.len(), field.y.values.len());
            assert!(nx >= 200 && ny >= 200 && field.predicted.len() == nx * ny, "{nx} × {ny}");
            let middle = |values: &[f64]| values[ny / 2 * nx..(ny / 2 + 1) * nx].to_vec();
            let exact = middle(field.exact.as_ref().expect("a formula"));
            // sin 20πx crosses zero nineteen times on the way from 0 to 1.
            let signs: Vec<bool> = exact.iter().filter(|u| u.abs() > 1e-12).map(|u| *u > 0.0).collect();
            assert_eq!(signs.windows(2).filter(|pair| pair[0] != pair[1]).count(), 19);
            assert!(middle(&field.predicted).windows(2).all(|pair| pair[0] != pair[1]), "predicted at every node");
        }
        // Noise of a quiet slice must not look like the waves of another.
        let ranges: Vec<_> = fields.iter().map(|field| (field.range, field.error_range)).collect();
        assert!(ranges[0].0.is_some() && ranges[0].1.is_some());
        assert!(ranges.iter().all(|range| *range == ranges[0]), "{ranges:?}");
        let titles: Vec<&str> = fields.iter().map(|field| field.quantity.as_str()).collect();
        assert_eq!(titles, ["u at t = 1.25", "u at t = 2.50", "u at t = 3.75"]);
    }

    #[test]
    fn pictures_are_cut_by_the_geometry() {
        let fields = drawn("problem.name=poisson-2d-c", &["points.interior=halton:50", "points.boundary=halton:50"]);
        let (field, edge) = (&fields[0], fields[0].edge.as_ref().expect("four holes"));
        let at = |x: f64, y: f64| {
            let nearest = |nodes: &[f64], value: f64| nodes.partition_point(|node| *node < value);
            edge[nearest(&field.y.values, y) * field.x.values.len() + nearest(&field.x.values, x)]
        };
        assert!(at(0.3, 0.3) > 0.05 && at(-0.3, 0.3) > 0.05, "in a hole");
        assert!(at(0.0, 0.0) < -0.1 && at(0.45, 0.0) < 0.0, "in the domain");
        assert_eq!(field.aspect, Aspect::Equal);
    }
}
