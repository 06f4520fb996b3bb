//! The solution as a picture: a curve over one coordinate, a heat map over two, slices of it over more.

use super::FinishedRun;
use super::prediction::Prediction;
use crate::error::RunError;
use ropinn::case::Case;
use ropinn::problem::EvaluationGrid;
use ropinn_engine::Threads;
use ropinn_plot::{Aspect, Axis, Curves, FieldFigure, Figure, Panels, Sampling, Series, SeriesStyle, Trace, sig};

/// Dots in a scatter plot; more only make the file large.
const MOST_DOTS: usize = 4000;

/// One figure for all unknowns; `None` if there is nothing sensible to show. Errors are shown on the range they have unless
/// another is given.
pub fn figure(
    case: &Case,
    prediction: &Prediction,
    title: &str,
    subtitle: &str,
    error_range: Option<f64>,
) -> Option<Box<dyn Figure>> {
    let view = View { case, prediction, error_range };
    let mut figures: Vec<Box<dyn Figure>> = (0..prediction.unknowns.len()).flat_map(|u| view.of_unknown(u)).collect();
    if figures.is_empty() {
        return None;
    }
    let mut panels = Panels::stacked(title).with_subtitle(subtitle);
    panels.figures.append(&mut figures);
    Some(Box::new(panels))
}

/// The solution of a finished run, from its weights.
pub fn solution_figure(
    run: &FinishedRun,
    subtitle: &str,
    error_range: Option<f64>,
) -> Result<Option<Box<dyn Figure>>, RunError> {
    let (case, theta) = run.trained(&Threads::new(1)?)?;
    let prediction = Prediction::new(&case, &theta)?;
    Ok(figure(&case, &prediction, "", subtitle, error_range))
}

struct View<'a> {
    case: &'a Case,
    prediction: &'a Prediction,
    error_range: Option<f64>,
}

impl View<'_> {
    fn of_unknown(&self, unknown: usize) -> Vec<Box<dyn Figure>> {
        let name = &self.prediction.unknowns[unknown];
        let (predicted, exact) = self.prediction.of_unknown(unknown);
        match (self.prediction.set.axes, &self.prediction.set.grid) {
            (1, _) => vec![Box::new(self.curve(name, &predicted, exact.as_deref()))],
            (2, None) => vec![Box::new(self.scattered(name, predicted, exact))],
            (_, None) => exact.into_iter().map(|exact| parity(name, &predicted, &exact)).collect(),
            (_, Some(grid)) => {
                let on_slice = |at: Vec<usize>| -> Box<dyn Figure> {
                    Box::new(self.slice(name, grid, &at, &predicted, exact.as_deref()))
                };
                slices(&grid.counts).into_iter().map(on_slice).collect()
            }
        }
    }

    fn curve(&self, name: &str, predicted: &[f64], exact: Option<&[f64]>) -> Curves {
        let (x, places) = self.prediction.coordinate(0);
        let series = |label: &str, values: &[f64]| {
            let mut points: Vec<(f64, f64)> = places.iter().copied().zip(values.iter().copied()).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Series::new(label, points)
        };
        let curves = Curves::new(x, name).with_series(series("predicted", predicted));
        match exact {
            Some(exact) => curves.with_series(series("exact", exact)),
            None => curves,
        }
    }

    fn scattered(&self, name: &str, predicted: Vec<f64>, exact: Option<Vec<f64>>) -> FieldFigure {
        let axis = |axis| {
            let (label, places) = self.prediction.coordinate(axis);
            Axis::new(label, places)
        };
        let field = FieldFigure::new(axis(0), axis(1), predicted).with_sampling(Sampling::Nearest);
        self.finished(field, name, exact)
    }

    /// The first two coordinates over the plane where the others stand at the nodes `at`.
    fn slice(
        &self,
        name: &str,
        grid: &EvaluationGrid,
        at: &[usize],
        predicted: &[f64],
        exact: Option<&[f64]>,
    ) -> FieldFigure {
        let names = self.case.problem().coordinate_names();
        let plane = grid.counts[0] * grid.counts[1];
        let mut first = 0;
        let mut stride = plane;
        for (node, count) in at.iter().zip(&grid.counts[2..]) {
            first += node * stride;
            stride *= count;
        }
        // Nodes outside the domain have no value.
        let place = |values: &[f64]| {
            let mut placed = vec![f64::NAN; plane];
            for (cell, value) in grid.cells.iter().zip(values) {
                if (first..first + plane).contains(cell) {
                    placed[cell - first] = *value;
                }
            }
            placed
        };
        let axis = |axis: usize| Axis::new(names[axis].as_str(), grid.nodes[axis].clone());
        let fixed =
            at.iter().enumerate().map(|(k, &node)| format!("{} = {}", names[k + 2], sig(grid.nodes[k + 2][node], 3)));
        let fixed = fixed.collect::<Vec<_>>().join(", ");
        let quantity = if fixed.is_empty() { name.to_owned() } else { format!("{name} at {fixed}") };
        self.finished(FieldFigure::new(axis(0), axis(1), place(predicted)), &quantity, exact.map(place))
    }

    fn finished(&self, field: FieldFigure, quantity: &str, exact: Option<Vec<f64>>) -> FieldFigure {
        // Space has the same unit along both coordinates, space and time do not.
        let in_space = self.case.problem().time_axis().is_none_or(|time| time > 1);
        let field = field.with_quantity(quantity).with_aspect(if in_space { Aspect::Equal } else { Aspect::Fill });
        let field = match self.error_range {
            Some(largest) => field.with_error_range(largest),
            None => field,
        };
        match exact {
            Some(exact) => field.with_exact(exact),
            None => field,
        }
    }
}

/// Nodes of the coordinates beyond the second: the others in the middle, the last one at both ends and in the middle.
fn slices(counts: &[usize]) -> Vec<Vec<usize>> {
    let Some((&last, others)) = counts.get(2..).and_then(<[usize]>::split_last) else { return vec![Vec::new()] };
    let middle: Vec<usize> = others.iter().map(|count| count / 2).collect();
    let mut ends = vec![0, last / 2, last - 1];
    ends.dedup();
    ends.into_iter().map(|node| [&middle[..], &[node]].concat()).collect()
}

/// Predicted against exact, for points that no plane shows.
fn parity(name: &str, predicted: &[f64], exact: &[f64]) -> Box<dyn Figure> {
    let step = predicted.len().div_ceil(MOST_DOTS).max(1);
    let dots = exact.iter().copied().zip(predicted.iter().copied()).step_by(step).collect();
    let low = exact.iter().copied().fold(f64::INFINITY, f64::min);
    let high = exact.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let style = SeriesStyle { trace: Trace::Dots, ..SeriesStyle::default() };
    let curves = Curves::new(format!("exact {name}"), format!("predicted {name}"))
        .with_series(Series::new("evaluation points", dots).with_style(style))
        .with_series(Series::new("equal", vec![(low, low), (high, high)]));
    Box::new(curves)
}

#[cfg(test)]
mod tests {
    use super::slices;

    #[test]
    fn slices_cover_the_last_coordinate() {
        assert_eq!(slices(&[5, 6]), [Vec::<usize>::new()]);
        assert_eq!(slices(&[8, 8, 313]), [[0], [156], [312]]);
        assert_eq!(slices(&[8, 8, 1]), [[0]]);
        assert_eq!(slices(&[8, 8, 4, 3]), [[2, 0], [2, 1], [2, 2]]);
    }
}
