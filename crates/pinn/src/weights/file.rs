//! The bytes of a safetensors file: eight bytes of header length, a JSON header, the numbers.
//!
//! Files come from anywhere, so sizes are checked before memory is taken and the `safetensors` crate checks that shapes and
//! offsets cover the file exactly. Writing is done here: the crate orders metadata at random, and the same weights should
//! give the same file.

use super::{NamedTensor, NamedTensors, WeightsError};
use half::{bf16, f16};
use ropinn_engine::Precision;
use ropinn_files::{FileError, Reason};
use safetensors::{Dtype, SafeTensors};
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

/// Largest file [`read_weights`] opens: 2 GiB.
pub const MAX_FILE_BYTES: u64 = 2 << 30;
/// Largest header [`read_weights`] parses: 8 MiB.
pub const MAX_HEADER_BYTES: u64 = 8 << 20;

/// Reads a safetensors file of F32, F64, F16 or BF16 tensors with finite entries.
pub fn read_weights(path: &Path) -> Result<NamedTensors, WeightsError> {
    let malformed = |reason: String| WeightsError::Malformed { path: path.to_owned(), reason };
    let bytes = ropinn_files::read(path, MAX_FILE_BYTES).map_err(|FileError { path, reason }| match reason {
        Reason::TooLarge { bytes, limit } => WeightsError::FileTooLarge { path, bytes, max: limit },
        reason => WeightsError::Read { path, reason: reason.to_string() },
    })?;
    if let Some(length) = bytes.first_chunk().map(|&first| u64::from_le_bytes(first))
        && length > MAX_HEADER_BYTES
    {
        return Err(WeightsError::HeaderTooLarge { path: path.to_owned(), bytes: length, max: MAX_HEADER_BYTES });
    }
    let header = bytes.get(8..).unwrap_or_default();
    let length = bytes.first_chunk().map_or(0, |&first| u64::from_le_bytes(first) as usize);
    if let Some(name) = header.get(..length).and_then(repeated_name) {
        return Err(malformed(format!("it has `{name}` twice")));
    }
    let (_, header) = SafeTensors::read_metadata(&bytes).map_err(|e| malformed(e.to_string()))?;
    let content = SafeTensors::deserialize(&bytes).map_err(|e| malformed(e.to_string()))?;
    let mut tensors = BTreeMap::new();
    for (name, view) in content.iter() {
        let values = numbers(name, view.dtype(), view.data())?;
        check_finite(name, &values)?;
        tensors.insert(name.to_owned(), NamedTensor { shape: view.shape().to_vec(), values });
    }
    let metadata = header.metadata().iter().flatten().map(|(key, text)| (key.clone(), text.clone())).collect();
    let has_doubles = content.iter().any(|(_, view)| view.dtype() == Dtype::F64);
    let precision = Some(if has_doubles { Precision::F64 } else { Precision::F32 });
    Ok(NamedTensors { tensors, metadata, precision })
}

/// The first name that stands twice in a JSON object: readers differ in which of the two they take.
fn repeated_name(header: &[u8]) -> Option<String> {
    struct Names;
    impl<'a> Visitor<'a> for Names {
        type Value = Option<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let (mut seen, mut repeated) = (BTreeSet::new(), None);
            while let Some((name, _)) = map.next_entry::<String, IgnoredAny>()? {
                repeated = repeated.or(Some(name.clone()).filter(|_| !seen.insert(name)));
            }
            Ok(repeated)
        }
    }
    serde_json::Deserializer::from_slice(header).deserialize_map(Names).ok().flatten()
}

/// Little-endian numbers of any floating-point type, widened without loss.
fn numbers(tensor: &str, dtype: Dtype, bytes: &[u8]) -> Result<Vec<f64>, WeightsError> {
    fn widen<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f64) -> Vec<f64> {
        bytes.as_chunks::<N>().0.iter().map(|&entry| number(entry)).collect()
    }
    match dtype {
        Dtype::F64 => Ok(widen(bytes, f64::from_le_bytes)),
        Dtype::F32 => Ok(widen(bytes, |entry| f32::from_le_bytes(entry).into())),
        Dtype::F16 => Ok(widen(bytes, |entry| f16::from_le_bytes(entry).to_f64())),
        Dtype::BF16 => Ok(widen(bytes, |entry| bf16::from_le_bytes(entry).to_f64())),
        other => Err(WeightsError::NumberType { tensor: tensor.to_owned(), found: other.to_string() }),
    }
}

fn check_finite(tensor: &str, values: &[f64]) -> Result<(), WeightsError> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(WeightsError::NonFinite { tensor: tensor.to_owned(), index, value: values[index] }),
    }
}

/// Writes beside `path` and renames, so that `path` is never half a file.
pub(super) fn write(content: &NamedTensors, path: &Path, precision: Precision) -> Result<(), WeightsError> {
    let header = header(content, precision)?;
    ropinn_files::write_with(path, |out| write_content(out, &header, content, precision))
        .map_err(|e| WeightsError::Write { path: path.to_owned(), reason: e.to_string() })
}

/// The JSON header, in alphabetical order and padded with spaces so that the numbers start at a multiple of eight bytes.
fn header(content: &NamedTensors, precision: Precision) -> Result<Vec<u8>, WeightsError> {
    let (dtype, bytes_per_number) = match precision {
        Precision::F32 => ("F32", 4),
        Precision::F64 => ("F64", 8),
    };
    let mut entries = Map::new();
    if !content.metadata.is_empty() {
        entries.insert("__metadata__".to_owned(), json!(content.metadata));
    }
    let mut start = 0;
    for (name, NamedTensor { shape, values }) in &content.tensors {
        if shape.iter().product::<usize>() != values.len() {
            let (tensor, shape) = (name.clone(), shape.clone());
            return Err(WeightsError::ValueCount { tensor, shape, found: values.len() });
        }
        check_finite(name, &stored(values, precision))?;
        let end = start + values.len() * bytes_per_number;
        entries.insert(name.clone(), json!({ "dtype": dtype, "shape": shape, "data_offsets": [start, end] }));
        start = end;
    }
    let mut header = Value::Object(entries).to_string().into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    Ok(header)
}

/// The numbers as a reader of the file will see them: a large double can be infinite in single precision.
fn stored(values: &[f64], precision: Precision) -> Cow<'_, [f64]> {
    match precision {
        Precision::F32 => values.iter().map(|&value| f64::from(value as f32)).collect(),
        Precision::F64 => values.into(),
    }
}

fn write_content(out: &mut dyn Write, header: &[u8], content: &NamedTensors, precision: Precision) -> io::Result<()> {
    out.write_all(&(header.len() as u64).to_le_bytes())?;
    out.write_all(header)?;
    for value in content.tensors.values().flat_map(|tensor| &tensor.values) {
        match precision {
            Precision::F32 => out.write_all(&(*value as f32).to_le_bytes())?,
            Precision::F64 => out.write_all(&value.to_le_bytes())?,
        }
    }
    Ok(())
}
