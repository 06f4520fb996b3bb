//! Models that are composed in a program.

use crate::Fallible;
use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::model::Composed;
use ropinn::problem::Problem;
use ropinn::train::Trainer;
use ropinn::weights::read_weights;
use ropinn_engine::{Activation, EngineError, NetworkBuilder, Precision, Threads};

fn two_sines(coordinates: usize, name: &str) -> Result<Composed, EngineError> {
    let mut net = NetworkBuilder::new(coordinates);
    let (mut a, mut b) = (net.linear("a", net.input(), 3)?, net.linear("b", net.input(), 3)?);
    (a, b) = (net.activate(Activation::Sin, a)?, net.activate(Activation::Tanh, b)?);
    let z = net.mul(a, b)?;
    let u = net.linear("u", z, 1)?;
    Ok(Composed::new(name, net.build(u)?))
}

fn case(config: &RunConfig, model: Composed) -> Fallible<Case> {
    Ok(Case::with_model(config.clone(), Problem::builtin("reaction")?, model, &Threads::new(1)?)?)
}

fn config() -> Fallible<RunConfig> {
    let mut config = RunConfig::default();
    config.set_all(&["precision=f64", "points.interior=grid:7x7", "phases=adam 6", "init.bias=0.25"])?;
    Ok(config)
}

#[test]
fn a_composed_network_is_trained_saved_resumed_and_reloaded() -> Fallible {
    let whole = Trainer::new(case(&config()?, two_sines(2, "mine")?)?)?.run(&mut (), &Default::default())?;
    let saved = whole.record.config.to_toml();
    assert!(saved.contains("[model]\nkind = \"custom\"\nname = \"mine\"\n"), "{saved}");

    // Half of it, the rest from a checkpoint.
    let mut half = config()?;
    half.set("iterations=3")?;
    let mut trainer = Trainer::new(case(&half, two_sines(2, "mine")?)?)?;
    trainer.run(&mut (), &Default::default())?;
    let rest = case(&config()?, two_sines(2, "mine")?)?;
    let resumed = Trainer::from_checkpoint(rest, trainer.checkpoint())?.run(&mut (), &Default::default())?;
    assert_eq!(resumed.theta, whole.theta);

    let folder = tempfile::tempdir()?;
    let path = folder.path().join("weights.safetensors");
    let opened = case(&RunConfig::from_toml(&saved)?, two_sines(2, "mine")?)?;
    opened.weights(&whole.theta)?.save(&path, Precision::F64)?;
    let tensors = read_weights(&path)?;
    assert_eq!(opened.theta_from(&tensors)?, whole.theta);
    assert_eq!(tensors.metadata["model_config"], r#"{"kind":"custom","name":"mine"}"#);
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused_by_name() -> Fallible {
    let threads = Threads::new(1)?;
    let own = case(&config()?, two_sines(2, "mine")?)?;
    let starts = own.initial_theta();
    assert_eq!(starts[own.network().layout().get("a.bias").ok_or("a bias")?.range()], [0.25; 3]);
    let refusal = |made: Result<Case, ropinn::error::Error>| made.expect_err("refused").to_string();
    assert_eq!(
        refusal(Case::new(own.config().clone(), &threads)),
        "model `mine` was composed in a program, and only that program can build it; open the run there with \
         `Case::with_model`"
    );
    let problem = || Problem::builtin("reaction");
    assert_eq!(
        refusal(Case::with_model(own.config().clone(), problem()?, two_sines(2, "yours")?, &threads)),
        "the configuration is that of model `mine`, but the program brings `yours`"
    );
    assert_eq!(
        refusal(Case::with_model(config()?, problem()?, two_sines(3, "mine")?, &threads)),
        "model `mine` has 3 coordinates, but 2 are needed; compose it for this problem"
    );
    assert!("custom".parse::<ropinn::model::ModelKind>().is_err(), "no model a command line can build");
    Ok(())
}
