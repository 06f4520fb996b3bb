//! Gauss–Newton on textbook problems, and the three forms of its step against each other.

use proptest::prelude::*;
use ropinn_optim::{
    Form, GaussNewton, GaussNewtonConfig, LeastSquares, OptimError, Optimizer, Oracle, Quantity, Scaling, StepStatus,
};

/// Residuals by a formula, slopes by its complex-free hand derivative.
struct Fit<R, J> {
    count: usize,
    residuals: R,
    /// Row-major Jacobian.
    slopes: J,
    /// Losses of `end` calls.
    ended: Vec<f64>,
}

fn fit<R, J>(count: usize, residuals: R, slopes: J) -> Fit<R, J>
where
    R: FnMut(&[f64]) -> Vec<f64>,
    J: FnMut(&[f64]) -> Vec<f64>,
{
    Fit { count, residuals, slopes, ended: Vec::new() }
}

impl<R: FnMut(&[f64]) -> Vec<f64>, J: FnMut(&[f64]) -> Vec<f64>> Oracle for Fit<R, J> {
    fn evaluate(&mut self, theta: &[f64], grad: &mut [f64]) -> f64 {
        self.gradient(theta, grad)
    }

    fn least_squares(&mut self) -> Option<&mut dyn LeastSquares> {
        Some(self)
    }
}

impl<R: FnMut(&[f64]) -> Vec<f64>, J: FnMut(&[f64]) -> Vec<f64>> LeastSquares for Fit<R, J> {
    fn residual_count(&self) -> usize {
        self.count
    }

    fn begin(&mut self) {}

    fn normal_equations(&mut self, theta: &[f64], grad: &mut [f64], gram: &mut Vec<f64>) -> f64 {
        let p = theta.len();
        let rows = (self.slopes)(theta);
        gram.clear();
        gram.resize(p * p, 0.0);
        for row in rows.chunks_exact(p) {
            (0..p * p).for_each(|e| gram[e] += row[e / p] * row[e % p]);
        }
        self.gradient(theta, grad)
    }

    fn jacobian(&mut self, theta: &[f64], residuals: &mut Vec<f64>, rows: &mut Vec<f64>) -> f64 {
        *rows = (self.slopes)(theta);
        self.residuals(theta, residuals)
    }

    fn gradient(&mut self, theta: &[f64], grad: &mut [f64]) -> f64 {
        let (residuals, rows) = ((self.residuals)(theta), (self.slopes)(theta));
        grad.fill(0.0);
        for (row, r) in rows.chunks_exact(theta.len()).zip(&residuals) {
            grad.iter_mut().zip(row).for_each(|(g, j)| *g += 2.0 * r * j);
        }
        residuals.iter().map(|r| r * r).sum()
    }

    fn residuals(&mut self, theta: &[f64], out: &mut Vec<f64>) -> f64 {
        *out = (self.residuals)(theta);
        out.iter().map(|r| r * r).sum()
    }

    fn push_forward(&mut self, theta: &[f64], v: &[f64], out: &mut Vec<f64>) {
        let rows = (self.slopes)(theta);
        *out = rows.chunks_exact(theta.len()).map(|row| row.iter().zip(v).map(|(j, v)| j * v).sum()).collect();
    }

    fn pull_back(&mut self, theta: &[f64], w: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(theta.len(), 0.0);
        for (row, w) in (self.slopes)(theta).chunks_exact(theta.len()).zip(w) {
            out.iter_mut().zip(row).for_each(|(o, j)| *o += w * j);
        }
    }

    fn end(&mut self, loss: f64, _grad: &[f64]) {
        self.ended.push(loss);
    }
}

fn solver(config: GaussNewtonConfig, parameters: usize, residuals: usize) -> GaussNewton {
    GaussNewton::new(config, parameters, residuals).expect("valid settings")
}

/// Losses before each step until the gradient tolerance is met.
fn descend(optimizer: &mut GaussNewton, theta: &mut [f64], world: &mut dyn Oracle, steps: usize) -> Vec<f64> {
    let mut losses = Vec::new();
    for _ in 0..steps {
        let outcome = optimizer.step(theta, world);
        losses.push(outcome.first_loss);
        if matches!(outcome.status, StepStatus::Converged(_)) {
            break;
        }
    }
    losses
}

#[test]
fn rosenbrock_converges_quadratically() {
    for (scaling, acceleration) in [Scaling::Identity, Scaling::Diagonal].into_iter().zip([false, true]) {
        let mut world =
            fit(2, |t| vec![10.0 * (t[1] - t[0] * t[0]), 1.0 - t[0]], |t| vec![-20.0 * t[0], 10.0, -1.0, 0.0]);
        let mut theta = [-1.2, 1.0];
        let config = GaussNewtonConfig { scaling, acceleration, ..GaussNewtonConfig::default() };
        let losses = descend(&mut solver(config, 2, 2), &mut theta, &mut world, 60);
        assert!((theta[0] - 1.0).abs() < 1e-10 && (theta[1] - 1.0).abs() < 1e-10, "{theta:?} after {}", losses.len());
        assert!(losses.len() < 60);
        // Zero residual at the solution: once λ is small, errors at least fall by a hundred per step.
        let tail: Vec<f64> = losses.iter().copied().filter(|&loss| loss > 1e-25 && loss < 1e-4).collect();
        assert!(tail.windows(2).all(|pair| pair[1] < 1e-2 * pair[0]), "{losses:?}");
    }
}

#[test]
fn powell_singular_falls_by_a_constant_factor() {
    // The Jacobian loses rank at the solution 0: Gauss–Newton halves θ there, so f = O(θ⁴) falls by 16 (Moré et al. 1981, no. 13).
    let residuals = |t: &[f64]| {
        let (a, b) = (t[1] - 2.0 * t[2], t[0] - t[3]);
        vec![t[0] + 10.0 * t[1], 5f64.sqrt() * (t[2] - t[3]), a * a, 10f64.sqrt() * b * b]
    };
    let slopes = |t: &[f64]| {
        let (a, b) = (2.0 * (t[1] - 2.0 * t[2]), 2.0 * 10f64.sqrt() * (t[0] - t[3]));
        let s = 5f64.sqrt();
        vec![1.0, 10.0, 0.0, 0.0, 0.0, 0.0, s, -s, 0.0, a, -2.0 * a, 0.0, b, 0.0, 0.0, -b]
    };
    let config = GaussNewtonConfig { acceleration: false, tolerance_grad: 0.0, ..GaussNewtonConfig::default() };
    let mut theta = [3.0, -1.0, 0.0, 1.0];
    let losses = descend(&mut solver(config, 4, 4), &mut theta, &mut fit(4, residuals, slopes), 30);
    let rates: Vec<f64> = losses.windows(2).skip(4).take(12).map(|pair| pair[0] / pair[1]).collect();
    assert!(rates.iter().all(|rate| (8.0..40.0).contains(rate)), "{rates:?}");
    assert!(theta.iter().all(|t| t.abs() < 1e-3), "{theta:?}");
}

#[test]
fn a_curve_fit_finds_the_coefficients_that_made_the_data() {
    // y = a e^{−bx} + c, with b far from its start.
    let x: Vec<f64> = (0..25).map(|i| 0.2 * f64::from(i)).collect();
    let wanted = [2.5, 1.3, 0.5];
    let model = |t: &[f64], x: f64| t[0] * (-t[1] * x).exp() + t[2];
    let residuals = |t: &[f64]| x.iter().map(|&x| model(t, x) - model(&wanted, x)).collect();
    let slopes = |t: &[f64]| {
        x.iter().flat_map(|&x| [(-t[1] * x).exp(), -t[0] * x * (-t[1] * x).exp(), 1.0]).collect::<Vec<f64>>()
    };
    let mut theta = [1.0, 0.1, 0.0];
    let config = GaussNewtonConfig::default();
    let losses = descend(&mut solver(config, 3, 25), &mut theta, &mut fit(25, residuals, slopes), 60);
    assert!(theta.iter().zip(&wanted).all(|(t, w)| (t - w).abs() < 1e-9), "{theta:?} after {} steps", losses.len());
    assert!(losses.len() < 40, "{}", losses.len());
}

/// A smooth random problem of `n` residuals in `p` parameters: ρ_i = sin(a_i·θ) − b_i.
fn random_problem(n: usize, p: usize, seed: u64) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    };
    ((0..n * p).map(|_| next()).collect(), (0..n).map(|_| next()).collect(), (0..p).map(|_| next()).collect())
}

fn one_step(form: Form, scaling: Scaling, damping: f64, n: usize, p: usize, seed: u64) -> Vec<f64> {
    let (a, b, start) = random_problem(n, p, seed);
    let product = |t: &[f64], i: usize| a[i * p..][..p].iter().zip(t).map(|(a, t)| a * t).sum::<f64>();
    let residuals = |t: &[f64]| (0..n).map(|i| product(t, i).sin() - b[i]).collect();
    let slopes = |t: &[f64]| (0..n * p).map(|e| a[e] * product(t, e / p).cos()).collect();
    let config = GaussNewtonConfig {
        form: Some(form),
        scaling,
        damping,
        cg_tolerance: 1e-13,
        cg_iterations: 10_000,
        acceleration: seed.is_multiple_of(2),
        ..GaussNewtonConfig::default()
    };
    let mut theta = start;
    solver(config, p, n).step(&mut theta, &mut fit(n, residuals, slopes));
    theta
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn kernel_and_parameter_form_take_the_same_step(n in 1usize..40, p in 1usize..40, seed: u64, exponent in -4i32..1) {
        for scaling in [Scaling::Identity, Scaling::Diagonal] {
            let (a, b) = (
                one_step(Form::Parameters, scaling, 10f64.powi(exponent), n, p, seed),
                one_step(Form::Kernel, scaling, 10f64.powi(exponent), n, p, seed),
            );
            let gap = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            prop_assert!(gap < 1e-8, "{scaling:?}: {gap}");
        }
    }
}

/// λ counts in units of the mean diagonal, which the matrix-free form only estimates: the dense step is given the same λ.
#[test]
fn the_matrix_free_step_agrees_with_the_dense_one() {
    for seed in 0..20 {
        let (n, p) = (30, 12);
        let (a, b, start) = random_problem(n, p, seed);
        let product = |t: &[f64], i: usize| a[i * p..][..p].iter().zip(t).map(|(a, t)| a * t).sum::<f64>();
        let slopes = |t: &[f64]| (0..n * p).map(|e| a[e] * product(t, e / p).cos()).collect::<Vec<f64>>();
        let step = |form: Form, damping: f64| {
            let residuals = |t: &[f64]| (0..n).map(|i| product(t, i).sin() - b[i]).collect();
            let config = GaussNewtonConfig {
                form: Some(form),
                damping,
                trials: 1,
                cg_tolerance: 1e-14,
                cg_iterations: 1000,
                ..GaussNewtonConfig::default()
            };
            let (mut optimizer, mut theta) = (solver(config, p, n), start.clone());
            let outcome = optimizer.step(&mut theta, &mut fit(n, residuals, slopes));
            (theta, optimizer.save(), outcome)
        };
        let (free, state, outcome) = step(Form::MatrixFree, 0.1);
        let estimate: f64 = state.vectors["preconditioner"].iter().sum();
        let exact: f64 = slopes(&start).iter().map(|j| j * j).sum();
        let (dense, _, dense_outcome) = step(Form::Parameters, 0.1 * estimate / exact);
        let gap = dense.iter().zip(&free).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(gap < 1e-9, "seed {seed}: {gap}");
        assert_eq!(outcome.status, dense_outcome.status);
    }
}

#[test]
fn a_linear_problem_is_solved_in_one_step_to_round_off() {
    let (n, p) = (60, 20);
    let (a, _, wanted) = random_problem(n, p, 11);
    let product = |t: &[f64], i: usize| a[i * p..][..p].iter().zip(t).map(|(a, t)| a * t).sum::<f64>();
    let target: Vec<f64> = (0..n).map(|i| product(&wanted, i)).collect();
    for form in [Form::Parameters, Form::Kernel, Form::MatrixFree] {
        let residuals = |t: &[f64]| (0..n).map(|i| product(t, i) - target[i]).collect();
        let config = GaussNewtonConfig {
            form: Some(form),
            damping: 1e-15,
            cg_tolerance: 1e-15,
            cg_iterations: 1000,
            ..GaussNewtonConfig::default()
        };
        let mut theta = vec![0.0; p];
        let outcome = solver(config, p, n).step(&mut theta, &mut fit(n, residuals, |_: &[f64]| a.clone()));
        let worst = theta.iter().zip(&wanted).map(|(t, w)| (t - w).abs()).fold(0.0, f64::max);
        // The kernel form divides a difference of two nearly equal vectors by λ: it is for n < p, and here only must not fail.
        let bound = if form == Form::Kernel { f64::INFINITY } else { 1e-9 };
        assert!(worst < bound && outcome.loss.is_finite(), "{form}: {worst}");
    }
}

#[test]
fn the_form_follows_the_sizes() {
    assert_eq!(Form::fitting(1000, 3000), Form::Parameters);
    assert_eq!(Form::fitting(3000, 1000), Form::Kernel);
    assert_eq!(Form::fitting(500_000, 10_000), Form::MatrixFree);
    assert_eq!(Form::fitting(500_000, 100), Form::Kernel);
    let chosen = solver(GaussNewtonConfig::default(), 30, 20).choice();
    assert_eq!(chosen.as_deref(), Some("gauss-newton: kernel for 30 parameters and 20 residuals"));
}

#[test]
fn bad_luck_leaves_theta_where_it_was() {
    // NaN at the start.
    let mut theta = [1.0];
    let mut world = fit(1, |_: &[f64]| vec![f64::NAN], |_: &[f64]| vec![1.0]);
    let outcome = solver(GaussNewtonConfig::default(), 1, 1).step(&mut theta, &mut world);
    assert_eq!(outcome.status, StepStatus::NonFinite { what: Quantity::Loss });
    assert_eq!(theta, [1.0]);
    // NaN everywhere but here: no trial is accepted, the damping rises, and the step says so.
    let mut world = fit(1, |t: &[f64]| vec![if t[0] == 1.0 { 2.0 } else { f64::NAN }], |_: &[f64]| vec![1.0]);
    let mut optimizer = solver(GaussNewtonConfig::default(), 1, 1);
    let outcome = optimizer.step(&mut theta, &mut world);
    assert_eq!(outcome.status, StepStatus::LineSearchStalled);
    assert!(theta == [1.0] && optimizer.damping() > 1.0);
    // A matrix of zeros: nothing depends on θ, which is convergence.
    let outcome = optimizer.step(&mut theta, &mut fit(1, |_: &[f64]| vec![1.0], |_: &[f64]| vec![0.0]));
    assert!(matches!(outcome.status, StepStatus::Converged(_)), "{outcome:?}");
}

#[test]
fn a_restored_optimiser_continues_with_the_same_bits() {
    let residuals = |t: &[f64]| vec![10.0 * (t[1] - t[0] * t[0]), 1.0 - t[0], 0.1 * t[0] * t[1]];
    let slopes = |t: &[f64]| vec![-20.0 * t[0], 10.0, -1.0, 0.0, 0.1 * t[1], 0.1 * t[0]];
    for form in [Form::Parameters, Form::Kernel, Form::MatrixFree] {
        for scaling in [Scaling::Identity, Scaling::Diagonal] {
            let config = GaussNewtonConfig { form: Some(form), scaling, ..GaussNewtonConfig::default() };
            let (mut original, mut theta) = (solver(config, 2, 3), [-1.2, 1.0]);
            for _ in 0..4 {
                original.step(&mut theta, &mut fit(3, residuals, slopes));
            }
            let (mut restored, mut continued) = (solver(config, 2, 3), theta);
            restored.load(&original.save()).unwrap();
            for _ in 0..4 {
                original.step(&mut theta, &mut fit(3, residuals, slopes));
                restored.step(&mut continued, &mut fit(3, residuals, slopes));
                assert_eq!(theta.map(f64::to_bits), continued.map(f64::to_bits), "{form} {scaling:?}");
            }
        }
    }
}

#[test]
fn every_step_ends_with_its_own_gradient_told_once() {
    let mut world = fit(1, |t: &[f64]| vec![t[0] - 3.0], |_: &[f64]| vec![1.0]);
    let mut theta = [0.0];
    solver(GaussNewtonConfig::default(), 1, 1).step(&mut theta, &mut world);
    assert_eq!(world.ended, [9.0]);
}

#[test]
fn every_computation_of_the_residuals_is_counted() {
    // Rosenbrock; a wall that no step may cross, so that trials fail and steps are halved; a matrix without a factor.
    let rosenbrock = |t: &[f64]| vec![10.0 * (t[1] - t[0] * t[0]), 1.0 - t[0]];
    let walled = |t: &[f64]| vec![10.0 * (t[1] - t[0] * t[0]), if t[0] > -1.19 { f64::NAN } else { 1.0 - t[0] }];
    let slopes = |t: &[f64]| vec![-20.0 * t[0], 10.0, -1.0, 0.0];
    let unsolvable = |_: &[f64]| vec![1e160, 1e160, 1e160, 1e160];
    type Formula = fn(&[f64]) -> Vec<f64>;
    let cases: [(Formula, Formula); 3] = [(rosenbrock, slopes), (walled, slopes), (rosenbrock, unsolvable)];
    for form in [Form::Parameters, Form::Kernel, Form::MatrixFree] {
        for (acceleration, (residuals, slopes)) in cases.iter().flat_map(|case| [(false, case), (true, case)]) {
            let calls = std::cell::RefCell::new(Vec::new());
            let counted = |t: &[f64]| {
                calls.borrow_mut().push(t.to_vec());
                residuals(t)
            };
            let config = GaussNewtonConfig { form: Some(form), acceleration, ..GaussNewtonConfig::default() };
            let (mut optimizer, mut theta, mut world) = (solver(config, 2, 2), [-1.2, 1.0], fit(2, counted, slopes));
            for step in 0..6 {
                calls.borrow_mut().clear();
                let outcome = optimizer.step(&mut theta, &mut world);
                let calls = calls.borrow();
                assert_eq!(outcome.evaluations, calls.len(), "{form}, bent: {acceleration}, step {step}: {outcome:?}");
                assert_eq!(calls[outcome.accepted], theta, "{form}, bent: {acceleration}, step {step}: {outcome:?}");
            }
        }
    }
}

#[test]
fn the_diagonal_scaling_falls_by_no_more_than_half_and_rises_at_once() {
    // ρ = (θ₀, c(θ₀)·θ₁): the second parameter's slope is whatever the test says.
    let slope = std::cell::Cell::new(1.0);
    let mut world = fit(2, |t: &[f64]| vec![t[0], slope.get() * t[1]], |_: &[f64]| vec![1.0, 0.0, 0.0, slope.get()]);
    let config = GaussNewtonConfig { scaling: Scaling::Diagonal, ..GaussNewtonConfig::default() };
    let (mut optimizer, mut theta) = (solver(config, 2, 2), [1.0, 1.0]);
    let mut scale = |of_slope: f64| {
        slope.set(of_slope);
        theta = [1.0, 1.0];
        optimizer.step(&mut theta, &mut world);
        optimizer.save().vectors["scale"].clone()
    };
    assert_eq!(scale(1.0), [1.0, 1.0]);
    // The diagonal is (1, 0), its mean ½: the first is 2 in these units, the second halves step by step.
    assert_eq!(scale(0.0), [2.0, 0.5]);
    assert_eq!(scale(0.0), [2.0, 0.25]);
    assert_eq!(scale(1.0), [1.0, 1.0], "not the largest of all steps");
}

#[test]
fn bad_settings_are_refused_by_name() {
    let refused = |config: GaussNewtonConfig| GaussNewton::new(config, 3, 3).expect_err("refused").to_string();
    let good = GaussNewtonConfig::default();
    assert_eq!(
        refused(GaussNewtonConfig { damping: 0.0, ..good }),
        "gauss-newton: `damping` is 0, but it must be finite and above 0; change it in the optimiser's configuration"
    );
    assert!(refused(GaussNewtonConfig { trials: 0, ..good }).contains("`trials` is 0"));
    assert!(refused(GaussNewtonConfig { cg_tolerance: 1.0, ..good }).contains("`cg_tolerance` is 1"));
    let error = GaussNewton::new(GaussNewtonConfig { damping_floor: f64::NAN, ..good }, 3, 3);
    assert!(matches!(error, Err(OptimError::InvalidSetting { setting: "damping_floor", .. })));
}
