//! Flows: under a lid, over a step, through a channel whose inlet turns.

use super::{Checked, known};
use ropinn_reference::SolveError;
use ropinn_reference::flow::{Flow, FlowCondition, steady, unsteady};
use ropinn_reference::plane::Domain;
use std::f64::consts::PI;

const STILL: FlowCondition<'static> = FlowCondition::Velocity([&|_| 0.0, &|_| 0.0]);

pub fn cavity() -> Result<Checked, SolveError> {
    let lid = FlowCondition::Velocity([&|x| 4.0 * x[0] * (1.0 - x[0]), &|_| 0.0]);
    let flow = Flow {
        domain: Domain::rectangle([0.0, 0.0], [1.0, 1.0], Vec::new())?,
        viscosity: 0.01,
        force: [&|_| 0.0, &|_| 0.0],
        conditions: vec![STILL, STILL, lid, STILL],
        pressure_zero_at: Some([0.0, 0.0]),
    };
    let wanted = [
        ([0.5, 0.5], [-0.17876, 0.05439, -0.02762]),
        ([0.24657, 0.5], [-0.07233, 0.15390, -0.01752]),
        ([1.0, 1.0], [0.0, 0.0, 0.575]),
        ([0.0, 1.0], [0.0, 0.0, -0.374]),
    ];
    Ok((steady(&flow, 0.008)?, known(&wanted)))
}

/// Flow comes back in through the outlet, as the problem has it.
pub fn step() -> Result<Checked, SolveError> {
    over_step(FlowCondition::Outlet)
}

/// The known values are those of a solver that resists what comes back in; how much was found by trial.
pub fn resisted_step() -> Result<Checked, SolveError> {
    over_step(FlowCondition::ResistingOutlet { suction: 1.5 })
}

fn over_step(outlet: FlowCondition) -> Result<Checked, SolveError> {
    let inlet = FlowCondition::Velocity([&|x| 4.0 * x[1] * (1.0 - x[1]), &|_| 0.0]);
    let outline = vec![[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, 2.0], [2.0, 1.0], [0.0, 1.0]];
    let flow = Flow {
        domain: Domain::new(outline, Vec::new())?,
        viscosity: 0.01,
        force: [&|_| 0.0, &|_| 0.0],
        conditions: vec![STILL, outlet, STILL, STILL, STILL, inlet],
        pressure_zero_at: None,
    };
    let wanted = [
        ([0.0, 0.5], [1.0, 0.0, 0.1134]),
        ([2.00306, 0.48935], [0.98428, 0.04156, -0.03368]),
        ([2.98834, 0.50686], [0.87764, 0.08307, -0.03148]),
        ([3.00965, 1.50158], [-0.05246, -0.02091, -0.05068]),
        ([4.0, 1.0], [0.788, 0.0, 0.0]),
    ];
    Ok((steady(&flow, 0.02)?, known(&wanted)))
}

pub fn channel() -> Result<Checked, SolveError> {
    let speed = |x: &[f64]| {
        let waves = (PI * x[2]).sin() + (3.0 * PI * x[2]).sin() + (5.0 * PI * x[2]).sin();
        (PI * x[1]).sin() * waves
    };
    let force = |x: &[f64]| -(PI * x[0]).sin() * (PI * x[1]).sin() * (PI * x[2]).sin();
    let flow = Flow {
        domain: Domain::rectangle([0.0, 0.0], [2.0, 1.0], Vec::new())?,
        viscosity: 0.01,
        force: [&|_| 0.0, &force],
        conditions: vec![STILL, FlowCondition::Outlet, STILL, FlowCondition::Velocity([&speed, &|_| 0.0])],
        pressure_zero_at: None,
    };
    let instants: Vec<f64> = (0..=50).map(|k| 0.1 * f64::from(k)).collect();
    let points = [[0.5, 0.5, 1.0], [1.0, 0.5, 1.0], [1.0, 0.25, 3.3], [1.8, 0.7, 5.0]];
    let wanted = points.map(|point| (point, [f64::NAN; 3]));
    Ok((unsteady(&flow, &instants, 4000, 0.02)?, known(&wanted)))
}
