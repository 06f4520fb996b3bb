//! Configurations: exact round trips, settings by path, messages.

use proptest::prelude::*;
use ropinn::config::{ConfigError, ObjectiveKind, OptimizerSettings, Phases, PointGroup, RunConfig};
use ropinn::model::{Kan, ModelConfig, ModelKind};
use ropinn::preset::Preset;
use ropinn_engine::Precision;
use ropinn_optim::{
    AdamConfig, Decay, Form, GaussNewtonConfig, LbfgsConfig, Memory, Scaling, Schedule, SelfScaledConfig,
    SelfScaledVariant, StrongWolfe, ToleranceSetting,
};

fn message(override_text: &str) -> String {
    RunConfig::default().set(override_text).expect_err("must be refused").to_string()
}

fn with(overrides: &[&str]) -> RunConfig {
    let mut config = RunConfig::default();
    config.set_all(overrides).expect("known settings");
    config
}

#[test]
fn every_preset_survives_toml() {
    for preset in [Preset::Default, Preset::Paper] {
        for model in ModelKind::ALL {
            for problem in ["reaction", "wave", "convection", "burgers-1d"] {
                for objective in ObjectiveKind::ALL {
                    let config = preset.config(problem, model, objective);
                    assert_eq!(config.validate(), Ok(()));
                    assert_eq!(RunConfig::from_toml(&config.to_toml()), Ok(config));
                }
            }
        }
    }
}

#[test]
fn the_problem_text_survives_toml() {
    let mut config = RunConfig::default();
    config.problem.source = Some("a = '''x'''\n# \"quoted\" \\ ünï\n\tb = 1\n".to_owned());
    config.weights.insert("dirichlet x = 0".to_owned(), 0.1 + 0.2);
    assert_eq!(RunConfig::from_toml(&config.to_toml()), Ok(config));
}

#[test]
fn an_empty_file_is_the_default() {
    assert_eq!(RunConfig::from_toml(""), Ok(RunConfig::default()));
}

#[test]
fn paper_settings_are_those_of_the_experiments() {
    let config = Preset::Paper.config("reaction", ModelKind::Pinn, ObjectiveKind::Region);
    let region = &config.objective.region;
    assert_eq!((region.r, region.past, region.samples, region.cap), (1e-4, 10, 1, 0.01));
    assert_eq!((config.precision, config.init.bias, config.stop.on_convergence), (Precision::F32, 0.01, false));
    let OptimizerSettings::Lbfgs(lbfgs) = &config.phases.0[0].settings else { panic!("L-BFGS") };
    assert_eq!((lbfgs.max_iter, lbfgs.max_eval, lbfgs.history, lbfgs.lr), (20, 25, 100, 1.0));
    assert_eq!(config.phases.iterations(), 1000);
    let tolerances = (lbfgs.tolerance_grad, lbfgs.tolerance_change);
    assert_eq!(tolerances, (ToleranceSetting::Value(1e-7), ToleranceSetting::Value(1e-9)));
    let past = |problem, model| Preset::Paper.config(problem, model, ObjectiveKind::Region).objective.region.past;
    assert_eq!(past("convection", ModelKind::Pinn), 5);
    assert_eq!(past("convection", ModelKind::Kan), 15);
    assert_eq!(past("wave", ModelKind::Kan), 10);
    let wave = Preset::Paper.config("wave", ModelKind::Pinnsformer, ObjectiveKind::Point);
    assert_eq!(wave.model.kind(), ModelKind::PinnsformerEncoder);
}

#[test]
fn settings_are_found_by_the_end_of_their_path() {
    let config =
        with(&["region.r=1e-5", "width=64", "model.depth=2", "history=7", "iterations=1e3", "objective.kind=region"]);
    assert_eq!(config.objective.region.r, 1e-5);
    let ModelConfig::Pinn(mlp) = &config.model else { panic!("PINN") };
    assert_eq!((mlp.width, mlp.depth), (64, 2));
    let OptimizerSettings::Lbfgs(lbfgs) = &config.phases.0[0].settings else { panic!("L-BFGS") };
    assert_eq!((lbfgs.history, config.phases.iterations()), (7, 1000));
    let config = with(&[
        "groups=['residual', 'boundary']",
        "edge=reflect",
        "rule=paper",
        "resample=per-step",
        "calibrate=false",
    ]);
    assert_eq!(config.objective.region.groups, [PointGroup::Residual, PointGroup::Boundary]);
    let config =
        with(&["points.interior=grid:5x5", "weights.dirichlet x = 0=10", "tolerance_grad=1e-3", "precision=f64"]);
    assert_eq!(config.points.interior.as_deref(), Some("grid:5x5"));
    assert_eq!(config.weights["dirichlet x = 0"], 10.0);
    assert_eq!(
        with(&["model=kan", "model.hidden=[3, 4]"]).model,
        ModelConfig::Kan(Kan { hidden: vec![3, 4], ..Kan::default() })
    );
    let config = with(&["fourier.features=16", "model.fourier.scale=2"]);
    let ModelConfig::Pinn(mlp) = &config.model else { panic!("PINN") };
    assert_eq!(mlp.fourier.map(|fourier| (fourier.features, fourier.scale)), Some((16, 2.0)));
    assert_eq!(with(&["objective=point"]).objective.kind, ObjectiveKind::Point);
}

#[test]
fn phases_are_read_as_they_are_said() {
    let phases: Phases = "adam 2000 lr=5e-4 decay=cosine warmup=100 then lbfgs 1000".parse().expect("phases");
    assert_eq!(phases.to_string(), "adam 2000 then lbfgs 1000");
    assert_eq!(phases.iterations(), 3000);
    let OptimizerSettings::Adam(adam) = &phases.0[0].settings else { panic!("Adam") };
    assert_eq!((adam.lr.peak, adam.lr.warmup), (5e-4, 100));
    let config = with(&["phases=adam 20 then lbfgs 10", "phases.1.history=5"]);
    assert_eq!(config.phases.to_string(), "adam 20 then lbfgs 10");
    for (text, wanted) in [
        (
            "adam 10 then",
            "cannot read the phase ``; write an optimiser and its iterations, e.g. `adam 2000 lr=1e-3` or `lbfgs 1000`",
        ),
        (
            "adam many",
            "cannot read the phase `adam many`; write an optimiser and its iterations, e.g. `adam 2000 lr=1e-3` or `lbfgs 1000`",
        ),
        (
            "sgd 10",
            "unknown optimiser `sgd` in the phase `sgd 10`; choose `adam`, `lbfgs`, `ssbfgs`, `ssbroyden`, `gauss-newton` or `polish`",
        ),
        ("adam 10 rl=1", "unknown setting `rl`; did you mean `lr`?"),
    ] {
        assert_eq!(text.parse::<Phases>().expect_err(text).to_string(), wanted);
    }
}

/// Found by mutating configurations: a NaN got as far as the network.
#[test]
fn numbers_of_models_are_finite() {
    for (text, wanted) in [
        ("kind = 'kan'\nlow = nan", "setting `model.low` is NaN; it must be finite"),
        ("kind = 'kan'\nhigh = inf", "setting `model.high` is inf; it must be finite"),
        ("kind = 'pinnsformer'\nstep = nan", "setting `model.step` is NaN; it must be finite"),
        (
            "kind = 'qres'\nfourier = { features = 2, scale = -inf }",
            "setting `model.fourier.scale` is -inf; it must be finite",
        ),
    ] {
        let error = RunConfig::from_toml(&format!("[model]\n{text}")).expect_err(text);
        assert_eq!(error.to_string(), wanted);
    }
}

#[test]
fn refused_settings_are_named() {
    for (text, wanted) in [
        ("region.r", "`region.r` changes nothing; write it as key=value, e.g. region.r=1e-5"),
        ("region.sampels=3", "unknown setting `region.sampels`; did you mean `region.samples`?"),
        ("widht=3", "unknown setting `widht`; did you mean `width`?"),
        ("quux=3", "unknown setting `quux`; see the settings in the `config.toml` of any run"),
        (
            "kind=point",
            "`kind` could mean `model.kind`, `objective.kind`, `sampling.kind`, `weighting.kind`, `strategy.kind`; write it in full",
        ),
        ("region.r=big", "`objective.region.r=big` is refused: invalid type: string \"big\", expected f64"),
        ("region.r=-1", "setting `objective.region.r` is -1; it must be finite and at least 0"),
        ("region.r=nan", "setting `objective.region.r` is NaN; it must be finite and at least 0"),
        ("region.past=0", "setting `objective.region.past` is 0; it must be at least 1"),
        ("region.samples=0", "setting `objective.region.samples` is 0; it must be from 1 to 1000"),
        (
            "region=3",
            "`objective.region=3` is refused: `objective.region` is a group of settings; change one of them, e.g. `objective.region.calibrate`",
        ),
        (
            "groups=[]",
            "`objective.region.groups` is empty, so no point would move; name `residual`, or choose the `point` objective",
        ),
        ("groups=['residual','residual']", "`objective.region.groups` names `residual` twice; name it once"),
        (
            "groups=['data']",
            "`objective.region.groups=['data']` is refused: unknown variant `data`, expected one of `residual`, `initial`, `boundary`",
        ),
        (
            "edge=bounce",
            "`objective.region.edge=bounce` is refused: unknown variant `bounce`, expected one of `free`, `clamp`, `reflect`",
        ),
        ("precision=f16", "`precision=f16` is refused: unknown precision `f16`; choose `f32` or `f64`"),
        ("iterations=0", "setting `phases.0.iterations` is 0; it must be at least 1"),
        (
            "history=0",
            "phase 1: lbfgs: `history` is 0, but it must be at least 1; change it in the optimiser's configuration",
        ),
        ("tolerance_grad=small", "`phases.0.tolerance_grad=small` is refused: expected a number or \"auto\""),
        ("weights.initial=-1", "setting `weights.initial` is -1; it must be finite and at least 0"),
        (
            "phases=[]",
            "unknown optimiser `[]` in the phase `[]`; choose `adam`, `lbfgs`, `ssbfgs`, `ssbroyden`, `gauss-newton` or `polish`",
        ),
        ("log_every=0", "setting `log_every` is 0; it must be at least 1"),
    ] {
        assert_eq!(message(text), wanted, "{text}");
    }
    assert_eq!(
        message("model=pin"),
        "`model=pin` is refused: unknown model `pin`; did you mean `pinn`? \
         The models are pinn, qres, fls, pinnsformer, pinnsformer-encoder, kan, features"
    );
}

#[test]
fn region_settings_contradict_the_point_objective() {
    let mut config = RunConfig::default();
    let error = config.set_all(&["objective=point", "region.r=1e-5"]).expect_err("contradiction");
    assert_eq!(
        error.to_string(),
        "`objective.region.r` has no effect with the `point` objective; drop it or choose the `region` objective"
    );
    assert_eq!(config, RunConfig::default(), "nothing changes on error");
}

#[test]
fn mistakes_in_files_have_a_place() {
    let message = |text| RunConfig::from_toml(text).expect_err("must be refused").to_string();
    let unknown = message("seed = 1\n[objective.region]\nsampels = 2\n");
    assert!(
        unknown.starts_with("run configuration, line 3, column 1: unknown field `sampels`, expected one of `r`"),
        "{unknown}"
    );
    assert!(
        message("seed = 1\n\nprecision = 'f3").starts_with("run configuration, line 3, column 1"),
        "{}",
        message("seed = 1\n\nprecision = 'f3")
    );
    assert_eq!(message("seed = -1"), "run configuration, line 1, column 8: invalid value: integer `-1`, expected u64");
    for (text, unknown) in [
        ("[model]\nkind = 'pinn'\nwidht = 3", "unknown field `widht`"),
        ("[[phases]]\noptimizer = 'adam'\nhistory = 3", "unknown field `history`"),
        ("[[phases]]\noptimizer = 'adam'\ndecay = { kind = 'step', total = 3 }", "unknown field `total`"),
        ("[stop.plateau]\nwidth = 3", "unknown field `width`"),
        ("[weights]\ninitial = 'big'", "invalid type: string"),
    ] {
        assert!(message(text).contains(unknown), "{}", message(text));
    }
    assert!(matches!(RunConfig::from_toml("phases = []"), Err(ConfigError::NoPhases)));
}

#[test]
fn run_files_differ_from_problem_files() {
    assert!(RunConfig::is_run_config(&RunConfig::default().to_toml()));
    let problem = ropinn::problem::Problem::builtin_source("wave").expect("built in");
    assert!(!RunConfig::is_run_config(problem));
}

proptest! {
    #[test]
    fn numbers_survive_toml_bit_by_bit(
        r in 0.0f64..1.0, exponent in -300i32..10, cap in 0.0f64..1e300, seed in 0u64..1 << 63,
        past in 1usize..1000, lr in 1e-300f64..1.0, weight in 0.0f64..1e6,
    ) {
        let mut config = RunConfig { seed, ..RunConfig::default() };
        config.objective.region.r = r * 10f64.powi(exponent);
        config.objective.region.cap = cap;
        config.objective.region.past = past;
        config.weights.insert("a b".to_owned(), weight);
        config.set_all(&[format!("phases=adam 7 lr={lr:e} then lbfgs 3")]).expect("valid");
        prop_assert_eq!(RunConfig::from_toml(&config.to_toml()), Ok(config));
    }

    #[test]
    fn whatever_is_typed_is_understood_or_changes_nothing(
        text in "[ -~]{0,40}", value in "-?[0-9.e]{1,6}|[a-z]{1,8}|\\[[0-9, ]{0,6}\\]", which in any::<prop::sample::Index>(),
    ) {
        let default = RunConfig::default();
        let keys = ["seed", "width", "region.r", "phases", "model", "precision", "weights.a", "points.interior", "stop.seconds", &text];
        for line in [text.clone(), format!("{}={value}", which.get(&keys)), format!("{}={text}", which.get(&keys))] {
            let mut config = default.clone();
            match config.set(&line) {
                Ok(()) => prop_assert_eq!(RunConfig::from_toml(&config.to_toml()), Ok(config), "{}", line),
                Err(error) => prop_assert!(config == default && !error.to_string().is_empty(), "{}", line),
            }
        }
        if let Ok(phases) = text.parse::<Phases>() {
            prop_assert_eq!(phases.to_string().parse(), Ok(phases));
        }
        if let Ok(config) = RunConfig::from_toml(&text) {
            prop_assert_eq!(RunConfig::from_toml(&config.to_toml()), Ok(config));
        }
    }
}

/// Written when the settings of phases were copies of the optimisers' own.
const PHASES_OF_OLD: &str = r#"
[[phases]]
optimizer = "adam"
iterations = 7
lr = 0.002
warmup = 3
beta1 = 0.8
beta2 = 0.99
eps = 1e-7
[phases.decay]
kind = "cosine"
total = 0
floor = 0.0
[[phases]]
optimizer = "lbfgs"
iterations = 8
lr = 0.5
max_iter = 21
max_eval = 26
history = 101
tolerance_grad = "auto"
tolerance_change = 1e-8
[phases.search]
c1 = 0.001
c2 = 0.8
trials = 24
bracket = 1e-10
[[phases]]
optimizer = "self-scaled"
iterations = 9
variant = "bfgs"
history = 5
max_iter = 22
max_eval = 27
tolerance_grad = 1e-11
tolerance_change = 1e-17
[phases.search]
c1 = 0.0001
c2 = 0.9
trials = 25
bracket = 1e-14
[[phases]]
optimizer = "gauss-newton"
iterations = 10
damping = 0.01
damping_floor = 1e-15
scaling = "diagonal"
trials = 9
acceleration = false
form = "kernel"
tolerance_grad = 1e-13
tolerance_change = 1e-15
cg_tolerance = 0.02
cg_iterations = 100
"#;

#[test]
fn phases_of_old_files_mean_what_they_meant() {
    let config = RunConfig::from_toml(PHASES_OF_OLD).expect("phases");
    let phases = |text: &str| text.parse::<toml::Table>().expect("TOML")["phases"].clone();
    let search = StrongWolfe { c1: 1e-3, c2: 0.8, max_iterations: 24, width_tolerance: 1e-10 };
    let wanted = [
        OptimizerSettings::Adam(AdamConfig {
            lr: Schedule::constant(2e-3).with_warmup(3).with_decay(Decay::Cosine { total: 0, floor: 0.0 }),
            beta1: 0.8,
            beta2: 0.99,
            eps: 1e-7,
        }),
        OptimizerSettings::Lbfgs(LbfgsConfig {
            lr: 0.5,
            max_iter: 21,
            max_eval: 26,
            tolerance_grad: ToleranceSetting::Auto,
            tolerance_change: ToleranceSetting::Value(1e-8),
            history: 101,
            search,
        }),
        OptimizerSettings::SelfScaled(SelfScaledConfig {
            variant: SelfScaledVariant::Bfgs,
            memory: Memory::Limited(5),
            max_iter: 22,
            max_eval: 27,
            tolerance_grad: 1e-11,
            tolerance_change: 1e-17,
            ..SelfScaledConfig::default()
        }),
        OptimizerSettings::GaussNewton(GaussNewtonConfig {
            damping: 0.01,
            damping_floor: 1e-15,
            scaling: Scaling::Diagonal,
            trials: 9,
            acceleration: false,
            form: Some(Form::Kernel),
            tolerance_grad: 1e-13,
            tolerance_change: 1e-15,
            cg_tolerance: 0.02,
            cg_iterations: 100,
        }),
    ];
    assert_eq!(config.phases.0.iter().map(|phase| phase.settings).collect::<Vec<_>>(), wanted);
    assert_eq!(config.phases.0.iter().map(|phase| phase.iterations).collect::<Vec<_>>(), [7, 8, 9, 10]);
    assert_eq!(phases(&config.to_toml()), phases(PHASES_OF_OLD), "and are written as they were");

    let open = RunConfig::from_toml("phases = [{ optimizer = 'adam' }, { optimizer = 'gauss-newton' }]").expect("open");
    assert_eq!(open.phases, "adam 2000 then gauss-newton 500".parse().expect("phases"));
    let refusal = |text: &str| RunConfig::from_toml(&format!("phases = [{{ {text} }}]")).expect_err(text).to_string();
    for (text, wanted) in [
        ("optimizer = 'adam', rl = 1", "unknown field `rl`"),
        ("optimizer = 'lbfgs', lr = 1, hist = 2", "unknown field `hist`, expected one of"),
        ("optimizer = 'adam', decay = { kind = 'constant', every = 2 }", "unknown field `every`"),
        ("optimizer = 'gauss-newton', form = 'dense'", "unknown variant `dense`, expected one of `auto`, `parameters`"),
        ("optimizer = 'lbfgs', tolerance_grad = 'tiny'", "expected a number or \"auto\""),
        ("optimizer = 'sgd'", "unknown variant `sgd`, expected one of `adam`"),
    ] {
        assert!(refusal(text).contains(wanted), "{text}: {}", refusal(text));
    }
}
