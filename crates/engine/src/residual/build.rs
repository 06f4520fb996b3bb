//! From expressions to a tape, sharing common subexpressions.

use super::tape::{Load, Step, Tape};
use ropinn_expr::{Comparison, Cond, Expr, Function, MultiIndex, Node};
use std::collections::HashMap;

/// Delivers the slot of `∂^α u_field` at a site.
pub(crate) type Unknowns<'a> = dyn FnMut(&mut TapeBuilder, usize, MultiIndex, usize) -> usize + 'a;

/// Identity of a step, for sharing.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Load(Load),
    Const(u64),
    Binary(u8, usize, usize),
    Powi(usize, i32),
    Unary(Function, usize),
    Compare(Comparison, usize, usize),
    Select(usize, usize, usize),
    Lookup(usize, Vec<usize>, Vec<u8>),
}

/// Levels of an expression that are translated by recursion.
const RECURSION: u32 = 200;

/// Builds a [`Tape`]; equal steps get one slot.
#[derive(Default)]
pub(crate) struct TapeBuilder {
    tape: Tape,
    known: HashMap<Key, usize>,
    /// Slots of whole expressions already translated for a sequence element.
    memo: HashMap<(usize, Expr), usize>,
}

impl TapeBuilder {
    pub fn finish(mut self, outputs: Vec<usize>) -> Tape {
        self.tape.outputs = outputs;
        self.tape
    }

    fn push(&mut self, key: Key, step: Step) -> usize {
        if let Some(&slot) = self.known.get(&key) {
            return slot;
        }
        let active = &self.tape.active;
        let is_active = match &step {
            Step::Load(load) => matches!(load, Load::Readout(_) | Load::Trainable(_)),
            Step::Const(_) | Step::Compare(..) | Step::And(..) | Step::Or(..) | Step::Not(_) => false,
            Step::Add(a, b)
            | Step::Mul(a, b)
            | Step::Div(a, b)
            | Step::Pow(a, b)
            | Step::Min(a, b)
            | Step::Max(a, b) => active[*a] || active[*b],
            Step::Powi(a, _) | Step::Unary(_, a) => active[*a],
            Step::Select(_, a, b) => active[*a] || active[*b],
            Step::Lookup { args, .. } => args.iter().any(|&a| active[a]),
        };
        self.tape.steps.push(step);
        self.tape.active.push(is_active);
        let slot = self.tape.steps.len() - 1;
        self.known.insert(key, slot);
        slot
    }

    pub fn load(&mut self, load: Load) -> usize {
        self.push(Key::Load(load), Step::Load(load))
    }

    pub fn constant(&mut self, value: f64) -> usize {
        self.push(Key::Const(value.to_bits()), Step::Const(value))
    }

    fn constant_of(&self, slot: usize) -> Option<f64> {
        match self.tape.steps[slot] {
            Step::Const(c) => Some(c),
            _ => None,
        }
    }

    pub fn add(&mut self, a: usize, b: usize) -> usize {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(0.0), _) => b,
            (_, Some(0.0)) => a,
            _ => self.push(Key::Binary(0, a.min(b), a.max(b)), Step::Add(a.min(b), a.max(b))),
        }
    }

    pub fn mul(&mut self, a: usize, b: usize) -> usize {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(1.0), _) => b,
            (_, Some(1.0)) => a,
            _ => self.push(Key::Binary(1, a.min(b), a.max(b)), Step::Mul(a.min(b), a.max(b))),
        }
    }

    fn div(&mut self, a: usize, b: usize) -> usize {
        self.push(Key::Binary(2, a, b), Step::Div(a, b))
    }

    /// Slot of `expr` read at sequence element `element`. Definitions of definitions may be nested deeper than the stack
    /// is, so parts far down are translated first.
    pub fn expr(&mut self, expr: &Expr, element: usize, unknowns: &mut Unknowns<'_>) -> usize {
        for part in expr.stages(RECURSION) {
            self.translate(&part, element, unknowns);
        }
        self.translate(expr, element, unknowns)
    }

    fn translate(&mut self, expr: &Expr, element: usize, unknowns: &mut Unknowns<'_>) -> usize {
        let memo_key = (element, expr.clone());
        if let Some(&slot) = self.memo.get(&memo_key) {
            return slot;
        }
        let slot = match expr.node() {
            Node::Const(c) => self.constant(*c),
            Node::Coord { axis, site } => self.load(Load::Coord { axis: *axis, site: *site, element }),
            Node::Unknown { field, alpha, site } => unknowns(self, *field, *alpha, *site),
            Node::Trainable(k) => self.load(Load::Trainable(*k)),
            Node::Data(k) => self.load(Load::Data(*k)),
            Node::Add(parts) => {
                let mut sum = self.constant(0.0);
                for part in parts {
                    let slot = self.translate(part, element, unknowns);
                    sum = self.add(sum, slot);
                }
                sum
            }
            Node::Mul(parts) => self.product(parts, element, unknowns),
            Node::Pow(base, exponent) => self.power(base, exponent, element, unknowns),
            Node::Unary(function, x) => {
                let x = self.translate(x, element, unknowns);
                self.push(Key::Unary(*function, x), Step::Unary(*function, x))
            }
            Node::Min(a, b) => {
                let (a, b) = (self.translate(a, element, unknowns), self.translate(b, element, unknowns));
                self.push(Key::Binary(3, a, b), Step::Min(a, b))
            }
            Node::Max(a, b) => {
                let (a, b) = (self.translate(a, element, unknowns), self.translate(b, element, unknowns));
                self.push(Key::Binary(4, a, b), Step::Max(a, b))
            }
            Node::Where(condition, a, b) => {
                let condition = self.condition(condition, element, unknowns);
                let (a, b) = (self.translate(a, element, unknowns), self.translate(b, element, unknowns));
                self.push(Key::Select(condition, a, b), Step::Select(condition, a, b))
            }
            Node::Table { table, args, orders } => {
                let args: Vec<usize> = args.iter().map(|a| self.translate(a, element, unknowns)).collect();
                let identity = std::sync::Arc::as_ptr(table) as usize;
                let key = Key::Lookup(identity, args.clone(), orders.clone());
                self.push(key, Step::Lookup { table: table.clone(), args, orders: orders.clone() })
            }
        };
        self.memo.insert(memo_key, slot);
        slot
    }

    /// Products with negative powers become one division.
    fn product(&mut self, parts: &[Expr], element: usize, unknowns: &mut Unknowns<'_>) -> usize {
        let (mut above, mut below) = (self.constant(1.0), None);
        for part in parts {
            match reciprocal(part) {
                Some(denominator) => {
                    let slot = self.translate(&denominator, element, unknowns);
                    below = Some(below.map_or(slot, |b| self.mul(b, slot)));
                }
                None => {
                    let slot = self.translate(part, element, unknowns);
                    above = self.mul(above, slot);
                }
            }
        }
        below.map_or(above, |b| self.div(above, b))
    }

    fn power(&mut self, base: &Expr, exponent: &Expr, element: usize, unknowns: &mut Unknowns<'_>) -> usize {
        let x = self.translate(base, element, unknowns);
        match exponent.node() {
            Node::Const(c) if *c == 2.0 => self.mul(x, x),
            Node::Const(c) if *c == 0.5 => self.push(Key::Unary(Function::Sqrt, x), Step::Unary(Function::Sqrt, x)),
            Node::Const(c) if c.fract() == 0.0 && c.abs() <= 64.0 => {
                let e = *c as i32;
                self.push(Key::Powi(x, e), Step::Powi(x, e))
            }
            _ => {
                let e = self.translate(exponent, element, unknowns);
                self.push(Key::Binary(5, x, e), Step::Pow(x, e))
            }
        }
    }

    fn condition(&mut self, condition: &Cond, element: usize, unknowns: &mut Unknowns<'_>) -> usize {
        match condition {
            Cond::Compare(comparison, a, b) => {
                let (a, b) = (self.translate(a, element, unknowns), self.translate(b, element, unknowns));
                self.push(Key::Compare(*comparison, a, b), Step::Compare(*comparison, a, b))
            }
            Cond::And(a, b) => {
                let (a, b) = (self.condition(a, element, unknowns), self.condition(b, element, unknowns));
                self.push(Key::Binary(6, a, b), Step::And(a, b))
            }
            Cond::Or(a, b) => {
                let (a, b) = (self.condition(a, element, unknowns), self.condition(b, element, unknowns));
                self.push(Key::Binary(7, a, b), Step::Or(a, b))
            }
            Cond::Not(a) => {
                let a = self.condition(a, element, unknowns);
                self.push(Key::Binary(8, a, a), Step::Not(a))
            }
        }
    }
}

/// `x` where the expression is `x^(−n)` with a positive integer n (then `x^n`).
fn reciprocal(expr: &Expr) -> Option<Expr> {
    let Node::Pow(base, exponent) = expr.node() else { return None };
    match exponent.node() {
        Node::Const(c) if *c < 0.0 && c.fract() == 0.0 => Some(base.clone().powf(-c)),
        _ => None,
    }
}
