//! What a page shows: a line about the run, the curves that are chosen, the keys. A pure function of the run's state, the choice and the size.

use console::Key;
use ropinn_plot::{TextPlot, scientific};
use ropinn_runs::folder::{FinishedRun, Metrics};
use ropinn_runs::follow::Follower;
use std::path::Path;

/// Curves that are looked at together.
struct Group {
    name: &'static str,
    /// Columns of the metrics by name, and what their curves are called.
    columns: &'static [(&'static str, &'static str)],
    /// Beginning of further columns, one for each term, equation, …
    each: Option<&'static str>,
}

const GROUPS: [Group; 6] = [
    Group { name: "loss", columns: &[("trained_loss", "total")], each: Some("term") },
    Group { name: "error", columns: &[("rmse", "rMSE"), ("rmae", "rMAE")], each: Some("rmse") },
    Group { name: "equations", columns: &[], each: Some("equation") },
    Group { name: "trained numbers", columns: &[], each: Some("trained") },
    Group { name: "region", columns: &[("region_size", "R"), ("sigma", "σ")], each: None },
    Group { name: "gradient", columns: &[("grad_norm", "norm")], each: None },
];

/// Curves with their names.
type Named = Vec<(String, Vec<(f64, f64)>)>;

/// A run as far as it has come.
pub struct State<'a> {
    name: String,
    metrics: Option<&'a Metrics>,
    /// Why it ended; none while it trains.
    ended: Option<String>,
}

impl<'a> State<'a> {
    /// What is in the folder of a run.
    pub fn of(run: &Path, follower: &'a Follower) -> Self {
        let ended = FinishedRun::load(run).ok().map(|run| run.result.stop_reason);
        Self { name: run.display().to_string(), metrics: follower.metrics(), ended }
    }

    /// The groups that have curves.
    fn groups(&self, over: &str) -> Vec<(&'static str, Named)> {
        let Some(metrics) = self.metrics else { return Vec::new() };
        let curve = |column: &str| -> Vec<(f64, f64)> {
            let rows = metrics.columns([over, column]).unwrap_or_default().into_iter();
            rows.map(|[x, y]| (x, y)).filter(|(_, y)| !y.is_nan()).collect()
        };
        let of = |group: &Group| {
            let named = group.columns.iter().map(|(column, name)| ((*name).to_owned(), curve(column)));
            let word = group.each.unwrap_or_default();
            let each = metrics.columns_of(word).map(|name| (name.to_owned(), curve(&format!("{word} {name}"))));
            let curves: Vec<_> =
                named.chain(each).filter(|(_, points)| points.iter().any(|(_, y)| *y != 0.0)).collect();
            (group.name, curves)
        };
        GROUPS.iter().map(of).filter(|(_, curves)| !curves.is_empty()).collect()
    }

    /// One line about it.
    fn words(&self) -> String {
        let last = |column: &str| {
            self.metrics?.columns([column])?.iter().rev().map(|[value]| *value).find(|value| !value.is_nan())
        };
        let mut parts = vec![self.name.clone()];
        parts.extend(last("iteration").map(|step| format!("step {step}")));
        parts.extend(last("seconds").map(|seconds| format!("{seconds:.1} s")));
        parts.extend(last("trained_loss").map(|loss| format!("loss {}", scientific(loss, 3))));
        parts.extend(last("rmse").map(|error| format!("rMSE {}", scientific(error, 3))));
        parts.push(self.ended.clone().unwrap_or_else(|| "not ended".to_owned()));
        parts.join(", ")
    }
}

/// What is chosen.
#[derive(Default)]
pub struct View {
    group: usize,
    linear: bool,
    over_seconds: bool,
}

impl View {
    /// Follows a key.
    pub fn press(&mut self, key: &Key) {
        match key {
            Key::Tab | Key::ArrowRight | Key::ArrowDown => self.group += 1,
            // Counted around; the number of groups may change, so it is a multiple of all of them.
            Key::BackTab | Key::ArrowLeft | Key::ArrowUp => self.group += (1..=GROUPS.len()).product::<usize>() - 1,
            Key::Char('l' | 'L') => self.linear = !self.linear,
            Key::Char('x' | 'X') => self.over_seconds = !self.over_seconds,
            _ => {}
        }
    }

    /// So many lines of at most so many characters.
    pub fn page(&self, state: &State<'_>, columns: usize, rows: usize, colours: bool) -> Vec<String> {
        let fitted = |line: String| line.chars().take(columns).collect::<String>();
        let over = if self.over_seconds { "seconds" } else { "iteration" };
        let groups = state.groups(over);
        let mut page = vec![fitted(state.words())];
        match groups.get(self.group % groups.len().max(1)) {
            None => page.push(fitted("nothing to draw before the first step".to_owned())),
            Some((name, series)) => {
                // Numbers that may be negative have no logarithm.
                let log_y = !self.linear && series.iter().flat_map(|(_, points)| points).all(|(_, y)| *y >= 0.0);
                let names =
                    groups.iter().map(|(own, _)| if own == name { format!("[{own}]") } else { (*own).to_owned() });
                page.push(fitted(names.collect::<Vec<_>>().join("  ")));
                let plot = TextPlot { x_label: over, series: series.clone(), log_y, colours };
                page.extend(plot.lines(columns, rows.saturating_sub(3)));
                page.push(fitted("tab: next, l: linear or logarithmic, x: steps or seconds, q: end".to_owned()));
            }
        }
        page.truncate(rows);
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropinn_runs::folder::names;
    use std::fs;

    const METRICS: &str = "iteration,phase,trained_loss,term residual,term sides,sigma,region_size,grad_norm,evaluations,seconds,rmae,rmse\n\
        1,1,1e0,9e-1,1e-1,0,0,5,10,0.5,,\n2,1,1e-1,5e-2,5e-2,0,0,3,20,1.0,2e-1,3e-1\n3,1,1e-2,5e-3,5e-3,0,0,1,30,1.5,,\n";

    fn page(view: &View, columns: usize, rows: usize) -> Vec<String> {
        let here = tempfile::tempdir().expect("a folder");
        fs::write(here.path().join(names::CONFIG), "").expect("written");
        fs::write(here.path().join(names::METRICS), METRICS).expect("written");
        let mut follower = Follower::new(here.path()).expect("a run");
        follower.refresh().expect("readable");
        let mut state = State::of(here.path(), &follower);
        state.name = "run".to_owned();
        view.page(&state, columns, rows, false)
    }

    #[test]
    fn keys_choose_what_is_drawn() {
        let mut view = View::default();
        let first = page(&view, 80, 20);
        assert_eq!(first.len(), 20, "{}", first.join("\n"));
        assert_eq!(first[0], "run, step 3, 1.5 s, loss 1.00e-2, rMSE 3.00e-1, not ended");
        // Regions of no size and unknowns that are alone have no curves.
        assert_eq!(first[1], "[loss]  error  gradient");
        assert!(first[18].contains("━ total 1.00e-2  ━ residual 5.00e-3  ━ sides 5.00e-3"), "{}", first.join("\n"));
        assert!(first[2].starts_with("  1.00e0 ") && first[17].contains("iteration"), "{}", first.join("\n"));
        view.press(&Key::Char('l'));
        view.press(&Key::Char('x'));
        let linear = page(&view, 80, 20);
        assert!(
            linear[17].contains("seconds") && linear[17].trim_start().starts_with("0.500"),
            "{}",
            linear.join("\n")
        );
        assert_ne!(linear[10], first[10]);
        view.press(&Key::Tab);
        assert_eq!(page(&view, 80, 20)[1], "loss  [error]  gradient");
        view.press(&Key::ArrowLeft);
        view.press(&Key::ArrowLeft);
        assert_eq!(page(&view, 80, 20)[1], "loss  error  [gradient]");
    }

    #[test]
    fn every_size_is_kept() {
        for (columns, rows) in [(0, 0), (1, 1), (10, 3), (20, 8), (33, 9), (200, 60)] {
            let page = page(&View::default(), columns, rows);
            assert!(
                page.len() <= rows && page.iter().all(|line| line.chars().count() <= columns),
                "{columns} × {rows}"
            );
        }
    }
}
