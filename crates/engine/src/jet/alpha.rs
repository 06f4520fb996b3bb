//! A multiset of directions: which partial derivative a plain channel holds.

use std::fmt;

/// Highest total derivative order the engine propagates: four for the equations, one more for gradient-enhanced losses.
pub const MAX_ORDER: usize = 5;

/// One more for the derivative along a direction of θ.
pub(crate) const JET_ORDER: usize = MAX_ORDER + 1;

/// A partial derivative `∂_{d₁} … ∂_{d_m}` as a sorted multiset of direction numbers.
///
/// Directions are the coordinates for ordinary networks; sequence networks add one direction per element and coordinate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Alpha {
    order: u8,
    directions: [u32; JET_ORDER],
}

impl Alpha {
    /// No derivative at all.
    pub const VALUE: Self = Self { order: 0, directions: [0; JET_ORDER] };

    /// The derivative along each of `directions`, in any order.
    ///
    /// The caller has checked that there are at most [`JET_ORDER`] of them.
    pub fn new(directions: &[usize]) -> Self {
        let mut alpha = Self { order: directions.len() as u8, ..Self::VALUE };
        for (slot, &d) in alpha.directions.iter_mut().zip(directions) {
            *slot = u32::try_from(d).expect("as many directions as numbers of 32 bits");
        }
        alpha.directions[..directions.len()].sort_unstable();
        alpha
    }

    /// Total order of the derivative.
    pub fn order(&self) -> usize {
        usize::from(self.order)
    }

    /// The directions, sorted, with repetition.
    pub fn directions(&self) -> impl Iterator<Item = usize> + '_ {
        self.directions[..self.order()].iter().map(|&d| d as usize)
    }

    /// The sub-multiset picked by the bits of `mask` (bit i keeps position i).
    pub fn pick(&self, mask: usize) -> Self {
        let mut picked = Self::VALUE;
        for (i, &d) in self.directions[..self.order()].iter().enumerate() {
            if mask >> i & 1 == 1 {
                picked.directions[picked.order()] = d;
                picked.order += 1;
            }
        }
        picked
    }

    /// Every proper, non-empty sub-multiset (with repetition where directions repeat).
    pub fn proper_parts(&self) -> impl Iterator<Item = Self> + '_ {
        let full = (1usize << self.order()) - 1;
        (1..full.max(1)).map(|mask| self.pick(mask))
    }
}

impl fmt::Debug for Alpha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.directions()).finish()
    }
}
