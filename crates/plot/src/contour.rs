//! Lines of equal value on a grid, by marching squares.
//!
//! In a cell the field is u = (1 − a)(1 − b) u₀₀ + a(1 − b) u₁₀ + (1 − a) b u₀₁ + a b u₁₁, as it is painted. Where all
//! four edges of a cell are crossed, the value at the saddle of u, (u₀₀ u₁₁ − u₁₀ u₀₁)/(u₀₀ + u₁₁ − u₁₀ − u₀₁), says
//! which corners belong together (the asymptotic decider of Nielson and Hamann, 1991).

use std::collections::BTreeMap;

use crate::geometry::{Point, point};

/// Values on the nodes `x` × `y`, x fastest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid<'a> {
    pub x: &'a [f64],
    pub y: &'a [f64],
    pub values: &'a [f64],
}

/// A grid edge: from node (i, j) to its right neighbour, or to the one above.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    j: usize,
    i: usize,
    upright: bool,
}

impl Grid<'_> {
    /// The lines at `level`, joined from cell to cell; closed ones end where they begin. Cells with a value that is
    /// not finite have no lines.
    pub fn lines(&self, level: f64) -> Vec<Vec<Point>> {
        let mut neighbours: BTreeMap<Edge, Vec<Edge>> = BTreeMap::new();
        for j in 1..self.y.len() {
            for i in 1..self.x.len() {
                for [a, b] in self.segments(i - 1, j - 1, level) {
                    neighbours.entry(a).or_default().push(b);
                    neighbours.entry(b).or_default().push(a);
                }
            }
        }
        let mut lines = Vec::new();
        // Ends first: what is left when all open lines are walked are closed ones.
        let ends = neighbours.iter().filter(|(_, next)| next.len() == 1).map(|(edge, _)| *edge);
        for start in ends.collect::<Vec<_>>() {
            if let Some(line) = walk(&mut neighbours, start) {
                lines.push(line);
            }
        }
        while let Some(start) = neighbours.keys().next().copied() {
            if let Some(mut line) = walk(&mut neighbours, start) {
                line.push(start);
                lines.push(line);
            }
        }
        lines.into_iter().map(|line| line.into_iter().map(|edge| self.crossing(edge, level)).collect()).collect()
    }

    fn value(&self, i: usize, j: usize) -> f64 {
        self.values[j * self.x.len() + i]
    }

    /// The crossed edges of a cell, in pairs.
    fn segments(&self, i: usize, j: usize, level: f64) -> Vec<[Edge; 2]> {
        let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| self.value(i, j));
        if corners.iter().any(|v| !v.is_finite()) {
            return Vec::new();
        }
        let inside = corners.map(|v| v >= level);
        let edge = |i, j, upright| Edge { j, i, upright };
        let around = [edge(i, j, false), edge(i + 1, j, true), edge(i, j + 1, false), edge(i, j, true)];
        let crossed: Vec<Edge> = (0..4).filter(|&k| inside[k] != inside[(k + 1) % 4]).map(|k| around[k]).collect();
        match crossed[..] {
            [a, b] => vec![[a, b]],
            [bottom, right, top, left] => {
                let [u00, u10, u11, u01] = corners.map(|v| v - level);
                let saddle = (u00 * u11 - u10 * u01) / (u00 + u11 - u10 - u01);
                // Lines cut off the two corners on the other side of the level than the saddle.
                if (saddle >= 0.0) == inside[0] {
                    vec![[bottom, right], [top, left]]
                } else {
                    vec![[left, bottom], [right, top]]
                }
            }
            _ => Vec::new(),
        }
    }

    fn crossing(&self, edge: Edge, level: f64) -> Point {
        let Edge { i, j, upright } = edge;
        let here = self.value(i, j);
        let part = |there: f64| ((level - here) / (there - here)).clamp(0.0, 1.0);
        let between = |nodes: &[f64], k: usize, s: f64| (1.0 - s) * nodes[k] + s * nodes[k + 1];
        if upright {
            point(self.x[i], between(self.y, j, part(self.value(i, j + 1))))
        } else {
            point(between(self.x, i, part(self.value(i + 1, j))), self.y[j])
        }
    }
}

/// Takes the line through `start` out of the map; `None` if an earlier walk has taken it.
fn walk(neighbours: &mut BTreeMap<Edge, Vec<Edge>>, start: Edge) -> Option<Vec<Edge>> {
    let mut onward = neighbours.remove(&start)?;
    let mut line = vec![start];
    while let Some(next) = onward.into_iter().find(|edge| neighbours.contains_key(edge)) {
        line.push(next);
        onward = neighbours.remove(&next).unwrap_or_default();
    }
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nodes(count: usize) -> Vec<f64> {
        (0..count).map(|k| -1.0 + 2.0 * k as f64 / (count - 1) as f64).collect()
    }

    fn sampled(x: &[f64], y: &[f64], u: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        y.iter().flat_map(|&y| x.iter().map(move |&x| (x, y))).map(|(x, y)| u(x, y)).collect()
    }

    proptest! {
        /// x² + y² = r² is one closed line; linear interpolation along an edge of length h errs by h²/(8 r) at most.
        #[test]
        fn a_circle_is_one_closed_line(radius in 0.3f64..0.95, nx in 21usize..60, ny in 21usize..60) {
            let (x, y) = (nodes(nx), nodes(ny));
            let values = sampled(&x, &y, |x, y| x * x + y * y);
            let lines = Grid { x: &x, y: &y, values: &values }.lines(radius * radius);
            prop_assert_eq!(lines.len(), 1);
            let line = &lines[0];
            prop_assert_eq!(line[0], line[line.len() - 1]);
            let step = 2.0 / (nx.min(ny) - 1) as f64;
            for p in line {
                prop_assert!((p.x.hypot(p.y) - radius).abs() <= step * step / (7.9 * radius), "{p:?}");
            }
            // Once around, in small steps: the length is the circumference.
            let length: f64 = line.windows(2).map(|w| (w[1].x - w[0].x).hypot(w[1].y - w[0].y)).sum();
            prop_assert!((length / (std::f64::consts::TAU * radius) - 1.0).abs() < 0.03, "length {length}");
        }

        /// Whatever the values, all vertices are on the level, and lines end only at the border or at a hole.
        #[test]
        fn lines_end_at_the_border(values in prop::collection::vec(-1f64..1.0, 42), level in -0.9f64..0.9) {
            let (x, y) = (nodes(7), nodes(6));
            let grid = Grid { x: &x, y: &y, values: &values };
            let mut crossed = 0;
            for line in grid.lines(level) {
                let (first, last) = (line[0], line[line.len() - 1]);
                let border = |p: Point| p.x.abs() > 1.0 - 1e-12 || p.y.abs() > 1.0 - 1e-12;
                prop_assert!(first == last || (border(first) && border(last)), "{first:?} to {last:?}");
                crossed += line.len() - usize::from(first == last);
            }
            let differ = |a: usize, b: usize| usize::from((values[a] >= level) != (values[b] >= level));
            let across: usize = (0..42).filter(|k| k % 7 < 6).map(|k| differ(k, k + 1)).sum();
            let up: usize = (0..35).map(|k| differ(k, k + 7)).sum();
            prop_assert_eq!(crossed, across + up, "every crossed edge is a vertex of one line");
        }
    }

    /// u = x y on one cell: the lines are the two branches of a hyperbola, which never join opposite sides wrongly.
    #[test]
    fn saddles_are_cut_on_the_right_side() {
        let (x, y) = (vec![-1.0, 1.0], vec![-1.0, 1.0]);
        let values = sampled(&x, &y, |x, y| x * y);
        for level in [-0.5, 0.5f64] {
            let lines = Grid { x: &x, y: &y, values: &values }.lines(level);
            assert_eq!(lines.len(), 2);
            for line in lines {
                let (a, b) = (line[0], line[1]);
                let middle = point(0.5 * (a.x + b.x), 0.5 * (a.y + b.y));
                assert!(middle.x * middle.y * level > 0.0, "a chord of x y = {level} through {middle:?}");
            }
        }
    }

    #[test]
    fn holes_have_no_lines() {
        let (x, y) = (nodes(9), nodes(9));
        let mut values = sampled(&x, &y, |x, _| x);
        values[4 * 9 + 4] = f64::NAN;
        let lines = Grid { x: &x, y: &y, values: &values }.lines(0.05);
        assert_eq!(lines.len(), 2, "the line x = 0.05 is broken by the hole");
        assert!(lines.iter().flatten().all(|p| (p.x - 0.05).abs() < 1e-12 && p.y.abs() >= 0.25));
        assert!(Grid { x: &x, y: &y, values: &values }.lines(7.0).is_empty());
    }
}
