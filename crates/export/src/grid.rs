//! Where a solution is looked at: a regular grid over the box around the domain, both ends included.

use crate::error::ExportError;
use ropinn::memory;
use ropinn::problem::{MAX_POINTS, Problem};
use std::fmt;
use std::str::FromStr;

/// Nodes along a coordinate in space, by the number of these; beyond, so many in all.
const IN_SPACE: [usize; 3] = [401, 201, 65];
const IN_ALL: f64 = 250_000.0;
/// Nodes along time, by the number of coordinates in space.
const IN_TIME: [usize; 3] = [201, 41, 11];

/// Nodes along each coordinate, such as `101x101`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts(Vec<usize>);

impl FromStr for Counts {
    type Err = ExportError;

    fn from_str(text: &str) -> Result<Self, ExportError> {
        let counts = text.split('x').map(|count| count.trim().parse().ok().filter(|count| *count > 1));
        counts.collect::<Option<Vec<usize>>>().map(Self).ok_or_else(|| ExportError::BadGrid(text.to_owned()))
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(usize::to_string).collect::<Vec<_>>().join("x"))
    }
}

impl Counts {
    /// What suits a problem: fine enough to look at, small enough to send.
    fn usual(problem: &Problem) -> Self {
        let axes = problem.coordinate_names().len();
        let time = problem.time_axis().is_some();
        let space = axes - usize::from(time);
        let even = (IN_ALL.powf(1.0 / axes as f64).floor() as usize).max(2);
        let along = |table: &[usize]| space.checked_sub(1).and_then(|k| table.get(k)).copied().unwrap_or(even);
        // An ordinary differential equation has time alone.
        if space == 0 {
            return Self(vec![IN_SPACE[0]]);
        }
        let mut counts = vec![along(&IN_SPACE); space];
        counts.extend(time.then(|| along(&IN_TIME)));
        Self(counts)
    }
}

/// Nodes along every coordinate.
#[derive(Clone, Debug)]
pub struct Grid {
    pub nodes: Vec<Vec<f64>>,
    counts: Counts,
}

/// Which coordinate varies fastest from one point to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As in VTK.
    FirstFastest,
    /// As in C and NumPy.
    LastFastest,
}

impl Grid {
    /// The grid that is asked for, or the usual one.
    pub fn new(problem: &Problem, asked: Option<&Counts>) -> Result<Self, ExportError> {
        let names = problem.coordinate_names();
        let counts = asked.cloned().unwrap_or_else(|| Counts::usual(problem));
        if counts.0.len() != names.len() {
            let (grid, problem) = (counts.to_string(), problem.name.clone());
            return Err(ExportError::OtherGrid { grid, problem, coordinates: names.to_vec() });
        }
        let count = counts.0.iter().try_fold(1_usize, |all, count| all.checked_mul(*count));
        if count.is_none_or(|count| count > MAX_POINTS) {
            return Err(ExportError::TooManyNodes { grid: counts.to_string(), most: MAX_POINTS });
        }
        let around = problem.geometry().bounding_box();
        let ends = around.low().iter().zip(around.high());
        let nodes = ends.zip(&counts.0).map(|((low, high), count)| nodes(*low, *high, *count)).collect();
        Ok(Self { nodes, counts })
    }

    /// Refuses what memory does not hold: all fields at so many points, as they are found and as they are written.
    pub fn check_memory(&self, points: usize, fields: usize) -> Result<(), ExportError> {
        let numbers = points.saturating_mul(2 * (fields + self.nodes.len()));
        let needed = (numbers as u64).saturating_mul(size_of::<f64>() as u64);
        match memory::available() {
            Some(free) if needed > free => {
                Err(ExportError::Memory { grid: self.counts.to_string(), fields, needed, free })
            }
            _ => Ok(()),
        }
    }

    /// Nodes along each coordinate.
    pub fn counts(&self) -> &[usize] {
        &self.counts.0
    }

    /// The grid in words, as it is asked for.
    pub fn text(&self) -> String {
        self.counts.to_string()
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.counts.0.iter().product()
    }

    /// Coordinates of some nodes, `[node][coordinate]`.
    pub fn points(&self, some: std::ops::Range<usize>, order: Order) -> Vec<f64> {
        let axes = self.nodes.len();
        let mut points = vec![0.0; some.len() * axes];
        for (mut rest, point) in some.zip(points.chunks_exact_mut(axes)) {
            let mut place = |axis: usize| {
                let own = &self.nodes[axis];
                point[axis] = own[rest % own.len()];
                rest /= own.len();
            };
            match order {
                Order::FirstFastest => (0..axes).for_each(&mut place),
                Order::LastFastest => (0..axes).rev().for_each(&mut place),
            }
        }
        points
    }
}

/// `count` nodes from one end to the other, both exact.
fn nodes(low: f64, high: f64, count: usize) -> Vec<f64> {
    let last = count - 1;
    (0..count).map(|k| if k == last { high } else { low + (high - low) * k as f64 / last as f64 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_read_and_refused_in_words() -> Result<(), ExportError> {
        let problem = Problem::builtin("wave").expect("built in");
        let grid = |text: &str| Grid::new(&problem, Some(&text.parse()?));
        let words = |text: &str| grid(text).expect_err("refused").to_string();
        assert_eq!(grid("3x2")?.points(0..4, Order::FirstFastest), [0.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 1.0]);
        assert_eq!(grid("3x2")?.points(1..3, Order::LastFastest), [0.0, 1.0, 0.5, 0.0]);
        assert_eq!(Grid::new(&problem, None)?.counts(), [401, 201]);
        for text in ["", "101", "1x5", "5xx5", "-3x4", "3x4.5", "99999999999999999999x2"] {
            assert!(grid(text).is_err(), "{text}");
        }
        let no_grid =
            "`1x5` is no grid; write the number of nodes along each coordinate, at least 2 each, e.g. 101x101";
        assert_eq!(words("1x5"), no_grid);
        let other = "the grid 5x5x5 has 3 numbers, and `wave` has the coordinates x, t; write one number for each";
        assert_eq!(words("5x5x5"), other);
        assert_eq!(words("9999x9999"), "the grid 9999x9999 has more than 50000000 nodes; choose a coarser one");
        assert!(grid("3x2")?.check_memory(1 << 55, 2).unwrap_err().to_string().contains("choose a coarser one"));
        Ok(())
    }
}
