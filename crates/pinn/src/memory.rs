//! How much memory a run will take, told before it takes any.
//!
//! Counted is what grows with the numbers of points N, parameters P and pairs m: coordinates (with a copy per place in a
//! region), curvature (2mP, P²/2, 2P² or NP + 2N² numbers) and gradients of past steps, and what a checkpoint of them takes
//! while it is written. The engine's own tiles are small and of fixed size.

pub use crate::error::MemoryHog;

use crate::case::Case;
use crate::config::{OptimizerSettings, PointGroup};
use crate::error::Error;
use ropinn_optim::{Form, Memory};

const BYTES: u64 = size_of::<f64>() as u64;

/// Bytes by what they are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryEstimate {
    /// Coordinates of all points.
    pub points: u64,
    /// Memory of the most demanding optimiser phase, and its checkpoint.
    pub optimizer: u64,
    /// Which phase that is, counted from 1.
    pub phase: usize,
    /// Gradients of past steps, and their checkpoint.
    pub calibration: u64,
}

impl MemoryEstimate {
    /// The memory a run of this case will take.
    pub fn of(case: &Case) -> Self {
        let (config, parameters) = (case.config(), case.parameters() as u64);
        let (interior, elsewhere) = case.problem().planned_points();
        let region = &config.objective.region;
        let copies = |group: PointGroup| match config.objective.reach() > 0.0 && region.groups.contains(&group) {
            true => region.samples as u64,
            false => 0,
        };
        let (inside, outside) =
            (copies(PointGroup::Residual), copies(PointGroup::Boundary).max(copies(PointGroup::Initial)));
        let per_point = BYTES * (case.network().elements() * case.network().coordinates()) as u64;
        let points = interior.saturating_mul(1 + inside).saturating_add(elsewhere.saturating_mul(1 + outside));
        let residuals = interior.saturating_mul(inside.max(1)).saturating_add(elsewhere.saturating_mul(outside.max(1)));
        let phases = config.phases.0.iter().map(|phase| of_optimizer(&phase.settings, parameters, residuals));
        let (phase, optimizer) = phases.enumerate().max_by_key(|(_, bytes)| *bytes).unwrap_or((0, 0));
        let past = if config.objective.is_calibrated() { region.past as u64 } else { 0 };
        Self {
            points: points.saturating_mul(per_point),
            optimizer,
            phase: phase + 1,
            // In use, as a copy and as bytes.
            calibration: numbers(past.saturating_mul(parameters).saturating_mul(3)),
        }
    }

    /// All of it.
    pub fn total(&self) -> u64 {
        self.points.saturating_add(self.optimizer).saturating_add(self.calibration)
    }

    /// Refuses a run that needs more than is available, and says what to reduce.
    pub fn check(&self, case: &Case, available: Option<u64>) -> Result<(), Error> {
        match available {
            Some(available) if self.total() > available => {
                Err(Error::Memory { needed: self.total(), available, hog: self.hog(case) })
            }
            _ => Ok(()),
        }
    }

    fn hog(&self, case: &Case) -> MemoryHog {
        let Self { points, optimizer, calibration, phase } = *self;
        if points >= optimizer.max(calibration) {
            MemoryHog::Points
        } else if optimizer >= calibration {
            let name = case.config().phases.0[phase - 1].name();
            MemoryHog::Optimizer { name, phase, parameters: case.parameters() }
        } else {
            MemoryHog::Calibration
        }
    }
}

fn numbers(count: u64) -> u64 {
    count.saturating_mul(BYTES)
}

/// Bytes of an optimiser, with a copy and the bytes of whatever a checkpoint holds of it.
fn of_optimizer(settings: &OptimizerSettings, parameters: u64, residuals: u64) -> u64 {
    let pairs = |history: usize| (history as u64).saturating_mul(2).saturating_add(8).saturating_mul(parameters);
    let square = |n: u64| n.saturating_mul(n);
    match settings {
        OptimizerSettings::Adam(_) => numbers(3 * parameters * 3),
        OptimizerSettings::Lbfgs(config) => numbers(pairs(config.history).saturating_mul(3)),
        OptimizerSettings::SelfScaled(config) => match config.memory {
            Memory::Limited(history) => numbers(pairs(history).saturating_mul(3)),
            Memory::Dense => numbers((square(parameters) / 2).saturating_mul(3)),
        },
        // Half of n², and rows a thousand at a time.
        OptimizerSettings::Polish(config) => {
            let coefficients = config.coefficients as u64;
            numbers(coefficients.saturating_mul(coefficients / 2 + 2048))
        }
        OptimizerSettings::GaussNewton(config) => {
            let (p, n) = (parameters as usize, usize::try_from(residuals).unwrap_or(usize::MAX));
            let fitting = || Form::fitting(p, n);
            match config.form.unwrap_or_else(fitting) {
                // The matrix and its factor, and what its sum takes.
                Form::Parameters => {
                    numbers(square(parameters).saturating_mul(2)).saturating_add(ropinn_engine::gram_room(p, n))
                }
                Form::Kernel => {
                    let jacobian = residuals.saturating_mul(parameters);
                    numbers(square(residuals).saturating_mul(2).saturating_add(jacobian))
                }
                Form::MatrixFree => numbers(16 * parameters.saturating_add(residuals)),
            }
        }
    }
}

/// Bytes that can be taken without swapping, where the system tells (`MemAvailable` on Linux).
pub fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RunConfig;
    use ropinn_engine::Threads;

    fn case(overrides: &[&str]) -> Case {
        let mut config = RunConfig::default();
        config.set_all(&["problem.name=reaction", "points.interior=grid:11x11", "width=8", "depth=2"]).expect("valid");
        config.set_all(overrides).expect("valid");
        Case::new(config, &Threads::new(1).expect("threads")).expect("case")
    }

    fn refusal(overrides: &[&str], available: u64) -> String {
        let case = case(overrides);
        MemoryEstimate::of(&case).check(&case, Some(available)).expect_err("refused").to_string()
    }

    #[test]
    fn each_hog_is_named_with_its_remedy() {
        assert_eq!(
            refusal(&["points.interior=grid:1000x1000", "region.samples=100", "phases=adam 5"], 1 << 30),
            "the run needs about 1.6 GB of memory, but 1.1 GB are available; most of it is for the points; \
             take fewer of them (`points.interior`) or fewer `region.samples`"
        );
        assert_eq!(
            refusal(&["phases=adam 5 then gauss-newton 5", "width=80", "points.interior=grid:200x200"], 500_000_000),
            "the run needs about 1.2 GB of memory, but 500 MB are available; most of it is for phase 2, `gauss-newton` \
             with 6801 parameters; choose `form=matrix-free`, or a smaller network"
        );
        let dense = refusal(&["phases=ssbroyden 5", "width=100"], 1_000_000_000);
        assert!(dense.contains("phase 1, `ssbroyden` with 10501 parameters; choose `lbfgs`, or"), "{dense}");
        let past = refusal(&["region.past=100000", "phases=adam 5"], 1000);
        assert!(
            past.ends_with("the gradients of past steps; lower `region.past`, or take a smaller network"),
            "{past}"
        );
    }

    #[test]
    fn what_fits_or_is_unknown_is_let_through() {
        let case = case(&[]);
        let estimate = MemoryEstimate::of(&case);
        assert!(estimate.check(&case, None).is_ok() && estimate.check(&case, Some(1 << 30)).is_ok());
        assert!(estimate.total() > 0);
        assert!(available().is_none_or(|bytes| bytes > 0));
    }
}
