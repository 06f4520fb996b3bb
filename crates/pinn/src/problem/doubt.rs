//! What looks wrong with a problem that can be trained all the same: its loss may vanish without its solution being right.

use super::Problem;
use super::term::TermGroup;
use serde::{Deserialize, Serialize};

/// Something to think about before training.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "doubt", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Doubt {
    /// Differential equations alone.
    #[error(
        "the problem has no condition at all: many functions solve its equations, and training finds one of them; say under [[conditions]] what is known of `{unknowns}`"
    )]
    NoConditions {
        /// The names of the unknowns.
        unknowns: String,
    },
}

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
        let builds_in = self.exact.prescribed.is_some() || self.exact.periodic.contains(&true);
        let states_nothing = !builds_in && self.terms.iter().all(|(term, _)| term.group == TermGroup::Residual);
        // Without derivatives, equations can determine their unknowns by themselves.
        let differential = self.equations().any(|(_, residual)| residual.max_order() > 0);
        let unknowns = self.unknown_names().join("`, `");
        if states_nothing && differential { vec![Doubt::NoConditions { unknowns }] } else { Vec::new() }
    }
}
