//! Integrals over what balls leave of a cell, axis by axis: each axis is cut where the rest stops being smooth, and Gauss's rule is used between the
//! cuts (in the manner of Saye 2015, with the roots known in closed form).
//!
//! Along the last axis the cuts are where the line enters and leaves a ball; along the one before, where the sphere crosses an end of
//! the last axis or turns back; and so on. The last axis is the one along which the sphere's normal is longest.

use super::problem::Ball;

/// Gauss's five places and weights on [0, 1].
pub(super) const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668_02, 0.118_463_442_528_094_54),
    (0.230_765_344_947_158_45, 0.239_314_335_249_683_24),
    (0.5, 0.284_444_444_444_444_44),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_24),
    (0.953_089_922_969_332, 0.118_463_442_528_094_54),
];

/// Places and weights of the part of a box outside the balls.
pub(super) fn outside(low: [f64; 3], high: [f64; 3], balls: &[Ball]) -> Vec<([f64; 3], f64)> {
    let middle = [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]));
    let away = |ball: &Ball| -> f64 { (0..3).map(|axis| (middle[axis] - ball.center[axis]).powi(2)).sum() };
    let rim = |ball: &&Ball| (away(ball).sqrt() - ball.radius).abs();
    let nearest = balls.iter().min_by(|a, b| rim(a).total_cmp(&rim(b)));
    let normal = nearest.map_or([0.0; 3], |ball| [0, 1, 2].map(|axis| (middle[axis] - ball.center[axis]).abs()));
    let mut axes = [0, 1, 2];
    axes.sort_by(|&a, &b| normal[a].total_cmp(&normal[b]));
    let mut places = Vec::new();
    let cell = Cell { low, high, balls, axes };
    cell.gather(0, [0.0; 3], 1.0, &mut places);
    places
}

struct Cell<'a> {
    low: [f64; 3],
    high: [f64; 3],
    balls: &'a [Ball],
    axes: [usize; 3],
}

impl Cell<'_> {
    fn gather(&self, depth: usize, place: [f64; 3], weight: f64, places: &mut Vec<([f64; 3], f64)>) {
        let axis = self.axes[depth];
        for ends in self.cuts(depth, &place).windows(2) {
            let (from, length) = (ends[0], ends[1] - ends[0]);
            let mut inner = place;
            inner[axis] = from + 0.5 * length;
            if length <= 0.0 || (depth == 2 && self.balls.iter().any(|ball| ball.contains(&inner))) {
                continue;
            }
            for (s, part) in GAUSS {
                inner[axis] = from + s * length;
                match depth {
                    2 => places.push((inner, weight * part * length)),
                    _ => self.gather(depth + 1, inner, weight * part * length, places),
                }
            }
        }
    }

    /// The ends of an axis and the cuts between them, increasing.
    fn cuts(&self, depth: usize, place: &[f64; 3]) -> Vec<f64> {
        let axis = self.axes[depth];
        let (low, high) = (self.low[axis], self.high[axis]);
        let mut cuts = vec![low, high];
        for ball in self.balls {
            let known = |axis: &usize| (place[*axis] - ball.center[*axis]).powi(2);
            let left = ball.radius * ball.radius - self.axes[..depth].iter().map(known).sum::<f64>();
            // Later axes: at either end, or where the sphere turns back.
            let mut lefts = vec![left];
            for later in &self.axes[depth + 1..] {
                let ends = [self.low[*later], self.high[*later]].map(|end| (end - ball.center[*later]).powi(2));
                lefts = lefts.iter().flat_map(|left| [*left, left - ends[0], left - ends[1]]).collect();
            }
            for root in lefts.into_iter().filter(|left| *left > 0.0).map(f64::sqrt) {
                let at = [ball.center[axis] - root, ball.center[axis] + root];
                cuts.extend(at.into_iter().filter(|cut| *cut > low && *cut < high));
            }
        }
        cuts.sort_by(f64::total_cmp);
        cuts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_volume_outside_a_ball_is_found_from_its_cells() {
        let ball = Ball { center: [0.47, 0.52, 0.55], radius: 0.3 };
        let n = 6;
        let h = 1.0 / f64::from(n);
        let (mut volume, mut moment) = (0.0, 0.0);
        for k in 0..n * n * n {
            let low = [k % n, k / n % n, k / (n * n)].map(|k| h * f64::from(k));
            for (place, weight) in outside(low, low.map(|x| x + h), &[ball]) {
                volume += weight;
                moment += weight * place[0] * place[0];
            }
        }
        let own = 4.0 / 3.0 * std::f64::consts::PI * 0.3_f64.powi(3);
        assert!((volume - (1.0 - own)).abs() < 1e-5, "{volume} is not {}", 1.0 - own);
        let expected = 1.0 / 3.0 - own * (0.47 * 0.47 + 0.2 * 0.3 * 0.3);
        assert!((moment - expected).abs() < 1e-5, "{moment} is not {expected}");
    }
}
