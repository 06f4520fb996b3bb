//! References that take minutes: what will be done, for whom it is worth keeping, and values that were kept.

use super::Problem;
use super::error::ProblemError;
use super::reference::Reference;
use super::solved::ReferenceValues;

/// Raised whenever a solver's numbers change: what was kept before is not what would be found now.
const SOLVERS: u32 = 1;

/// Time a solver takes if nothing is said of it.
const USUAL_SECONDS: f64 = 60.0;

/// The work of a numerical solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReferenceWork {
    /// What is done, in words.
    pub method: &'static str,
    /// About how long it takes on two cores.
    pub seconds: f64,
}

impl Problem {
    /// What a numerical solver has to do for the reference; `None` if there is none, or none that takes its time.
    pub fn reference_work(&self) -> Option<ReferenceWork> {
        match &self.reference {
            Some(Reference::Solved(solver)) => {
                Some(ReferenceWork { method: solver.plan().method(), seconds: solver.seconds.unwrap_or(USUAL_SECONDS) })
            }
            _ => None,
        }
    }

    /// How far the reference is off by its own estimate, without any work: what its file says of it.
    pub fn expected_reference_error(&self) -> Option<f64> {
        self.reference_error
    }

    /// How the reference comes about, in a word or two; `None` if there is none.
    pub fn reference_method(&self) -> Option<&'static str> {
        self.reference.as_ref().map(Reference::method)
    }

    /// Everything a reference depends on but the points: values are worth keeping under this text and the points. `None` for a
    /// problem that was built in Rust, which has no text.
    pub fn reference_key(&self) -> Option<String> {
        let text = self.source.text.as_deref()?;
        let inputs: Vec<String> =
            self.inputs.iter().map(|file| format!("{}:{:08x}", file.name, file.checksum)).collect();
        Some(format!("solvers {SOLVERS}\ninputs {}\n{text}", inputs.join(" ")))
    }

    /// Values of the reference at points `[point][axis]`, whatever it takes; NaN where it has none. `None` if there is no reference, or
    /// only a table of it.
    pub fn reference_values(&self, points: &[f64]) -> Result<Option<ReferenceValues>, ProblemError> {
        let Some(reference) = &self.reference else { return Ok(None) };
        if let Reference::Solved(solver) = reference {
            return solver.values(points).map(Some).map_err(|error| self.of_reference(error));
        }
        let values = reference.values(points, self.ranges.len()).map_err(|error| self.of_reference(error))?;
        let error = reference.error().map_err(|error| self.of_reference(error))?;
        Ok(values.map(|values| ReferenceValues { values, error }))
    }

    /// What is known of a reference that takes its time, without any work.
    pub fn known_reference(&self, points: &[f64]) -> Option<ReferenceValues> {
        match &self.reference {
            Some(Reference::Solved(solver)) => solver.known(points),
            _ => None,
        }
    }

    /// Takes values that were kept since another day; they must be those of the same [`Self::reference_key`] at the same points.
    pub fn supply_reference(&self, points: &[f64], values: ReferenceValues) {
        if let Some(Reference::Solved(solver)) = &self.reference {
            solver.supply(points, values);
        }
    }
}
