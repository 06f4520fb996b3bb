//! Values with derivatives ("towers") over slices, the loops instantiated here once per precision: they are many, and crates
//! that use them should link and not compile them again.

use crate::blocks::{fill_rows, split_rows};
use crate::real::{Compiled, Real};
use crate::slices::{any_beyond_trig_range, for_each_beyond_trig_range};
use crate::tower::{self, MAX_TOWER, Tower};
use crate::{Activation, dispatch_fused};

/// Evaluates `$body` with the type `$form` the closed form of an activation.
macro_rules! with_tower {
    ($activation:expr, $form:ident => $body:expr) => {
        with_tower!($activation, $form, $body; Tanh Sigmoid Sin Cos Silu Gelu Softplus Exp Gaussian Identity)
    };
    ($activation:expr, $form:ident, $body:expr; $($name:ident)*) => {
        match $activation {
            $(Activation::$name => {
                type $form = tower::$name;
                $body
            })*
        }
    };
}

impl Activation {
    /// `s[k·n + i]` = σ^(k)(`z[i]`) for k = 0..=`k_max`, where n = `z.len()`. Does not allocate.
    ///
    /// # Panics
    /// If `k_max` ≥ [`MAX_TOWER`] or `s` holds fewer than (`k_max` + 1)·n elements.
    pub fn tower<T: Real>(&self, k_max: usize, z: &[T], s: &mut [T]) {
        T::tower(*self, k_max, z, s);
    }

    /// [`Activation::tower`] from the stored outputs `y[i]` = σ(`z[i]`), bit for bit, where these determine every derivative (tanh,
    /// sigmoid, exp, identity). Otherwise returns `false` and leaves `s` alone.
    ///
    /// # Panics
    /// As [`Activation::tower`].
    pub fn tower_from_output<T: Real>(&self, k_max: usize, y: &[T], s: &mut [T]) -> bool {
        T::tower_from_output(*self, k_max, y, s)
    }
}

/// [`Activation::tower`] for the instruction set of the caller.
#[inline(always)]
fn tower_inline<T: Real, const FUSED: bool>(activation: Activation, k_max: usize, z: &[T], s: &mut [T]) {
    with_tower!(activation, Form => fill_tower::<T, Form, FUSED>(k_max, z, s));
    match activation {
        Activation::Sin if any_beyond_trig_range(z) => refill_far(0, k_max, z, s),
        Activation::Cos if any_beyond_trig_range(z) => refill_far(1, k_max, z, s),
        _ => {}
    }
}

/// [`Activation::tower_from_output`] for the instruction set of the caller.
#[inline(always)]
fn tower_from_output_inline<T: Real, const FUSED: bool>(
    activation: Activation,
    k_max: usize,
    y: &[T],
    s: &mut [T],
) -> bool {
    match activation {
        Activation::Tanh => fill_tower::<T, tower::FromOutput<tower::Tanh>, FUSED>(k_max, y, s),
        Activation::Sigmoid => fill_tower::<T, tower::FromOutput<tower::Sigmoid>, FUSED>(k_max, y, s),
        Activation::Exp => fill_tower::<T, tower::FromOutput<tower::Exp>, FUSED>(k_max, y, s),
        Activation::Identity => fill_tower::<T, tower::FromOutput<tower::Identity>, FUSED>(k_max, y, s),
        _ => return false,
    }
    true
}

/// One fused loop per order: all rows in one pass over z.
#[inline(always)]
fn fill_tower<T: Real, A: Tower, const FUSED: bool>(k_max: usize, z: &[T], s: &mut [T]) {
    assert!(k_max < MAX_TOWER, "k_max is {k_max}, but towers stop at order {}", MAX_TOWER - 1);
    let needed = (k_max + 1) * z.len();
    assert!(s.len() >= needed, "the tower needs {needed} elements, but the slice holds {}", s.len());
    match k_max {
        0 => fill_order::<T, A, FUSED, 1>(z, s),
        1 => fill_order::<T, A, FUSED, 2>(z, s),
        2 => fill_order::<T, A, FUSED, 3>(z, s),
        3 => fill_order::<T, A, FUSED, 4>(z, s),
        4 => fill_order::<T, A, FUSED, 5>(z, s),
        5 => fill_order::<T, A, FUSED, 6>(z, s),
        _ => fill_order::<T, A, FUSED, 7>(z, s),
    }
}

#[inline(always)]
fn fill_order<T: Real, A: Tower, const FUSED: bool, const K: usize>(z: &[T], s: &mut [T]) {
    // A closure, since a function passed by name goes through a shim that is not always inlined.
    fill_rows(
        z,
        split_rows(s, z.len()),
        #[inline(always)]
        |z| A::at::<T, FUSED, K>(z),
    );
}

/// σ^(k)(z) = sin(z + (k + quarter_turns)·π/2) for the elements out of reach of the vector kernel.
#[cold]
fn refill_far<T: Real>(quarter_turns: usize, k_max: usize, z: &[T], s: &mut [T]) {
    let n = z.len();
    for_each_beyond_trig_range(z, |i, z| {
        let (sin, cos) = z.sin_cos();
        let cycle = [sin, cos, -sin, -cos];
        for k in 0..=k_max {
            s[k * n + i] = T::from_f64(cycle[(k + quarter_turns) % 4]);
        }
    });
}

macro_rules! impl_compiled {
    ($float:ident) => {
        impl Compiled for $float {
            #[inline(never)]
            fn tower(activation: Activation, k_max: usize, z: &[Self], s: &mut [Self]) {
                dispatch_fused!(FUSED => tower_inline::<Self, FUSED>(activation, k_max, z, s));
            }
            #[inline(never)]
            fn tower_from_output(activation: Activation, k_max: usize, y: &[Self], s: &mut [Self]) -> bool {
                dispatch_fused!(FUSED => tower_from_output_inline::<Self, FUSED>(activation, k_max, y, s))
            }
        }
    };
}

impl_compiled!(f32);
impl_compiled!(f64);
