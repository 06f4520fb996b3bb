//! Philox4x32-10: ten rounds of multiply, swap and xor turn a 128-bit counter into four random words.
//! Salmon, Moraes, Dror & Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), §4.3.

const MULTIPLIERS: [u64; 2] = [0xD251_1F53, 0xCD9E_8D57];
/// Weyl increments of the two key words: the golden ratio and √3 − 1, scaled by 2³².
const KEY_STEPS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;
const LOW: u64 = 0xFFFF_FFFF;
/// Blocks computed side by side in bulk fills: two 256-bit registers per state word. Part of the layout of streams.
pub(super) const LANES: usize = 8;
/// Numbers in a group of side-by-side blocks: first every block's first 64-bit word, then every block's second. Keeping
/// the two halves apart spares the vector code all shuffling.
pub(super) const GROUP: usize = 2 * LANES;

/// One block: the four words at `counter` under `key`.
///
/// ```
/// let words = ropinn_domain::rng::philox4x32_10([0; 4], [0; 2]);
/// assert_eq!(words, [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
/// ```
pub fn philox4x32_10(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let state = ten_rounds(counter.map(|word| [u64::from(word)]), key);
    state.map(|[word]| word as u32)
}

/// The rounds, for `N` blocks at once. Each 32-bit word lives in the low half of a 64-bit lane, whose high half may
/// hold rubbish: masking just before the product lets the compiler use the 32 × 32 → 64 bit vector multiply.
#[inline(always)]
fn ten_rounds<const N: usize>(mut state: [[u64; N]; 4], mut key: [u32; 2]) -> [[u64; N]; 4] {
    for _ in 0..ROUNDS {
        let [k0, k1] = key.map(u64::from);
        let [a, b, c, d] = &mut state;
        for lane in 0..N {
            let product0 = (a[lane] & LOW) * MULTIPLIERS[0];
            let product1 = (c[lane] & LOW) * MULTIPLIERS[1];
            a[lane] = (product1 >> 32) ^ b[lane] ^ k0;
            b[lane] = product1;
            c[lane] = (product0 >> 32) ^ d[lane] ^ k1;
            d[lane] = product0;
        }
        key = [key[0].wrapping_add(KEY_STEPS[0]), key[1].wrapping_add(KEY_STEPS[1])];
    }
    state
}

/// The 64-bit words of `LANES` consecutive blocks; `counter[0]` numbers the first.
#[inline(always)]
fn group_words([first, c1, c2, c3]: [u32; 4], key: [u32; 2]) -> [[u64; LANES]; 2] {
    let blocks = std::array::from_fn(|lane| u64::from(first.wrapping_add(lane as u32)));
    let [c1, c2, c3] = [c1, c2, c3].map(|word| [u64::from(word); LANES]);
    let [a, b, c, d] = ten_rounds([blocks, c1, c2, c3], key);
    let join =
        |low: [u64; LANES], high: [u64; LANES]| std::array::from_fn(|lane| (low[lane] & LOW) | (high[lane] << 32));
    [join(a, b), join(c, d)]
}

/// Fills `out` with the uniform numbers of consecutive groups; `counter[0]` numbers the first block.
#[inline(always)]
fn fill_groups(out: &mut [f64], mut counter: [u32; 4], key: [u32; 2]) {
    let mut groups = out.chunks_exact_mut(GROUP);
    for group in &mut groups {
        let words = group_words(counter, key);
        let (first, second) = group.split_at_mut(LANES);
        for lane in 0..LANES {
            first[lane] = unit(words[0][lane]);
        }
        for lane in 0..LANES {
            second[lane] = unit(words[1][lane]);
        }
        counter[0] = counter[0].wrapping_add(LANES as u32);
    }
    let rest = groups.into_remainder();
    let words = group_words(counter, key);
    rest.iter_mut().zip(words.as_flattened()).for_each(|(value, &word)| *value = unit(word));
}

/// 53 random bits as a multiple of 2⁻⁵³ in [0, 1). Written with the exponent bits of 2⁸⁴ and 2⁵² because AVX2 cannot
/// convert 64-bit integers: every step is exact, as each intermediate is a whole number below 2⁵³ in size.
#[inline(always)]
pub(super) fn unit(word: u64) -> f64 {
    let bits = word >> 11;
    let high = f64::from_bits((bits >> 32) | 0x4530_0000_0000_0000); // 2⁸⁴ + high · 2³²
    let low = f64::from_bits((bits & LOW) | 0x4330_0000_0000_0000); // 2⁵² + low
    const BOTH: f64 = (1u128 << 84) as f64 + (1u64 << 52) as f64;
    ((high - BOTH) + low) * (1.0 / (1u64 << 53) as f64)
}

/// Uniform numbers from consecutive groups, compiled for the instruction set at hand. Only integers and exact conversions are
/// involved, so all of them give the same bits.
pub(super) fn fill_unit(out: &mut [f64], counter: [u32; 4], key: [u32; 2]) {
    ropinn_vmath::dispatch(
        #[inline(always)]
        || fill_groups(out, counter, key),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers published with Random123 (file `kat_vectors`).
    #[test]
    fn known_answers() {
        let ones = u32::MAX;
        assert_eq!(philox4x32_10([0; 4], [0; 2]), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
        assert_eq!(philox4x32_10([ones; 4], [ones; 2]), [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]);
        assert_eq!(
            philox4x32_10([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0]),
            [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]
        );
    }

    #[test]
    fn bulk_equals_single_blocks_for_every_length() {
        let (counter, key) = ([u32::MAX - 3, 5, 6, 7], [8, 9]);
        for length in 0..70 {
            let mut wide = vec![0.0; length];
            fill_unit(&mut wide, counter, key);
            let mut plain = vec![0.0; length];
            fill_groups(&mut plain, counter, key);
            assert_eq!(wide, plain);
            for (i, value) in wide.iter().enumerate() {
                let block = LANES * (i / GROUP) + i % LANES;
                let words = philox4x32_10([counter[0].wrapping_add(block as u32), 5, 6, 7], key);
                let half = 2 * (i % GROUP / LANES);
                let word = u64::from(words[half]) | u64::from(words[half + 1]) << 32;
                assert_eq!(*value, unit(word));
            }
        }
    }

    #[test]
    fn unit_values_stay_below_one() {
        assert_eq!(unit(0), 0.0);
        assert_eq!(unit(u64::MAX), 1.0 - f64::EPSILON / 2.0);
        for word in (0..u64::MAX - (1 << 50)).step_by(0x0003_1415_9265_3589) {
            assert_eq!(unit(word), (word >> 11) as f64 / 2f64.powi(53));
        }
    }
}
