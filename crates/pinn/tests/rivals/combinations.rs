//! Every combination either runs or is refused with its reason.

use ropinn::case::Case;
use ropinn::config::{
    Choice, ConfigError, ObjectiveKind, OptimizerKind, RunConfig, SamplingKind, WeightingKind, combinations_table,
    refusal,
};
use ropinn::model::ModelKind;
use ropinn::train::Trainer;
use ropinn_engine::Threads;

fn model_sizes(model: ModelKind) -> &'static [&'static str] {
    match model {
        ModelKind::Kan => &["model.hidden=[2]"],
        ModelKind::Pinnsformer | ModelKind::PinnsformerEncoder => {
            &["model.d_model=2", "model.heads=1", "model.ff_width=2", "model.out_width=2", "model.sequence=2"]
        }
        _ => &["model.width=3", "model.depth=2"],
    }
}

fn tiny(
    model: ModelKind,
    objective: ObjectiveKind,
    weighting: WeightingKind,
    sampling: SamplingKind,
    optimizer: OptimizerKind,
) -> Result<RunConfig, ConfigError> {
    let mut config = RunConfig::default();
    config.set_all(&["problem.name=reaction", "points.interior=grid:3x3", "points.evaluation=grid:3x3"])?;
    config.set(&format!("model={model}"))?;
    config.set_all(model_sizes(model))?;
    config.weighting.ntk.samples = 3;
    config.weighting.ntk.period = 1;
    config.weighting.grad_norm.period = 1;
    (config.sampling.rar_d.period, config.sampling.rar_d.pool, config.sampling.rar_d.count) = (1, 12, 2);
    (config.sampling.rad.period, config.sampling.rad.pool) = (1, 12);
    let variational = &mut config.objective.variational;
    (variational.elements, variational.tests, variational.quadrature) = (1, 2, 3);
    config.weighting.kind = weighting;
    config.sampling.kind = sampling;
    config.objective.kind = objective;
    config.phases = match optimizer {
        OptimizerKind::Polish => "adam 2 then polish".parse()?,
        _ => format!("{} 2", optimizer.name()).parse()?,
    };
    config.validate()?;
    Ok(config)
}

/// All choices for one model; a test each, so that they run side by side.
fn every_combination_of(model: ModelKind) {
    let threads = Threads::new(1).expect("threads");
    let (mut done, mut refused) = (0, 0);
    for objective in ObjectiveKind::ALL {
        for weighting in WeightingKind::ALL {
            for sampling in SamplingKind::ALL {
                for optimizer in OptimizerKind::ALL {
                    let name =
                        format!("{model} {objective} {} {} {}", weighting.name(), sampling.name(), optimizer.name());
                    let choices = [
                        Choice::Objective(objective),
                        Choice::Weighting(weighting),
                        Choice::Sampling(sampling),
                        Choice::Model(model),
                        Choice::Optimizer(optimizer),
                    ];
                    let pairs = choices.iter().flat_map(|&one| choices.iter().map(move |&other| (one, other)));
                    let reasons: Vec<&str> = pairs.filter_map(|(one, other)| refusal(one, other)).collect();
                    match tiny(model, objective, weighting, sampling, optimizer) {
                        Ok(config) => {
                            assert!(reasons.is_empty(), "{name} must be refused");
                            let case = Case::new(config, &threads).expect("case");
                            let outcome = Trainer::new(case)
                                .and_then(|mut trainer| trainer.run(&mut (), &Default::default()))
                                .unwrap_or_else(|error| panic!("{name}: {error}"));
                            assert_eq!(outcome.iterations, 2, "{name}: {}", outcome.stop_reason);
                            assert!(outcome.theta.iter().all(|value| value.is_finite()), "{name}");
                            done += 1;
                        }
                        Err(error) => {
                            let message = error.to_string();
                            assert!(reasons.iter().any(|reason| message.contains(reason)), "{name}: {message}");
                            refused += 1;
                        }
                    }
                }
            }
        }
    }
    // Three objectives in full, and the variational one with two weightings, one sampling and five optimisers.
    assert_eq!((done, refused), (3 * 72 + 10, 72 - 10));
}

#[test]
fn pinn() {
    every_combination_of(ModelKind::Pinn);
}

#[test]
fn qres() {
    every_combination_of(ModelKind::Qres);
}

#[test]
fn fls() {
    every_combination_of(ModelKind::Fls);
}

#[test]
fn pinnsformer() {
    every_combination_of(ModelKind::Pinnsformer);
}

#[test]
fn pinnsformer_encoder() {
    every_combination_of(ModelKind::PinnsformerEncoder);
}

#[test]
fn kan() {
    every_combination_of(ModelKind::Kan);
}

#[test]
fn refusals_name_both_choices() {
    let mut config = RunConfig::default();
    let message =
        |config: &mut RunConfig, overrides: &[&str]| config.set_all(overrides).expect_err("refused").to_string();
    assert_eq!(
        message(&mut config, &["objective=variational", "phases=gauss-newton 3"]),
        "objective `variational` does not work with optimizer `gauss-newton`: Gauss–Newton steps need the gradient of \
         every residual, and an integral over an element has no cheap one; choose another one of either"
    );
    assert_eq!(
        message(&mut config, &["objective=variational", "sampling=r3"]),
        "objective `variational` does not work with sampling `r3`: the points of its integrals are the nodes of a \
         quadrature rule and cannot be chosen; choose another one of either"
    );
    assert_eq!(
        message(&mut config, &["sampling.rar-d.count=3"]),
        "`sampling.rar-d.count` has no effect with the `fixed` sampling; drop it or choose the `rar-d` sampling"
    );
    assert_eq!(
        message(&mut config, &["gradient.weight=1"]),
        "`objective.gradient.weight` has no effect with the `region` objective; drop it or choose the `gradient` objective"
    );
    assert_eq!(
        message(&mut config, &["region.estimator=antithetic"]),
        "setting `objective.region.samples` is 1; it must be even and from 2 to 1000 with the `antithetic` estimator"
    );
    assert_eq!(
        message(&mut config, &["weighting=ntk", "ntk.period=0"]),
        "setting `period` of the weighting is 0; it must be at least 1"
    );
}

#[test]
fn the_documentation_shows_what_the_code_says() {
    let page = include_str!("../../../../docs/combinations.md");
    assert!(
        page.contains(&combinations_table()),
        "docs/combinations.md is stale: `ropinn list --combinations` prints it"
    );
}

/// What the engine cannot differentiate often enough is refused when the objective is compiled.
#[test]
fn splines_are_refused_beyond_their_smoothness() {
    let mut config = RunConfig::default();
    let settings = ["problem.name=kuramoto-sivashinsky", "model=kan", "objective=gradient"];
    config.set_all(&settings).expect("valid");
    let case = Case::new(config, &Threads::new(1).expect("threads")).expect("case");
    let Err(error) = ropinn::objective::Objective::new(&case) else { panic!("not smooth enough") };
    assert!(error.to_string().contains("the B-spline basis of degree 3"), "{error}");
}
