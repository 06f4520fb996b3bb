//! Random expression trees written out plainly, with a plain evaluator that also bounds its rounding error, and a world
//! of closed-form unknowns to evaluate them in.
#![allow(dead_code)] // each test binary uses its own part

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use proptest::prelude::*;
use ropinn_expr::{Comparison, Cond, Env, Expr, Function, Lookup, MultiIndex, Scope, Table, TableAxis};

pub const COORDS: usize = 2;
pub const FIELDS: usize = 2;
pub const SITES: usize = 2;

/// An expression before any simplification.
#[derive(Clone, Debug)]
pub enum Raw {
    Const(f64),
    Coord(usize, usize),
    Unknown(usize, Vec<usize>, usize),
    Trainable(usize),
    Data(usize),
    Add(Box<Raw>, Box<Raw>),
    Sub(Box<Raw>, Box<Raw>),
    Mul(Box<Raw>, Box<Raw>),
    Div(Box<Raw>, Box<Raw>),
    Neg(Box<Raw>),
    Power(Box<Raw>, f64),
    Pow(Box<Raw>, Box<Raw>),
    Unary(Function, Box<Raw>),
    Min(Box<Raw>, Box<Raw>),
    Max(Box<Raw>, Box<Raw>),
    Where(RawCond, Box<Raw>, Box<Raw>),
    Table(Lookup, Box<Raw>),
}

#[derive(Clone, Debug)]
pub enum RawCond {
    Compare(Comparison, Box<Raw>, Box<Raw>),
    And(Box<RawCond>, Box<RawCond>),
    Or(Box<RawCond>, Box<RawCond>),
    Not(Box<RawCond>),
}

/// Everything an expression is evaluated with: u_f = A_f sin(a_f·x + φ_f), whose derivatives are known to any order.
#[derive(Clone, Debug)]
pub struct World {
    pub point: [f64; COORDS],
    pub link: [f64; COORDS],
    pub wave: [[f64; COORDS]; FIELDS],
    pub amplitude: [f64; FIELDS],
    pub phase: [f64; FIELDS],
    pub trainables: [f64; 2],
    pub data: [f64; 2],
}

impl World {
    pub fn coord(&self, axis: usize, site: usize) -> f64 {
        self.point[axis] + site as f64 * self.link[axis]
    }

    pub fn unknown(&self, field: usize, alpha: MultiIndex, site: usize) -> f64 {
        let mut angle = self.phase[field] + FRAC_PI_2 * f64::from(alpha.order());
        let mut value = self.amplitude[field];
        for axis in 0..COORDS {
            angle += self.wave[field][axis] * self.coord(axis, site);
            value *= self.wave[field][axis].powi(i32::from(alpha.get(axis)));
        }
        value * angle.sin()
    }

    pub fn env(&self) -> Env<'_> {
        Env::at(&self.point)
            .with_coords(|axis, site| self.coord(axis, site))
            .with_unknowns(|field, alpha, site| self.unknown(field, alpha, site))
            .with_trainables(&self.trainables)
            .with_data(&self.data)
    }

    pub fn moved(&self, axis: usize, by: f64) -> World {
        let mut moved = self.clone();
        moved.point[axis] += by;
        moved
    }
}

pub fn world() -> impl Strategy<Value = World> {
    let number = || 0.3..1.7_f64;
    let pair = move || [number(), number()];
    (pair(), pair(), [pair(), pair()], pair(), pair(), pair(), pair()).prop_map(
        |(point, link, wave, amplitude, phase, trainables, data)| World {
            point,
            link,
            wave,
            amplitude,
            phase,
            trainables,
            data,
        },
    )
}

pub fn table(lookup: Lookup) -> Arc<Table> {
    let nodes = vec![-2.0, -0.75, 0.1, 0.35, 1.3, 2.9];
    let axis = TableAxis { name: "x0".into(), nodes };
    let values = vec![1.0, -0.5, 0.25, 2.0, 1.5, 0.5];
    Arc::new(Table::new(vec![axis], values, lookup).unwrap())
}

/// The scope in which expressions print and parse: tables `linear` and `nearest` included.
pub fn scope() -> Scope {
    let mut scope = Scope::numbered(COORDS, FIELDS, 2, 2).unwrap();
    scope.table("linear", table(Lookup::Linear)).unwrap();
    scope.table("nearest", table(Lookup::Nearest)).unwrap();
    scope
}

fn leaf() -> impl Strategy<Value = Raw> {
    prop_oneof![
        prop_oneof![-3.0..3.0_f64, (-3..4_i32).prop_map(f64::from), Just(0.5), Just(-1.0)].prop_map(Raw::Const),
        (0..COORDS, 0..SITES).prop_map(|(a, s)| Raw::Coord(a, s)),
        (0..FIELDS, prop::collection::vec(0..COORDS, 0..3), 0..SITES).prop_map(|(f, d, s)| Raw::Unknown(f, d, s)),
        (0..2_usize).prop_map(Raw::Trainable),
        (0..2_usize).prop_map(Raw::Data),
    ]
}

fn function() -> impl Strategy<Value = Function> {
    prop::sample::select(&Function::ALL[..])
}

fn comparison() -> impl Strategy<Value = Comparison> {
    use Comparison::*;
    prop::sample::select(vec![Lt, Le, Gt, Ge, Eq, Ne])
}

fn exponent() -> impl Strategy<Value = f64> {
    prop_oneof![(-3..5_i32).prop_map(f64::from), Just(0.5), Just(-0.5), -2.0..2.0_f64]
}

fn condition(of: BoxedStrategy<Raw>) -> impl Strategy<Value = RawCond> {
    let compare =
        (comparison(), of.clone(), of).prop_map(|(how, a, b)| RawCond::Compare(how, Box::new(a), Box::new(b)));
    compare.prop_recursive(2, 4, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| RawCond::And(Box::new(a), Box::new(b))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| RawCond::Or(Box::new(a), Box::new(b))),
            inner.prop_map(|a| RawCond::Not(Box::new(a))),
        ]
    })
}

pub fn raw() -> impl Strategy<Value = Raw> {
    leaf().prop_recursive(5, 40, 4, |inner| {
        let one = inner.clone().prop_map(Box::new);
        let two = (one.clone(), one.clone());
        prop_oneof![
            3 => two.clone().prop_map(|(a, b)| Raw::Add(a, b)),
            2 => two.clone().prop_map(|(a, b)| Raw::Sub(a, b)),
            4 => two.clone().prop_map(|(a, b)| Raw::Mul(a, b)),
            2 => two.clone().prop_map(|(a, b)| Raw::Div(a, b)),
            1 => one.clone().prop_map(Raw::Neg),
            2 => (one.clone(), exponent()).prop_map(|(a, e)| Raw::Power(a, e)),
            1 => two.clone().prop_map(|(a, b)| Raw::Pow(a, b)),
            3 => (function(), one.clone()).prop_map(|(f, a)| Raw::Unary(f, a)),
            1 => two.clone().prop_map(|(a, b)| Raw::Min(a, b)),
            1 => two.clone().prop_map(|(a, b)| Raw::Max(a, b)),
            1 => (condition(inner.boxed()), two.clone()).prop_map(|(c, (a, b))| Raw::Where(c, a, b)),
            1 => (prop_oneof![Just(Lookup::Linear), Just(Lookup::Nearest)], one)
                .prop_map(|(l, a)| Raw::Table(l, a)),
        ]
    })
}

impl Raw {
    /// The same expression through the library's constructors.
    pub fn build(&self) -> Expr {
        match self {
            Raw::Const(c) => Expr::constant(*c),
            Raw::Coord(axis, site) => Expr::coord(*axis).at(*site),
            Raw::Unknown(field, axes, site) => Expr::unknown(*field, MultiIndex::from_axes(axes)).at(*site),
            Raw::Trainable(k) => Expr::trainable(*k),
            Raw::Data(k) => Expr::data(*k),
            Raw::Add(a, b) => a.build() + b.build(),
            Raw::Sub(a, b) => a.build() - b.build(),
            Raw::Mul(a, b) => a.build() * b.build(),
            Raw::Div(a, b) => a.build() / b.build(),
            Raw::Neg(a) => -a.build(),
            Raw::Power(a, e) => a.build().powf(*e),
            Raw::Pow(a, b) => a.build().pow(b.build()),
            Raw::Unary(f, a) => Expr::apply(*f, &a.build()),
            Raw::Min(a, b) => a.build().min(b.build()),
            Raw::Max(a, b) => a.build().max(b.build()),
            Raw::Where(c, a, b) => Expr::select(c.build(), a.build(), b.build()),
            Raw::Table(lookup, a) => Expr::table(&table(*lookup), [a.build()]).unwrap(),
        }
    }

    /// The value with a bound of its rounding error; None where it is undefined, near a pole or at a jump.
    pub fn eval(&self, world: &World) -> Option<Rounded> {
        let exact = |value| Some(Rounded { value, error: 0.0 });
        let two = |a: &Raw, b: &Raw| Some((a.eval(world)?, b.eval(world)?));
        let result = match self {
            Raw::Const(c) => exact(*c),
            Raw::Coord(axis, site) => exact(world.coord(*axis, *site)),
            Raw::Unknown(f, axes, site) => exact(world.unknown(*f, MultiIndex::from_axes(axes), *site)),
            Raw::Trainable(k) => exact(world.trainables[*k]),
            Raw::Data(k) => exact(world.data[*k]),
            Raw::Add(a, b) => two(a, b).map(|(a, b)| sum(a, b)),
            Raw::Sub(a, b) => two(a, b).map(|(a, b)| sum(a, b.negated())),
            Raw::Mul(a, b) => two(a, b).map(|(a, b)| Rounded {
                value: a.value * b.value,
                error: a.value.abs() * b.error + b.value.abs() * a.error + EPS * (a.value * b.value).abs(),
            }),
            Raw::Div(a, b) => two(a, b).and_then(|(a, b)| {
                let value = a.value / b.value;
                let error = (a.error + value.abs() * b.error) / b.value.abs() + EPS * value.abs();
                (b.value.abs() > 1e3 * b.error).then_some(Rounded { value, error })
            }),
            Raw::Neg(a) => a.eval(world).map(Rounded::negated),
            Raw::Power(a, e) => a.eval(world).and_then(|a| power(a, *e, 0.0)),
            Raw::Pow(a, b) => two(a, b).and_then(|(a, b)| power(a, b.value, b.error)),
            Raw::Unary(f, a) => a.eval(world).and_then(|a| apply(*f, a)),
            Raw::Min(a, b) => two(a, b).map(|(a, b)| if a.value <= b.value { a } else { b }),
            Raw::Max(a, b) => two(a, b).map(|(a, b)| if a.value >= b.value { a } else { b }),
            Raw::Where(c, a, b) => {
                let branch = if c.eval(world)? { a } else { b };
                branch.eval(world)
            }
            Raw::Table(lookup, a) => a.eval(world).and_then(|a| look_up(*lookup, a)),
        }?;
        let sane = result.value.abs() < 1e30 && result.error.is_finite();
        let normal = result.value == 0.0 || result.value.abs() > 1e-30;
        (sane && normal).then_some(result)
    }
}

impl RawCond {
    fn build(&self) -> Cond {
        match self {
            RawCond::Compare(how, a, b) => Cond::Compare(*how, a.build(), b.build()),
            RawCond::And(a, b) => a.build().and(b.build()),
            RawCond::Or(a, b) => a.build().or(b.build()),
            RawCond::Not(a) => a.build().not(),
        }
    }

    fn eval(&self, world: &World) -> Option<bool> {
        match self {
            RawCond::Compare(how, a, b) => {
                let (a, b) = (a.eval(world)?, b.eval(world)?);
                let clear = (a.value - b.value).abs() > 1e5 * (a.error + b.error) + 1e-12;
                clear.then(|| how.holds(a.value, b.value))
            }
            RawCond::And(a, b) => Some(a.eval(world)? && b.eval(world)?),
            RawCond::Or(a, b) => Some(a.eval(world)? || b.eval(world)?),
            RawCond::Not(a) => Some(!a.eval(world)?),
        }
    }
}

const EPS: f64 = f64::EPSILON;

#[derive(Clone, Copy, Debug)]
pub struct Rounded {
    pub value: f64,
    pub error: f64,
}

impl Rounded {
    fn negated(self) -> Rounded {
        Rounded { value: -self.value, ..self }
    }
}

fn sum(a: Rounded, b: Rounded) -> Rounded {
    Rounded { value: a.value + b.value, error: a.error + b.error + EPS * (a.value.abs() + b.value.abs()) }
}

fn power(a: Rounded, e: f64, e_error: f64) -> Option<Rounded> {
    let value = a.value.powf(e);
    let by_base = (e * a.value.powf(e - 1.0)).abs() * a.error;
    let by_exponent = (value * a.value.abs().ln()).abs() * (e_error + EPS * e.abs());
    // Zero to a power meets too many one-sided rules; a varying exponent needs a positive base.
    let clear = a.value.abs() > 1e5 * a.error && (e_error == 0.0 || a.value > 0.0);
    (clear && a.value != 0.0 && !value.is_nan())
        .then_some(Rounded { value, error: by_base + by_exponent + 16.0 * EPS * value.abs() })
}

fn apply(f: Function, a: Rounded) -> Option<Rounded> {
    let (x, value) = (a.value, f.apply(a.value));
    let slope = match f {
        Function::Sin | Function::Cos | Function::Tanh | Function::Atan | Function::Abs => 1.0,
        Function::Erf => 1.2,
        Function::Tan if value.abs() > 1e4 => return None,
        Function::Tan => 1.0 + value * value,
        Function::Exp => value,
        Function::Sinh | Function::Cosh => x.cosh(),
        Function::Log | Function::Sqrt if x <= 1e5 * a.error => return None,
        Function::Log => 1.0 / x,
        Function::Sqrt => 0.5 / value,
        Function::Sign if x.abs() <= 1e5 * a.error => return None,
        Function::Sign => 0.0,
    };
    let error = slope.abs() * a.error + 4.0 * EPS * value.abs();
    Some(Rounded { value, error })
}

fn look_up(lookup: Lookup, a: Rounded) -> Option<Rounded> {
    let table = table(lookup);
    let at = |x: f64| table.value(&[x], &[0]);
    let value = at(a.value);
    let margin = 1e5 * a.error + 1e-12;
    match lookup {
        Lookup::Linear => Some(Rounded { value, error: 10.0 * a.error + 8.0 * EPS }),
        Lookup::Nearest => (at(a.value - margin) == at(a.value + margin)).then_some(Rounded { value, error: 0.0 }),
    }
}
