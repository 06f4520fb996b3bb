//! The gallery as tables: one for people, one line for each run for programs.

use super::standing::{Attempt, Standing, Verdict};
use crate::error::StudyError;
use ropinn_plot::{Column, Table, sig};
use ropinn_runs::statistics::Statistics;

/// What is not there, or not asked for.
const NOTHING: &str = "–";

/// Where the table is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// A terminal: short headings, so that the table stays one in 80 columns.
    Terminal,
    /// A page, with the problems' own sections below.
    Page,
}

impl Medium {
    fn head(self) -> [&'static str; 7] {
        match self {
            Self::Terminal => ["rMSE ≤", "s ≤", "rMSE", "worst", "s", "worst s", "reached"],
            Self::Page => ["wanted rMSE", "wanted s", "median rMSE", "worst rMSE", "median s", "worst s", "reached"],
        }
    }

    fn problem(self, name: &str) -> String {
        match self {
            Self::Terminal => name.to_owned(),
            Self::Page => format!("[{name}](#{name})"),
        }
    }

    fn mark(self, verdict: Verdict) -> &'static str {
        match (verdict, self) {
            (Verdict::Yes, _) => "yes",
            (Verdict::Miss, Self::Terminal) => "miss",
            (Verdict::Miss, Self::Page) => "**miss**",
            (Verdict::Open, _) => "open",
            (Verdict::NoTarget, _) => NOTHING,
        }
    }
}

/// A line for each problem.
pub fn standings(problems: &[Standing], medium: Medium) -> Result<Table, StudyError> {
    let numbers = medium.head().map(Column::right);
    let mut table = Table::new([Column::left("problem")].into_iter().chain(numbers).chain([Column::left("mark")]));
    for standing in problems {
        table.push(row(standing, medium))?;
    }
    Ok(table)
}

fn row(standing: &Standing, medium: Medium) -> [String; 9] {
    let or_nothing = |text: Option<String>| text.unwrap_or_else(|| NOTHING.to_owned());
    let error = |pick: fn(&Statistics) -> f64| or_nothing(standing.rmse.map(|rmse| sig(pick(&rmse), 3)));
    let time = |pick: fn(&Statistics) -> f64| or_nothing(standing.seconds.map(|all| format!("{:.1}", pick(&all))));
    [
        medium.problem(standing.problem),
        or_nothing(standing.wanted.map(|wanted| format!("{:e}", wanted.rmse))),
        or_nothing(standing.wanted.map(|wanted| wanted.seconds.to_string())),
        error(|all| all.median),
        error(|all| all.worst),
        time(|all| all.median),
        time(|all| all.worst),
        or_nothing(standing.reached.map(|count| format!("{count} of {}", standing.seeds))),
        medium.mark(standing.verdict).to_owned(),
    ]
}

/// A line for each run, unrounded.
pub fn runs(problems: &[Standing]) -> Result<Table, StudyError> {
    let numbers = ["seed", "wanted_rmse", "wanted_seconds", "rmse", "rmae", "seconds", "iterations", "evaluations"];
    let more = ["threads", "reached", "stop_reason"].map(Column::left);
    let mut table = Table::new([Column::left("problem")].into_iter().chain(numbers.map(Column::right)).chain(more));
    for (standing, attempt) in problems.iter().flat_map(|s| s.runs.iter().map(move |attempt| (s, attempt))) {
        table.push(run(standing, attempt))?;
    }
    Ok(table)
}

fn run(standing: &Standing, Attempt { run, threads, reached }: &Attempt) -> [String; 12] {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    [
        standing.problem.to_owned(),
        run.seed.to_string(),
        number(standing.wanted.map(|wanted| wanted.rmse)),
        number(standing.wanted.map(|wanted| wanted.seconds)),
        number(run.rmse),
        number(run.rmae),
        run.seconds.to_string(),
        run.iterations.to_string(),
        run.evaluations.to_string(),
        threads.to_string(),
        reached.map_or_else(String::new, |reached| reached.to_string()),
        run.stop_reason.clone(),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::entries::Entry;
    use super::super::standing::tests::attempts;
    use super::*;

    fn problems() -> Vec<Standing> {
        let of =
            |entry: Entry, runs: &[(Option<f64>, f64)]| Standing::new(&entry, &[0, 1], attempts(entry.wanted, runs));
        let good = [(Some(1.5e-6), 12.0), (Some(1e-6), 14.06)];
        vec![
            of(Entry::wanted("reaction", 2e-6, 30.0), &good),
            of(Entry::wanted("poisson-l-shape", 5e-3, 120.0), &[(Some(0.0123), 600.0), (None, 1.0)]),
            of(Entry::wanted("kdv", 1e-4, 120.0), &good[..1]),
            of(Entry::wanted("wave", 2e-5, 30.0), &[]),
            of(Entry::shown("elasticity"), &good),
        ]
    }

    #[test]
    fn a_terminal_shows_one_table() -> Result<(), StudyError> {
        assert_eq!(
            standings(&problems(), Medium::Terminal)?.to_text(),
            "\
problem          rMSE ≤  s ≤     rMSE    worst      s  worst s  reached  mark
───────────────  ──────  ───  ───────  ───────  ─────  ───────  ───────  ────
reaction           2e-6   30  1.25e-6  1.50e-6   13.0     14.1   2 of 2  yes
poisson-l-shape    5e-3  120      inf      inf  300.5    600.0   0 of 2  miss
kdv                1e-4  120  1.50e-6  1.50e-6   12.0     12.0   1 of 2  open
wave               2e-5   30        –        –      –        –   0 of 2  open
elasticity            –    –  1.25e-6  1.50e-6   13.0     14.1        –  –
"
        );
        Ok(())
    }

    #[test]
    fn a_page_marks_misses_and_leads_to_the_sections() -> Result<(), StudyError> {
        let text = standings(&problems(), Medium::Page)?.to_markdown();
        let cells = |line: usize| {
            let line = text.lines().nth(line).expect("a line");
            line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>().join(",")
        };
        assert_eq!(cells(0), "problem,wanted rMSE,wanted s,median rMSE,worst rMSE,median s,worst s,reached,mark");
        assert_eq!(cells(2), "[reaction](#reaction),2e-6,30,1.25e-6,1.50e-6,13.0,14.1,2 of 2,yes");
        assert_eq!(cells(3), "[poisson-l-shape](#poisson-l-shape),5e-3,120,inf,inf,300.5,600.0,0 of 2,**miss**");
        assert_eq!(cells(6), "[elasticity](#elasticity),–,–,1.25e-6,1.50e-6,13.0,14.1,–,–");
        Ok(())
    }

    #[test]
    fn every_run_has_its_line() -> Result<(), StudyError> {
        let csv = runs(&problems())?.to_csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 1 + 2 + 2 + 1 + 2, "{csv}");
        assert_eq!(lines[2], "reaction,1,0.000002,30,0.000001,0.000001,14.06,7,8,2,true,all 7 iterations done");
        assert_eq!(lines[4], "poisson-l-shape,1,0.005,120,,,1,7,8,2,false,all 7 iterations done");
        assert_eq!(lines[6], "elasticity,0,,,0.0000015,0.0000015,12,7,8,2,,all 7 iterations done");
        Ok(())
    }
}
