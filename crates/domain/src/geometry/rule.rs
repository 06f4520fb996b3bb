//! The Boolean rule that turns membership in each solid into membership in the domain.

/// How two domains combine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// What is in either.
    Union,
    /// What is in the first and not in the second.
    Difference,
    /// What is in both.
    Intersection,
}

/// A tree of operations over numbered members.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Rule {
    Member(usize),
    Combined(Operation, Box<Rule>, Box<Rule>),
}

impl Rule {
    /// The same rule over members numbered from `first` on.
    pub fn shifted(self, first: usize) -> Rule {
        match self {
            Rule::Member(member) => Rule::Member(first + member),
            Rule::Combined(operation, a, b) => {
                Rule::Combined(operation, Box::new(a.shifted(first)), Box::new(b.shifted(first)))
            }
        }
    }

    /// What `join` makes of the members in the order of the operations.
    pub fn fold<T>(&self, of: &impl Fn(usize) -> T, join: &impl Fn(Operation, T, T) -> T) -> T {
        match self {
            Rule::Member(member) => of(*member),
            Rule::Combined(operation, a, b) => join(*operation, a.fold(of, join), b.fold(of, join)),
        }
    }

    /// A function that is negative where the rule holds, from functions negative inside each member (Ricci 1973).
    pub fn level(&self, of: &impl Fn(usize) -> f64) -> f64 {
        self.fold(of, &|operation, a: f64, b: f64| match operation {
            Operation::Union => a.min(b),
            Operation::Difference => a.max(-b),
            Operation::Intersection => a.max(b),
        })
    }

    /// Whether the rule holds when `inside` tells which members do.
    pub fn holds(&self, inside: &impl Fn(usize) -> bool) -> bool {
        match self {
            Rule::Member(member) => inside(*member),
            Rule::Combined(Operation::Union, a, b) => a.holds(inside) || b.holds(inside),
            Rule::Combined(Operation::Difference, a, b) => a.holds(inside) && !b.holds(inside),
            Rule::Combined(Operation::Intersection, a, b) => a.holds(inside) && b.holds(inside),
        }
    }
}
