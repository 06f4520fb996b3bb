//! Uniform B-spline bases of any degree up to five, with all derivatives.
//!
//! On uniform knots every basis function is a shift of the cardinal spline `M_p`,
//! `M_p(y) = (y M_{p−1}(y) + (p+1−y) M_{p−1}(y−1))/p`, `M_0 = 1 on [0, 1)`, and
//! `M_p^{(k)}(y) = Σ_j (−1)^j C(k,j) M_{p−k}(y−j)` (de Boor 2001, ch. IX–X). Outside their support they are zero, so at any
//! point only degree + 1 neighbours count: lane loops compute those once for all functions ([`Grid::local`]).

use crate::error::{EngineError, Result};
use ropinn_vmath::Real;

/// Largest supported degree.
pub(crate) const MAX_DEGREE: usize = 5;

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

    /// The numbers lane loops need, in their precision.
    pub(crate) fn grid<T: Real>(&self) -> Grid<T> {
        let inverse = 1.0 / self.step;
        Grid {
            low: T::from_f64(self.low),
            inverse: T::from_f64(inverse),
            before: T::from_f64(self.degree as f64),
            beyond: T::from_f64((self.len() + self.degree) as f64),
            powers: std::array::from_fn(|k| T::from_f64(inverse.powi(k as i32))),
        }
    }
}

/// A uniform grid in the precision of a lane loop.
#[derive(Clone, Copy)]
pub(crate) struct Grid<T> {
    low: T,
    /// 1/step.
    inverse: T,
    /// Intervals before `low`.
    before: T,
    /// Intervals in all.
    beyond: T,
    /// step^−k.
    powers: [T; MAX_DEGREE + 1],
}

/// Lanes that go through [`Grid::local`] together: their numbers stay in registers.
pub(crate) const BLOCK: usize = 16;
type Lanes<T> = [T; BLOCK];

impl<T: Real> Grid<T> {
    /// The interval each x lies in, counted from the first knot as a whole number. `put` is handed k and
    /// `B_{interval−m}^{(k)}(x)`, m = 0..M, for every k ≤ `k_max` up to the degree: all the M = degree + 1 functions that do
    /// not vanish there. Left and right of the grid the interval is one that no function reaches. Branch-free over lanes; NaN in
    /// gives NaN out.
    ///
    /// With `f` the fraction of the interval left of x, `v_q[m] = M_q(f + m)` follows from `v_{q−1}` by the recursion, and
    /// derivative k differences `v_{p−k}` k times.
    #[inline(always)]
    pub(crate) fn local<const M: usize>(
        &self,
        x: &Lanes<T>,
        k_max: usize,
        mut put: impl FnMut(usize, &[Lanes<T>; M]),
    ) -> Lanes<T> {
        // Numbers this large have no fraction: adding one and taking it away rounds to the nearest whole number.
        let whole = T::from_f64(1.5) / T::EPS;
        let (mut interval, mut f) = ([T::ZERO; BLOCK], [T::ZERO; BLOCK]);
        for i in 0..BLOCK {
            let y = (x[i] - self.low) * self.inverse + self.before;
            let y = self.beyond.min((-T::ONE).max(y));
            let nearest = (y + whole) - whole;
            interval[i] = if nearest > y { nearest - T::ONE } else { nearest };
            f[i] = y - interval[i];
        }
        let mut v = [[T::ZERO; BLOCK]; M];
        v[0] = [T::ONE; BLOCK];
        for q in 0..M {
            if q > 0 {
                raise(&mut v, q, &f);
            }
            let k = M - 1 - q;
            if k > k_max {
                continue;
            }
            let mut d = v;
            for _ in 0..k {
                for m in (1..M).rev() {
                    let before = d[m - 1];
                    for (d, before) in d[m].iter_mut().zip(before) {
                        *d -= before;
                    }
                }
            }
            for lanes in &mut d {
                for d in lanes {
                    *d *= self.powers[k];
                }
            }
            put(k, &d);
        }
        interval
    }
}

/// `v_q[m] = ((f + m) v_{q−1}[m] + (q + 1 − f − m) v_{q−1}[m−1])/q` in place.
#[inline(always)]
fn raise<T: Real, const M: usize>(v: &mut [Lanes<T>; M], q: usize, f: &Lanes<T>) {
    let inverse = T::from_f64(1.0 / q as f64);
    let reach = T::from_f64((q + 1) as f64);
    for m in (0..M).rev() {
        let shift = T::from_f64(m as f64);
        for i in 0..BLOCK {
            let at = f[i] + shift;
            let falling = if m > 0 { (reach - at) * v[m - 1][i] } else { T::ZERO };
            v[m][i] = (at * v[m][i] + falling) * inverse;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl SplineBasis {
        /// `B_c^{(k)}(x)` for k = 0..=k_max into `tower[k]`.
        fn tower<T: Real>(&self, c: usize, x: T, k_max: usize, tower: &mut [T]) {
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

    /// All functions and derivatives at x from the local form.
    fn scattered<const M: usize>(basis: &SplineBasis, x: f64) -> Vec<Vec<f64>> {
        let mut local = [[0.0; M]; M];
        let put = |k: usize, functions: &[[f64; BLOCK]; M]| local[k] = functions.map(|lanes| lanes[7]);
        let interval = basis.grid::<f64>().local::<M>(&[x; BLOCK], M - 1, put)[3];
        let at = |k: usize, c: usize| (0..M).find(|&m| (c + m) as f64 == interval).map_or(0.0, |m| local[k][m]);
        (0..M).map(|k| (0..basis.len()).map(|c| at(k, c)).collect()).collect()
    }

    fn all(basis: &SplineBasis, x: f64) -> Vec<Vec<f64>> {
        match basis.degree() {
            1 => scattered::<2>(basis, x),
            2 => scattered::<3>(basis, x),
            3 => scattered::<4>(basis, x),
            4 => scattered::<5>(basis, x),
            _ => scattered::<6>(basis, x),
        }
    }

    proptest! {
        #[test]
        fn the_local_form_is_the_recursion(
            degree in 1..=MAX_DEGREE, intervals in 1_usize..9, low in -3.0..3.0, width in 0.1..8.0, at in -0.5..1.5,
        ) {
            let basis = SplineBasis::new(low, low + width, intervals, degree).expect("a grid");
            let x = low + at * (width + 2.0 * degree as f64 * basis.step);
            for (k, found) in all(&basis, x).iter().enumerate() {
                let size = basis.step.powi(-(k as i32));
                for (c, (found, wanted)) in found.iter().zip(values(&basis, x, k)).enumerate() {
                    // The highest derivative jumps at knots, and rounding decides on which side of one x lies.
                    let near_knot = ((x - basis.low) / basis.step - ((x - basis.low) / basis.step).round()).abs() < 1e-9;
                    if !(near_knot && k == degree) {
                        prop_assert!((found - wanted).abs() < 1e-9 * size, "B_{c}^({k})({x}): {found}, not {wanted}");
                    }
                }
            }
        }
    }

    #[test]
    fn knots_belong_to_the_interval_on_their_right() -> Result {
        for degree in 1..=MAX_DEGREE {
            // Knots that are whole numbers, so that rounding plays no part; two beyond the extended grid on both sides.
            let basis = SplineBasis::new(-2.0, 3.0, 5, degree)?;
            for knot in -(degree as i32) - 4..=degree as i32 + 5 {
                for (k, found) in all(&basis, f64::from(knot)).iter().enumerate() {
                    for (found, wanted) in found.iter().zip(values(&basis, f64::from(knot), k)) {
                        assert!((found - wanted).abs() < 1e-12, "degree {degree}, knot {knot}, derivative {k}");
                    }
                }
            }
        }
        Ok(())
    }

    #[test]
    fn far_away_is_outside_and_nan_stays() -> Result {
        let basis = SplineBasis::new(-1.0, 1.0, 5, 3)?;
        for x in [f64::MAX, f64::MIN, f64::INFINITY, f64::NEG_INFINITY, 1e20, -1e20] {
            assert!(all(&basis, x).concat().iter().all(|&b| b == 0.0), "{x}");
        }
        let all_nan = |_, functions: &[[f32; BLOCK]; 4]| assert!(functions.iter().flatten().all(|b| b.is_nan()));
        assert!(basis.grid::<f32>().local::<4>(&[f32::NAN; BLOCK], 0, all_nan)[0].is_nan());
        Ok(())
    }
}
