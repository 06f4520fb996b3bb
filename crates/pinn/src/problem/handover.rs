//! What one interval of time hands over to the next: for each unknown the derivatives in time below its order,
//! u, ∂u/∂t, …, ∂^(m−1)u/∂t^(m−1). An unknown without derivatives in time, such as a pressure, follows from the others.

use ropinn_domain::Side;
use ropinn_expr::{Expr, MultiIndex};

use super::Problem;
use super::error::ProblemError;
use super::term::{Support, Term, TermGroup};

/// A derivative in time that is handed over.
pub(super) struct Carried {
    pub field: usize,
    pub alpha: MultiIndex,
    /// As it is written: `u`, `u_t`, `u_tt`.
    pub name: String,
}

impl Problem {
    /// What is handed over at the end of an interval of time; nothing if nothing is differentiated in time.
    pub(super) fn carried(&self) -> Vec<Carried> {
        let Some(time) = self.marching_axis() else { return Vec::new() };
        let entries: Vec<_> = self.equations().flat_map(|(_, residual)| residual.unknowns()).collect();
        let order = |field: usize| {
            let own = entries.iter().filter(|(own, ..)| *own == field);
            own.map(|(_, alpha, _)| usize::from(alpha.get(time))).max().unwrap_or(0)
        };
        let letter = &self.coordinate_names()[time];
        let derivative = |field: usize, k: usize| {
            let mark = if k > 0 { "_" } else { "" };
            let name = format!("{}{mark}{}", self.unknown_names()[field], letter.repeat(k));
            Carried { field, alpha: MultiIndex::from_axes(&vec![time; k]), name }
        };
        (0..self.unknown_names().len())
            .flat_map(|field| (0..order(field)).map(move |k| (field, k)))
            .map(|(field, k)| derivative(field, k))
            .collect()
    }

    /// The name of the term that takes over from an earlier interval.
    pub(crate) fn handover_name(&self) -> String {
        self.handover().0.name
    }

    /// The term that takes over from an earlier interval, without points and values yet.
    pub(super) fn handover(&self) -> (Term, Support) {
        let residual =
            |(column, one): (usize, Carried)| (one.name, Expr::unknown(one.field, one.alpha) - Expr::data(column));
        let initial = self.terms.iter().find(|(term, support)| match support {
            Support::Places { places, .. } if self.time_axis.is_none() => {
                places.iter().any(|place| self.ends_at(place).contains(&Side::Low))
            }
            _ => term.group == TermGroup::Initial,
        });
        let initial = initial.map(|(term, _)| term);
        let built_in = || self.exact.pins.iter().find(|pin| self.is_initial(pin)).map(|pin| pin.condition.clone());
        let name = initial.map(|term| term.name.clone()).or_else(built_in).unwrap_or_else(|| "initial".to_owned());
        let residuals: Vec<_> = self.carried().into_iter().enumerate().map(residual).collect();
        let mut term = Term::new(name, TermGroup::Initial, residuals);
        term.weight = initial.map_or(1.0, |term| term.weight);
        (term, Support::Given)
    }

    /// Points of the first instant at which values of an earlier interval are taken over, `[point][axis]`: twice as many as
    /// an initial condition has.
    pub fn handover_points(&self, seed: u64) -> Result<Vec<f64>, ProblemError> {
        // The first instant of a single coordinate is a point.
        if let ([(low, _)], None) = (&self.ranges[..], self.time_axis) {
            return Ok(vec![*low]);
        }
        let usual = self.usual_instant();
        let stated = self.points.initial.as_ref().map_or(0, |spread| spread.count());
        let spread = usual.with_count(2 * usual.count().max(stated));
        Ok(self.sample_instant(Side::Low, &spread, seed, "the points that are taken over")?.coords)
    }

    /// What is taken over there, column by column: the unknowns that have derivatives in time, and those of them below the
    /// order of the equations.
    pub fn handover_columns(&self) -> Vec<Expr> {
        self.carried().into_iter().map(|one| Expr::unknown(one.field, one.alpha)).collect()
    }

    /// A later part ([`Problem::during`]) that begins with these values of [`Problem::handover_columns`], `[point][column]`,
    /// at these points of its first instant. The first part has its initial conditions and stays as it is.
    pub fn taking_over(mut self, points: Vec<f64>, values: Vec<f64>) -> Problem {
        let is_handover = |(term, support): &&mut (Term, Support)| {
            term.group == TermGroup::Initial && matches!(support, Support::Given)
        };
        if let Some((term, _)) = self.terms.iter_mut().find(is_handover) {
            (term.points, term.data) = (points, values);
        }
        self
    }
}
