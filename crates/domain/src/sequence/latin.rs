//! Latin hypercube: on every axis a random permutation π spreads the points over the n strata, x_i = (π(i) + u_i)/n.
//! McKay, Beckman & Conover (1979), eq. 2.1.

use crate::rng::Stream;

/// Fills n rows of `dim` coordinates; the axis takes the place of the step in the key.
pub(super) fn fill(dim: usize, stream: &Stream, coords: &mut [f64]) {
    let n = coords.len() / dim;
    let mut strata: Vec<usize> = Vec::with_capacity(n);
    for axis in 0..dim {
        let mut random = stream.clone().at_step(axis as u64);
        strata.clear();
        strata.extend(0..n);
        random.shuffle(&mut strata);
        for (row, &stratum) in coords.chunks_exact_mut(dim).zip(&strata) {
            let high = (stratum + 1) as f64 / n as f64;
            // Rounding may lift a number of the top of a stratum into the next one.
            row[axis] = ((stratum as f64 + random.uniform()) / n as f64).min(high.next_down());
        }
    }
}
