//! NumPy's files: one array (NPY, NEP 1, version 1.0), or several by name (NPZ, a ZIP archive without compression).

use ropinn_files::checksum;

/// Rows of `columns` numbers.
pub fn npy_rows(columns: usize, values: &[f64]) -> Vec<u8> {
    npy(&[values.len() / columns.max(1), columns], values)
}

/// A C-ordered array of little-endian f64.
pub fn npy(shape: &[usize], values: &[f64]) -> Vec<u8> {
    let sides: String = shape.iter().map(|side| format!("{side}, ")).collect();
    // One side alone keeps its comma, as Python writes it.
    let sides = if shape.len() == 1 { sides.trim_end() } else { sides.trim_end_matches(", ") };
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({sides}), }}");
    // Magic, version, length and header together fill a multiple of 64 bytes; the header ends in a line break.
    const BEFORE: usize = 10;
    let padding = 63 - (BEFORE + header.len()) % 64;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    let length = u16::try_from(header.len()).expect("a few numbers fit into a short header");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(length.to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

/// A ZIP archive of files `name.npy`, stored as they are.
pub fn npz(arrays: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    let long = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes();
    for (name, bytes) in arrays {
        let (name, offset) = (format!("{name}.npy"), archive.len());
        // Version 2.0, nothing special, stored, at the first date there is.
        let mut common = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        common.extend(checksum(bytes).to_le_bytes());
        common.extend([long(bytes.len()), long(bytes.len())].concat());
        common.extend(u16::try_from(name.len()).unwrap_or(u16::MAX).to_le_bytes());
        common.extend([0, 0]);
        archive.extend(b"PK\x03\x04");
        archive.extend(&common);
        archive.extend(name.as_bytes());
        archive.extend(bytes);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        // No remark, the first disk, no attributes.
        directory.extend([0; 10]);
        directory.extend(long(offset));
        directory.extend(name.as_bytes());
    }
    let (count, begin) = (u16::try_from(arrays.len()).unwrap_or(u16::MAX).to_le_bytes(), archive.len());
    let size = directory.len();
    archive.extend(directory);
    archive.extend(b"PK\x05\x06\x00\x00\x00\x00");
    archive.extend([count, count].concat());
    archive.extend([long(size), long(begin)].concat());
    archive.extend([0, 0]);
    archive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_aligned_and_true() {
        for columns in 1..40 {
            let values: Vec<f64> = (0..columns * 3).map(|k| k as f64).collect();
            let bytes = npy_rows(columns, &values);
            let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
            assert_eq!(((10 + length) % 64, bytes[9 + length]), (0, b'\n'));
            let header = std::str::from_utf8(&bytes[10..10 + length]).expect("ASCII");
            assert!(header.contains(&format!("'shape': (3, {columns})")), "{header}");
            assert_eq!(bytes.len(), 10 + length + 8 * values.len());
            assert_eq!(bytes[bytes.len() - 8..], values[values.len() - 1].to_le_bytes());
        }
        let header = |shape: &[usize]| String::from_utf8_lossy(&npy(shape, &[])[10..]).into_owned();
        assert!(header(&[7]).contains("'shape': (7,)") && header(&[2, 3, 4]).contains("'shape': (2, 3, 4)"));
    }
}
