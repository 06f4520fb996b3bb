//! Strategies: how a run goes on, decided by what is measured on the way.
//!
//! `plain` trains the phases as they are written. `auto` trains a round, looks at the residual on fresh points (`look`),
//! decides by rules (`rules`) and trains on:
//!
//! ```text
//! stage → round of Gauss–Newton steps → look → rules → decision → next stage … → settled, or out of work
//! ```
//!
//! Everything decided is a [`Decision`], told to the observer and kept with the run. Nothing depends on the clock: with the same
//! seed the same decisions are taken, to the bit, and a run that is killed goes on where it was (`journal`).
//!
//! ```
//! use ropinn::{case::Case, config::RunConfig, strategy::Solver};
//! use ropinn_engine::Threads;
//! let mut config = RunConfig::default();
//! config.set_all(&["problem.name=reaction", "points.interior=grid:9x9", "width=4", "precision=f64"])?;
//! config.set_all(&["phases=gauss-newton 6", "strategy.kind=auto", "strategy.work=0.001"])?;
//! let solved = Solver::new(Case::new(config, &Threads::new(1)?)?)?.run(&mut (), &Default::default())?;
//! assert!(solved.outcome.iterations > 0 && solved.outcome.theta.len() == solved.case.parameters());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod finish;
mod journal;
mod relay;
mod rules;
mod situation;
mod solver;
mod stage;

pub use crate::record::{Decision, Entry};
pub use finish::Solved;
pub use solver::Solver;
