//! The error over time: a colour per optimiser, dashes for points, a band from the best to the worst seed.

use super::course::{Course, median_course};
use super::entrant::{Entrant, OptimizerName};
use super::plan::Contest;
use super::standings::Finish;
use crate::failure::Failure;
use crate::options::ObjectiveName;
use crate::pictures;
use crate::statistics::Statistics;
use ropinn_plot::{Curves, Dash, Legend, OKABE_ITO, Rgb, Series, SeriesStyle};
use std::path::Path;

/// Draws one problem as PNG and SVG and tells the name of the latter; `None` if there is nothing to be seen.
pub fn draw(folder: &Path, contest: &Contest, seconds: f64, finished: &[Finish]) -> Result<Option<String>, Failure> {
    let Some(curves) = curves(contest, seconds, finished) else { return Ok(None) };
    let drawn = pictures::save(&curves, folder, &contest.file_name())?;
    Ok(drawn.then(|| format!("{}.svg", contest.file_name())))
}

fn curves(contest: &Contest, seconds: f64, finished: &[Finish]) -> Option<Curves> {
    let mut curves = Curves::new("seconds of training", "relative error (rMSE)")
        .with_log_y()
        .with_title(contest.title.as_str())
        .with_subtitle(format!("{}; median, best and worst seed", contest.network))
        .with_legend(Legend::Right);
    for (entrant, _) in &contest.entrants {
        let own = finished.iter().filter(|finish| finish.entrant == *entrant);
        let courses: Vec<Course> = own.map(|finish| finish.course.within(seconds)).collect();
        let median = median_course(&courses);
        if median.is_empty() {
            continue;
        }
        let name = format!("{}, {}", entrant.optimizer.name(), entrant.objective_name());
        let points = median.iter().map(|(time, errors)| (*time, errors.median)).collect();
        let mut series = Series::new(name, points).with_style(style(*entrant));
        if courses.len() > 1 {
            let edge = |value: fn(&Statistics) -> f64| median.iter().map(|(_, s)| value(s)).collect();
            series = series.with_band(edge(|errors| errors.best), edge(|errors| errors.worst));
        }
        curves = curves.with_series(series);
    }
    (!curves.series.is_empty()).then_some(curves)
}

fn style(entrant: Entrant) -> SeriesStyle {
    let dash = match entrant.objective {
        ObjectiveName::Point => Dash::Dashed,
        ObjectiveName::Region => Dash::Solid,
        ObjectiveName::Gradient => Dash::DashDot,
        ObjectiveName::Variational => Dash::Dotted,
    };
    SeriesStyle { colour: Some(colour(entrant.optimizer)), dash: Some(dash), ..SeriesStyle::default() }
}

/// The same in every picture, whoever takes part.
const fn colour(optimizer: OptimizerName) -> Rgb {
    OKABE_ITO[match optimizer {
        OptimizerName::Adam => 0,
        OptimizerName::Lbfgs => 1,
        OptimizerName::Ssbroyden => 2,
        OptimizerName::GaussNewton => 3,
        OptimizerName::Ssbfgs => 4,
    }]
}
