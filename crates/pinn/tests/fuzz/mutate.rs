//! Seeded damage to bytes: flips, cuts, copies, foreign pieces, numbers at the edge.

use ropinn_domain::{Purpose, Stream};

/// A stream of draws that depends on the case alone, so that any failure can be repeated.
pub struct Draws(Stream);

impl Draws {
    pub fn of_case(case: u64) -> Self {
        Self(Stream::new(case, Purpose::Interior))
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0.below(n.max(1) as u64) as usize
    }

    /// One of several texts.
    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// Numbers that break careless readers.
const EDGES: [&str; 14] = [
    "0",
    "-1",
    "1e308",
    "-1e308",
    "1e-320",
    "nan",
    "inf",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "1000000000000",
    "4294967296",
    "0x7fffffffffffffff",
    "1_000",
];

/// A few random changes to `bytes`, with `pieces` as building blocks.
pub fn damage(bytes: &mut Vec<u8>, pieces: &[&str], draws: &mut Draws) {
    for _ in 0..1 + draws.below(4) {
        let at = draws.below(bytes.len() + 1);
        let until = at + draws.below((bytes.len() - at).min(40) + 1);
        match draws.below(8) {
            0 if at < bytes.len() => bytes[at] = draws.below(256) as u8,
            1 if at < bytes.len() => bytes[at] ^= 1 << draws.below(8),
            2 => drop(bytes.drain(at..until)),
            3 => {
                let copy = bytes[at..until].to_vec();
                let place = draws.below(bytes.len() + 1);
                bytes.splice(place..place, copy);
            }
            4 => bytes.truncate(at),
            5 => replace_number(bytes, at, draws),
            _ => {
                let piece = draws.pick(pieces);
                bytes.splice(at..at, piece.bytes());
            }
        }
    }
}

/// Puts a number at the edge in place of the first one after `at`.
fn replace_number(bytes: &mut Vec<u8>, at: usize, draws: &mut Draws) {
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|offset| at + offset) else { return };
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let edge = draws.pick(&EDGES);
    bytes.splice(start..start + length, edge.bytes());
}
