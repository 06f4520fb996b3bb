//! Can the problem be solved one interval of time after another? It can if what is known of the first instant, and nothing of
//! later ones, determines the rest: for each unknown all derivatives in time below its order are given there.
//!
//! The only coordinate of an ordinary differential equation is as good as time, whatever it is called: its first instant is the
//! low end.

use super::super::Problem;
use super::super::error::NotMarching;
use super::statement::{Spot, Statements};
use ropinn_domain::Side;
use ropinn_domain::geometry::Piece;

impl Problem {
    /// The coordinate along which it may be solved one interval after another: time, or the only coordinate there is.
    pub fn marching_axis(&self) -> Option<usize> {
        self.time_axis.or_else(|| match self.ranges[..] {
            // A shape of its own may begin or end elsewhere.
            [(low, high)] => self.geometry.as_box().filter(|own| own.low() == [low] && own.high() == [high]).map(|_| 0),
            _ => None,
        })
    }

    /// Its first and last value.
    pub(crate) fn marching_range(&self) -> Option<(f64, f64)> {
        self.marching_axis().map(|axis| self.ranges[axis])
    }

    /// Whether the problem can be solved one interval of time after another; the reason if it cannot.
    ///
    /// ```
    /// use ropinn::problem::Problem;
    /// assert_eq!(Problem::builtin("wave")?.marching(), Ok(()));
    /// let still = Problem::builtin("poisson-2d-c")?.marching().unwrap_err();
    /// assert_eq!(still.to_string(), "it has no time beside other coordinates");
    /// # Ok::<(), ropinn::problem::ProblemError>(())
    /// ```
    pub fn marching(&self) -> Result<(), NotMarching> {
        let Some(time) = self.marching_axis() else { return Err(NotMarching::NoTime) };
        let letter = &self.coordinate_names()[time];
        let along = if self.time_axis.is_some() { "time".to_owned() } else { format!("`{letter}`") };
        let (first, last) = match self.time_axis {
            Some(_) => ("the first instant".to_owned(), "the last instant".to_owned()),
            None => (format!("{letter} = {}", self.ranges[time].0), format!("{letter} = {}", self.ranges[time].1)),
        };
        let statements = Statements::of(self);
        if self.exact.periodic[time] || statements.list.iter().any(|one| one.spot == Spot::Pair(time)) {
            return Err(NotMarching::Periodic { along });
        }
        let trained = self.trainables.iter().map(|own| &own.name).chain(self.fields.iter().map(|own| &own.name));
        if let Some(scalar) = trained.into_iter().next() {
            return Err(NotMarching::Trained { scalar: scalar.clone() });
        }
        if let Some(one) = statements.list.iter().find(|one| self.is_at(&one.spot, Side::High)) {
            return Err(NotMarching::AtTheEnd { condition: one.name.clone(), place: last });
        }
        let carried = self.carried();
        if carried.is_empty() {
            return Err(NotMarching::Still { along });
        }
        let is_given = |field, alpha| {
            statements.list.iter().any(|one| self.is_at(&one.spot, Side::Low) && one.only == Some((field, alpha)))
        };
        match carried.iter().find(|one| !is_given(one.field, one.alpha)) {
            None => Ok(()),
            Some(open) => Err(NotMarching::Open {
                unknown: self.unknown_names()[open.field].clone(),
                order: carried.iter().filter(|one| one.field == open.field).count() as u32,
                along,
                missing: open.name.clone(),
                place: first,
            }),
        }
    }

    /// Whether something is said of that end of the coordinate it is solved along.
    fn is_at(&self, spot: &Spot, side: Side) -> bool {
        match spot {
            Spot::Instant(own) => *own == side,
            Spot::Pieces(pieces) if self.time_axis.is_none() => {
                pieces.iter().any(|tag| matches!(tag.piece, Piece::Face(face) if face.side == side))
            }
            _ => false,
        }
    }
}
