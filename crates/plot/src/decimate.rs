//! Thinning of long curves without changing how they look.
//!
//! Within one pixel column only the first, lowest, highest and last points can be seen (the M4 aggregation of Jugel,
//! Jerzak, Hackenbroich and Markl, 2014), so a run of points in the same column shrinks to at most four.

use crate::geometry::Point;

/// `columns_per_unit`: pixel columns per CSS pixel.
pub(crate) fn thin(points: &[Point], columns_per_unit: f64) -> Vec<Point> {
    let column = |p: &Point| (p.x * columns_per_unit).floor();
    let mut kept = Vec::new();
    for run in points.chunk_by(|a, b| column(a) == column(b)) {
        if run.len() <= 4 {
            kept.extend_from_slice(run);
            continue;
        }
        let by_height = |&a: &usize, &b: &usize| run[a].y.total_cmp(&run[b].y);
        let extreme = [(0..run.len()).min_by(by_height), (0..run.len()).max_by(by_height)];
        let mut seen: Vec<usize> = extreme.into_iter().flatten().chain([0, run.len() - 1]).collect();
        seen.sort_unstable();
        seen.dedup();
        kept.extend(seen.into_iter().map(|k| run[k]));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::point;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_column_keeps_its_extremes(heights in prop::collection::vec(-5f64..5.0, 1..400), columns in 1usize..20) {
            let step = columns as f64 / heights.len() as f64;
            let points: Vec<Point> = heights.iter().enumerate().map(|(k, &y)| point(k as f64 * step, y)).collect();
            let thinned = thin(&points, 1.0);
            prop_assert!(thinned.len() <= 4 * (columns + 1));
            prop_assert_eq!(thinned[0], points[0]);
            prop_assert_eq!(thinned[thinned.len() - 1], points[points.len() - 1]);
            for column in 0..columns {
                let range = |all: &[Point]| {
                    let heights = all.iter().filter(|p| p.x.floor() == column as f64).map(|p| p.y);
                    heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), y| (a.min(y), b.max(y)))
                };
                prop_assert_eq!(range(&points), range(&thinned));
            }
        }
    }
}
