//! The compiled half of the Python package `ropinn`: problems, runs, solutions and objectives with arrays at the edges.
//!
//! The other half (`python/ropinn`) has the names people use, keyword arguments and pictures. What is computed or saved is done
//! by the crates below, as for the command line; nothing here knows numerics.

mod arrays;
mod error;
mod evaluate;
mod given;
mod objective;
mod options;
mod pools;
mod problem;
mod race;
mod run;
mod solve;
mod supervise;
mod wire;

/// What the package is made of.
#[pyo3::pymodule]
mod _ropinn {
    #[pymodule_export]
    use crate::evaluate::evaluate;
    #[pymodule_export]
    use crate::objective::Objective;
    #[pymodule_export]
    use crate::options::nearest;
    #[pymodule_export]
    use crate::problem::Problem;
    #[pymodule_export]
    use crate::race::race;
    #[pymodule_export]
    use crate::run::Run;
    #[pymodule_export]
    use crate::solve::train;

    /// The version of the program.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "its name in Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
