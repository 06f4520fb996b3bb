//! From a configuration to a network: sizes checked, the architecture laid out, hard constraints put around it.

use super::{Fourier, ModelConfig, ModelError, ModelKind, kan, mlp, transformer};
use ropinn_engine::{Activation, Network, NetworkBuilder};
use ropinn_expr::Expr;

/// Largest number of parameters a model may have (1 GiB in double precision).
pub const MAX_PARAMETERS: usize = 1 << 27;

/// Limits that keep a mistyped size from asking for absurd amounts of memory or time.
const MAX_WIDTH: usize = 1 << 16;
const MAX_DEPTH: usize = 1 << 10;
const MAX_ELEMENTS: usize = 1 << 6;

/// What a model must know of the problem it is built for.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelInputs {
    /// Number of coordinates, e.g. 2 for (x, t).
    pub coordinates: usize,
    /// Number of unknowns.
    pub unknowns: usize,
    /// Range of each coordinate, for models that normalise their input.
    pub ranges: Vec<(f64, f64)>,
    /// Seed of what is random but not trained: the frequencies of Fourier features.
    pub seed: u64,
    /// Conditions the network satisfies by construction.
    pub hard_constraint: Option<HardConstraint>,
}

impl ModelInputs {
    /// No ranges, seed 0, no hard constraint.
    pub fn new(coordinates: usize, unknowns: usize) -> Self {
        Self { coordinates, unknowns, ranges: Vec::new(), seed: 0, hard_constraint: None }
    }
}

/// A solution of the form `u = g(x) + d(x)·N(x; θ)`: where d vanishes, u is g whatever θ is (Lagaris et al. 1998).
#[derive(Clone, Debug, PartialEq)]
pub struct HardConstraint {
    /// The prescribed values, one function of the coordinates per unknown.
    pub g: Vec<Expr>,
    /// The distances, one function of the coordinates per unknown.
    pub d: Vec<Expr>,
}

impl ModelConfig {
    /// The network, with parameter tensors named and shaped as in the published PyTorch modules.
    pub fn build(&self, inputs: &ModelInputs) -> Result<Network, ModelError> {
        self.check_sizes(inputs)?;
        let elements = self.sequence().map_or(1, |sequence| sequence.len);
        let mut net = NetworkBuilder::sequence(inputs.coordinates, elements);
        let unknowns = inputs.unknowns;
        let mut output = match self {
            Self::Pinn(sizes) => {
                let x = mlp::stem(&mut net, sizes.normalise, sizes.fourier, inputs)?;
                mlp::fully_connected(&mut net, x, sizes, sizes.activation, unknowns)?
            }
            Self::Fls(sizes) => {
                let x = mlp::stem(&mut net, sizes.normalise, sizes.fourier, inputs)?;
                mlp::fully_connected(&mut net, x, sizes, Activation::Sin, unknowns)?
            }
            Self::Qres(sizes) => {
                let x = mlp::stem(&mut net, sizes.normalise, sizes.fourier, inputs)?;
                mlp::quadratic(&mut net, x, sizes, unknowns)?
            }
            Self::Pinnsformer(sizes) => transformer::pinnsformer(&mut net, sizes, true, unknowns)?,
            Self::PinnsformerEncoder(sizes) => transformer::pinnsformer(&mut net, sizes, false, unknowns)?,
            Self::Kan(sizes) => kan::spline_network(&mut net, sizes, unknowns)?,
        };
        if let Some(HardConstraint { g, d }) = &inputs.hard_constraint {
            if g.len() != unknowns || d.len() != unknowns {
                return Err(ModelError::ConstraintCount { unknowns, g: g.len(), d: d.len() });
            }
            output = net.hard_constraint(output, g.clone(), d.clone())?;
        }
        let network = net.build(output)?;
        let (parameters, max) = (network.parameters(), MAX_PARAMETERS);
        if parameters > max {
            return Err(ModelError::TooManyParameters { model: self.kind(), parameters, max });
        }
        Ok(network)
    }

    fn check_sizes(&self, inputs: &ModelInputs) -> Result<(), ModelError> {
        let check = Check { model: self.kind() };
        check.size("coordinates", inputs.coordinates, MAX_WIDTH)?;
        check.size("unknowns", inputs.unknowns, MAX_WIDTH)?;
        match self {
            Self::Pinn(sizes) | Self::Fls(sizes) => {
                check.size("width", sizes.width, MAX_WIDTH)?;
                check.size("depth", sizes.depth, MAX_DEPTH)?;
                check.fourier(sizes.fourier)
            }
            Self::Qres(sizes) => {
                check.size("width", sizes.width, MAX_WIDTH)?;
                check.size("depth", sizes.depth, MAX_DEPTH)?;
                check.fourier(sizes.fourier)
            }
            Self::Pinnsformer(sizes) | Self::PinnsformerEncoder(sizes) => {
                check.size("d_model", sizes.d_model, MAX_WIDTH)?;
                check.size("heads", sizes.heads, MAX_WIDTH)?;
                check.size("ff_width", sizes.ff_width, MAX_WIDTH)?;
                check.size("out_width", sizes.out_width, MAX_WIDTH)?;
                check.size("layers", sizes.layers, MAX_DEPTH)?;
                check.size("sequence", sizes.sequence, MAX_ELEMENTS)?;
                check.positive("step", sizes.step)
            }
            Self::Kan(sizes) => {
                sizes.hidden.iter().try_for_each(|&width| check.size("hidden", width, MAX_WIDTH))?;
                check.size("hidden layers", sizes.hidden.len().max(1), MAX_DEPTH)?;
                check.size("grid", sizes.grid, MAX_DEPTH)
            }
        }
    }
}

/// Names the model in every complaint.
struct Check {
    model: ModelKind,
}

impl Check {
    fn size(&self, size: &'static str, value: usize, max: usize) -> Result<(), ModelError> {
        let model = self.model;
        match value {
            0 => Err(ModelError::ZeroSize { model, size }),
            value if value > max => Err(ModelError::SizeTooLarge { model, size, value, max }),
            _ => Ok(()),
        }
    }

    fn positive(&self, number: &'static str, value: f64) -> Result<(), ModelError> {
        let fine = value > 0.0 && value.is_finite();
        if fine { Ok(()) } else { Err(ModelError::NotPositive { model: self.model, number, value }) }
    }

    fn fourier(&self, fourier: Option<Fourier>) -> Result<(), ModelError> {
        let Some(Fourier { features, scale }) = fourier else { return Ok(()) };
        self.size("fourier.features", features, MAX_WIDTH)?;
        self.positive("fourier.scale", scale)
    }
}
