//! Sobol's sequence in Gray-code order with the Joe–Kuo direction numbers, optionally with nested (Owen) scrambling.
//!
//! Point i is x_i = ⊕ v_k over the set bits k of i ⊕ ⌊i/2⌋ (Antonov & Saleev 1979). The direction numbers follow
//! v_k = a₁v_{k−1} ⊕ … ⊕ a_{s−1}v_{k−s+1} ⊕ v_{k−s} ⊕ (v_{k−s} ≫ s) (Joe & Kuo 2008, eq. 2).

use super::joe_kuo::DIRECTIONS;
use crate::error::{DomainError, Result};
use crate::rng::{Purpose, Stream};

const BITS: usize = 32;
const UNIT: f64 = 1.0 / (1u64 << BITS) as f64;

/// What happens to the digits of Sobol points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Scramble {
    /// Nothing: the classic sequence, whose point 0 is the low corner of the cube.
    #[default]
    None,
    /// Owen's nested uniform scrambling, keyed by the seed: every point becomes uniformly distributed while all the
    /// strata stay balanced (Owen 1995). The hash form of Laine & Karras (2011), as improved by Vegdahl (2021).
    Owen,
}

/// Random access to Sobol points.
///
/// ```
/// use ropinn_domain::sequence::{Scramble, Sobol};
/// let mut points = [0.0; 8];
/// Sobol::new(2, Scramble::None, 0)?.fill(0, &mut points)?;
/// assert_eq!(points, [0.0, 0.0, 0.5, 0.5, 0.75, 0.25, 0.25, 0.75]);
/// # Ok::<(), ropinn_domain::DomainError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sobol {
    /// v_k of every dimension, most significant digit first.
    directions: Vec<[u32; BITS]>,
    /// Per dimension: the key of its digit permutations and the stream of the digits beyond the 32nd.
    scramble: Option<Vec<(u32, Stream)>>,
}

impl Sobol {
    /// Most coordinates a point can have.
    pub const MAX_DIM: usize = DIRECTIONS.len() + 1;

    /// A sequence of points with `dim` coordinates; the seed is used by scrambling only.
    pub fn new(dim: usize, scramble: Scramble, seed: u64) -> Result<Self> {
        match dim {
            0 => {
                return Err(DomainError::NoDimensions { what: "a Sobol sequence" });
            }
            _ if dim > Self::MAX_DIM => {
                return Err(DomainError::TooManyDimensions { found: dim, most: Self::MAX_DIM });
            }
            _ => {}
        }
        let keyed = |axis: usize| {
            let digits = Stream::new(seed, Purpose::Scramble).at_step(axis as u64);
            (digits.clone().at_evaluation(1).bits() as u32, digits)
        };
        Ok(Self {
            directions: (0..dim).map(direction_numbers).collect(),
            scramble: match scramble {
                Scramble::None => None,
                Scramble::Owen => Some((0..dim).map(keyed).collect()),
            },
        })
    }

    /// Writes consecutive points, row-major, starting with point number `first`; the last one there is has number 2³² − 2.
    pub fn fill(&self, first: u32, coords: &mut [f64]) -> Result<()> {
        let (dim, most) = (self.directions.len(), (u32::MAX - first) as usize);
        let requested = coords.len() / dim;
        if requested > most {
            return Err(DomainError::TooManyPoints { requested, most });
        }
        let gray = first ^ (first >> 1);
        let mut digits: Vec<u32> = self.directions.iter().map(|v| combine(v, gray)).collect();
        for (row, index) in coords.chunks_exact_mut(dim).zip(first..) {
            for axis in 0..dim {
                row[axis] = match &self.scramble {
                    None => f64::from(digits[axis]) * UNIT,
                    Some(keys) => {
                        let (key, beyond) = &keys[axis];
                        // Owen's digits go on for ever: those past the 32nd are plain random ones.
                        let tail = beyond.uniform_at(index.into());
                        ((f64::from(owen_scramble(digits[axis], *key)) + tail) * UNIT).min(1.0 - f64::EPSILON / 2.0)
                    }
                };
            }
            // Successive Gray codes differ in one bit: the lowest zero bit of the index.
            let changed = index.trailing_ones() as usize;
            if changed < BITS {
                digits.iter_mut().zip(&self.directions).for_each(|(x, v)| *x ^= v[changed]);
            }
        }
        Ok(())
    }
}

fn combine(directions: &[u32; BITS], gray: u32) -> u32 {
    (0..BITS).filter(|k| gray >> k & 1 == 1).fold(0, |x, k| x ^ directions[k])
}

fn direction_numbers(axis: usize) -> [u32; BITS] {
    let mut v: [u32; BITS] = std::array::from_fn(|k| 1 << (BITS - 1 - k));
    let Some(row) = axis.checked_sub(1).map(|row| &DIRECTIONS[row]) else {
        return v;
    };
    let degree = row.first.len();
    for k in 0..BITS {
        v[k] = match row.first.get(k) {
            Some(m) => m << (BITS - 1 - k),
            None => {
                let tail = v[k - degree] ^ (v[k - degree] >> degree);
                (1..degree).filter(|j| row.inner >> (degree - 1 - j) & 1 == 1).fold(tail, |x, j| x ^ v[k - j])
            }
        };
    }
    v
}

/// Permutes digits so that each one is flipped by a hash of the digits above it. In mirrored order "above" becomes
/// "below", and products and sums with even multipliers carry only upwards.
pub(crate) fn owen_scramble(digits: u32, key: u32) -> u32 {
    let mut x = digits.reverse_bits();
    x ^= x.wrapping_mul(0x3d20_adea);
    x = x.wrapping_add(key);
    x = x.wrapping_mul((key >> 16) | 1);
    x ^= x.wrapping_mul(0x0552_6c56);
    x ^= x.wrapping_mul(0x53a2_2864);
    x.reverse_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x has order 2^s − 1 modulo a primitive polynomial of degree s; a wrong coefficient almost surely breaks that.
    #[test]
    fn table_rows_are_primitive_polynomials_with_odd_directions() {
        for (row, direction) in DIRECTIONS.iter().enumerate() {
            let degree = direction.first.len() as u32;
            let polynomial = (1u32 << degree) | (direction.inner << 1) | 1;
            let times_x = |p: u32| {
                if p >> (degree - 1) & 1 == 1 { (p << 1) ^ polynomial } else { p << 1 }
            };
            let start = if degree == 1 { 1 } else { 2 };
            let order = 1 + std::iter::successors(Some(start), |&p| Some(times_x(p))).take_while(|&p| p != 1).count();
            let order = if degree == 1 { 1 } else { order };
            assert_eq!(order, (1usize << degree) - 1, "row {row}");
            for (k, m) in direction.first.iter().enumerate() {
                assert!(m % 2 == 1 && *m < 1 << (k + 1), "row {row}, m_{}", k + 1);
            }
        }
    }

    /// Owen scrambling permutes sub-intervals: equal leading digits stay equal, different ones stay different.
    #[test]
    fn scrambling_keeps_the_digit_tree() {
        let key = 0x9ab3_17c5;
        for a in (0..u32::MAX).step_by(0x0123_4567) {
            for bit in 0..BITS as u32 {
                let b = a ^ (1 << bit);
                let changed = owen_scramble(a, key) ^ owen_scramble(b, key);
                assert_eq!(changed.leading_zeros(), BITS as u32 - 1 - bit);
            }
        }
    }
}
