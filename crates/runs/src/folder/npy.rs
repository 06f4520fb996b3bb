//! NumPy's file format for a table of numbers (NEP 1, version 1.0).

/// Rows of `columns` numbers as a C-ordered array of little-endian f64.
pub fn to_npy(columns: usize, values: &[f64]) -> Vec<u8> {
    let rows = values.len() / columns.max(1);
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // Magic, version, length and header together fill a multiple of 64 bytes; the header ends in a line break.
    const BEFORE: usize = 10;
    let padding = 63 - (BEFORE + header.len()) % 64;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    let length = u16::try_from(header.len()).expect("two numbers fit into a short header");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(length.to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_aligned_and_true() {
        for columns in 1..40 {
            let values: Vec<f64> = (0..columns * 3).map(|k| k as f64).collect();
            let bytes = to_npy(columns, &values);
            let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
            assert_eq!(((10 + length) % 64, bytes[9 + length]), (0, b'\n'));
            let header = std::str::from_utf8(&bytes[10..10 + length]).expect("ASCII");
            assert!(header.contains(&format!("'shape': (3, {columns})")), "{header}");
            assert_eq!(bytes.len(), 10 + length + 8 * values.len());
            assert_eq!(bytes[bytes.len() - 8..], values[values.len() - 1].to_le_bytes());
        }
    }
}
