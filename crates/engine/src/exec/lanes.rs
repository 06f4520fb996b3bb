//! Loops over lanes. Sums run in sixteen fixed partial sums, so their bits depend on neither instruction set nor thread.

use ropinn_vmath::Real;

const PARTIAL: usize = 16;

/// Σ a·b.
#[inline(always)]
pub(crate) fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    let mut partial = [T::ZERO; PARTIAL];
    let (chunks_a, rest_a) = a.as_chunks::<PARTIAL>();
    let (chunks_b, rest_b) = b.as_chunks::<PARTIAL>();
    for (ca, cb) in chunks_a.iter().zip(chunks_b) {
        for i in 0..PARTIAL {
            partial[i] += ca[i] * cb[i];
        }
    }
    for (i, (&x, &y)) in rest_a.iter().zip(rest_b).enumerate() {
        partial[i] += x * y;
    }
    fold(partial)
}

/// Σ a.
#[inline(always)]
pub(crate) fn sum<T: Real>(a: &[T]) -> T {
    let mut partial = [T::ZERO; PARTIAL];
    let (chunks, rest) = a.as_chunks::<PARTIAL>();
    for chunk in chunks {
        for i in 0..PARTIAL {
            partial[i] += chunk[i];
        }
    }
    for (i, &x) in rest.iter().enumerate() {
        partial[i] += x;
    }
    fold(partial)
}

#[inline(always)]
fn fold<T: Real>(mut partial: [T; PARTIAL]) -> T {
    let mut half = PARTIAL / 2;
    while half > 0 {
        for i in 0..half {
            let upper = partial[i + half];
            partial[i] += upper;
        }
        half /= 2;
    }
    partial[0]
}

/// y += c·x.
#[inline(always)]
pub(crate) fn axpy<T: Real>(y: &mut [T], c: T, x: &[T]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y += c * x;
    }
}

/// y += a·b.
#[inline(always)]
pub(crate) fn add_product<T: Real>(y: &mut [T], a: &[T], b: &[T]) {
    for ((y, &a), &b) in y.iter_mut().zip(a).zip(b) {
        *y += a * b;
    }
}

/// y += a.
#[inline(always)]
pub(crate) fn add<T: Real>(y: &mut [T], a: &[T]) {
    for (y, &a) in y.iter_mut().zip(a) {
        *y += a;
    }
}

/// y *= a.
#[inline(always)]
pub(crate) fn scale_by<T: Real>(y: &mut [T], a: &[T]) {
    for (y, &a) in y.iter_mut().zip(a) {
        *y *= a;
    }
}

/// Lanes computed together. Tiles have whole blocks of them (`program::LANES`), and a loop of fixed length is always vector code.
pub(crate) const BLOCK: usize = 16;

/// The block of lanes that starts at `at`.
#[inline(always)]
pub(crate) fn block<T>(x: &[T], at: usize) -> &[T; BLOCK] {
    x[at..].first_chunk().expect("lanes come in whole blocks")
}

/// The same, to be written.
#[inline(always)]
pub(crate) fn block_mut<T>(x: &mut [T], at: usize) -> &mut [T; BLOCK] {
    x[at..].first_chunk_mut().expect("lanes come in whole blocks")
}

/// y (=|+=) c·Π factors.
#[inline(always)]
pub(crate) fn product<T: Real, const K: usize>(y: &mut [T], is_first: bool, c: T, factors: [&[T]; K]) {
    for at in (0..y.len()).step_by(BLOCK) {
        let mut product = [c; BLOCK];
        for factor in &factors {
            let factor = block(factor, at);
            for i in 0..BLOCK {
                product[i] *= factor[i];
            }
        }
        put(block_mut(y, at), is_first, &product);
    }
}

/// y (=|+=) Σ a·b.
#[inline(always)]
pub(crate) fn sum_of_products<T: Real, const K: usize>(y: &mut [T], is_first: bool, pairs: [(&[T], &[T]); K]) {
    for at in (0..y.len()).step_by(BLOCK) {
        let mut sum = [T::ZERO; BLOCK];
        for (a, b) in &pairs {
            let (a, b) = (block(a, at), block(b, at));
            for i in 0..BLOCK {
                sum[i] += a[i] * b[i];
            }
        }
        put(block_mut(y, at), is_first, &sum);
    }
}

#[inline(always)]
fn put<T: Real>(y: &mut [T; BLOCK], is_first: bool, value: &[T; BLOCK]) {
    if is_first {
        *y = *value;
    } else {
        for i in 0..BLOCK {
            y[i] += value[i];
        }
    }
}

/// y\[i\] = f(i). A plain loop: iterator adaptors with closures are not inlined for the wide instruction sets.
#[inline(always)]
pub(crate) fn set_with<T: Real>(y: &mut [T], f: impl Fn(usize) -> T) {
    for (i, y) in y.iter_mut().enumerate() {
        *y = f(i);
    }
}

/// y\[i\] += f(i).
#[inline(always)]
pub(crate) fn add_with<T: Real>(y: &mut [T], f: impl Fn(usize) -> T) {
    for (i, y) in y.iter_mut().enumerate() {
        *y += f(i);
    }
}

/// y\[i\] (=|+=) f(i).
#[inline(always)]
pub(crate) fn write<T: Real>(y: &mut [T], first: bool, f: impl Fn(usize) -> T) {
    if first { set_with(y, f) } else { add_with(y, f) }
}
