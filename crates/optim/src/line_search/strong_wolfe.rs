//! Strong-Wolfe search by bracketing and zooming with cubic interpolation (Nocedal & Wright 2006, Algorithms 3.5 and
//! 3.6), in the variant of minFunc that PyTorch ships, constants and corner cases included.
//!
//! With φ(t) = f(θ + t d) it looks for t such that
//! φ(t) ≤ φ(0) + c₁ t φ'(0) and |φ'(t)| ≤ c₂ |φ'(0)|.

use super::cubic::{Knot, cubic_minimum};
use crate::vector::{along_into, dot, max_abs};
use crate::{OptimError, Oracle, Quantity, error::require};
use serde::{Deserialize, Serialize};

/// Settings of the strong-Wolfe search; the defaults are PyTorch's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrongWolfe {
    /// Sufficient-decrease constant c₁ (10⁻⁴).
    pub c1: f64,
    /// Curvature constant c₂ (0.9).
    pub c2: f64,
    /// Interpolations after the first trial (25).
    #[serde(rename = "trials")]
    pub max_iterations: usize,
    /// Zooming ends once (bracket width) · max|d| is below this (10⁻⁹).
    #[serde(rename = "bracket")]
    pub width_tolerance: f64,
}

impl Default for StrongWolfe {
    fn default() -> Self {
        Self { c1: 1e-4, c2: 0.9, max_iterations: 25, width_tolerance: 1e-9 }
    }
}

/// φ(t) = f(θ + t d): where trials happen and where their gradients are kept.
///
/// Three gradient slots suffice: bracketing holds start, previous and current, zooming two ends and a trial. Slot 0
/// holds the gradient at t = 0 on entry.
pub(crate) struct Line<'a> {
    pub(crate) origin: &'a [f64],
    pub(crate) direction: &'a [f64],
    pub(crate) trial: &'a mut [f64],
    pub(crate) grads: &'a mut [Vec<f64>; 3],
    pub(crate) oracle: &'a mut dyn Oracle,
    /// Evaluations of the call so far, and which of them was at t = 0.
    pub(crate) evaluations: usize,
    pub(crate) start: usize,
}

/// The point a search settled on; its gradient is in slot `grad` of the line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Accepted {
    pub(crate) step: f64,
    pub(crate) loss: f64,
    pub(crate) grad: usize,
    /// Which evaluation of the call it was.
    pub(crate) evaluation: usize,
    /// Whether the strong Wolfe conditions were verified there.
    pub(crate) wolfe: bool,
}

#[derive(Debug, Clone, Copy)]
struct Trial {
    knot: Knot,
    grad: usize,
    evaluation: usize,
}

impl Trial {
    fn accept(self, wolfe: bool) -> Accepted {
        let Self { knot: Knot { x: step, value: loss, .. }, grad, evaluation } = self;
        Accepted { step, loss, grad, evaluation, wolfe }
    }
}

impl Line<'_> {
    /// Evaluates φ(t) and φ'(t), leaving the gradient in slot `grad`.
    fn at(&mut self, t: f64, grad: usize) -> Result<Trial, Quantity> {
        if !t.is_finite() {
            return Err(Quantity::TrialStep);
        }
        along_into(self.origin, t, self.direction, self.trial);
        let gradient = &mut self.grads[grad];
        let value = self.oracle.evaluate(self.trial, gradient);
        let evaluation = self.evaluations;
        self.evaluations += 1;
        // A NaN or infinity in g makes gᵀd non-finite whatever d is, so one test covers the whole gradient.
        let slope = dot(gradient, self.direction);
        match (value.is_finite(), slope.is_finite()) {
            (false, _) => Err(Quantity::Loss),
            (_, false) => Err(Quantity::Gradient),
            _ => Ok(Trial { knot: Knot { x: t, value, slope }, grad, evaluation }),
        }
    }
}

/// How bracketing ended.
enum Bracketing {
    Accepted(Trial),
    Interval { ends: [Trial; 2], used: usize },
    Exhausted([Trial; 2]),
}

impl StrongWolfe {
    /// Searches from φ(0) = `loss`, φ'(0) = `slope` < 0 with first trial `step`.
    ///
    /// If trials run out or the bracket collapses, returns the lower end of the bracket, possibly t = 0.
    pub(crate) fn search(&self, line: &mut Line<'_>, loss: f64, slope: f64, step: f64) -> Result<Accepted, Quantity> {
        let start = Trial { knot: Knot { x: 0.0, value: loss, slope }, grad: 0, evaluation: line.start };
        match self.bracket(line, start, step)? {
            Bracketing::Accepted(trial) => Ok(trial.accept(true)),
            Bracketing::Interval { ends, used } => self.zoom(line, start.knot, ends, used),
            Bracketing::Exhausted(ends) => Ok(ends[lower_end(&ends)].accept(false)),
        }
    }

    /// Algorithm 3.5: lengthens the step until a point is acceptable or an interval must hold one.
    fn bracket(&self, line: &mut Line<'_>, start: Trial, step: f64) -> Result<Bracketing, Quantity> {
        let mut previous = start;
        let mut current = line.at(step, 1)?;
        for used in 0..self.max_iterations {
            let ends = [previous, current];
            let (before, now) = (previous.knot, current.knot);
            // Minor departure from the book kept from the original: "rises again" counts only from the third trial.
            if self.rises(start.knot, now) || (used > 1 && now.value >= before.value) {
                return Ok(Bracketing::Interval { ends, used });
            }
            if self.flat(start.knot, now) {
                return Ok(Bracketing::Accepted(current));
            }
            if now.slope >= 0.0 {
                return Ok(Bracketing::Interval { ends, used });
            }
            let bounds = (now.x + 0.01 * (now.x - before.x), 10.0 * now.x);
            let longer = cubic_minimum(before, now, bounds);
            let free = 3 - current.grad; // of slots 1 and 2; slot 0 keeps the start
            (previous, current) = (current, line.at(longer, free)?);
        }
        Ok(Bracketing::Exhausted([start, current]))
    }

    /// Algorithm 3.6: shrinks the interval around an acceptable point.
    fn zoom(&self, line: &mut Line<'_>, start: Knot, mut ends: [Trial; 2], used: usize) -> Result<Accepted, Quantity> {
        let reach = max_abs(line.direction);
        let mut low = lower_end(&ends);
        let mut crowded = false;
        for _ in used..self.max_iterations {
            let [a, b] = [ends[0].knot, ends[1].knot];
            if (b.x - a.x).abs() * reach < self.width_tolerance {
                break;
            }
            let bounds = (a.x.min(b.x), a.x.max(b.x));
            let t = keep_off_the_ends(cubic_minimum(a, b, bounds), bounds, &mut crowded);
            let trial = line.at(t, 3 - ends[0].grad - ends[1].grad)?;
            let high = 1 - low;
            if self.rises(start, trial.knot) || trial.knot.value >= ends[low].knot.value {
                ends[high] = trial;
                low = lower_end(&ends);
                continue;
            }
            if self.flat(start, trial.knot) {
                return Ok(trial.accept(true));
            }
            if trial.knot.slope * (ends[high].knot.x - ends[low].knot.x) >= 0.0 {
                ends[high] = ends[low];
            }
            ends[low] = trial;
        }
        Ok(ends[low].accept(false))
    }

    /// Sufficient decrease fails: φ(t) > φ(0) + c₁ t φ'(0).
    fn rises(&self, start: Knot, now: Knot) -> bool {
        now.value > start.value + self.c1 * now.x * start.slope
    }

    /// The curvature condition |φ'(t)| ≤ −c₂ φ'(0).
    fn flat(&self, start: Knot, now: Knot) -> bool {
        now.slope.abs() <= -self.c2 * start.slope
    }

    pub(crate) fn validate(&self, optimizer: &'static str) -> Result<(), OptimError> {
        let require = |setting, value, needs, holds| require(optimizer, setting, value, needs, holds);
        require("search.c1", self.c1, "above 0 and below 1", self.c1 > 0.0 && self.c1 < 1.0)?;
        require("search.c2", self.c2, "above c1 and below 1", self.c2 > self.c1 && self.c2 < 1.0)?;
        require("search.max_iterations", self.max_iterations as f64, "at least 1", self.max_iterations >= 1)?;
        let width = self.width_tolerance;
        require("search.width_tolerance", width, "finite and at least 0", width >= 0.0)
    }
}

/// Index of the end with the smaller value; the first on ties.
fn lower_end(ends: &[Trial; 2]) -> usize {
    usize::from(ends[0].knot.value > ends[1].knot.value)
}

/// Keeps interpolation from creeping along one end of the bracket.
///
/// A trial within a tenth of the width of an end is tolerated once (`crowded` remembers it); the second time in a row,
/// or at the very end, it is moved a tenth of the width inside.
pub(super) fn keep_off_the_ends(t: f64, (left, right): (f64, f64), crowded: &mut bool) -> f64 {
    let margin = 0.1 * (right - left);
    let close = (right - t).min(t - left) < margin;
    let push = close && (*crowded || t >= right || t <= left);
    *crowded = close && !push;
    match push {
        false => t,
        true if (t - right).abs() < (t - left).abs() => right - margin,
        true => left + margin,
    }
}
