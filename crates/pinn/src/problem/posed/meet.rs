//! Values compared where conditions meet: on the same place, at the first instant of a boundary, at the edges of a box.
//!
//! A jump from one constant to another at a corner is left unsaid: the lid of a cavity moves and its walls do not, and
//! everybody who writes so knows; so does who sets one side of a body at rest in motion. A formula that misses the value
//! beside it is a mistake more often than not.

use super::super::Problem;
use super::super::doubt::Doubt;
use super::super::place::{piece_name, straight_pieces};
use super::probe::{PROBES, evaluate, on_piece};
use super::statement::{Spot, Statement, Statements};
use ropinn_domain::geometry::Piece;
use ropinn_domain::{BoundaryTag, Layout, Side};

/// Problems with more conditions are not compared pair by pair.
const MAX_CONDITIONS: usize = 128;
/// Values of two places that differ by less than this part of their size meet well enough.
const SMALL: f64 = 1e-2;
/// Values on the same place that differ by less than this are the same.
const SAME: f64 = 1e-6;

/// Conditions that say the same twice, or contradict each other.
pub(super) fn contradictions(problem: &Problem, statements: &Statements) -> Vec<Doubt> {
    let simple: Vec<&Statement> = statements.list.iter().filter(|one| one.only.is_some()).collect();
    let mut doubts: Vec<Doubt> = Vec::new();
    if statements.list.len() > MAX_CONDITIONS {
        return doubts;
    }
    for (k, second) in simple.iter().enumerate() {
        for first in simple[..k].iter().filter(|first| first.only == second.only) {
            let jumps = || meant_to_jump(problem, &simple, first, second);
            let meeting = || if jumps() { None } else { meeting(problem, first, second) };
            let found = same_place(problem, first, second).or_else(meeting);
            doubts.extend(found.filter(|found| !doubts.contains(found)));
        }
    }
    doubts
}

/// The value a condition prescribes at a point: where its residual vanishes, if it is linear.
fn prescribed(problem: &Problem, statement: &Statement, point: &[f64]) -> Option<f64> {
    let [zero, one, two] = [0.0, 1.0, 2.0].map(|u| evaluate(problem, &statement.residual, point, &|_, _, _| u));
    let (slope, next) = (one - zero, two - one);
    let linear = slope.is_finite() && slope.abs() > 1e-12 && (next - slope).abs() <= 1e-9 * slope.abs();
    linear.then(|| -zero / slope).filter(|value| value.is_finite())
}

fn same_place(problem: &Problem, first: &Statement, second: &Statement) -> Option<Doubt> {
    let (points, place) = match (&first.spot, &second.spot) {
        (Spot::Instant(a), Spot::Instant(b)) if a == b => {
            let inside = problem.geometry.sample_interior(PROBES, &Layout::Halton, 0).ok()?.into_coords();
            (
                at_instant(problem, inside, *a),
                if *a == Side::Low { "the first instant" } else { "the last instant" }.into(),
            )
        }
        (Spot::Pieces(own), Spot::Pieces(others)) => {
            let shared = own.iter().copied().filter(|tag| others.contains(tag));
            let mut seen = shared.filter_map(|tag| Some((tag, on_piece(problem, tag)?)));
            let (tag, points) = seen.next()?;
            (points, piece_name(tag, &straight_pieces(&problem.geometry), problem.coordinate_names()))
        }
        _ => return None,
    };
    let mut values = Vec::new();
    for point in points.chunks_exact(problem.ranges.len()) {
        values.push((point, prescribed(problem, first, point)?, prescribed(problem, second, point)?));
    }
    let differ = values.iter().find(|(_, a, b)| (a - b).abs() > SAME * (1.0 + a.abs()));
    Some(match differ {
        Some((point, a, b)) => contradiction(problem, (first, *a), (second, *b), point),
        None => Doubt::Twice {
            first: first.name.clone(),
            second: second.name.clone(),
            unknown: subject(problem, first),
            place,
        },
    })
}

/// Whether a jump between two conditions is an idealisation: both are constants, and at an instant another part of the
/// boundary agrees with what was before.
fn meant_to_jump(problem: &Problem, all: &[&Statement], first: &Statement, second: &Statement) -> bool {
    let middle: Vec<f64> = problem.ranges.iter().map(|(low, high)| 0.5 * (low + high)).collect();
    let constant = |one: &Statement| match one.residual.depends_on_coords() {
        true => None,
        false => prescribed(problem, one, &middle),
    };
    let (Some(_), Some(_)) = (constant(first), constant(second)) else { return false };
    let at_rest = |before: &Statement| {
        let parts = all.iter().filter(|one| one.only == before.only && matches!(one.spot, Spot::Pieces(_)));
        parts.filter_map(|one| constant(one)).any(|value| Some(value) == constant(before))
    };
    match (&first.spot, &second.spot) {
        (Spot::Instant(_), _) => at_rest(first),
        (_, Spot::Instant(_)) => at_rest(second),
        _ => true,
    }
}

/// What two conditions at different places say where these meet.
fn meeting(problem: &Problem, first: &Statement, second: &Statement) -> Option<Doubt> {
    if first.only.is_none_or(|(_, alpha)| !alpha.is_zero())
        || [first, second].iter().any(|one| one.residual.depends_on_trainables())
    {
        return None;
    }
    let points = match (&first.spot, &second.spot) {
        (Spot::Instant(side), Spot::Pieces(pieces)) | (Spot::Pieces(pieces), Spot::Instant(side)) => {
            let on = |tag: &BoundaryTag| on_piece(problem, *tag);
            let points = pieces.iter().take(PROBES).filter_map(on).flatten().collect();
            at_instant(problem, points, *side)
        }
        (Spot::Pieces(own), Spot::Pieces(others)) if problem.geometry.as_box().is_some() => {
            let pairs = own.iter().flat_map(|a| others.iter().map(move |b| (*a, *b)));
            pairs.filter_map(|(a, b)| edge(problem, a, b)).flatten().collect()
        }
        _ => return None,
    };
    let axes = problem.ranges.len();
    let values: Vec<(&[f64], f64, f64)> = points
        .chunks_exact(axes)
        .filter_map(|point| Some((point, prescribed(problem, first, point)?, prescribed(problem, second, point)?)))
        .collect();
    let (point, a, b) = values.into_iter().max_by(|p, q| (p.1 - p.2).abs().total_cmp(&(q.1 - q.2).abs()))?;
    let size = size(problem, first).max(size(problem, second)).max(a.abs()).max(b.abs());
    ((a - b).abs() > SMALL * size).then(|| contradiction(problem, (first, a), (second, b), point))
}

/// The largest value a condition prescribes.
fn size(problem: &Problem, statement: &Statement) -> f64 {
    let points = match &statement.spot {
        Spot::Instant(side) => {
            let inside = problem.geometry.sample_interior(4 * PROBES, &Layout::Halton, 0);
            at_instant(problem, inside.map_or_else(|_| Vec::new(), |points| points.into_coords()), *side)
        }
        Spot::Pieces(pieces) => {
            pieces.iter().take(PROBES).filter_map(|tag| on_piece(problem, *tag)).flatten().collect()
        }
        _ => Vec::new(),
    };
    let values = points.chunks_exact(problem.ranges.len()).filter_map(|point| prescribed(problem, statement, point));
    values.fold(0.0, |largest: f64, value| largest.max(value.abs()))
}

fn at_instant(problem: &Problem, mut coords: Vec<f64>, side: Side) -> Vec<f64> {
    let axes = problem.ranges.len();
    coords.chunks_exact_mut(axes).for_each(|point| point[axes - 1] = end(problem, axes - 1, side));
    coords
}

fn end(problem: &Problem, axis: usize, side: Side) -> f64 {
    let (low, high) = problem.ranges[axis];
    if side == Side::Low { low } else { high }
}

/// Points of the edge between two faces of a box, if they meet.
fn edge(problem: &Problem, a: BoundaryTag, b: BoundaryTag) -> Option<Vec<f64>> {
    let (Piece::Face(own), Piece::Face(other)) = (a.piece, b.piece) else { return None };
    let faces = straight_pieces(&problem.geometry);
    let value = faces.iter().find(|face| face.tag == b)?.value;
    let mut coords = (own.axis != other.axis).then(|| on_piece(problem, a))??;
    coords.chunks_exact_mut(problem.ranges.len()).for_each(|point| point[other.axis] = value);
    Some(coords)
}

/// The unknown or the derivative a condition is about.
fn subject(problem: &Problem, statement: &Statement) -> String {
    let Some((field, alpha)) = statement.only else { return String::new() };
    let along: String = alpha.axes().map(|axis| problem.coordinate_names()[axis].as_str()).collect();
    let name = &problem.unknown_names()[field];
    if along.is_empty() { name.clone() } else { format!("{name}_{along}") }
}

fn contradiction(problem: &Problem, first: (&Statement, f64), second: (&Statement, f64), point: &[f64]) -> Doubt {
    let short = |value: f64| format!("{}", (value * 1e4).round() / 1e4 + 0.0);
    let named = problem.coordinate_names().iter().zip(point);
    let coordinates = named.map(|(name, value)| format!("{name} = {}", short(*value)));
    Doubt::Contradiction {
        first: first.0.name.clone(),
        second: second.0.name.clone(),
        unknown: subject(problem, first.0),
        point: coordinates.collect::<Vec<_>>().join(", "),
        said: short(first.1),
        other: short(second.1),
    }
}
