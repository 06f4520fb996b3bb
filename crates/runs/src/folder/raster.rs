//! Where pictures look: dense nodes over the box around the domain, whatever points a run was trained or measured on.

use ropinn::problem::Problem;

/// Nodes of a curve.
const LINE: usize = 401;
/// Nodes along each side of a square picture; the area of others is the same.
const SIDE: f64 = 201.0;
/// Nodes along a short and a long side.
const SIDES: (f64, f64) = (41.0, 801.0);

/// Nodes along the first coordinate.
pub fn line(problem: &Problem) -> Vec<f64> {
    let around = problem.geometry().bounding_box();
    nodes(around.low()[0], around.high()[0], LINE)
}

/// The first two coordinates, with all others fixed.
pub struct Plane {
    /// Nodes along the first.
    pub x: Vec<f64>,
    /// Nodes along the second.
    pub y: Vec<f64>,
    /// Values of the others.
    pub fixed: Vec<f64>,
}

impl Plane {
    /// The plane through the domain where the further coordinates have these values.
    pub fn new(problem: &Problem, fixed: Vec<f64>) -> Self {
        let around = problem.geometry().bounding_box();
        let (low, high) = (around.low(), around.high());
        let square = if is_in_space(problem) { ((high[0] - low[0]) / (high[1] - low[1])).sqrt() } else { 1.0 };
        let count = |side: f64| side.clamp(SIDES.0, SIDES.1).round() as usize;
        let x = nodes(low[0], high[0], count(SIDE * square));
        Self { x, y: nodes(low[1], high[1], count(SIDE / square)), fixed }
    }

    /// The same plane with half as many nodes along either side.
    pub fn halved(self) -> Self {
        let half = |own: Vec<f64>| nodes(own[0], own[own.len() - 1], own.len().div_ceil(2));
        Self { x: half(self.x), y: half(self.y), fixed: self.fixed }
    }

    /// `[node][coordinate]`, the first one fastest.
    pub fn points(&self) -> Vec<f64> {
        let row = |y: &f64| self.x.iter().map(|x| (*x, *y)).collect::<Vec<_>>();
        let nodes = self.y.iter().flat_map(row);
        nodes.flat_map(|(x, y)| [x, y].into_iter().chain(self.fixed.iter().copied())).collect()
    }
}

/// Nodes along each side of a box in space.
const BOX_SIDE: usize = 29;

/// Three coordinates in space, with time fixed if there is any.
pub struct Space {
    /// Nodes along each.
    pub nodes: [Vec<f64>; 3],
    /// The instant.
    pub instant: Option<f64>,
}

impl Space {
    /// The box around a domain of three coordinates in space, halfway through time; none in other domains.
    pub fn of(problem: &Problem) -> Option<Self> {
        let around = problem.geometry().bounding_box();
        let (low, high) = (around.low(), around.high());
        let axes = low.len() - usize::from(problem.time_axis().is_some());
        let instant = problem.time_axis().map(|time| 0.5 * (low[time] + high[time]));
        let nodes = || std::array::from_fn(|axis| nodes(low[axis], high[axis], BOX_SIDE));
        (axes == 3).then(|| Self { nodes: nodes(), instant })
    }

    /// `[node][coordinate]`, the first one fastest.
    pub fn points(&self) -> Vec<f64> {
        let [x, y, z] = &self.nodes;
        let node = |n: usize| [x[n % x.len()], y[n / x.len() % y.len()], z[n / (x.len() * y.len())]];
        let all = (0..x.len() * y.len() * z.len()).map(node);
        all.flat_map(|place| place.into_iter().chain(self.instant)).collect()
    }
}

/// Nodes of a field that is kept to be looked at again and again: along a curve, along each side of a square, and, with three
/// coordinates, along the sides of a cut and from cut to cut.
const KEPT: (usize, f64, f64, usize) = (201, 49.0, 33.0, 9);

/// A coarse raster of the domain: nodes along the first three coordinates, with all others in the middle.
pub fn coarse(problem: &Problem) -> Vec<Vec<f64>> {
    let around = problem.geometry().bounding_box();
    let (low, high, (line, square, cut, cuts)) = (around.low(), around.high(), KEPT);
    if low.len() == 1 {
        return vec![nodes(low[0], high[0], line)];
    }
    let side = if low.len() == 2 { square } else { cut };
    let wide = if is_in_space(problem) { ((high[0] - low[0]) / (high[1] - low[1])).sqrt() } else { 1.0 };
    let count = |factor: f64| (side * factor).clamp(side / 3.0, 3.0 * side).round() as usize;
    let plane = vec![nodes(low[0], high[0], count(wide)), nodes(low[1], high[1], count(1.0 / wide))];
    plane.into_iter().chain((2..low.len()).map(|axis| nodes(low[axis], high[axis], cuts)).take(1)).collect()
}

/// Whether the first two coordinates are both in space: then they have the same unit.
pub fn is_in_space(problem: &Problem) -> bool {
    problem.time_axis().is_none_or(|time| time > 1)
}

/// Signed distances of points from the edge of the domain, negative inside; `None` for a box, which has no other edge.
pub fn edge(problem: &Problem, points: &[f64]) -> Option<Vec<f64>> {
    let (geometry, axes) = (problem.geometry(), problem.coordinate_names().len());
    let distances = || points.chunks_exact(axes).map(|point| geometry.signed_distance(point)).collect();
    geometry.as_box().is_none().then(distances)
}

/// The planes that show a domain of more than two coordinates: a quarter, half and three quarters along the last one, in the
/// middle of the others. Its ends would show conditions, not solutions.
pub fn slices(problem: &Problem) -> Vec<Vec<f64>> {
    let around = problem.geometry().bounding_box();
    let at = |axis: usize, part: f64| (1.0 - part) * around.low()[axis] + part * around.high()[axis];
    match problem.coordinate_names().len() {
        0..=2 => vec![Vec::new()],
        axes => {
            let middle: Vec<f64> = (2..axes - 1).map(|axis| at(axis, 0.5)).collect();
            [0.25, 0.5, 0.75].map(|part| [&middle[..], &[at(axes - 1, part)]].concat()).to_vec()
        }
    }
}

fn nodes(low: f64, high: f64, count: usize) -> Vec<f64> {
    let last = count.max(2) - 1;
    (0..=last).map(|k| if k == last { high } else { low + (high - low) * k as f64 / last as f64 }).collect()
}

/// Points of a table that fill a grid.
#[derive(Debug, PartialEq)]
pub struct FullGrid {
    /// Nodes along each coordinate.
    pub nodes: Vec<Vec<f64>>,
    /// The point on each cell of the grid, the first coordinate fastest.
    pub points: Vec<usize>,
}

impl FullGrid {
    /// The grid that points `[point][coordinate]` fill, one on each cell, in any order; `None` if they do not.
    pub fn of(points: &[f64], axes: usize) -> Option<Self> {
        let along = |axis: usize| {
            let mut nodes: Vec<f64> = points.iter().skip(axis).step_by(axes).copied().collect();
            nodes.sort_by(f64::total_cmp);
            nodes.dedup();
            nodes
        };
        let nodes: Vec<Vec<f64>> = (0..axes).map(along).collect();
        let (count, most) = (points.len() / axes, usize::MAX);
        let cells = nodes.iter().try_fold(1usize, |cells, own| cells.checked_mul(own.len()))?;
        if cells != count || nodes.iter().take(2).any(|own| own.len() < 2) {
            return None;
        }
        let mut found = vec![most; cells];
        for (k, point) in points.chunks_exact(axes).enumerate() {
            let mut stride = 1;
            let mut cell = 0;
            for (value, own) in point.iter().zip(&nodes) {
                cell += stride * own.partition_point(|node| node < value);
                stride *= own.len();
            }
            found[cell] = k;
        }
        found.iter().all(|&k| k != most).then_some(Self { nodes, points: found })
    }

    /// The nodes nearest to values of the coordinates beyond the second.
    pub fn nearest(&self, fixed: &[f64]) -> Vec<f64> {
        let nearest = |(value, own): (&f64, &Vec<f64>)| {
            own.iter().copied().min_by(|a, b| (a - value).abs().total_cmp(&(b - value).abs())).unwrap_or(*value)
        };
        fixed.iter().zip(&self.nodes[2..]).map(nearest).collect()
    }

    /// The points of the plane with these nodes of the further coordinates.
    pub fn plane(&self, fixed: &[f64]) -> &[usize] {
        let size = self.nodes[0].len() * self.nodes[1].len();
        let (mut first, mut stride) = (0, size);
        for (value, own) in fixed.iter().zip(&self.nodes[2..]) {
            first += stride * own.partition_point(|node| node < value);
            stride *= own.len();
        }
        &self.points[first..first + size]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_lie_inside_the_domain() {
        let problem = Problem::builtin("heat-2d-ms").expect("built in");
        assert_eq!(slices(&problem), [[1.25], [2.5], [3.75]]);
        assert_eq!(slices(&Problem::builtin("wave").expect("built in")), [Vec::<f64>::new()]);
    }

    #[test]
    fn boxes_in_space_are_those_of_three_coordinates() {
        let of = |name: &str| Space::of(&Problem::builtin(name).expect("built in"));
        assert!(of("wave").is_none() && of("heat-2d-ms").is_none());
        let space = of("poisson-3d-cg").expect("three coordinates");
        assert_eq!((space.instant, space.points().len()), (None, 3 * BOX_SIDE.pow(3)));
        assert_eq!(space.points()[3..6], [space.nodes[0][1], space.nodes[1][0], space.nodes[2][0]]);
    }

    #[test]
    fn points_in_any_order_fill_a_grid_or_do_not() {
        let points = [0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 2.0, 1.0, 1.0, 0.0, 1.0, 1.0];
        let grid = FullGrid::of(&points, 2).expect("six points on a grid of 3 × 2");
        assert_eq!(grid, FullGrid { nodes: vec![vec![0.0, 1.0, 2.0], vec![0.0, 1.0]], points: vec![2, 4, 1, 0, 5, 3] });
        assert_eq!(FullGrid::of(&points[..10], 2), None);
        assert_eq!(FullGrid::of(&[0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 0.0, 0.0], 2), None);
        let cube: Vec<f64> = (0..8).flat_map(|k| [k % 2, k / 2 % 2, k / 4].map(f64::from)).collect();
        let grid = FullGrid::of(&cube, 3).expect("a cube");
        assert_eq!((grid.nearest(&[0.7]), grid.plane(&[1.0])), (vec![1.0], &[4, 5, 6, 7][..]));
    }
}
