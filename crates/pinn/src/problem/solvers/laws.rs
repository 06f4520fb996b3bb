//! What holds of an unknown on a piece of the boundary: its value, or ∂u/∂n = g − hu.

use ropinn_domain::geometry::Piece;
use ropinn_domain::{BoundaryTag, Side};
use ropinn_expr::{Expr, MultiIndex, Node};

use super::super::place::Place;
use super::super::solvable::Stated;
use super::super::term::Support;

/// A law for one unknown.
#[derive(Clone, Debug)]
pub(super) enum Law {
    /// u = g.
    Value(Expr),
    /// ∂u/∂n = g − hu.
    Flux { given: Expr, transfer: f64 },
}

impl Stated<'_> {
    /// The law of an unknown on a piece, if a condition states one of these; the first that does.
    pub(super) fn law(&self, field: usize, tag: BoundaryTag) -> Option<Law> {
        if let Some(value) = self.value_on(field, tag) {
            return Some(Law::Value(value));
        }
        let here = |support: &Support| match support {
            Support::Places { places, .. } => places.iter().any(|place| match place {
                Place::Parts(parts) => parts.iter().any(|part| part.includes(tag)),
                Place::Instant(_) => false,
            }),
            _ => false,
        };
        let terms = self.terms.iter().filter(|(_, support)| here(support)).map(|(term, _)| term);
        terms
            .flat_map(|term| &term.residuals)
            .find_map(|residual| flux(residual, field, tag, self.around.geometry.space_dim()))
    }
}

/// g and h of a residual ∂u/∂n − g + hu.
fn flux(residual: &Expr, field: usize, tag: BoundaryTag, space: usize) -> Option<Law> {
    let unknowns = residual.unknowns();
    let slope = |axis: usize| MultiIndex::unit(axis);
    let of_field = |alpha: MultiIndex| alpha.is_zero() || (0..space).any(|axis| alpha == slope(axis));
    if unknowns.iter().any(|&(other, alpha, _)| other != field || !of_field(alpha)) {
        return None;
    }
    let with = |wanted: Option<MultiIndex>| {
        residual.substitute_unknowns(|_, alpha| Some(Expr::constant(f64::from(u8::from(Some(alpha) == wanted)))))
    };
    let rest = with(None);
    // The normal of a face is a number; elsewhere it comes with the points.
    let is_normal = |axis: usize| {
        let factor = with(Some(slope(axis))) - &rest;
        match (factor.node(), tag.piece) {
            (Node::Data(_), _) => true,
            (Node::Const(value), Piece::Face(face)) if face.axis == axis => {
                *value == if face.side == Side::Low { -1.0 } else { 1.0 }
            }
            (Node::Const(value), Piece::Face(_)) => *value == 0.0,
            _ => false,
        }
    };
    if !(0..space).all(is_normal) {
        return None;
    }
    let transfer = (with(Some(MultiIndex::ZERO)) - &rest).as_constant()?;
    Some(Law::Flux { given: -rest, transfer })
}
