//! A page of Markdown: its sections, their tables and their blocks of code.

use std::path::{Path, PathBuf};

/// A page and where it is.
pub struct Page {
    pub path: PathBuf,
    pub sections: Vec<Section>,
}

/// What stands below a heading, up to the next one of any level.
#[derive(Default)]
pub struct Section {
    pub title: String,
    pub tables: Vec<Table>,
    pub blocks: Vec<Block>,
}

/// Cells row by row, without the rule below the header.
pub struct Table {
    pub header: String,
    pub rows: Vec<Vec<String>>,
}

/// A block of code; what stands in quotes at the end of the line before it is the file it is.
pub struct Block {
    pub language: String,
    pub file: Option<String>,
    pub text: String,
}

impl Page {
    /// Reads a page of the repository.
    pub fn read(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut sections = vec![Section::default()];
        let mut lines = text.lines();
        let (mut before, mut in_table) = ("", false);
        while let Some(line) = lines.next() {
            let section = sections.last_mut().expect("there is one");
            if let Some(language) = line.strip_prefix("```") {
                let text: String =
                    lines.by_ref().take_while(|line| *line != "```").map(|l| l.to_owned() + "\n").collect();
                let file = before.strip_suffix("`:").and_then(|before| before.rsplit('`').next()).map(str::to_owned);
                section.blocks.push(Block { language: language.to_owned(), file, text });
            } else if line.starts_with('#') {
                let title = line.trim_start_matches('#').trim().to_owned();
                sections.push(Section { title, ..Section::default() });
            } else if line.starts_with('|') {
                let cells: Vec<String> = line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
                match section.tables.last_mut().filter(|_| in_table) {
                    Some(_) if cells[0].starts_with("--") => {}
                    Some(table) => table.rows.push(cells),
                    None => section.tables.push(Table { header: cells[0].clone(), rows: Vec::new() }),
                }
            }
            in_table = line.starts_with('|');
            if !line.is_empty() {
                before = line;
            }
        }
        Page { path, sections }
    }

    /// The section under a heading.
    pub fn section(&self, title: &str) -> &Section {
        let found = self.sections.iter().find(|section| section.title.eq_ignore_ascii_case(title));
        found.unwrap_or_else(|| panic!("{} has no section `{title}`", self.path.display()))
    }

    /// All blocks of one language.
    pub fn blocks<'a>(&'a self, language: &'a str) -> impl Iterator<Item = &'a Block> {
        self.sections.iter().flat_map(|section| &section.blocks).filter(move |block| block.language == language)
    }

    /// Writes the files the page shows.
    pub fn write_files(&self, folder: &Path) {
        for block in self.sections.iter().flat_map(|section| &section.blocks) {
            if let Some(file) = &block.file {
                std::fs::write(folder.join(file), &block.text).expect("writable");
            }
        }
    }
}

impl Section {
    /// The tables whose first column has this heading.
    pub fn tables(&self, header: &str) -> Vec<&Table> {
        self.tables.iter().filter(|table| table.header == header).collect()
    }

    /// Whether an example of this section has a word.
    pub fn shows(&self, word: &str) -> bool {
        self.blocks.iter().filter(|block| block.language == "toml").any(|block| block.has(word))
    }
}

impl Block {
    fn has(&self, word: &str) -> bool {
        let part = |c: char| c.is_alphanumeric() || "_-".contains(c);
        self.text.split(|c| !part(c)).any(|found| found == word)
    }
}

impl Table {
    /// The names in the first column.
    pub fn names(&self) -> Vec<&str> {
        self.rows.iter().map(|row| code(&row[0])).collect()
    }
}

/// What stands between the quotes of a cell.
pub fn code(cell: &str) -> &str {
    cell.split('`').nth(1).unwrap_or_else(|| panic!("`{cell}` has no code"))
}
