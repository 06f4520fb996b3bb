//! The solution of Burgers' equation u_t + u u_x = ν u_xx on the line with u(x, 0) = −sin πx (Hopf 1950, Cole 1951):
//!
//! u(x, t) = −∫ sin(π(x − η)) F(x − η) G(η) dη / ∫ F(x − η) G(η) dη,
//! F(y) = exp(−cos(πy)/(2πν)),  G(η) = exp(−η²/(4νt)).
//!
//! It is odd about x = 0 and x = ±1, so it also solves the problem on −1 ≤ x ≤ 1 with u(±1, t) = 0. The integrand is
//! entire and vanishes to rounding at the ends of the window, where the trapezoidal rule converges exponentially
//! (Trefethen & Weideman 2014).

use std::f64::consts::PI;

/// Exponents this far below the largest one do not matter: e⁻⁴⁰ ≈ 4·10⁻¹⁸.
const NEGLIGIBLE: f64 = 40.0;
/// Nodes per width of the narrowest peak.
const NODES_PER_WIDTH: f64 = 6.0;

/// u(x, t) for viscosity ν > 0 and t ≥ 0.
pub fn burgers_from_sine(x: f64, t: f64, viscosity: f64) -> f64 {
    if t <= 0.0 {
        return -(PI * x).sin();
    }
    let nu = viscosity;
    let exponent = |eta: f64| -(PI * (x - eta)).cos() / (2.0 * PI * nu) - eta * eta / (4.0 * nu * t);
    // log F varies by 1/(πν) in all, so beyond this window G alone makes up for it.
    let window = (4.0 * nu * t * (1.0 / (PI * nu) + NEGLIGIBLE)).sqrt();
    // The exponent curves by at most 1/(2νt) + π/(2ν).
    let width = (2.0 * nu * t / (1.0 + PI * t)).sqrt();
    let half = (NODES_PER_WIDTH * window / width).ceil() as i64;
    let step = window / half as f64;
    let nodes = || (-half..=half).map(|k| k as f64 * step);
    // Exponents reach 1/(2πν), far beyond the range of exp for small ν.
    let largest = nodes().map(exponent).fold(f64::NEG_INFINITY, f64::max);
    let (mut weighted, mut total) = (0.0, 0.0);
    for eta in nodes() {
        let weight = (exponent(eta) - largest).exp();
        weighted += weight * (PI * (x - eta)).sin();
        total += weight;
    }
    -weighted / total
}

#[cfg(test)]
mod tests {
    use super::*;

    const NU: f64 = 0.01 / PI;

    #[test]
    fn independent_values_are_met() {
        let values = [
            (-0.5, 0.5, 0.592769534),
            (-0.1, 0.3, 0.906253713),
            (-0.02, 1.0, 0.706081678),
            (0.06, 1.0, -0.693169621),
            (0.5, 1.0, -0.376181396),
        ];
        for (x, t, expected) in values {
            let u = burgers_from_sine(x, t, NU);
            assert!((u - expected).abs() < 2e-9, "u({x}, {t}) = {u}, expected {expected}");
        }
    }

    #[test]
    fn the_steepest_slope_is_the_published_one() {
        // Basdevant et al. (1986): |u_x(0, t)| is largest, 152.00516, at πt = 1.6037.
        let t = 1.6037 / PI;
        let slope = |h: f64| (burgers_from_sine(h, t, NU) - burgers_from_sine(-h, t, NU)) / (2.0 * h);
        let (h, richardson) = (2e-4, |h: f64| (4.0 * slope(h / 2.0) - slope(h)) / 3.0);
        let extrapolated = (16.0 * richardson(h / 2.0) - richardson(h)) / 15.0;
        assert!((extrapolated + 152.00516).abs() < 1e-4, "u_x = {extrapolated}");
    }

    #[test]
    fn it_solves_the_equation_for_any_viscosity() {
        for (nu, x, t) in [(0.05, 0.3, 0.4), (0.2, -0.6, 0.1), (NU, 0.7, 0.9), (1.0, 0.25, 1.5)] {
            let u = |x: f64, t: f64| burgers_from_sine(x, t, nu);
            let h = 1e-3;
            let fourth = |f: &dyn Fn(f64) -> f64| (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
            let (u_x, u_t) = (fourth(&|d| u(x + d, t)), fourth(&|d| u(x, t + d)));
            let second = |d: f64| u(x + d, t) + u(x - d, t) - 2.0 * u(x, t);
            let u_xx = (16.0 * second(h) - second(2.0 * h)) / (12.0 * h * h);
            let residual = u_t + u(x, t) * u_x - nu * u_xx;
            assert!(residual.abs() < 1e-6, "nu = {nu}: residual {residual}");
        }
    }

    #[test]
    fn it_starts_from_the_sine_and_keeps_its_symmetry() {
        assert_eq!(burgers_from_sine(0.5, 0.0, NU), -1.0);
        assert!((burgers_from_sine(0.3, 1e-9, NU) + (0.3 * PI).sin()).abs() < 1e-7);
        assert!(burgers_from_sine(1.0, 0.5, NU).abs() < 1e-12 && burgers_from_sine(0.0, 0.5, NU).abs() < 1e-12);
    }
}
