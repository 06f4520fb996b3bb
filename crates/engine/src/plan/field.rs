//! Closed-form functions of the coordinates: their derivatives along directions, and the coordinates their tapes load.

use crate::jet::Alpha;
use crate::network::Network;
use crate::residual::Load;
use ropinn_expr::Expr;

/// `∂^α g` and the only element it acts on; `None` if it vanishes.
pub(super) fn field_derivative(network: &Network, function: &Expr, alpha: &Alpha) -> Option<(Expr, Option<usize>)> {
    let mut only = None;
    let mut derivative = function.clone();
    for d in alpha.directions() {
        let (axis, element) = direction(d, network.coordinates);
        if let Some(e) = element
            && only.replace(e).is_some_and(|other| other != e)
        {
            return None; // two different elements: a function of one place has no mixed derivative
        }
        derivative = derivative.derivative(axis);
    }
    let derivative = network.at_rest(derivative);
    // A function that is zero by itself keeps its value plane: an activation may read it.
    let is_zero_function = alpha.order() == 0 && function.as_constant() == Some(0.0);
    (derivative.as_constant() != Some(0.0) || is_zero_function).then_some((derivative, only))
}

/// Direction number to (coordinate, moving element): the first `axes` directions move all elements together.
pub(super) fn direction(d: usize, axes: usize) -> (usize, Option<usize>) {
    if d < axes { (d, None) } else { ((d - axes) % axes, Some((d - axes) / axes)) }
}

/// The load a field tape uses for a coordinate: lanes are columns, so site and element are left at 0.
pub(crate) fn field_axis(load: Load) -> Option<usize> {
    match load {
        Load::Coord { axis, .. } => Some(axis),
        _ => None,
    }
}
