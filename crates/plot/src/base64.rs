//! Base64 with padding (RFC 4648, section 4), for pictures inside SVG.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends the encoding of `bytes` to `out`.
pub(crate) fn encode_into(bytes: &[u8], out: &mut String) {
    out.reserve(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |k: usize| u32::from(chunk.get(k).copied().unwrap_or(0));
        let group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            let digit = (group >> (18 - 6 * k)) & 63;
            out.push(if k <= chunk.len() { char::from(ALPHABET[digit as usize]) } else { '=' });
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn rfc_4648_test_vectors() {
        for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            let mut out = String::new();
            super::encode_into(plain.as_bytes(), &mut out);
            assert_eq!(out, coded);
        }
    }
}
