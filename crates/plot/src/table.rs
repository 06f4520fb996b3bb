//! Tables as aligned text, Markdown and CSV.

use crate::error::PlotError;

/// Side on which the cells of a column are flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Short marks.
    Centre,
    /// Numbers.
    Right,
}

/// Name and alignment of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Heading.
    pub name: String,
    /// Alignment of heading and cells.
    pub align: Align,
}

impl Column {
    /// A column of words.
    pub fn left(name: impl Into<String>) -> Self {
        Self { name: name.into(), align: Align::Left }
    }

    /// A column of short marks.
    pub fn centre(name: impl Into<String>) -> Self {
        Self { name: name.into(), align: Align::Centre }
    }

    /// A column of numbers.
    pub fn right(name: impl Into<String>) -> Self {
        Self { name: name.into(), align: Align::Right }
    }
}

/// Rows of text under named columns.
///
/// ```
/// use ropinn_plot::{Column, Table, sig};
///
/// let mut table = Table::new([Column::left("problem"), Column::right("rel. L2")]);
/// table.push(["reaction", &sig(0.0172, 3)])?;
/// table.push(["wave", &sig(0.21, 3)])?;
/// assert_eq!(table.to_text(), "\
/// problem   rel. L2
/// ────────  ───────
/// reaction   0.0172
/// wave        0.210
/// ");
/// # Ok::<(), ropinn_plot::PlotError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// The same table without some of its columns.
    #[must_use]
    pub fn without(&self, names: &[&str]) -> Self {
        let kept: Vec<bool> = self.columns.iter().map(|column| !names.contains(&column.name.as_str())).collect();
        let rows = self.rows.iter().map(|row| only(row, &kept)).collect();
        Self { columns: only(&self.columns, &kept), rows }
    }

    /// Names of the columns.
    pub fn head(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// Cells, row by row.
    pub fn rows(&self) -> impl Iterator<Item = &[String]> {
        self.rows.iter().map(Vec::as_slice)
    }

    /// Adds a row.
    ///
    /// # Errors
    /// A row with more or fewer cells than columns.
    pub fn push<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) -> Result<(), PlotError> {
        let cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        if cells.len() != self.columns.len() {
            return Err(PlotError::Row { row: self.rows.len(), got: cells.len(), expected: self.columns.len() });
        }
        self.rows.push(cells);
        Ok(())
    }

    /// Aligned text for a terminal.
    pub fn to_text(&self) -> String {
        let head: Vec<String> = self.columns.iter().map(|c| one_line(&c.name)).collect();
        let rows: Vec<Vec<String>> = self.rows.iter().map(|row| row.iter().map(|c| one_line(c)).collect()).collect();
        let widths = widths(&head, &rows);
        let rule = widths.iter().map(|&w| "─".repeat(w)).collect::<Vec<_>>().join("  ");
        let mut text = String::new();
        for line in
            [self.text_line(&head, &widths), rule].into_iter().chain(rows.iter().map(|r| self.text_line(r, &widths)))
        {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn text_line(&self, cells: &[String], widths: &[usize]) -> String {
        let padded = cells.iter().zip(widths).zip(&self.columns).map(|((cell, &w), column)| pad(cell, w, column.align));
        padded.collect::<Vec<_>>().join("  ")
    }

    /// A Markdown table, also aligned in its source.
    pub fn to_markdown(&self) -> String {
        let escaped = |text: &str| one_line(text).replace('|', "\\|");
        let head: Vec<String> = self.columns.iter().map(|c| escaped(&c.name)).collect();
        let rows: Vec<Vec<String>> = self.rows.iter().map(|row| row.iter().map(|c| escaped(c)).collect()).collect();
        let widths: Vec<usize> = widths(&head, &rows).into_iter().map(|w| w.max(3)).collect();
        let line = |cells: &[String]| {
            let padded =
                cells.iter().zip(&widths).zip(&self.columns).map(|((cell, &w), column)| pad(cell, w, column.align));
            format!("| {} |\n", padded.collect::<Vec<_>>().join(" | "))
        };
        let rules: Vec<String> =
            self.columns.iter().zip(&widths).map(|(column, &w)| markdown_rule(column.align, w)).collect();
        let mut text = line(&head) + &line(&rules);
        text.extend(rows.iter().map(|row| line(row)));
        text
    }

    /// Comma-separated values with a heading line; cells are quoted where RFC 4180 asks for it.
    pub fn to_csv(&self) -> String {
        let line = |cells: &mut dyn Iterator<Item = &str>| cells.map(csv_cell).collect::<Vec<_>>().join(",") + "\n";
        let mut text = line(&mut self.columns.iter().map(|c| c.name.as_str()));
        text.extend(self.rows.iter().map(|row| line(&mut row.iter().map(String::as_str))));
        text
    }
}

fn only<T: Clone>(items: &[T], kept: &[bool]) -> Vec<T> {
    items.iter().zip(kept).filter(|(_, kept)| **kept).map(|(item, _)| item.clone()).collect()
}

fn one_line(text: &str) -> String {
    text.lines().collect::<Vec<_>>().join(" ")
}

fn csv_cell(cell: &str) -> String {
    let plain = !cell.contains([',', '"', '\n', '\r']) && cell.trim() == cell;
    if plain { cell.to_owned() } else { format!("\"{}\"", cell.replace('"', "\"\"")) }
}

fn markdown_rule(align: Align, width: usize) -> String {
    match align {
        Align::Left => "-".repeat(width),
        Align::Centre => format!(":{}:", "-".repeat(width - 2)),
        Align::Right => format!("{}:", "-".repeat(width - 1)),
    }
}

fn widths(head: &[String], rows: &[Vec<String>]) -> Vec<usize> {
    let widest = |column: usize| rows.iter().map(|row| display_width(&row[column])).max().unwrap_or(0);
    head.iter().enumerate().map(|(k, name)| display_width(name).max(widest(k))).collect()
}

fn pad(cell: &str, width: usize, align: Align) -> String {
    let spare = width.saturating_sub(display_width(cell));
    let before = match align {
        Align::Left => 0,
        Align::Centre => spare / 2,
        Align::Right => spare,
    };
    format!("{}{cell}{}", " ".repeat(before), " ".repeat(spare - before))
}

/// Terminal columns of a text: none for combining marks and zero-width characters, two for East Asian wide ones.
fn display_width(text: &str) -> usize {
    let width = |c: char| match u32::from(c) {
        0x0300..=0x036f | 0x20d0..=0x20ff | 0xfe00..=0xfe0f | 0x200b..=0x200d | 0xfeff => 0,
        0x1100..=0x115f | 0x2e80..=0x303e | 0x3041..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff => 2,
        0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3fffd => 2,
        _ => 1,
    };
    text.chars().map(width).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut table = Table::new([Column::left("model"), Column::centre("ok"), Column::right("|θ|")]);
        table.push(["û, “PINN”", "✓", "527361"]).expect("three cells");
        table.push(["a|b \"q\"", "no", "7"]).expect("three cells");
        table
    }

    #[test]
    fn text_lines_up() {
        assert_eq!(
            sample().to_text(),
            "model      ok     |θ|\n─────────  ──  ──────\nû, “PINN”  ✓   527361\na|b \"q\"    no       7\n"
        );
    }

    #[test]
    fn markdown_escapes_bars() {
        let want = "| model     | ok  |  \\|θ\\| |\n| --------- | :-: | -----: |\n| û, “PINN” |  ✓  | 527361 |\n| a\\|b \"q\"  | no  |      7 |\n";
        assert_eq!(sample().to_markdown(), want);
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        let mut table = sample();
        table.push(["two\nlines", " space", ""]).expect("three cells");
        let want = "model,ok,|θ|\n\"û, “PINN”\",✓,527361\n\"a|b \"\"q\"\"\",no,7\n\"two\nlines\",\" space\",\n";
        assert_eq!(table.to_csv(), want);
    }

    #[test]
    fn columns_can_be_left_out() {
        assert_eq!(
            sample().without(&["ok", "none"]).to_csv(),
            "model,|θ|\n\"û, “PINN”\",527361\n\"a|b \"\"q\"\"\",7\n"
        );
    }

    #[test]
    fn a_short_row_is_refused() {
        let error = sample().push(["only one"]).expect_err("one cell of three");
        assert_eq!(error.to_string(), "row 2 has 1 cells but the table has 3 columns");
    }

    #[test]
    fn widths_follow_the_terminal() {
        assert_eq!((display_width("u\u{302}"), display_width("解"), display_width("σ²")), (1, 2, 2));
    }
}
