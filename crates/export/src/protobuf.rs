//! The wire format of protocol buffers, as far as ONNX and TensorBoard need it: fields of a message one after another, each a number and a
//! kind, then a varint, four or eight bytes, or a length and bytes (protobuf.dev/programming-guides/encoding).

const VARINT: u64 = 0;
const EIGHT_BYTES: u64 = 1;
const BYTES: u64 = 2;
const FOUR_BYTES: u64 = 5;

/// A message under construction. Fields are written in the order they are added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn key(&mut self, field: u64, kind: u64) {
        self.varint(field << 3 | kind);
    }

    /// A whole number; negative ones take ten bytes.
    pub fn int(mut self, field: u64, value: i64) -> Self {
        self.key(field, VARINT);
        self.varint(value as u64);
        self
    }

    pub fn float(mut self, field: u64, value: f32) -> Self {
        self.key(field, FOUR_BYTES);
        self.0.extend(value.to_le_bytes());
        self
    }

    pub fn double(mut self, field: u64, value: f64) -> Self {
        self.key(field, EIGHT_BYTES);
        self.0.extend(value.to_le_bytes());
        self
    }

    pub fn bytes(mut self, field: u64, value: &[u8]) -> Self {
        self.key(field, BYTES);
        self.varint(value.len() as u64);
        self.0.extend(value);
        self
    }

    pub fn text(self, field: u64, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    pub fn message(self, field: u64, value: &Self) -> Self {
        self.bytes(field, &value.0)
    }

    /// One field for each.
    pub fn messages<'a>(self, field: u64, values: impl IntoIterator<Item = &'a Self>) -> Self {
        values.into_iter().fold(self, |message, value| message.message(field, value))
    }

    pub fn texts<'a>(self, field: u64, values: impl IntoIterator<Item = &'a str>) -> Self {
        values.into_iter().fold(self, |message, value| message.text(field, value))
    }

    pub fn ints(self, field: u64, values: impl IntoIterator<Item = i64>) -> Self {
        values.into_iter().fold(self, |message, value| message.int(field, value))
    }

    /// The bytes so far.
    pub fn encoded(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_encoded_as_the_guide_has_them() {
        assert_eq!(Message::default().int(1, 150).encoded(), [0x08, 0x96, 0x01]);
        assert_eq!(Message::default().text(2, "testing").encoded(), b"\x12\x07testing");
        assert_eq!(Message::default().message(3, &Message::default().int(1, 150)).encoded(), [0x1a, 3, 8, 0x96, 1]);
        assert_eq!(Message::default().int(1, -1).encoded(), [8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
        assert_eq!(Message::default().float(2, 1.0).encoded(), [0x15, 0, 0, 0x80, 0x3f]);
        assert_eq!(Message::default().double(1, -2.0).encoded(), [9, 0, 0, 0, 0, 0, 0, 0, 0xc0]);
        assert_eq!(Message::default().int(20, 0).encoded(), [0xa0, 1, 0]);
    }
}
