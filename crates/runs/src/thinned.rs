//! A course of any length as a few hundred groups of rows, with the least and the largest value of each column, so that no spike
//! is lost. With more than the most groups two neighbours become one, and from then on a group takes twice as many rows.

use serde::Serialize;

/// Rows as they come, thinned.
#[derive(Clone, Debug)]
pub struct Thinned {
    most: usize,
    /// Rows of a full group.
    stride: u64,
    groups: Vec<Group>,
    /// All rows there were.
    rows: u64,
    last: Vec<f64>,
}

/// Some rows after each other.
#[derive(Clone, Debug)]
struct Group {
    rows: u64,
    low: Vec<f64>,
    high: Vec<f64>,
}

/// What pages draw; null is what was not measured, or is no number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Course {
    /// All rows there are.
    pub rows: u64,
    /// `[column][point]`: two points, the lower one first, for each group of several rows.
    pub values: Vec<Vec<Option<f64>>>,
    /// The last row.
    pub last: Vec<Option<f64>>,
}

impl Thinned {
    /// No rows yet, and no more than so many groups ever.
    pub fn new(most: usize) -> Self {
        Self { most, stride: 1, groups: Vec::new(), rows: 0, last: Vec::new() }
    }

    /// Takes the next row; all have the same length.
    pub fn push(&mut self, row: Vec<f64>) {
        self.rows += 1;
        let one = Group { rows: 1, low: row.clone(), high: row.clone() };
        match self.groups.last_mut() {
            Some(group) if group.rows < self.stride => group.take(&one),
            _ => self.groups.push(one),
        }
        self.last = row;
        if self.groups.len() > self.most {
            self.stride *= 2;
            let joined = self.groups.chunks(2).map(|pair| {
                let mut own = pair[0].clone();
                pair[1..].iter().for_each(|next| own.take(next));
                own
            });
            self.groups = joined.collect();
        }
    }

    /// What there is so far.
    pub fn course(&self) -> Course {
        let finite = |value: f64| Some(value).filter(|value| value.is_finite()).map(rounded);
        let column = |k: usize| {
            let of = |group: &Group| match group.rows {
                1 => vec![finite(group.low[k])],
                _ => vec![finite(group.low[k]), finite(group.high[k])],
            };
            self.groups.iter().flat_map(of).collect()
        };
        let values = (0..self.last.len()).map(column).collect();
        Course { rows: self.rows, values, last: self.last.iter().copied().map(finite).collect() }
    }
}

/// Nine digits: more than eyes see, and enough for the number of a step.
fn rounded(value: f64) -> f64 {
    format!("{value:.8e}").parse().unwrap_or(value)
}

impl Group {
    /// `f64::min` and `f64::max` pass over what was not measured.
    fn take(&mut self, next: &Self) {
        self.rows += next.rows;
        self.low.iter_mut().zip(&next.low).for_each(|(low, value)| *low = low.min(*value));
        self.high.iter_mut().zip(&next.high).for_each(|(high, value)| *high = high.max(*value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_courses_are_whole_and_long_ones_keep_their_spikes() {
        let mut short = Thinned::new(4);
        (1..=3).for_each(|k| short.push(vec![f64::from(k), f64::NAN]));
        let (steps, nothing) = (vec![Some(1.0), Some(2.0), Some(3.0)], vec![None; 3]);
        let wanted = Course { rows: 3, values: vec![steps, nothing], last: vec![Some(3.0), None] };
        assert_eq!(short.course(), wanted);
        let mut long = Thinned::new(100);
        let value = |k| {
            if k == 77_777 {
                1e9
            } else if k == 500_001 {
                1e-9
            } else {
                1.0
            }
        };
        (1..=1_000_000).for_each(|k| long.push(vec![f64::from(k), value(k)]));
        let course = long.course();
        assert_eq!((course.rows, course.last[0]), (1_000_000, Some(1e6)));
        assert!(course.values[1].len() <= 200, "{}", course.values[1].len());
        assert!([1e9, 1e-9].iter().all(|spike| course.values[1].contains(&Some(*spike))));
        assert!(course.values[0].windows(2).all(|pair| pair[0] < pair[1]), "steps rise");
    }
}
