//! From residuals to u_t = Lu + N(u): terms are looked at one by one once products are multiplied out.

use super::error::FourierError;
use super::phi::MAX_UNKNOWNS;
use ropinn_expr::{Expr, MultiIndex, Node, Scope};

/// An evolution in one periodic coordinate, whose equations have been found to be of this kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Evolution {
    pub(super) initial: Vec<Expr>,
    /// (unknown of the rate, unknown, order along x, factor): the entries of L.
    pub(super) linear: Vec<(usize, usize, u32, f64)>,
    /// N, one for each unknown.
    pub(super) nonlinear: Vec<Expr>,
    pub(super) space: (f64, f64),
    pub(super) time: (f64, f64),
    pub(super) time_name: String,
}

/// The axes: space first, then time.
pub(super) const TIME: usize = 1;

impl Evolution {
    /// Solves the equations, by name, for the time derivatives. Coordinates are space and time in this order, with these ranges;
    /// `initial` has the first values, in the order of the unknowns.
    ///
    /// ```
    /// use ropinn_expr::Scope;
    /// use ropinn_reference::fourier::{Evolution, Resolution};
    /// let scope = Scope::new(["x", "t"], ["u"])?;
    /// let (heat, start) = (scope.parse("u_t - 0.1*u_xx")?, scope.parse("sin(x)")?);
    /// let turn = std::f64::consts::TAU;
    /// let evolution = Evolution::new(&scope, &[("heat", &heat)], vec![start], &[(0.0, turn), (0.0, 1.0)])?;
    /// let solution = evolution.solve(Resolution { modes: 16, steps: 1 })?;
    /// assert!((solution.values(&[1.0, 0.5])[0] - 1.0_f64.sin() * (-0.05_f64).exp()).abs() < 1e-14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        scope: &Scope,
        equations: &[(&str, &Expr)],
        initial: Vec<Expr>,
        ranges: &[(f64, f64)],
    ) -> Result<Self, FourierError> {
        let unknowns = scope.unknown_names().len();
        let &[space, time] = ranges else {
            return Err(FourierError::Coordinates { coordinates: scope.coord_names().join(", ") });
        };
        if equations.len() != unknowns {
            return Err(FourierError::Equations { equations: equations.len(), unknowns });
        }
        if unknowns > MAX_UNKNOWNS {
            return Err(FourierError::Unknowns { unknowns, limit: MAX_UNKNOWNS });
        }
        let (rates, rest): (Vec<_>, Vec<_>) =
            equations.iter().map(|equation| split(scope, equation)).collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        let inverse = inverse(rates).ok_or(FourierError::Singular)?;
        let (mut linear, mut nonlinear) = (Vec::new(), Vec::new());
        for (rate, row) in inverse.iter().enumerate() {
            let solved: Expr = row.iter().zip(&rest).map(|(factor, rest)| rest * -*factor).sum();
            let (own, others): (Vec<Expr>, Vec<Expr>) =
                terms(&solved.expand()).into_iter().partition(|term| simple(term).is_some());
            let entry =
                |term: &Expr| simple(term).map(|(factor, field, alpha)| (rate, field, u32::from(alpha.get(0)), factor));
            linear.extend(own.iter().filter_map(entry));
            nonlinear.push(others.into_iter().sum());
        }
        Ok(Self { initial, linear, nonlinear, space, time, time_name: scope.coord_names()[TIME].clone() })
    }
}

/// The factors of the time derivatives in an equation, and all its other terms.
fn split(scope: &Scope, (name, residual): &(&str, &Expr)) -> Result<(Vec<f64>, Expr), FourierError> {
    let equation = || (*name).to_owned();
    if residual.depends_on_trainables() {
        return Err(FourierError::Trainable { equation: equation() });
    }
    let mut rates = vec![0.0; scope.unknown_names().len()];
    let mut rest = Vec::new();
    for term in terms(&residual.expand()) {
        let in_time = term.unknowns().into_iter().find(|(_, alpha, _)| alpha.get(TIME) > 0);
        match (in_time, simple(&term)) {
            (None, _) => rest.push(term),
            (Some((field, alpha, _)), _) if alpha.order() > 1 => {
                let unknown = scope.unknown_names()[field].clone();
                return Err(FourierError::Order { equation: equation(), unknown, order: alpha.order() });
            }
            (Some(_), Some((factor, field, _))) => rates[field] += factor,
            (Some(_), None) => {
                let term = term.display(scope).to_string();
                return Err(FourierError::Factor { equation: equation(), term });
            }
        }
    }
    Ok((rates, rest.into_iter().sum()))
}

fn terms(expr: &Expr) -> Vec<Expr> {
    match expr.node() {
        Node::Add(terms) => terms.clone(),
        Node::Const(zero) if *zero == 0.0 => Vec::new(),
        _ => vec![expr.clone()],
    }
}

/// (c, u, α) of a term c ∂^α u.
fn simple(term: &Expr) -> Option<(f64, usize, MultiIndex)> {
    match term.node() {
        Node::Unknown { field, alpha, .. } => Some((1.0, *field, *alpha)),
        Node::Mul(factors) => match &factors[..] {
            [factor, derivative] => {
                let (one, field, alpha) = simple(derivative)?;
                Some((factor.as_constant()? * one, field, alpha))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The inverse of a small matrix by Gauss–Jordan elimination with pivots.
fn inverse(mut a: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let n = a.len();
    a.iter_mut().enumerate().for_each(|(i, row)| row.extend((0..n).map(|j| f64::from(u8::from(i == j)))));
    for column in 0..n {
        let pivot = (column..n).max_by(|&i, &j| a[i][column].abs().total_cmp(&a[j][column].abs()))?;
        a.swap(column, pivot);
        let head = a[column][column];
        if head == 0.0 {
            return None;
        }
        a[column].iter_mut().for_each(|entry| *entry /= head);
        let own = a[column].clone();
        for (_, row) in a.iter_mut().enumerate().filter(|(i, _)| *i != column) {
            let factor = row[column];
            row.iter_mut().zip(&own).for_each(|(entry, own)| *entry -= factor * own);
        }
    }
    Some(a.into_iter().map(|row| row[n..].to_vec()).collect())
}
