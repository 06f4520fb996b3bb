//! Single values as bytes: little-endian, every f64 by its bits, lists and texts after their length.
//!
//! Reading is total: it never panics, and takes no memory for a list before it has seen that the bytes are there.

use super::Damage;

/// No run counts further than this.
const MOST: u64 = 1 << 53;

/// Appends values.
#[derive(Default)]
pub(super) struct Encoder {
    pub bytes: Vec<u8>,
}

impl Encoder {
    pub fn count(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub fn number(&mut self, value: f64) {
        self.count(value.to_bits());
    }

    pub fn text(&mut self, text: &str) {
        self.count(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    pub fn numbers(&mut self, values: &[f64]) {
        self.count(values.len() as u64);
        self.bytes.reserve(8 * values.len());
        values.iter().for_each(|value| self.number(*value));
    }

    /// A byte that tells whether there is a value, and the value.
    pub fn optional<T>(&mut self, value: Option<T>, encode: impl FnOnce(&mut Self, T)) {
        self.bytes.push(u8::from(value.is_some()));
        if let Some(value) = value {
            encode(self, value);
        }
    }
}

/// Takes values off the front. `what` names the part being read, for messages.
pub(super) struct Decoder<'a> {
    rest: &'a [u8],
    pub what: &'static str,
}

impl<'a> Decoder<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, what: "content" }
    }

    pub fn damage(&self) -> Damage {
        Damage::Content { what: self.what }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Damage> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(|| self.damage())?;
        self.rest = rest;
        Ok(taken)
    }

    pub fn count(&mut self) -> Result<u64, Damage> {
        let bytes = self.take(8)?.first_chunk().ok_or_else(|| self.damage())?;
        Ok(u64::from_le_bytes(*bytes))
    }

    pub fn number(&mut self) -> Result<f64, Damage> {
        self.count().map(f64::from_bits)
    }

    /// A count that leaves room to go on counting.
    pub fn tally(&mut self) -> Result<u64, Damage> {
        let count = self.count()?;
        if count <= MOST { Ok(count) } else { Err(self.damage()) }
    }

    /// The length of a list whose entries take at least `entry` bytes each: never more than the bytes that are left.
    pub fn length(&mut self, entry: usize) -> Result<usize, Damage> {
        let length = usize::try_from(self.count()?).map_err(|_| self.damage())?;
        if length.checked_mul(entry).is_none_or(|bytes| bytes > self.rest.len()) {
            return Err(self.damage());
        }
        Ok(length)
    }

    pub fn text(&mut self) -> Result<&'a str, Damage> {
        let length = self.length(1)?;
        std::str::from_utf8(self.take(length)?).map_err(|_| self.damage())
    }

    pub fn numbers(&mut self) -> Result<Vec<f64>, Damage> {
        let length = self.length(8)?;
        let (entries, _) = self.take(8 * length)?.as_chunks::<8>();
        Ok(entries.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
    }

    pub fn optional<T>(&mut self, decode: impl FnOnce(&mut Self) -> Result<T, Damage>) -> Result<Option<T>, Damage> {
        match self.take(1)? {
            [0] => Ok(None),
            [1] => decode(self).map(Some),
            _ => Err(self.damage()),
        }
    }

    /// Nothing may be left over.
    pub fn finish(self) -> Result<(), Damage> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.damage()) }
    }
}
