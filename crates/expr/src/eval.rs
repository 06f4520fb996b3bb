//! The reference interpreter: one point at a time, plain and slow, the oracle that faster evaluators are tested against;
//! and the same over rows of points, for solvers that need an expression on a whole grid again and again.

use crate::function::power_value;
use crate::traverse::fold;
use crate::{Expr, MultiIndex, Node};
use std::rc::Rc;

type CoordAt<'a> = Box<dyn Fn(usize, usize) -> f64 + 'a>;
type UnknownAt<'a> = Box<dyn Fn(usize, MultiIndex, usize) -> f64 + 'a>;

/// The values an expression is evaluated with. What is missing reads as NaN.
///
/// ```
/// use ropinn_expr::{Env, Scope};
/// let scope = Scope::new(["x"], ["u"])?;
/// let residual = scope.parse("u_x - 2*x*u")?;
/// // u = exp(x²) solves it: u_x = 2xu.
/// let x = 0.5_f64;
/// let point = [x];
/// let u = (x * x).exp();
/// let env = Env::at(&point).with_unknowns(|_field, alpha, _site| if alpha.is_zero() { u } else { 2.0 * x * u });
/// assert_eq!(residual.eval(&env), 0.0);
/// # Ok::<(), ropinn_expr::Error>(())
/// ```
pub struct Env<'a> {
    coord: CoordAt<'a>,
    unknown: UnknownAt<'a>,
    trainables: &'a [f64],
    data: &'a [f64],
}

impl<'a> Env<'a> {
    /// The coordinates of a point, the same at every site.
    pub fn at(point: &'a [f64]) -> Self {
        Env {
            coord: Box::new(|axis, _| entry(point, axis)),
            unknown: Box::new(|_, _, _| f64::NAN),
            trainables: &[],
            data: &[],
        }
    }

    /// Coordinates by (axis, site).
    pub fn with_coords(mut self, coord: impl Fn(usize, usize) -> f64 + 'a) -> Self {
        self.coord = Box::new(coord);
        self
    }

    /// Unknowns by (field, derivative, site).
    pub fn with_unknowns(mut self, unknown: impl Fn(usize, MultiIndex, usize) -> f64 + 'a) -> Self {
        self.unknown = Box::new(unknown);
        self
    }

    /// The trainable scalars.
    pub fn with_trainables(mut self, trainables: &'a [f64]) -> Self {
        self.trainables = trainables;
        self
    }

    /// The data columns' values at this point.
    pub fn with_data(mut self, data: &'a [f64]) -> Self {
        self.data = data;
        self
    }
}

fn entry(values: &[f64], k: usize) -> f64 {
    values.get(k).copied().unwrap_or(f64::NAN)
}

impl Expr {
    /// The value in an environment; NaN outside the domain of a function or where the environment has no value.
    pub fn eval(&self, env: &Env) -> f64 {
        fold(self, |expr, v: &[f64]| match expr.node() {
            Node::Const(c) => *c,
            Node::Coord { axis, site } => (env.coord)(*axis, *site),
            Node::Unknown { field, alpha, site } => (env.unknown)(*field, *alpha, *site),
            Node::Trainable(k) => entry(env.trainables, *k),
            Node::Data(k) => entry(env.data, *k),
            Node::Add(_) => v.iter().sum(),
            Node::Mul(_) => v.iter().product(),
            Node::Pow(..) => power_value(v[0], v[1]),
            Node::Unary(f, _) => f.apply(v[0]),
            Node::Min(..) => {
                if v[0] <= v[1] {
                    v[0]
                } else {
                    v[1]
                }
            }
            Node::Max(..) => {
                if v[0] >= v[1] {
                    v[0]
                } else {
                    v[1]
                }
            }
            Node::Where(cond, ..) => {
                let (compared, branches) = v.split_at(v.len() - 2);
                let holds = cond.decide(&mut compared.iter().copied());
                branches[usize::from(!holds)]
            }
            Node::Table { table, orders, .. } => table.value(v, orders),
        })
    }

    /// The values at `count` points, one operation after the other over all of them. `leaf` gives those of coordinates,
    /// unknowns, trainable scalars and data; a row of one number stands for as many as there are points.
    ///
    /// ```
    /// use ropinn_expr::{Node, Scope};
    /// let square = Scope::new(["x"], ["u"])?.parse("3 + x^2")?;
    /// assert_eq!(square.eval_rows(2, &|_| [1.0, 2.0].into())[..], [4.0, 7.0]);
    /// # Ok::<(), ropinn_expr::Error>(())
    /// ```
    pub fn eval_rows(&self, count: usize, leaf: &dyn Fn(&Node) -> Rc<[f64]>) -> Rc<[f64]> {
        let at = |row: &[f64], i: usize| if row.len() == 1 { row[0] } else { row[i] };
        let each = |f: &dyn Fn(usize) -> f64| (0..count).map(f).collect::<Rc<[f64]>>();
        let combined = |rows: &[Rc<[f64]>], first: f64, join: fn(f64, f64) -> f64| {
            let mut result = vec![first; count];
            for row in rows {
                match **row {
                    [one] => result.iter_mut().for_each(|y| *y = join(*y, one)),
                    _ => result.iter_mut().zip(row.iter()).for_each(|(y, x)| *y = join(*y, *x)),
                }
            }
            Rc::from(result)
        };
        let row = fold(self, |expr, v: &[Rc<[f64]>]| match expr.node() {
            Node::Const(c) => [*c].into(),
            Node::Add(_) => combined(v, 0.0, |a, b| a + b),
            Node::Mul(_) => combined(v, 1.0, |a, b| a * b),
            Node::Pow(..) => each(&|i| power_value(at(&v[0], i), at(&v[1], i))),
            Node::Unary(f, _) => v[0].iter().map(|x| f.apply(*x)).collect(),
            Node::Min(..) => each(&|i| if at(&v[0], i) <= at(&v[1], i) { at(&v[0], i) } else { at(&v[1], i) }),
            Node::Max(..) => each(&|i| if at(&v[0], i) >= at(&v[1], i) { at(&v[0], i) } else { at(&v[1], i) }),
            Node::Where(cond, ..) => {
                let (compared, branches) = v.split_at(v.len() - 2);
                each(&|i| {
                    let holds = cond.decide(&mut compared.iter().map(|row| at(row, i)));
                    at(&branches[usize::from(!holds)], i)
                })
            }
            Node::Table { table, orders, .. } => {
                each(&|i| table.value(&v.iter().map(|row| at(row, i)).collect::<Vec<_>>(), orders))
            }
            leaves => leaf(leaves),
        });
        if row.len() == count { row } else { each(&|i| at(&row, i)) }
    }
}
