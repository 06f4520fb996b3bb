//! Quantiles of Student's t: how many standard errors an interval reaches when the noise level is itself estimated.

/// t with P(|T| ≤ t) = 0.95 for `freedom` degrees of freedom; 1.96 for infinitely many.
pub(super) fn quantile_95(freedom: f64) -> f64 {
    // The tail is monotone in t: bisection on P(|T| > t) = I_{ν/(ν+t²)}(ν/2, 1/2).
    if freedom > 1e6 {
        return 1.959_963_984_540_054;
    }
    let tail = |t: f64| incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5);
    let (mut low, mut high) = (1.0, 1e3);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if tail(middle) > 0.05 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// I_x(a, b) by its continued fraction (modified Lentz).
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = (libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    // The fraction converges quickly on one side of the mean only.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - front * fraction(1.0 - x, b, a) / b;
    }
    front * fraction(x, a, b) / a
}

fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut c, mut d) = (1.0, 1.0 / away(1.0 - (a + b) * x / (a + 1.0)));
    let mut result = d;
    for m in (1..500).map(f64::from) {
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for numerator in [even, odd] {
            d = 1.0 / away(1.0 + numerator * d);
            c = away(1.0 + numerator / c);
            result *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::quantile_95;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, t) in [(1.0, 12.7062), (2.0, 4.30265), (5.0, 2.570582), (10.0, 2.228139), (120.0, 1.979930)] {
            assert!((quantile_95(freedom) / t - 1.0).abs() < 1e-5, "{freedom}: {}", quantile_95(freedom));
        }
        assert!((quantile_95(1e5) - 1.96).abs() < 1e-3 && (quantile_95(1e9) - 1.96).abs() < 1e-3);
    }
}
