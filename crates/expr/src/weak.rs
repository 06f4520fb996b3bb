//! Weak forms: a residual written as R = Σ_k ∂_k F_k + G with one derivative less inside F and G.
//!
//! For a test function v that vanishes on the boundary of its element, ∫ R v = ∫ (G v − Σ_k F_k ∂_k v). A term c·∂_k w,
//! with w = ∂^β u, becomes ∂_k(c w) − (∂_k c) w, and c = g wⁿ becomes ∂_k(g wⁿ⁺¹/(n + 1)) − (∂_k g) wⁿ⁺¹/(n + 1).
//! Terms of the residual's highest order must lose a derivative this way. Lower ones move only where nothing is left
//! behind, as in u_t, u u_x or a u_x + a_x u; others stay in G.

use std::collections::BTreeMap;

use crate::traverse::fold;
use crate::{Expr, Function, Lookup, MultiIndex, Node, Scope};

/// R = Σ_k ∂_k F_k + G.
#[derive(Clone, Debug, PartialEq)]
pub struct WeakForm {
    /// F_k with its axis k, in rising order; axes without a flux are left out.
    pub fluxes: Vec<(usize, Expr)>,
    /// G.
    pub source: Expr,
}

/// Why a residual has no weak form of lower order.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "messages name every field")]
pub enum WeakFormError {
    /// A term that integration by parts does not simplify.
    #[error(
        "the term `{term}` of order {order} cannot be integrated by parts to a lower order; write it as a derivative of lower-order terms, or use the strong form"
    )]
    Irreducible { term: String, order: u32 },
}

impl Expr {
    /// Integrates by parts once. The names of `scope` appear in the error only.
    ///
    /// ```
    /// # use ropinn_expr::Scope;
    /// let scope = Scope::new(["x", "t"], ["u"])?;
    /// let wave = scope.parse("u_tt - 4*u_xx + sin(u)")?.weak_form(&scope).unwrap();
    /// assert_eq!(wave.fluxes, [(0, scope.parse("-4*u_x")?), (1, scope.parse("u_t")?)]);
    /// assert_eq!(wave.source, scope.parse("sin(u)")?);
    /// # Ok::<(), ropinn_expr::Error>(())
    /// ```
    pub fn weak_form(&self, scope: &Scope) -> Result<WeakForm, WeakFormError> {
        let highest = self.max_order();
        let mut fluxes: BTreeMap<usize, Vec<Expr>> = BTreeMap::new();
        let mut source = self.expand();
        for order in (1..=highest).rev() {
            let mut rest = Vec::new();
            for term in terms(&source) {
                match alone(term, order, order == highest) {
                    Some(part) => {
                        fluxes.entry(part.axis).or_default().push(part.flux);
                        rest.push(part.remainder);
                    }
                    None => rest.push(term.clone()),
                }
            }
            // Remainders may cancel what was written beside the term: a_x u_x + a u_xx = ∂_x(a u_x).
            source = Expr::sum(rest).expand();
            while let Some((position, part)) = with_partner(terms(&source), order) {
                fluxes.entry(part.axis).or_default().push(part.flux);
                let others = terms(&source).iter().enumerate().filter(|(i, _)| *i != position);
                source = Expr::sum(others.map(|(_, term)| term.clone()).chain([part.remainder])).expand();
            }
        }
        let left = terms(&source).iter().find(|term| highest > 0 && term.max_order() == highest);
        if let Some(term) = left {
            return Err(WeakFormError::Irreducible { term: term.display(scope).to_string(), order: highest });
        }
        let fluxes = fluxes.into_iter().map(|(axis, parts)| (axis, Expr::sum(parts)));
        Ok(WeakForm { fluxes: fluxes.filter(|(_, flux)| !flux.is_constant(0.0)).collect(), source })
    }
}

/// term = ∂_axis flux + remainder.
struct Part {
    axis: usize,
    flux: Expr,
    remainder: Expr,
}

fn terms(expr: &Expr) -> &[Expr] {
    match expr.node() {
        Node::Add(terms) => terms,
        _ => std::slice::from_ref(expr),
    }
}

fn factors(term: &Expr) -> &[Expr] {
    match term.node() {
        Node::Mul(factors) => factors,
        _ => std::slice::from_ref(term),
    }
}

/// Takes a derivative off a term by itself, along an axis that leaves nothing behind if there is one; `partly` allows a
/// remainder of lower order.
fn alone(term: &Expr, order: u32, partly: bool) -> Option<Part> {
    let mut found = parts(term, order);
    let clean = found.iter().position(|part| part.remainder.is_constant(0.0));
    let lower = || found.iter().position(|part| partly && part.remainder.max_order() < order);
    clean.or_else(lower).map(|choice| found.swap_remove(choice))
}

/// The first term whose remainder other terms cancel, and its part: a u_x + a_x u = ∂_x(a u). Both vanish, so repeating
/// this ends.
fn with_partner(terms: &[Expr], order: u32) -> Option<(usize, Part)> {
    terms.iter().enumerate().find_map(|(position, term)| {
        let is_beside = |wanted: Expr| terms.iter().enumerate().any(|(i, other)| i != position && *other == wanted);
        let cancelled = |part: &Part| self::terms(&part.remainder).iter().all(|left| is_beside(-left));
        Some((position, parts(term, order).into_iter().find(cancelled)?))
    })
}

/// Every way to take a derivative of that order off a term that lowers the order of what it is taken from.
fn parts(term: &Expr, order: u32) -> Vec<Part> {
    let factors = factors(term);
    let mut found = Vec::new();
    for (position, factor) in factors.iter().enumerate() {
        let Node::Unknown { field, alpha, site: 0 } = factor.node() else {
            continue;
        };
        if alpha.order() != order {
            continue;
        }
        let others = factors.iter().enumerate().filter(|(i, _)| *i != position);
        let others: Vec<Expr> = others.map(|(_, factor)| factor.clone()).collect();
        let mut axes: Vec<usize> = alpha.axes().collect();
        axes.dedup();
        for axis in axes {
            let lower = alpha.checked_sub(MultiIndex::unit(axis)).expect("an axis of α");
            let part = by_parts(&Expr::unknown(*field, lower), &others, axis);
            found.extend(part.filter(|part| part.flux.max_order() < order));
        }
    }
    found
}

/// g wⁿ ∂w = ∂(g wⁿ⁺¹/(n + 1)) − (∂g) wⁿ⁺¹/(n + 1), where the factors other than ∂w are those of g and wⁿ.
fn by_parts(w: &Expr, others: &[Expr], axis: usize) -> Option<Part> {
    let power_of_w = |factor: &Expr| match factor.node() {
        Node::Pow(base, n) if base == w => n.as_constant().filter(|n| n.fract() == 0.0 && *n > 0.0),
        _ => (factor == w).then_some(1.0),
    };
    let n: f64 = others.iter().filter_map(power_of_w).sum();
    let g = Expr::product(others.iter().filter(|f| power_of_w(f).is_none()).cloned());
    if breaks_along(&g, axis) {
        return None;
    }
    let primitive = w.powf(n + 1.0) * (1.0 / (n + 1.0));
    let remainder = -(g.derivative(axis).expand() * &primitive).expand();
    Some(Part { axis, flux: (&g * primitive).expand(), remainder: remainder.expand() })
}

/// Whether the symbolic derivative along `axis` may not be the whole derivative: where the expression jumps, and where it
/// holds values (data, linked places) that change from point to point in unknown ways.
fn breaks_along(expr: &Expr, axis: usize) -> bool {
    #[derive(Clone, Copy, Default)]
    struct Found {
        varies: bool,
        breaks: bool,
    }
    let found = fold(expr, |expr, operands: &[Found]| {
        let varies = operands.iter().any(|found| found.varies);
        let breaks = operands.iter().any(|found| found.breaks);
        match expr.node() {
            Node::Const(_) | Node::Trainable(_) => Found::default(),
            Node::Coord { axis: own, site } => Found { varies: *own == axis, breaks: *site > 0 },
            Node::Unknown { site, .. } => Found { varies: true, breaks: *site > 0 },
            Node::Data(_) => Found { varies: true, breaks: true },
            Node::Where(..) | Node::Unary(Function::Sign, _) => Found { varies, breaks: breaks || varies },
            Node::Table { table, orders, .. } => {
                let jumps = table.lookup() == Lookup::Nearest || orders.iter().any(|&order| order > 0);
                Found { varies, breaks: breaks || varies && jumps }
            }
            _ => Found { varies, breaks },
        }
    });
    found.breaks
}
