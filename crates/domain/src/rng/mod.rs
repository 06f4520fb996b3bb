//! Counter-based random numbers: each draw is a pure function of its key and its position, so results do not depend on
//! the number of threads, on what was drawn before, or on where a run was resumed.

mod philox;
mod stream;
#[cfg(test)]
mod tests;

pub use philox::philox4x32_10;
pub(crate) use stream::gaussian_pair;
pub use stream::{Purpose, Stream};
