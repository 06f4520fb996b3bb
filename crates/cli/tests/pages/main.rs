//! The pages of the documentation that tell how to write and solve a problem do what they say.

#[path = "../common/mod.rs"]
mod common;
mod first_problem;
mod links;
mod own_equation;
mod page;
mod problem_file;
mod templates;

/// Options that make a run take a fraction of a second, whatever its problem.
const TINY: &str = "--iterations 3 --width 6 --depth 1 --threads 2";
