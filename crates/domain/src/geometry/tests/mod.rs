//! Closed forms, properties of random combinations, statistics of samples, and exact refusals.

mod combined;
mod refusals;
mod sampling;
mod solids;

use super::*;
use crate::rng::{Purpose, Stream};
use crate::sequence::{Layout, Scramble};

/// Every layout that is not a grid.
fn layouts() -> Vec<Layout> {
    vec![
        Layout::Uniform,
        Layout::LatinHypercube,
        Layout::Sobol { scramble: Scramble::None },
        Layout::Sobol { scramble: Scramble::Owen },
        Layout::Halton,
        Layout::Hammersley,
    ]
}

fn unit_square() -> Geometry {
    Geometry::cuboid(&[0.0, 0.0], &[1.0, 1.0]).unwrap()
}

/// A square without four discs, as in the Poisson and heat benchmarks with cut-outs.
fn pierced_square() -> Geometry {
    let square = Geometry::cuboid(&[-0.5, -0.5], &[0.5, 0.5]).unwrap();
    [[0.3, 0.3], [-0.3, 0.3], [0.3, -0.3], [-0.3, -0.3]]
        .iter()
        .fold(square, |domain, center| domain.minus(Geometry::ball(center, 0.1).unwrap()).unwrap())
}

fn l_shape() -> Geometry {
    unit_square().minus(Geometry::cuboid(&[0.5, 0.5], &[1.0, 1.0]).unwrap()).unwrap()
}

/// χ² of counts against expected shares of their total.
fn chi_square(counts: &[usize], shares: &[f64]) -> f64 {
    let (n, whole) = (counts.iter().sum::<usize>() as f64, shares.iter().sum::<f64>());
    counts
        .iter()
        .zip(shares)
        .map(|(&count, share)| {
            let expected = n * share / whole;
            (count as f64 - expected).powi(2) / expected
        })
        .sum()
}
