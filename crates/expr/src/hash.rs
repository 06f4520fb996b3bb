//! A hash that is the same on every run and toolchain, as the canonical order of expressions needs.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hash map that does not pay for protection against chosen keys.
pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<StableHasher>>;

/// FNV-1a over 64-bit words with a final mix: the same on every run and toolchain, as the canonical order needs.
pub(crate) struct StableHasher(u64);

impl Default for StableHasher {
    fn default() -> Self {
        StableHasher(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_u64(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x0100_0000_01b3);
        self.0 = mixed.rotate_left(29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        let folded = (self.0 ^ (self.0 >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        folded ^ (folded >> 32)
    }
}
