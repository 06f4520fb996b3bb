//! The edges of an outline in a tree of boxes, so that questions about a place look at few of them.
//!
//! Neighbours along an outline are near each other, so each node holds a run of edges and its children the halves of it.

/// Ends of a segment.
pub(super) type Segment = ([f64; 2], [f64; 2]);

/// Edges of a leaf.
const LEAF: usize = 8;
/// Distances to boxes round differently from those to edges; a box is left out only if it is farther by more than this.
const ROUNDING: f64 = 1.0 - 1e-12;

/// Lowest and highest coordinates of a run of edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    low: [f64; 2],
    high: [f64; 2],
}

impl Bounds {
    fn around(segments: impl Iterator<Item = Segment>) -> Self {
        let nothing = Bounds { low: [f64::INFINITY; 2], high: [f64::NEG_INFINITY; 2] };
        segments.flat_map(|(a, b)| [a, b]).fold(nothing, |bounds, point| Bounds {
            low: [0, 1].map(|axis| bounds.low[axis].min(point[axis])),
            high: [0, 1].map(|axis| bounds.high[axis].max(point[axis])),
        })
    }

    /// Whether a level line in the second coordinate meets it.
    pub fn straddles(&self, level: f64) -> bool {
        self.low[1] <= level && level <= self.high[1]
    }

    /// Whether it has a place in common with another.
    fn overlaps(&self, other: &Bounds) -> bool {
        (0..2).all(|axis| self.low[axis] <= other.high[axis] && other.low[axis] <= self.high[axis])
    }

    /// A lower bound for distances to what is inside.
    fn distance(&self, point: &[f64]) -> f64 {
        let [dx, dy] = [0, 1].map(|axis| (self.low[axis] - point[axis]).max(point[axis] - self.high[axis]).max(0.0));
        dx.hypot(dy) * ROUNDING
    }
}

/// Node k has the children 2k + 1 and 2k + 2.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EdgeTree {
    nodes: Vec<Bounds>,
    edges: usize,
}

impl EdgeTree {
    /// The tree of `edges` edges.
    pub fn new(edges: usize, edge: &impl Fn(usize) -> Segment) -> Self {
        let mut tree = EdgeTree { nodes: Vec::new(), edges };
        tree.bound(0, 0, edges, edge);
        tree
    }

    fn bound(&mut self, node: usize, from: usize, to: usize, edge: &impl Fn(usize) -> Segment) {
        let bounds = Bounds::around((from..to).map(edge));
        if self.nodes.len() <= node {
            self.nodes.resize(node + 1, bounds);
        }
        self.nodes[node] = bounds;
        if to - from > LEAF {
            let middle = from.midpoint(to);
            self.bound(2 * node + 1, from, middle, edge);
            self.bound(2 * node + 2, middle, to, edge);
        }
    }

    /// The edges in order, but for those in boxes that are not `wanted`.
    pub fn visit(&self, wanted: impl Fn(&Bounds) -> bool, mut found: impl FnMut(usize)) {
        let mut pending = vec![(0, 0, self.edges)];
        while let Some((node, from, to)) = pending.pop() {
            if !wanted(&self.nodes[node]) {
                continue;
            }
            if to - from <= LEAF {
                (from..to).for_each(&mut found);
            } else {
                let middle = from.midpoint(to);
                pending.extend([(2 * node + 2, middle, to), (2 * node + 1, from, middle)]);
            }
        }
    }

    /// The edges that can be as near to a point as `reach`, in order.
    pub fn within(&self, point: &[f64], reach: f64, found: impl FnMut(usize)) {
        self.visit(|bounds| bounds.distance(point) <= reach, found);
    }

    /// The edges that can meet a segment, in order.
    pub fn near_segment(&self, segment: Segment, found: impl FnMut(usize)) {
        let around = Bounds::around([segment].into_iter());
        self.visit(|bounds| bounds.overlaps(&around), found);
    }

    /// The smallest distance, of those `distance` gives for edges.
    pub fn nearest(&self, point: &[f64], distance: impl Fn(usize) -> f64) -> f64 {
        let mut best = f64::INFINITY;
        let mut pending = vec![(self.nodes[0].distance(point), 0, 0, self.edges)];
        while let Some((bound, node, from, to)) = pending.pop() {
            if bound > best {
                continue;
            }
            if to - from <= LEAF {
                best = (from..to).map(&distance).fold(best, f64::min);
                continue;
            }
            let middle = from.midpoint(to);
            let child = |node: usize, from, to| (self.nodes[node].distance(point), node, from, to);
            let (left, right) = (child(2 * node + 1, from, middle), child(2 * node + 2, middle, to));
            // The nearer one is looked at first.
            pending.extend(if left.0 < right.0 { [right, left] } else { [left, right] });
        }
        best
    }
}
