//! Which features: small spaces of several kinds and scales first, then the best kind, larger and larger.

use super::newton::newton;
use super::points::{Counts, even, following, random};
use super::system::System;
use super::{Tried, hidden, is_open, with_features};
use crate::case::Case;
use crate::error::Error;
use crate::look::Look;
use crate::model::Features;
use crate::problem::TermGroup;
use ropinn_engine::Activation;
use std::sync::atomic::{AtomicBool, Ordering};

/// Coefficients of the spaces that are tried first.
const SMALL: usize = 400;
/// Scales that are tried along all coordinates at once, and the factor along one of them.
const SCALES: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
const ALONG_ONE: f64 = 2.0;
/// Lengths of the directions in the hidden layer.
const LENGTHS: [f64; 3] = [0.5, 1.0, 2.0];
/// A larger space has so many times as many coefficients, and may be so much sharper.
const LARGER: f64 = 1.6;
const SHARPER: f64 = 1.3;
/// It must lower the relative mean square by this factor, or the one before was large enough.
const WORTH: f64 = 2.0;
/// Nothing below this is more than rounding.
const ROUNDING: f64 = 1e-25;
/// Passes over all coordinates.
const PASSES: usize = 2;

/// A space with its solution.
pub(super) struct Candidate {
    pub case: Case,
    pub theta: Vec<f64>,
    pub relative: f64,
    features: Features,
    length: f64,
}

struct Search<'a> {
    case: &'a Case,
    theta: &'a [f64],
    watch: &'a mut dyn FnMut(&Tried),
    stop: &'a AtomicBool,
    /// The network to correct, if there is one.
    corrects: bool,
}

/// The best that is found, if anything is.
pub(super) fn search(
    case: &Case,
    theta: &[f64],
    (most, rounds): (usize, u64),
    watch: &mut dyn FnMut(&Tried),
    stop: &AtomicBool,
) -> Result<Option<Candidate>, Error> {
    let open = is_open(case).cloned();
    let mut search = Search { case, theta, watch, stop, corrects: open.is_none() };
    let unknowns = case.problem().unknown_names().len();
    let most = (most / unknowns).max(1);
    let small = (SMALL / unknowns).clamp(1, most);
    let mut best: Option<Candidate> = None;
    let kinds = [Activation::Sin, Activation::Tanh, Activation::Gaussian];
    for activation in kinds {
        let mut worse = 0;
        for scale in SCALES {
            let features =
                Features { count: small, activation, scales: vec![scale], ..open.clone().unwrap_or_default() };
            let better = search.better(&mut best, features, 1.0, 1, true)?;
            // What is far too sharp will not do if sharper still.
            worse = if better { 0 } else { worse + 1 };
            if worse == 3 {
                break;
            }
        }
    }
    if search.corrects && search.has_hidden()? {
        for length in LENGTHS {
            let count = (small / 4).max(1);
            let features = Features { count, hidden: small - count.min(small - 1), ..Features::default() };
            let like = best.as_ref().map_or(vec![2.0], |best| best.features.scales.clone());
            let activation = best.as_ref().map_or(Activation::Tanh, |best| best.features.activation);
            let features = Features { scales: like, activation, ..features };
            search.better(&mut best, features, length, 1, true)?;
        }
    }
    search.along_each(&mut best)?;
    search.grow(&mut best, most, rounds)?;
    Ok(best)
}

impl Search<'_> {
    fn has_hidden(&self) -> Result<bool, Error> {
        let axes = self.case.network().coordinates();
        let middle: Vec<f64> = self.case.problem().ranges().iter().map(|(low, high)| 0.5 * (low + high)).collect();
        Ok(axes == middle.len() && self.case.hidden_units(self.theta, &middle)?.is_some())
    }

    /// Tries a space; whether it is the best so far.
    fn better(
        &mut self,
        best: &mut Option<Candidate>,
        features: Features,
        length: f64,
        rounds: u64,
        quick: bool,
    ) -> Result<bool, Error> {
        if self.stop.load(Ordering::Relaxed) || best.as_ref().is_some_and(|best| best.relative <= ROUNDING) {
            return Ok(false);
        }
        let candidate = self.attempt(features, length, rounds, quick)?;
        (self.watch)(&Tried { features: candidate.features.clone(), relative: candidate.relative });
        let better =
            candidate.relative.is_finite() && best.as_ref().is_none_or(|best| candidate.relative < best.relative);
        if better {
            *best = Some(candidate);
        }
        Ok(better)
    }

    fn attempt(&self, features: Features, length: f64, rounds: u64, quick: bool) -> Result<Candidate, Error> {
        let base = self.corrects.then(|| Box::new(self.case.config().model.clone()));
        let case = with_features(self.case, Features { base, ..features.clone() })?;
        let seed = case.config().seed;
        let columns = case.parameters() - case.network().frozen();
        let counts = Counts::for_columns(case.problem(), columns);
        let train = match self.corrects {
            true => following(self.case, self.theta, counts, seed)?,
            false => even(case.problem(), counts, seed)?,
        };
        let fresh = random(case.problem(), counts, seed ^ 0x5DEE_CE66_D1CE)?;
        let mut theta = case.initial_theta();
        if self.corrects {
            // What is corrected comes first among the parameters; trained scalars, of which there are none, would come last.
            theta[..self.theta.len()].copy_from_slice(self.theta);
            if let Some(inside) = train.iter().find(|term| term.group == TermGroup::Residual) {
                hidden::draw((self.case, self.theta), &case, &inside.points, length, &mut theta)?;
            }
        }
        let mut system = System::new(&case, &theta, &train, &fresh)?;
        newton(&mut system, &mut theta, rounds, quick)?;
        let relative = Look::at(&case, &theta, &[], 0, None)?.relative();
        Ok(Candidate { case, theta, relative, features, length })
    }

    /// Sharper and smoother along one coordinate after the other.
    fn along_each(&mut self, best: &mut Option<Candidate>) -> Result<(), Error> {
        for _ in 0..PASSES {
            let Some(inputs) = best.as_ref().map(|best| self.inputs(best)) else { return Ok(()) };
            let mut any = false;
            for axis in 0..if inputs > 1 { inputs } else { 0 } {
                for factor in [ALONG_ONE, 1.0 / ALONG_ONE] {
                    // As far as it helps.
                    loop {
                        let Some((features, length)) = best.as_ref().map(|best| (best.features.clone(), best.length))
                        else {
                            return Ok(());
                        };
                        let mut scales = spread_out(&features.scales, inputs);
                        scales[axis] *= factor;
                        if !self.better(best, Features { scales, ..features }, length, 1, true)? {
                            break;
                        }
                        any = true;
                    }
                }
            }
            if !any {
                break;
            }
        }
        Ok(())
    }

    /// Inputs of the features of the coordinates.
    fn inputs(&self, best: &Candidate) -> usize {
        let layout = best.case.network().layout();
        let own = |name: &str| name == "features.coordinates.weight" || name.ends_with(".first.weight");
        layout.tensors().iter().find(|tensor| own(&tensor.name)).map_or(1, |tensor| tensor.shape[1])
    }

    /// More and more of the best kind.
    fn grow(&mut self, best: &mut Option<Candidate>, most: usize, rounds: u64) -> Result<(), Error> {
        if let Some((features, length)) = best.as_ref().map(|best| (best.features.clone(), best.length))
            && self.corrects
        {
            // What was tried in one step may have more to give.
            self.better(best, features, length, rounds, false)?;
        }
        loop {
            let Some((features, length, relative)) =
                best.as_ref().map(|best| (best.features.clone(), best.length, best.relative))
            else {
                return Ok(());
            };
            let in_all = features.count + features.hidden;
            let factor = (most as f64 / in_all as f64).min(LARGER);
            if factor < 1.1 {
                break;
            }
            let larger = |count: usize| (count as f64 * factor) as usize;
            for sharper in [1.0, SHARPER] {
                let scales = features.scales.iter().map(|scale| sharper * scale).collect();
                let (count, hidden) = (larger(features.count), larger(features.hidden));
                let grown = Features { count, hidden, scales, ..features.clone() };
                self.better(best, grown, length, rounds, !self.corrects)?;
            }
            if best.as_ref().is_none_or(|best| best.relative * WORTH > relative) {
                break;
            }
        }
        Ok(())
    }
}

/// One scale for each input.
fn spread_out(scales: &[f64], inputs: usize) -> Vec<f64> {
    (0..inputs).map(|axis| scales.get(axis).or(scales.first()).copied().unwrap_or(1.0)).collect()
}
