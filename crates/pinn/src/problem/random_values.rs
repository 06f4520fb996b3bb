//! Tables whose values are drawn from a seed, so that a file names a random coefficient in one line and everyone has the same.
//!
//! | law | values |
//! |---|---|
//! | uniform | between two numbers, each node by itself |
//! | log-uniform | the same for their logarithms |
//! | Gaussian field | g = Re F⁻¹(Z A), A(k) ∝ \|k\|^(−α/2), of mean 0 and deviation 1, as NumPy's legacy generator draws Z |

use ropinn_domain::{Purpose, Stream};
use ropinn_reference::random_fields::gaussian_field;

/// How values are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Law {
    Uniform { low: f64, high: f64, seed: u32 },
    LogUniform { low: f64, high: f64, seed: u32 },
    GaussianField { exponent: f64, seed: u32 },
}

/// Tables that cannot be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "messages name every field")]
pub enum LawError {
    /// An empty interval.
    #[error("random values between {low} and {high} are not possible; the first number must be the smaller one")]
    Inverted { low: f64, high: f64 },
    /// Logarithms of what has none.
    #[error("log-uniform values begin at {low}; they must begin above zero")]
    NotPositive { low: f64 },
    /// A grid the field does not have.
    #[error(
        "a gaussian-field needs two axes with the same number of nodes, a power of two up to 2048, found {shape:?}"
    )]
    Shape { shape: Vec<usize> },
}

impl Law {
    /// The values of a table of this shape, the last axis running fastest.
    pub fn values(&self, shape: &[usize]) -> Result<Vec<f64>, LawError> {
        let uniform = |low: f64, high: f64, seed: u32| {
            let mut values = vec![0.0; shape.iter().product()];
            Stream::new(u64::from(seed), Purpose::Custom(TABLES)).fill_uniform(&mut values);
            values.iter_mut().for_each(|value| *value = low * (1.0 - *value) + high * *value);
            values
        };
        match *self {
            Law::LogUniform { low, .. } if low <= 0.0 => Err(LawError::NotPositive { low }),
            Law::Uniform { low, high, .. } | Law::LogUniform { low, high, .. } if low >= high => {
                Err(LawError::Inverted { low, high })
            }
            Law::Uniform { low, high, seed } => Ok(uniform(low, high, seed)),
            Law::LogUniform { low, high, seed } => {
                Ok(uniform(low.ln(), high.ln(), seed).into_iter().map(f64::exp).collect())
            }
            Law::GaussianField { exponent, seed } => match *shape {
                [rows, columns] if rows == columns && rows.is_power_of_two() && (2..=2048).contains(&rows) => {
                    Ok(gaussian_field(seed, rows, exponent).values().to_vec())
                }
                _ => Err(LawError::Shape { shape: shape.to_vec() }),
            },
        }
    }
}

/// Tables have a stream of their own; points have others.
const TABLES: u8 = 17;
