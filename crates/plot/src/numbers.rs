//! Numbers as people write them in tables.

/// `digits` significant digits: fixed notation from 10⁻³ up to 10⁶ (whole digits are never rounded away), scientific
/// beyond.
///
/// ```
/// use ropinn_plot::sig;
/// assert_eq!(sig(0.012345, 3), "0.0123");
/// assert_eq!(sig(98765.4, 3), "98765");
/// assert_eq!(sig(0.000012345, 3), "1.23e-5");
/// assert_eq!(sig(f64::NAN, 3), "NaN");
/// ```
pub fn sig(value: f64, digits: usize) -> String {
    let digits = digits.max(1);
    if !value.is_finite() {
        return value.to_string();
    }
    match decimals_for(value, digits) {
        Some(decimals) => format!("{value:.decimals$}"),
        None => scientific(value, digits),
    }
}

/// Scientific notation with `digits` significant digits.
///
/// ```
/// assert_eq!(ropinn_plot::scientific(-123.45, 3), "-1.23e2");
/// ```
pub fn scientific(value: f64, digits: usize) -> String {
    format!("{value:.*e}", digits.max(1) - 1)
}

/// Mean and spread with the same number of decimals and the same power of ten.
///
/// ```
/// use ropinn_plot::mean_std;
/// assert_eq!(mean_std(0.01234, 0.00056, 3), "0.0123 ± 0.0006");
/// assert_eq!(mean_std(1.234e-5, 5.6e-7, 3), "(1.23 ± 0.06)e-5");
/// ```
pub fn mean_std(mean: f64, std: f64, digits: usize) -> String {
    let digits = digits.max(1);
    if !mean.is_finite() || !std.is_finite() {
        return format!("{} ± {}", sig(mean, digits), sig(std, digits));
    }
    match decimals_for(mean, digits) {
        Some(decimals) => format!("{mean:.decimals$} ± {std:.decimals$}"),
        None => {
            let (exponent, decimals) = (rounded_exponent(mean, digits), digits - 1);
            let unit = 10f64.powi(exponent);
            format!("({:.decimals$} ± {:.decimals$})e{exponent}", mean / unit, std / unit)
        }
    }
}

/// Decimals in fixed notation, or `None` when scientific notation reads better.
fn decimals_for(value: f64, digits: usize) -> Option<usize> {
    if value == 0.0 {
        return Some(digits - 1);
    }
    let exponent = rounded_exponent(value, digits);
    (-3..6).contains(&exponent).then(|| (digits as i32 - 1 - exponent).max(0) as usize)
}

/// The power of ten of the leading digit once rounded: 9.996 at three digits is 1.00·10¹.
fn rounded_exponent(value: f64, digits: usize) -> i32 {
    let written = scientific(value, digits);
    written.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn notation_changes_where_it_should() {
        let cases = [(0.0, "0.00"), (9.996, "10.0"), (0.001, "0.00100"), (0.0009994, "9.99e-4"), (-1.5, "-1.50")];
        for (value, want) in cases {
            assert_eq!(sig(value, 3), want);
        }
        assert_eq!(sig(999_999.7, 3), "1.00e6");
        assert_eq!(sig(f64::NEG_INFINITY, 3), "-inf");
        assert_eq!(mean_std(f64::NAN, 1.0, 2), "NaN ± 1.0");
    }

    proptest! {
        #[test]
        fn rounding_error_is_half_a_digit(lead in 1f64..10.0, exponent in -12i32..12, digits in 1usize..8) {
            let value = lead * 10f64.powi(exponent);
            let back: f64 = sig(value, digits).parse().expect("a number");
            prop_assert!((back / value - 1.0).abs() <= 0.500_001 * 10f64.powi(1 - digits as i32));
        }
    }
}
