//! NumPy's array files: a header in Python's words, `{'descr': '<f8', 'fortran_order': False, 'shape': (200, 3), }`, then numbers.
//!
//! Arrays of one type have a column for each entry of the second axis; records have names of their own.

use super::columns::Columns;
use super::error::ProblemError;

const MAGIC: &[u8] = b"\x93NUMPY";

/// A number's bytes in a row: where they begin, what they are.
#[derive(Clone, Copy)]
struct Cell {
    size: usize,
    big: bool,
    float: bool,
}

/// The columns of a file, under these names unless it has its own.
pub(super) fn columns(bytes: &[u8], names: Option<&[String]>, origin: &str) -> Result<Columns, ProblemError> {
    let bad = |reason: &str| ProblemError::BadNpy { path: origin.to_owned(), reason: reason.to_owned() };
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| bad("it does not begin as one"))?;
    let (&major, rest) = rest.split_first().ok_or_else(|| bad("it ends too early"))?;
    let width = if major == 1 { 2 } else { 4 };
    let length = rest.get(1..1 + width).ok_or_else(|| bad("it ends too early"))?;
    let length = length.iter().rev().fold(0usize, |length, byte| length << 8 | usize::from(*byte));
    let header = rest[1 + width..].get(..length).ok_or_else(|| bad("it ends too early"))?;
    let body = &rest[1 + width + length..];
    let header = std::str::from_utf8(header).map_err(|_| bad("its header is no text"))?;
    let after = |key: &str| header.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start());
    let descr = after("descr").ok_or_else(|| bad("its header has no `descr`"))?;
    let by_column = after("fortran_order").is_some_and(|rest| rest.starts_with("True"));
    let shape = after("shape")
        .and_then(|rest| rest.strip_prefix('(')?.split_once(')'))
        .ok_or_else(|| bad("its header has no `shape`"))?;
    let shape: Option<Vec<usize>> =
        shape.0.split(',').map(str::trim).filter(|text| !text.is_empty()).map(|text| text.parse().ok()).collect();
    let shape = shape.ok_or_else(|| bad("its shape cannot be read"))?;
    let unknown = || bad("its numbers are neither floats nor integers of 4 or 8 bytes");
    let (own, cells): (Vec<String>, Vec<Cell>) = match descr.strip_prefix('[') {
        Some(list) => records(list.split_once(']').map_or(list, |(list, _)| list)).ok_or_else(unknown)?,
        None => {
            let count = match shape[..] {
                [_] => 1,
                [_, columns] => columns,
                _ => return Err(bad("it must have one or two axes")),
            };
            let cell = quoted(descr).and_then(cell).ok_or_else(unknown)?;
            let names = names.ok_or_else(|| {
                bad(&format!(
                    "its {count} columns have no names; list them, for example: columns = [\"x\", \"t\", \"u\"]"
                ))
            })?;
            if names.len() != count {
                return Err(bad(&format!("it has {count} columns, and `columns` lists {}", names.len())));
            }
            (names.to_vec(), vec![cell; count])
        }
    };
    let rows = shape.first().copied().unwrap_or(0);
    let row_size: usize = cells.iter().map(|cell| cell.size).sum();
    if rows.checked_mul(row_size) != Some(body.len()) {
        return Err(bad(&format!("{rows} rows of {row_size} bytes are not the {} bytes it has", body.len())));
    }
    if rows == 0 {
        return Err(ProblemError::NoRows { path: origin.to_owned() });
    }
    let mut values = Vec::with_capacity(rows * cells.len());
    for row in 0..rows {
        let mut begin = row * row_size;
        for (k, cell) in cells.iter().enumerate() {
            let at = if by_column { (k * rows + row) * cell.size } else { begin };
            values.push(cell.value(&body[at..at + cell.size]));
            begin += cell.size;
        }
    }
    Ok(Columns::inline(own, values, origin))
}

impl Cell {
    fn value(self, bytes: &[u8]) -> f64 {
        let mut wide = [0u8; 8];
        wide[..self.size].copy_from_slice(bytes);
        if self.big {
            wide[..self.size].reverse();
        }
        let narrow = [wide[0], wide[1], wide[2], wide[3]];
        match (self.float, self.size) {
            (true, 4) => f64::from(f32::from_le_bytes(narrow)),
            (true, _) => f64::from_le_bytes(wide),
            (false, 4) => f64::from(i32::from_le_bytes(narrow)),
            (false, _) => i64::from_le_bytes(wide) as f64,
        }
    }
}

/// What `'<f8'` says.
fn cell(text: &str) -> Option<Cell> {
    let (order, kind) = text.split_at_checked(1)?;
    let (letter, size) = kind.split_at_checked(1)?;
    let size: usize = size.parse().ok().filter(|size| matches!(size, 4 | 8))?;
    let float = match letter {
        "f" => true,
        "i" => false,
        _ => return None,
    };
    matches!(order, "<" | ">" | "=").then_some(Cell { size, big: order == ">", float })
}

fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('\'')?.split_once('\'').map(|(inside, _)| inside)
}

/// The names and types of `('x', '<f8'), ('u', '<f4')`.
fn records(list: &str) -> Option<(Vec<String>, Vec<Cell>)> {
    let mut columns = (Vec::new(), Vec::new());
    for entry in list.split('(').skip(1) {
        let (name, rest) = entry.strip_prefix('\'')?.split_once('\'')?;
        columns.0.push(name.to_owned());
        columns.1.push(cell(quoted(rest.trim_start_matches([',', ' ']))?)?);
    }
    (!columns.0.is_empty()).then_some(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, body: &[u8]) -> Vec<u8> {
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [MAGIC, &[1, 0], &length, header.as_bytes(), body].concat()
    }

    #[test]
    fn arrays_and_records_in_either_order() {
        let names = ["x".to_owned(), "u".to_owned()];
        let body: Vec<u8> = [1.0f64, 2.0, 3.0, 4.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        let rows = file("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }", &body);
        assert_eq!(columns(&rows, Some(&names), "a.npy").unwrap().select(&[0, 1]), [1.0, 2.0, 3.0, 4.0]);
        let by_column = file("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }", &body);
        assert_eq!(columns(&by_column, Some(&names), "a.npy").unwrap().select(&[0, 1]), [1.0, 3.0, 2.0, 4.0]);
        let body = [&1.5f32.to_be_bytes()[..], &7i64.to_le_bytes()[..]].concat();
        let records = file("{'descr': [('x', '>f4'), ('u', '<i8')], 'fortran_order': False, 'shape': (1,), }", &body);
        let read = columns(&records, None, "a.npy").unwrap();
        assert_eq!((read.names.as_slice(), read.select(&[0, 1])), (&names[..], vec![1.5, 7.0]));
    }

    #[test]
    fn others_are_refused_by_name() {
        let message = |bytes: &[u8]| columns(bytes, Some(&["x".to_owned()]), "a.npy").unwrap_err().to_string();
        assert_eq!(message(b"x,u\n1,2\n"), "`a.npy` is no NumPy array: it does not begin as one");
        assert_eq!(
            message(&file("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", &[0; 8])),
            "`a.npy` is no NumPy array: 2 rows of 8 bytes are not the 8 bytes it has"
        );
        assert_eq!(
            message(&file("{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }", &[0; 16])),
            "`a.npy` is no NumPy array: its numbers are neither floats nor integers of 4 or 8 bytes"
        );
    }
}
