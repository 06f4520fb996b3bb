//! Expressions as text that parses back to an equal expression.
//!
//! Without a scope the names are those of [`Scope::numbered`]. Two things print but do not parse: derivatives above
//! [`crate::MAX_TEXT_ORDER`], and numbers that are not finite.

use std::borrow::Cow;
use std::fmt;

use crate::{Cond, Expr, MultiIndex, Node, Scope};

/// An expression printed with the names of a scope.
pub struct DisplayIn<'a> {
    expr: &'a Expr,
    scope: Option<&'a Scope>,
}

impl Expr {
    /// Prints the expression with the names of `scope`.
    ///
    /// ```
    /// # use ropinn_expr::Scope;
    /// let scope = Scope::new(["x", "t"], ["u"])?;
    /// let r = scope.parse("u_t - 2*u_xx/(1 + x^2)")?;
    /// assert_eq!(r.display(&scope).to_string(), "u_t - 2*u_xx/(1 + x^2)");
    /// assert_eq!(r.to_string(), "u0_x1 - 2*u0_x0x0/(1 + x0^2)");
    /// # Ok::<(), ropinn_expr::Error>(())
    /// ```
    pub fn display<'a>(&'a self, scope: &'a Scope) -> DisplayIn<'a> {
        DisplayIn { expr: self, scope: Some(scope) }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        DisplayIn { expr: self, scope: None }.fmt(f)
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How tightly a piece of text holds together; looser pieces get parentheses.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd)]
enum Level {
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Product,
    Power,
    Atom,
}

/// What is still to be written. An explicit stack of these takes the place of recursion.
enum Piece<'a> {
    Text(Cow<'a, str>),
    Expr(&'a Expr, Level),
    /// A term without its minus sign.
    Negated(&'a Expr),
    /// base ^ |exponent|, below a fraction bar.
    Inverse(&'a Expr, f64, Level),
    Cond(&'a Cond, Level),
}

impl fmt::Display for DisplayIn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stack = vec![Piece::Expr(self.expr, Level::Or)];
        let mut pieces = Vec::new();
        while let Some(piece) = stack.pop() {
            let (own, least) = match piece {
                Piece::Text(text) => {
                    f.write_str(&text)?;
                    continue;
                }
                Piece::Expr(expr, least) => (self.expand(expr, false, &mut pieces), least),
                Piece::Negated(expr) => (self.expand(expr, true, &mut pieces), Level::Product),
                Piece::Inverse(base, exponent, least) => (inverse(base, exponent, &mut pieces), least),
                Piece::Cond(cond, least) => (condition(cond, &mut pieces), least),
            };
            if own < least {
                pieces.insert(0, text("("));
                pieces.push(text(")"));
            }
            stack.extend(pieces.drain(..).rev());
        }
        Ok(())
    }
}

fn text<'a>(s: impl Into<Cow<'a, str>>) -> Piece<'a> {
    Piece::Text(s.into())
}

impl<'a> DisplayIn<'a> {
    /// Writes one node as pieces, without the sign of its coefficient if `negate`, and tells how tightly they hold.
    fn expand(&self, expr: &'a Expr, negate: bool, out: &mut Vec<Piece<'a>>) -> Level {
        match expr.node() {
            Node::Const(c) => {
                let c = if negate { -c } else { *c };
                out.push(text(number(c)));
                if c < 0.0 {
                    return Level::Sum;
                }
            }
            Node::Coord { axis, site } => self.sited(*site, self.coord(*axis).into_owned(), out),
            Node::Unknown { field, alpha, site } => {
                self.sited(*site, self.derivative(*field, *alpha), out);
            }
            Node::Trainable(k) => {
                out.push(text(self.name(Scope::trainable_names, *k, "p")));
            }
            Node::Data(k) => out.push(text(self.name(Scope::data_names, *k, "y"))),
            Node::Add(terms) => {
                for (i, term) in terms.iter().enumerate() {
                    // A first term writes its own sign.
                    let minus = i > 0 && has_minus(term);
                    if i > 0 {
                        out.push(text(if minus { " - " } else { " + " }));
                    }
                    out.push(match (i, minus) {
                        (0, _) => Piece::Expr(term, Level::Sum),
                        (_, true) => Piece::Negated(term),
                        (_, false) => Piece::Expr(term, Level::Product),
                    });
                }
                return Level::Sum;
            }
            Node::Mul(factors) => return product(factors, negate, out),
            Node::Pow(base, exponent) => match below_the_bar(expr) {
                Some((base, e)) => {
                    out.push(text("1/"));
                    out.push(Piece::Inverse(base, e, Level::Power));
                    return Level::Product;
                }
                None => {
                    out.push(Piece::Expr(base, Level::Atom));
                    out.push(text("^"));
                    out.push(Piece::Expr(exponent, Level::Atom));
                    return Level::Power;
                }
            },
            Node::Unary(function, a) => call(function.name(), [a], out),
            Node::Min(a, b) => call("min", [a, b], out),
            Node::Max(a, b) => call("max", [a, b], out),
            Node::Where(cond, a, b) => {
                out.push(text("where("));
                out.push(Piece::Cond(cond, Level::Or));
                for branch in [a, b] {
                    out.push(text(", "));
                    out.push(Piece::Expr(branch, Level::Sum));
                }
                out.push(text(")"));
            }
            Node::Table { table, args, orders } => {
                let name = self.scope.and_then(|scope| scope.table_name(table));
                out.push(text(name.unwrap_or("table")));
                if orders.iter().any(|k| *k != 0) {
                    let orders: Vec<String> = orders.iter().map(u8::to_string).collect();
                    out.push(text(format!("[{}]", orders.join(","))));
                }
                call("", args, out);
            }
        }
        Level::Atom
    }

    fn sited(&self, site: usize, name: String, out: &mut Vec<Piece<'a>>) {
        out.push(text(match site {
            0 => name,
            _ => format!("at({name}, {site})"),
        }));
    }

    fn name(&self, names: fn(&Scope) -> &[String], k: usize, prefix: &str) -> Cow<'a, str> {
        match self.scope.and_then(|scope| names(scope).get(k)) {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(format!("{prefix}{k}")),
        }
    }

    fn coord(&self, axis: usize) -> Cow<'a, str> {
        self.name(Scope::coord_names, axis, "x")
    }

    /// `u_xt`, or `d(u, x, t)` where the short form could be read in another way.
    fn derivative(&self, field: usize, alpha: MultiIndex) -> String {
        let unknown = self.name(Scope::unknown_names, field, "u");
        if alpha.is_zero() {
            return unknown.into_owned();
        }
        let axes: Vec<_> = alpha.axes().map(|axis| self.coord(axis)).collect();
        let short = format!("{unknown}_{}", axes.concat());
        let clear = self
            .scope
            .is_none_or(|scope| scope.resolve(&short).is_ok_and(|found| found == Expr::unknown(field, alpha)));
        if clear { short } else { format!("d({unknown}, {})", axes.join(", ")) }
    }
}

fn has_minus(term: &Expr) -> bool {
    match term.node() {
        Node::Const(c) => *c < 0.0,
        Node::Mul(factors) => factors[0].as_constant().is_some_and(|c| c < 0.0),
        _ => false,
    }
}

/// The shortest decimal that reads back as the same number.
fn number(value: f64) -> String {
    let text = format!("{value:?}");
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// (base, exponent) of a power that reads best as a division. Powers of numbers exist only where they cannot be computed;
/// they keep the form in which they were written.
fn below_the_bar(expr: &Expr) -> Option<(&Expr, f64)> {
    match expr.node() {
        Node::Pow(base, exponent) if base.as_constant().is_none() => {
            let exponent = exponent.as_constant().filter(|e| *e < 0.0)?;
            Some((base, exponent))
        }
        _ => None,
    }
}

/// Factors with negative exponents go below one fraction bar.
fn product<'a>(factors: &'a [Expr], negate: bool, out: &mut Vec<Piece<'a>>) -> Level {
    let mut above: Vec<Piece<'a>> = Vec::new();
    let mut below: Vec<Piece<'a>> = Vec::new();
    let mut level = Level::Product;
    for (i, factor) in factors.iter().enumerate() {
        if let (0, Some(c)) = (i, factor.as_constant()) {
            let c = if negate { -c } else { c };
            if c < 0.0 {
                level = Level::Sum;
            }
            // `-(a + b)*c` would read as `(-a - b)*c`, which is another form of the same thing.
            let mut above_the_bar = factors[1..].iter().filter(|f| below_the_bar(f).is_none());
            let before_a_sum = (above_the_bar.next()).is_some_and(|first| matches!(first.node(), Node::Add(_)));
            if c == -1.0 && !before_a_sum {
                out.push(text("-"));
            } else if c != 1.0 {
                above.push(text(number(c)));
            }
        } else if let Some((base, e)) = below_the_bar(factor) {
            below.push(Piece::Inverse(base, e, Level::Power));
        } else {
            above.push(Piece::Expr(factor, Level::Power));
        }
    }
    if above.is_empty() {
        above.push(text("1"));
    }
    let several_below = below.len() > 1;
    join(above, out);
    if !below.is_empty() {
        out.push(text(if several_below { "/(" } else { "/" }));
        join(below, out);
        if several_below {
            out.push(text(")"));
        }
    }
    level
}

fn join<'a>(pieces: Vec<Piece<'a>>, out: &mut Vec<Piece<'a>>) {
    for (i, piece) in pieces.into_iter().enumerate() {
        if i > 0 {
            out.push(text("*"));
        }
        out.push(piece);
    }
}

fn inverse<'a>(base: &'a Expr, exponent: f64, out: &mut Vec<Piece<'a>>) -> Level {
    if exponent == -1.0 {
        out.push(Piece::Expr(base, Level::Power));
    } else {
        out.push(Piece::Expr(base, Level::Atom));
        out.push(text(format!("^{}", number(-exponent))));
    }
    Level::Power
}

fn call<'a>(name: &'a str, args: impl IntoIterator<Item = &'a Expr>, out: &mut Vec<Piece<'a>>) {
    out.push(text(name));
    for (i, arg) in args.into_iter().enumerate() {
        out.push(text(if i == 0 { "(" } else { ", " }));
        out.push(Piece::Expr(arg, Level::Sum));
    }
    out.push(text(")"));
}

fn condition<'a>(cond: &'a Cond, out: &mut Vec<Piece<'a>>) -> Level {
    match cond {
        Cond::Compare(how, a, b) => {
            out.push(Piece::Expr(a, Level::Sum));
            out.push(text(format!(" {} ", how.symbol())));
            out.push(Piece::Expr(b, Level::Sum));
            Level::Comparison
        }
        Cond::And(a, b) => {
            out.push(Piece::Cond(a, Level::And));
            out.push(text(" and "));
            out.push(Piece::Cond(b, Level::Not));
            Level::And
        }
        Cond::Or(a, b) => {
            out.push(Piece::Cond(a, Level::Or));
            out.push(text(" or "));
            out.push(Piece::Cond(b, Level::And));
            Level::Or
        }
        Cond::Not(a) => {
            out.push(text("not "));
            out.push(Piece::Cond(a, Level::Not));
            Level::Not
        }
    }
}
