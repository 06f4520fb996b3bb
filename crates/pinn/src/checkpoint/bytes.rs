//! The frame of a checkpoint file:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `ROPINNcp` |
//! | 4 | format version |
//! | 8 | length n of the content |
//! | n | the content (see `contents`) |
//! | 4 | CRC-32 (IEEE) of everything before |
//!
//! The checksum covers the whole file, so that any flipped byte, those of version and length included, is noticed. Every
//! version keeps this frame; only the content changes.

use super::codec::{Decoder, Encoder};
use super::{Checkpoint, Damage};
use ropinn_files::{checksum, checksum_of};
use std::io::{self, Read, Seek};

/// The largest file read as a checkpoint: 16 GiB.
pub const MAX_CHECKPOINT_BYTES: u64 = 16 << 30;

/// The format written and read by this version.
pub(super) const VERSION: u32 = 2;

const MAGIC: [u8; 8] = *b"ROPINNcp";
/// Bytes before and after the content.
const BEFORE: usize = 20;
const AFTER: usize = 4;

impl Checkpoint {
    /// The bytes of a checkpoint file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut encoder = Encoder::default();
        encoder.bytes.extend_from_slice(&MAGIC);
        encoder.bytes.extend_from_slice(&VERSION.to_le_bytes());
        encoder.count(0); // the length, known at the end
        self.encode(&mut encoder);
        let mut bytes = encoder.bytes;
        let length = (bytes.len() - BEFORE) as u64;
        bytes[BEFORE - 8..BEFORE].copy_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&checksum(&bytes).to_le_bytes());
        bytes
    }

    /// Reads the bytes of a checkpoint file; whatever they are, it neither panics nor takes more memory than a few times
    /// their length.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Damage> {
        let framed = |expected: u64| Damage::Length { expected, found: bytes.len() as u64 };
        let Some((content, sum)) = bytes.split_last_chunk::<AFTER>() else {
            return Err(framed((BEFORE + AFTER) as u64));
        };
        let Some((frame, content)) = content.split_first_chunk::<BEFORE>() else {
            return Err(framed((BEFORE + AFTER) as u64));
        };
        let [magic @ .., _, _, _, _, _, _, _, _, _, _, _, _] = frame;
        if *magic != MAGIC {
            return Err(Damage::Magic);
        }
        let mut header = Decoder::new(&frame[BEFORE - 8..]);
        let length = header.count()?;
        if length != content.len() as u64 {
            return Err(framed(length.saturating_add((BEFORE + AFTER) as u64)));
        }
        if checksum(&bytes[..bytes.len() - AFTER]) != u32::from_le_bytes(*sum) {
            return Err(Damage::Checksum);
        }
        let found = u32::from_le_bytes([frame[8], frame[9], frame[10], frame[11]]);
        if found != VERSION {
            return Err(Damage::Version { found });
        }
        Self::decode(content)
    }
}

/// Whether the frame of a file of `size` bytes holds together, without reading it into memory.
pub(super) fn frame_is_whole(mut file: impl Read + Seek, size: u64) -> io::Result<Result<(), Damage>> {
    let around = (BEFORE + AFTER) as u64;
    if size < around {
        return Ok(Err(Damage::Length { expected: around, found: size }));
    }
    let (mut frame, mut sum) = ([0; BEFORE], [0; AFTER]);
    file.read_exact(&mut frame)?;
    let length = u64::from_le_bytes(frame[BEFORE - 8..].try_into().unwrap_or_default());
    if !frame.starts_with(&MAGIC) {
        return Ok(Err(Damage::Magic));
    }
    if length != size - around {
        return Ok(Err(Damage::Length { expected: length.saturating_add(around), found: size }));
    }
    file.rewind()?;
    let found = checksum_of(&mut file, size - AFTER as u64)?;
    file.read_exact(&mut sum)?;
    Ok(if found == u32::from_le_bytes(sum) { Ok(()) } else { Err(Damage::Checksum) })
}
