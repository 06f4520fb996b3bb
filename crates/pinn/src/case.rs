//! A configuration made concrete: the problem opened, the network built, threads at hand.

use crate::config::{ProblemConfig, RunConfig};
use crate::error::Error;
use crate::model::{
    Custom, HardConstraint, MODEL_KEY, Model, ModelConfig, ModelError, ModelInputs, ModelKind, Piece, expand_sequence,
    graft,
};
use crate::problem::{Inputs, PointOverrides, Prescribed, Problem, ProblemError, Term, Trainable};
use crate::weights::{NamedTensors, WeightsError, theta_from};
use ropinn_engine::{EngineError, Evaluator, Network, Precision, Program, Samples, TermSpec, Threads};
use ropinn_expr::{Expr, MultiIndex};
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
        let inputs = model_inputs(&config, &problem)?;
        if !inputs.pieces.is_empty() && !model.builds_conditions_in() {
            return Err(ModelError::NoPieces { model: model.name().to_owned() }.into());
        }
        if (inputs.periodic.contains(&true) || inputs.hard_constraint.is_some()) && !model.builds_conditions_in() {
            return Err(ModelError::NothingExact { model: model.name().to_owned() }.into());
        }
        if !inputs.fields.is_empty() && !model.builds_conditions_in() {
            return Err(ModelError::NoFields { model: model.name().to_owned() }.into());
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
        theta.extend(self.problem.trainables().iter().map(Trainable::start));
        theta
    }

    /// The case with `width` units in each hidden layer, and parameters with which it is the function it is with `theta`:
    /// what is new draws its weights from `seed` and has no effect yet.
    ///
    /// ```
    /// use ropinn::{case::Case, config::RunConfig, metrics::Predictor};
    /// use ropinn_engine::Threads;
    /// let mut config = RunConfig::default();
    /// config.set_all(&["problem.name=wave", "model.width=8", "precision=f64"])?;
    /// let case = Case::new(config, &Threads::new(1)?)?;
    /// let theta = case.initial_theta();
    /// let (wider, grown) = case.grown(&theta, 12, 1)?;
    /// let value = |case: &Case, theta: &[f64]| Predictor::of(case, &["u_xx"])?.predict(theta, &[0.3, 0.4]);
    /// assert!((value(&case, &theta)?[0] - value(&wider, &grown)?[0]).abs() < 1e-14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn grown(&self, theta: &[f64], width: usize, seed: u64) -> Result<(Case, Vec<f64>), Error> {
        self.check_length(theta)?;
        let config = RunConfig { model: self.config.model.wider(width)?, ..self.config.clone() };
        let wider = Self::with_problem(config, self.problem.clone(), &self.threads)?;
        let mut grown = wider.model.initialise(&wider.network, seed, &wider.config.init);
        graft((self.network.layout(), theta), (wider.network.layout(), &mut grown));
        grown.extend_from_slice(&theta[self.network.parameters()..]);
        Ok((wider, grown))
    }

    /// Gives the first layer sines as short as `waves` over the range of a coordinate, where it has sines; says whether it has.
    pub(crate) fn sharpen(&self, theta: &mut [f64], axis: usize, waves: f64) -> bool {
        let layout = self.network.layout();
        let first = layout.tensors().iter().find(|tensor| tensor.name == "linear.0.weight");
        let (ModelConfig::Fls(sizes), Some(weight)) = (&self.config.model, first) else { return false };
        if sizes.fourier.is_some() || !sizes.normalise {
            return false;
        }
        // A periodic coordinate enters as sine and cosine, in front of those after it.
        let periodic = self.problem.periodic();
        let width = |axis: usize| if periodic[axis] { 2 } else { 1 };
        let begin: usize = (0..axis).map(width).sum();
        let (start, end) = (begin, begin + width(axis));
        // W is drawn from ±√(6/(inputs + units)); so many waves over [−1, 1] have the frequency π·waves.
        let columns = weight.shape[1];
        let reach = (6.0 / (weight.shape[0] + columns) as f64).sqrt();
        let factor = std::f64::consts::PI * waves / reach;
        for row in theta[weight.range()].chunks_exact_mut(columns) {
            row[start..end].iter_mut().for_each(|w| *w *= factor);
        }
        true
    }

    /// The units of the last hidden layer at points, `[point][unit]`, and how many there are; none if the model has no such layer.
    pub(crate) fn hidden_units(&self, theta: &[f64], points: &[f64]) -> Result<Option<(usize, Vec<f64>)>, Error> {
        let inputs = model_inputs(&self.config, &self.problem)?;
        let Some(network) = self.config.model.build_hidden(&inputs)? else { return Ok(None) };
        let units = network.unknowns();
        let spec = TermSpec::new("hidden", (0..units).map(|unit| Expr::unknown(unit, MultiIndex::default())).collect());
        let program = Program::compile(&Arc::new(network), &spec, 0)?;
        let mut evaluator = Evaluator::new(vec![program], Precision::F64, &self.threads)?;
        let set = evaluator.add(0, Samples::points(points))?;
        let mut values = Vec::new();
        evaluator.residuals(&theta[..self.network.parameters()], set, &mut values)?;
        Ok(Some((units, values)))
    }

    /// Refuses parameters of another network.
    pub(crate) fn check_length(&self, theta: &[f64]) -> Result<(), Error> {
        let (expected, found) = (self.parameters(), theta.len());
        if found == expected { Ok(()) } else { Err(Error::ThetaLength { expected, found }) }
    }

    /// θ with tensors from a file: the network's all of them, trained scalars as far as the file has them.
    /// Weights whose file says that they are another model's are refused.
    pub fn theta_from(&self, weights: &NamedTensors) -> Result<Vec<f64>, Error> {
        let own = self.config.model.kind();
        if let Some(other) = ModelKind::of_weights(weights).filter(|kind| *kind != own) {
            return Err(WeightsError::OtherModel { expected: own.name(), found: other.name() }.into());
        }
        let mut theta = theta_from(weights, self.network.layout())?;
        let number = |own: &Trainable| weights.trained(&own.name).map_or(own.start(), |k| own.transform.theta(k));
        theta.extend(self.problem.trainables().iter().map(number));
        Ok(theta)
    }

    /// The numbers θ stands for: those people see, not what is trained in their place.
    ///
    /// ```
    /// use ropinn::{case::Case, config::RunConfig, problem::Problem};
    /// use ropinn_engine::Threads;
    /// let text = "coordinates = { t = [0, 1] }\nunknowns = ['u']\nequations = { decay = 'u_t + k*u' }\n\
    ///     trainable = { k = { init = 0.5, bounds = [0, inf] } }";
    /// let problem = Problem::from_toml(text, "decay.toml".as_ref())?;
    /// let case = Case::with_problem(RunConfig::default(), problem, &Threads::new(1)?)?;
    /// let theta = case.initial_theta();
    /// assert_eq!(theta.last(), Some(&0.5f64.ln()));
    /// assert!((case.trained_numbers(&theta)[0] - 0.5).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn trained_numbers(&self, theta: &[f64]) -> Vec<f64> {
        let trained = theta.get(self.network.parameters()..).unwrap_or_default();
        self.problem.trainables().iter().zip(trained).map(|(own, theta)| own.transform.value(*theta)).collect()
    }

    /// θ as a weights file holds it, with the names of problem and model.
    pub fn weights(&self, theta: &[f64]) -> Result<NamedTensors, Error> {
        self.check_length(theta)?;
        let network = &theta[..self.network.parameters()];
        let names = self.problem.trainables().iter().map(|own| own.name.as_str());
        let scalars = names.zip(self.trained_numbers(theta));
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

/// What a model must know of a problem under a configuration.
fn model_inputs(config: &RunConfig, problem: &Problem) -> Result<ModelInputs, Error> {
    let mut inputs = ModelInputs::new(problem.coordinate_names().len(), problem.unknown_names().len());
    (inputs.ranges, inputs.seed) = (problem.ranges(), config.seed);
    inputs.periodic = problem.periodic().to_vec();
    inputs.fields = problem.fields().to_vec();
    for field in &mut inputs.fields {
        field.width = config.fields.units.unwrap_or(field.width);
        field.depth = config.fields.hidden_layers.unwrap_or(field.depth);
    }
    inputs.hard_constraint = problem.prescribed().map(hard_constraint);
    inputs.pieces = pieces(&config.pieces, problem)?;
    Ok(inputs)
}

/// The intervals of time between these instants, each with what its network satisfies by construction.
fn pieces(ends: &[f64], problem: &Problem) -> Result<Vec<Piece>, Error> {
    if ends.is_empty() {
        return Ok(Vec::new());
    }
    let name = || problem.name.clone();
    let Some((start, end)) = problem.marching_range() else {
        return Err(Error::NoTimeForPieces { problem: name() });
    };
    // Without time, what lies between two pieces is a boundary value problem's own affair.
    if let (None, Err(reason)) = (problem.time_axis(), problem.marching()) {
        return Err(ProblemError::NotMarching { problem: name(), reason: Box::new(reason) }.into());
    }
    if let Some(&instant) = ends.iter().find(|instant| !(start < **instant && **instant < end)) {
        return Err(Error::PieceOutside { problem: name(), instant, start, end });
    }
    let instants: Vec<f64> = [start].iter().chain(ends).chain([&end]).copied().collect();
    let piece = |pair: &[f64]| -> Result<Piece, Error> {
        let hard_constraint = problem.prescribed_during(pair[0], pair[1])?.as_ref().map(hard_constraint);
        Ok(Piece { range: (pair[0], pair[1]), hard_constraint })
    };
    instants.windows(2).map(piece).collect()
}

fn hard_constraint(exact: &Prescribed) -> HardConstraint {
    HardConstraint { g: exact.g.clone(), d: exact.d.clone() }
}

/// The problem by its text, its built-in name or its path, in this order.
fn open(config: &ProblemConfig) -> Result<Problem, Error> {
    let Some(text) = &config.source else { return Ok(Problem::open(&config.name)?) };
    let path = Path::new(&config.name);
    let inputs = Inputs::below(path.parent().unwrap_or(Path::new("")));
    let inputs = if config.inputs.is_empty() { inputs } else { inputs.knowing(&config.inputs) };
    Ok(Problem::from_toml_with(text, path, inputs)?)
}
