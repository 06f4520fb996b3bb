//! What other solvers need of a problem, read from its equations and conditions: u_t = … on a ring from initial values, or
//! Laplace's equation and values on the whole boundary.

use ropinn_domain::geometry::{Body, BoundaryPiece, Piece, Solid};
use ropinn_domain::{BoundaryTag, Face, Side};
use ropinn_expr::{Env, Expr, MultiIndex};
use ropinn_reference::fourier::{Evolution, FourierError, Resolution};
use ropinn_reference::laplace::{Hole, LaplaceError, Rectangle};
use ropinn_reference::ode::{OdeError, System};

use super::error::ProblemError;
use super::exact::{Exact, Pinned};
use super::place::{Place, Surroundings};
use super::reference::Method;
use super::term::{Support, Term, TermGroup};
use super::trainable::with_truth;

/// Equations and conditions, as terms of the loss and as what is built in.
pub(super) struct Stated<'a> {
    pub around: &'a Surroundings<'a>,
    pub terms: &'a [(Term, Support)],
    pub exact: &'a Exact,
}

impl Stated<'_> {
    /// An evolution in one periodic coordinate. A problem that says nothing about the ends is taken as one.
    pub fn fourier(&self, resolution: Resolution) -> Result<Method, ProblemError> {
        let (scope, ranges) = (self.around.scope, self.around.ranges);
        resolution.check()?;
        if self.around.time_axis.is_none() {
            return Err(FourierError::Coordinates { coordinates: scope.coord_names().join(", ") }.into());
        }
        if let Some(condition) = self.at_ends() {
            return Err(FourierError::NotPeriodic { along: scope.coord_names()[0].clone(), condition }.into());
        }
        let unknowns = scope.unknown_names().iter().enumerate();
        let initial = unknowns.map(|(field, name)| {
            self.initial_value(field).ok_or_else(|| FourierError::Initial { unknown: name.clone() })
        });
        let (equations, initial) = (self.equations().collect::<Vec<_>>(), initial.collect::<Result<_, _>>()?);
        Ok(Method::Fourier(Evolution::new(scope, &equations, initial, ranges)?, resolution))
    }

    /// Laplace's equation in a rectangle, perhaps with round holes.
    pub fn laplace(&self, terms: usize) -> Result<Method, ProblemError> {
        let (scope, geometry) = (self.around.scope, self.around.geometry);
        let plane = self.around.ranges.len() == 2 && self.around.time_axis.is_none();
        let equations: Vec<&Expr> = self.equations().map(|(_, residual)| residual).collect();
        if !plane || scope.unknown_names().len() != 1 || equations.len() != 1 || !is_laplace(equations[0]) {
            return Err(LaplaceError::Equation.into());
        }
        let pieces = geometry.boundary_pieces().into_iter();
        let (outer, rims): (Vec<_>, Vec<_>) = pieces.partition(|piece| matches!(piece.tag.body, Body::Outer(_)));
        let mut solids = geometry.solids();
        let (Some(Solid::Cuboid(around)), [a, b, c, d]) = (solids.next(), &outer[..]) else {
            return Err(LaplaceError::Shape.into());
        };
        let value = |piece: &BoundaryPiece| {
            let place = match piece.tag.piece {
                Piece::Face(face) => format!("{} = {}", scope.coord_names()[face.axis], around.face_value(face)),
                _ => piece.tag.body.to_string(),
            };
            let unknown = scope.unknown_names()[0].clone();
            self.value_on(0, piece.tag).ok_or(LaplaceError::Value { unknown, place })
        };
        let sides = [value(a)?, value(b)?, value(c)?, value(d)?];
        let rim = |(solid, piece): (&Solid, BoundaryPiece)| match solid {
            Solid::Ball(ball) => {
                let center = [ball.center()[0], ball.center()[1]];
                Ok(Hole { center, radius: ball.radius(), value: value(&piece)? })
            }
            _ => Err(LaplaceError::Shape),
        };
        // What is added to the rectangle, or cuts it, has no rim of its own.
        let others: Vec<&Solid> = solids.collect();
        if others.len() != rims.len() {
            return Err(LaplaceError::Shape.into());
        }
        let holes = others.into_iter().zip(rims).map(rim).collect::<Result<_, _>>()?;
        let corner = |ends: &[f64]| [ends[0], ends[1]];
        let domain = Rectangle::new(corner(around.low()), corner(around.high()), sides, holes)?;
        domain.check(terms)?;
        Ok(Method::Laplace(domain, terms))
    }

    /// Ordinary differential equations from these values, with what is known of numbers to be found in their places.
    pub fn ode(&self, start: Vec<f64>, steps: usize) -> Result<Method, ProblemError> {
        if self.around.ranges.len() != 1 {
            let reason = format!("there are {} coordinates", self.around.ranges.len());
            return Err(OdeError::Equations { reason }.into());
        }
        let known = |(name, residual): (&str, &Expr)| {
            with_truth(residual, self.around.trainables)
                .map_err(|number| ProblemError::NoTruth { what: format!("equation `{name}`"), name: number })
        };
        let equations = self.equations().map(known).collect::<Result<_, _>>()?;
        Ok(Method::Ode(System::new(equations, start, self.around.ranges[0])?, steps))
    }

    /// The equations by name.
    pub(super) fn equations(&self) -> impl Iterator<Item = (&str, &Expr)> {
        let terms = self.terms.iter().map(|(term, _)| term).filter(|term| term.group == TermGroup::Residual);
        terms.flat_map(|term| term.labels.iter().map(String::as_str).zip(&term.residuals))
    }

    /// A condition in space that says something else than that both ends are one.
    pub(super) fn at_ends(&self) -> Option<String> {
        let other = |(term, support): &&(Term, Support)| match support {
            Support::Places { places, .. } => places.iter().any(|place| matches!(place, Place::Parts(_))),
            Support::Pairs { .. } => !term.residuals.iter().all(matches_ends),
            _ => false,
        };
        let pinned = |place: Pinned| !matches!(place, Pinned::End(axis, _) if Some(axis) == self.around.time_axis);
        let term = self.terms.iter().find(other).map(|(term, _)| term.name.clone());
        term.or_else(|| self.exact.pins.iter().find(|pin| pinned(pin.place)).map(|pin| pin.condition.clone()))
    }

    /// u at the first instant, if a condition says so.
    pub(super) fn initial_value(&self, field: usize) -> Option<Expr> {
        let first = |support: &Support| match support {
            Support::Places { places, .. } => places[..] == [Place::Instant(Side::Low)],
            _ => false,
        };
        let start =
            |place: Pinned| matches!(place, Pinned::End(axis, Side::Low) if Some(axis) == self.around.time_axis);
        self.value_where(field, first, start)
    }

    /// u on a piece of the boundary, if a condition says so.
    pub(super) fn value_on(&self, field: usize, tag: BoundaryTag) -> Option<Expr> {
        let includes = |place: &Place| match place {
            Place::Parts(parts) => parts.iter().any(|part| part.includes(tag)),
            Place::Instant(_) => false,
        };
        let holds = |support: &Support| match support {
            Support::Places { places, .. } => places.iter().any(includes),
            _ => false,
        };
        let pinned = |place: Pinned| match place {
            Pinned::Boundary => true,
            Pinned::End(axis, side) => tag.piece == Piece::Face(Face { axis, side }),
        };
        self.value_where(field, holds, pinned)
    }

    /// The value of an unknown that a condition gives at some places.
    fn value_where(
        &self,
        field: usize,
        holds: impl Fn(&Support) -> bool,
        pinned: impl Fn(Pinned) -> bool,
    ) -> Option<Expr> {
        let unknown = Expr::unknown(field, MultiIndex::ZERO);
        let terms = self.terms.iter().filter(|(_, support)| holds(support));
        let values = terms.flat_map(|(term, _)| &term.residuals).map(|residual| &unknown - residual);
        let pins = self.exact.pins.iter().filter(|pin| pin.field == field && !pin.rate && pinned(pin.place));
        let mut values = values.chain(pins.map(|pin| pin.value.clone()));
        values.find(|value| !value.depends_on_unknowns())
    }
}

/// Whether a residual is the difference of something at one end and at the other.
fn matches_ends(residual: &Expr) -> bool {
    residual.unknowns().first().is_some_and(|&(field, alpha, _)| {
        let derivative = Expr::unknown(field, alpha);
        let difference = &derivative - derivative.at(1);
        *residual == difference || *residual == -difference
    })
}

/// Whether a residual is a number times u_xx + u_yy.
fn is_laplace(residual: &Expr) -> bool {
    let [along, across] = [0, 1].map(|axis| Expr::unknown(0, MultiIndex::from_axes(&[axis, axis])));
    let only_along = Env::at(&[]).with_unknowns(|_, alpha, _| f64::from(alpha.get(0)) / 2.0);
    let factor = residual.eval(&only_along);
    factor.is_finite() && factor != 0.0 && (residual - factor * (along + across)).expand().as_constant() == Some(0.0)
}
