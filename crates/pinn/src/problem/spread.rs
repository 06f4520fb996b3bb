//! How many points, and how they are spread: `grid:101x101`, `hammersley:8192`.

use std::fmt;
use std::str::FromStr;

use ropinn_domain::{Layout, Scramble};

use super::error::ProblemError;

/// The most points a problem may ask for, all its sets together.
pub const MAX_POINTS: usize = 50_000_000;

/// A number of points and the way they are spread over a domain or a piece of its boundary.
///
/// ```
/// use ropinn::problem::Spread;
/// let grid = Spread::grid([101, 101]);
/// assert_eq!((grid.count(), grid.to_string()), (10201, "grid:101x101".to_owned()));
/// assert_eq!("sobol:4096".parse::<Spread>()?.count(), 4096);
/// # Ok::<(), ropinn::problem::ProblemError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread {
    layout: Layout,
    count: usize,
}

/// A layout; the counts matter for grids only.
type LayoutOf = fn(Vec<usize>) -> Layout;

/// The words for layouts in files and on the command line.
pub(super) const LAYOUTS: [(LayoutOf, &str); 8] = [
    (|counts| Layout::Grid { counts }, "grid"),
    (|counts| Layout::InteriorGrid { counts }, "interior-grid"),
    (|_| Layout::Uniform, "uniform"),
    (|_| Layout::LatinHypercube, "latin-hypercube"),
    (|_| Layout::Sobol { scramble: Scramble::None }, "sobol"),
    (|_| Layout::Sobol { scramble: Scramble::Owen }, "scrambled-sobol"),
    (|_| Layout::Halton, "halton"),
    (|_| Layout::Hammersley, "hammersley"),
];

impl Spread {
    /// A regular grid with both ends of every axis; the first axis varies fastest.
    pub fn grid(counts: impl Into<Vec<usize>>) -> Self {
        let counts = counts.into();
        Spread { count: product(&counts), layout: Layout::Grid { counts } }
    }

    /// A regular grid without the ends; a time axis keeps its last instant.
    pub fn interior_grid(counts: impl Into<Vec<usize>>) -> Self {
        let counts = counts.into();
        Spread { count: product(&counts), layout: Layout::InteriorGrid { counts } }
    }

    /// `count` points of any layout; grids bring their own count.
    pub fn scattered(layout: Layout, count: usize) -> Self {
        match layout {
            Layout::Grid { counts } => Self::grid(counts),
            Layout::InteriorGrid { counts } => Self::interior_grid(counts),
            layout => Spread { layout, count },
        }
    }

    /// The layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The number of points.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Points per axis, if this is a grid.
    pub fn grid_counts(&self) -> Option<&[usize]> {
        match &self.layout {
            Layout::Grid { counts } | Layout::InteriorGrid { counts } => Some(counts),
            _ => None,
        }
    }

    /// The same layout with other counts along the axes of a grid, or with the same number of scattered points.
    pub(super) fn with_counts(&self, counts: Vec<usize>) -> Spread {
        match self.layout {
            Layout::Grid { .. } => Self::grid(counts),
            Layout::InteriorGrid { .. } => Self::interior_grid(counts),
            _ => self.clone(),
        }
    }

    /// The grid of a face across `axis` of a box with `dim` coordinates: a count for each coordinate, from which the
    /// one across the face is left out, or the remaining counts as they are.
    pub(super) fn on_face(&self, axis: usize, dim: usize) -> Spread {
        match self.grid_counts() {
            Some(counts) if counts.len() == dim && axis < dim => {
                let along = counts.iter().enumerate().filter(|(k, _)| *k != axis);
                self.with_counts(along.map(|(_, n)| *n).collect())
            }
            _ => self.clone(),
        }
    }

    /// The same spread with another number of scattered points.
    pub(super) fn with_count(&self, count: usize) -> Spread {
        match self.grid_counts() {
            Some(_) => self.clone(),
            None => Spread { layout: self.layout.clone(), count },
        }
    }

    /// The share of a part of time, which is the last axis of grids.
    pub(super) fn shortened(&self, share: f64) -> Spread {
        let part = |count: usize| (count as f64 * share).ceil() as usize;
        match &self.layout {
            Layout::Grid { counts } | Layout::InteriorGrid { counts } => {
                let with_ends = usize::from(matches!(self.layout, Layout::Grid { .. }));
                let mut counts = counts.clone();
                counts.last_mut().into_iter().for_each(|n| *n = part(n.saturating_sub(with_ends)).max(1) + with_ends);
                self.with_counts(counts)
            }
            _ => self.with_count(part(self.count).max(1)),
        }
    }

    /// Refuses more points than are supported.
    pub(super) fn check(&self, what: &str) -> Result<(), ProblemError> {
        check_count(what, self.count)
    }
}

pub(super) fn check_count(what: &str, count: usize) -> Result<(), ProblemError> {
    if count <= MAX_POINTS {
        return Ok(());
    }
    Err(ProblemError::TooManyPoints { what: what.to_owned(), count, limit: MAX_POINTS })
}

/// The product, or the largest number where it would not fit; such a count is refused later.
fn product(counts: &[usize]) -> usize {
    counts.iter().try_fold(1usize, |product, n| product.checked_mul(*n)).unwrap_or(usize::MAX)
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.grid_counts().unwrap_or_default();
        let named = LAYOUTS.iter().find(|(layout, _)| layout(counts.to_vec()) == self.layout);
        f.write_str(named.map_or("", |(_, word)| word))?;
        match self.grid_counts() {
            Some(counts) => {
                let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
                write!(f, ":{}", counts.join("x"))
            }
            None => write!(f, ":{}", self.count),
        }
    }
}

impl FromStr for Spread {
    type Err = ProblemError;

    /// Reads `grid:101x101` or `hammersley:8192`.
    fn from_str(text: &str) -> Result<Self, ProblemError> {
        let bad = || ProblemError::BadSpread { text: text.to_owned() };
        let (word, numbers) = text.split_once(':').ok_or_else(bad)?;
        let (layout, _) = LAYOUTS.iter().find(|(_, known)| *known == word.trim()).ok_or_else(bad)?;
        let counts: Option<Vec<usize>> = numbers.split('x').map(|n| n.trim().parse().ok()).collect();
        let counts = counts.ok_or_else(bad)?;
        let one = counts.first().copied().filter(|_| counts.len() == 1);
        let spread = Spread::scattered(layout(counts), one.unwrap_or(0));
        if spread.count == 0 {
            return Err(bad());
        }
        spread.check(text).map(|()| spread)
    }
}
