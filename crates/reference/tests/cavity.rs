//! The lid-driven cavity: order, and the literature's extrema on the centre lines.

use ropinn_reference::cavity::{Flow, velocities};

/// The largest and smallest of a smooth function known at evenly spaced nodes, and where: parabolas through three of them.
fn extrema(values: &[(f64, f64)]) -> [(f64, f64); 2] {
    let peak = |sign: f64| {
        let value = |k: usize| sign * values[k].1;
        let top = (1..values.len() - 1).max_by(|&a, &b| value(a).total_cmp(&value(b))).unwrap();
        let (before, at, after) = (value(top - 1), value(top), value(top + 1));
        let shift = 0.5 * (before - after) / (before - 2.0 * at + after);
        let height = at - 0.25 * (before - after) * shift;
        (values[top].0 + shift * (values[1].0 - values[0].0), sign * height)
    };
    [peak(1.0), peak(-1.0)]
}

#[test]
fn finer_grids_come_closer_with_the_second_order() {
    let flows = [16, 32, 64].map(|cells| Flow::new(100.0, cells).unwrap());
    let at = |flow: &Flow, per: usize| [(8, 4), (4, 8), (12, 10)].map(|(i, j)| flow.velocity(i * per, j * per));
    let [a, b, c] = [at(&flows[0], 1), at(&flows[1], 2), at(&flows[2], 4)];
    let apart = |p: [[f64; 2]; 3], q: [[f64; 2]; 3]| {
        p.as_flattened().iter().zip(q.as_flattened()).map(|(p, q)| (p - q).powi(2)).sum::<f64>().sqrt()
    };
    let ratio = apart(a, b) / apart(b, c);
    assert!((3.2..5.5).contains(&ratio), "{ratio}: {:e}, {:e}", apart(a, b), apart(b, c));
}

#[test]
fn two_grids_have_the_extrema_of_the_literature() {
    // Botella & Peyret 1998, by a spectral method.
    let rows = velocities(100.0, 80, 40).unwrap();
    let upright: Vec<(f64, f64)> = rows.iter().filter(|row| row[0] == 0.5).map(|row| (row[1], row[2])).collect();
    let level: Vec<(f64, f64)> = rows.iter().filter(|row| row[1] == 0.5).map(|row| (row[0], row[3])).collect();
    let [_, u_min] = extrema(&upright);
    let [v_max, v_min] = extrema(&level);
    for ((place, value), expected) in
        [u_min, v_max, v_min].into_iter().zip([(0.4581, -0.2140424), (0.2370, 0.1795728), (0.8104, -0.2538030)])
    {
        assert!(
            (place - expected.0).abs() < 2e-3 && (value - expected.1).abs() < 1.5e-4,
            "{value} at {place}, not {expected:?}"
        );
    }
}
