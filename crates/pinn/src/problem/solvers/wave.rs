//! Waves in a square with mirrors for sides: T u_tt + A Δu = 0, so that c = −A/T.

use ropinn_domain::Side;
use ropinn_expr::{Expr, MultiIndex, Tape};
use ropinn_reference::wave::{self, Wave};
use ropinn_reference::{Reference, SolveError};

use super::super::error::ProblemError;
use super::super::place::Place;
use super::super::solvable::Stated;
use super::super::solved::Plan;
use super::super::term::Support;
use super::Form;
use super::laws::Law;
use super::linear::Linear;
use super::outline::Outline;

/// A wave.
#[derive(Debug)]
pub(super) struct Waves {
    low: [f64; 2],
    high: [f64; 2],
    c: Tape,
    form: Form,
    initial: Tape,
    cells: usize,
}

impl Waves {
    pub fn new(stated: &Stated<'_>, cells: usize, form: Form) -> Result<Self, ProblemError> {
        let refuse = |reason: String| ProblemError::NotSolvable {
            solver: "wave",
            solves: "u_tt = c Δu or u_tt = ∇·(c∇u) in a square, at rest at t = 0, without flux at its sides",
            reason,
        };
        let around = stated.around;
        let equations: Vec<_> = stated.equations().map(|(_, residual)| residual).collect();
        let [equation] = equations[..] else {
            return Err(refuse(format!("here are {} equations", equations.len())));
        };
        let outline = Outline::new(around.geometry).map_err(refuse)?;
        if !outline.is_rectangle() || around.time_axis != Some(2) || around.ranges[2].0 != 0.0 {
            return Err(refuse("the domain is another one".to_owned()));
        }
        let twice = MultiIndex::from_axes(&[2, 2]);
        let linear = Linear::new(equation, 2, Some(twice), form).map_err(refuse)?;
        if [&linear.value, &linear.source].iter().any(|part| part.as_constant() != Some(0.0)) {
            return Err(refuse("the equation has further terms".to_owned()));
        }
        let mirror = |law: Option<Law>| matches!(law, Some(Law::Flux { given, transfer: 0.0 }) if given.as_constant() == Some(0.0));
        if let Some(tag) = outline.tags.iter().find(|tag| !mirror(stated.law(linear.field, **tag))) {
            return Err(refuse(format!("{tag} is no mirror")));
        }
        if !begins_at_rest(stated, linear.field) {
            return Err(refuse("it does not begin at rest".to_owned()));
        }
        let initial = stated.initial_value(linear.field);
        let initial = initial.ok_or_else(|| refuse("the first instant has no values".to_owned()))?;
        let (low, high) = outline.domain.bounds();
        let c = Tape::new(&-(linear.second / linear.rate));
        Ok(Waves { low, high, c, form, initial: Tape::new(&initial), cells })
    }
}

/// Whether a condition says u_t = 0 at the first instant.
fn begins_at_rest(stated: &Stated<'_>, field: usize) -> bool {
    let rate = Expr::unknown(field, MultiIndex::unit(2));
    let first = |support: &Support| match support {
        Support::Places { places, .. } => places[..] == [Place::Instant(Side::Low)],
        _ => false,
    };
    let terms = stated.terms.iter().filter(|(_, support)| first(support));
    let stated_so = terms.flat_map(|(term, _)| &term.residuals).any(|residual| *residual == rate);
    stated_so
        || stated.exact.pins.iter().any(|pin| pin.rate && pin.field == field && pin.value.as_constant() == Some(0.0))
}

impl Plan for Waves {
    fn method(&self) -> &'static str {
        "spectral elements"
    }

    fn fields(&self) -> Vec<usize> {
        vec![0]
    }

    fn solve(&self, instants: &[f64]) -> Result<Reference, SolveError> {
        let (c, initial) = (|at: &[f64]| self.c.eval(at, &[]), |at: &[f64]| self.initial.eval(at, &[]));
        let form = match self.form {
            Form::Plain => wave::Form::Plain,
            Form::Divergence => wave::Form::Divergence,
        };
        let wave = Wave { low: self.low, high: self.high, c: &c, form, initial: &initial };
        wave::solve(&wave, instants, self.cells)
    }
}
