//! The parts of the loss, each with a weight of its own, and the terms they are shown as.
//!
//! Every equation of a system is a part, so that it can be weighed and shown by itself; what is shown of a term is the sum of
//! its parts. The weight of a part is that of its term times that of its equation.

use crate::config::ConfigError;
use crate::problem::{Term, TermGroup};
use ropinn_expr::nearest;
use std::collections::BTreeMap;

/// All parts of the loss, in order; those of the equations come first.
#[derive(Default)]
pub(crate) struct Parts {
    /// `residual`, or `residual mass` for the equation `mass` of several.
    pub names: Vec<String>,
    pub groups: Vec<TermGroup>,
    /// The term each part belongs to.
    term: Vec<usize>,
    /// The equation it comes from.
    equation: Vec<Option<usize>>,
    terms: Vec<ShownTerm>,
    equations: Vec<(String, f64)>,
    /// Whether the equations' parts are single equations.
    pub are_split: bool,
}

struct ShownTerm {
    name: String,
    weight: f64,
    /// Whether it is one of the problem's own.
    own: bool,
}

impl Parts {
    /// Nothing yet, but the equations of these terms with their weights, which the configuration may replace.
    pub fn of_equations(terms: &[Term], configured: &BTreeMap<String, f64>) -> Self {
        let weighed = |(label, weight): (&String, &f64)| {
            let is_term = terms.iter().any(|term| term.name == *label);
            (label.clone(), configured.get(label).filter(|_| !is_term).copied().unwrap_or(*weight))
        };
        let equations = terms.iter().filter(|term| is_equations(term));
        let equations = equations.flat_map(|term| term.labels.iter().zip(&term.label_weights)).map(weighed);
        Self { equations: equations.collect(), ..Self::default() }
    }

    /// What a term stands for.
    pub fn group_of(&self, term: usize) -> Option<TermGroup> {
        self.term.iter().position(|own| *own == term).map(|part| self.groups[part])
    }

    /// Weights of the equations.
    pub fn equation_weights(&self) -> Vec<f64> {
        self.equations.iter().map(|(_, weight)| *weight).collect()
    }

    /// Adds a term that is a single part.
    pub fn add(&mut self, name: String, group: TermGroup, weight: f64) {
        self.push(name.clone(), group, None);
        self.terms.push(ShownTerm { name, weight, own: true });
    }

    /// Adds a term with one part per equation: the equations themselves, or something made of them.
    pub fn add_equations(&mut self, name: String, weight: f64, own: bool) {
        for equation in 0..self.equations.len() {
            let part = match &self.equations[..] {
                [_] => name.clone(),
                several => format!("{name} {}", several[equation].0),
            };
            self.push(part, TermGroup::Residual, Some(equation));
        }
        self.are_split = self.equations.len() > 1;
        self.terms.push(ShownTerm { name, weight, own });
    }

    fn push(&mut self, name: String, group: TermGroup, equation: Option<usize>) {
        self.names.push(name);
        self.groups.push(group);
        self.term.push(self.terms.len());
        self.equation.push(equation);
    }

    /// The weight of each part, with those the configuration gives by the name of a term or an equation.
    pub fn weights(&self, configured: &BTreeMap<String, f64>) -> Result<Vec<f64>, ConfigError> {
        let mut of_terms: Vec<f64> = self.terms.iter().map(|term| term.weight).collect();
        for (name, &weight) in configured {
            let term = self.terms.iter().position(|term| term.name == *name);
            match term {
                Some(term) => of_terms[term] = weight,
                None if self.has_equation(name) => {}
                None => return Err(self.unknown_weight(name, self.term_names())),
            }
        }
        let of_equation = |equation: &Option<usize>| equation.map_or(1.0, |equation| self.equations[equation].1);
        Ok(self
            .term
            .iter()
            .zip(&self.equation)
            .map(|(&term, equation)| of_terms[term] * of_equation(equation))
            .collect())
    }

    /// 1 for the parts of the problem's own terms, 0 for what the objective adds.
    pub fn unit_weights(&self) -> Vec<f64> {
        self.term.iter().map(|&term| f64::from(u8::from(self.terms[term].own))).collect()
    }

    /// Names of the terms as they are shown.
    pub fn term_names(&self) -> Vec<String> {
        self.terms.iter().map(|term| term.name.clone()).collect()
    }

    /// Names of the equations, if there are several and each is a part.
    pub fn equation_names(&self) -> Vec<String> {
        let names = self.equations.iter().map(|(label, _)| label.clone());
        names.filter(|_| self.are_split).collect()
    }

    /// The sums over the parts of each term.
    pub fn by_term(&self, parts: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.terms.len()];
        self.term.iter().zip(parts).for_each(|(&term, part)| sums[term] += part);
        sums
    }

    /// The terms of the problem itself, with their names.
    pub fn own_terms(&self, parts: &[f64]) -> Vec<(String, f64)> {
        let sums = self.terms.iter().zip(self.by_term(parts));
        sums.filter(|(term, _)| term.own).map(|(term, sum)| (term.name.clone(), sum)).collect()
    }

    /// Those of single equations; none if there is only one.
    pub fn by_equation<'a>(&self, parts: &'a [f64]) -> &'a [f64] {
        if self.are_split { &parts[..self.equations.len()] } else { &[] }
    }
    /// Whether an equation has that name.
    pub fn has_equation(&self, name: &str) -> bool {
        self.equations.iter().any(|(label, _)| label == name)
    }

    /// What is said of a weight for nothing among these terms and the equations.
    pub fn unknown_weight(&self, name: &str, known: Vec<String>) -> ConfigError {
        let all = known.iter().chain(self.equations.iter().map(|(label, _)| label)).map(String::as_str);
        let nearest = nearest(name, all).map(str::to_owned);
        ConfigError::UnknownTerm { term: name.to_owned(), known, nearest }
    }
}

/// Whether the expressions of a term are the equations, each with its name.
pub(super) fn is_equations(term: &Term) -> bool {
    term.group == TermGroup::Residual && term.labels.len() == term.residuals.len()
}
