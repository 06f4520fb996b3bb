//! The solution on a coarse raster after some step: a line of JSON that says what it is, then the numbers.
//!
//! `[layer][node]` as little-endian f32, the first coordinate fastest; NaN outside the domain. Small enough to keep a few dozen of
//! them, to draw them in a browser and to put them into a report.

use super::raster;
use crate::error::RunError;
use ropinn::case::Case;
use ropinn::metrics::Predictor;
use ropinn::train::TrainOutcome;
use ropinn::trust::ErrorMap;
use ropinn_files::read;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The largest file that is read, and the longest first line in it.
const MAX_BYTES: u64 = 32 << 20;
const MAX_HEAD: usize = 1 << 16;

/// A field at some step.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// What it is.
    pub head: SnapshotHead,
    /// `[layer][node]`.
    pub values: Vec<f32>,
}

/// What a snapshot has numbers of, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SnapshotHead {
    /// Outer steps done.
    pub iteration: u64,
    /// Seconds of training.
    pub seconds: f64,
    /// Coordinates of the raster, the fastest first.
    pub axes: Vec<SnapshotAxis>,
    /// Whether the first two coordinates have the same unit.
    pub equal: bool,
    /// What there is at every node.
    pub layers: Vec<SnapshotLayer>,
}

/// One coordinate of a raster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SnapshotAxis {
    /// Its name.
    pub name: String,
    /// The first node.
    pub low: f64,
    /// The last node.
    pub high: f64,
    /// How many there are, evenly spaced.
    pub count: usize,
    /// Whether it is time.
    pub time: bool,
}

/// One quantity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SnapshotLayer {
    /// What it is called.
    pub name: String,
    /// Whether it is the size of something that should vanish: then decades count.
    pub size: bool,
}

impl Snapshot {
    /// The solution with parameters `theta`, its true error where a formula tells it, the size of the residuals, and the estimated
    /// error if there is one.
    pub fn new(
        case: &Case,
        theta: &[f64],
        (iteration, seconds): (u64, f64),
        map: Option<&ErrorMap>,
    ) -> Result<Self, RunError> {
        let problem = case.problem();
        let (nodes, unknowns) = (raster::coarse(problem), problem.unknown_names());
        let points = points(&nodes, &problem.ranges());
        let count = nodes.iter().map(Vec::len).product::<usize>();
        let mut layers = Layers { heads: Vec::new(), values: Vec::new() };
        let predicted = Predictor::of(case, unknowns).and_then(|mut own| own.predict(theta, &points));
        let predicted = predicted.map_err(RunError::run)?;
        layers.push(unknowns.iter().cloned(), &predicted, false);
        if let Some(map) = map {
            let estimated = map.at(unknowns, &points).map_err(RunError::run)?;
            layers.push(unknowns.iter().map(|name| format!("estimated |error| of {name}")), &estimated, true);
        }
        if let Some(exact) = problem.reference_at(&points) {
            let off: Vec<f64> = predicted.iter().zip(&exact).map(|(u, exact)| u - exact).collect();
            layers.push(unknowns.iter().map(|name| format!("true |error| of {name}")), &off, true);
        }
        let residuals: Vec<_> = problem.equations().map(|(_, residual)| residual.clone()).collect();
        let equations = residuals.len().max(1);
        let residuals = Predictor::new(case, residuals).and_then(|mut own| own.predict(theta, &points));
        let residuals = residuals.map_err(RunError::run)?;
        let sizes: Vec<f64> =
            residuals.chunks_exact(equations).map(|r| r.iter().map(|r| r * r).sum::<f64>().sqrt()).collect();
        layers.push(std::iter::once("|residual|".to_owned()), &sizes, true);
        if let Some(edge) = raster::edge(problem, &points) {
            for own in layers.values.chunks_exact_mut(count) {
                own.iter_mut().zip(&edge).filter(|(_, edge)| **edge > 0.0).for_each(|(value, _)| *value = f32::NAN);
            }
        }
        let axis = |(k, nodes): (usize, &Vec<f64>)| SnapshotAxis {
            name: problem.coordinate_names()[k].clone(),
            low: nodes[0],
            high: nodes[nodes.len() - 1],
            count: nodes.len(),
            time: problem.time_axis() == Some(k),
        };
        let axes = nodes.iter().enumerate().map(axis).collect();
        let equal = nodes.len() > 1 && raster::is_in_space(problem);
        let head = SnapshotHead { iteration, seconds, axes, equal, layers: layers.heads };
        Ok(Self { head, values: layers.values })
    }

    /// What a run leaves.
    pub fn at_the_end(case: &Case, outcome: &TrainOutcome) -> Result<Self, RunError> {
        let when = (outcome.iterations, outcome.seconds);
        Self::new(case, &outcome.theta, when, outcome.error_map.as_ref())
    }

    /// The file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, RunError> {
        let mut bytes = serde_json::to_vec(&self.head).map_err(|error| RunError::Print(error.into()))?;
        bytes.push(b'\n');
        bytes.extend(self.values.iter().flat_map(|value| value.to_le_bytes()));
        Ok(bytes)
    }

    /// Reads a file, which may come from anywhere.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        let bytes = read(path, MAX_BYTES)?;
        Self::from_bytes(&bytes).map_err(|reason| RunError::Unreadable(path.to_owned(), reason))
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let end = bytes.iter().take(MAX_HEAD).position(|byte| *byte == b'\n').ok_or("its first line does not end")?;
        let head: SnapshotHead = serde_json::from_slice(&bytes[..end]).map_err(|error| error.to_string())?;
        let nodes = head.axes.iter().try_fold(1usize, |nodes, axis| nodes.checked_mul(axis.count));
        let wanted = nodes.and_then(|nodes| nodes.checked_mul(head.layers.len())?.checked_mul(4));
        let values = &bytes[end + 1..];
        if wanted != Some(values.len()) || head.axes.is_empty() {
            return Err("it has not as many numbers as its first line says".to_owned());
        }
        let value = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        Ok(Self { values: values.chunks_exact(4).map(value).collect(), head })
    }

    /// Every second node of every coordinate, for where there is little room.
    pub fn halved(&self) -> Self {
        let every = |count: usize| count.div_ceil(2);
        let counts: Vec<usize> = self.head.axes.iter().map(|axis| axis.count).collect();
        let nodes: usize = counts.iter().product();
        let kept = |node: usize| {
            let mut rest = node;
            counts.iter().all(|count| {
                let index = rest % count;
                rest /= count;
                index.is_multiple_of(2)
            })
        };
        let mut head = self.head.clone();
        for axis in &mut head.axes {
            let step = (axis.high - axis.low) / (axis.count.max(2) - 1) as f64;
            axis.count = every(axis.count);
            axis.high = axis.low + 2.0 * step * (axis.count - 1) as f64;
        }
        let values = self.values.iter().enumerate().filter(|(k, _)| kept(k % nodes)).map(|(_, value)| *value).collect();
        Self { head, values }
    }
}

/// Quantities as they come.
struct Layers {
    heads: Vec<SnapshotLayer>,
    values: Vec<f32>,
}

impl Layers {
    /// Takes `[node][name]` as one layer for each name; of sizes the sign is dropped.
    fn push(&mut self, names: impl Iterator<Item = String>, values: &[f64], size: bool) {
        let names: Vec<String> = names.collect();
        for k in 0..names.len() {
            let own = values.iter().skip(k).step_by(names.len());
            self.values.extend(own.map(|value| if size { value.abs() } else { *value } as f32));
        }
        self.heads.extend(names.into_iter().map(|name| SnapshotLayer { name, size }));
    }
}

/// `[node][coordinate]`, the first one fastest; coordinates that have no nodes are in the middle of their ranges.
fn points(nodes: &[Vec<f64>], ranges: &[(f64, f64)]) -> Vec<f64> {
    let middle = ranges[nodes.len()..].iter().map(|(low, high)| 0.5 * (low + high)).collect::<Vec<_>>();
    let count: usize = nodes.iter().map(Vec::len).product();
    let point = |node: usize| {
        let mut rest = node;
        let own: Vec<f64> = nodes
            .iter()
            .map(|own| {
                let value = own[rest % own.len()];
                rest /= own.len();
                value
            })
            .collect();
        own.into_iter().chain(middle.iter().copied())
    };
    (0..count).flat_map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropinn::config::RunConfig;
    use ropinn_engine::Threads;

    fn snapshot(problem: &str) -> (Case, Snapshot) {
        let mut config = RunConfig::default();
        let problem = format!("problem.name={problem}");
        let set = [&problem[..], "model.width=4", "model.depth=1", "precision=f64"];
        config.set_all(&set).expect("settings");
        let case = Case::new(config, &Threads::new(1).expect("a thread")).expect("a case");
        let taken = Snapshot::new(&case, &case.initial_theta(), (7, 0.5), None).expect("a snapshot");
        (case, taken)
    }

    #[test]
    fn a_snapshot_holds_what_is_predicted_and_reads_back() {
        let (case, taken) = snapshot("wave");
        let names: Vec<(&str, bool)> =
            taken.head.layers.iter().map(|layer| (layer.name.as_str(), layer.size)).collect();
        assert_eq!(names, [("u", false), ("true |error| of u", true), ("|residual|", true)]);
        let [x, t] = &taken.head.axes[..] else { panic!("{:?}", taken.head) };
        assert!(!x.time && t.time && !taken.head.equal);
        let node = 5 + 7 * x.count;
        let at = |axis: &SnapshotAxis, k: usize| axis.low + (axis.high - axis.low) * k as f64 / (axis.count - 1) as f64;
        let point = [at(x, 5), at(t, 7)];
        let wanted = Predictor::of(&case, &["u"]).and_then(|mut own| own.predict(&case.initial_theta(), &point));
        assert!((f64::from(taken.values[node]) - wanted.expect("a value")[0]).abs() < 1e-6);
        let bytes = taken.to_bytes().expect("bytes");
        assert_eq!(Snapshot::from_bytes(&bytes), Ok(taken.clone()));
        let small = taken.halved();
        assert_eq!((small.head.axes[0].count, small.values[0]), (x.count.div_ceil(2), taken.values[0]));
        assert_eq!(small.values[2], taken.values[4]);
        assert!((at(&small.head.axes[1], 1) - at(t, 2)).abs() < 1e-12);
    }

    #[test]
    fn three_coordinates_have_cuts_and_holes_have_nothing() {
        let (_, taken) = snapshot("heat-2d-ms");
        assert_eq!(taken.head.axes.iter().map(|axis| axis.count).collect::<Vec<_>>(), [33, 33, 9]);
        assert!(taken.head.axes[2].time && taken.head.equal);
        let (_, cut) = snapshot("poisson-2d-c");
        assert!(cut.values.iter().any(|value| value.is_nan()) && cut.values.iter().any(|value| value.is_finite()));
    }

    #[test]
    fn files_from_anywhere_are_refused() {
        let (_, taken) = snapshot("wave");
        let bytes = taken.to_bytes().expect("bytes");
        let refused = |bytes: &[u8]| Snapshot::from_bytes(bytes).expect_err("refused");
        assert_eq!(refused(&bytes[..bytes.len() - 1]), "it has not as many numbers as its first line says");
        assert_eq!(refused(b"{"), "its first line does not end");
        let text =
            String::from_utf8_lossy(&bytes[..bytes.iter().position(|b| *b == b'\n').expect("a line")]).into_owned();
        let huge = text.replace("\"count\":49", "\"count\":4611686018427387904") + "\n";
        assert_eq!(refused(huge.as_bytes()), "it has not as many numbers as its first line says");
    }
}
