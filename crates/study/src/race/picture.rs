//! The error over time: a colour per optimiser, dashes for points, a band from the best to the worst seed.

use super::course::{Course, median_course};
use super::entrant::Entrant;
use super::plan::Contest;
use crate::error::StudyError;
use crate::watch::StudyWatch;
use ropinn::config::{ObjectiveKind, OptimizerKind};
use ropinn_plot::{Curves, Dash, Legend, OKABE_ITO, Rgb, Series, SeriesStyle};
use ropinn_runs::pictures;
use ropinn_runs::statistics::Statistics;
use std::path::Path;

/// Draws one problem as PNG and SVG and tells the name of the latter; `None` if there is nothing to be seen.
pub fn draw(
    folder: &Path,
    contest: &Contest,
    seconds: f64,
    watch: &mut dyn StudyWatch,
) -> Result<Option<String>, StudyError> {
    let Some(curves) = curves(contest, seconds) else { return Ok(None) };
    let drawn = pictures::save(&curves, folder, &contest.file_name())?.map_err(|remark| watch.on_remark(&remark));
    Ok(drawn.ok().map(|()| format!("{}.svg", contest.file_name())))
}

fn curves(contest: &Contest, seconds: f64) -> Option<Curves> {
    let mut curves = Curves::new("seconds of training", "relative error (rMSE)")
        .with_log_y()
        .with_title(contest.problem.title.as_str())
        .with_subtitle(format!("{}; median, best and worst seed", contest.network))
        .with_legend(Legend::Right);
    for (entrant, _) in &contest.entrants {
        let own = contest.finished.iter().filter(|finish| finish.entrant == *entrant);
        let courses: Vec<Course> = own.map(|finish| finish.course.within(seconds)).collect();
        let median = median_course(&courses);
        if median.is_empty() {
            continue;
        }
        let name = format!("{}, {}", entrant.optimizer.name(), entrant.objective.name());
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
        ObjectiveKind::Point => Dash::Dashed,
        ObjectiveKind::Region => Dash::Solid,
        ObjectiveKind::Gradient => Dash::DashDot,
        ObjectiveKind::Variational => Dash::Dotted,
    };
    SeriesStyle { colour: Some(colour(entrant.optimizer)), dash: Some(dash), ..SeriesStyle::default() }
}

/// The same in every picture, whoever takes part.
const fn colour(optimizer: OptimizerKind) -> Rgb {
    OKABE_ITO[match optimizer {
        OptimizerKind::Adam => 0,
        OptimizerKind::Lbfgs => 1,
        OptimizerKind::SsBroyden => 2,
        OptimizerKind::GaussNewton => 3,
        OptimizerKind::SsBfgs => 4,
        OptimizerKind::Polish => 5,
    }]
}
