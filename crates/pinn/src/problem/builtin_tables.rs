//! Reference solutions that come with the library as tables, for flows that take minutes to compute.

/// Names and files; the first line of each says what made it.
const TABLES: [(&str, &str); 2] = [
    ("cavity-re100", include_str!("../../problems/cavity-re100.csv")),
    ("cavity-re400", include_str!("../../problems/cavity-re400.csv")),
];

/// The table of that name.
pub(super) fn table(name: &str) -> Option<&'static str> {
    TABLES.iter().find(|(own, _)| *own == name).map(|(_, text)| *text)
}

/// Their names.
pub(super) fn names() -> Vec<&'static str> {
    TABLES.iter().map(|(name, _)| *name).collect()
}
