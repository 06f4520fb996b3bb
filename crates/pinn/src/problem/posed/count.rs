//! Conditions counted along each coordinate and on each piece of the boundary.
//!
//! Along time, along the axes of a box and for an ordinary differential equation conditions at both ends count together:
//! a wave takes two at one end, a string one at each, flow through a pipe one at its entrance. What is left of an even
//! order is half of it at each end, which is what every piece of another shape asks for.

use super::super::Problem;
use super::super::doubt::Doubt;
use super::super::place::{piece_name, straight_pieces};
use super::order::{Orders, degenerate};
use super::probe::{MAX_PIECES, ends, evaluate, on_piece, some_value};
use super::statement::{Spot, Statement, Statements};
use ropinn_domain::geometry::Piece;
use ropinn_domain::{BoundaryTag, Side};
use ropinn_expr::MultiIndex;
use std::collections::BTreeSet;

/// A condition at an end of a coordinate, or at both at once.
struct Given<'a> {
    statement: &'a Statement,
    side: Option<Side>,
}

/// The conditions that count along a coordinate, each once.
fn given<'a>(problem: &Problem, statements: &'a Statements, axis: usize) -> Vec<Given<'a>> {
    let mut found: Vec<Given<'a>> = Vec::new();
    for statement in &statements.list {
        let sides: Vec<Option<Side>> = match &statement.spot {
            Spot::Instant(side) if problem.time_axis == Some(axis) => vec![Some(*side)],
            Spot::Pair(along) if *along == axis => vec![None],
            Spot::Pieces(pieces) if problem.time_axis != Some(axis) => {
                let across = |tag: &BoundaryTag| match tag.piece {
                    Piece::Face(face) if face.axis == axis => Some(Some(face.side)),
                    _ => None,
                };
                pieces.iter().filter_map(across).collect()
            }
            _ => Vec::new(),
        };
        for side in sides {
            let known = |other: &Given| other.side == side && side.is_some() && same(other.statement, statement);
            if !found.iter().any(known) {
                found.push(Given { statement, side });
            }
        }
    }
    found
}

/// Whether two conditions are about the same and so count as one.
fn same(a: &Statement, b: &Statement) -> bool {
    (a.only.is_some() && a.only == b.only) || a.residual == b.residual
}

/// What the equations leave open.
pub(super) fn missing(problem: &Problem, orders: &Orders, statements: &Statements) -> Vec<Doubt> {
    let Some(system) = orders.system.as_ref().filter(|_| !statements.observed) else {
        return Vec::new();
    };
    let is_box = problem.geometry.as_box().is_some();
    let mut doubts = Vec::new();
    let mut short = BTreeSet::new();
    for (axis, &order) in system.iter().enumerate() {
        // Some of too many equations follow from others, and nobody knows which.
        let order = if orders.redundant { order.min(1) } else { order };
        let countable = is_box || problem.time_axis == Some(axis);
        // A reading may be where the rays of a first-order equation come from.
        let measured = order == 1
            && problem.time_axis != Some(axis)
            && statements.list.iter().any(|one| one.spot == Spot::Measured);
        let given = given(problem, statements, axis);
        if !countable || measured || problem.exact.periodic[axis] || given.len() >= order as usize {
            continue;
        }
        let dropped =
            [Side::Low, Side::High].into_iter().filter(|&side| degenerate(problem, orders, axis, side)).count();
        if given.len() + dropped < order as usize {
            short.insert(axis);
            doubts.push(lacking(problem, orders, axis, order, &given));
        }
    }
    doubts.extend(open_parts(problem, orders, statements, &short));
    doubts
}

fn lacking(problem: &Problem, orders: &Orders, axis: usize, order: u32, given: &[Given]) -> Doubt {
    let about = |field: usize| given.iter().filter(|one| one.statement.fields.contains(&field)).count();
    let short = |field: usize| about(field) < orders.highest(field, axis) as usize;
    // A pressure finds its values from the velocities, which are of a higher order.
    let top = (0..problem.solved_unknowns()).filter(|&field| short(field)).map(|field| orders.highest(field, axis));
    let least = top.max().map_or(1, |top| top.min(2));
    let any = (0..problem.solved_unknowns()).any(short);
    let unknowns = problem.quoted(|field| (short(field) || !any) && orders.highest(field, axis) >= least);
    let name = &problem.coordinate_names()[axis];
    let (low, high) = ends(problem, axis);
    let is_time = problem.time_axis == Some(axis);
    let place = match is_time {
        true => "at an instant".to_owned(),
        false if order == 1 => format!("at {name} = {low} or {name} = {high}"),
        false => format!("at the ends {name} = {low} and {name} = {high}"),
    };
    let paired = given.iter().any(|one| one.side.is_none());
    let advice = match () {
        () if paired => format!("leave out `orders`, so that every derivative below order {order} is matched"),
        () if is_time && given.is_empty() => "add one with kind = \"initial\" and the value".to_owned(),
        () if is_time => format!("add one with kind = \"initial\", derivative = \"{name}\" and the value"),
        () if problem.ranges.len() == 1 => "add one with kind = \"initial\", or with at = one of the ends".to_owned(),
        () => format!("add what holds there, or kind = \"periodic\" with along = \"{name}\""),
    };
    let given = match given.len() {
        0 => "none is".to_owned(),
        1 => "only 1 is".to_owned(),
        count => format!("only {count} are"),
    };
    Doubt::Missing { coordinate: name.clone(), unknowns, place, order, needed: conditions(order), given, advice }
}

fn conditions(count: u32) -> String {
    format!("{count} condition{}", if count == 1 { "" } else { "s" })
}

/// Pieces of the boundary with fewer conditions than half the order of the equations across them.
fn open_parts(problem: &Problem, orders: &Orders, statements: &Statements, short: &BTreeSet<usize>) -> Vec<Doubt> {
    let space = problem.geometry.space_dim();
    let is_box = problem.geometry.as_box().is_some();
    // The second coordinate of a box may be time under another name, with all conditions at its beginning.
    if is_box && problem.time_axis.is_none() && !elliptic(problem, orders) {
        return Vec::new();
    }
    let on = |tag: BoundaryTag| {
        let mut found: Vec<&Statement> = Vec::new();
        for statement in statements.list.iter().filter(|statement| statement.holds_on(tag)) {
            if !found.iter().any(|other| same(other, statement)) {
                found.push(statement);
            }
        }
        found
    };
    let paired = |axis: usize| {
        problem.exact.periodic[axis] || statements.list.iter().any(|statement| statement.spot == Spot::Pair(axis))
    };
    let everywhere = (0..space).map(|axis| orders.per_end(axis)).min().unwrap_or(0);
    let halves = |field: usize| (0..space).any(|axis| orders.highest(field, axis) > 0);
    let open = |place: String, wanted: u32, found: &[&Statement]| {
        let lacks = |field: usize| halves(field) && !found.iter().any(|one| one.fields.contains(&field));
        let any = (0..problem.solved_unknowns()).any(lacks);
        let unknowns = problem.quoted(|field| if any { lacks(field) } else { halves(field) });
        let given = match found.len() {
            0 => "no condition is".to_owned(),
            1 => "only 1 condition is".to_owned(),
            count => format!("only {count} conditions are"),
        };
        Doubt::OpenPart { place, unknowns, needed: conditions(wanted), given }
    };
    let bare = !statements.list.iter().any(|one| matches!(one.spot, Spot::Pieces(_) | Spot::Pair(_)));
    if !is_box && bare && everywhere > 0 {
        return vec![open("boundary".to_owned(), everywhere, &[])];
    }
    if orders.redundant || statements.pieces.len() > MAX_PIECES {
        return Vec::new();
    }
    let straight = straight_pieces(&problem.geometry);
    let check = |&tag: &BoundaryTag| {
        let across = straight.iter().find(|piece| piece.tag == tag).map(|piece| piece.axis);
        if across.is_some_and(|axis| paired(axis) || short.contains(&axis)) {
            return None;
        }
        let wanted = across.filter(|_| is_box).map_or(everywhere, |axis| orders.per_end(axis));
        let found = on(tag);
        if found.len() >= wanted as usize {
            return None;
        }
        let drops_out = match (tag.piece, is_box) {
            (Piece::Face(face), true) => degenerate(problem, orders, face.axis, face.side),
            _ => false,
        };
        // A piece may lie inside another solid altogether.
        let seen = on_piece(problem, tag).is_some();
        let place = || piece_name(tag, &straight, problem.coordinate_names());
        (seen && !drops_out).then(|| open(place(), wanted, &found))
    };
    let mut doubts: Vec<Doubt> = statements.pieces.iter().filter_map(check).collect();
    doubts.dedup();
    doubts
}

/// Whether the only equation has the second derivatives along all coordinates with the same sign.
fn elliptic(problem: &Problem, orders: &Orders) -> bool {
    let axes = problem.ranges.len();
    let mut equations = problem.equations();
    let (Some((_, residual)), None) = (equations.next(), equations.next()) else { return false };
    if problem.unknown_names().len() > 1 || axes < 2 || (0..axes).any(|axis| orders.highest(0, axis) != 2) {
        return false;
    }
    let point: Vec<f64> = problem.ranges.iter().map(|(low, high)| low + 0.37 * (high - low)).collect();
    let signs = (0..axes).map(|axis| {
        let second = MultiIndex::unit(axis).plus(axis);
        let [a, b] = [0.0, 1.0].map(|by| {
            let added = |alpha: MultiIndex| if alpha == second { by } else { 0.0 };
            evaluate(problem, residual, &point, &|field, alpha, _| some_value(field, alpha) + added(alpha))
        });
        b - a
    });
    let signs: Vec<f64> = signs.collect();
    signs.iter().all(|sign| sign * signs[0] > 0.0)
}

/// Conditions that there is no room for. Numbers to be trained and measured values make room.
pub(super) fn too_many(problem: &Problem, orders: &Orders, statements: &Statements) -> Vec<Doubt> {
    if statements.observed
        || !(problem.trainables.is_empty() && problem.fields.is_empty())
        || orders.redundant
        || orders.system.is_none()
    {
        return Vec::new();
    }
    let is_box = problem.geometry.as_box().is_some();
    let mut doubts = Vec::new();
    for axis in 0..problem.ranges.len() {
        if !is_box && problem.time_axis != Some(axis) {
            continue;
        }
        let given = given(problem, statements, axis);
        let coordinate = problem.coordinate_names()[axis].clone();
        let room = orders.sum(axis);
        if room == 0 {
            let stray: Vec<&Statement> =
                given.iter().filter(|one| one.side.is_some()).map(|one| one.statement).collect();
            if !stray.is_empty() {
                doubts.push(Doubt::NotCarried { coordinate, conditions: named(stray) });
            }
            continue;
        }
        for (field, unknown) in problem.unknown_names().iter().enumerate() {
            let order = orders.highest(field, axis);
            let along = |one: &&Given| {
                one.side.is_some()
                    && one
                        .statement
                        .only
                        .is_some_and(|(own, alpha)| own == field && alpha.order() == u32::from(alpha.get(axis)))
            };
            let own: Vec<&Given> = given.iter().filter(along).collect();
            let crowded = own.iter().any(|one| own.iter().filter(|other| other.side == one.side).count() > 1);
            if order > 0 && crowded && own.len() > order as usize && given.len() > room as usize {
                let (unknown, coordinate) = (unknown.clone(), coordinate.clone());
                let conditions = named(own.iter().map(|one| one.statement));
                doubts.push(Doubt::TooMany { unknown, coordinate, conditions, order, given: own.len() });
            }
        }
    }
    doubts
}

/// The names of conditions, each once, as they stand between one pair of quotes.
fn named<'a>(statements: impl IntoIterator<Item = &'a Statement>) -> String {
    let mut names: Vec<&str> = statements.into_iter().map(|statement| statement.name.as_str()).collect();
    names.dedup();
    names.join("`, `")
}
