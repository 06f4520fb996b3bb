//! The loss over a plane in parameter space: L(θ + α v₁ + β v₂) on a square grid of (α, β), row by row.

use super::{CanonicalLoss, LandscapeError};
use crate::error::Error;
use crate::record::nullable;
use crate::setting::require;
use ropinn_engine::Evaluation;
use serde::{Deserialize, Serialize};

/// Most places along one side of a surface.
const MAX_PLACES: usize = 10_000;

/// Where a surface is taken: `places` values of α and as many of β, from −reach to reach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SurfaceGrid {
    /// Largest α and β.
    pub reach: f64,
    /// Places along each direction; an odd number puts θ itself in the middle.
    pub places: usize,
}

impl Default for SurfaceGrid {
    fn default() -> Self {
        Self { reach: 0.1, places: 101 }
    }
}

impl SurfaceGrid {
    /// Equal steps from −reach to reach; the middle of an odd number is exactly 0.
    fn steps(&self) -> Result<Vec<f64>, LandscapeError> {
        let Self { reach, places } = *self;
        require("the landscape", "reach", reach, "positive and finite", reach > 0.0)?;
        let fits = (2..=MAX_PLACES).contains(&places);
        require("the landscape", "places", places as f64, "between 2 and 10000", fits)?;
        let last = (places - 1) as f64;
        Ok((0..places).map(|i| reach * ((2.0 * i as f64 - last) / last)).collect())
    }
}

/// One term over the surface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TermSurface {
    /// Name of the term; `residual` for the equations.
    pub name: String,
    /// Its factor in the loss.
    pub weight: f64,
    /// Mean squares before the weight, laid out like [`Surface::total`].
    #[serde(deserialize_with = "nullable::list")]
    pub values: Vec<f64>,
}

/// A loss surface, finished or on its way; saving it and carrying on later gives the same surface.
///
/// ```
/// use ropinn::{case::Case, config::RunConfig, landscape::{CanonicalLoss, Surface, SurfaceGrid}};
/// use ropinn_engine::{Precision, Threads};
/// let mut config = RunConfig::default();
/// config.set_all(&["problem.name=reaction", "model.width=4", "points.interior=grid:5x5"])?;
/// let case = Case::new(config, &Threads::new(1)?)?;
/// let theta = case.initial_theta();
/// let mut loss = CanonicalLoss::new(&case, Precision::F64)?;
/// let (mut first, mut second) = (vec![0.0; theta.len()], vec![0.0; theta.len()]);
/// (first[0], second[1]) = (1.0, 1.0); // or eigenvectors of the Hessian
/// let mut surface = Surface::new(&mut loss, &theta, SurfaceGrid { reach: 0.1, places: 5 })?;
/// while !surface.is_complete() {
///     surface.add_row(&mut loss, &theta, [&first, &second])?; // a good place to show progress, save or stop
/// }
/// assert_eq!(surface.total[2 * 5 + 2], surface.centre); // α = β = 0
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// Steps along the first direction, one per row.
    pub alphas: Vec<f64>,
    /// Steps along the second direction, one per column.
    pub betas: Vec<f64>,
    /// L(θ).
    #[serde(deserialize_with = "nullable::number")]
    pub centre: f64,
    /// L(θ + α v₁ + β v₂), `[row][column]`; as many rows as are done.
    #[serde(deserialize_with = "nullable::list")]
    pub total: Vec<f64>,
    /// The terms of the loss.
    pub terms: Vec<TermSurface>,
}

/// How sharp the loss is around θ, in a few numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sharpness {
    /// Eigenvalues of the Hessian along the directions, largest first.
    pub eigenvalues: Vec<f64>,
    /// Mean of |L(α, β) − L(θ)| over the surface.
    #[serde(deserialize_with = "nullable::number")]
    pub mean_rise: f64,
    /// Largest |L(α, β) − L(θ)| on the rim of the surface.
    #[serde(deserialize_with = "nullable::number")]
    pub rim_rise: f64,
}

impl Surface {
    /// A surface around `theta` without any rows.
    pub fn new(loss: &mut CanonicalLoss, theta: &[f64], grid: SurfaceGrid) -> Result<Self, Error> {
        let steps = grid.steps()?;
        let mut out = Evaluation::default();
        loss.evaluate(theta, &mut out)?;
        let term = |(name, &weight): (&str, &f64)| TermSurface { name: name.to_owned(), weight, values: Vec::new() };
        let terms = loss.term_names().zip(loss.weights()).map(term).collect();
        Ok(Self { alphas: steps.clone(), betas: steps, centre: out.loss, total: Vec::new(), terms })
    }

    /// Rows that are done.
    pub fn rows_done(&self) -> usize {
        self.total.len() / self.betas.len().max(1)
    }

    /// Whether all rows are done.
    pub fn is_complete(&self) -> bool {
        self.rows_done() >= self.alphas.len()
    }

    /// Computes the next row; does nothing on a complete surface.
    pub fn add_row(&mut self, loss: &mut CanonicalLoss, theta: &[f64], directions: [&[f64]; 2]) -> Result<(), Error> {
        let (expected, found) = (loss.parameters(), theta.len());
        if found != expected {
            return Err(Error::ThetaLength { expected, found });
        }
        self.check(loss, directions)?;
        let Some(&alpha) = self.alphas.get(self.rows_done()) else { return Ok(()) };
        let (mut place, mut out) = (theta.to_vec(), Evaluation::default());
        // Gathered first, so that a row is added whole or not at all.
        let mut row = Vec::with_capacity(self.betas.len());
        for &beta in &self.betas {
            for (k, place) in place.iter_mut().enumerate() {
                *place = theta[k] + alpha * directions[0][k] + beta * directions[1][k];
            }
            loss.evaluate(&place, &mut out)?;
            row.push((out.loss, out.parts.clone()));
        }
        for (total, terms) in row {
            self.total.push(total);
            self.terms.iter_mut().zip(terms).for_each(|(term, value)| term.values.push(value));
        }
        Ok(())
    }

    fn check(&self, loss: &CanonicalLoss, directions: [&[f64]; 2]) -> Result<(), LandscapeError> {
        let names_fit = self.terms.iter().map(|term| term.name.as_str()).eq(loss.term_names());
        let weights_fit = self.terms.iter().map(|term| &term.weight).eq(loss.weights());
        let whole = self.total.len() == self.rows_done() * self.betas.len();
        let lengths_fit = whole && self.terms.iter().all(|term| term.values.len() == self.total.len());
        for (fits, what) in [(names_fit, "its terms"), (weights_fit, "its weights"), (lengths_fit, "its lengths")] {
            if !fits {
                return Err(LandscapeError::ForeignSurface { what });
            }
        }
        let expected = loss.parameters();
        match directions.iter().position(|direction| direction.len() != expected) {
            Some(k) => Err(LandscapeError::DirectionLength { direction: k + 1, expected, found: directions[k].len() }),
            None => Ok(()),
        }
    }

    /// How sharp the loss is over the rows that are done (NaN without any); `eigenvalues` are those of the directions.
    pub fn sharpness(&self, eigenvalues: &[f64]) -> Sharpness {
        let rise = |loss: &f64| (loss - self.centre).abs();
        let (rows, columns) = (self.alphas.len(), self.betas.len().max(1));
        let on_rim = |place: usize| {
            let (row, column) = (place / columns, place % columns);
            row == 0 || column == 0 || row + 1 == rows || column + 1 == columns
        };
        let rim = self.total.iter().enumerate().filter(|(place, _)| on_rim(*place)).map(|(_, loss)| rise(loss));
        Sharpness {
            eigenvalues: eigenvalues.to_vec(),
            mean_rise: self.total.iter().map(rise).sum::<f64>() / self.total.len() as f64,
            // A NaN on the rim must show.
            rim_rise: rim.fold(0.0, |most, rise| if rise > most || rise.is_nan() { rise } else { most }),
        }
    }
}
