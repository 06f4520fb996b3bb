//! What looks wrong with a problem that can be trained all the same, in words: its loss may vanish without its solution
//! being right.

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
    /// Fewer conditions along a coordinate than the equations leave open.
    #[error(
        "the equations are of order {order} along `{coordinate}`, so they need {needed} on `{unknowns}` {place}, and {given} given: many functions satisfy everything that is stated; {advice}"
    )]
    Missing {
        /// The coordinate.
        coordinate: String,
        /// The unknowns of which more must be said.
        unknowns: String,
        /// Where conditions belong.
        place: String,
        /// The order of the equations.
        order: u32,
        /// How many conditions that takes.
        needed: String,
        /// How many there are, with the verb.
        given: String,
        /// What to add.
        advice: String,
    },
    /// A part of the boundary about which too little is said.
    #[error(
        "{given} given at {place}, where the equations need {needed} on `{unknowns}`: many functions satisfy everything that is stated; add a condition with at = \"{place}\""
    )]
    OpenPart {
        /// The part, in the words of the file.
        place: String,
        /// The unknowns whose equations need it.
        unknowns: String,
        /// How many conditions are needed.
        needed: String,
        /// How many there are, with the verb.
        given: String,
    },
    /// More conditions than a solution can satisfy in general.
    #[error(
        "`{unknown}` has {given} conditions along `{coordinate}` (`{conditions}`), and the equations are of order {order} there: they contradict each other unless they were made to fit; drop what follows from the rest"
    )]
    TooMany {
        /// The unknown.
        unknown: String,
        /// The coordinate.
        coordinate: String,
        /// Their names.
        conditions: String,
        /// How many there is room for.
        order: u32,
        /// How many there are.
        given: usize,
    },
    /// Boundary conditions across a coordinate along which nothing is differentiated.
    #[error(
        "no equation has a derivative along `{coordinate}`, so nothing carries the condition `{conditions}` into the domain; drop it, or look for a missing derivative"
    )]
    NotCarried {
        /// The coordinate.
        coordinate: String,
        /// The names of the conditions.
        conditions: String,
    },
    /// An unknown of which only derivatives occur.
    #[error(
        "`{unknown}` occurs only through its derivatives, so it is known only up to a constant; fix it at one point, e.g. with kind = \"data\", columns = [{columns}], rows = [[{row}]]"
    )]
    UpToConstant {
        /// The unknown.
        unknown: String,
        /// The columns of a condition that fixes it, quoted.
        columns: String,
        /// Its only row.
        row: String,
    },
    /// An unknown that no equation is about.
    #[error(
        "no equation involves `{unknown}`, so conditions on it say nothing about the inside; add its equation, or drop it"
    )]
    NotInvolved {
        /// The unknown.
        unknown: String,
    },
    /// Fewer equations than unknowns, as far as they are about different ones.
    #[error(
        "the equations determine at most {determined} of the unknowns `{unknowns}`; add an equation or measured values for the others"
    )]
    Undetermined {
        /// All unknowns.
        unknowns: String,
        /// How many the equations can determine.
        determined: usize,
    },
    /// A number to be trained that nothing depends on.
    #[error("`{name}` is to be trained, but no equation and no condition involves it; use it or drop it")]
    IdleScalar {
        /// Its name.
        name: String,
    },
    /// Numbers that readings cannot all determine.
    #[error(
        "{numbers} numbers are to be found (`{names}`), and there are only {readings} readings; add readings, or make constants of some of them"
    )]
    FewReadings {
        /// How many numbers.
        numbers: usize,
        /// Their names.
        names: String,
        /// How many readings.
        readings: usize,
    },
    /// The same twice.
    #[error("`{first}` and `{second}` say the same about `{unknown}` at {place}; keep one of them")]
    Twice {
        /// A condition.
        first: String,
        /// Another.
        second: String,
        /// What they are about.
        unknown: String,
        /// Where.
        place: String,
    },
    /// Different values at the same point.
    #[error(
        "at {point} `{first}` says {unknown} = {said}, and `{second}` says {unknown} = {other}: no continuous function has both; let them agree there, or expect the error to gather around that point"
    )]
    Contradiction {
        /// A condition.
        first: String,
        /// Another.
        second: String,
        /// What they are about.
        unknown: String,
        /// A common point.
        point: String,
        /// What the first says there.
        said: String,
        /// What the other says.
        other: String,
    },
}
