//! Minimiser of the cubic through two points with given values and slopes (Nocedal & Wright 2006, eq. 3.59).

/// Value and slope of φ at one step length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Knot {
    pub(crate) x: f64,
    pub(crate) value: f64,
    pub(crate) slope: f64,
}

/// Step length that minimises the cubic through `a` and `b`, clipped to `lower..=upper`; their midpoint if that cubic
/// has no minimiser.
///
/// The square root belongs to whichever knot is farther along the line, hence the two mirrored cases. A NaN, which
/// 0/0 gives for two identical flat knots, is passed on for the caller to see.
pub(crate) fn cubic_minimum(a: Knot, b: Knot, (lower, upper): (f64, f64)) -> f64 {
    let d1 = a.slope + b.slope - 3.0 * (a.value - b.value) / (a.x - b.x);
    let square = d1 * d1 - a.slope * b.slope;
    if square < 0.0 || square.is_nan() {
        return (lower + upper) / 2.0;
    }
    let d2 = square.sqrt();
    let (near, far) = if a.x <= b.x { (a, b) } else { (b, a) };
    let share = (far.slope + d2 - d1) / (far.slope - near.slope + 2.0 * d2);
    let minimum = far.x - (far.x - near.x) * share;
    // `clamp` and `max` would lose a NaN or panic on it; comparisons that are false for NaN keep it.
    let raised = if lower > minimum { lower } else { minimum };
    if upper < raised { upper } else { raised }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ANYWHERE: (f64, f64) = (-1e6, 1e6);

    /// φ(x) = c + k (x³/3 − (p+q)/2 x² + pq x): minimum at q, maximum at p for k > 0 and p < q.
    fn knot(x: f64, c: f64, k: f64, (p, q): (f64, f64)) -> Knot {
        let value = c + k * (x * x * x / 3.0 - (p + q) / 2.0 * x * x + p * q * x);
        Knot { x, value, slope: k * (x - p) * (x - q) }
    }

    proptest! {
        #[test]
        fn finds_the_minimum_of_a_true_cubic(
            c in -3.0..3.0, k in 0.2..4.0, p in -2.0..1.0, gap in 0.3..3.0, a in -2.0..2.0, width in 0.3..3.0, swap: bool,
        ) {
            let extrema = (p, p + gap);
            let (mut left, mut right) = (knot(a, c, k, extrema), knot(a + width, c, k, extrema));
            if swap { std::mem::swap(&mut left, &mut right); }
            let got = cubic_minimum(left, right, ANYWHERE);
            prop_assert!((got - extrema.1).abs() < 1e-8, "want {}, got {got}", extrema.1);
        }

        #[test]
        fn a_minimum_outside_the_bounds_is_clipped(k in 0.2..4.0, p in -2.0..1.0, gap in 0.5..3.0, margin in 0.1..0.4) {
            let q = p + gap;
            let (left, right) = (knot(q - 0.5, 0.0, k, (p, q)), knot(q + 0.5, 0.0, k, (p, q)));
            prop_assert_eq!(cubic_minimum(left, right, (q + margin, q + 1.0)), q + margin);
            prop_assert_eq!(cubic_minimum(left, right, (q - 1.0, q - margin)), q - margin);
        }

        #[test]
        fn a_monotone_cubic_gives_the_midpoint(k in 0.2..4.0, bend in 0.2..4.0, lower in -3.0..0.0, upper in 0.1..3.0) {
            // φ = k x + bend x³/3 has no stationary point for k, bend > 0.
            let at = |x: f64| Knot { x, value: k * x + bend * x * x * x / 3.0, slope: k + bend * x * x };
            prop_assert_eq!(cubic_minimum(at(-1.0), at(1.0), (lower, upper)), (lower + upper) / 2.0);
        }
    }

    #[test]
    fn indeterminate_knots_give_nan_instead_of_a_bound() {
        let flat = |x| Knot { x, value: 0.0, slope: 0.0 };
        assert!(cubic_minimum(flat(0.0), flat(1.0), (0.0, 1.0)).is_nan());
    }
}
