//! Radical inverses and the sequences made of them: φ_b mirrors the base-b digits of i at the point,
//! i = Σ d_k b^k ↦ φ_b(i) = Σ d_k b^(−k−1).

/// φ_b(i) in [0, 1).
///
/// ```
/// use ropinn_domain::sequence::radical_inverse;
/// assert_eq!(radical_inverse(2, 6), 0.375); // 110 in binary becomes 0.011
/// assert_eq!(radical_inverse(3, 5), 7.0 / 9.0); // 12 in base 3 becomes 0.21
/// ```
pub fn radical_inverse(base: u64, mut index: u64) -> f64 {
    debug_assert!(base >= 2, "digits need a base of at least 2");
    let (mut mirrored, mut scale) = (0u64, 1u64);
    // Whole-number arithmetic keeps the quotient exact to one rounding; digits that would overflow it are below 2⁻⁵³.
    while index > 0 {
        let (Some(longer), Some(finer)) = (mirrored.checked_mul(base), scale.checked_mul(base)) else {
            break;
        };
        mirrored = longer + index % base;
        scale = finer;
        index /= base;
    }
    mirrored as f64 / scale as f64
}

/// The first `count` primes.
fn primes(count: usize) -> Vec<u64> {
    let mut found: Vec<u64> = Vec::with_capacity(count);
    let mut candidate = 2;
    while found.len() < count {
        if found.iter().take_while(|&p| p * p <= candidate).all(|p| candidate % p != 0) {
            found.push(candidate);
        }
        candidate += 1;
    }
    found
}

/// Rows (φ₂(i), φ₃(i), φ₅(i), …), i = 1, 2, ….
pub(super) fn fill_halton(dim: usize, coords: &mut [f64]) {
    let bases = primes(dim);
    for (row, i) in coords.chunks_exact_mut(dim).zip(1..) {
        row.iter_mut().zip(&bases).for_each(|(value, &base)| *value = radical_inverse(base, i));
    }
}

/// Rows (φ₂(i), φ₃(i), …, i/(n + 1)), i = 1 … n.
pub(super) fn fill_hammersley(dim: usize, coords: &mut [f64]) {
    let n = coords.len() / dim;
    fill_halton(dim, coords);
    for (row, i) in coords.chunks_exact_mut(dim).zip(1..) {
        row[dim - 1] = i as f64 / (n + 1) as f64;
    }
}
