//! Uniform B-spline bases of any degree up to five, with all derivatives.
//!
//! On uniform knots every basis function is a shift of the cardinal spline `M_p`,
//! `M_p(y) = (y M_{p−1}(y) + (p+1−y) M_{p−1}(y−1))/p`, `M_0 = 1 on [0, 1)`, and
//! `M_p^{(k)}(y) = Σ_j (−1)^j C(k,j) M_{p−k}(y−j)` (de Boor 2001, ch. IX–X). Outside their support they are zero.

use crate::error::{EngineError, Result};
use ropinn_vmath::Real;

/// Largest supported degree.
const MAX_DEGREE: usize = 5;

/// B-splines of one degree on a uniform grid extended by `degree` knots on both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplineBasis {
    low: f64,
    step: f64,
    intervals: usize,
    degree: usize,
}

impl SplineBasis {
    /// `intervals` equal intervals on `[low, high]`, `intervals + degree` basis functions.
    pub fn new(low: f64, high: f64, intervals: usize, degree: usize) -> Result<Self> {
        if !(low < high && (high - low).is_finite()) || intervals == 0 {
            return Err(EngineError::SplineGrid { low, high, intervals });
        }
        if degree == 0 || degree > MAX_DEGREE {
            return Err(EngineError::SplineDegree { degree, max: MAX_DEGREE });
        }
        Ok(Self { low, step: (high - low) / intervals as f64, intervals, degree })
    }

    /// Number of basis functions per unit.
    pub fn len(&self) -> usize {
        self.intervals + self.degree
    }

    /// A basis always has functions.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Polynomial degree; derivatives beyond it vanish almost everywhere and are refused by the compiler.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Where basis function `c` begins to rise, and the distance between knots.
    pub fn knots(&self, c: usize) -> (f64, f64) {
        (self.low + (c as f64 - self.degree as f64) * self.step, self.step)
    }

    /// `B_c^{(k)}(x)` for k = 0..=k_max into `tower[k]`.
    #[inline(always)]
    pub(crate) fn tower<T: Real>(&self, c: usize, x: T, k_max: usize, tower: &mut [T]) {
        let (start, step) = self.knots(c);
        let y = (x - T::from_f64(start)) * T::from_f64(1.0 / step);
        // cardinal[j] starts as M_0(y − j) and is raised in degree in place; derivative k reads it at degree p − k.
        let mut cardinal = [T::ZERO; MAX_DEGREE + 1];
        for (j, value) in cardinal.iter_mut().enumerate().take(self.degree + 1) {
            let shifted = y - T::from_f64(j as f64);
            *value = if shifted >= T::ZERO && shifted < T::ONE { T::ONE } else { T::ZERO };
        }
        for entry in tower.iter_mut().take(k_max + 1) {
            *entry = T::ZERO;
        }
        for q in 0..=self.degree {
            if q > 0 {
                let inverse = T::from_f64(1.0 / q as f64);
                let reach = T::from_f64((q + 1) as f64);
                for j in 0..=self.degree - q {
                    let shifted = y - T::from_f64(j as f64);
                    cardinal[j] = (shifted * cardinal[j] + (reach - shifted) * cardinal[j + 1]) * inverse;
                }
            }
            let k = self.degree - q;
            if k <= k_max {
                let mut binomial = 1.0;
                for (j, &value) in cardinal.iter().enumerate().take(k + 1) {
                    tower[k] += T::from_f64(binomial / self.step.powi(k as i32)) * value;
                    binomial *= -((k - j) as f64) / (j + 1) as f64;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(basis: &SplineBasis, x: f64, k: usize) -> Vec<f64> {
        let mut tower = [0.0; 6];
        (0..basis.len())
            .map(|c| {
                basis.tower(c, x, 5, &mut tower);
                tower[k]
            })
            .collect()
    }

    #[test]
    fn cubic_bases_at_a_knot_are_one_four_one_sixths() -> Result {
        let basis = SplineBasis::new(-1.0, 1.0, 5, 3)?;
        let at_knot = values(&basis, -1.0, 0);
        for (found, wanted) in at_knot.iter().zip([1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0, 0.0, 0.0, 0.0, 0.0, 0.0]) {
            assert!((found - wanted).abs() < 1e-12, "{at_knot:?}");
        }
        Ok(())
    }

    #[test]
    fn bases_sum_to_one_inside_and_vanish_outside() -> Result {
        for degree in 1..=MAX_DEGREE {
            let basis = SplineBasis::new(-1.0, 1.0, 5, degree)?;
            for i in 0..50 {
                let x = -1.0 + 2.0 * (f64::from(i) + 0.5) / 50.0;
                assert!((values(&basis, x, 0).iter().sum::<f64>() - 1.0).abs() < 1e-12);
                assert!(values(&basis, x, 1).iter().sum::<f64>().abs() < 1e-11);
            }
            assert!(values(&basis, 1.0 + 0.4 * degree as f64 + 0.01, 0).iter().all(|&b| b == 0.0));
        }
        Ok(())
    }

    #[test]
    fn derivatives_match_differences() -> Result {
        let basis = SplineBasis::new(-1.0, 1.0, 5, 3)?;
        for i in 0..37 {
            let (x, h) = (-2.3 + 0.1237 * f64::from(i), 1e-5);
            for k in 0..2 {
                let ahead = values(&basis, x + h, k);
                let behind = values(&basis, x - h, k);
                for ((a, b), d) in ahead.iter().zip(&behind).zip(values(&basis, x, k + 1)) {
                    assert!(((a - b) / (2.0 * h) - d).abs() < 1e-3 * (1.0 + d.abs()), "x {x} k {k}");
                }
            }
        }
        Ok(())
    }
}
