//! Damped Newton steps in a space of features. A step must lower the loss at its points, cut in half until it does; of several
//! cutoffs of the rank, fresh points choose.

use super::system::System;
use crate::error::Error;

/// Smallest relative singular values that count.
const CUTOFFS: [f64; 3] = [1e-15, 1e-11, 1e-7];
/// A step that falls short of this much less on fresh points is the last one.
const WORTH: f64 = 2.0;
const HALVINGS: usize = 5;
/// Of a full step that keeps its promise this well, no second one is needed.
const KEPT: f64 = 1.5;

/// Steps from θ, at most so many; whether there was one.
pub(super) fn newton(system: &mut System, theta: &mut Vec<f64>, rounds: u64, quick: bool) -> Result<bool, Error> {
    let cutoffs = if quick { &CUTOFFS[..1] } else { &CUTOFFS[..] };
    let mut fresh = system.fresh_loss(theta)?;
    let mut moves = false;
    for _ in 0..rounds {
        let loss = system.loss(theta)?;
        let mut best: Option<(f64, Vec<f64>, bool)> = None;
        for step in system.steps(theta, cutoffs)? {
            if step.delta.iter().any(|delta| !delta.is_finite()) {
                continue;
            }
            let mut length = 1.0;
            for _ in 0..=HALVINGS {
                let moved = system.moved(theta, &step.delta, length);
                let now = system.loss(&moved)?;
                if now < (1.0 - 0.1 * length) * loss {
                    let own = system.fresh_loss(&moved)?;
                    let kept = length == 1.0 && now <= KEPT * step.promised;
                    if own.is_finite() && best.as_ref().is_none_or(|(least, ..)| own < *least) {
                        best = Some((own, moved, kept));
                    }
                    break;
                }
                length *= 0.5;
            }
        }
        let Some((own, moved, kept)) = best.filter(|(own, ..)| *own < fresh || fresh.is_nan()) else { break };
        let fell = fresh / own;
        (*theta, fresh, moves) = (moved, own, true);
        if kept || fell < WORTH {
            break;
        }
    }
    Ok(moves)
}
