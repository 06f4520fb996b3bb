//! Is the problem well posed? The conditions are held against the orders of the equations before anything is trained.
//!
//! Along each coordinate a system of equations takes as many conditions as its order there (`order`); how many there are is
//! counted over all unknowns (`count`), since what one lacks another may have. Values are compared where conditions meet
//! (`meet`), and an unknown of which only derivatives occur is known only up to a constant (`constant`). A false alarm is
//! worse than a miss, so whatever is not certain is left unsaid; measured values can stand for any condition.

mod constant;
mod count;
mod marching;
mod meet;
mod order;
mod probe;
mod statement;

use super::Problem;
use super::doubt::Doubt;
use super::term::{Support, Term, TermGroup};
use order::Orders;
use statement::Statements;

impl Problem {
    /// What looks wrong, before anything is trained.
    ///
    /// ```
    /// use ropinn::problem::{Condition, ProblemBuilder};
    /// let decay = ProblemBuilder::new("decay").coordinate("t", 0.0, 1.0).unknown("u").equation("decay", "u_t + u");
    /// assert_eq!(decay.clone().build()?.doubts().len(), 1);
    /// assert!(decay.condition(Condition::initial(1.0)).build()?.doubts().is_empty());
    /// # Ok::<(), ropinn::problem::ProblemError>(())
    /// ```
    pub fn doubts(&self) -> Vec<Doubt> {
        let orders = Orders::of(self);
        let statements = Statements::of(self);
        let mut doubts = self.undetermined(&orders, &statements);
        doubts.extend(self.idle_scalars());
        doubts.extend(self.few_readings());
        match self.states_nothing() {
            true if orders.differential() => {
                doubts.push(Doubt::NoConditions { unknowns: self.quoted(|_| true) });
                return doubts;
            }
            // Without derivatives, equations can determine their unknowns by themselves.
            true => return doubts,
            false => {}
        }
        let missing = count::missing(self, &orders, &statements);
        doubts.extend(constant::up_to_constants(self, &statements, &missing));
        doubts.extend(missing);
        doubts.extend(count::too_many(self, &orders, &statements));
        doubts.extend(meet::contradictions(self, &statements));
        doubts
    }

    fn states_nothing(&self) -> bool {
        let builds_in = self.exact.prescribed.is_some() || self.exact.periodic.contains(&true);
        !builds_in && self.terms.iter().all(|(term, _)| term.group == TermGroup::Residual)
    }

    /// The names of some unknowns, as they stand between one pair of quotes.
    fn quoted(&self, which: impl Fn(usize) -> bool) -> String {
        let own = &self.unknown_names()[..self.solved_unknowns()];
        let names = own.iter().enumerate().filter(|(field, _)| which(*field));
        names.map(|(_, name)| name.as_str()).collect::<Vec<_>>().join("`, `")
    }

    /// Unknowns that the equations leave open whatever the conditions are.
    fn undetermined(&self, orders: &Orders, statements: &Statements) -> Vec<Doubt> {
        if statements.observed {
            return Vec::new();
        }
        let names = &self.unknown_names()[..self.solved_unknowns()];
        let absent = |(field, name): (usize, &String)| {
            (!orders.involved(field)).then(|| Doubt::NotInvolved { unknown: name.clone() })
        };
        let absent: Vec<Doubt> = names.iter().enumerate().filter_map(absent).collect();
        match orders.determined {
            Some(determined) if absent.is_empty() && determined < names.len() => {
                vec![Doubt::Undetermined { unknowns: self.quoted(|_| true), determined }]
            }
            _ => absent,
        }
    }

    /// Numbers to be found from too few readings. Without any, other conditions may determine them.
    fn few_readings(&self) -> Option<Doubt> {
        let readings = |(term, support): &(Term, Support)| {
            let each = term.noise.as_ref().map_or(term.residuals.len(), |noise| noise.readings);
            each * match support {
                Support::Given => term.samples(self.ranges.len()),
                Support::Made { spread, .. } => spread.as_ref().map_or(usize::MAX / 1024, |spread| spread.count()),
                _ => 0,
            }
        };
        let data = self.terms.iter().filter(|(term, _)| term.group == TermGroup::Data);
        let (readings, numbers) = (data.map(readings).fold(0, usize::saturating_add), self.trainables.len());
        let names = self.trainables.iter().map(|own| own.name.as_str()).collect::<Vec<_>>().join("`, `");
        (0 < readings && readings < numbers).then_some(Doubt::FewReadings { numbers, names, readings })
    }

    fn idle_scalars(&self) -> Vec<Doubt> {
        let residuals = || self.terms.iter().flat_map(|(term, _)| &term.residuals);
        let used: std::collections::BTreeSet<usize> = residuals().flat_map(|residual| residual.trainables()).collect();
        let idle = self.trainables.iter().enumerate().filter(|(k, _)| !used.contains(k));
        idle.map(|(_, idle)| Doubt::IdleScalar { name: idle.name.clone() }).collect()
    }
}
