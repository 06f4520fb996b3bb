//! From a configuration to a network: sizes checked, the architecture laid out, hard constraints put around it.

use super::backbone::{Check, MAX_WIDTH, Shapes};
use super::features;
use super::fields;
use super::paper::Benchmark;
use super::{HardConstraint, Init, Model, ModelConfig, ModelError, ModelInputs, ModelKind, Sequence};
use crate::weights::{NamedTensors, WeightsError};
use ropinn_engine::{Network, NetworkBuilder, NodeId};

/// Largest number of parameters a model may have (1 GiB in double precision).
pub const MAX_PARAMETERS: usize = 1 << 27;

/// Key of a weight file's metadata under which our own files keep the whole configuration of their model.
const CONFIG_KEY: &str = "model_config";

/// Key under which they keep its kind.
pub(crate) const MODEL_KEY: &str = "model";

impl ModelKind {
    /// The model a weights file says it is of; files from elsewhere say nothing.
    pub fn of_weights(tensors: &NamedTensors) -> Option<Self> {
        let name = tensors.metadata.get(MODEL_KEY)?;
        Self::ALL.into_iter().chain([Self::Custom]).find(|kind| kind.name() == name)
    }
}

impl Model for ModelConfig {
    fn name(&self) -> &str {
        match self {
            Self::Custom(custom) => &custom.name,
            model => model.kind().name(),
        }
    }

    /// The network, with parameter tensors named and shaped as in the published PyTorch modules.
    fn build(&self, inputs: &ModelInputs) -> Result<Network, ModelError> {
        let (backbone, check) = (self.backbone(), Check { model: self.kind() });
        check.size("coordinates", inputs.coordinates, MAX_WIDTH)?;
        check.size("unknowns", inputs.unknowns, MAX_WIDTH)?;
        backbone.check(&check)?;
        let elements = self.sequence().map_or(1, |sequence| sequence.len);
        let mut net = NetworkBuilder::sequence(inputs.coordinates, elements);
        if inputs.periodic.contains(&true) {
            net.embed_periods(&inputs.periods())?;
        }
        let solution = inputs.without_fields();
        let output = match &solution.pieces[..] {
            [] => self.lay_out(&mut net, &solution)?,
            // The elements of a sequence would lie in different pieces.
            _ if elements > 1 => return Err(ModelError::NoPieces { model: self.name().to_owned() }),
            pieces => {
                let mut parts = Vec::new();
                for (k, piece) in pieces.iter().enumerate() {
                    net.prefix_names(format!("pieces.{k}."));
                    parts.push(self.lay_out(&mut net, &solution.during(piece))?);
                }
                let ends: Vec<f64> = pieces[1..].iter().map(|piece| piece.range.0).collect();
                net.pieces(inputs.coordinates - 1, &ends, &parts)?
            }
        };
        let output = fields::beside(&mut net, output, inputs)?;
        let network = net.build(output)?;
        match network.parameters() {
            parameters if parameters > MAX_PARAMETERS => {
                Err(ModelError::TooManyParameters { model: self.kind(), parameters, max: MAX_PARAMETERS })
            }
            _ => Ok(network),
        }
    }

    fn builds_conditions_in(&self) -> bool {
        true
    }

    fn initialise(&self, network: &Network, seed: u64, init: &Init) -> Vec<f64> {
        let layout = network.layout();
        let mut theta = init.fill(network, seed, |tensor, values, draw| {
            !tensor.name.starts_with(fields::PREFIX) && self.backbone().start(tensor, layout, values, draw)
        });
        if let Self::Features(features) = self {
            features.draw(layout, seed, &mut theta);
        }
        theta
    }

    fn sequence(&self) -> Option<Sequence> {
        self.backbone().sequence()
    }
}

impl ModelConfig {
    /// The network up to its last hidden layer, with all parameters of the whole; none if its output is no linear map of units.
    pub(crate) fn build_hidden(&self, inputs: &ModelInputs) -> Result<Option<Network>, ModelError> {
        if self.sequence().is_some() || !inputs.pieces.is_empty() {
            return Ok(None);
        }
        let mut net = NetworkBuilder::new(inputs.coordinates);
        let mut seen = inputs.clone();
        if inputs.periodic.contains(&true) {
            net.embed_periods(&inputs.periods())?;
            seen = inputs.embedded();
        }
        let (_, hidden) = features::below(self, &mut net, &seen)?;
        Ok(hidden.map(|hidden| net.build(hidden)).transpose()?)
    }

    /// The architecture on what stands in front of it, with hard constraints around it.
    fn lay_out(&self, net: &mut NetworkBuilder, inputs: &ModelInputs) -> Result<NodeId, ModelError> {
        let output = match inputs.periodic.contains(&true) {
            true => self.backbone().lay_out(self.kind(), net, &inputs.embedded())?,
            false => self.backbone().lay_out(self.kind(), net, inputs)?,
        };
        let Some(HardConstraint { g, d }) = &inputs.hard_constraint else { return Ok(output) };
        let unknowns = inputs.unknowns;
        match g.len() == unknowns && d.len() == unknowns {
            true => Ok(net.hard_constraint(output, g.clone(), d.clone())?),
            false => Err(ModelError::ConstraintCount { unknowns, g: g.len(), d: d.len() }),
        }
    }

    /// The model as the paper uses it on the problem of that name (`reaction`, `wave`, `convection`, or one of PINNacle's).
    ///
    /// On `wave` the paper's PINNsFormer is the encoder alone. On PINNacle's problems it states the size of the plain network
    /// only (5 × 100); the other models keep their default sizes there.
    pub fn paper(kind: ModelKind, problem: &str) -> Self {
        let benchmark = Benchmark::of(problem);
        let kind = match (kind, benchmark) {
            (ModelKind::Pinnsformer, Benchmark::Wave) => ModelKind::PinnsformerEncoder,
            _ => kind,
        };
        let mut config = Self::new(kind);
        config.backbone_mut().take_paper(kind, benchmark);
        config
    }

    /// The configuration of a model of that kind whose tensors these are.
    ///
    /// Files written by us say it themselves ([`Self::weights_metadata`]); elsewhere, what shapes do not tell keeps its
    /// default: activation, input normalisation, Fourier features, the number of attention heads, the pseudo-sequence, and
    /// the spline grid unless the file holds it, as the published KAN's files do.
    pub fn from_weights(kind: ModelKind, tensors: &NamedTensors) -> Result<Self, WeightsError> {
        let own = tensors.metadata.get(CONFIG_KEY).and_then(|text| serde_json::from_str::<Self>(text).ok());
        if let Some(config) = own.filter(|config| config.kind() == kind) {
            return Ok(config);
        }
        let mut config = Self::new(kind);
        config.backbone_mut().read(&Shapes { kind, tensors })?;
        Ok(config)
    }

    /// The metadata entry that lets [`Self::from_weights`] restore what shapes do not tell.
    pub fn weights_metadata(&self) -> Option<(String, String)> {
        Some((CONFIG_KEY.to_owned(), serde_json::to_string(self).ok()?))
    }

    /// A model small enough to train within about a minute, and the outer steps that takes.
    pub(crate) fn quick(kind: ModelKind) -> (Self, u64) {
        let mut config = Self::new(kind);
        let steps = config.backbone_mut().take_quick();
        (config, steps)
    }

    /// The width of the hidden layers and their number; for a PINNsFormer those of its embedding and its layers.
    pub fn width_and_depth(&self) -> (usize, usize) {
        self.backbone().width_and_depth()
    }

    /// Changes them, where given.
    pub fn resize(&mut self, width: Option<usize>, depth: Option<usize>) {
        self.backbone_mut().resize(width, depth);
    }

    /// Settings that are not counts, by name; sizes are checked when the network is built.
    pub(crate) fn numbers(&self) -> Vec<(&'static str, f64)> {
        self.backbone().numbers()
    }
}
