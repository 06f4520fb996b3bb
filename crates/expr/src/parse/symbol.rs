//! Names in text: declared symbols first, then derivative names such as `u_xt`.
//!
//! A derivative name is a declared symbol, an underscore and coordinates in a row. Every way to cut it is tried, and two
//! different meanings are an error rather than a guess.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::PI;

use super::{MAX_TEXT_ORDER, ParseErrorKind};
use crate::scope::{KEYWORDS, Symbol};
use crate::{Expr, Function, MultiIndex, Scope};

/// The coordinates an ending can be cut into.
struct Cuts {
    /// Distinct derivatives within the order limit.
    found: BTreeSet<MultiIndex>,
    /// The fewest coordinates of any complete cut.
    fewest: Option<u32>,
    /// How many bytes some cut explains.
    explained: usize,
}

impl Scope {
    /// The expression a name stands for.
    pub(crate) fn resolve(&self, name: &str) -> Result<Expr, ParseErrorKind> {
        if let Some(symbol) = self.symbol(name) {
            return self.bare(name, symbol);
        }
        if name == "pi" {
            return Ok(Expr::constant(PI));
        }
        if KEYWORDS.contains(&name) || Function::from_name(name).is_some() {
            return Err(ParseErrorKind::MissingArguments { name: shorten(name) });
        }
        self.derivative_name(name)
    }

    /// A symbol used without arguments.
    fn bare(&self, name: &str, symbol: &Symbol) -> Result<Expr, ParseErrorKind> {
        Ok(match symbol {
            Symbol::Coord(axis) => Expr::coord(*axis),
            Symbol::Unknown(field) => Expr::unknown(*field, MultiIndex::ZERO),
            Symbol::Constant(expr) | Symbol::Definition(expr) => expr.clone(),
            Symbol::Trainable(number) => number.clone(),
            Symbol::Data(k) => Expr::data(*k),
            Symbol::Table(table) => {
                let args = table.axes().iter().map(|axis| match self.coord(&axis.name) {
                    Ok(coord) => Ok(coord.expr()),
                    Err(_) => Err(ParseErrorKind::TableAxis {
                        table: name.to_owned(),
                        axis: axis.name.clone(),
                        coordinates: self.coord_names().join(", "),
                    }),
                });
                let args = args.collect::<Result<Vec<_>, _>>()?;
                Expr::look_up(table, args, vec![0; table.axes().len()])
            }
        })
    }

    fn derivative_name(&self, name: &str) -> Result<Expr, ParseErrorKind> {
        let mut readings: BTreeMap<(&str, MultiIndex), &Symbol> = BTreeMap::new();
        let mut fewest: Option<u32> = None;
        let mut unexplained: Option<&str> = None;
        // Declared names are short: underscores far into an endless name cannot end one.
        let heads = name.match_indices('_').map(|(at, _)| at).take(256);
        for at in heads {
            let (base, ending) = (&name[..at], &name[at + 1..]);
            let symbol = match self.symbol(base) {
                Some(s @ (Symbol::Unknown(_) | Symbol::Definition(_) | Symbol::Table(_))) => s,
                _ => continue,
            };
            let cuts = self.cut(ending);
            readings.extend(cuts.found.into_iter().map(|alpha| ((base, alpha), symbol)));
            fewest = fewest.into_iter().chain(cuts.fewest).min();
            unexplained = unexplained.or(Some(&ending[cuts.explained..]));
        }
        match (readings.len(), fewest) {
            (1, _) => {}
            (0, Some(order)) => return Err(ParseErrorKind::OrderTooHigh { order }),
            (0, None) => return Err(self.unknown_name(name, unexplained)),
            _ => {
                return Err(ParseErrorKind::Ambiguous {
                    name: shorten(name),
                    readings: readings.keys().map(|(b, a)| self.as_call(b, *a)).collect(),
                });
            }
        }
        let ((base, alpha), symbol) = readings.into_iter().next().expect("exactly one reading is left");
        if let Symbol::Unknown(field) = symbol {
            return Ok(Expr::unknown(*field, alpha));
        }
        let expr = self.bare(base, symbol)?;
        let expr = alpha.axes().fold(expr, |e, axis| e.derivative(axis));
        match expr.max_order() {
            order if order > MAX_TEXT_ORDER => Err(ParseErrorKind::OrderTooHigh { order }),
            _ => Ok(expr),
        }
    }

    /// All ways to cut an ending into coordinates, which may be set apart by underscores: `xx`, `x1_x1`.
    fn cut(&self, ending: &str) -> Cuts {
        let mut reached: Vec<BTreeSet<MultiIndex>> = vec![BTreeSet::new(); ending.len() + 1];
        let mut fewest: Vec<Option<u32>> = vec![None; ending.len() + 1];
        reached[0].insert(MultiIndex::ZERO);
        fewest[0] = Some(0);
        let mut explained = 0;
        for at in 0..ending.len() {
            let Some(count) = fewest[at] else { continue };
            explained = at;
            let so_far = std::mem::take(&mut reached[at]);
            let rest = &ending[at..];
            let starts = [Some(rest), rest.strip_prefix('_').filter(|_| at > 0)];
            for rest in starts.into_iter().flatten() {
                for (axis, coord) in self.coord_names().iter().enumerate() {
                    if !rest.starts_with(coord.as_str()) {
                        continue;
                    }
                    let end = ending.len() - rest.len() + coord.len();
                    fewest[end] = Some(fewest[end].map_or(count + 1, |n| n.min(count + 1)));
                    let short = so_far.iter().filter(|a| a.order() < MAX_TEXT_ORDER);
                    reached[end].extend(short.map(|alpha| alpha.plus(axis)));
                }
            }
        }
        let last = ending.len();
        Cuts {
            found: match last {
                0 => BTreeSet::new(),
                _ => std::mem::take(&mut reached[last]),
            },
            fewest: fewest[last].filter(|n| *n > 0),
            explained,
        }
    }

    fn unknown_name(&self, name: &str, unexplained: Option<&str>) -> ParseErrorKind {
        let suggestion = self.nearest_symbol(name);
        match unexplained {
            Some(ending) if !ending.is_empty() => ParseErrorKind::UnknownDerivative {
                name: shorten(name),
                ending: shorten(ending),
                coordinates: self.coord_names().join(", "),
                suggestion,
            },
            _ => ParseErrorKind::UnknownSymbol { name: shorten(name), suggestion },
        }
    }

    fn as_call(&self, base: &str, alpha: MultiIndex) -> String {
        let axes: Vec<&str> = alpha.axes().map(|k| self.coord_names()[k].as_str()).collect();
        format!("`d({base}, {})`", axes.join(", "))
    }
}

/// A piece of the text as messages show it: on one line, and only its beginning if it is very long.
pub(super) fn shorten(text: &str) -> String {
    const SHOWN: usize = 40;
    let on_one_line = |c: char| if c.is_control() { ' ' } else { c };
    let mut shown: String = text.chars().take(SHOWN).map(on_one_line).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}
