//! Sizes: the published parameter counts, configuration files, and what is refused with which words.

use crate::{Fallible, model, network};
use ropinn::model::{
    Fourier, HardConstraint, Kan, Mlp, Model, ModelConfig, ModelInputs, ModelKind, Qres, Sequence, Transformer,
    expand_sequence,
};
use ropinn_engine::{Activation, Evaluator, Network, Precision, Program, Samples, TermSpec, Threads};
use ropinn_expr::Scope;
use std::sync::Arc;

#[test]
fn parameter_counts_of_the_paper() {
    let count = |kind, problem| network(&ModelConfig::paper(kind, problem)).parameters();
    for problem in ["reaction", "wave", "convection"] {
        assert_eq!(count(ModelKind::Pinn, problem), 527_361);
        assert_eq!(count(ModelKind::Fls, problem), 527_361);
        assert_eq!(count(ModelKind::Qres, problem), 396_545);
    }
    assert_eq!(network(&ModelConfig::Qres(Qres { depth: 2, ..Qres::default() })).parameters(), 133_377);
    assert_eq!(count(ModelKind::Pinnsformer, "reaction"), 453_561);
    assert_eq!(count(ModelKind::Pinnsformer, "convection"), 453_561);
    assert_eq!(count(ModelKind::Pinnsformer, "wave"), 366_863);
    assert_eq!(count(ModelKind::PinnsformerEncoder, "reaction"), 366_863);
    assert_eq!(count(ModelKind::Kan, "reaction"), 156);
    assert_eq!(count(ModelKind::Kan, "wave"), 411);
    assert_eq!(count(ModelKind::Kan, "convection"), 411);
}

#[test]
fn parameter_counts_of_the_plain_network_on_pinnacle() -> Fallible {
    let plain = ModelConfig::paper(ModelKind::Pinn, "burgers-1d");
    for (coordinates, unknowns, parameters) in [(2, 1, 40_801), (3, 1, 40_901), (2, 3, 41_003), (6, 1, 41_201)] {
        assert_eq!(plain.build(&ModelInputs::new(coordinates, unknowns))?.parameters(), parameters);
    }
    Ok(())
}

#[test]
fn every_kind_reads_from_its_name_alone_and_survives_a_round_trip() -> Fallible {
    for kind in ModelKind::ALL {
        let default = model(&format!("kind = '{kind}'"));
        assert_eq!(default, ModelConfig::new(kind));
        assert_eq!(default.kind(), kind);
        assert_eq!(kind.to_string().parse::<ModelKind>()?, kind);
        assert_eq!(model(&toml::to_string(&default)?), default);
    }
    let rich = ModelConfig::Qres(Qres { fourier: Some(Fourier { features: 9, scale: 1.5 }), ..Qres::default() });
    assert_eq!(model(&toml::to_string(&rich)?), rich);
    Ok(())
}

#[test]
fn configuration_files_set_single_sizes() {
    let fls = model(
        "kind = 'fls'\nwidth = 64\nactivation = 'gelu'\nnormalise = true\nfourier = { features = 8, scale = 2.0 }",
    );
    let fourier = Some(Fourier { features: 8, scale: 2.0 });
    let wanted = Mlp { width: 64, activation: Activation::Gelu, normalise: true, fourier, ..Mlp::default() };
    assert_eq!(fls, ModelConfig::Fls(wanted));
    assert_eq!(
        model("kind = 'kan'\nhidden = [4, 3]\ngrid = 7"),
        ModelConfig::Kan(Kan { hidden: vec![4, 3], grid: 7, ..Kan::default() })
    );
    assert_eq!(
        model("kind = 'pinnsformer-encoder'\nstep = 0.001"),
        ModelConfig::PinnsformerEncoder(Transformer { step: 1e-3, ..Transformer::default() })
    );
}

#[test]
fn mistyped_configurations_name_the_word() {
    let refusal = |text: &str| toml::from_str::<ModelConfig>(text).expect_err("a mistake").message().to_owned();
    assert_eq!(
        refusal("kind = 'pinn'\nwidht = 64"),
        "unknown field `widht`, expected one of `width`, `depth`, `activation`, `normalise`, `fourier`"
    );
    assert_eq!(
        refusal("kind = 'mlp'"),
        "unknown variant `mlp`, expected one of `pinn`, `qres`, `fls`, `pinnsformer`, `pinnsformer-encoder`, `kan`, `features`, `custom`"
    );
    let message = refusal("kind = 'pinn'\nactivation = 'thanh'");
    assert!(message.contains("`thanh`") && message.contains("tanh"), "{message}");
}

#[test]
fn unknown_kinds_name_the_nearest() {
    let refusal = |name: &str| name.parse::<ModelKind>().expect_err("unknown").to_string();
    let all = "pinn, qres, fls, pinnsformer, pinnsformer-encoder, kan, features";
    assert_eq!(refusal("PINN"), format!("unknown model `PINN`; did you mean `pinn`? The models are {all}"));
    assert_eq!(refusal("qers"), format!("unknown model `qers`; did you mean `qres`? The models are {all}"));
    assert_eq!(refusal("fourier"), format!("unknown model `fourier`; the models are {all}"));
}

#[test]
fn impossible_sizes_are_refused_by_name() {
    let refusal = |text: &str| model(text).build(&ModelInputs::new(2, 1)).expect_err(text).to_string();
    assert_eq!(refusal("kind = 'pinn'\nwidth = 0"), "model `pinn`: `width` is 0; it must be at least 1");
    assert_eq!(refusal("kind = 'qres'\ndepth = 0"), "model `qres`: `depth` is 0; it must be at least 1");
    assert_eq!(refusal("kind = 'fls'\ndepth = 9999"), "model `fls`: `depth` is 9999; it can be at most 1024");
    assert_eq!(refusal("kind = 'kan'\nhidden = [5, 0]"), "model `kan`: `hidden` is 0; it must be at least 1");
    assert_eq!(refusal("kind = 'kan'\ndegree = 6"), "spline degree 6 is not supported; choose 1 to 5");
    assert_eq!(
        refusal("kind = 'kan'\nlow = 1.0"),
        "a spline grid of 5 intervals on [1, 1] is empty; give at least one interval and low < high"
    );
    assert_eq!(
        refusal("kind = 'pinnsformer'\nheads = 3"),
        "3 attention heads do not divide the width 32; choose a divisor"
    );
    assert_eq!(
        refusal("kind = 'pinnsformer'\nstep = 0.0"),
        "model `pinnsformer`: `step` is 0; it must be positive and finite"
    );
    assert_eq!(
        refusal("kind = 'pinn'\nfourier = { features = 3, scale = nan }"),
        "model `pinn`: `fourier.scale` is NaN; it must be positive and finite"
    );
    assert_eq!(
        refusal("kind = 'pinn'\nwidth = 65536\ndepth = 1024"),
        "model `pinn` would have 4393818849281 parameters, more than 134217728; make it narrower or shallower"
    );
    assert_eq!(
        refusal("kind = 'pinn'\nnormalise = true"),
        "normalisation needs 2 ranges, one per coordinate, but got 0"
    );
    let nothing = ModelConfig::new(ModelKind::Pinn).build(&ModelInputs::new(2, 0)).expect_err("no unknowns");
    assert_eq!(nothing.to_string(), "model `pinn`: `unknowns` is 0; it must be at least 1");
}

/// Values of u at points, in double precision.
fn values(network: Network, theta: &[f64], points: &[f64]) -> Fallible<Vec<f64>> {
    let u = Scope::new(["x", "t"], ["u"])?.parse("u")?;
    let program = Program::compile(&Arc::new(network), &TermSpec::new("u", vec![u]), 0)?;
    let mut out = Vec::new();
    let mut evaluator = Evaluator::new(vec![program], Precision::F64, &Threads::new(1)?)?;
    let set = evaluator.add(0, Samples::points(points))?;
    evaluator.residuals(theta, set, &mut out)?;
    Ok(out)
}

#[test]
fn normalisation_is_the_plain_network_at_scaled_points() -> Fallible {
    let inputs = ModelInputs { ranges: vec![(0.0, 4.0), (-1.0, 0.0)], ..ModelInputs::new(2, 1) };
    let plain = model("kind = 'fls'\nwidth = 6").build(&inputs)?;
    let normalised = model("kind = 'fls'\nwidth = 6\nnormalise = true").build(&inputs)?;
    let theta: Vec<f64> = (0..plain.parameters()).map(|i| (i as f64 * 0.7).sin()).collect();
    let found = values(normalised, &theta, &[0.0, -1.0, 4.0, 0.0, 3.0, -0.75])?;
    let wanted = values(plain, &theta, &[-1.0, -1.0, 1.0, 1.0, 0.5, -0.5])?;
    assert!(found.iter().zip(&wanted).all(|(f, w)| (f - w).abs() < 1e-13), "{found:?} {wanted:?}");
    Ok(())
}

#[test]
fn fourier_features_double_the_frequencies_and_follow_the_seed() -> Fallible {
    let featured = model("kind = 'qres'\nwidth = 5\nfourier = { features = 7, scale = 0.5 }");
    let at_seed = |seed| -> Fallible<Vec<f64>> {
        let network = featured.build(&ModelInputs { seed, ..ModelInputs::new(2, 1) })?;
        assert_eq!(network.layout().get("inlayer.H1.weight").expect("first block").shape, [5, 14]);
        let theta = vec![0.3; network.parameters()];
        values(network, &theta, &[0.1, 0.9, 0.4, 0.2])
    };
    assert_eq!(at_seed(3)?, at_seed(3)?);
    assert_ne!(at_seed(3)?, at_seed(4)?);
    Ok(())
}

#[test]
fn hard_constraints_hold_whatever_the_parameters() -> Fallible {
    let scope = Scope::new(["x", "t"], ["u"])?;
    let (g, d) = (vec![scope.parse("sin(x)")?], vec![scope.parse("t")?]);
    let constrained = ModelInputs { hard_constraint: Some(HardConstraint { g, d }), ..ModelInputs::new(2, 1) };
    for text in ["kind = 'pinn'\nwidth = 4", "kind = 'kan'"] {
        let network = model(text).build(&constrained)?;
        let theta: Vec<f64> = (0..network.parameters()).map(|i| (i as f64).cos()).collect();
        let u = values(network, &theta, &[0.3, 0.0, 1.1, 0.0, 0.3, 0.5])?;
        assert!((u[0] - 0.3_f64.sin()).abs() < 1e-15 && (u[1] - 1.1_f64.sin()).abs() < 1e-15);
        assert!((u[2] - 0.3_f64.sin()).abs() > 1e-3);
    }
    let two = ModelInputs { unknowns: 2, ..constrained };
    assert_eq!(
        model("kind = 'pinn'").build(&two).expect_err("one constraint for two unknowns").to_string(),
        "a hard constraint u = g + d·N needs one g and one d per unknown: 2 of each, but got 1 g and 1 d"
    );
    Ok(())
}

#[test]
fn sequences_step_in_time_only() {
    let sequence = ModelConfig::new(ModelKind::Pinnsformer).sequence();
    assert_eq!(sequence, Some(Sequence { len: 5, step: 1e-4 }));
    assert_eq!(ModelConfig::new(ModelKind::Kan).sequence(), None);
    let expanded = expand_sequence(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3, Sequence { len: 2, step: 0.5 }, 1);
    assert_eq!(expanded, [1.0, 2.0, 3.0, 1.0, 2.5, 3.0, 4.0, 5.0, 6.0, 4.0, 5.5, 6.0]);
    assert_eq!(network(&ModelConfig::new(ModelKind::Pinnsformer)).elements(), 5);
}

#[test]
fn every_model_takes_a_width_and_a_depth() {
    for kind in ModelKind::ALL {
        let mut model = ModelConfig::new(kind);
        let before = model.width_and_depth();
        model.resize(None, None);
        assert_eq!(model.width_and_depth(), before, "{kind}");
        model.resize(Some(6), None);
        assert_eq!(model.width_and_depth(), (6, before.1), "{kind}");
        model.resize(None, Some(4));
        assert_eq!(model.width_and_depth(), (6, 4), "{kind}");
    }
}
