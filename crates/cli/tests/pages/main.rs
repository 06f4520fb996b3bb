//! The pages of the documentation that tell how to write and solve a problem do what they say.

#[path = "../common/mod.rs"]
mod common;
mod page;
mod problem_file;
