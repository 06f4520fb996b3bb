//! Can the problem be solved one interval of time after another? It can if what is known of the first instant, and nothing of
//! later ones, determines the rest: for each unknown all derivatives in time below its order are given there.

use super::super::Problem;
use super::super::error::NotMarching;
use super::statement::{Spot, Statements};
use ropinn_domain::Side;

impl Problem {
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
        let Some(time) = self.time_axis else { return Err(NotMarching::NoTime) };
        let statements = Statements::of(self);
        if self.exact.periodic[time] || statements.list.iter().any(|one| one.spot == Spot::Pair(time)) {
            return Err(NotMarching::Periodic);
        }
        if let Some((scalar, _)) = self.trainables.first() {
            return Err(NotMarching::Trained { scalar: scalar.clone() });
        }
        if let Some(last) = statements.list.iter().find(|one| one.spot == Spot::Instant(Side::High)) {
            return Err(NotMarching::AtTheEnd { condition: last.name.clone() });
        }
        let carried = self.carried();
        if carried.is_empty() {
            return Err(NotMarching::Still);
        }
        let is_given = |field, alpha| {
            statements.list.iter().any(|one| one.spot == Spot::Instant(Side::Low) && one.only == Some((field, alpha)))
        };
        match carried.iter().find(|one| !is_given(one.field, one.alpha)) {
            None => Ok(()),
            Some(open) => Err(NotMarching::Open {
                unknown: self.unknown_names()[open.field].clone(),
                order: carried.iter().filter(|one| one.field == open.field).count() as u32,
                missing: open.name.clone(),
            }),
        }
    }
}
