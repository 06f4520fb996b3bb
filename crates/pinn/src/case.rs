//! A configuration made concrete: the problem opened, the network built, threads at hand.

use crate::config::{ProblemConfig, RunConfig};
use crate::error::Error;
use crate::model::{
    Custom, HardConstraint, MODEL_KEY, Model, ModelConfig, ModelError, ModelInputs, ModelKind, expand_sequence,
};
use crate::problem::{Inputs, PointOverrides, Problem, Term};
use crate::weights::{NamedTensors, WeightsError, theta_from};
use ropinn_engine::{EngineError, Network, Program, TermSpec, Threads};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

/// One problem with one model, ready to be trained, evaluated or asked for predictions.
///
/// ```
/// use ropinn::{case::Case, config::RunConfig};
/// use ropinn_engine::Threads;
/// let mut config = RunConfig::default();
/// config.set_all(&["problem.name=convection", "model.width=16"])?;
/// let case = Case::new(config, &Threads::new(1)?)?;
/// assert_eq!(case.initial_theta().len(), case.parameters());
/// assert!(case.config().problem.source.is_some()); // what is saved with a run is complete
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Case {
    config: RunConfig,
    problem: Arc<Problem>,
    model: Arc<dyn Model>,
    network: Arc<Network>,
    threads: Threads,
}

impl Case {
    /// Opens the problem the configuration names.
    pub fn new(config: RunConfig, threads: &Threads) -> Result<Self, Error> {
        let problem = open(&config.problem)?;
        Self::with_problem(config, problem, threads)
    }

    /// Takes a problem at hand, such as one built in Rust. Its text replaces that of the configuration; a problem built in
    /// Rust has none, so a run of it can be repeated by its program only.
    pub fn with_problem(config: RunConfig, problem: impl Into<Arc<Problem>>, threads: &Threads) -> Result<Self, Error> {
        let model = Arc::new(config.model.clone());
        Self::of(config, problem.into(), model, threads)
    }

    /// Takes a model at hand too. The configuration keeps its name in place of what it says of a model; if it has the name
    /// of another model composed in a program, that is refused.
    pub fn with_model(
        mut config: RunConfig,
        problem: impl Into<Arc<Problem>>,
        model: impl Model + 'static,
        threads: &Threads,
    ) -> Result<Self, Error> {
        let custom = Custom { name: model.name().to_owned() };
        if let ModelConfig::Custom(Custom { name: expected }) = &config.model
            && *expected != custom.name
        {
            return Err(ModelError::OtherModel { expected: expected.clone(), found: custom.name }.into());
        }
        config.model = ModelConfig::Custom(custom);
        Self::of(config, problem.into(), Arc::new(model), threads)
    }

    fn of(
        mut config: RunConfig,
        mut problem: Arc<Problem>,
        model: Arc<dyn Model>,
        threads: &Threads,
    ) -> Result<Self, Error> {
        config.validate()?;
        let points = config.points.overrides()?;
        if points != PointOverrides::default() {
            problem = Arc::new(Arc::unwrap_or_clone(problem).with_points(&points));
        }
        if config.problem.name.is_empty() {
            config.problem.name.clone_from(&problem.name);
        }
        config.problem.source = Some(problem.source_text().to_owned()).filter(|text| !text.is_empty());
        config.problem.inputs = problem.inputs().iter().map(|file| (file.name.clone(), file.checksum)).collect();
        let mut inputs = ModelInputs::new(problem.coordinate_names().len(), problem.unknown_names().len());
        (inputs.ranges, inputs.seed) = (problem.ranges(), config.seed);
        inputs.periodic = problem.periodic().to_vec();
        inputs.hard_constraint =
            problem.prescribed().map(|exact| HardConstraint { g: exact.g.clone(), d: exact.d.clone() });
        if (inputs.periodic.contains(&true) || inputs.hard_constraint.is_some()) && !model.builds_conditions_in() {
            return Err(ModelError::NothingExact { model: model.name().to_owned() }.into());
        }
        let network = Arc::new(model.build(&inputs)?);
        let elements = model.sequence().map_or(1, |sequence| sequence.len);
        for (what, expected, found) in [
            ("coordinates", inputs.coordinates, network.coordinates()),
            ("unknowns", inputs.unknowns, network.unknowns()),
            ("elements", elements, network.elements()),
        ] {
            if found != expected {
                let model = model.name().to_owned();
                return Err(ModelError::OtherProblem { model, what, expected, found }.into());
            }
        }
        if model.sequence().is_some() && problem.time_axis().is_none() {
            return Err(Error::NoTime { model: config.model.kind(), problem: problem.name.clone() });
        }
        Ok(Self { config, problem, model, network, threads: threads.clone() })
    }

    /// The complete configuration: with the text of the problem, so that it can be run again anywhere.
    pub fn config(&self) -> &RunConfig {
        &self.config
    }

    /// The problem, on the points the configuration asks for.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The threads evaluations run on.
    pub fn threads(&self) -> &Threads {
        &self.threads
    }

    /// Length of θ: the network's parameters, then the problem's trained scalars.
    pub fn parameters(&self) -> usize {
        self.network.parameters() + self.problem.trainables().len()
    }

    /// Starting parameters drawn from the seed, then the first values of the trained scalars.
    pub fn initial_theta(&self) -> Vec<f64> {
        let mut theta = self.model.initialise(&self.network, self.config.seed, &self.config.init);
        theta.extend(self.problem.trainables().iter().map(|(_, first)| first));
        theta
    }

    /// θ with tensors from a file: the network's all of them, trained scalars as far as the file has them.
    /// Weights whose file says that they are another model's are refused.
    pub fn theta_from(&self, weights: &NamedTensors) -> Result<Vec<f64>, Error> {
        let own = self.config.model.kind();
        if let Some(other) = ModelKind::of_weights(weights).filter(|kind| *kind != own) {
            return Err(WeightsError::OtherModel { expected: own.name(), found: other.name() }.into());
        }
        let mut theta = theta_from(weights, self.network.layout())?;
        theta.extend(self.problem.trainables().iter().map(|(name, first)| weights.trained(name).unwrap_or(*first)));
        Ok(theta)
    }

    /// θ as a weights file holds it, with the names of problem and model.
    pub fn weights(&self, theta: &[f64]) -> Result<NamedTensors, Error> {
        let (expected, found) = (self.parameters(), theta.len());
        if found != expected {
            return Err(Error::ThetaLength { expected, found });
        }
        let (network, trained) = theta.split_at(self.network.parameters());
        let scalars = self.problem.trainables().iter().map(|(name, _)| name.as_str()).zip(trained.iter().copied());
        let mut weights = NamedTensors::from_theta(self.network.layout(), network)?.with_trained(scalars);
        let model = &self.config.model;
        weights.metadata.insert("problem".to_owned(), self.problem.name.clone());
        weights.metadata.insert(MODEL_KEY.to_owned(), model.kind().name().to_owned());
        weights.metadata.extend(model.weights_metadata());
        Ok(weights)
    }

    /// Compiles expressions in the names of the problem for the network.
    pub(crate) fn compile(&self, spec: &TermSpec) -> Result<Program, EngineError> {
        Program::compile(&self.network, spec, self.problem.trainables().len())
    }

    /// The program of a term whose expressions are parts of these counts.
    pub(crate) fn program(&self, term: &Term, parts: Vec<usize>) -> Result<Program, EngineError> {
        let spec = TermSpec::new(term.name.clone(), term.residuals.clone()).in_parts(parts);
        self.compile(&if term.first_element_only { spec.on_first_element() } else { spec })
    }

    /// Points as the network takes them: `[point][element][axis]`.
    pub(crate) fn network_points<'a>(&self, points: &'a [f64]) -> Cow<'a, [f64]> {
        match (self.model.sequence(), self.problem.time_axis()) {
            (Some(sequence), Some(time)) => {
                Cow::Owned(expand_sequence(points, self.network.coordinates(), sequence, time))
            }
            _ => Cow::Borrowed(points),
        }
    }
}

/// The problem by its text, its built-in name or its path, in this order.
fn open(config: &ProblemConfig) -> Result<Problem, Error> {
    let Some(text) = &config.source else { return Ok(Problem::open(&config.name)?) };
    let path = Path::new(&config.name);
    let inputs = Inputs::below(path.parent().unwrap_or(Path::new("")));
    let inputs = if config.inputs.is_empty() { inputs } else { inputs.knowing(&config.inputs) };
    Ok(Problem::from_toml_with(text, path, inputs)?)
}
