//! The labelled set: problems, and what is done to their solves.

use crate::error::StudyError;
use ropinn::config::{ObjectiveKind, StrategyKind};
use ropinn::model::ModelKind;
use ropinn::problem::Problem;
use ropinn_engine::Precision;
use ropinn_expr::nearest;
use ropinn_runs::RunError;
use ropinn_runs::plan::Options;
use serde::Serialize;
use std::path::Path;

/// What is done to a solve, on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// Nothing: eighty Gauss–Newton steps.
    None,
    /// Nothing, and a correction at the end.
    Polished,
    /// Twelve steps.
    StoppedEarly,
    /// Four units in one layer.
    SmallNetwork,
    /// Sixty points for the equations.
    FewPoints,
    /// Conditions that hardly count.
    Unbalanced,
    /// L-BFGS in single precision.
    SinglePrecision,
    /// A condition is left out.
    Forgotten,
    /// A condition is said again, with another value.
    Contradiction,
}

impl Fault {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Polished => "polished",
            Self::StoppedEarly => "stopped early",
            Self::SmallNetwork => "small network",
            Self::FewPoints => "few points",
            Self::Unbalanced => "unbalanced terms",
            Self::SinglePrecision => "single precision",
            Self::Forgotten => "condition forgotten",
            Self::Contradiction => "contradiction",
        }
    }

    /// Whether the problem itself is not the one that the reference belongs to.
    pub fn is_in_the_problem(self) -> bool {
        matches!(self, Self::Forgotten | Self::Contradiction)
    }
}

/// Who has seen a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Half {
    /// The numbers of the verdict were chosen by these.
    Fitted,
    /// Nothing was.
    Unseen,
}

/// One solve.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TrustCase {
    /// A built-in problem.
    pub problem: &'static str,
    /// What is done to it.
    pub fault: Fault,
    /// The seed.
    pub seed: u64,
    /// Which half it belongs to.
    pub half: Half,
}

/// Problems of every kind: linear and not, steady and not, systems, fronts, corners, holes, many waves.
const PROBLEMS: [&str; 17] = [
    "reaction",
    "convection",
    "wave",
    "burgers-1d",
    "allen-cahn",
    "kdv",
    "schroedinger",
    "helmholtz-2d",
    "klein-gordon",
    "sine-gordon",
    "fisher-kpp",
    "kovasznay",
    "poisson-l-shape",
    "poisson-2d-c",
    "boundary-layer",
    "elasticity",
    "black-scholes",
];
const FAULTS: [Fault; 6] =
    [Fault::None, Fault::Polished, Fault::StoppedEarly, Fault::SmallNetwork, Fault::FewPoints, Fault::Unbalanced];
/// What makes no sense for all of them.
const SPECIAL: [(&str, Fault); 16] = [
    ("reaction", Fault::SinglePrecision),
    ("convection", Fault::SinglePrecision),
    ("wave", Fault::SinglePrecision),
    ("burgers-1d", Fault::SinglePrecision),
    ("reaction", Fault::Forgotten),
    ("convection", Fault::Forgotten),
    ("wave", Fault::Forgotten),
    ("burgers-1d", Fault::Forgotten),
    ("fisher-kpp", Fault::Forgotten),
    ("boundary-layer", Fault::Forgotten),
    ("wave", Fault::Contradiction),
    ("helmholtz-2d", Fault::Contradiction),
    ("boundary-layer", Fault::Contradiction),
    ("reaction", Fault::Contradiction),
    // Chaos: what is not solved must be said.
    ("ks-periodic", Fault::None),
    ("ks-periodic", Fault::StoppedEarly),
];

/// The whole set.
pub fn all() -> Vec<TrustCase> {
    let grid = PROBLEMS
        .iter()
        .enumerate()
        .flat_map(|(p, problem)| FAULTS.iter().enumerate().map(move |(f, fault)| (*problem, *fault, (p + f) % 2 == 0)));
    let special = SPECIAL.iter().enumerate().map(|(k, (problem, fault))| (*problem, *fault, k % 2 == 0));
    let case = |(problem, fault, fitted)| TrustCase {
        problem,
        fault,
        seed: 0,
        half: if fitted { Half::Fitted } else { Half::Unseen },
    };
    grid.chain(special).map(case).collect()
}

/// The solves of these problems; all if none is named.
pub fn chosen(problems: &[String]) -> Result<Vec<TrustCase>, StudyError> {
    let all = all();
    if let Some(name) = problems.iter().find(|name| all.iter().all(|case| case.problem != *name)) {
        let near = nearest(name, PROBLEMS).map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
        return Err(StudyError::NotInTrust(name.clone(), near));
    }
    let wanted = |case: &TrustCase| problems.is_empty() || problems.iter().any(|name| name == case.problem);
    Ok(all.into_iter().filter(wanted).collect())
}

impl TrustCase {
    /// Its name, which is that of its folder.
    pub fn name(&self) -> String {
        format!("{}-{}", self.problem, self.fault.name().replace(' ', "-"))
    }

    /// What `ropinn solve` is asked for; a changed problem is written beside the runs.
    pub fn options(&self, out: &Path) -> Result<Options, StudyError> {
        let mut options = Options {
            target: self.problem.to_owned(),
            strategy: Some(StrategyKind::Plain),
            phases: Some("gauss-newton 80".parse()?),
            seed: Some(self.seed),
            out: Some(out.join(self.name())),
            ..Options::default()
        };
        match self.fault {
            Fault::None => {}
            Fault::Polished => options.phases = Some("gauss-newton 80 then polish coefficients=1200".parse()?),
            Fault::StoppedEarly => options.phases = Some("gauss-newton 12".parse()?),
            Fault::SmallNetwork => (options.width, options.depth) = (Some(4), Some(1)),
            Fault::FewPoints => {
                options.objective = Some(ObjectiveKind::Point);
                options.set = vec!["points.interior=hammersley:60".to_owned()];
            }
            Fault::Unbalanced => {
                let terms = Problem::builtin(self.problem)?.terms(0)?;
                let conditions = terms.iter().filter(|term| term.name != "residual");
                options.set = conditions.map(|term| format!("weights.{}=1e-8", term.name)).collect();
            }
            Fault::SinglePrecision => {
                options.model = Some(ModelKind::Pinn);
                options.objective = Some(ObjectiveKind::Point);
                options.precision = Some(Precision::F32);
                options.phases = Some("lbfgs 100".parse()?);
                options.width = Some(32);
            }
            Fault::Forgotten | Fault::Contradiction => {
                let path = out.join(format!("{}.toml", self.name()));
                let write = || -> std::io::Result<()> {
                    std::fs::create_dir_all(out)?;
                    ropinn_files::write(&path, self.changed_problem().as_bytes())
                };
                write().map_err(|error| RunError::not_saved(&path, &error))?;
                options.target = path.display().to_string();
            }
        }
        Ok(options)
    }

    /// The problem without its last condition, or with the first one said again with another value.
    fn changed_problem(&self) -> String {
        let text = Problem::builtin_source(self.problem).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let starts: Vec<usize> = (0..lines.len()).filter(|&k| lines[k].trim() == "[[conditions]]").collect();
        let end = |start: usize| (start + 1..lines.len()).find(|&k| lines[k].starts_with('[')).unwrap_or(lines.len());
        let (Some(&first), Some(&last)) = (starts.first(), starts.last()) else { return text.to_owned() };
        if self.fault == Fault::Forgotten {
            let kept = lines.iter().enumerate().filter(|(k, _)| *k < last || *k >= end(last));
            return kept.map(|(_, line)| format!("{line}\n")).collect();
        }
        let again = lines[first..end(first)].iter().map(|line| match line.split_once('=') {
            Some((key, value)) if key.trim() == "value" => {
                format!("value = \"0.5 + ({})\"\n", value.trim().trim_matches('"'))
            }
            Some((key, _)) if key.trim() == "name" => "name = \"again\"\n".to_owned(),
            _ => format!("{line}\n"),
        });
        format!("{text}\n{}", again.collect::<String>())
    }
}
