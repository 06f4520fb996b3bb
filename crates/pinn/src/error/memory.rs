//! Too little memory for a run, and what takes most of it.

use std::fmt;

/// What takes most of the memory, and how to take less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryHog {
    /// The points.
    Points,
    /// The optimiser of a phase.
    Optimizer {
        /// Its name.
        name: &'static str,
        /// The phase, counted from 1.
        phase: usize,
        /// Parameters of the network.
        parameters: usize,
    },
    /// Gradients of past steps.
    Calibration,
}

impl fmt::Display for MemoryHog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Points => f.write_str("the points; take fewer of them (`points.interior`) or fewer `region.samples`"),
            Self::Optimizer { name, phase, parameters } => {
                let advice = match *name {
                    "gauss-newton" => "`form=matrix-free`",
                    "ssbfgs" => "`history=50`",
                    "ssbroyden" => "`lbfgs`, or `ssbfgs` with `history=50`",
                    _ => "a shorter `history`",
                };
                write!(f, "phase {phase}, `{name}` with {parameters} parameters; choose {advice}, or a smaller network")
            }
            Self::Calibration => {
                f.write_str("the gradients of past steps; lower `region.past`, or take a smaller network")
            }
        }
    }
}

/// `12.3 GB`, in powers of ten.
pub(super) fn in_words(bytes: &u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let (mut value, mut unit) = (*bytes as f64, 0);
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let digits = usize::from(value < 99.95 && unit > 0);
    format!("{value:.digits$} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_well() {
        assert_eq!(
            [0, 999, 1_000, 12_345_678, 999_600_000, u64::MAX].map(|b| in_words(&b)).join(", "),
            "0 B, 999 B, 1.0 kB, 12.3 MB, 1.0 GB, 18.4 EB"
        );
    }
}
