//! Networks in pieces along one coordinate: u(x) = Σ_k [a_k ≤ x_i < a_{k+1}] · N_k(x).
//!
//! The indicator of an interval is a closed-form field whose derivatives vanish, so all rules are those of products and sums,
//! and within an interval u has the values and derivatives of its own N_k to the bit. All N_k are computed at every point.

use super::{NetworkBuilder, NodeId};
use crate::error::{EngineError, Result};
use ropinn_expr::Expr;

impl NetworkBuilder {
    /// Puts pieces side by side along a coordinate: `parts[0]` before `ends[0]`, `parts[k]` from `ends[k − 1]` on and before
    /// `ends[k]`, the last one from the last end on.
    ///
    /// ```
    /// use ropinn_engine::NetworkBuilder;
    /// let mut net = NetworkBuilder::new(2); // (x, t)
    /// let parts = ["early", "late"].map(|name| net.linear(name, net.input(), 1));
    /// let [early, late] = parts;
    /// let u = net.pieces(1, &[0.5], &[early?, late?])?;
    /// assert_eq!(net.build(u)?.parameters(), 2 * 3);
    /// # Ok::<(), ropinn_engine::EngineError>(())
    /// ```
    pub fn pieces(&mut self, axis: usize, ends: &[f64], parts: &[NodeId]) -> Result<NodeId> {
        if parts.len() != ends.len() + 1 {
            return Err(EngineError::PieceCount { ends: ends.len(), parts: parts.len() });
        }
        if let Some(end) = ends.iter().find(|end| !end.is_finite()).or(descent(ends)) {
            return Err(EngineError::PieceOrder { end: *end });
        }
        if let [only] = parts {
            return Ok(*only);
        }
        let x = Expr::coord(axis);
        let gated = parts.iter().enumerate().map(|(k, &part)| {
            let begun = k.checked_sub(1).map(|before| x.ge(ends[before]));
            let lasts = ends.get(k).map(|&end| x.lt(end));
            let inside = match (begun, lasts) {
                (Some(begun), Some(lasts)) => begun.and(lasts),
                (begun, lasts) => begun.or(lasts).expect("several pieces have an end between them"),
            };
            let gate = self.field(vec![Expr::select(inside, 1.0, 0.0); self.width(part)])?;
            self.mul(gate, part)
        });
        let gated = gated.collect::<Result<Vec<_>>>()?;
        self.sum(&gated)
    }
}

/// The first number that is not above the one before it.
fn descent(ends: &[f64]) -> Option<&f64> {
    ends.windows(2).find(|pair| pair[0] >= pair[1]).map(|pair| &pair[1])
}
