//! Features of the last hidden layer h of a network: tanh(a·ĥ + b), ĥ = (h − mean)/spread over the domain, a of a given length
//! in a random direction, kinks at random points of the domain, half of them where the residual is large.

use crate::case::Case;
use crate::error::Error;
use ropinn_domain::{Purpose, Stream};

/// Writes the weights of such features into the parameters of a corrected case.
pub(super) fn draw(
    base: (&Case, &[f64]),
    corrected: &Case,
    points: &[f64],
    length: f64,
    theta: &mut [f64],
) -> Result<(), Error> {
    let layout = corrected.network().layout();
    let (Some(weight), Some(bias)) = (layout.get("features.hidden.weight"), layout.get("features.hidden.bias")) else {
        return Ok(());
    };
    let Some((units, values)) = base.0.hidden_units(base.1, points)? else { return Ok(()) };
    let count = (values.len() / units.max(1)).max(1);
    let column = |unit: usize| values.iter().skip(unit).step_by(units);
    let spread: Vec<f64> = (0..units)
        .map(|unit| {
            let mean = column(unit).sum::<f64>() / count as f64;
            let square = column(unit).map(|h| (h - mean) * (h - mean)).sum::<f64>() / count as f64;
            square.sqrt().max(1e-12)
        })
        .collect();
    let mut stream = Stream::new(corrected.config().seed, Purpose::Direction);
    let mut direction = vec![0.0; units];
    for feature in 0..weight.shape[0] {
        stream.fill_normal(&mut direction);
        let norm = direction.iter().map(|a| a * a).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        let reach = length * (0.3 + 0.7 * stream.uniform()) / norm;
        let point = ((stream.uniform() * count as f64) as usize).min(count - 1);
        let mut offset = 0.0;
        for unit in 0..units {
            let a = reach * direction[unit] / spread[unit];
            theta[weight.offset + feature * units + unit] = a;
            offset -= a * values[point * units + unit];
        }
        theta[bias.offset + feature] = offset;
    }
    Ok(())
}
