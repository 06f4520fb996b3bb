//! Periodic fields of few wave numbers: W(x, y) = Σ_{i,j < 4} A_ij sin 2π(ix + jy) + B_ij cos 2π(ix + jy), scaled and shifted.

use super::normal::LegacyNormal;
use std::f64::consts::TAU;

const WAVES: usize = 4;
/// Nodes along a side of the grid on which the largest value is looked for, and its length.
const LOOKED_AT: (usize, f64) = (512, 4.0);
/// What the largest value becomes before the shift.
const LARGEST: f64 = 2.0;

/// w(x, y) = s W(x, y) + c, of period 1 along both coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct TrigonometricField {
    sines: [f64; WAVES * WAVES],
    cosines: [f64; WAVES * WAVES],
    scale: f64,
    shift: f64,
}

impl TrigonometricField {
    /// i, j, A_ij and B_ij of all waves.
    pub fn waves(&self) -> impl Iterator<Item = (usize, usize, f64, f64)> + '_ {
        (0..WAVES * WAVES).map(|k| (k / WAVES, k % WAVES, self.sines[k], self.cosines[k]))
    }

    /// The factor s.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The constant c.
    pub fn shift(&self) -> f64 {
        self.shift
    }

    /// The value at a point.
    pub fn value(&self, x: f64, y: f64) -> f64 {
        let term = |k: usize| {
            let (sin, cos) = (TAU * ((k / WAVES) as f64 * x + (k % WAVES) as f64 * y)).sin_cos();
            self.sines[k] * sin + self.cosines[k] * cos
        };
        self.scale * (0..WAVES * WAVES).map(term).sum::<f64>() + self.shift
    }
}

/// The two fields of a seed: the coefficients of the first (A, then B), those of the second, then both shifts are drawn. Both are
/// scaled by 2/M, M the largest value of either on a grid of 512 × 512 nodes over [0, 4]².
///
/// ```
/// let [u, v] = ropinn_reference::random_fields::periodic_pair(20220722);
/// assert!((u.value(0.3, 0.7) - 0.2012947033).abs() < 1e-10 && (v.value(4.0, 1.0) - 1.3944564497).abs() < 1e-10);
/// ```
pub fn periodic_pair(seed: u32) -> [TrigonometricField; 2] {
    let mut normal = LegacyNormal::new(seed);
    let mut draw = || normal.next().unwrap_or_default();
    let mut fields = [(); 2].map(|()| {
        let (sines, cosines) = ([(); WAVES * WAVES].map(|()| draw()), [(); WAVES * WAVES].map(|()| draw()));
        TrigonometricField { sines, cosines, scale: 1.0, shift: 0.0 }
    });
    let largest = fields.iter().map(largest).fold(f64::NEG_INFINITY, f64::max);
    for field in &mut fields {
        (field.scale, field.shift) = (LARGEST / largest, draw());
    }
    fields
}

/// The largest of all nodes, whose waves along x and along y are each computed once.
fn largest(field: &TrigonometricField) -> f64 {
    let (nodes, length) = LOOKED_AT;
    let turns: Vec<[(f64, f64); WAVES]> = (0..nodes)
        .map(|n| {
            let place = length * n as f64 / (nodes - 1) as f64;
            [0.0, 1.0, 2.0, 3.0].map(|k| (TAU * k * place).sin_cos())
        })
        .collect();
    let mut top = f64::NEG_INFINITY;
    for along_x in &turns {
        for along_y in &turns {
            let mut sum = 0.0;
            for (i, (sin_x, cos_x)) in along_x.iter().enumerate() {
                for (j, (sin_y, cos_y)) in along_y.iter().enumerate() {
                    let k = i * WAVES + j;
                    sum += field.sines[k] * (sin_x * cos_y + cos_x * sin_y);
                    sum += field.cosines[k] * (cos_x * cos_y - sin_x * sin_y);
                }
            }
            top = top.max(sum);
        }
    }
    top
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_a_known_seed_are_rebuilt() {
        let [u, v] = periodic_pair(20_220_722);
        assert!((u.shift - 0.6560540496331863).abs() < 1e-14 && (v.shift - 0.4893835592991457).abs() < 1e-14);
        assert!((u.scale - 2.0 / 8.151189461937038).abs() < 1e-13, "{}", 2.0 / u.scale);
        assert_eq!((u.sines[1], v.cosines[15]), (0.34652405528776, 0.8181385537370592));
        assert!((u.value(0.0, 0.0) - 0.6093427686).abs() < 1e-10 && (v.value(0.0, 0.0) - 1.3944564497).abs() < 1e-10);
        assert!((u.value(0.3, 0.7) - 0.2012947033).abs() < 1e-10 && (v.value(0.3, 0.7) - 1.5038940958).abs() < 1e-10);
    }
}
