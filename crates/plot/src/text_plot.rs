//! Curves as lines of text for a terminal: Braille dots, numbers at the axes, a legend. A pure function of data and size.

use crate::axis::Scale;
use crate::braille::{DOTS, Sheet};
use crate::numbers::scientific;

/// Room for a number at the left, and between it and the curves.
const NUMBER: usize = 9;
/// The least characters across and down that hold a curve.
const LEAST: (usize, usize) = (NUMBER + 12, 5);
/// Colours of the series, as terminals number them; after the last the first comes again.
const COLOURS: [u8; 6] = [36, 33, 32, 35, 34, 31];

/// Curves over one coordinate.
///
/// ```
/// use ropinn_plot::TextPlot;
/// let plot = TextPlot { x_label: "step", series: vec![("loss".to_owned(), vec![(0.0, 1.0), (10.0, 0.01)])], log_y: true, colours: false };
/// let lines = plot.lines(40, 8);
/// assert_eq!(lines.len(), 8);
/// assert!(lines[0].starts_with("  1.00e0 ") && lines[7].contains("loss"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TextPlot<'a> {
    /// What is along the horizontal axis.
    pub x_label: &'a str,
    /// Names and points, in the order of x.
    pub series: Vec<(String, Vec<(f64, f64)>)>,
    /// Logarithmic heights; what is not positive is left out.
    pub log_y: bool,
    /// Whether the terminal has colours; without, curves look alike.
    pub colours: bool,
}

impl TextPlot<'_> {
    /// So many lines of at most so many characters, colours aside. Too little room says so instead.
    pub fn lines(&self, columns: usize, rows: usize) -> Vec<String> {
        let fitted = |mut lines: Vec<String>| {
            lines.truncate(rows);
            lines
        };
        if columns < LEAST.0 || rows < LEAST.1 {
            return fitted(vec!["too small".chars().take(columns).collect()]);
        }
        let points = || self.series.iter().flat_map(|(_, points)| points.iter().copied());
        let y = Scale::between(None, None, points().map(|(_, y)| y), self.log_y);
        let x = Scale::around(points().map(|(x, _)| x), false);
        let (Some(x), Some(y)) = (x, y) else { return fitted(vec!["nothing to draw yet".to_owned()]) };
        // Below the curves: the axis with its numbers, and the legend.
        let (across, down) = (columns - NUMBER, rows - 2);
        let mut sheet = Sheet::new(across, down);
        let end = ((across * DOTS.0 - 1) as f64, (down * DOTS.1 - 1) as f64);
        for (k, (_, points)) in self.series.iter().enumerate() {
            let place = |(px, py): &(f64, f64)| {
                let (right, up) = (x.fraction(*px)?, y.fraction(*py)?);
                Some(((right * end.0).round() as i64, ((1.0 - up) * end.1).round() as i64))
            };
            let mut before = None;
            for at in points.iter().map(place) {
                if let Some(at) = at {
                    sheet.line(before.unwrap_or(at), at, k);
                }
                before = at;
            }
        }
        let mut lines: Vec<String> = (0..down).map(|row| self.number(row, down, y) + &self.row(&sheet, row)).collect();
        lines.push(self.axis(columns, x));
        lines.push(self.legend(columns));
        lines
    }

    /// The value at a row's height, at the ends and in the middle.
    fn number(&self, row: usize, rows: usize, y: Scale) -> String {
        let share = 1.0 - row as f64 / (rows - 1) as f64;
        let is_told = row == 0 || row == rows - 1 || row == (rows - 1) / 2;
        let text = if is_told { scientific(y.value(share), 3) } else { String::new() };
        format!("{text:>width$} ", width = NUMBER - 1)
    }

    fn row(&self, sheet: &Sheet, row: usize) -> String {
        let (mut text, mut current) = (String::new(), None);
        for (sign, series) in sheet.row(row) {
            if self.colours && series != current {
                text += &series.map_or_else(|| "\x1b[0m".to_owned(), colour);
                current = series;
            }
            text.push(sign);
        }
        if current.is_some() { text + "\x1b[0m" } else { text.trim_end().to_owned() }
    }

    fn axis(&self, columns: usize, x: Scale) -> String {
        let (low, high) = (short(x.low), short(x.high));
        let room = (columns - NUMBER).saturating_sub(low.chars().count() + high.chars().count());
        let label: String = self.x_label.chars().take(room.saturating_sub(2)).collect();
        let left = room.saturating_sub(label.chars().count()) / 2;
        let right = room - left - label.chars().count();
        format!("{}{low}{}{label}{}{high}", " ".repeat(NUMBER), " ".repeat(left), " ".repeat(right))
    }

    fn legend(&self, columns: usize) -> String {
        let (mut text, mut used) = (" ".repeat(NUMBER), NUMBER);
        for (k, (name, points)) in self.series.iter().enumerate() {
            let last = points.last().map_or_else(String::new, |(_, value)| format!(" {}", scientific(*value, 3)));
            let entry = format!("━ {name}{last}  ");
            let width = entry.chars().count();
            if used + width > columns + 2 {
                break;
            }
            used += width;
            text += &if self.colours { format!("{}{entry}\x1b[0m", colour(k)) } else { entry };
        }
        text.trim_end().to_owned()
    }
}

fn colour(series: usize) -> String {
    format!("\x1b[{}m", COLOURS[series % COLOURS.len()])
}

/// A number at the end of an axis: whole ones as they are.
fn short(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e9 { format!("{value}") } else { format!("{value:.3}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn falling(log_y: bool, colours: bool) -> TextPlot<'static> {
        let falling = (0..=20).map(|k| (f64::from(k), 10_f64.powf(-f64::from(k) / 10.0))).collect();
        let flat = vec![(0.0, 0.1), (20.0, 0.1)];
        TextPlot {
            x_label: "step",
            series: vec![("loss".to_owned(), falling), ("rMSE".to_owned(), flat)],
            log_y,
            colours,
        }
    }

    fn plain(line: &str) -> String {
        let mut parts = line.split('\x1b');
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, rest)| rest))
    }

    #[test]
    fn a_power_law_is_a_straight_line_on_a_logarithmic_axis() {
        let lines = falling(true, false).lines(31, 7);
        let below = ["         0       step        20", "         ━ loss 1.00e-2"];
        assert_eq!(lines[5..], below, "\n{}", lines.join("\n"));
        assert!(
            lines[0].starts_with("  1.00e0 ") && lines[2].starts_with(" 1.00e-1 ") && lines[4].starts_with(" 1.00e-2 ")
        );
        // Down to the right: the first sign of each row lies right of that of the row above, but for the flat curve.
        let first = |row: usize| lines[row][NUMBER..].chars().position(|sign| sign != ' ').expect("dots");
        assert!(first(0) < first(1) && first(1) < first(3) && first(3) < first(4), "\n{}", lines.join("\n"));
        assert!(lines[2].chars().skip(NUMBER).all(|sign| sign != ' '));
    }

    #[test]
    fn every_size_is_kept_and_colours_change_nothing_else() {
        for (columns, rows) in
            (0..90).step_by(7).flat_map(|columns| (0..40).step_by(3).map(move |rows| (columns, rows)))
        {
            for log_y in [true, false] {
                let lines = falling(log_y, false).lines(columns, rows);
                assert!(
                    lines.len() <= rows && lines.iter().all(|line| line.chars().count() <= columns),
                    "{columns} × {rows}: {lines:?}"
                );
                let coloured = falling(log_y, true).lines(columns, rows);
                let bare: Vec<String> = coloured.iter().map(|line| plain(line).trim_end().to_owned()).collect();
                assert_eq!(bare, lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn gaps_and_nothing_at_all_are_no_trouble() {
        let series = vec![("a".to_owned(), vec![(0.0, f64::NAN), (1.0, -1.0), (2.0, 0.0)])];
        let plot = TextPlot { x_label: "step", series, log_y: true, colours: false };
        assert_eq!(plot.lines(60, 10), ["nothing to draw yet"]);
        assert_eq!(TextPlot { log_y: false, ..plot }.lines(60, 10).len(), 10);
        let none = TextPlot { x_label: "step", series: Vec::new(), log_y: false, colours: false };
        assert_eq!(none.lines(60, 10), ["nothing to draw yet"]);
        let one = TextPlot { series: vec![("a".to_owned(), vec![(3.0, 5.0)])], ..none };
        assert_eq!(one.lines(60, 10).len(), 10);
    }
}
