//! Slice forms y\[i\] = f(x\[i\]), vectorised and dispatched: the ordinary way to call this crate.
//!
//! Every element gets the bits of the [`lane`] form, whatever its position, the slice's length or the instruction set. Sine, cosine
//! and tangent of arguments beyond [`lane::trig_range`] are recomputed one by one with the standard library.

use crate::blocks::fill_rows;
use crate::{Real, dispatch, lane};

/// y\[i\] = f(x\[i\]) by blocks; the caller dispatches.
#[inline(always)]
fn map<T: Real>(x: &[T], y: &mut [T], f: impl Fn(T) -> T) {
    assert_eq!(x.len(), y.len(), "input and output slices differ in length");
    fill_rows(
        x,
        [y],
        #[inline(always)]
        |x| [f(x)],
    );
}

/// A function as an always inlined closure; passed by name it would go through a shim that is not.
macro_rules! inlined {
    ($function:path) => {
        #[inline(always)]
        |x| $function(x)
    };
}

macro_rules! slice_forms {
    ($($name:ident: $formula:literal;)*) => { $(
        #[doc = concat!("y\\[i\\] = ", $formula, " with x = x\\[i\\]; see [`lane::", stringify!($name), "`].")]
        ///
        /// # Panics
        /// If the slices differ in length.
        pub fn $name<T: Real>(x: &[T], y: &mut [T]) {
            dispatch(
                #[inline(always)]
                || map(x, y, inlined!(lane::$name)),
            );
        }
    )* };
}

slice_forms! {
    exp: "e^x";
    tanh: "tanh x";
    sigmoid: "1/(1 + e^−x)";
    ln: "ln x";
    ln_1p: "ln(1 + x)";
    softplus: "ln(1 + e^x)";
    erf: "erf x";
    normal_cdf: "Φ(x)";
}

macro_rules! trig_slice_forms {
    ($($name:ident: $formula:literal;)*) => { $(
        #[doc = concat!("y\\[i\\] = ", $formula, " with x = x\\[i\\], for x of any size; see [`lane::", stringify!($name), "`].")]
        ///
        /// # Panics
        /// If the slices differ in length.
        pub fn $name<T: Real>(x: &[T], y: &mut [T]) {
            let far = dispatch(
                #[inline(always)]
                || {
                    map(x, y, inlined!(lane::$name));
                    any_beyond_trig_range(x)
                },
            );
            if far {
                for_each_beyond_trig_range(x, |i, x| y[i] = T::from_f64(x.$name()));
            }
        }
    )* };
}

trig_slice_forms! {
    sin: "sin x";
    cos: "cos x";
    tan: "tan x";
}

/// sin\[i\] = sin x\[i\] and cos\[i\] = cos x\[i\], for x of any size; see [`lane::sin_cos`].
///
/// # Panics
/// If the slices differ in length.
pub fn sin_cos<T: Real>(x: &[T], sin: &mut [T], cos: &mut [T]) {
    assert_eq!(x.len(), sin.len(), "input and sine slices differ in length");
    assert_eq!(x.len(), cos.len(), "input and cosine slices differ in length");
    let far = dispatch(
        #[inline(always)]
        || {
            fill_rows(
                x,
                [&mut *sin, &mut *cos],
                #[inline(always)]
                |x| lane::sin_cos(x).into(),
            );
            any_beyond_trig_range(x)
        },
    );
    if far {
        for_each_beyond_trig_range(x, |i, x| (sin[i], cos[i]) = (T::from_f64(x.sin()), T::from_f64(x.cos())));
    }
}

/// Whether some finite or infinite element lies where the lane forms lose accuracy.
#[inline(always)]
pub(crate) fn any_beyond_trig_range<T: Real>(x: &[T]) -> bool {
    // No early exit: an OR over all elements is vector code.
    x.iter().fold(false, |far, x| far | (x.abs() > T::TRIG_RANGE))
}

/// Calls `fix(i, x[i])` for the elements that [`any_beyond_trig_range`] found.
#[cold]
pub(crate) fn for_each_beyond_trig_range<T: Real>(x: &[T], mut fix: impl FnMut(usize, f64)) {
    for (i, &x) in x.iter().enumerate() {
        if x.abs() > T::TRIG_RANGE {
            fix(i, x.to_f64());
        }
    }
}
