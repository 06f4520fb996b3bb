//! The dispatched towers, instantiated here once per precision: they are many loops, which crates that use them should link and
//! not compile again.

use crate::{Activation, dispatch};

/// The towers of one precision. A supertrait of [`crate::Real`], implemented for `f32` and `f64` only.
pub trait Compiled: Sized {
    /// See [`Activation::tower`].
    fn tower(activation: Activation, k_max: usize, z: &[Self], s: &mut [Self]);
    /// See [`Activation::tower_from_output`].
    fn tower_from_output(activation: Activation, k_max: usize, y: &[Self], s: &mut [Self]) -> bool;
}

macro_rules! impl_compiled {
    ($float:ident) => {
        impl Compiled for $float {
            #[inline(never)]
            fn tower(activation: Activation, k_max: usize, z: &[Self], s: &mut [Self]) {
                dispatch(
                    #[inline(always)]
                    || activation.tower_inline(k_max, z, s),
                );
            }
            #[inline(never)]
            fn tower_from_output(activation: Activation, k_max: usize, y: &[Self], s: &mut [Self]) -> bool {
                dispatch(
                    #[inline(always)]
                    || activation.tower_from_output_inline(k_max, y, s),
                )
            }
        }
    };
}

impl_compiled!(f32);
impl_compiled!(f64);
