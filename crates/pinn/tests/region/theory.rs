//! Theorems of region optimisation (Wu et al. 2024) on a small network, points and residual of the reaction equation.
//!
//! N1: E_ξ ∇L(x + ξ) = ∇ (1/R²) ∫_{[0,R]²} L(x + ξ) dξ. N2: the error of one draw, in root mean square, is the norm of the
//! element-wise standard deviation; it is linear in R for small R and falls with √n for n samples.

use super::case;
use ropinn::case::Case;
use ropinn::objective::Objective;
use ropinn::problem::TermGroup;
use ropinn_optim::Oracle;

/// Gauss–Legendre nodes and weights on [0, 1], order 10.
const NODES: [(f64, f64); 5] = [
    (0.046910077030668, 0.118463442528095),
    (0.230765344947158, 0.239314335249683),
    (0.5, 0.284444444444444),
    (0.769234655052842, 0.239314335249683),
    (0.953089922969332, 0.118463442528095),
];

fn region_case(r: f64, samples: usize) -> Case {
    let settings = [format!("region.r={r}"), format!("region.samples={samples}")];
    let fixed = ["region.cap=10", "region.calibrate=false", "points.interior=grid:3x3", "region.edge=free"];
    case(&settings.iter().map(String::as_str).chain(fixed).collect::<Vec<_>>())
}

/// ∇ of the region loss by quadrature: the mean over shifts of all residual points by the same node.
fn by_quadrature(case: &Case, theta: &[f64], r: f64) -> Vec<f64> {
    let mut gradient = vec![0.0; theta.len()];
    for (x, weight_x) in NODES {
        for (t, weight_t) in NODES {
            let mut terms = case.problem().terms(0).expect("terms");
            for term in terms.iter_mut().filter(|term| term.group == TermGroup::Residual) {
                for point in term.points.chunks_exact_mut(2) {
                    point[0] += r * x;
                    point[1] += r * t;
                }
            }
            let mut objective = Objective::with_terms(case, terms).expect("objective");
            let evaluation = objective.evaluate_at_points(theta).expect("evaluation");
            gradient.iter_mut().zip(&evaluation.grad).for_each(|(sum, g)| *sum += weight_x * weight_t * g);
        }
    }
    gradient
}

struct Draws {
    mean: Vec<f64>,
    std: Vec<f64>,
    count: f64,
    gradients: Vec<Vec<f64>>,
}

fn draws(case: &Case, theta: &[f64], count: u64) -> Draws {
    let mut objective = Objective::new(case).expect("objective");
    let gradients: Vec<Vec<f64>> = (0..count)
        .map(|step| {
            let mut grad = vec![0.0; theta.len()];
            objective.begin_step(step);
            objective.evaluate(theta, &mut grad);
            grad
        })
        .collect();
    let n = count as f64;
    let over = |f: &dyn Fn(usize, &[f64]) -> f64| -> Vec<f64> {
        (0..theta.len()).map(|p| gradients.iter().map(|g| f(p, g)).sum::<f64>() / n).collect()
    };
    let mean = over(&|p, g| g[p]);
    let std = over(&|p, g| (g[p] - mean[p]).powi(2)).into_iter().map(f64::sqrt).collect();
    Draws { mean, std, count: n, gradients }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// (E ‖∇L(x + ξ) − ∇L_region‖²)^½.
fn error_of_one_draw(draws: &Draws, exact: &[f64]) -> f64 {
    let square = |g: &Vec<f64>| g.iter().zip(exact).map(|(g, e)| (g - e).powi(2)).sum::<f64>();
    (draws.gradients.iter().map(square).sum::<f64>() / draws.count).sqrt()
}

#[test]
fn the_mean_of_drawn_gradients_is_the_gradient_of_the_region_loss() {
    let r = 0.5;
    let case = region_case(r, 1);
    let theta = case.initial_theta();
    let exact = by_quadrature(&case, &theta, r);
    let point = by_quadrature(&case, &theta, 0.0);
    let drawn = draws(&case, &theta, 4000);
    let mut worst: f64 = 0.0;
    for ((mean, std), exact) in drawn.mean.iter().zip(&drawn.std).zip(&exact) {
        worst = worst.max((mean - exact).abs() / (std / drawn.count.sqrt() + 1e-12));
    }
    assert!(worst < 4.5, "{worst} standard errors");
    // The test can tell the region's gradient from the point's.
    let apart: Vec<f64> = exact.iter().zip(&point).map(|(a, b)| a - b).collect();
    assert!(norm(&apart) > 10.0 * norm(&drawn.std) / drawn.count.sqrt());
}

#[test]
fn the_error_of_a_draw_is_the_norm_of_the_standard_deviation() {
    let r = 0.1;
    let errors: Vec<f64> = [1, 4, 16]
        .map(|samples| {
            let case = region_case(r, samples);
            let theta = case.initial_theta();
            let exact = by_quadrature(&case, &theta, r);
            let drawn = draws(&case, &theta, 1500);
            let error = error_of_one_draw(&drawn, &exact);
            assert!((error / norm(&drawn.std) - 1.0).abs() < 0.02, "{error} but {}", norm(&drawn.std));
            error
        })
        .to_vec();
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((ratio - 2.0).abs() < 0.15, "four times the samples divide the error by {ratio}, not 2");
    }
}

#[test]
fn the_error_of_a_draw_is_linear_in_small_regions() {
    let error = |r: f64| {
        let case = region_case(r, 1);
        norm(&draws(&case, &case.initial_theta(), 1000).std)
    };
    // The same draws, scaled: only curvature in r is left.
    let ratio = error(2e-3) / error(1e-3);
    assert!((ratio - 2.0).abs() < 0.01, "{ratio}");
}
