//! Weights from elsewhere.

use super::{TINY, here, refused, write};

/// A safetensors file with this header and so many numbers.
fn file(header: &str, numbers: usize) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.bytes());
    bytes.extend(vec![0; 4 * numbers]);
    bytes
}

#[test]
fn forged_weights_are_refused() {
    let (_outside, folder) = here();
    let tensor = r#""a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}"#;
    let twice = file(&format!("{{{tensor},{tensor}}}"), 1);
    let escaped = file(&format!("{{{tensor},{}}}", tensor.replacen('a', "\\u0061", 1)), 1);
    let cases: [(Vec<u8>, &str); 12] = [
        (twice, "it has `a` twice"),
        (escaped, "it has `a` twice"),
        (Vec::new(), ""),
        (vec![0; 7], ""),
        (vec![0xff; 64], "header"),
        (file("{", 0), ""),
        (file("[]", 0), ""),
        (file(&format!("{{{tensor}}}"), 0), ""),
        (file(&format!("{{{tensor}}}"), 9), ""),
        (file(&tensor.replace("F32", "I64"), 2), ""),
        (file(&format!("{{{}}}", tensor.replace("[1]", "[18446744073709551615,2]")), 1), ""),
        (file(&format!("{{{}}}", tensor.replace("[0,4]", "[4,0]")), 1), ""),
    ];
    for (bytes, complaint) in cases {
        write(&folder, "w.safetensors", bytes);
        let points = "--set points.interior=grid:5x5";
        refused(&folder, &format!("solve wave {TINY} {points} --init-from w.safetensors"), complaint);
        refused(&folder, "evaluate wave --model pinn --init-from w.safetensors", complaint);
    }
}
