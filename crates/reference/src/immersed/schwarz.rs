//! Scaling of the equations: by the diagonal at nodes of whole cells; where cells are cut, A is inverted on the nodes of each of them and the
//! results are added up (additive Schwarz; de Prenter, Verhoosel & van Brummelen 2019). However little of a cell is left, the number
//! of steps hardly depends on it then.

use super::basis::{ALONG, DEGREE, LOCAL};
use super::system::System;
use crate::SolveError;
use rayon::prelude::*;
use ropinn_linalg::Cholesky;

pub(super) struct Scaling {
    /// 1/A_kk at nodes that belong to no cut cell; 0 at others, and at those of no cell.
    inverse_diagonal: Vec<f64>,
    /// Cut cells of each layer, A on their nodes factored.
    blocks: Vec<Vec<(usize, Cholesky)>>,
}

impl Scaling {
    pub fn new(system: &System) -> Result<Self, SolveError> {
        let mut inverse_diagonal: Vec<f64> =
            system.diagonal.iter().map(|entry| if *entry > 0.0 { entry.recip() } else { 0.0 }).collect();
        for (cell, _) in system.cut.iter().flatten() {
            system.numbers(*cell).into_iter().for_each(|node| inverse_diagonal[node] = 0.0);
        }
        let block = |cell: usize| {
            let mut cholesky = Cholesky::default();
            let good = cholesky.factor(LOCAL, &around(system, cell), |_| 0.0);
            if good { Ok((cell, cholesky)) } else { Err(SolveError::Singular) }
        };
        let layer = |cut: &Vec<(usize, Vec<f64>)>| cut.iter().map(|(cell, _)| block(*cell)).collect();
        let blocks = system.cut.par_iter().map(layer).collect::<Result<Vec<_>, SolveError>>()?;
        Ok(Self { inverse_diagonal, blocks })
    }

    /// The scaled residual.
    pub fn times(&self, system: &System, residual: &[f64], scaled: &mut [f64]) {
        let diagonal = scaled.par_iter_mut().zip(residual).zip(&self.inverse_diagonal).with_min_len(1 << 16);
        diagonal.for_each(|((scaled, residual), inverse)| *scaled = residual * inverse);
        system.by_layers(scaled, |layer, offset, planes| {
            for (cell, block) in &self.blocks[layer] {
                let own = system.numbers(*cell);
                let mut values = own.map(|node| residual[node]);
                block.solve(&mut values);
                own.iter().zip(values).for_each(|(node, value)| planes[node - offset] += value);
            }
        });
    }
}

/// A on the nodes of a cell: what it and its neighbours have there.
fn around(system: &System, cell: usize) -> Vec<f64> {
    let mut matrix = vec![0.0; LOCAL * LOCAL];
    for [x, y, z] in (0..27).map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1]) {
        let Some(neighbour) = system.neighbour(cell, [x, y, z]) else { continue };
        // (node of the neighbour, the same node of the cell).
        let shared: Vec<(usize, usize)> = (0..LOCAL)
            .filter_map(|k| {
                let own = |at: usize, shift: isize| {
                    let own = at as isize + shift * DEGREE as isize;
                    (0..ALONG as isize).contains(&own).then_some(own as usize)
                };
                let (i, j, l) = (own(k % ALONG, x)?, own(k / ALONG % ALONG, y)?, own(k / (ALONG * ALONG), z)?);
                Some((k, i + ALONG * (j + ALONG * l)))
            })
            .collect();
        let entry = system.entries(neighbour);
        for (a, row) in &shared {
            shared.iter().for_each(|(b, column)| matrix[row * LOCAL + column] += entry(*a, *b));
        }
    }
    matrix
}
