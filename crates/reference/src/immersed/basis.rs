//! Functions of a cell: products of Lagrange's cubic polynomials through the nodes 0, ⅓, ⅔, 1 of each axis.

/// Degree along an axis.
pub(super) const DEGREE: usize = 3;
/// Nodes along an axis, and of a cell; the first axis is the fastest.
pub(super) const ALONG: usize = DEGREE + 1;
pub(super) const LOCAL: usize = ALONG * ALONG * ALONG;

/// Values and slopes along an axis, at s from 0 to 1.
pub(super) fn along(s: f64) -> ([f64; ALONG], [f64; ALONG]) {
    let node = |k: usize| k as f64 / DEGREE as f64;
    let (mut values, mut slopes) = ([1.0; ALONG], [0.0; ALONG]);
    for k in 0..ALONG {
        for other in (0..ALONG).filter(|other| *other != k) {
            let (factor, slope) = ((s - node(other)) / (node(k) - node(other)), 1.0 / (node(k) - node(other)));
            slopes[k] = slopes[k] * factor + values[k] * slope;
            values[k] *= factor;
        }
    }
    (values, slopes)
}

/// Values and slopes along the three axes of all functions, at a place in the unit cube.
pub(super) fn at(place: [f64; 3]) -> Box<[[f64; LOCAL]; 4]> {
    let [(x, dx), (y, dy), (z, dz)] = place.map(along);
    let mut all = Box::new([[0.0; LOCAL]; 4]);
    for k in 0..LOCAL {
        let (i, j, l) = (k % ALONG, k / ALONG % ALONG, k / (ALONG * ALONG));
        all[0][k] = x[i] * y[j] * z[l];
        all[1][k] = dx[i] * y[j] * z[l];
        all[2][k] = x[i] * dy[j] * z[l];
        all[3][k] = x[i] * y[j] * dz[l];
    }
    all
}
