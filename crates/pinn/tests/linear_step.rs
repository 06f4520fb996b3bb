//! A linear equation with a model that is linear in what is trained: one Gauss–Newton step solves it, whatever the start.

use proptest::prelude::*;
use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::objective::Objective;
use ropinn_engine::Threads;
use ropinn_optim::{Form, GaussNewton, GaussNewtonConfig, LeastSquares, Optimizer, Oracle, StepStatus};
use std::ops::Range;

/// An objective of which only the output layer is trained: the rest of the network is a fixed set of features.
struct OutputLayer {
    objective: Objective,
    full: Vec<f64>,
    trained: Range<usize>,
}

impl OutputLayer {
    fn new(problem: &str, seed: u64) -> Self {
        let mut config = RunConfig { seed, ..RunConfig::default() };
        let name = format!("problem.name={problem}");
        let small = ["model.width=12", "depth=2", "precision=f64", "points.interior=grid:13x13", "objective=point"];
        config.set_all(&[name.as_str()]).expect("a problem");
        config.set_all(&small).expect("settings");
        let case = Case::new(config, &Threads::new(2).expect("threads")).expect("a case");
        let first = case.network().layout().get("linear.4.weight").expect("the output layer").offset;
        let (full, objective) = (case.initial_theta(), Objective::new(&case).expect("an objective"));
        Self { objective, trained: first..full.len(), full }
    }

    fn placed(&self, theta: &[f64]) -> Vec<f64> {
        let mut full = self.full.clone();
        full[self.trained.clone()].copy_from_slice(theta);
        full
    }
}

impl Oracle for OutputLayer {
    fn evaluate(&mut self, theta: &[f64], grad: &mut [f64]) -> f64 {
        self.gradient(theta, grad)
    }

    fn least_squares(&mut self) -> Option<&mut dyn LeastSquares> {
        Some(self)
    }
}

impl LeastSquares for OutputLayer {
    fn residual_count(&self) -> usize {
        self.objective.residual_count()
    }

    fn begin(&mut self) {
        LeastSquares::begin(&mut self.objective);
    }

    fn normal_equations(&mut self, theta: &[f64], grad: &mut [f64], gram: &mut Vec<f64>) -> f64 {
        let (full, p) = (self.placed(theta), self.full.len());
        let (mut all, mut matrix) = (vec![0.0; p], Vec::new());
        let loss = self.objective.normal_equations(&full, &mut all, &mut matrix);
        grad.copy_from_slice(&all[self.trained.clone()]);
        gram.clear();
        for row in self.trained.clone() {
            gram.extend_from_slice(&matrix[row * p..][self.trained.clone()]);
        }
        loss
    }

    fn jacobian(&mut self, theta: &[f64], residuals: &mut Vec<f64>, rows: &mut Vec<f64>) -> f64 {
        let (full, mut all) = (self.placed(theta), Vec::new());
        let loss = self.objective.jacobian(&full, residuals, &mut all);
        rows.clear();
        all.chunks_exact(full.len()).for_each(|row| rows.extend_from_slice(&row[self.trained.clone()]));
        loss
    }

    fn gradient(&mut self, theta: &[f64], grad: &mut [f64]) -> f64 {
        let (full, mut all) = (self.placed(theta), vec![0.0; self.full.len()]);
        let loss = LeastSquares::gradient(&mut self.objective, &full, &mut all);
        grad.copy_from_slice(&all[self.trained.clone()]);
        loss
    }

    fn residuals(&mut self, theta: &[f64], out: &mut Vec<f64>) -> f64 {
        let full = self.placed(theta);
        LeastSquares::residuals(&mut self.objective, &full, out)
    }

    fn push_forward(&mut self, theta: &[f64], v: &[f64], out: &mut Vec<f64>) {
        let (full, mut direction) = (self.placed(theta), vec![0.0; self.full.len()]);
        direction[self.trained.clone()].copy_from_slice(v);
        self.objective.push_forward(&full, &direction, out);
    }

    fn pull_back(&mut self, theta: &[f64], w: &[f64], out: &mut Vec<f64>) {
        let (full, mut all) = (self.placed(theta), Vec::new());
        self.objective.pull_back(&full, w, &mut all);
        out.clear();
        out.extend_from_slice(&all[self.trained.clone()]);
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| most.max(value.abs()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn one_step_solves_a_linear_problem(seed in 0u64..1000, wave: bool, start in -2.0f64..2.0) {
        let problem = if wave { "wave" } else { "convection" };
        let mut oracle = OutputLayer::new(problem, seed);
        oracle.objective.begin_step(0);
        let mut theta: Vec<f64> =
            (0..oracle.trained.len()).map(|k| start * (1.3 * k as f64 + seed as f64).sin()).collect();
        let mut grad = vec![0.0; theta.len()];
        let before = oracle.evaluate(&theta, &mut grad);
        let slope = largest(&grad);
        let config = GaussNewtonConfig { damping: 1e-14, form: Some(Form::Parameters), ..GaussNewtonConfig::default() };
        let mut optimizer = GaussNewton::new(config, theta.len(), oracle.residual_count()).expect("settings");
        let outcome = optimizer.step(&mut theta, &mut oracle);
        prop_assert!(!matches!(outcome.status, StepStatus::NonFinite { .. }), "{:?}", outcome.status);
        let after = oracle.evaluate(&theta, &mut grad);
        // The minimum of a quadratic: no slope is left, up to rounding of the normal equations.
        prop_assert!(
            largest(&grad) < 1e-6 * slope && after < before,
            "{problem}: slope {slope} became {}, loss {before} became {after}",
            largest(&grad)
        );
    }
}
