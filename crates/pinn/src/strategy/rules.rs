//! The rules: from what was seen to what is done. No problem is known by its name, and no clock is read.
//!
//! In this order: a solution that no longer changes has settled, and so has one that seeks numbers in readings once it meets its equations; one that is nearly there is polished; a decision that has not helped after [`TRIAL`] looks is taken
//! back, and not taken again; an evolution that cannot be had at once calls for intervals of time, what else stays far from
//! a solution for another start; residuals that are larger between the points for points that follow them, then for more;
//! conditions that are met worse between their points for more points, and those worse off than the equations for more
//! weight; what stalls for a wider network.

use crate::look::Look;

/// Relative mean square above which nothing is solved yet.
pub(super) const UNSOLVED: f64 = 1e-3;
/// Looks after which that is judged.
const PATIENCE: usize = 4;
/// Unless the residual is this much smaller (mean square) on fresh points, so that single points are what is wrong, the points
/// follow it; …
const FOLLOW: f64 = 0.7;
/// … if it is this much larger even so, there are more of them.
const GAP: f64 = 6.0;
/// A condition that is met so many times worse (mean square) between its points needs more of them.
const LOOSE: f64 = 3.0;
/// Conditions worse off than the equations by this factor are out of balance.
const IMBALANCE: f64 = 10.0;
/// A loss on fresh points that falls by less from one look to the next has stalled.
const STALL: f64 = 2.0;
/// A wider network is worth its price where the solution still changes by so many times the tolerance.
const WORTH: f64 = 5.0;
/// Looks a decision has to show that it helps.
const TRIAL: usize = 2;
/// Nothing below this is more than rounding.
const ROUNDING: f64 = 1e-22;
/// The relative mean square an interval of time must come to, and the looks it has for more.
const INTERVAL: f64 = 1e-6;
const LONGEST: usize = 6;
/// A solution that changes by more from look to look is not there yet, however small its residual is.
const MOVING: f64 = 1e-3;

/// Relative mean square below which a solution may be polished to the end, …
const NEARLY: f64 = 1e-6;
/// … if small spaces lower it to this part at least; at the end of the work less will do.
pub(super) const POLISHED: f64 = 0.1;
pub(super) const POLISHED_BY: f64 = 0.5;

/// What the rules may know.
#[derive(Clone, Debug, Default)]
pub(super) struct Situation<'a> {
    /// Looks at the present case, the last one now.
    pub looks: &'a [Look],
    /// What can be tried still.
    pub open: Open,
    /// The look before the last decision, if it is on trial.
    pub trial: Option<&'a Look>,
    /// Whether the case is an interval of a longer time.
    pub interval: bool,
    /// Whether there is work left for the next round.
    pub work_left: bool,
    /// Looks for which it lasts, shared out to the present interval and those after it.
    pub share: f64,
    /// Relative change that counts as none.
    pub tolerance: f64,
    /// Whether numbers or fields are sought: readings with noise are behind them, and what is trained longer than the equations need
    /// follows the noise.
    pub sought: bool,
}

/// What can be tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Open {
    pub follow: bool,
    pub more_points: bool,
    pub conditions: bool,
    pub balance: bool,
    pub widen: bool,
    pub intervals: bool,
    pub restart: bool,
    pub polish: bool,
}

/// What is done next.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Act {
    GoOn,
    Follow {
        gap: f64,
    },
    MorePoints {
        gap: f64,
    },
    PointsOnConditions {
        gap: f64,
    },
    /// Multiplies the weights of these conditions.
    Balance {
        ratio: f64,
        factors: Vec<(String, f64)>,
    },
    Widen {
        fell: f64,
    },
    Intervals,
    ShorterInterval,
    Restart,
    GoBack,
    /// Corrects the solution; if hardly anything remains, that is the end.
    Polish,
    /// Nothing more is to be done here.
    Settled {
        change: f64,
    },
    OutOfWork,
}

/// The next act.
pub(super) fn decide(now: &Situation<'_>) -> Act {
    let Some(look) = now.looks.last() else { return Act::GoOn };
    let before = now.looks.len().checked_sub(2).map(|k| &now.looks[k]);
    let (relative, open) = (look.relative(), &now.open);
    let change = look.change.unwrap_or(f64::INFINITY);
    let fell = before.map_or(f64::INFINITY, |before| before.relative() / relative);
    let solved = relative <= if now.interval { INTERVAL } else { UNSOLVED };
    let followed = now.sought && relative <= NEARLY && change <= MOVING;
    let enough = change <= now.tolerance || relative <= ROUNDING || followed;
    // The next interval is waiting.
    let tired = now.interval && (fell < STALL || now.looks.len() >= LONGEST);
    // What is wrong in an interval grows in those after it.
    let shorter = tired && open.intervals && (!solved || (change > MOVING && now.share >= 2.0 * LONGEST as f64));
    let long_enough = tired && !shorter && (change <= MOVING || now.looks.len() as f64 >= now.share);
    if solved && (enough || long_enough) {
        return Act::Settled { change };
    }
    if relative <= NEARLY && open.polish && look.change.is_some_and(|change| change <= MOVING) {
        return Act::Polish;
    }
    if let Some(trial) = now.trial.filter(|_| now.looks.len() >= TRIAL)
        && relative > trial.relative()
    {
        return Act::GoBack;
    }
    if !now.work_left {
        // Intervals have work of their own.
        let moves = !now.interval && open.intervals && look.change.is_some_and(|change| change > MOVING);
        return if moves { Act::Intervals } else { Act::OutOfWork };
    }
    if shorter {
        return Act::ShorterInterval;
    }
    if relative > UNSOLVED {
        return match now.looks.len() >= PATIENCE {
            true if open.intervals && !now.interval => Act::Intervals,
            true if open.restart => Act::Restart,
            _ => unsolved(look, open, fell),
        };
    }
    if look.gap > FOLLOW && open.follow {
        return Act::Follow { gap: look.gap };
    }
    if look.gap > GAP && open.more_points && before.is_some() {
        return Act::MorePoints { gap: look.gap };
    }
    if let Some(points) = loose(look).filter(|_| open.conditions) {
        return points;
    }
    if let Some(balance) = balance(look).filter(|_| open.balance) {
        return balance;
    }
    if fell < STALL && open.widen && change > WORTH * now.tolerance && !now.interval {
        return Act::Widen { fell };
    }
    Act::GoOn
}

/// Far from a solution, and not for long: points on conditions or weights may be all that is wrong.
fn unsolved(look: &Look, open: &Open, fell: f64) -> Act {
    match (loose(look), balance(look)) {
        (Some(points), _) if open.conditions => points,
        (_, Some(balance)) if open.balance => balance,
        _ if fell < STALL && open.widen && !open.intervals => Act::Widen { fell },
        _ => Act::GoOn,
    }
}

/// More points on conditions that are among the worst and are met far better at their points than between them.
fn loose(look: &Look) -> Option<Act> {
    let loose = look.conditions.iter().filter(|one| one.gap > LOOSE && one.relative >= 0.1 * look.relative());
    loose.map(|one| one.gap).reduce(f64::max).map(|gap| Act::PointsOnConditions { gap })
}

/// More weight for conditions that are far worse off than the equations.
fn balance(look: &Look) -> Option<Act> {
    let ratio = look.worst_condition() / look.equations;
    let worse = look.conditions.iter().map(|one| (one.name.clone(), one.relative / look.equations));
    let factors = worse.filter(|(_, factor)| *factor > 1.0);
    (ratio > IMBALANCE).then(|| Act::Balance { ratio, factors: factors.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::OfCondition;

    fn look(equations: f64, conditions: &[(f64, f64)], gap: f64, change: Option<f64>) -> Look {
        let condition =
            |(k, &(relative, gap)): (usize, &(f64, f64))| OfCondition { name: k.to_string(), relative, gap };
        let conditions = conditions.iter().enumerate().map(condition).collect();
        Look { iteration: 0, equations, conditions, gap, values: Vec::new(), change }
    }

    fn all() -> Open {
        Open {
            follow: true,
            more_points: true,
            conditions: true,
            balance: true,
            widen: true,
            intervals: true,
            restart: true,
            polish: false,
        }
    }

    fn act(looks: &[Look], open: Open) -> Act {
        decide(&Situation { looks, open, work_left: true, tolerance: 1e-6, ..Situation::default() })
    }

    #[test]
    fn what_is_seen_decides_what_is_done() {
        let fine = |change| look(1e-8, &[(1e-8, 1.0)], 0.9, Some(change));
        assert_eq!(act(&[fine(1e-7)], all()), Act::Settled { change: 1e-7 });
        assert_eq!(act(&[fine(1e-3)], all()), Act::Follow { gap: 0.9 });
        let following = Open { follow: false, ..all() };
        assert_eq!(act(&[fine(1e-3)], following.clone()), Act::GoOn);
        let between = |equations| look(equations, &[(1e-9, 1.0)], 10.0, Some(1e-3));
        assert_eq!(act(&[between(1e-6), between(1e-8)], following.clone()), Act::MorePoints { gap: 10.0 });
        let stalled = [fine(1e-3), fine(1e-3)];
        assert_eq!(act(&stalled, following.clone()), Act::Widen { fell: 1.0 });
        assert_eq!(act(&stalled, Open { widen: false, ..following.clone() }), Act::GoOn);
        // Hardly anything changes: not worth it.
        assert_eq!(act(&[fine(2e-6), fine(2e-6)], following.clone()), Act::GoOn);
        let loose = look(1e-8, &[(1e-7, 50.0), (1e-12, 90.0)], 0.9, Some(1e-3));
        assert_eq!(act(&[loose], following.clone()), Act::PointsOnConditions { gap: 50.0 });
        let unfair = look(1e-8, &[(1e-5, 1.0), (1e-9, 1.0)], 0.9, Some(1e-3));
        let Act::Balance { ratio, factors } = act(&[unfair], following) else { panic!("balance") };
        assert!((ratio - 1e3).abs() < 1e-6 && factors.len() == 1 && factors[0].0 == "0");
    }

    #[test]
    fn what_is_nearly_there_is_polished_before_anything_else_is_tried() {
        let open = || Open { polish: true, ..all() };
        let near = |change| look(1e-8, &[(1e-8, 1.0)], 0.9, Some(change));
        assert_eq!(act(&[near(1e-4)], open()), Act::Polish);
        assert_eq!(act(&[near(1e-7)], open()), Act::Settled { change: 1e-7 });
        // What still moves, or is far off, has no use for it yet.
        assert_eq!(act(&[near(1e-2)], open()), Act::Follow { gap: 0.9 });
        assert_eq!(act(&[look(1e-5, &[], 0.9, Some(1e-4))], open()), Act::Follow { gap: 0.9 });
    }

    #[test]
    fn what_is_sought_in_noise_is_not_trained_for_longer_than_the_equations_need() {
        let of = |relative, change| {
            let looks = [look(relative, &[], 0.9, Some(change))];
            decide(&Situation {
                looks: &looks,
                open: all(),
                work_left: true,
                tolerance: 1e-6,
                sought: true,
                ..Situation::default()
            })
        };
        assert_eq!(of(1e-7, 1e-4), Act::Settled { change: 1e-4 });
        assert_eq!(of(1e-7, 1e-2), Act::Follow { gap: 0.9 });
        assert_eq!(of(1e-5, 1e-4), Act::Follow { gap: 0.9 });
    }

    #[test]
    fn what_stays_far_from_a_solution_is_begun_anew() {
        let far = vec![look(0.5, &[(0.5, 1.0)], 1.0, Some(0.1)); PATIENCE];
        assert_eq!(act(&far[..1], all()), Act::GoOn);
        assert_eq!(act(&far, all()), Act::Intervals);
        let still = Open { intervals: false, ..all() };
        assert_eq!(act(&far, still.clone()), Act::Restart);
        assert_eq!(act(&far, Open { restart: false, ..still }), Act::Widen { fell: 1.0 });
        assert_eq!(act(&far, Open::default()), Act::GoOn);
    }

    #[test]
    fn decisions_are_taken_back_and_work_ends() {
        let (good, bad) = (look(1e-8, &[], 1.0, Some(1.0)), look(1e-5, &[], 1.0, Some(1.0)));
        let looks = vec![bad; TRIAL];
        let mut now = Situation { looks: &looks, trial: Some(&good), tolerance: 1e-6, ..Situation::default() };
        assert_eq!(decide(&now), Act::GoBack);
        now.trial = None;
        assert_eq!(decide(&now), Act::OutOfWork);
        assert_eq!(decide(&Situation::default()), Act::GoOn);
    }

    #[test]
    fn intervals_wait_only_for_what_moves() {
        let of = |relative, change, share, open| {
            let looks = vec![look(relative, &[], 1.0, Some(change)); 2];
            let now = Situation { looks: &looks, open, interval: true, work_left: true, share, ..Situation::default() };
            decide(&Situation { tolerance: 1e-6, ..now })
        };
        assert_eq!(of(1e-7, 1e-4, 20.0, all()), Act::Settled { change: 1e-4 });
        assert_eq!(of(1e-2, 1e-4, 2.0, all()), Act::ShorterInterval);
        // What still moves is cut if that can be paid for, else it goes on as long as its share lasts.
        assert_eq!(of(1e-7, 0.1, 20.0, all()), Act::ShorterInterval);
        let shortest = Open { intervals: false, follow: false, widen: false, ..all() };
        assert_eq!(of(1e-7, 0.1, 20.0, shortest.clone()), Act::GoOn);
        assert_eq!(of(1e-7, 0.1, 2.0, shortest), Act::Settled { change: 0.1 });
    }

    #[test]
    fn an_evolution_that_still_moves_when_work_ends_goes_to_intervals() {
        let of = |change, open| {
            let looks = [look(1e-7, &[], 1.0, Some(change))];
            decide(&Situation { looks: &looks, open, tolerance: 1e-6, ..Situation::default() })
        };
        assert_eq!(of(2e-2, all()), Act::Intervals);
        assert_eq!(of(1e-4, all()), Act::OutOfWork);
        assert_eq!(of(2e-2, Open { intervals: false, ..all() }), Act::OutOfWork);
    }
}
