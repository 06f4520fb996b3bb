//! The surface as quads in painting order.
//!
//! The painter's algorithm, exact for heights over a grid: along any ray towards the viewer the cells' indices change
//! monotonically in i and in j, so painting columns from far to near, and each from far to near, never lets a hidden
//! quad cover the one in front of it, however high it is.

use super::Surface;
use super::view::{HALF_HEIGHT, Vector, View, cross, dot, unit};
use crate::axis::Scale;
use crate::colour::Rgb;
use crate::scene::{Mark, Stroke};
use crate::theme::PAPER;

/// Quads along each side, at most.
const MOST: usize = 64;
const EDGE: f64 = 0.4;
const BLACK: Rgb = Rgb::from_hex(0);
/// How much of the colour gives way to black in full shade, to white in full light, and to black on edges.
const SHADE: f64 = 0.42;
const LIGHT: f64 = 0.14;
const EDGE_SHADE: f64 = 0.22;

/// A cell with its corners in box coordinates, in turn around it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quad {
    pub corners: [Vector; 4],
    /// Fraction of the range of colours.
    pub height: f64,
}

/// The quads from far to near.
pub(super) fn quads(surface: &Surface, z: Scale, view: &View) -> Vec<Quad> {
    let (columns, rows) = (kept(surface.x.values.len()), kept(surface.y.values.len()));
    let (x, y) = (spread(&surface.x.values), spread(&surface.y.values));
    let corner = |i: usize, j: usize| -> Option<(Vector, f64)> {
        let height = z.fraction(surface.values[j * x.len() + i])?.clamp(0.0, 1.0);
        Some(([x[i], y[j], HALF_HEIGHT * (2.0 * height - 1.0)], height))
    };
    let mut quads = Vec::with_capacity(columns.len() * rows.len());
    for i in far_to_near(&columns, view.near(0)) {
        for j in far_to_near(&rows, view.near(1)) {
            let around = [(i[0], j[0]), (i[1], j[0]), (i[1], j[1]), (i[0], j[1])].map(|(i, j)| corner(i, j));
            if let [Some(a), Some(b), Some(c), Some(d)] = around {
                let height = 0.25 * (a.1 + b.1 + c.1 + d.1);
                quads.push(Quad { corners: [a.0, b.0, c.0, d.0], height });
            }
        }
    }
    quads
}

/// Every k-th of `count` nodes, and the last.
fn kept(count: usize) -> Vec<usize> {
    let last = count.saturating_sub(1);
    (0..last).step_by(last.div_ceil(MOST).max(1)).chain([last]).collect()
}

/// Neighbouring pairs of nodes, those away from the viewer first.
fn far_to_near(nodes: &[usize], near: f64) -> Vec<[usize; 2]> {
    let mut pairs: Vec<[usize; 2]> = nodes.windows(2).map(|pair| [pair[0], pair[1]]).collect();
    if near < 0.0 {
        pairs.reverse();
    }
    pairs
}

/// Nodes in box coordinates, from −1 to 1.
fn spread(nodes: &[f64]) -> Vec<f64> {
    let scale = Scale { low: nodes[0], high: nodes[nodes.len() - 1], log: false };
    nodes.iter().map(|&v| 2.0 * scale.fraction(v).unwrap_or(0.5) - 1.0).collect()
}

impl Quad {
    pub fn mark(&self, view: &View, table: &[Rgb; 256]) -> Mark {
        let plain = table[(255.0 * self.height).round() as usize];
        let colour = self.shaded(plain, view);
        let outline = self.corners.iter().map(|&corner| view.place(corner)).collect();
        let edge = Some(Stroke::solid(colour.mix(BLACK, EDGE_SHADE), EDGE));
        Mark::Area { outline, colour, opacity: 1.0, edge }
    }

    /// Lambert's cosine law with a light up on the viewer's left, relative to level ground: that keeps the colour of
    /// the colour bar.
    fn shaded(&self, plain: Rgb, view: &View) -> Rgb {
        let light = unit(std::array::from_fn(|k| 0.7 * view.toward[k] + 0.6 * view.up[k] - 0.6 * view.right[k]));
        let [a, b, c, d] = self.corners;
        let diagonal = |from: Vector, to: Vector| std::array::from_fn(|k| to[k] - from[k]);
        // Never zero: the diagonals of a cell cross in the plan.
        let normal = unit(cross(diagonal(a, c), diagonal(b, d)));
        let (lit, level) = (dot(normal, light).max(0.0), light[2]);
        if lit < level {
            plain.mix(BLACK, SHADE * (level - lit) / level)
        } else {
            plain.mix(PAPER, LIGHT * (lit - level) / (1.0 - level))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinate::Axis;
    use proptest::prelude::*;

    fn surface(nx: usize, ny: usize, values: Vec<f64>) -> Surface {
        let nodes = |count: usize| (0..count).map(|k| k as f64).collect();
        Surface::new(Axis::new("x", nodes(nx)), Axis::new("y", nodes(ny)), "z", values)
    }

    const UNIT: Scale = Scale { low: 0.0, high: 1.0, log: false };

    /// Whether a point of the picture is inside a placed quad, seen as two triangles, and how near the quad is there.
    fn depth_at(quad: &Quad, view: &View, x: f64, y: f64) -> Option<f64> {
        let [a, b, c, d] = quad.corners;
        [[a, b, c], [a, c, d]].into_iter().find_map(|triangle| {
            let [p, q, r] = triangle.map(|corner| view.place(corner));
            let area = |u: [f64; 2], v: [f64; 2]| u[0] * v[1] - u[1] * v[0];
            let (pq, pr, at) = ([q.x - p.x, q.y - p.y], [r.x - p.x, r.y - p.y], [x - p.x, y - p.y]);
            let whole = area(pq, pr);
            let (s, t) = (area(at, pr) / whole, area(pq, at) / whole);
            let inside = s > 1e-6 && t > 1e-6 && s + t < 1.0 - 1e-6;
            let depth = triangle.map(|corner| dot(corner, view.toward));
            inside.then(|| depth[0] + s * (depth[1] - depth[0]) + t * (depth[2] - depth[0]))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Wherever two quads cover the same place, the later one is nearer, whatever the heights and the view.
        #[test]
        fn later_quads_are_nearer(
            values in prop::collection::vec(0f64..1.0, 30), azimuth in -360f64..360.0, elevation in 5f64..85.0,
            probes in prop::collection::vec((-1.5f64..1.5, -1.5f64..1.5), 40),
        ) {
            let view = View::new(azimuth, elevation);
            let quads = quads(&surface(6, 5, values), UNIT, &view);
            prop_assert_eq!(quads.len(), 20);
            for (x, y) in probes {
                let depths: Vec<f64> = quads.iter().filter_map(|quad| depth_at(quad, &view, x, y)).collect();
                // A quad bends along its diagonal; two neighbours meet within rounding.
                prop_assert!(depths.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9), "{depths:?} at {x}, {y}");
            }
        }
    }

    #[test]
    fn the_first_quad_is_in_the_far_corner() {
        let flat = surface(3, 3, vec![0.5; 9]);
        for (azimuth, far) in [(45.0, [-1.0, -1.0]), (135.0, [1.0, -1.0]), (-45.0, [-1.0, 1.0]), (-135.0, [1.0, 1.0])] {
            let quads = quads(&flat, UNIT, &View::new(azimuth, 30.0));
            assert!(quads[0].corners.iter().any(|c| c[..2] == far), "azimuth {azimuth}");
            assert!(quads[3].corners.iter().any(|c| c[..2] == far.map(|v| -v)), "azimuth {azimuth}");
        }
    }

    #[test]
    fn fine_grids_are_thinned_and_keep_their_ends() {
        assert_eq!(kept(65), (0..65).collect::<Vec<_>>());
        assert_eq!(kept(66).len(), 34);
        for count in [2, 3, 64, 66, 100, 101, 129, 1000, 4097] {
            let nodes = kept(count);
            assert!(nodes.len() <= MOST + 1 && nodes[0] == 0 && nodes[nodes.len() - 1] == count - 1, "{count}");
            assert!(nodes.windows(2).all(|pair| pair[0] < pair[1]), "{count}");
        }
    }

    #[test]
    fn level_ground_has_the_colour_of_the_bar() {
        let plain = Rgb::from_hex(0x21908c);
        let view = View::new(-55.0, 30.0);
        let [level] = quads(&surface(2, 2, vec![0.5; 4]), UNIT, &view).try_into().expect("one quad");
        let same = level.shaded(plain, &view).channels().into_iter().zip(plain.channels());
        assert!(same.into_iter().all(|(a, b)| a.abs_diff(b) <= 1));
        // A slope that falls towards the viewer's right turns away from the light.
        let [away] = quads(&surface(2, 2, vec![1.0, 0.0, 1.0, 0.0]), UNIT, &view).try_into().expect("one quad");
        assert!(away.shaded(plain, &view).green < plain.green);
    }

    #[test]
    fn cells_with_a_missing_corner_are_left_out() {
        let mut values = vec![1.0; 20];
        values[7] = f64::NAN;
        let view = View::new(30.0, 30.0);
        assert_eq!(quads(&surface(5, 4, values.clone()), UNIT, &view).len(), 8);
        values[0] = 0.0;
        assert_eq!(quads(&surface(5, 4, values), Scale { low: 0.1, high: 1.0, log: true }, &view).len(), 7);
    }
}
