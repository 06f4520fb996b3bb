//! Tables as aligned text, Markdown and CSV.

use crate::error::PlotError;

/// Columns of a terminal that everybody has.
const WIDEST: usize = 80;
/// Words are not squeezed further than this.
const NARROWEST: usize = 16;
/// Columns of words at the beginning that name a row.
const MOST_NAMES: usize = 2;

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

    /// Aligned text for a terminal, at most 80 columns wide as far as cells allow: words go on in the next line, then columns
    /// move into further tables below, which repeat the first ones.
    pub fn to_text(&self) -> String {
        let head: Vec<String> = self.columns.iter().map(|c| one_line(&c.name)).collect();
        let rows: Vec<Vec<String>> = self.rows.iter().map(|row| row.iter().map(|c| one_line(c)).collect()).collect();
        let mut widths = widths(&head, &rows);
        let is_words = |k: &usize| *k > 0 && self.columns[*k].align == Align::Left;
        while total(&widths) > WIDEST {
            // The widest words give way.
            let longest = (0..widths.len()).filter(is_words).max_by_key(|&k| widths[k]);
            let Some(k) = longest.filter(|&k| widths[k] > NARROWEST.max(longest_word(&head[k], &rows, k))) else {
                break;
            };
            widths[k] -= 1;
        }
        let blocks = self.blocks(&widths);
        let texts = blocks.iter().map(|columns| self.block(&head, &rows, &widths, columns));
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The columns of each table, so that it is as wide as it may be. What names a row stands in all of them.
    fn blocks(&self, widths: &[usize]) -> Vec<Vec<usize>> {
        let words = self.columns.iter().take(MOST_NAMES).take_while(|column| column.align == Align::Left).count();
        let names: Vec<usize> = (0..words.clamp(1, widths.len().max(1)).min(widths.len())).collect();
        let mut blocks = vec![names.clone()];
        for k in names.len()..widths.len() {
            let last = blocks.last_mut().expect("there is a first one");
            let wide = total(&last.iter().chain([&k]).map(|&k| widths[k]).collect::<Vec<_>>());
            if wide > WIDEST && last.len() > names.len() {
                blocks.push(names.clone());
            }
            blocks.last_mut().expect("there is a first one").push(k);
        }
        blocks
    }

    /// Some columns as a table.
    fn block(&self, head: &[String], rows: &[Vec<String>], widths: &[usize], columns: &[usize]) -> String {
        let rule = columns.iter().map(|&k| "─".repeat(widths[k])).collect::<Vec<_>>().join("  ");
        let line = |cells: &[String]| {
            let cells: Vec<Vec<String>> = columns.iter().map(|&k| wrapped(&cells[k], widths[k])).collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(0);
            let part = |i: usize| {
                let padded = columns
                    .iter()
                    .zip(&cells)
                    .map(|(&k, cell)| pad(cell.get(i).map_or("", String::as_str), widths[k], self.columns[k].align));
                padded.collect::<Vec<_>>().join("  ")
            };
            (0..height.max(1)).map(part).collect::<Vec<_>>()
        };
        let lines = line(head).into_iter().chain([rule]).chain(rows.iter().flat_map(|row| line(row)));
        lines.map(|line| line.trim_end().to_owned() + "\n").collect()
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

/// Width of a table with columns of these widths.
fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)
}

fn longest_word(head: &str, rows: &[Vec<String>], column: usize) -> usize {
    let texts = rows.iter().map(|row| row[column].as_str()).chain([head]);
    texts.flat_map(str::split_whitespace).map(display_width).max().unwrap_or(0)
}

/// A text in lines of at most `width` columns, broken between words.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    if display_width(text) <= width {
        return vec![text.to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut().filter(|line| display_width(line) + 1 + display_width(word) <= width) {
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(word.to_owned()),
        }
    }
    lines
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
    fn tables_do_not_wrap_at_80_columns() {
        let mut columns = vec![Column::left("optimiser"), Column::left("objective")];
        columns.extend((0..12).map(|k| Column::right(format!("number {k}"))));
        columns.push(Column::left("stop reason"));
        let mut table = Table::new(columns);
        let reason =
            "the loss fell by less than a tenth of a per cent in the last two hundred iterations, so it stopped";
        let numbers = (0..12).map(|k| format!("{k}.123e-4"));
        table
            .push(["adam".to_owned(), "region".to_owned()].into_iter().chain(numbers).chain([reason.to_owned()]))
            .expect("a row");
        let text = table.to_text();
        assert!(text.lines().all(|line| display_width(line) <= 80), "{text}");
        let words: Vec<&str> = text.split_whitespace().collect();
        (0..12).for_each(|k| assert!(words.contains(&format!("{k}.123e-4").as_str()), "{text}"));
        reason.split(' ').for_each(|word| assert!(words.contains(&word), "{word} is missing in\n{text}"));
        // Every part says whose numbers it shows.
        assert_eq!(text.matches("optimiser").count(), text.matches("adam").count());
        assert!(text.matches("adam").count() > 1, "{text}");
        let mut words = Table::new([Column::left("id"), Column::left("what"), Column::right("s")]);
        words.push(["a", &"many words ".repeat(20), "7"]).expect("a row");
        let text = words.to_text();
        assert!(text.lines().all(|line| display_width(line) <= 80), "{text}");
        assert_eq!((text.matches("many").count(), text.matches("what").count()), (20, 1), "{text}");
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
