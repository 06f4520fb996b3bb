//! One-dimensional searches along a direction.

mod cubic;
mod strong_wolfe;
#[cfg(test)]
mod tests;

pub use strong_wolfe::StrongWolfe;
pub(crate) use strong_wolfe::{Accepted, Line};
