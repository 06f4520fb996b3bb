//! Saving, loading and refusing: continuing has the same bits, and foreign states and settings get the stated message.

mod problems;

use ropinn_optim::{Adam, AdamConfig, Decay, Lbfgs, LbfgsConfig, OptimError, Optimizer, Schedule, State, StrongWolfe};

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

#[test]
fn a_restored_optimiser_continues_with_the_same_bits() {
    let mut oracle = |theta: &[f64], grad: &mut [f64]| problems::rosenbrock(theta, grad, 0);
    for build in [lbfgs as Build, adam as Build] {
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
            lbfgs(LbfgsConfig { tolerance_grad: f64::NAN, ..l }),
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
