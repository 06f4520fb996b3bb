//! The problems of `benches/peers/golden_lbfgs.py`, coded again by hand with their gradients.
#![allow(dead_code, reason = "each test binary uses its own subset")]

/// Value and gradient at θ; `call` counts evaluations, for the one problem that changes with every call.
pub type Problem = fn(theta: &[f64], grad: &mut [f64], call: u64) -> f64;

pub fn by_name(name: &str) -> Problem {
    match name {
        "rosenbrock" => rosenbrock,
        "quadratic" => quadratic,
        "drifting_bowl" => drifting_bowl,
        "tanh_net" => tanh_net,
        other => panic!("no problem is called {other}"),
    }
}

/// An oracle that counts its calls and tells the problem.
pub fn counted(problem: Problem) -> impl FnMut(&[f64], &mut [f64]) -> f64 {
    let mut call = 0;
    move |theta, grad| {
        let value = problem(theta, grad, call);
        call += 1;
        value
    }
}

/// Σ 100 (θ_{i+1} − θ_i²)² + (1 − θ_i)².
pub fn rosenbrock(theta: &[f64], grad: &mut [f64], _call: u64) -> f64 {
    grad.fill(0.0);
    let mut value = 0.0;
    for i in 0..theta.len() - 1 {
        let (bend, pull) = (theta[i + 1] - theta[i] * theta[i], 1.0 - theta[i]);
        value += 100.0 * bend * bend + pull * pull;
        grad[i] += -400.0 * bend * theta[i] - 2.0 * pull;
        grad[i + 1] += 200.0 * bend;
    }
    value
}

/// ½ Σ 10^{4i/(n−1)} (θ_i − cos i)² + ½ Σ (θ_{i+1} − θ_i)².
pub fn quadratic(theta: &[f64], grad: &mut [f64], _call: u64) -> f64 {
    let n = theta.len();
    let mut value = 0.0;
    for i in 0..n {
        let weight = 10f64.powf(4.0 * i as f64 / (n - 1) as f64);
        let miss = theta[i] - (i as f64).cos();
        value += 0.5 * weight * miss * miss;
        grad[i] = weight * miss;
    }
    for i in 0..n - 1 {
        let jump = theta[i + 1] - theta[i];
        value += 0.5 * jump * jump;
        grad[i] -= jump;
        grad[i + 1] += jump;
    }
    value
}

/// ½ Σ (1 + i)(θ_i − 0.05 sin(1.7 call + i))² + 0.1 Σ cos θ_i: the minimum wanders from call to call.
pub fn drifting_bowl(theta: &[f64], grad: &mut [f64], call: u64) -> f64 {
    let mut value = 0.0;
    for (i, (theta, grad)) in theta.iter().zip(grad).enumerate() {
        let i = i as f64;
        let miss = theta - 0.05 * (1.7 * call as f64 + i).sin();
        value += 0.5 * (1.0 + i) * miss * miss + 0.1 * theta.cos();
        *grad = (1.0 + i) * miss - 0.1 * theta.sin();
    }
    value
}

/// Mean square misfit of a 1-8-1 tanh network, θ = (w, b, v, c), with sin(3x) e^{−x} at 21 points of [−1, 1].
pub fn tanh_net(theta: &[f64], grad: &mut [f64], _call: u64) -> f64 {
    const HIDDEN: usize = 8;
    const POINTS: usize = 21;
    grad.fill(0.0);
    let mut value = 0.0;
    for point in 0..POINTS {
        let x = -1.0 + 0.1 * point as f64;
        let activation: [f64; HIDDEN] = std::array::from_fn(|k| (theta[k] * x + theta[HIDDEN + k]).tanh());
        let u = (0..HIDDEN).map(|k| theta[2 * HIDDEN + k] * activation[k]).sum::<f64>() + theta[3 * HIDDEN];
        let miss = u - (3.0 * x).sin() * (-x).exp();
        value += miss * miss / POINTS as f64;
        let du = 2.0 * miss / POINTS as f64;
        for k in 0..HIDDEN {
            let inner = du * theta[2 * HIDDEN + k] * (1.0 - activation[k] * activation[k]);
            grad[k] += inner * x;
            grad[HIDDEN + k] += inner;
            grad[2 * HIDDEN + k] += du * activation[k];
        }
        grad[3 * HIDDEN] += du;
    }
    value
}
