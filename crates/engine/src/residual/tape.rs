//! Point-wise arithmetic on lanes of samples, with its reverse sweep.
//!
//! A tape is straight-line code in single-assignment form: step i fills slot i from earlier slots. The adjoint rule of each
//! step stands beside its value rule.

use ropinn_expr::{Comparison, Function, Table};
use ropinn_vmath::{self as vmath, Real, dispatch};
use std::f64::consts::FRAC_2_SQRT_PI;
use std::sync::Arc;

/// What a tape reads from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Load {
    /// Coordinate `axis` of the sample at a linked site and sequence element.
    Coord { axis: usize, site: usize, element: usize },
    /// Column of per-sample data.
    Data(usize),
    /// Trained scalar.
    Trainable(usize),
    /// Entry of the program's read-out list.
    Readout(usize),
}

/// One step; operands are slot numbers smaller than its own.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Load(Load),
    Const(f64),
    Add(usize, usize),
    Mul(usize, usize),
    Div(usize, usize),
    Pow(usize, usize),
    Powi(usize, i32),
    Unary(Function, usize),
    Min(usize, usize),
    Max(usize, usize),
    Compare(Comparison, usize, usize),
    And(usize, usize),
    Or(usize, usize),
    Not(usize),
    Select(usize, usize, usize),
    Lookup { table: Arc<Table>, args: Vec<usize>, orders: Vec<u8> },
}

/// Straight-line code over lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tape {
    pub(super) steps: Vec<Step>,
    /// Whether a step depends on read-outs or trained scalars, so that its adjoint matters.
    pub(super) active: Vec<bool>,
    pub(super) outputs: Vec<usize>,
}

/// Lane-wise helpers on a slot-major buffer.
fn lanes_of<T>(slots: &[T], slot: usize, n: usize) -> &[T] {
    &slots[slot * n..(slot + 1) * n]
}

impl Tape {
    /// Number of slots a buffer needs, in units of lanes.
    pub fn slots(&self) -> usize {
        self.steps.len()
    }

    /// Slot of output k.
    pub fn output(&self, k: usize) -> usize {
        self.outputs[k]
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// Fills every slot; `load` provides outside values.
    pub fn forward<T: Real>(&self, n: usize, slots: &mut [T], mut load: impl FnMut(Load, &mut [T])) {
        for (i, step) in self.steps.iter().enumerate() {
            let (before, rest) = slots.split_at_mut(i * n);
            let y = &mut rest[..n];
            let x = |slot: usize| lanes_of(before, slot, n);
            match step {
                Step::Load(what) => load(*what, y),
                Step::Const(c) => y.fill(T::from_f64(*c)),
                Step::Add(a, b) => zip2(y, x(*a), x(*b), |a, b| a + b),
                Step::Mul(a, b) => zip2(y, x(*a), x(*b), |a, b| a * b),
                Step::Div(a, b) => zip2(y, x(*a), x(*b), |a, b| a / b),
                Step::Pow(a, b) => zip2(y, x(*a), x(*b), power),
                Step::Powi(a, e) => zip1(y, x(*a), |a| powi(a, *e)),
                Step::Unary(f, a) => unary(*f, x(*a), y),
                Step::Min(a, b) => zip2(y, x(*a), x(*b), |a, b| if a <= b { a } else { b }),
                Step::Max(a, b) => zip2(y, x(*a), x(*b), |a, b| if a >= b { a } else { b }),
                Step::Compare(c, a, b) => zip2(y, x(*a), x(*b), |a, b| truth(compare(*c, a, b))),
                Step::And(a, b) => zip2(y, x(*a), x(*b), |a, b| a * b),
                Step::Or(a, b) => zip2(y, x(*a), x(*b), |a, b| truth(a + b > T::ZERO)),
                Step::Not(a) => zip1(y, x(*a), |a| T::ONE - a),
                Step::Select(c, a, b) => {
                    let (c, a, b) = (x(*c), x(*a), x(*b));
                    for (lane, y) in y.iter_mut().enumerate() {
                        *y = if c[lane] > T::ZERO { a[lane] } else { b[lane] };
                    }
                }
                Step::Lookup { table, args, orders } => {
                    let mut place = [0.0; ropinn_expr::MAX_COORDS];
                    for (lane, y) in y.iter_mut().enumerate() {
                        for (p, &arg) in place.iter_mut().zip(args) {
                            *p = x(arg)[lane].to_f64();
                        }
                        *y = T::from_f64(table.value(&place[..args.len()], orders));
                    }
                }
            }
        }
    }

    /// Reverse sweep. `adjoints` holds the seeds at the outputs and zero elsewhere; `store` receives the adjoint of each load.
    pub fn backward<T: Real>(
        &self,
        n: usize,
        slots: &[T],
        adjoints: &mut [T],
        scratch: &mut [T],
        mut store: impl FnMut(Load, &[T]),
    ) {
        for (i, step) in self.steps.iter().enumerate().rev() {
            if !self.active[i] {
                continue;
            }
            let (before, rest) = adjoints.split_at_mut(i * n);
            let w = &rest[..n];
            let x = |slot: usize| lanes_of(slots, slot, n);
            let y = x(i);
            let mut sink = Sink { before, w, active: &self.active, n };
            match step {
                Step::Load(what) => store(*what, w),
                Step::Const(_) | Step::Compare(..) | Step::And(..) | Step::Or(..) | Step::Not(_) => {}
                Step::Add(a, b) => {
                    sink.add(*a, |_| T::ONE);
                    sink.add(*b, |_| T::ONE);
                }
                Step::Mul(a, b) => {
                    let (xa, xb) = (x(*a), x(*b));
                    sink.add(*a, |l| xb[l]);
                    sink.add(*b, |l| xa[l]);
                }
                Step::Div(a, b) => {
                    sink.add(*a, |l| T::ONE / x(*b)[l]);
                    sink.add(*b, |l| -y[l] / x(*b)[l]);
                }
                Step::Pow(a, b) => {
                    // ∂a = b a^(b−1), ∂b = a^b ln a
                    sink.add(*a, |l| x(*b)[l] * power(x(*a)[l], x(*b)[l] - T::ONE));
                    sink.add(*b, |l| y[l] * T::from_f64(x(*a)[l].to_f64().ln()));
                }
                Step::Powi(a, e) => sink.add(*a, |l| T::from_f64(f64::from(*e)) * powi(x(*a)[l], e - 1)),
                Step::Unary(f, a) => {
                    unary_slope(*f, x(*a), y, &mut scratch[..n]);
                    sink.add(*a, |l| scratch[l]);
                }
                Step::Min(a, b) => {
                    sink.add(*a, |l| truth(x(*a)[l] <= x(*b)[l]));
                    sink.add(*b, |l| truth(x(*a)[l] > x(*b)[l]));
                }
                Step::Max(a, b) => {
                    sink.add(*a, |l| truth(x(*a)[l] >= x(*b)[l]));
                    sink.add(*b, |l| truth(x(*a)[l] < x(*b)[l]));
                }
                Step::Select(c, a, b) => {
                    // A branch not taken may hold NaN; it must not reach the gradient through 0·NaN.
                    sink.add_where(*a, x(*c), true);
                    sink.add_where(*b, x(*c), false);
                }
                Step::Lookup { table, args, orders } => sink.add_lookup(table, args, orders, slots),
            }
        }
    }
}

fn zip1<T: Real>(y: &mut [T], a: &[T], f: impl Fn(T) -> T) {
    dispatch(inlined!(|| {
        for (y, &a) in y.iter_mut().zip(a) {
            *y = f(a);
        }
    }));
}

fn zip2<T: Real>(y: &mut [T], a: &[T], b: &[T], f: impl Fn(T, T) -> T) {
    dispatch(inlined!(|| {
        for ((y, &a), &b) in y.iter_mut().zip(a).zip(b) {
            *y = f(a, b);
        }
    }));
}

fn truth<T: Real>(holds: bool) -> T {
    if holds { T::ONE } else { T::ZERO }
}

fn compare<T: Real>(comparison: Comparison, a: T, b: T) -> bool {
    match comparison {
        Comparison::Lt => a < b,
        Comparison::Le => a <= b,
        Comparison::Gt => a > b,
        Comparison::Ge => a >= b,
        Comparison::Eq => a == b,
        Comparison::Ne => a != b,
    }
}

/// General power; rare in equations, so taken through f64 lane by lane.
fn power<T: Real>(a: T, b: T) -> T {
    T::from_f64(a.to_f64().powf(b.to_f64()))
}

/// Integer power by repeated squaring: the same multiplications, so the same bits, on every machine.
fn powi<T: Real>(a: T, exponent: i32) -> T {
    let (mut base, mut left, mut y) = (a, exponent.unsigned_abs(), T::ONE);
    while left > 0 {
        if left & 1 == 1 {
            y *= base;
        }
        base *= base;
        left >>= 1;
    }
    if exponent < 0 { T::ONE / y } else { y }
}

fn unary<T: Real>(function: Function, x: &[T], y: &mut [T]) {
    match function {
        Function::Sin => vmath::sin(x, y),
        Function::Cos => vmath::cos(x, y),
        Function::Exp => vmath::exp(x, y),
        Function::Log => vmath::ln(x, y),
        Function::Tanh => vmath::tanh(x, y),
        Function::Erf => vmath::erf(x, y),
        Function::Sqrt => zip1(y, x, T::sqrt),
        Function::Abs => zip1(y, x, T::abs),
        Function::Sign => zip1(y, x, |a| truth::<T>(a > T::ZERO) - truth::<T>(a < T::ZERO)),
        Function::Tan | Function::Sinh | Function::Cosh | Function::Atan => {
            zip1(y, x, |a| T::from_f64(function.apply(a.to_f64())));
        }
    }
}

/// f'(x) lane by lane.
fn unary_slope<T: Real>(function: Function, x: &[T], y: &[T], slope: &mut [T]) {
    match function {
        Function::Sin => vmath::cos(x, slope),
        Function::Cos => {
            vmath::sin(x, slope);
            slope.iter_mut().for_each(|s| *s = -*s);
        }
        Function::Exp => slope.copy_from_slice(y),
        Function::Log => zip1(slope, x, |a| T::ONE / a),
        Function::Tanh => zip1(slope, y, |y| T::ONE - y * y),
        Function::Sqrt => zip1(slope, y, |y| T::from_f64(0.5) / y),
        Function::Abs => unary(Function::Sign, x, slope),
        Function::Sign => slope.fill(T::ZERO),
        Function::Tan => zip1(slope, y, |y| T::ONE + y * y),
        Function::Sinh => unary(Function::Cosh, x, slope),
        Function::Cosh => unary(Function::Sinh, x, slope),
        Function::Atan => zip1(slope, x, |a| T::ONE / (T::ONE + a * a)),
        Function::Erf => zip1(slope, x, |a| T::from_f64(FRAC_2_SQRT_PI) * vmath::lane::exp(-(a * a))),
    }
}

/// Where the adjoints of one step's operands go.
struct Sink<'a, T> {
    before: &'a mut [T],
    w: &'a [T],
    active: &'a [bool],
    n: usize,
}

impl<T: Real> Sink<'_, T> {
    /// Adds w·(local derivative) to the adjoint of an operand, unless nobody asks for it.
    fn add(&mut self, slot: usize, derivative: impl Fn(usize) -> T) {
        if self.active[slot] {
            let targets = self.before[slot * self.n..][..self.n].iter_mut().zip(self.w);
            dispatch(inlined!(|| {
                for (lane, (bar, &w)) in targets.enumerate() {
                    *bar += w * derivative(lane);
                }
            }));
        }
    }

    /// Adds w where the condition has the given truth value.
    fn add_where(&mut self, slot: usize, condition: &[T], when: bool) {
        if self.active[slot] {
            for (lane, bar) in self.before[slot * self.n..(slot + 1) * self.n].iter_mut().enumerate() {
                if (condition[lane] > T::ZERO) == when {
                    *bar += self.w[lane];
                }
            }
        }
    }

    fn add_lookup(&mut self, table: &Table, args: &[usize], orders: &[u8], slots: &[T]) {
        let mut raised = [0u8; ropinn_expr::MAX_COORDS];
        for (k, &target) in args.iter().enumerate() {
            if orders[k] > 0 {
                continue; // piecewise linear: the second derivative in one argument is zero
            }
            raised[..orders.len()].copy_from_slice(orders);
            raised[k] += 1;
            let n = self.n;
            self.add(target, |lane| {
                let mut place = [0.0; ropinn_expr::MAX_COORDS];
                for (p, &arg) in place.iter_mut().zip(args) {
                    *p = slots[arg * n + lane].to_f64();
                }
                T::from_f64(table.value(&place[..args.len()], &raised[..args.len()]))
            });
        }
    }
}
