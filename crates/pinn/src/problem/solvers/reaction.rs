//! Reaction and diffusion in a rectangle: T u_t + A Δu + R(x, y, t, u) = 0 for each unknown, so that d = −A/T and N = −R/T.

use ropinn_expr::{Expr, MultiIndex, Tape};
use ropinn_reference::spectral::{Reaction, Sides, solve};
use ropinn_reference::{Reference, SolveError};

use super::super::error::ProblemError;
use super::super::solvable::Stated;
use super::super::solved::Plan;
use super::laws::Law;
use super::outline::Outline;
use super::pattern::{is_same, laplacian, number_of, slope};

/// Substances that react and spread.
#[derive(Debug)]
pub(super) struct Substances {
    low: [f64; 2],
    high: [f64; 2],
    sides: Sides,
    diffusivities: Vec<f64>,
    rates: Vec<Tape>,
    initial: Vec<Tape>,
    nodes: usize,
    steps: usize,
}

impl Substances {
    pub fn new(stated: &Stated<'_>, nodes: usize, steps: usize) -> Result<Self, ProblemError> {
        let refuse = |reason: String| ProblemError::NotSolvable {
            solver: "reaction",
            solves: "u_t = d Δu + N(x, y, t, u) for each unknown in a rectangle, periodic or zero at its sides, from t = 0",
            reason,
        };
        let around = stated.around;
        let unknowns = around.scope.unknown_names();
        let equations: Vec<_> = stated.equations().collect();
        let outline = Outline::new(around.geometry).map_err(refuse)?;
        if !outline.is_rectangle() || around.time_axis != Some(2) || around.ranges[2].0 != 0.0 {
            return Err(refuse("the domain is another one".to_owned()));
        }
        if equations.len() != unknowns.len() {
            return Err(refuse(format!("here are {} equations for {} unknowns", equations.len(), unknowns.len())));
        }
        let (mut diffusivities, mut rates, mut initial) = (Vec::new(), Vec::new(), Vec::new());
        for (field, name) in unknowns.iter().enumerate() {
            let rate = MultiIndex::unit(2);
            let own = equations.iter().find_map(|(_, residual)| {
                number_of(residual, field, rate).filter(|factor| *factor != 0.0).map(|factor| (*residual, factor))
            });
            let (residual, factor) = own.ok_or_else(|| refuse(format!("no equation has the rate of `{name}`")))?;
            let along = |axis: usize| number_of(residual, field, MultiIndex::from_axes(&[axis, axis]));
            let second = along(0).ok_or_else(|| refuse(format!("`{name}` spreads differently at different places")))?;
            let rest = residual.substitute_unknowns(|_, alpha| (!alpha.is_zero()).then(|| Expr::constant(0.0)));
            if !is_same(residual, &(factor * slope(field, 2) + second * laplacian(field) + &rest)) {
                return Err(refuse(format!("the equation of `{name}` has other derivatives")));
            }
            diffusivities.push(-second / factor);
            rates.push(Tape::new(&(rest * (-1.0 / factor))));
            let value = stated.initial_value(field);
            initial.push(Tape::new(&value.ok_or_else(|| refuse(format!("`{name}` has no first values")))?));
        }
        let zero = |law: Option<Law>| matches!(law, Some(Law::Value(value)) if value.as_constant() == Some(0.0));
        let all_zero = || outline.tags.iter().all(|tag| (0..unknowns.len()).all(|field| zero(stated.law(field, *tag))));
        let sides = match stated.at_ends() {
            None => Sides::Periodic,
            Some(_) if all_zero() => Sides::Zero,
            Some(condition) => return Err(refuse(format!("condition `{condition}` says something else"))),
        };
        let (low, high) = outline.domain.bounds();
        Ok(Substances { low, high, sides, diffusivities, rates, initial, nodes, steps })
    }
}

impl Plan for Substances {
    fn method(&self) -> &'static str {
        match self.sides {
            Sides::Periodic => "Fourier series",
            Sides::Zero => "sine series",
        }
    }

    fn fields(&self) -> Vec<usize> {
        (0..self.rates.len()).collect()
    }

    fn solve(&self, instants: &[f64]) -> Result<Reference, SolveError> {
        let rates = |at: &[f64; 3], values: &[f64], rates: &mut [f64]| {
            self.rates.iter().zip(rates).for_each(|(tape, rate)| *rate = tape.eval(at, values));
        };
        let initial: Vec<_> = self.initial.iter().map(|tape| move |at: &[f64]| tape.eval(at, &[])).collect();
        let reaction = Reaction {
            low: self.low,
            high: self.high,
            sides: self.sides,
            diffusivities: self.diffusivities.clone(),
            linear: vec![0.0; self.rates.len()],
            rates: &rates,
            initial: initial.iter().map(|value| value as &(dyn Fn(&[f64]) -> f64 + Sync)).collect(),
        };
        solve(&reaction, instants, self.nodes, self.steps)
    }
}
