//! All conditions of a problem in one form, whether they are terms of the loss or built into the solution.

use super::super::Problem;
use super::super::exact::Pinned;
use super::super::place::Place;
use super::super::term::Support;
use ropinn_domain::geometry::Piece;
use ropinn_domain::{BoundaryPart, BoundaryTag, Side};
use ropinn_expr::{Expr, MultiIndex};
use std::collections::BTreeSet;

/// One expression that vanishes somewhere.
pub(super) struct Statement {
    /// The name of its condition.
    pub name: String,
    pub residual: Expr,
    pub spot: Spot,
    /// The unknowns it is about.
    pub fields: BTreeSet<usize>,
    /// The derivative it is about, if it is only one and at one point.
    pub only: Option<(usize, MultiIndex)>,
}

/// Where it vanishes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Spot {
    /// The first or last instant.
    Instant(Side),
    /// Pieces of the boundary.
    Pieces(Vec<BoundaryTag>),
    /// Both ends of a coordinate at once.
    Pair(usize),
    /// Points at which something was measured.
    Measured,
}

/// What is stated about a solution beside its equations.
pub(super) struct Statements {
    pub list: Vec<Statement>,
    /// Every piece of the boundary in space.
    pub pieces: Vec<BoundaryTag>,
    /// Whether there are measured values that may stand for any condition; one reading of a field fixes but a constant.
    pub observed: bool,
}

impl Statement {
    fn new(name: &str, residual: Expr, spot: Spot) -> Self {
        let entries = residual.unknowns();
        let fields = entries.iter().map(|(field, _, _)| *field).collect();
        let only = match entries.iter().collect::<Vec<_>>()[..] {
            [&(field, alpha, 0)] => Some((field, alpha)),
            _ => None,
        };
        Self { name: name.to_owned(), residual, spot, fields, only }
    }

    /// Whether it holds on a piece of the boundary.
    pub fn holds_on(&self, tag: BoundaryTag) -> bool {
        matches!(&self.spot, Spot::Pieces(pieces) if pieces.contains(&tag))
    }
}

impl Statements {
    pub fn of(problem: &Problem) -> Self {
        let pieces: Vec<BoundaryTag> = problem.geometry.boundary_pieces().iter().map(|piece| piece.tag).collect();
        let mut list = Vec::new();
        let mut observed = false;
        for (term, support) in problem.terms.iter().filter(|(term, _)| term.weight > 0.0) {
            let spots = match support {
                Support::Equations => continue,
                Support::Places { places, .. } => spots(places, &pieces),
                Support::Pairs { axis, .. } => vec![Spot::Pair(*axis)],
                Support::Given => {
                    let axes = problem.ranges.len();
                    observed |= axes == 1 || term.samples(axes) > 1;
                    vec![Spot::Measured]
                }
                Support::Made { .. } => {
                    observed = true;
                    vec![Spot::Measured]
                }
            };
            for spot in spots {
                let stated =
                    term.residuals.iter().map(|residual| Statement::new(&term.name, residual.clone(), spot.clone()));
                list.extend(stated);
            }
        }
        for pin in &problem.exact.pins {
            let (alpha, spot) = match pin.place {
                Pinned::End(axis, side) if problem.time_axis == Some(axis) => {
                    (if pin.rate { MultiIndex::unit(axis) } else { MultiIndex::ZERO }, Spot::Instant(side))
                }
                Pinned::End(axis, side) => {
                    let is_it =
                        |tag: &BoundaryTag| matches!(tag.piece, Piece::Face(f) if f.axis == axis && f.side == side);
                    let alpha = if pin.rate { MultiIndex::unit(axis) } else { MultiIndex::ZERO };
                    (alpha, Spot::Pieces(pieces.iter().copied().filter(is_it).collect()))
                }
                Pinned::Boundary => (MultiIndex::ZERO, Spot::Pieces(pieces.clone())),
            };
            list.push(Statement::new(&pin.condition, Expr::unknown(pin.field, alpha) - pin.value.clone(), spot));
        }
        Self { list, pieces, observed }
    }
}

/// Instants and pieces apart.
fn spots(places: &[Place], pieces: &[BoundaryTag]) -> Vec<Spot> {
    let mut spots: Vec<Spot> = Vec::new();
    let mut parts: Vec<BoundaryPart> = Vec::new();
    for place in places {
        match place {
            Place::Instant(side) => spots.push(Spot::Instant(*side)),
            Place::Parts(more) => parts.extend(more),
        }
    }
    let own: Vec<BoundaryTag> =
        pieces.iter().copied().filter(|tag| parts.iter().any(|part| part.includes(*tag))).collect();
    spots.extend((!own.is_empty()).then_some(Spot::Pieces(own)));
    spots
}
