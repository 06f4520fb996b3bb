//! Numbers to be found: k = g(c·θ), where θ is what optimisers change and k is what equations contain and people see.
//!
//! | transform | g(z) | k stays |
//! |---|---|---|
//! | none | z | anywhere |
//! | log | low + eᶻ, or high − eᶻ | above low, or below high |
//! | logit | low + (high − low)/(1 + e⁻ᶻ) | between low and high |
//!
//! c is 1 unless a scale s is given: then dk/dθ = s at the first value. The transform is part of the expressions, so that
//! derivatives by θ are those of any other expression; [`Transform`] has the same formulas as numbers.

use ropinn_expr::{Expr, Scope};

use super::error::ProblemError;
use super::formula::Formula;
use super::named::Named;
use super::source::Source;

/// How a number follows from what is trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    map: Map,
    /// c.
    rate: f64,
}

/// g.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Map {
    None,
    Above(f64),
    Below(f64),
    Between(f64, f64),
}

/// What is nearest to an end of the bounds, in units of their distance: numbers read from a file may lie on an end.
const NEAREST: f64 = 1e-15;

impl Transform {
    /// k for θ.
    pub fn value(&self, theta: f64) -> f64 {
        let z = self.rate * theta;
        match self.map {
            Map::None => z,
            Map::Above(low) => low + z.exp(),
            Map::Below(high) => high - z.exp(),
            Map::Between(low, high) => low + (high - low) * sigmoid(z),
        }
    }

    /// dk/dθ.
    pub fn slope(&self, theta: f64) -> f64 {
        let z = self.rate * theta;
        self.rate
            * match self.map {
                Map::None => 1.0,
                Map::Above(_) => z.exp(),
                Map::Below(_) => -z.exp(),
                Map::Between(low, high) => (high - low) * sigmoid(z) * sigmoid(-z),
            }
    }

    /// θ for k; what is not within the bounds counts as next to them.
    pub fn theta(&self, value: f64) -> f64 {
        let above_zero = |distance: f64| distance.max(f64::MIN_POSITIVE).ln();
        let z = match self.map {
            Map::None => value,
            Map::Above(low) => above_zero(value - low),
            Map::Below(high) => above_zero(high - value),
            Map::Between(low, high) => {
                let share = ((value - low) / (high - low)).clamp(NEAREST, 1.0 - NEAREST);
                (share / (1.0 - share)).ln()
            }
        };
        z / self.rate
    }

    /// The ends k cannot reach; infinite where there are none.
    pub fn bounds(&self) -> (f64, f64) {
        match self.map {
            Map::None => (f64::NEG_INFINITY, f64::INFINITY),
            Map::Above(low) => (low, f64::INFINITY),
            Map::Below(high) => (f64::NEG_INFINITY, high),
            Map::Between(low, high) => (low, high),
        }
    }

    /// k as an expression of θ.
    fn of(&self, theta: Expr) -> Expr {
        let z = if self.rate == 1.0 { theta } else { theta * self.rate };
        match self.map {
            Map::None => z,
            Map::Above(low) => z.exp() + low,
            Map::Below(high) => Expr::constant(high) - z.exp(),
            // 1/(1 + e⁻ᶻ) in a form that overflows nowhere.
            Map::Between(low, high) => ((z * 0.5).tanh() + 1.0) * (0.5 * (high - low)) + low,
        }
    }
}

fn sigmoid(z: f64) -> f64 {
    0.5 * ((0.5 * z).tanh() + 1.0)
}

/// A number to be found.
#[derive(Clone, Debug, PartialEq)]
pub struct Trainable {
    /// Its name.
    pub name: String,
    /// Its first value.
    pub first: f64,
    /// What it is, if that is known: numbers are compared with it, and made readings and references have it in its place.
    pub truth: Option<f64>,
    /// How it follows from what is trained.
    pub transform: Transform,
}

impl Trainable {
    /// θ to begin with.
    pub fn start(&self) -> f64 {
        match self.transform {
            // The bits of a plain number are those it is stated with.
            Transform { map: Map::None, rate: 1.0 } => self.first,
            transform => transform.theta(self.first),
        }
    }
}

/// How a number to be found is kept within its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransformKind {
    /// Not at all.
    None,
    /// On one side of a bound.
    Log,
    /// Between two.
    Logit,
}

impl TransformKind {
    /// The kinds as files call them.
    pub(super) const WORDS: [(Self, &'static str); 3] =
        [(Self::None, "none"), (Self::Log, "log"), (Self::Logit, "logit")];

    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(kind, _)| *kind == self).map_or("", |(_, word)| word)
    }
}

/// What is said of a number to be found: at least where it begins.
///
/// ```
/// use ropinn::problem::Sought;
/// let anywhere: Sought = 0.5.into();
/// let fraction = Sought::from(0.5).within(0.0, 1.0);
/// let positive = Sought::from("0.01/pi").within(0.0, f64::INFINITY).scaled(0.01);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sought {
    pub(super) first: Formula,
    pub(super) bounds: Option<[Formula; 2]>,
    pub(super) scale: Option<Formula>,
    pub(super) transform: Option<TransformKind>,
    pub(super) truth: Option<Formula>,
}

impl<T: Into<Formula>> From<T> for Sought {
    fn from(first: T) -> Self {
        Sought { first: first.into(), bounds: None, scale: None, transform: None, truth: None }
    }
}

impl Sought {
    /// Strictly between two numbers, either of which may be infinite.
    pub fn within(self, low: impl Into<Formula>, high: impl Into<Formula>) -> Self {
        Sought { bounds: Some([low.into(), high.into()]), ..self }
    }

    /// How much the number changes for a unit of what is trained, where it begins.
    pub fn scaled(self, scale: impl Into<Formula>) -> Self {
        Sought { scale: Some(scale.into()), ..self }
    }

    /// Another transform than its bounds ask for.
    pub fn transformed(self, kind: TransformKind) -> Self {
        Sought { transform: Some(kind), ..self }
    }

    /// What it is, to compare with.
    pub fn known_to_be(self, truth: impl Into<Formula>) -> Self {
        Sought { truth: Some(truth.into()), ..self }
    }

    /// Checks it and declares its name.
    pub(super) fn declare(
        &self,
        named: &Named<Sought>,
        scope: &mut Scope,
        source: &Source,
    ) -> Result<Trainable, ProblemError> {
        let name = &named.name;
        let first = self.first.number(scope, &format!("first value of `{name}`"), source)?;
        let bounds = match &self.bounds {
            None => None,
            Some([low, high]) => {
                let end = |end: &Formula| end.limit(scope, &format!("a bound of `{name}`"), source);
                let (low, high) = (end(low)?, end(high)?);
                let refuse = |error: ProblemError| error.at(source.position(named.written_at));
                if low.is_nan() || high.is_nan() || low >= high {
                    return Err(refuse(ProblemError::InvertedBounds { name: name.clone(), low, high }));
                }
                if !(low < first && first < high) {
                    let inside =
                        if low.is_finite() && high.is_finite() { 0.5 * (low + high) } else { beside(low, high) };
                    return Err(refuse(ProblemError::BoundsExcludeStart {
                        name: name.clone(),
                        low,
                        high,
                        first,
                        inside,
                    }));
                }
                Some((low, high))
            }
        };
        let map = self.map(bounds).map_err(|reason| {
            let (name, transform) = (name.clone(), self.transform.map_or("none", TransformKind::word));
            ProblemError::TransformMismatch { name, transform, reason }.at(source.position(named.written_at))
        })?;
        let mut transform = Transform { map, rate: 1.0 };
        if let Some(scale) = &self.scale {
            let value = scale.number(scope, &format!("scale of `{name}`"), source)?;
            if value <= 0.0 {
                let what = format!("the scale of `{name}`");
                return Err(ProblemError::NotPositive { what, value }.at(scale.position(source)));
            }
            transform.rate = value / transform.slope(transform.theta(first)).abs();
        }
        let truth = self.truth.as_ref().map(|truth| truth.number(scope, &format!("truth of `{name}`"), source));
        let truth = truth.transpose()?;
        let declared = scope.trainable_through(name, |theta| transform.of(theta));
        declared.map_err(|error| ProblemError::Name { source: error }.at(source.position(named.written_at)))?;
        Ok(Trainable { name: name.clone(), first, truth, transform })
    }

    /// g, or why it cannot be.
    fn map(&self, bounds: Option<(f64, f64)>) -> Result<Map, &'static str> {
        let (low, high) = bounds.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        Ok(match (self.transform, low.is_finite(), high.is_finite()) {
            (None | Some(TransformKind::None), false, false) => Map::None,
            (None | Some(TransformKind::Log), true, false) => Map::Above(low),
            (None | Some(TransformKind::Log), false, true) => Map::Below(high),
            (None | Some(TransformKind::Logit), true, true) => Map::Between(low, high),
            (Some(TransformKind::None), ..) => {
                return Err("nothing would keep it within its bounds; leave one of the two out");
            }
            (Some(TransformKind::Log), true, true) => {
                return Err(
                    "a logarithm keeps to one side of one bound; write one of them as inf, or leave `transform` out",
                );
            }
            (Some(TransformKind::Log), ..) => {
                return Err("a logarithm needs a bound to keep to one side of, for example: bounds = [0, inf]");
            }
            (Some(TransformKind::Logit), ..) => return Err("it needs two finite bounds, for example: bounds = [0, 1]"),
        })
    }
}

/// An expression with what is known of numbers in their places; the name of one of which nothing is known.
pub(super) fn with_truth(expr: &Expr, trainables: &[Trainable]) -> Result<Expr, String> {
    let used = expr.trainables();
    if let Some(open) = used.iter().find(|&&k| trainables.get(k).is_none_or(|own| own.truth.is_none())) {
        return Err(trainables.get(*open).map_or_else(String::new, |own| own.name.clone()));
    }
    let theta = |own: &Trainable| Expr::constant(own.truth.map_or(0.0, |truth| own.transform.theta(truth)));
    Ok(if used.is_empty() {
        expr.clone()
    } else {
        expr.substitute_trainables(&trainables.iter().map(theta).collect::<Vec<_>>())
    })
}

/// A number on the right side of the only finite bound.
fn beside(low: f64, high: f64) -> f64 {
    match (low.is_finite(), high.is_finite()) {
        (true, _) => low + low.abs().max(1.0),
        (_, true) => high - high.abs().max(1.0),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropinn_expr::Env;

    fn declared(sought: Sought) -> (Trainable, Expr) {
        let mut scope = Scope::new(["x"], ["u"]).unwrap();
        let source = Source { origin: "test".to_owned(), text: None, added_lines: 0 };
        let named = Named { name: "k".to_owned(), value: sought.clone(), written_at: 0 };
        let trainable = sought.declare(&named, &mut scope, &source).unwrap();
        (trainable, scope.parse("k").unwrap())
    }

    #[test]
    fn number_expression_inverse_and_slope_agree() {
        let inf = f64::INFINITY;
        for sought in [
            Sought::from(0.5),
            Sought::from(0.5).scaled(20.0),
            Sought::from(0.5).within(0.1, inf),
            Sought::from(0.5).within(0.1, inf).scaled(3.0),
            Sought::from(0.5).within(-inf, 2.0).scaled(0.25),
            Sought::from(0.5).within(-1.0, 2.0),
            Sought::from(0.5).within(0.0, 10.0).scaled(2.0),
        ] {
            let (k, expr) = declared(sought.clone());
            assert!((k.transform.value(k.start()) - 0.5).abs() < 1e-9, "{sought:?}");
            for theta in [k.start() - 1.5, k.start(), k.start() + 0.7] {
                let (value, h) = (k.transform.value(theta), 1e-5);
                assert!(
                    (expr.eval(&Env::at(&[0.0]).with_trainables(&[theta])) - value).abs() < 1e-9 * value.abs().max(1.0)
                );
                let (low, high) = k.transform.bounds();
                assert!(low < value && value < high);
                assert!((k.transform.theta(value) - theta).abs() < 1e-6, "{sought:?} at {theta}");
                let difference = (k.transform.value(theta + h) - k.transform.value(theta - h)) / (2.0 * h);
                assert!((difference - k.transform.slope(theta)).abs() < 1e-5 * difference.abs().max(1.0));
            }
            if sought.scale.is_some() {
                let scale = sought.scale.as_ref().map(|s| {
                    s.number(
                        &Scope::new(["x"], ["u"]).unwrap(),
                        "s",
                        &Source { origin: String::new(), text: None, added_lines: 0 },
                    )
                    .unwrap()
                });
                assert!((k.transform.slope(k.start()).abs() - scale.unwrap()).abs() < 1e-6 * scale.unwrap());
            }
        }
    }

    #[test]
    fn a_plain_number_is_what_it_was() {
        let (k, expr) = declared(0.1.into());
        assert_eq!((k.start(), expr), (0.1, Expr::trainable(0)));
    }

    #[test]
    fn ends_that_are_read_from_files_stay_within_reach() {
        let (k, _) = declared(Sought::from(0.5).within(0.0, 1.0));
        assert!(k.transform.theta(0.0).is_finite() && k.transform.theta(1.0).is_finite());
        let (k, _) = declared(Sought::from(0.5).within(0.0, f64::INFINITY));
        assert!(k.transform.theta(0.0).is_finite());
    }
}
