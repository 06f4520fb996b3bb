//! Lines along a velocity field: evenly spread, each followed both ways until it leaves the domain, slows down or comes close
//! to one drawn before (after Jobard & Lefer 1997).

use super::raster::{Plane, is_in_space};
use ropinn::problem::Problem;
use ropinn_expr::MultiIndex;

/// Cells along the longer side, each crossed by one line at most.
const CELLS: f64 = 26.0;
/// Steps of half a node each, both ways.
const STEPS: usize = 1500;
/// Lines of fewer cells than this are only clutter.
const SHORTEST: usize = 3;
/// A place slower than this share of the fastest stands still.
const STILL: f64 = 1e-3;

/// The unknowns that are the velocity along the first two coordinates of space: `u` and `v`, or `vx` and `vy` and the like, if
/// the equations balance what flows along both.
pub fn velocity(problem: &Problem) -> Option<(usize, usize)> {
    let names = problem.unknown_names();
    let [x, y] = [problem.coordinate_names().first()?, problem.coordinate_names().get(1)?];
    let pairs = ["u", "v", "w", "V", "U"].map(|base| [format!("{base}{x}"), format!("{base}{y}")]);
    let pairs = pairs.into_iter().chain([["u".to_owned(), "v".to_owned()], ["U".to_owned(), "V".to_owned()]]);
    let index = |name: &String| names.iter().position(|own| own == name);
    let (u, v) = pairs.into_iter().find_map(|[u, v]| index(&u).zip(index(&v)))?;
    // u_x and v_y in one equation: the continuity of a flow, whatever its density.
    let along = |field: usize, axis: usize| (field, MultiIndex::unit(axis), 0);
    let mut equations = problem.equations().map(|(_, residual)| residual.unknowns());
    let flows = equations.any(|derivatives| derivatives.contains(&along(u, 0)) && derivatives.contains(&along(v, 1)));
    (is_in_space(problem) && flows).then_some((u, v))
}

/// A velocity on the nodes of a plane, the first coordinate fastest, and where it is defined.
pub struct Flow<'a> {
    /// The nodes.
    pub plane: &'a Plane,
    /// Velocity along the first coordinate.
    pub u: &'a [f64],
    /// Velocity along the second.
    pub v: &'a [f64],
    /// Signed distances from the edge of the domain, negative inside; `None` for a box.
    pub edge: Option<&'a [f64]>,
}

/// The lines, as places in the coordinates of the plane.
pub fn streamlines(flow: &Flow<'_>) -> Vec<Vec<(f64, f64)>> {
    let (nx, ny) = (flow.plane.x.len(), flow.plane.y.len());
    let speed = |k: usize| flow.u[k].hypot(flow.v[k]);
    let fastest = (0..nx * ny).map(speed).filter(|speed| speed.is_finite()).fold(0.0, f64::max);
    if fastest <= 0.0 {
        return Vec::new();
    }
    let size = (nx.max(ny) as f64 / CELLS).max(1.0);
    let (across, down) = ((nx as f64 / size).ceil() as usize, (ny as f64 / size).ceil() as usize);
    let mut taken = vec![false; across * down];
    let cell =
        |(s, t): (f64, f64)| ((t / size) as usize).min(down - 1) * across + ((s / size) as usize).min(across - 1);
    let mut lines = Vec::new();
    // Seeds from the middle outwards: the longest lines are drawn first.
    let mut seeds: Vec<(f64, f64)> =
        (0..across * down).map(|k| (((k % across) as f64 + 0.5) * size, ((k / across) as f64 + 0.5) * size)).collect();
    let middle = (nx as f64 / 2.0, ny as f64 / 2.0);
    seeds.sort_by(|a, b| (a.0 - middle.0).hypot(a.1 - middle.1).total_cmp(&(b.0 - middle.0).hypot(b.1 - middle.1)));
    for seed in seeds {
        if taken[cell(seed)] || flow.direction(seed, STILL * fastest).is_none() {
            continue;
        }
        let mut own = vec![cell(seed)];
        let mut follow = |sign: f64| {
            let mut path = Vec::new();
            let mut at = seed;
            for _ in 0..STEPS {
                let Some((du, dv)) = flow.direction(at, STILL * fastest) else { break };
                // Half a step to see where it leads (midpoint rule).
                let half = (at.0 + 0.25 * sign * du, at.1 + 0.25 * sign * dv);
                let Some((du, dv)) = flow.direction(half, STILL * fastest) else { break };
                at = (at.0 + 0.5 * sign * du, at.1 + 0.5 * sign * dv);
                let here = cell(at);
                if own.last() != Some(&here) {
                    if taken[here] || own.contains(&here) {
                        break;
                    }
                    own.push(here);
                }
                path.push(at);
            }
            path
        };
        let (mut back, ahead) = (follow(-1.0), follow(1.0));
        if own.len() < SHORTEST {
            continue;
        }
        own.iter().for_each(|&cell| taken[cell] = true);
        back.reverse();
        let whole = back.into_iter().chain([seed]).chain(ahead);
        lines.push(whole.map(|(s, t)| (along(&flow.plane.x, s), along(&flow.plane.y, t))).collect());
    }
    lines
}

impl Flow<'_> {
    /// The unit vector of the velocity at a place counted in nodes, in nodes; `None` where there is nothing to follow.
    fn direction(&self, (s, t): (f64, f64), still: f64) -> Option<(f64, f64)> {
        let (nx, ny) = (self.plane.x.len(), self.plane.y.len());
        let inside = s >= 0.0 && t >= 0.0 && s <= (nx - 1) as f64 && t <= (ny - 1) as f64;
        if !inside {
            return None;
        }
        let (i, j) = ((s as usize).min(nx - 2), (t as usize).min(ny - 2));
        let (a, b) = (s - i as f64, t - j as f64);
        let mix = |values: &[f64]| {
            let at = |i: usize, j: usize| values[j * nx + i];
            (1.0 - b) * ((1.0 - a) * at(i, j) + a * at(i + 1, j))
                + b * ((1.0 - a) * at(i, j + 1) + a * at(i + 1, j + 1))
        };
        if self.edge.is_some_and(|edge| mix(edge) > 0.0) {
            return None;
        }
        let (u, v) = (mix(self.u), mix(self.v));
        // Nodes are not as far apart along both sides.
        let (dx, dy) = (self.plane.x[1] - self.plane.x[0], self.plane.y[1] - self.plane.y[0]);
        let (p, q) = (u / dx, v / dy);
        let length = p.hypot(q);
        (u.hypot(v) > still && length.is_finite()).then(|| (p / length, q / length))
    }
}

/// The coordinate at a place counted in nodes, which are evenly spaced.
fn along(nodes: &[f64], place: f64) -> f64 {
    nodes[0] + place * (nodes[nodes.len() - 1] - nodes[0]) / (nodes.len() - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_vortex_keep_their_distance_from_its_middle() {
        let nodes: Vec<f64> = (0..101).map(|k| f64::from(k) / 50.0 - 1.0).collect();
        let plane = Plane { x: nodes.clone(), y: nodes.clone(), fixed: Vec::new() };
        let at = |f: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
            nodes.iter().flat_map(|y| nodes.iter().map(move |x| (*x, *y))).map(|(x, y)| f(x, y)).collect()
        };
        let (u, v, edge) = (at(&|_, y| -y), at(&|x, _| x), at(&|x, y| x.hypot(y) - 0.9));
        let lines = streamlines(&Flow { plane: &plane, u: &u, v: &v, edge: Some(&edge) });
        assert!(lines.len() > 5, "{}", lines.len());
        for line in &lines {
            let radius = |(x, y): &(f64, f64)| x.hypot(*y);
            let first = radius(&line[0]);
            assert!(line.iter().all(|place| (radius(place) - first).abs() < 0.02 && radius(place) < 0.93));
        }
        let still = vec![0.0; u.len()];
        assert!(streamlines(&Flow { plane: &plane, u: &still, v: &still, edge: None }).is_empty());
    }
}
