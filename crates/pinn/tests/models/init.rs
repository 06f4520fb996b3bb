//! Starting values: bounds and moments of every distribution, and the same numbers from the same seed.

use crate::{model, network};
use ropinn::model::{Init, Model, ModelConfig, ModelKind, Scheme};
use ropinn_domain::{Purpose, Stream};
use ropinn_engine::Network;

/// A model's starting values by tensor name.
struct Start {
    network: Network,
    theta: Vec<f64>,
}

impl Start {
    fn of(model: &ModelConfig, seed: u64, init: &Init) -> Self {
        let network = network(model);
        let theta = model.initialise(&network, seed, init);
        Self { network, theta }
    }

    fn tensor(&self, name: &str) -> &[f64] {
        &self.theta[self.network.layout().get(name).expect(name).range()]
    }
}

/// Mean, variance, and the kurtosis E(v⁴)/E(v²)² (9/5 for a uniform, 3 for a normal distribution around zero).
fn moments(values: &[f64]) -> (f64, f64, f64) {
    let mean_of = |power: i32| values.iter().map(|v| v.powi(power)).sum::<f64>() / values.len() as f64;
    (mean_of(1), mean_of(2) - mean_of(1).powi(2), mean_of(4) / mean_of(2).powi(2))
}

#[test]
fn xavier_uniform_fills_its_interval() {
    let init = Init { bias: 0.01, scheme: Scheme::XavierUniform };
    let start = Start::of(&ModelConfig::new(ModelKind::Pinn), 5, &init);
    for (name, fans) in [("linear.0.weight", 514.0), ("linear.2.weight", 1024.0), ("linear.6.weight", 513.0_f64)] {
        let (values, reach) = (start.tensor(name), (6.0 / fans).sqrt());
        assert!(values.iter().all(|v| v.abs() <= reach), "{name}");
        assert!(values.iter().any(|v| *v > 0.97 * reach) && values.iter().any(|v| *v < -0.97 * reach), "{name}");
    }
    let (mean, variance, kurtosis) = moments(start.tensor("linear.2.weight"));
    assert!(mean.abs() < 4e-4 && (variance * 512.0 - 1.0).abs() < 0.01 && (kurtosis - 1.8).abs() < 0.02);
    for layer in [0, 2, 4, 6] {
        assert!(start.tensor(&format!("linear.{layer}.bias")).iter().all(|&b| b == 0.01));
    }
}

#[test]
fn glorot_normal_has_the_moments_of_a_normal() {
    let init = Init::paper("burgers-1d");
    assert_eq!(init, Init { bias: 0.0, scheme: Scheme::GlorotNormal });
    let start = Start::of(&model("kind = 'fls'\nwidth = 300"), 5, &init);
    let (mean, variance, kurtosis) = moments(start.tensor("linear.2.weight"));
    assert!(mean.abs() < 1e-3 && (variance * 300.0 - 1.0).abs() < 0.02 && (kurtosis - 3.0).abs() < 0.06);
    assert!(start.tensor("linear.4.bias").iter().all(|&b| b == 0.0));
}

#[test]
fn every_matrix_of_qres_is_drawn_on_its_own() {
    let start = Start::of(&ModelConfig::new(ModelKind::Qres), 1, &Init::paper("wave"));
    let reach = (6.0 / 512.0_f64).sqrt();
    let (h1, h2) = (start.tensor("layers.2.H1.weight"), start.tensor("layers.2.H2.weight"));
    assert!(h1.iter().chain(h2).all(|v| v.abs() <= reach));
    let correlation: f64 = h1.iter().zip(h2).map(|(a, b)| a * b).sum::<f64>() / (h1.len() as f64 * reach * reach / 3.0);
    assert!(correlation.abs() < 0.02, "{correlation}");
    assert_ne!(start.tensor("inlayer.H1.weight")[0], start.tensor("inlayer.H2.weight")[0]);
}

#[test]
fn attention_starts_as_one_joint_matrix_and_waves_at_one() {
    let start = Start::of(&ModelConfig::new(ModelKind::Pinnsformer), 2, &Init::paper("reaction"));
    for stack in ["encoder", "decoder"] {
        let attention = format!("{stack}.layers.0.attn");
        let (joint, reach) = (start.tensor(&format!("{attention}.in_proj_weight")), (6.0 / 128.0_f64).sqrt());
        assert_eq!(joint.len(), 96 * 32);
        assert!(joint.iter().all(|v| v.abs() <= reach) && joint.iter().any(|v| v.abs() > 0.99 * reach));
        assert!(start.tensor(&format!("{attention}.in_proj_bias")).iter().all(|&b| b == 0.0));
        let reach = (6.0 / 64.0_f64).sqrt();
        let projected = start.tensor(&format!("{attention}.out_proj.weight"));
        assert!(projected.iter().all(|v| v.abs() <= reach) && projected.iter().any(|v| v.abs() > 0.97 * reach));
        assert!(start.tensor(&format!("{attention}.out_proj.bias")).iter().all(|&b| b == 0.01));
    }
    let waves = start.network.layout().tensors().iter().filter(|t| t.name.ends_with(".w1") || t.name.ends_with(".w2"));
    let amplitudes: Vec<f64> = waves.flat_map(|t| start.tensor(&t.name)).copied().collect();
    assert_eq!(amplitudes, vec![1.0; 2 * 12]);
}

#[test]
fn kan_starts_with_tiny_splines_through_its_noise() {
    let start = Start::of(&model("kind = 'kan'\nhidden = [40, 60]"), 9, &Init::default());
    assert!(start.tensor("biases.1.weight").iter().all(|&b| b == 0.0));
    assert!(start.tensor("act_fun.1.scale_sp").iter().all(|&s| s == 1.0));
    let (mean, variance, _) = moments(start.tensor("act_fun.1.scale_base"));
    assert!(
        (mean - (1.0 / 40.0_f64.sqrt() - 0.25)).abs() < 0.04 && (variance - 0.25).abs() < 0.02,
        "{mean} {variance}"
    );
    let coefficients = start.tensor("act_fun.1.coef");
    let at_grid_points: Vec<f64> = coefficients
        .chunks_exact(8)
        .flat_map(|c| (0..6).map(move |i| (c[i] + 4.0 * c[i + 1] + c[i + 2]) / 6.0))
        .collect();
    assert!(at_grid_points.iter().all(|v| v.abs() <= 0.01 + 1e-15));
    let (mean, variance, kurtosis) = moments(&at_grid_points);
    assert!(mean.abs() < 2e-4 && (variance * 12.0 / 0.0004 - 1.0).abs() < 0.03 && (kurtosis - 1.8).abs() < 0.05);
    // Of all splines with these values the smallest: orthogonal to the null space of the 6 × 8 interpolation matrix.
    for null in null_space() {
        for c in coefficients.chunks_exact(8) {
            let along: f64 = c.iter().zip(&null).map(|(c, n)| c * n).sum();
            assert!(along.abs() < 1e-14, "{along:e}");
        }
    }
}

/// Two vectors with c_i + 4 c_{i+1} + c_{i+2} = 0 throughout, scaled to size one.
fn null_space() -> [Vec<f64>; 2] {
    [(1.0, 0.0), (0.0, 1.0)].map(|(first, second)| {
        let mut c: Vec<f64> = vec![first, second];
        for i in 0..6 {
            c.push(-4.0 * c[i + 1] - c[i]);
        }
        let size = c.iter().map(|v| v * v).sum::<f64>().sqrt();
        c.iter().map(|v| v / size).collect()
    })
}

#[test]
fn the_seed_decides_everything() {
    for kind in ModelKind::ALL {
        let model = ModelConfig::new(kind);
        let start = |seed| Start::of(&model, seed, &Init::default()).theta;
        assert_eq!(start(11), start(11), "{kind}");
        assert_ne!(start(11), start(12), "{kind}");
        assert!(start(11).iter().all(|v| v.is_finite()), "{kind}");
    }
}

#[test]
fn recorded_numbers_stay() {
    // A run is repeated from its seed: these may never change.
    let start = Start::of(&model("kind = 'pinn'\nwidth = 4\ndepth = 1"), 0, &Init::paper("reaction"));
    // Xavier's reach √(6/(2 + 4)) is 1 here: the first weights are the first random numbers, stretched to (−1, 1).
    let mut stream = Stream::new(0, Purpose::Weights);
    let wanted: Vec<f64> = (0..8).map(|_| 2.0 * stream.uniform() - 1.0).collect();
    assert_eq!(start.tensor("linear.0.weight"), wanted);
    assert_eq!(start.theta[..2], [0.7610403957772285, -0.2758177686611931]);
}
