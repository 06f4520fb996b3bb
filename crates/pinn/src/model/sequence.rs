//! Pseudo-sequences: PINNsFormer sees each point as a few points that follow one another in time (Zhao et al. 2024, §3.1).

/// The pseudo-sequence a point (x, t) becomes: (x, t + i·step) for i = 0 … len − 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sequence {
    /// Number of elements; the first is the point itself.
    pub len: usize,
    /// Time between elements.
    pub step: f64,
}

/// Replaces each point by its pseudo-sequence: `[point][axis]` becomes `[point][element][axis]`.
///
/// ```
/// use ropinn::model::{Sequence, expand_sequence};
/// let points = [0.5, 2.0]; // one point (x, t)
/// let expanded = expand_sequence(&points, 2, Sequence { len: 3, step: 0.25 }, 1);
/// assert_eq!(expanded, [0.5, 2.0, 0.5, 2.25, 0.5, 2.5]);
/// ```
///
/// # Panics
/// If `time_axis` is not one of the `axes`.
pub fn expand_sequence(points: &[f64], axes: usize, sequence: Sequence, time_axis: usize) -> Vec<f64> {
    assert!(time_axis < axes, "time is axis {time_axis}, but points have {axes} axes");
    let mut expanded = Vec::with_capacity(points.len() * sequence.len);
    for point in points.chunks_exact(axes) {
        for i in 0..sequence.len {
            let first = expanded.len();
            expanded.extend_from_slice(point);
            expanded[first + time_axis] += i as f64 * sequence.step;
        }
    }
    expanded
}
