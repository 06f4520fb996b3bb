//! Names and where they stand.

/// Something with a name, and the byte of the file where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Named<T> {
    pub name: String,
    pub value: T,
    pub written_at: usize,
}

impl<T> Named<T> {
    pub fn new(name: &str, value: T) -> Self {
        Named { name: name.to_owned(), value, written_at: 0 }
    }
}
