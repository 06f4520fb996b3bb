//! Conditions of piecewise expressions: comparisons joined by and, or, not.

use super::Expr;

/// How two values are compared.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Ord, PartialOrd, Debug)]
pub enum Comparison {
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
}

impl Comparison {
    /// The operator in text.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
            Comparison::Eq => "==",
            Comparison::Ne => "!=",
        }
    }

    /// Whether `a` and `b` compare this way; NaN equals nothing.
    pub fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Comparison::Lt => a < b,
            Comparison::Le => a <= b,
            Comparison::Gt => a > b,
            Comparison::Ge => a >= b,
            Comparison::Eq => a == b,
            Comparison::Ne => a != b,
        }
    }
}

/// The condition of [`Expr::select`]. It is a plain recursive tree: join thousands of comparisons through
/// nested selections rather than one chain.
///
/// ```
/// use ropinn_expr::{Expr, Scope};
/// let scope = Scope::new(["x"], ["u"])?;
/// let x = scope.coord("x")?.expr();
/// let inside = x.gt(0.0).and(x.lt(1.0));
/// assert_eq!(Expr::select(inside, 2.0, 0.0), scope.parse("where(x > 0 and x < 1, 2, 0)")?);
/// # Ok::<(), ropinn_expr::Error>(())
/// ```
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub enum Cond {
    /// A comparison of two values.
    Compare(Comparison, Expr, Expr),
    /// Both hold.
    And(Box<Cond>, Box<Cond>),
    /// At least one holds.
    Or(Box<Cond>, Box<Cond>),
    /// The opposite.
    Not(Box<Cond>),
}

impl Cond {
    /// Both conditions hold.
    pub fn and(self, other: Cond) -> Cond {
        Cond::And(Box::new(self), Box::new(other))
    }

    /// At least one of the conditions holds.
    pub fn or(self, other: Cond) -> Cond {
        Cond::Or(Box::new(self), Box::new(other))
    }

    /// The opposite condition.
    #[allow(clippy::should_implement_trait)] // reads like the text form
    pub fn not(self) -> Cond {
        match self {
            Cond::Not(inner) => *inner,
            other => Cond::Not(Box::new(other)),
        }
    }

    /// The truth value once every compared expression has one, given in the order of [`Cond::for_each_expr`].
    pub(crate) fn decide(&self, values: &mut impl Iterator<Item = f64>) -> bool {
        match self {
            Cond::Compare(how, ..) => {
                let mut next = || values.next().expect("one value for each compared expression");
                let (a, b) = (next(), next());
                how.holds(a, b)
            }
            // Both sides always run, so that the iterator stays in step.
            Cond::And(a, b) => a.decide(values) & b.decide(values),
            Cond::Or(a, b) => a.decide(values) | b.decide(values),
            Cond::Not(a) => !a.decide(values),
        }
    }

    /// The truth value when only constants are compared.
    pub(crate) fn known(&self) -> Option<bool> {
        let mut values = Vec::new();
        let mut all_constant = true;
        self.for_each_expr(&mut |e| match e.as_constant() {
            Some(c) => values.push(c),
            None => all_constant = false,
        });
        all_constant.then(|| self.decide(&mut values.into_iter()))
    }

    pub(crate) fn for_each_expr<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        match self {
            Cond::Compare(_, a, b) => {
                visit(a);
                visit(b);
            }
            Cond::And(a, b) | Cond::Or(a, b) => {
                a.for_each_expr(visit);
                b.for_each_expr(visit);
            }
            Cond::Not(a) => a.for_each_expr(visit),
        }
    }

    /// The same condition about other expressions, given in the order of [`Cond::for_each_expr`].
    pub(crate) fn with_exprs(&self, exprs: &mut impl Iterator<Item = Expr>) -> Cond {
        match self {
            Cond::Compare(how, ..) => {
                let mut next = || exprs.next().expect("as many expressions as before");
                let (a, b) = (next(), next());
                Cond::Compare(*how, a, b)
            }
            Cond::And(a, b) => a.with_exprs(exprs).and(b.with_exprs(exprs)),
            Cond::Or(a, b) => a.with_exprs(exprs).or(b.with_exprs(exprs)),
            Cond::Not(a) => Cond::Not(Box::new(a.with_exprs(exprs))),
        }
    }

    /// Moves the compared expressions out, for a drop that does not recurse.
    pub(crate) fn take_exprs(self, out: &mut Vec<Expr>) {
        match self {
            Cond::Compare(_, a, b) => out.extend([a, b]),
            Cond::And(a, b) | Cond::Or(a, b) => {
                a.take_exprs(out);
                b.take_exprs(out);
            }
            Cond::Not(a) => a.take_exprs(out),
        }
    }

    /// Orders conditions by their operators alone; the compared expressions are children of the node.
    pub(crate) fn compare_shape(&self, other: &Cond) -> std::cmp::Ordering {
        let rank = |c: &Cond| match c {
            Cond::Compare(..) => 0,
            Cond::And(..) => 1,
            Cond::Or(..) => 2,
            Cond::Not(..) => 3,
        };
        match (self, other) {
            (Cond::Compare(a, ..), Cond::Compare(b, ..)) => a.cmp(b),
            (Cond::And(a, b), Cond::And(c, d)) | (Cond::Or(a, b), Cond::Or(c, d)) => {
                a.compare_shape(c).then_with(|| b.compare_shape(d))
            }
            (Cond::Not(a), Cond::Not(b)) => a.compare_shape(b),
            _ => rank(self).cmp(&rank(other)),
        }
    }
}
