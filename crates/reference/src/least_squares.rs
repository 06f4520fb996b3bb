//! min ‖Ax − b‖ by Householder's reflections, for problems of some hundred unknowns.

/// The solution for rows of A and the values b; columns that are combinations of those before them get zero.
pub(crate) fn least_squares(mut rows: Vec<Vec<f64>>, mut values: Vec<f64>) -> Vec<f64> {
    /// Parts of a column smaller than this, relative to all of it, are rounding.
    const NOTHING: f64 = 1e-15;
    let columns = rows.first().map_or(0, Vec::len);
    let norm = |rows: &[Vec<f64>], j: usize| rows.iter().map(|row| row[j] * row[j]).sum::<f64>().sqrt();
    let sizes: Vec<f64> = (0..columns).map(|j| norm(&rows, j)).collect();
    let mut diagonal = vec![0.0; columns];
    let mut projections = vec![0.0; columns];
    for j in 0..columns.min(rows.len()) {
        let below = &mut rows[j..];
        let left = norm(below, j);
        if left <= NOTHING * sizes[j] {
            continue;
        }
        // The reflection I − vvᵀ/(v₀·s) that leaves only −s of the column.
        let s = left.copysign(below[0][j]);
        let v: Vec<f64> = below.iter().enumerate().map(|(i, row)| if i == 0 { row[j] + s } else { row[j] }).collect();
        let scale = 1.0 / (v[0] * s);
        let mut products = vec![0.0; columns];
        for (row, v) in below.iter().zip(&v) {
            products[j + 1..].iter_mut().zip(&row[j + 1..]).for_each(|(sum, entry)| *sum += v * entry);
        }
        for (row, v) in below.iter_mut().zip(&v) {
            row[j + 1..].iter_mut().zip(&products[j + 1..]).for_each(|(entry, product)| *entry -= v * scale * product);
        }
        let product: f64 = v.iter().zip(&values[j..]).map(|(v, value)| v * value).sum();
        values[j..].iter_mut().zip(&v).for_each(|(value, v)| *value -= v * scale * product);
        (diagonal[j], projections[j]) = (-s, values[j]);
    }
    let mut solution = vec![0.0; columns];
    for j in (0..columns).rev().filter(|&j| diagonal[j] != 0.0) {
        let known: f64 = (j + 1..columns).map(|k| rows[j][k] * solution[k]).sum();
        solution[j] = (projections[j] - known) / diagonal[j];
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_through_four_points_is_the_nearest_one() {
        let rows = [0.0, 1.0, 2.0, 3.0].map(|x| vec![1.0, x, 2.0 * x]).to_vec();
        let line = least_squares(rows, vec![1.0, 3.0, 2.0, 6.0]);
        // The third column is twice the second.
        assert!((line[0] - 0.9).abs() < 1e-14 && (line[1] + 2.0 * line[2] - 1.4).abs() < 1e-14, "{line:?}");
    }
}
