//! The numbers printed in the paper (Wu et al. 2024), beside which ours are shown.

use super::experiment::Experiment;
use std::sync::LazyLock;

/// All of them: `experiment, problem, model, method, metric, value, note`.
const TABLE: &str = include_str!("published.csv");

static NUMBERS: LazyLock<Vec<Number>> = LazyLock::new(|| {
    let mut reader = csv::Reader::from_reader(TABLE.as_bytes());
    let number = |record: csv::StringRecord| {
        let cell = |k: usize| record.get(k).unwrap_or_default().to_owned();
        Number { key: [cell(0), cell(1), cell(2), cell(3), cell(4)], value: cell(5), note: cell(6) }
    };
    reader.records().map(|record| number(record.expect("the table of published numbers is well-formed"))).collect()
});

struct Number {
    key: [String; 5],
    value: String,
    note: String,
}

/// A published number.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// The number; `None` where the paper prints a word, such as OOM.
    pub value: Option<f64>,
    /// As printed.
    pub text: &'static str,
    /// What is odd about it; empty for nothing.
    pub note: &'static str,
}

/// Looks a number up: in the experiment's own table, or in the main table, which repeats and is repeated by the others.
pub fn find(experiment: Experiment, problem: &str, model: &str, method: &str, metric: &str) -> Option<Published> {
    let from = |table: &str| {
        let key = [table, problem, model, method, metric];
        NUMBERS.iter().find(|number| number.key.iter().zip(key).all(|(own, wanted)| own == wanted))
    };
    let number = from(experiment.id()).or_else(|| from("main"))?;
    Some(Published { value: number.value.parse().ok(), text: &number.value, note: &number.note })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_where_they_are_printed() {
        let rmse = |experiment, problem, model, method| find(experiment, problem, model, method, "rmse")?.value;
        assert_eq!(rmse(Experiment::Main, "reaction", "pinn", "region"), Some(0.095));
        assert_eq!(rmse(Experiment::Main, "convection", "pinnsformer", "point"), Some(0.027));
        assert_eq!(rmse(Experiment::Ablation, "wave", "fls", "region-fixed"), Some(0.023));
        assert_eq!(rmse(Experiment::Ablation, "wave", "fls", "point"), Some(0.119));
        assert_eq!(rmse(Experiment::Quadrature, "reaction", "pinn", "region-gauss4"), Some(0.059));
        assert_eq!(rmse(Experiment::Combine, "wave", "pinn", "region-ntk"), Some(0.023));
        assert_eq!(rmse(Experiment::T0, "reaction", "pinn", "region-t20"), None);
        let missing = find(Experiment::Main, "wave", "pinnsformer", "gradient", "rmse").expect("a word");
        assert_eq!((missing.value, missing.text), (None, "OOM"));
        assert_eq!(NUMBERS.len(), 302);
    }

    #[test]
    fn every_row_of_the_printed_tables_has_its_number() {
        use super::super::cell::Depths;
        use super::super::experiment::Wanted;
        use super::super::scale::Scale;
        let wanted = Wanted { scale: Scale::Paper, depths: Depths::Equal, seeds: None };
        for experiment in [
            Experiment::Main,
            Experiment::Std,
            Experiment::Combine,
            Experiment::Ablation,
            Experiment::Landscape,
            Experiment::Showcase,
        ] {
            for row in experiment.rows(&wanted) {
                let (problem, model) = (row.problem().name(), row.model().name());
                assert!(find(experiment, problem, model, &row.published, "rmse").is_some(), "{experiment:?} {row:?}");
            }
        }
    }
}
