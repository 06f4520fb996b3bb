//! Saving, loading and refusing: continuing has the same bits, and foreign states and settings get the stated message.

mod problems;

use ropinn_optim::{
    Adam, AdamConfig, Decay, Lbfgs, LbfgsConfig, Memory, OptimError, Optimizer, Schedule, SelfScaled, SelfScaledConfig,
    SelfScaledVariant, State, StrongWolfe, ToleranceSetting,
};

type Build = fn() -> Box<dyn Optimizer>;

const DIMENSION: usize = 6;
const START: [f64; DIMENSION] = [-1.0, 0.4, 0.9, -0.3, 1.1, 0.2];

/// `history: 4` so that the ring has wrapped long before the last cut.
fn lbfgs() -> Box<dyn Optimizer> {
    let config = LbfgsConfig { max_iter: 3, history: 4, ..LbfgsConfig::default() };
    Box::new(Lbfgs::new(config, DIMENSION).unwrap())
}

fn adam() -> Box<dyn Optimizer> {
    let lr = Schedule::constant(0.02).with_warmup(5).with_decay(Decay::Exponential { every: 10, factor: 0.5 });
    Box::new(Adam::new(AdamConfig { lr, ..AdamConfig::default() }, DIMENSION).unwrap())
}

fn self_scaled(variant: SelfScaledVariant, memory: Memory) -> Box<dyn Optimizer> {
    let config = SelfScaledConfig { variant, memory, max_iter: 3, ..SelfScaledConfig::default() };
    Box::new(SelfScaled::new(config, DIMENSION).unwrap())
}

fn ssbfgs() -> Box<dyn Optimizer> {
    self_scaled(SelfScaledVariant::Bfgs, Memory::Dense)
}

fn ssbfgs_limited() -> Box<dyn Optimizer> {
    self_scaled(SelfScaledVariant::Bfgs, Memory::Limited(4))
}

fn ssbroyden() -> Box<dyn Optimizer> {
    self_scaled(SelfScaledVariant::Broyden, Memory::Dense)
}

#[test]
fn a_restored_optimiser_continues_with_the_same_bits() {
    let mut oracle = |theta: &[f64], grad: &mut [f64]| problems::rosenbrock(theta, grad, 0);
    for build in [lbfgs as Build, adam, ssbfgs, ssbfgs_limited, ssbroyden] {
        for cut in 0..12 {
            let (mut original, mut theta) = (build(), START);
            for _ in 0..cut {
                original.step(&mut theta, &mut oracle);
            }
            let (mut restored, mut continued) = (build(), theta);
            restored.load(&original.save()).unwrap();
            assert_eq!(restored.save(), original.save());
            for step in 0..6 {
                let outcomes = (original.step(&mut theta, &mut oracle), restored.step(&mut continued, &mut oracle));
                assert_eq!(outcomes.0, outcomes.1, "{}, cut {cut}, step {step}", original.name());
                assert_eq!(theta.map(f64::to_bits), continued.map(f64::to_bits));
            }
        }
    }
}

#[test]
fn states_that_do_not_fit_are_refused_and_change_nothing() {
    let mut optimizer = lbfgs();
    optimizer.step(&mut START.clone(), &mut problems::counted(problems::rosenbrock));
    let good = optimizer.save();
    let without = |entry: &str| {
        let mut state = good.clone();
        state.vectors.remove(entry);
        state
    };
    let shorter = good.clone().with_vector("direction", vec![0.0; 2]);
    let longer = good.clone().with_count("pairs", 5);
    let cases: [(State, &str); 5] = [
        (adam().save(), "the state was saved by `adam`, but `lbfgs` is loading it; build a `adam` or start afresh"),
        (without("pair_rhos"), "the state of `lbfgs` has no entry `pair_rhos`; save it again with this version"),
        (State::new("lbfgs"), "the state of `lbfgs` has no entry `iterations`; save it again with this version"),
        (
            shorter,
            "the state of `lbfgs` has 2 numbers in `direction`, but 6 are needed; \
             build the optimiser for the saved number of parameters",
        ),
        (longer, "the state of `lbfgs` holds 5 curvature pairs, but `history` is 4; set `history` to at least 5"),
    ];
    for (state, message) in cases {
        assert_eq!(optimizer.load(&state).unwrap_err().to_string(), message);
        assert_eq!(optimizer.save(), good);
    }
}

#[test]
fn self_scaled_states_that_do_not_fit_are_refused_and_change_nothing() {
    let started = |build: Build| {
        let mut optimizer = build();
        optimizer.step(&mut START.clone(), &mut problems::counted(problems::rosenbrock));
        let state = optimizer.save();
        (optimizer, state)
    };
    let ((_, matrix), (_, pairs)) = (started(ssbroyden), started(ssbfgs_limited));
    let mut without_gains = pairs.clone();
    without_gains.vectors.remove("pair_gains");
    let cases: [(Build, State, &str); 5] = [
        (
            ssbroyden,
            pairs.clone(),
            "the state was saved by `ssbfgs_limited`, but `ssbroyden` is loading it; \
             build a `ssbfgs_limited` or start afresh",
        ),
        (
            ssbroyden,
            matrix.clone().with_vector("inverse_hessian", vec![1.0; 20]),
            "the state of `ssbroyden` has 20 numbers in `inverse_hessian`, but 21 are needed; \
             build the optimiser for the saved number of parameters",
        ),
        (
            ssbroyden,
            State::new("ssbroyden").with_count("iterations", 7),
            "the state of `ssbroyden` has no entry `updates`; save it again with this version",
        ),
        (
            ssbfgs_limited,
            without_gains,
            "the state of `ssbfgs_limited` has no entry `pair_gains`; save it again with this version",
        ),
        (
            ssbfgs_limited,
            pairs.clone().with_count("pairs", 5),
            "the state of `ssbfgs_limited` holds 5 curvature pairs, but `memory` is 4; set `memory` to at least 5",
        ),
    ];
    for (build, state, message) in cases {
        let (mut optimizer, before) = started(build);
        assert_eq!(optimizer.load(&state).unwrap_err().to_string(), message);
        assert_eq!(optimizer.save(), before);
    }
}

#[test]
fn self_scaled_settings_that_cannot_work_are_refused() {
    let build = |config: SelfScaledConfig, dimension| SelfScaled::new(config, dimension).map(drop);
    let base = SelfScaledConfig::default();
    let limited = SelfScaledConfig { variant: SelfScaledVariant::Bfgs, memory: Memory::Limited(0), ..base };
    let cases = [
        (
            build(SelfScaledConfig { max_iter: 0, ..base }, 1),
            "ssbroyden: `max_iter` is 0, but it must be at least 1; change it in the optimiser's configuration",
        ),
        (
            build(SelfScaledConfig { max_eval: 0, variant: SelfScaledVariant::Bfgs, ..base }, 1),
            "ssbfgs: `max_eval` is 0, but it must be at least 1; change it in the optimiser's configuration",
        ),
        (
            build(SelfScaledConfig { tolerance_change: -1.0, ..base }, 1),
            "ssbroyden: `tolerance_change` is -1, but it must be finite and at least 0; \
             change it in the optimiser's configuration",
        ),
        (
            build(SelfScaledConfig { search: StrongWolfe { c1: 0.0, ..base.search }, ..base }, 1),
            "ssbroyden: `search.c1` is 0, but it must be above 0 and below 1; change it in the optimiser's configuration",
        ),
        (
            build(limited, 1),
            "ssbfgs_limited: `memory` is 0, but it must be at least 1; change it in the optimiser's configuration",
        ),
        (
            build(SelfScaledConfig { memory: Memory::Limited(10), ..base }, 1),
            "ssbroyden: `memory` is limited, but only the BFGS update can be replayed from stored pairs; \
             set `memory` to `Dense` or `variant` to `Bfgs`",
        ),
        (
            build(base, 1 << 32),
            "ssbroyden: a dense matrix for 4294967296 parameters needs 73786976312018075648 bytes, \
             more than can be reserved; set `variant` to `Bfgs` and `memory` to `Limited`",
        ),
    ];
    for (result, message) in cases {
        assert_eq!(result.unwrap_err().to_string(), message);
    }
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let lbfgs = |config: LbfgsConfig| Lbfgs::new(config, 1).map(drop);
    let adam = |config: AdamConfig| Adam::new(config, 1).map(drop);
    let rate = |lr: Schedule| adam(AdamConfig { lr, ..AdamConfig::default() });
    let (l, a, w) = (LbfgsConfig::default(), AdamConfig::default(), StrongWolfe::default());
    let unit = Schedule::constant(1.0);
    let cases: [(Result<(), OptimError>, &str); 12] = [
        (lbfgs(LbfgsConfig { lr: -1.0, ..l }), "lbfgs: `lr` is -1, but it must be finite and above 0"),
        (lbfgs(LbfgsConfig { max_iter: 0, ..l }), "lbfgs: `max_iter` is 0, but it must be at least 1"),
        (lbfgs(LbfgsConfig { history: 0, ..l }), "lbfgs: `history` is 0, but it must be at least 1"),
        (
            lbfgs(LbfgsConfig { tolerance_grad: ToleranceSetting::Value(f64::NAN), ..l }),
            "lbfgs: `tolerance_grad` is NaN, but it must be finite and at least 0",
        ),
        (
            lbfgs(LbfgsConfig { search: StrongWolfe { c2: 1e-5, ..w }, ..l }),
            "lbfgs: `search.c2` is 0.00001, but it must be above c1 and below 1",
        ),
        (adam(AdamConfig { beta1: 1.0, ..a }), "adam: `beta1` is 1, but it must be at least 0 and below 1"),
        (adam(AdamConfig { eps: -1.0, ..a }), "adam: `eps` is -1, but it must be finite and at least 0"),
        (rate(Schedule::constant(f64::INFINITY)), "adam: `lr.peak` is inf, but it must be finite and above 0"),
        (
            rate(unit.with_decay(Decay::Step { every: 0, factor: 0.5 })),
            "adam: `lr.decay.every` is 0, but it must be at least 1",
        ),
        (
            rate(unit.with_decay(Decay::Exponential { every: 3, factor: -0.5 })),
            "adam: `lr.decay.factor` is -0.5, but it must be finite and above 0",
        ),
        (
            rate(unit.with_decay(Decay::Cosine { total: 0, floor: 0.0 })),
            "adam: `lr.decay.total` is 0, but it must be at least 1",
        ),
        (
            rate(unit.with_decay(Decay::Cosine { total: 9, floor: 2.0 })),
            "adam: `lr.decay.floor` is 2, but it must be from 0 up to the peak",
        ),
    ];
    for (result, message) in cases {
        let full = format!("{message}; change it in the optimiser's configuration");
        assert_eq!(result.unwrap_err().to_string(), full);
    }
}

#[test]
fn backing_off_shortens_the_next_step_and_is_saved() {
    for build in [lbfgs as Build, adam, ssbfgs, ssbfgs_limited, ssbroyden] {
        let mut oracle = |theta: &[f64], grad: &mut [f64]| problems::rosenbrock(theta, grad, 0);
        let (mut optimizer, mut theta) = (build(), START);
        for _ in 0..8 {
            optimizer.step(&mut theta, &mut oracle);
        }
        let (mut bold, mut careful) = (theta, theta);
        let state = optimizer.save();
        optimizer.step(&mut bold, &mut oracle);
        optimizer.load(&state).unwrap();
        optimizer.back_off();
        let mut restored = build();
        restored.load(&optimizer.save()).unwrap();
        let outcome = optimizer.step(&mut careful, &mut oracle);
        assert!(outcome.loss.is_finite());
        assert_ne!(bold, careful, "{}", optimizer.name());
        let mut again = theta;
        restored.step(&mut again, &mut oracle);
        assert_eq!(again.map(f64::to_bits), careful.map(f64::to_bits), "{}", optimizer.name());
    }
}

/// After backing off Adam's first move is a tenth of the rate along the sign of the gradient, as at the very start.
#[test]
fn adam_backs_off_to_a_tenth_of_its_rate() {
    let mut slope = |_: &[f64], grad: &mut [f64]| {
        grad.copy_from_slice(&[3.0, -5.0]);
        0.0
    };
    let mut adam = Adam::new(AdamConfig { lr: Schedule::constant(0.5), ..AdamConfig::default() }, 2).unwrap();
    let mut theta = [0.0; 2];
    adam.step(&mut theta, &mut slope);
    adam.back_off();
    let before = theta;
    adam.step(&mut theta, &mut slope);
    assert!((theta[0] - before[0] + 0.05).abs() < 1e-8 && (theta[1] - before[1] - 0.05).abs() < 1e-8, "{theta:?}");
    assert_eq!(adam.steps_taken(), 2, "the schedule goes on");
}
