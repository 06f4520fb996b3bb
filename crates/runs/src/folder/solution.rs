//! `solution.toml`: what the weights of a run belong to, if that is another model than the one that was asked for, such as a
//! wider one, or one in pieces of time. `config.toml` stays what was asked for.

use super::{MAX_CONFIG_BYTES, RunFolder, names};
use crate::error::RunError;
use ropinn::config::RunConfig;
use ropinn_files::read_text;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// The configuration that the weights in the folder of a run belong to; `config` is the run's own.
pub(crate) fn solution_of(config: &RunConfig, run: &Path) -> Result<RunConfig, RunError> {
    let path = run.join(names::SOLUTION);
    if fs::symlink_metadata(&path).is_err() {
        return Ok(config.clone());
    }
    if !ropinn_files::is_below(run, &path) {
        return Err(RunError::LeadsOut(run.to_owned(), names::SOLUTION.to_owned()));
    }
    let solution = RunConfig::from_toml(&read_text(&path, MAX_CONFIG_BYTES)?)
        .map_err(|error| RunError::Unreadable(path, error.to_string()))?;
    if solution.problem != config.problem {
        let reason = format!("{} is about another problem than {}", names::SOLUTION, names::CONFIG);
        return Err(RunError::NotARun(run.to_owned(), reason));
    }
    Ok(solution)
}

impl RunFolder {
    /// Writes the configuration of the solution, unless it is the run's own; then there is none.
    pub(super) fn keep_solution(&self, solution: &RunConfig) -> Result<(), RunError> {
        let own = read_text(&self.path().join(names::CONFIG), MAX_CONFIG_BYTES);
        let own = own.ok().and_then(|text| RunConfig::from_toml(&text).ok());
        if own.is_some_and(|own| own != *solution) {
            return self.write(names::SOLUTION, solution.to_toml().as_bytes());
        }
        let path = self.path().join(names::SOLUTION);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(RunError::not_saved(&path, &error)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate;
    use crate::folder::FinishedRun;
    use crate::plan::{Existing, Options, Plan};
    use crate::predict::RunPredictor;
    use ropinn::metrics::Predictor;
    use ropinn::pieces::{joined, part};
    use ropinn_engine::Threads;
    use std::sync::atomic::AtomicBool;

    type Fallible = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn a_run_may_end_with_another_model_than_was_asked_for() -> Fallible {
        let (here, threads, stop) = (tempfile::tempdir()?, Threads::new(1)?, AtomicBool::new(false));
        let set =
            ["points.interior=grid:9x9", "points.evaluation=grid:9x9", "precision=f64"].map(str::to_owned).to_vec();
        let out = Some(here.path().join("run"));
        let (width, depth, iterations) = (Some(4), Some(2), Some(2));
        let options = Options { target: "wave".to_owned(), iterations, width, depth, set, out, ..Options::default() };
        let plan = Plan::new(&options)?;
        let mut runs = plan.begin(Existing::Refuse, &threads)?;
        let saved = runs.run(0, &mut (), &stop)?;
        let (folder, file) = (runs.folder.clone(), plan.out.join(names::SOLUTION));
        assert!(!file.exists());

        // Two pieces, wider than the run was.
        let (wide, theta) = plan.case(0, &threads)?.grown(&saved.outcome.theta, 6, 1)?;
        let early = part(&wide, (0.0, 0.5), None)?;
        let late = part(&wide, (0.5, 1.0), Some((&early, &theta)))?;
        let other = late.initial_theta();
        let (solution, theta) = joined(&wide, &[(&early, &theta), (&late, &other)])?;
        let outcome = ropinn::train::TrainOutcome { theta: theta.clone(), ..saved.outcome };
        let outcome = folder.finish(&solution, outcome, &mut ())?.outcome;
        let run = FinishedRun::load(&plan.out)?;
        assert_eq!(run.config, *plan.case(0, &threads)?.config());
        assert_eq!((&run.solution, &run.solution.pieces[..]), (solution.config(), &[0.5][..]));

        // All that read the weights take it.
        let points = [0.1, 0.2, 0.3, 0.5, 0.9, 0.9];
        let wanted = Predictor::of(&solution, &["u"])?.predict(&theta, &points)?;
        assert_eq!(RunPredictor::new(&run, None, &threads)?.predict(&points)?, wanted);
        assert_eq!(run.trained(&threads)?.1, theta);
        let of = |weights| evaluate::Options {
            target: plan.out.display().to_string(),
            model: None,
            weights,
            precision: None,
            seed: None,
            set: Vec::new(),
        };
        let evaluated = |weights| evaluate::Report::new(&of(weights), &threads).map(|report| report.parameters);
        assert_eq!(evaluated(None)?, theta.len());
        assert_eq!(evaluated(Some(plan.out.join(".").join(names::WEIGHTS)))?, theta.len());
        let page = crate::report::compare(std::slice::from_ref(&plan.out))?.html;
        assert!(page.contains("solution.pieces") && page.contains("solution.model.width"), "{page}");
        assert!(!page.contains("solution.model.depth"));
        // Repeating it repeats what was asked for.
        let again = Plan::new(&Options { target: plan.out.display().to_string(), ..Options::default() })?;
        assert_eq!(again.config(), &run.config);

        // About another problem.
        let text = fs::read_to_string(&file)?;
        fs::write(&file, text.replace("name = \"wave\"", "name = \"tide\""))?;
        let refused = FinishedRun::load(&plan.out).err().expect("refused").to_string();
        assert!(refused.contains("solution.toml is about another problem than config.toml"), "{refused}");
        fs::write(&file, "pieces = [0.5, 0.5]")?;
        let refused = FinishedRun::load(&plan.out).err().expect("refused").to_string();
        assert!(refused.contains("solution.toml") && refused.contains("`pieces.1` is 0.5"), "{refused}");

        // The next end of the run replaces it, and so does another run.
        let (case, theta) = (plan.case(0, &threads)?, plan.case(0, &threads)?.initial_theta());
        folder.finish(&case, ropinn::train::TrainOutcome { theta, ..outcome }, &mut ())?;
        assert!(!file.exists());
        fs::write(&file, &text)?;
        drop((folder, runs));
        plan.begin(Existing::Replace, &threads)?;
        assert!(!file.exists());
        Ok(())
    }
}
