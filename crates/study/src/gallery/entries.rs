//! What the gallery shows, and what is wanted of it: the error and the time that every seed must keep to, on two cores.

use crate::error::StudyError;
use ropinn::model::ModelKind;
use ropinn_expr::nearest;
use ropinn_runs::plan::Options;
use ropinn_runs::seeds::repeated;
use serde::Serialize;

/// What every seed must keep to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Wanted {
    /// Largest relative error.
    pub rmse: f64,
    /// Longest training.
    pub seconds: f64,
}

/// How a problem is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solve {
    /// With no options.
    #[default]
    NoOptions,
    /// `--model features`.
    Features,
    /// `--optimizer "gauss-newton … then polish"`.
    Polished(u64),
}

impl Solve {
    /// The options, on top of others.
    pub(super) fn options(self, others: Options) -> Result<Options, StudyError> {
        Ok(match self {
            Self::NoOptions => others,
            Self::Features => Options { model: Some(ModelKind::Features), ..others },
            Self::Polished(steps) => {
                Options { phases: Some(format!("gauss-newton {steps} then polish").parse()?), ..others }
            }
        })
    }
}

/// A problem of the gallery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Its name, as `ropinn solve` knows it.
    pub problem: &'static str,
    /// What is wanted, if anything.
    pub wanted: Option<Wanted>,
    /// What one has to know about its error.
    pub note: &'static str,
    /// How it is solved.
    pub solve: Solve,
}

impl Entry {
    /// A problem with a target.
    pub const fn wanted(problem: &'static str, rmse: f64, seconds: f64) -> Self {
        Self { problem, wanted: Some(Wanted { rmse, seconds }), note: "", solve: Solve::NoOptions }
    }

    /// A problem that is only shown.
    pub const fn shown(problem: &'static str) -> Self {
        Self { problem, wanted: None, note: "", solve: Solve::NoOptions }
    }

    /// The same, solved in another way.
    pub const fn by(self, solve: Solve) -> Self {
        Self { solve, ..self }
    }

    const fn with_note(self, note: &'static str) -> Self {
        Self { note, ..self }
    }
}

const VELOCITY: &str = "The error is that of the velocity: the reference has no pressure.";

/// The whole gallery, in the order it is shown.
pub const GALLERY: [Entry; 22] = [
    Entry::wanted("reaction", 2e-6, 30.0),
    Entry::wanted("convection", 5e-6, 30.0),
    Entry::wanted("wave", 2e-5, 30.0),
    Entry::wanted("burgers-1d", 1e-4, 90.0),
    Entry::wanted("allen-cahn", 1e-4, 120.0),
    Entry::wanted("kdv", 1e-4, 120.0),
    Entry::wanted("schroedinger", 1e-3, 180.0),
    Entry::wanted("helmholtz-2d", 1e-5, 120.0),
    Entry::wanted("klein-gordon", 1e-5, 120.0),
    Entry::wanted("sine-gordon", 1e-5, 120.0),
    Entry::wanted("fisher-kpp", 1e-5, 120.0),
    Entry::wanted("kovasznay", 1e-5, 120.0),
    Entry::wanted("taylor-green", 1e-5, 120.0),
    Entry::wanted("cavity", 1e-3, 180.0).with_note(VELOCITY),
    Entry::wanted("poisson-l-shape", 5e-3, 120.0),
    Entry::wanted("poisson-2d-c", 1e-3, 180.0),
    Entry::wanted("heat-2d-ms", 1e-3, 180.0),
    Entry::wanted("ks-periodic", 1e-2, 600.0).with_note("Up to t = 0.5, before chaos sets in."),
    Entry::shown("boundary-layer"),
    Entry::shown("elasticity"),
    Entry::shown("cavity-re400").with_note(VELOCITY),
    Entry::shown("black-scholes"),
];

/// What features and corrections are wanted to reach.
pub const PRECISION: [Entry; 14] = [
    Entry::wanted("wave", 1e-10, 10.0).by(Solve::Features),
    Entry::wanted("convection", 1e-10, 10.0).by(Solve::Features),
    Entry::wanted("helmholtz-2d", 1e-10, 10.0).by(Solve::Features),
    Entry::wanted("poisson-square", 1e-10, 10.0).by(Solve::Features),
    Entry::wanted("heat-rod", 1e-8, 30.0).by(Solve::Features),
    Entry::wanted("heat-square", 1e-8, 30.0).by(Solve::Features),
    Entry::wanted("poisson-disk", 1e-8, 30.0).by(Solve::Features),
    Entry::wanted("poisson-2d-c", 1e-4, 30.0).by(Solve::Features),
    Entry::wanted("reaction", 1e-8, 60.0).by(Solve::Polished(80)),
    Entry::wanted("klein-gordon", 1e-8, 60.0).by(Solve::Polished(80)),
    Entry::wanted("kovasznay", 1e-8, 60.0).by(Solve::Polished(80)),
    Entry::wanted("burgers-1d", 1e-6, 120.0).by(Solve::Polished(200)),
    Entry::wanted("allen-cahn", 1e-5, 120.0).by(Solve::Polished(200)),
    Entry::wanted("kdv", 1e-5, 120.0).by(Solve::Polished(200)),
];

/// The problems of these names among `all`, in the order they are named; all if none is.
pub fn chosen(all: &[Entry], names: &[String]) -> Result<Vec<Entry>, StudyError> {
    if names.is_empty() {
        return Ok(all.to_vec());
    }
    if let Some(name) = repeated(names) {
        return Err(StudyError::Repeated("problem", name.clone()));
    }
    names.iter().map(|name| find(all, name)).collect()
}

fn find(all: &[Entry], name: &str) -> Result<Entry, StudyError> {
    let known = || all.iter().map(|entry| entry.problem);
    all.iter().copied().find(|entry| entry.problem == name).ok_or_else(|| StudyError::NotInGallery {
        name: name.to_owned(),
        suggestion: nearest(name, known()).map_or_else(String::new, |near| format!(" (did you mean `{near}`?)")),
        known: known().collect::<Vec<_>>().join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropinn::problem::Problem;

    #[test]
    fn every_entry_is_a_built_in_problem_with_a_reference_and_stands_there_once() {
        for entry in GALLERY.into_iter().chain(PRECISION) {
            let problem = Problem::builtin(entry.problem).unwrap_or_else(|error| panic!("{error}"));
            assert!(problem.has_reference(), "{}", entry.problem);
            assert_eq!(entry.note == VELOCITY, problem.referenced().contains(&false), "{}", entry.problem);
            let is_sensible = |wanted: Wanted| wanted.rmse > 0.0 && wanted.rmse < 0.1 && wanted.seconds >= 10.0;
            assert!(entry.wanted.is_none_or(is_sensible), "{}", entry.problem);
        }
        assert_eq!(repeated(&GALLERY.map(|entry| entry.problem)), None);
        assert_eq!(repeated(&PRECISION.map(|entry| entry.problem)), None);
    }

    #[test]
    fn the_time_of_the_chaotic_problem_ends_where_its_note_says() {
        let problem = Problem::builtin("ks-periodic").expect("built in");
        assert_eq!(problem.ranges().last(), Some(&(0.0, 0.5)));
    }

    #[test]
    fn problems_are_chosen_by_name() {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let problems = |list: &[&str]| {
            chosen(&GALLERY, &names(list)).map(|entries| entries.iter().map(|entry| entry.problem).collect::<Vec<_>>())
        };
        assert_eq!(problems(&[]).expect("all").len(), GALLERY.len());
        assert_eq!(problems(&["wave", "kdv"]).expect("two"), ["wave", "kdv"]);
        assert_eq!(
            problems(&["wave", "wave"]).expect_err("twice").to_string(),
            "problem `wave` is named twice; name it once"
        );
        let unknown = problems(&["kvd"]).expect_err("unknown").to_string();
        assert!(unknown.starts_with("the gallery does not show `kvd` (did you mean `kdv`?); it shows: reaction, "));
    }
}
