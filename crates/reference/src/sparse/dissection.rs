//! An order of elimination that fills in little: halves of the domain first, the unknowns between them last (George 1973).
//!
//! Unknowns are cut at a place along the longer side of the box around them; those of one half that touch the other are the separator.

use super::matrix::Matrix;

/// Sets of this size are not cut.
const SMALL: usize = 80;
/// Where a set may be cut: fractions of it on one side. The shortest separator is taken.
const CUTS: [f64; 3] = [0.5, 0.46, 0.54];

/// Unknowns that are eliminated together, after all of their children.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Their places in the order of elimination.
    pub start: usize,
    pub end: usize,
    pub children: Vec<usize>,
    /// Places of the later unknowns that they are coupled to by then, increasing.
    pub boundary: Vec<u32>,
}

/// An order of elimination, as a tree of groups; the root is the last.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub groups: Vec<Group>,
    /// Unknown by its place in the order, and the reverse.
    pub unknowns: Vec<u32>,
    pub places: Vec<u32>,
}

impl Order {
    /// The order for a matrix whose unknowns stand at these places in space.
    pub fn new(matrix: &Matrix, at: &[[f64; 3]]) -> Self {
        Self::with_late(matrix, at, matrix.size())
    }

    /// The same if all unknowns from one on, which have nothing on the diagonal and are not coupled to each other, must wait for those
    /// they are coupled to: as pressures for velocities, without which they have no pivots.
    pub fn with_late(matrix: &Matrix, at: &[[f64; 3]], early: usize) -> Self {
        let size = matrix.size();
        let mut order = Order { groups: Vec::new(), unknowns: Vec::with_capacity(size), places: vec![0; size] };
        let mut side = vec![0; size];
        order.dissect(matrix, at, (0..early as u32).collect(), &mut side, &mut 0);
        order.place_late(matrix, early);
        for (place, unknown) in order.unknowns.iter().enumerate() {
            order.places[*unknown as usize] = place as u32;
        }
        order.couple(matrix);
        order
    }

    /// Puts each late unknown into the first group that comes after all it is coupled to.
    fn place_late(&mut self, matrix: &Matrix, early: usize) {
        let count = self.groups.len();
        let mut parents = vec![count - 1; count];
        let mut group_of = vec![0; matrix.size()];
        for (k, group) in self.groups.iter().enumerate() {
            group.children.iter().for_each(|child| parents[*child] = k);
            self.unknowns[group.start..group.end].iter().for_each(|unknown| group_of[*unknown as usize] = k);
        }
        let mut late = vec![Vec::new(); count];
        for unknown in early..matrix.size() {
            let touched = matrix.row(unknown).0.iter().filter(|column| (**column as usize) < early);
            // Parents have larger numbers than their children.
            let meet = |mut a: usize, mut b: usize| {
                while a != b {
                    (a, b) = if a < b { (parents[a], b) } else { (a, parents[b]) };
                }
                a
            };
            let group = touched.map(|column| group_of[*column as usize]).reduce(meet).unwrap_or(count - 1);
            late[group].push(unknown as u32);
        }
        let before = std::mem::take(&mut self.unknowns);
        for (group, late) in self.groups.iter_mut().zip(late) {
            let start = self.unknowns.len();
            self.unknowns.extend(&before[group.start..group.end]);
            self.unknowns.extend(late);
            (group.start, group.end) = (start, self.unknowns.len());
        }
    }

    /// Appends the groups of a set; the number of the last. `side` has the number of the last set an unknown was put into.
    fn dissect(&mut self, matrix: &Matrix, at: &[[f64; 3]], set: Vec<u32>, side: &mut [u32], sets: &mut u32) -> usize {
        let mut children = Vec::new();
        let mut own = set;
        if own.len() > SMALL
            && let Some([left, right, separator]) = cut(matrix, at, &own, side, sets)
        {
            for half in [left, right].into_iter().filter(|half| !half.is_empty()) {
                children.push(self.dissect(matrix, at, half, side, sets));
            }
            own = separator;
        }
        let start = self.unknowns.len();
        self.unknowns.extend(own);
        self.groups.push(Group { start, end: self.unknowns.len(), children, boundary: Vec::new() });
        self.groups.len() - 1
    }

    /// Which later unknowns each group is coupled to.
    fn couple(&mut self, matrix: &Matrix) {
        for k in 0..self.groups.len() {
            let Group { start, end, children, .. } = self.groups[k].clone();
            let later = |place: &u32| *place as usize >= end;
            let mut boundary: Vec<u32> =
                children.iter().flat_map(|child| &self.groups[*child].boundary).copied().filter(later).collect();
            for unknown in &self.unknowns[start..end] {
                let touched = matrix.row(*unknown as usize).0.iter().map(|column| self.places[*column as usize]);
                boundary.extend(touched.filter(later));
            }
            boundary.sort_unstable();
            boundary.dedup();
            self.groups[k].boundary = boundary;
        }
    }
}

/// Both halves without their separator, and it; `None` if all unknowns stand at the same place.
fn cut(matrix: &Matrix, at: &[[f64; 3]], set: &[u32], side: &mut [u32], sets: &mut u32) -> Option<[Vec<u32>; 3]> {
    let extent = |axis: usize| {
        let places = set.iter().map(|unknown| at[*unknown as usize][axis]);
        let (low, high) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        high - low
    };
    let axis = (0..3).max_by(|&a, &b| extent(a).total_cmp(&extent(b)))?;
    let along = |unknown: u32| at[unknown as usize][axis];
    let mut sorted: Vec<f64> = set.iter().map(|unknown| along(*unknown)).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut best: Option<[Vec<u32>; 3]> = None;
    for fraction in CUTS {
        let threshold = sorted[(fraction * sorted.len() as f64) as usize];
        let (low, high): (Vec<u32>, Vec<u32>) = set.iter().partition(|unknown| along(**unknown) < threshold);
        if low.is_empty() || high.is_empty() {
            continue;
        }
        let (low_set, high_set) = (*sets + 1, *sets + 2);
        *sets += 2;
        low.iter().for_each(|unknown| side[*unknown as usize] = low_set);
        high.iter().for_each(|unknown| side[*unknown as usize] = high_set);
        let between = |half: &[u32], other: u32| -> Vec<u32> {
            let touches =
                |unknown: &u32| matrix.row(*unknown as usize).0.iter().any(|column| side[*column as usize] == other);
            half.iter().copied().filter(touches).collect()
        };
        let (of_low, of_high) = (between(&low, high_set), between(&high, low_set));
        let (half, rest, separator) =
            if of_low.len() <= of_high.len() { (low, high, of_low) } else { (high, low, of_high) };
        if best.as_ref().is_none_or(|best| separator.len() < best[2].len()) {
            // Separators keep the order of the set, so membership is a merge.
            let mut taken = separator.iter().peekable();
            let half = half.into_iter().filter(|unknown| taken.next_if_eq(&unknown).is_none()).collect();
            best = Some([half, rest, separator]);
        }
    }
    best
}
