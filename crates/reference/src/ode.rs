//! Systems of ordinary differential equations F(t, u, u′) = 0, linear in u′, from values at the beginning.
//!
//! u′ follows from a small linear system at every stage; classical Runge–Kutta steps of fourth order, cubic Hermite polynomials
//! between them. The error is the largest difference to half as many steps, relative to the size of the unknown.

use ropinn_expr::{Env, Expr};

/// The largest error that is accepted: references are known better than networks find them.
const ACCURATE: f64 = 1e-6;

/// The most steps.
pub const MAX_STEPS: usize = 10_000_000;

/// A system with its beginning.
#[derive(Clone, Debug)]
pub struct System {
    equations: Vec<Expr>,
    start: Vec<f64>,
    range: (f64, f64),
}

/// Why a system has no solution to compare with.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "messages name every field")]
pub enum OdeError {
    /// Another kind of problem.
    #[error(
        "an `ode` reference solves as many equations of first order as there are unknowns, along the only coordinate: {reason}"
    )]
    Equations { reason: String },
    /// A number of steps out of bounds.
    #[error("`steps` of the `ode` reference is {steps}; between 2 and {MAX_STEPS} are possible")]
    Steps { steps: usize },
    /// Numbers that run away.
    #[error("the `ode` reference is not finite beyond {at}; check `start`, or end the range before")]
    NotFinite { at: f64 },
    /// Steps that are too long.
    #[error(
        "the `ode` reference is not accurate: with {steps} steps it is off by {error:.1e} of its size; raise `steps`"
    )]
    Inaccurate { steps: usize, error: f64 },
}

/// Values along the coordinate.
#[derive(Clone, Debug)]
pub struct Solution {
    from: f64,
    step: f64,
    /// u and u′ at each node.
    nodes: Vec<(Vec<f64>, Vec<f64>)>,
    error: f64,
}

impl System {
    /// Equations by their residuals, linear in first derivatives, and the values they begin with.
    pub fn new(equations: Vec<Expr>, start: Vec<f64>, range: (f64, f64)) -> Result<Self, OdeError> {
        let refuse = |reason: String| Err(OdeError::Equations { reason });
        if equations.len() != start.len() {
            return refuse(format!("there are {} equations for {} unknowns", equations.len(), start.len()));
        }
        if equations.iter().any(|equation| equation.depends_on_trainables()) {
            return refuse("a number is to be found; say what it is, for example: truth = 2".to_owned());
        }
        let high = |equation: &Expr| equation.unknowns().iter().any(|(_, alpha, _)| alpha.order() > 1);
        match equations.iter().any(high) {
            true => refuse("there is a second derivative; make it an unknown of its own".to_owned()),
            false => Ok(Self { equations, start, range }),
        }
    }

    /// Steps through the range, and again with half as many steps.
    pub fn solve(&self, steps: usize) -> Result<Solution, OdeError> {
        if !(2..=MAX_STEPS).contains(&steps) {
            return Err(OdeError::Steps { steps });
        }
        let steps = steps.next_multiple_of(2);
        let (coarse, mut fine) = (self.stepped(steps / 2)?, self.stepped(steps)?);
        for unknown in 0..self.start.len() {
            let size = fine.nodes.iter().fold(0.0, |size: f64, (u, _)| size.max(u[unknown].abs()));
            let pairs = coarse.nodes.iter().zip(fine.nodes.iter().step_by(2));
            let off = pairs.fold(0.0, |off: f64, ((a, _), (b, _))| off.max((a[unknown] - b[unknown]).abs()));
            fine.error = fine.error.max(off / size.max(f64::MIN_POSITIVE));
        }
        match fine.error <= ACCURATE {
            true => Ok(fine),
            false => Err(OdeError::Inaccurate { steps, error: fine.error }),
        }
    }

    fn stepped(&self, steps: usize) -> Result<Solution, OdeError> {
        let (from, to) = self.range;
        let step = (to - from) / steps as f64;
        let moved =
            |u: &[f64], slope: &[f64], by: f64| u.iter().zip(slope).map(|(u, v)| u + by * v).collect::<Vec<f64>>();
        let mut u = self.start.clone();
        let mut nodes = Vec::with_capacity(steps + 1);
        for k in 0..=steps {
            let t = from + k as f64 * step;
            let a = self.rate(t, &u);
            if a.iter().chain(&u).any(|value| !value.is_finite()) {
                return Err(OdeError::NotFinite { at: t });
            }
            nodes.push((u.clone(), a.clone()));
            let b = self.rate(t + 0.5 * step, &moved(&u, &a, 0.5 * step));
            let c = self.rate(t + 0.5 * step, &moved(&u, &b, 0.5 * step));
            let d = self.rate(t + step, &moved(&u, &c, step));
            for (i, u) in u.iter_mut().enumerate() {
                *u += step / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
            }
        }
        Ok(Solution { from, step, nodes, error: 0.0 })
    }

    /// u′ at an instant: F is linear in it, so its matrix has the differences of F when one of them moves.
    fn rate(&self, t: f64, u: &[f64]) -> Vec<f64> {
        let n = u.len();
        let residuals = |moved: Option<usize>, by: f64| -> Vec<f64> {
            let value = |field: usize, alpha: ropinn_expr::MultiIndex, _: usize| match alpha.is_zero() {
                true => u[field],
                false if moved == Some(field) => by,
                false => 0.0,
            };
            self.equations.iter().map(|equation| equation.eval(&Env::at(&[t]).with_unknowns(value))).collect()
        };
        let rest = residuals(None, 0.0);
        // As large as the rest, or their difference would have no digits.
        let size = rest.iter().fold(1.0, |size: f64, r| size.max(r.abs()));
        let units: Vec<Vec<f64>> = (0..n).map(|column| residuals(Some(column), size)).collect();
        let row = |k: usize| units.iter().map(|with| (with[k] - rest[k]) / size).chain([-rest[k]]).collect();
        let rows = (0..n).map(row).collect();
        solved(rows)
    }
}

/// Gauss's elimination with pivots on rows of a matrix and its right-hand side; not finite if it is singular.
fn solved(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for column in 0..n {
        let best = (column..n).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()));
        rows.swap(column, best.unwrap_or(column));
        let pivot = rows[column].clone();
        for row in (0..n).filter(|row| *row != column) {
            let factor = rows[row][column] / pivot[column];
            rows[row].iter_mut().zip(&pivot).for_each(|(entry, pivot)| *entry -= factor * pivot);
        }
    }
    (0..n).map(|row| rows[row][n] / rows[row][row]).collect()
}

impl Solution {
    /// Values `[instant][unknown]`.
    pub fn values(&self, instants: &[f64]) -> Vec<f64> {
        instants.iter().flat_map(|t| self.at(*t)).collect()
    }

    fn at(&self, t: f64) -> Vec<f64> {
        let place = ((t - self.from) / self.step).clamp(0.0, (self.nodes.len() - 1) as f64);
        let k = (place as usize).min(self.nodes.len() - 2);
        let (s, h) = (place - k as f64, self.step);
        let ((a, da), (b, db)) = (&self.nodes[k], &self.nodes[k + 1]);
        let hermite = |i: usize| {
            let (s2, s3) = (s * s, s * s * s);
            (2.0 * s3 - 3.0 * s2 + 1.0) * a[i]
                + (s3 - 2.0 * s2 + s) * h * da[i]
                + (3.0 * s2 - 2.0 * s3) * b[i]
                + (s3 - s2) * h * db[i]
        };
        (0..a.len()).map(hermite).collect()
    }

    /// How far it is off, relative to its size.
    pub fn error(&self) -> f64 {
        self.error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropinn_expr::Scope;

    fn system(equations: &[&str], start: &[f64], end: f64) -> Result<System, OdeError> {
        let scope = Scope::new(["t"], ["u", "v"]).unwrap();
        System::new(equations.iter().map(|text| scope.parse(text).unwrap()).collect(), start.to_vec(), (0.0, end))
    }

    #[test]
    fn an_oscillation_is_met_between_the_nodes_too() {
        // u′ and v′ stand in both equations.
        let solution =
            system(&["u_t + v_t - v + u", "u_t - v_t - v - u"], &[0.0, 1.0], 3.0).unwrap().solve(2000).unwrap();
        let instants = [0.0, 0.37, 1.234567, 3.0];
        for (t, found) in instants.iter().zip(solution.values(&instants).chunks_exact(2)) {
            assert!((found[0] - t.sin()).abs() < 1e-11 && (found[1] - t.cos()).abs() < 1e-11, "{found:?} at {t}");
        }
        assert!(solution.error() < 1e-9);
    }

    #[test]
    fn what_cannot_be_is_said() {
        let error =
            |equations: &[&str], steps| system(equations, &[1.0, 0.0], 20.0).and_then(|s| s.solve(steps)).unwrap_err();
        assert!(matches!(error(&["u_t - v"], 100), OdeError::Equations { .. }));
        assert!(matches!(error(&["u_tt - v", "v_t"], 100), OdeError::Equations { .. }));
        assert!(matches!(error(&["u_t - u^2", "v_t"], 100), OdeError::NotFinite { .. }));
        assert!(matches!(error(&["u_t - v", "v_t + 100*u"], 40), OdeError::Inaccurate { .. }));
        assert!(matches!(error(&["u_t - v", "v_t + u"], 1), OdeError::Steps { steps: 1 }));
    }
}
