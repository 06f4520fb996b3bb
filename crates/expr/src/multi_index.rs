//! Multi-indices α: how often each coordinate is differentiated, ∂^α = Π ∂_i^{α_i}.

use std::hash::{Hash, Hasher};

/// The most coordinates an expression can depend on.
pub const MAX_COORDS: usize = 16;

/// Those, and one more that is no coordinate of a problem: a direction of the parameters.
const AXES: usize = MAX_COORDS + 1;

/// ∂^α: how often each coordinate is differentiated.
///
/// ```
/// use ropinn_expr::MultiIndex;
/// let xxt = MultiIndex::from_axes(&[0, 0, 1]);
/// assert_eq!((xxt.order(), xxt.get(0), xxt.get(1)), (3, 2, 1));
/// assert_eq!(xxt.sub_indices().len(), 3 * 2);
/// ```
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Debug, Default)]
pub struct MultiIndex([u8; AXES]);

/// The canonical order of deep expressions goes by their hash: the last axis counts only where it is used.
impl Hash for MultiIndex {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0[..MAX_COORDS].hash(state);
        if self.0[MAX_COORDS] > 0 {
            state.write_u8(self.0[MAX_COORDS]);
        }
    }
}

impl MultiIndex {
    /// No derivative at all.
    pub const ZERO: Self = Self([0; AXES]);

    /// One derivative along `axis`.
    ///
    /// # Panics
    /// When `axis` is above [`MAX_COORDS`].
    pub fn unit(axis: usize) -> Self {
        Self::ZERO.plus(axis)
    }

    /// One derivative for each axis listed, repeats included: `[0, 0]` is ∂²/∂x₀².
    ///
    /// # Panics
    /// When an axis is above [`MAX_COORDS`].
    pub fn from_axes(axes: &[usize]) -> Self {
        axes.iter().fold(Self::ZERO, |alpha, &axis| alpha.plus(axis))
    }

    /// |α| = Σ α_i.
    pub fn order(&self) -> u32 {
        self.0.iter().map(|&n| u32::from(n)).sum()
    }

    /// α_axis; zero for an axis beyond [`MAX_COORDS`].
    pub fn get(&self, axis: usize) -> u8 {
        self.0.get(axis).copied().unwrap_or(0)
    }

    /// α with one more derivative along `axis`.
    ///
    /// # Panics
    /// When `axis` is above [`MAX_COORDS`], or beyond 255 derivatives along it.
    pub fn plus(mut self, axis: usize) -> Self {
        self.0[axis] = self.0[axis].checked_add(1).expect("fewer than 256 derivatives along one coordinate");
        self
    }

    /// α + β.
    ///
    /// # Panics
    /// Beyond 255 derivatives along one coordinate.
    #[allow(clippy::should_implement_trait)] // callers need no trait in scope
    pub fn add(mut self, other: Self) -> Self {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a = a.checked_add(b).expect("fewer than 256 derivatives along one coordinate");
        }
        self
    }

    /// α − β where β ≤ α in every component.
    pub fn checked_sub(mut self, other: Self) -> Option<Self> {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a = a.checked_sub(b)?;
        }
        Some(self)
    }

    /// Whether no derivative is taken.
    pub fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    /// Every β ≤ α, 0 and α included, in lexicographic order.
    pub fn sub_indices(&self) -> Vec<MultiIndex> {
        let mut found = vec![Self::ZERO];
        for axis in 0..AXES {
            let extended = found.iter().flat_map(|beta| {
                (0..=self.0[axis]).map(move |n| {
                    let mut next = *beta;
                    next.0[axis] = n;
                    next
                })
            });
            found = extended.collect();
        }
        found
    }

    /// Π C(α_i, β_i), the weight of ∂^β f ∂^{α−β} g in the Leibniz rule; zero unless β ≤ α.
    pub fn binomial(&self, beta: MultiIndex) -> f64 {
        let choose = |n: u8, k: u8| -> f64 {
            if k > n {
                return 0.0;
            }
            // C(n, j+1) = C(n, j) (n − j)/(j + 1): every partial product is an integer.
            (0..k).fold(1.0, |c, j| c * f64::from(n - j) / f64::from(j + 1))
        };
        self.0.iter().zip(beta.0).map(|(&n, k)| choose(n, k)).product()
    }

    /// The axes of α with repeats, in rising order: ∂³/∂x₀²∂x₁ gives 0, 0, 1.
    pub fn axes(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(axis, &n)| std::iter::repeat_n(axis, usize::from(n)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn leibniz_weights_sum_to_two_to_the_order() {
        // Σ_{β ≤ α} C(α, β) = 2^|α|.
        let alpha = MultiIndex::from_axes(&[0, 0, 0, 3, 3, 15]);
        let total: f64 = alpha.sub_indices().iter().map(|b| alpha.binomial(*b)).sum();
        assert_eq!(total, 64.0);
        assert_eq!(alpha.binomial(MultiIndex::from_axes(&[0, 3])), 6.0);
        assert_eq!(alpha.binomial(MultiIndex::unit(1)), 0.0);
    }

    proptest! {
        #[test]
        fn addition_and_subtraction_are_inverse(a in prop::collection::vec(0..MAX_COORDS, 0..8),
                                                b in prop::collection::vec(0..MAX_COORDS, 0..8)) {
            let (a, b) = (MultiIndex::from_axes(&a), MultiIndex::from_axes(&b));
            prop_assert_eq!(a.add(b).checked_sub(b), Some(a));
            prop_assert_eq!(a.add(b).order(), a.order() + b.order());
            prop_assert_eq!(a.checked_sub(b).is_some(), a.sub_indices().contains(&b));
            prop_assert_eq!(MultiIndex::from_axes(&a.axes().collect::<Vec<_>>()), a);
        }
    }
}
