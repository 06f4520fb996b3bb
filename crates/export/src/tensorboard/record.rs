//! Event files: records of TensorFlow (a length, the masked CRC-32C of the length, the bytes, their masked CRC-32C), each an `Event` with scalars.

use crate::protobuf::Message;
use std::io::{self, Write};

/// An event file under way.
pub struct Events<W> {
    out: W,
}

impl<W: Write> Events<W> {
    /// The first record says what follows.
    pub fn begin(out: W, wall_time: f64) -> io::Result<Self> {
        let mut events = Self { out };
        events.record(&Message::default().double(1, wall_time).text(3, "brain.Event:2"))?;
        Ok(events)
    }

    /// The numbers of one step that were measured, each with its tag.
    pub fn write<'a>(
        &mut self,
        wall_time: f64,
        step: u64,
        values: impl Iterator<Item = (&'a str, f64)>,
    ) -> io::Result<()> {
        let scalar = |(tag, value): (&str, f64)| Message::default().text(1, tag).float(2, value as f32);
        let scalars: Vec<Message> = values.filter(|(_, value)| !value.is_nan()).map(scalar).collect();
        let summary = Message::default().messages(1, &scalars);
        self.record(&Message::default().double(1, wall_time).int(2, step as i64).message(5, &summary))
    }

    /// Brings what is written to the disk.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn record(&mut self, event: &Message) -> io::Result<()> {
        let length = (event.encoded().len() as u64).to_le_bytes();
        self.out.write_all(&length)?;
        self.out.write_all(&masked(&length).to_le_bytes())?;
        self.out.write_all(event.encoded())?;
        self.out.write_all(&masked(event.encoded()).to_le_bytes())
    }
}

/// Checksums of bytes that hold checksums themselves are turned and shifted.
fn masked(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// CRC-32C (Castagnoli), a bit at a time: event files are small.
fn crc32c(bytes: &[u8]) -> u32 {
    let bit = |rest: u32, _| if rest & 1 == 1 { rest >> 1 ^ 0x82f6_3b78 } else { rest >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), bit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standard() {
        // RFC 3720, B.4.
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
    }

    #[test]
    fn records_have_their_length_and_checksums() -> io::Result<()> {
        let mut bytes = Vec::new();
        let mut events = Events::begin(&mut bytes, 1.0)?;
        events.write(2.0, 7, [("a", 1.0), ("b", f64::NAN)].into_iter())?;
        let first = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
        assert_eq!(bytes[12..12 + first][11..], *b"brain.Event:2");
        let second = &bytes[16 + first..];
        let length = u64::from_le_bytes(second[..8].try_into().expect("eight bytes")) as usize;
        assert_eq!(second.len(), 16 + length);
        // Wall time, step, one scalar: what was not measured is left out.
        assert_eq!(second[12 + 9..12 + length], [0x10, 7, 0x2a, 10, 0x0a, 8, 0x0a, 1, b'a', 0x15, 0, 0, 0x80, 0x3f]);
        Ok(())
    }
}
