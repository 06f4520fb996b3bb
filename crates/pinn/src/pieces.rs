//! Solutions in pieces: a problem solved one interval of time after another, each with a network of its own, and put
//! together to one solution, u(x, t) = N_k(x, t) for t in interval k.

use crate::case::Case;
use crate::config::{PointsConfig, RunConfig};
use crate::error::Error;
use crate::metrics::Predictor;
use crate::model::ModelConfig;

/// The case of an interval of time, with the model, settings and seed of `whole`. An interval that does not begin with the
/// problem needs the case and the parameters of one that reaches its first instant, whose values it takes over.
pub fn part(whole: &Case, (from, to): (f64, f64), earlier: Option<(&Case, &[f64])>) -> Result<Case, Error> {
    let mut problem = whole.problem().during(from, to)?;
    if let Some((case, theta)) = earlier {
        let points = problem.handover_points(whole.config().seed)?;
        let values = Predictor::new(case, problem.handover_columns())?.predict(theta, &points)?;
        problem = problem.taking_over(points, values);
    }
    let mut config = RunConfig { pieces: Vec::new(), points: PointsConfig::default(), ..whole.config().clone() };
    // Conditions of the first instant are gone.
    config.weights.retain(|name, _| problem.has_term(name));
    Case::with_problem(config, problem, whole.threads())
}

/// The case and the parameters of the whole solution from those of its parts, one after another. They have one model, which
/// may be another than that of `whole`.
pub fn joined(whole: &Case, parts: &[(&Case, &[f64])]) -> Result<(Case, Vec<f64>), Error> {
    let time = |case: &Case| case.problem().marching_range();
    let model = parts.first().map_or(&whole.config().model, |(case, _)| &case.config().model);
    let (mut pieces, mut theta) = (Vec::new(), Vec::new());
    let (start, end) = time(whole).ok_or_else(|| Error::NoTimeForPieces { problem: whole.problem().name.clone() })?;
    let mut reached = start;
    for (k, (case, own)) in parts.iter().enumerate() {
        let other = |reason: String| Err(Error::OtherPart { part: k + 1, reason });
        case.check_length(own)?;
        if !case.problem().trainables().is_empty() {
            return other("it has trained scalars of its own".to_owned());
        }
        if case.config().model != *model {
            return other("its model has other settings than that of part 1".to_owned());
        }
        if model.draws_features() && case.config().seed != whole.config().seed {
            return other("its Fourier features were drawn from another seed".to_owned());
        }
        match time(case) {
            Some((from, to)) if from == reached => {
                pieces.extend((k > 0).then_some(from).into_iter().chain(case.config().pieces.iter().copied()));
                reached = to;
            }
            found => {
                let found = found.map_or("has no time".to_owned(), |(from, _)| format!("begins at {from}"));
                return other(format!("it {found}, but should begin at {reached}"));
            }
        }
        theta.extend_from_slice(own);
    }
    if reached != end {
        let reason = format!("the last one ends at {reached}, but should end at {end}");
        return Err(Error::OtherPart { part: parts.len(), reason });
    }
    let config = RunConfig { model: model.clone(), pieces, ..whole.config().clone() };
    Ok((Case::with_problem(config, whole.problem().clone(), whole.threads())?, theta))
}

/// Parameters with which the network of `part` is the function that of `whole` is with `theta`, over a part of its time: the
/// first layer takes over the other normalisation of time. None for models whose first layer cannot.
pub fn restricted(whole: &Case, theta: &[f64], part: &Case) -> Option<Vec<f64>> {
    let normalises = match &whole.config().model {
        model @ (ModelConfig::Pinn(sizes) | ModelConfig::Fls(sizes)) if !model.draws_features() => sizes.normalise,
        _ => return None,
    };
    let mut own = theta.to_vec();
    if !normalises || theta.len() != part.parameters() {
        return Some(own).filter(|own| own.len() == part.parameters());
    }
    let ((a, b), (from, to)) = (whole.problem().marching_range()?, part.problem().marching_range()?);
    // t over the whole, from −1 to 1, is stretch·t + shift over the part.
    let (stretch, shift) = ((to - from) / (b - a), (from + to - a - b) / (b - a));
    let layout = whole.network().layout();
    let tensor = |name: &str| layout.tensors().iter().find(|tensor| tensor.name == name);
    let (weight, bias) = (tensor("linear.0.weight")?, tensor("linear.0.bias")?);
    let columns = *weight.shape.last()?;
    for (unit, place) in bias.range().enumerate() {
        let time = weight.range().start + unit * columns + columns - 1;
        own[place] += shift * own[time];
        own[time] *= stretch;
    }
    Some(own)
}
