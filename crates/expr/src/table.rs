//! Coefficients given as tables over a grid: nearest or multilinear look-up, clamped outside.
//!
//! Linear look-up is v = Σ_c w_c v_c over the 2^d corners c of the cell, with w_c a product of one weight for each axis;
//! a derivative replaces an axis' weights (1 − t, t) by (−1/h, 1/h).

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::MAX_COORDS;
use crate::hash::StableHasher;

/// One axis of a table: a name and increasing nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct TableAxis {
    /// The coordinate it stands for when the table is used without arguments.
    pub name: String,
    /// Increasing positions, uniform or not.
    pub nodes: Vec<f64>,
}

/// How a table answers between its nodes.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Ord, PartialOrd, Debug)]
pub enum Lookup {
    /// The value of the nearest node, the lower one in a tie. Its derivative is zero.
    Nearest,
    /// Linear in each coordinate. Second derivatives in one argument are zero.
    Linear,
}

/// What can be wrong with a table.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "messages name every field")]
pub enum TableError {
    /// No axis at all.
    #[error("a table needs at least one axis")]
    NoAxes,
    /// More axes than an expression has coordinates.
    #[error("a table has at most {MAX_COORDS} axes, found {found}")]
    TooManyAxes { found: usize },
    /// An axis without nodes.
    #[error("axis `{axis}` has no nodes; give at least one")]
    EmptyAxis { axis: String },
    /// Two axes with the same name.
    #[error("two axes are named `{axis}`; give each its own name")]
    DuplicateAxis { axis: String },
    /// A node that is NaN or infinite.
    #[error("axis `{axis}`: node {index} is {value}; nodes must be finite")]
    NonFiniteNode { axis: String, index: usize, value: f64 },
    /// A node that is not above its predecessor.
    #[error(
        "axis `{axis}`: node {index} ({value}) is not above node {} ({previous}); sort the nodes and drop repeats", index - 1
    )]
    NotIncreasing { axis: String, index: usize, value: f64, previous: f64 },
    /// As many values as nodes were expected.
    #[error("a table of shape {shape:?} has {expected} values, found {found}")]
    WrongLength { shape: Vec<usize>, expected: usize, found: usize },
    /// A value that is NaN or infinite.
    #[error("the value at {index:?} is {value}; values must be finite")]
    NonFiniteValue { index: Vec<usize>, value: f64 },
    /// A look-up with too few or too many arguments.
    #[error("a table with {expected} axes takes {expected} arguments, found {found}")]
    ArgumentCount { expected: usize, found: usize },
}

/// A coefficient tabulated over a grid.
///
/// ```
/// use ropinn_expr::{Lookup, Table, TableAxis};
/// let x = TableAxis { name: "x".into(), nodes: vec![0.0, 1.0, 3.0] };
/// let k = Table::new(vec![x], vec![5.0, 7.0, 3.0], Lookup::Linear)?;
/// assert_eq!(k.value(&[0.5], &[0]), 6.0);
/// assert_eq!(k.value(&[2.0], &[1]), -2.0);
/// assert_eq!(k.value(&[9.0], &[0]), 3.0);
/// # Ok::<(), ropinn_expr::TableError>(())
/// ```
pub struct Table {
    axes: Vec<TableAxis>,
    /// 1/h of an axis whose nodes are evenly spaced.
    inverse_steps: Vec<Option<f64>>,
    strides: Vec<usize>,
    values: Vec<f64>,
    lookup: Lookup,
    hash: u64,
}

/// Where an argument falls on an axis.
struct Place {
    /// The node below.
    cell: usize,
    /// Weights of that node and the next.
    weights: [f64; 2],
}

impl Table {
    /// A table from its axes and values, the last axis running fastest.
    pub fn new(axes: Vec<TableAxis>, values: Vec<f64>, lookup: Lookup) -> Result<Table, TableError> {
        check_axes(&axes)?;
        let shape: Vec<usize> = axes.iter().map(|axis| axis.nodes.len()).collect();
        let expected = shape.iter().fold(1_usize, |n, &m| n.saturating_mul(m));
        if values.len() != expected {
            let found = values.len();
            return Err(TableError::WrongLength { shape, expected, found });
        }
        let mut strides = vec![1; shape.len()];
        for k in (1..shape.len()).rev() {
            strides[k - 1] = strides[k] * shape[k];
        }
        if let Some(flat) = values.iter().position(|v| !v.is_finite()) {
            return Err(TableError::NonFiniteValue {
                index: (0..shape.len()).map(|k| flat / strides[k] % shape[k]).collect(),
                value: values[flat],
            });
        }
        let mut hasher = StableHasher::default();
        numbers(&axes, &values).for_each(|v| v.to_bits().hash(&mut hasher));
        Ok(Table {
            inverse_steps: axes.iter().map(|axis| inverse_step(&axis.nodes)).collect(),
            strides,
            values,
            lookup,
            hash: hasher.finish(),
            axes,
        })
    }

    /// The axes, slowest first.
    pub fn axes(&self) -> &[TableAxis] {
        &self.axes
    }

    /// How the table answers between nodes.
    pub fn lookup(&self) -> Lookup {
        self.lookup
    }

    /// The values, the last axis running fastest.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Whether a derivative of this order in one argument can differ from zero.
    pub(crate) fn has_derivative(&self, order: u8) -> bool {
        match self.lookup {
            Lookup::Nearest => order == 0,
            Lookup::Linear => order <= 1,
        }
    }

    /// The value, or the derivative by `orders`, at a place given along each axis. Arguments outside the nodes
    /// are moved to the nearest end, where derivatives vanish; NaN gives NaN.
    pub fn value(&self, at: &[f64], orders: &[u8]) -> f64 {
        debug_assert!(at.len() == self.axes.len() && orders.len() == self.axes.len());
        if at.iter().any(|x| x.is_nan()) {
            return f64::NAN;
        }
        if orders.iter().any(|&order| !self.has_derivative(order)) {
            return 0.0;
        }
        let places = at.iter().zip(orders).enumerate();
        let places = places.map(|(k, (&x, &order))| self.place(k, x, order));
        // Fixed-size buffers keep the look-up free of allocation.
        let (mut weights, mut offsets) = ([[0.0; 2]; MAX_COORDS], [0; MAX_COORDS]);
        let (mut origin, mut live) = (0, 0);
        let mut scale = 1.0;
        for (k, place) in places.enumerate() {
            origin += place.cell * self.strides[k];
            if place.weights[1] == 0.0 {
                scale *= place.weights[0]; // exactly on a node: one corner less to visit
            } else {
                (weights[live], offsets[live]) = (place.weights, self.strides[k]);
                live += 1;
            }
        }
        let corner = |bits: usize| {
            let (mut index, mut weight) = (origin, scale);
            for k in 0..live {
                let upper = bits >> k & 1;
                index += upper * offsets[k];
                weight *= weights[k][upper];
            }
            weight * self.values[index]
        };
        (0..1_usize << live).map(corner).sum()
    }

    fn place(&self, axis: usize, x: f64, order: u8) -> Place {
        let nodes = &self.axes[axis].nodes;
        let last = nodes.len() - 1;
        if x < nodes[0] || x > nodes[last] || last == 0 {
            let cell = if x <= nodes[0] { 0 } else { last };
            let inside = if order == 0 { 1.0 } else { 0.0 };
            return Place { cell, weights: [inside, 0.0] };
        }
        let cell = self.cell(axis, x);
        let (low, high) = (nodes[cell], nodes[cell + 1]);
        let weights = match (self.lookup, order) {
            (Lookup::Nearest, _) if x - low <= high - x => [1.0, 0.0],
            (Lookup::Nearest, _) => {
                let cell = cell + 1;
                return Place { cell, weights: [1.0, 0.0] };
            }
            (Lookup::Linear, 0) => {
                let t = (x - low) / (high - low);
                [1.0 - t, t]
            }
            (Lookup::Linear, _) => {
                let slope = 1.0 / (high - low);
                [-slope, slope]
            }
        };
        Place { cell, weights }
    }

    /// The cell [nodes[i], nodes[i+1]] around an x inside the range.
    fn cell(&self, axis: usize, x: f64) -> usize {
        let nodes = &self.axes[axis].nodes;
        let last_cell = nodes.len() - 2;
        match self.inverse_steps[axis] {
            Some(inverse) => {
                let guess = (((x - nodes[0]) * inverse) as usize).min(last_cell);
                // Rounding can miss by one where x is close to a node.
                if x < nodes[guess] {
                    guess.saturating_sub(1)
                } else if guess < last_cell && x >= nodes[guess + 1] {
                    guess + 1
                } else {
                    guess
                }
            }
            None => nodes.partition_point(|node| *node <= x).saturating_sub(1).min(last_cell),
        }
    }
}

fn check_axes(axes: &[TableAxis]) -> Result<(), TableError> {
    if axes.is_empty() {
        return Err(TableError::NoAxes);
    }
    if axes.len() > MAX_COORDS {
        return Err(TableError::TooManyAxes { found: axes.len() });
    }
    for (k, TableAxis { name, nodes }) in axes.iter().enumerate() {
        let axis = || name.clone();
        if axes[..k].iter().any(|other| other.name == *name) {
            return Err(TableError::DuplicateAxis { axis: axis() });
        }
        if nodes.is_empty() {
            return Err(TableError::EmptyAxis { axis: axis() });
        }
        if let Some(index) = nodes.iter().position(|v| !v.is_finite()) {
            return Err(TableError::NonFiniteNode { axis: axis(), index, value: nodes[index] });
        }
        if let Some(index) = (1..nodes.len()).find(|&i| nodes[i] <= nodes[i - 1]) {
            return Err(TableError::NotIncreasing {
                axis: axis(),
                index,
                value: nodes[index],
                previous: nodes[index - 1],
            });
        }
    }
    Ok(())
}

/// 1/h if the nodes are evenly spaced to rounding.
fn inverse_step(nodes: &[f64]) -> Option<f64> {
    let (first, last) = (*nodes.first()?, *nodes.last()?);
    let cells = nodes.len() - 1;
    let step = (last - first) / cells as f64;
    let even = (nodes.iter().enumerate()).all(|(i, node)| (node - (first + i as f64 * step)).abs() <= 1e-9 * step);
    (cells > 0 && even && (1.0 / step).is_finite()).then_some(1.0 / step)
}

fn numbers<'a>(axes: &'a [TableAxis], values: &'a [f64]) -> impl Iterator<Item = &'a f64> {
    axes.iter().flat_map(|axis| &axis.nodes).chain(values)
}

impl Ord for Table {
    fn cmp(&self, other: &Self) -> Ordering {
        if std::ptr::eq(self, other) {
            return Ordering::Equal;
        }
        let by_numbers = || {
            let (a, b) = (numbers(&self.axes, &self.values), numbers(&other.axes, &other.values));
            a.zip(b).map(|(a, b)| a.total_cmp(b)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        };
        (self.hash.cmp(&other.hash))
            .then_with(|| self.lookup.cmp(&other.lookup))
            .then_with(|| self.strides.cmp(&other.strides))
            .then_with(|| self.values.len().cmp(&other.values.len()))
            .then_with(|| {
                let names = |t: &Table| t.axes.iter().map(|a| a.name.clone()).collect::<Vec<_>>();
                names(self).cmp(&names(other))
            })
            .then_with(by_numbers)
    }
}

impl PartialOrd for Table {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Table {}

impl Hash for Table {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = self.axes.iter().map(|a| (&a.name, a.nodes.len()));
        f.debug_struct("Table")
            .field("lookup", &self.lookup)
            .field("axes", &shape.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
