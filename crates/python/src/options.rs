//! The options of the command line, from keywords.

use crate::error::Refused;
use crate::given::Given;
use crate::problem::Problem;
use pyo3::prelude::*;
use ropinn::config::{ConfigError, ObjectiveKind, SamplingKind, StrategyKind, WeightingKind};
use ropinn_engine::Precision;
use ropinn_runs::plan::Options;
use ropinn_runs::target::Target;
use ropinn_runs::{RunError, seeds};

/// The name that is meant most likely, if any is near.
#[pyfunction]
#[pyo3(signature = (name, known))]
pub fn nearest(name: &str, known: Vec<String>) -> Option<String> {
    ropinn_expr::nearest(name, known.iter().map(String::as_str)).map(str::to_owned)
}

/// What a target names: a problem at hand, or what the command line takes.
pub fn target(asked: &Bound<'_, PyAny>) -> Result<Target, Refused> {
    if let Ok(problem) = asked.cast::<Problem>() {
        return Ok(problem.get().target());
    }
    let name: String = asked.extract()?;
    Ok(asked.py().detach(|| Target::find(&name))?)
}

/// One of some words, or the nearest of them in the refusal.
pub fn one_of<T: Copy>(word: &str, what: &str, all: &[T], name: fn(T) -> &'static str) -> Result<T, Refused> {
    all.iter().copied().find(|choice| name(*choice) == word).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|choice| name(*choice)).collect();
        let near = ropinn_expr::nearest(word, known.iter().copied());
        let near = near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
        Refused::new(format!("`{word}` is not {what}{near}; choose one of: {}", known.join(", ")))
    })
}

fn chosen<T: Copy>(
    given: &Given<'_, '_>,
    key: &str,
    what: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<Option<T>, Refused> {
    given.text(key)?.map(|word| one_of(&word, what, all, name)).transpose()
}

/// The objective that is asked for.
pub fn objective(given: &Given<'_, '_>) -> Result<Option<ObjectiveKind>, Refused> {
    chosen(given, "objective", "an objective", &ObjectiveKind::ALL, ObjectiveKind::name)
}

/// Numbers to compute with.
pub fn precision(given: &Given<'_, '_>) -> Result<Option<Precision>, Refused> {
    let name = |precision| if precision == Precision::F32 { "f32" } else { "f64" };
    chosen(given, "precision", "a precision", &[Precision::F32, Precision::F64], name)
}

/// The model that is asked for.
pub fn model(given: &Given<'_, '_>) -> Result<Option<ropinn::model::ModelKind>, Refused> {
    let model = given.text("model")?.map(|word| word.parse()).transpose();
    model.map_err(|error| RunError::from(error).into())
}

/// Several seeds, as numbers or as a text.
pub fn several_seeds(given: &Given<'_, '_>) -> Result<Option<Vec<u64>>, Refused> {
    if let Ok(Some(text)) = given.text("seeds") {
        return Ok(Some(seeds::parse(&text)?));
    }
    let Some(list) = given.wholes("seeds")? else { return Ok(None) };
    // Read again from its text, so that what is refused of a text is refused of a list.
    let text = list.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    Ok(Some(seeds::parse(&text)?))
}

/// All options of a run.
pub fn read(given: &Given<'_, '_>) -> Result<Options, Refused> {
    let phases = given.text("optimizer")?.map(|text| text.parse()).transpose();
    let preset = given.text("preset")?.map(|text| text.parse()).transpose();
    Ok(Options {
        target: String::new(),
        // Variants and tables are chosen where a problem is opened.
        choices: Default::default(),
        model: model(given)?,
        objective: objective(given)?,
        weighting: chosen(given, "weighting", "a weighting", &WeightingKind::ALL, WeightingKind::name)?,
        sampling: chosen(given, "sampling", "a sampling", &SamplingKind::ALL, SamplingKind::name)?,
        strategy: chosen(given, "strategy", "a strategy", &StrategyKind::ALL, StrategyKind::name)?,
        phases: phases.map_err(|error: ConfigError| RunError::from(error))?,
        iterations: given.count("iterations")?.map(|count| count as u64),
        seed: given.whole("seed")?,
        seeds: several_seeds(given)?,
        success: given.number("success")?,
        preset: preset.map_err(|error: ConfigError| RunError::from(error))?,
        width: given.count("width")?,
        depth: given.count("depth")?,
        precision: precision(given)?,
        set: given.texts("set")?.unwrap_or_default(),
        init_from: given.path("init_from")?,
        out: given.path("out")?,
        max_seconds: given.number("max_seconds")?,
        target_error: given.number("target_error")?,
        strict: given.flag("strict")?,
    })
}
