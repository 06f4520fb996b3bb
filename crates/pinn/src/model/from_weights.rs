//! Reads the sizes of a model off the shapes of its tensors.

use super::{Kan, Mlp, ModelConfig, ModelKind, Qres, Transformer};
use crate::weights::{NamedTensor, NamedTensors, WeightsError};

/// Key of a weight file's metadata under which our own files keep the whole configuration of their model.
const CONFIG_KEY: &str = "model_config";

impl ModelConfig {
    /// The metadata entry that lets [`Self::from_weights`] restore what shapes do not tell.
    pub fn weights_metadata(&self) -> Option<(String, String)> {
        Some((CONFIG_KEY.to_owned(), serde_json::to_string(self).ok()?))
    }

    /// The configuration of a model of that kind whose tensors these are.
    ///
    /// Files written by us say it themselves ([`Self::weights_metadata`]); elsewhere, what shapes do not tell keeps its default: activation, input normalisation, Fourier features, the number of attention
    /// heads, the pseudo-sequence, and the spline grid unless the file holds it, as the published KAN's files do.
    pub fn from_weights(kind: ModelKind, tensors: &NamedTensors) -> Result<Self, WeightsError> {
        let own = tensors.metadata.get(CONFIG_KEY).and_then(|text| serde_json::from_str::<Self>(text).ok());
        if let Some(config) = own.filter(|config| config.kind() == kind) {
            return Ok(config);
        }
        let shapes = Shapes { kind, tensors };
        match kind {
            ModelKind::Pinn => Ok(Self::Pinn(shapes.fully_connected()?)),
            ModelKind::Fls => Ok(Self::Fls(shapes.fully_connected()?)),
            ModelKind::Qres => {
                let width = shapes.rows("inlayer.H1.weight")?;
                let depth = 1 + shapes.count(|block| format!("layers.{block}.H1.weight"));
                Ok(Self::Qres(Qres { width, depth, ..Qres::default() }))
            }
            ModelKind::Pinnsformer => {
                shapes.rows("decoder.layers.0.attn.in_proj_weight")?;
                Ok(Self::Pinnsformer(shapes.transformer()?))
            }
            ModelKind::PinnsformerEncoder => Ok(Self::PinnsformerEncoder(shapes.transformer()?)),
            ModelKind::Kan => Ok(Self::Kan(shapes.spline_network()?)),
        }
    }
}

struct Shapes<'a> {
    kind: ModelKind,
    tensors: &'a NamedTensors,
}

impl Shapes<'_> {
    fn tensor(&self, name: &str) -> Result<&NamedTensor, WeightsError> {
        let missing = || WeightsError::Missing { missing: vec![name.to_owned()], unexpected: Vec::new() };
        self.tensors.get(name).ok_or_else(missing)
    }

    fn matrix(&self, name: &str) -> Result<(usize, usize), WeightsError> {
        match self.tensor(name)?.shape[..] {
            [rows, columns] if rows > 0 && columns > 0 => Ok((rows, columns)),
            ref found => Err(self.impossible(name, found, "a matrix")),
        }
    }

    fn impossible(&self, tensor: &str, found: &[usize], expected: &'static str) -> WeightsError {
        WeightsError::Impossible { model: self.kind.name(), tensor: tensor.to_owned(), found: found.to_vec(), expected }
    }

    fn rows(&self, name: &str) -> Result<usize, WeightsError> {
        Ok(self.matrix(name)?.0)
    }

    /// How many tensors of a numbered family there are.
    fn count(&self, name: impl Fn(usize) -> String) -> usize {
        (0..).take_while(|&i| self.tensors.get(&name(i)).is_some()).count()
    }

    fn fully_connected(&self) -> Result<Mlp, WeightsError> {
        let width = self.rows("linear.0.weight")?;
        let linear = self.count(|layer| format!("linear.{}.weight", 2 * layer));
        if linear < 2 {
            return Err(WeightsError::Missing { missing: vec!["linear.2.weight".into()], unexpected: Vec::new() });
        }
        Ok(Mlp { width, depth: linear - 1, ..Mlp::default() })
    }

    fn transformer(&self) -> Result<Transformer, WeightsError> {
        let layers = self.count(|layer| format!("encoder.layers.{layer}.attn.in_proj_weight"));
        Ok(Transformer {
            d_model: self.rows("linear_emb.weight")?,
            ff_width: self.rows("encoder.layers.0.ff.linear.0.weight")?,
            out_width: self.rows("linear_out.0.weight")?,
            layers,
            ..Transformer::default()
        })
    }

    fn spline_network(&self) -> Result<Kan, WeightsError> {
        let (edges, bases) = self.matrix("act_fun.0.coef")?;
        let layers = self.count(|layer| format!("biases.{layer}.weight"));
        let widths: Result<Vec<usize>, _> =
            (0..layers).map(|layer| Ok(self.matrix(&format!("biases.{layer}.weight"))?.1)).collect();
        let mut hidden = widths?;
        if hidden.pop().is_none() {
            return Err(WeightsError::Missing { missing: vec!["biases.0.weight".into()], unexpected: Vec::new() });
        }
        let mut sizes = Kan { hidden, ..Kan::default() };
        // The published module keeps the same G + 1 grid points for every edge.
        if self.tensors.get("act_fun.0.grid").is_some() {
            let (_, points) = self.matrix("act_fun.0.grid")?;
            let row = &self.tensor("act_fun.0.grid")?.values[..points];
            (sizes.low, sizes.high, sizes.grid) = (row[0], row[points - 1], points - 1);
            sizes.degree = bases.saturating_sub(sizes.grid);
        } else {
            sizes.grid = bases.saturating_sub(sizes.degree);
        }
        if sizes.grid == 0 || sizes.degree == 0 {
            let expected = "a column per grid interval and spline degree";
            return Err(self.impossible("act_fun.0.coef", &[edges, bases], expected));
        }
        Ok(sizes)
    }
}
