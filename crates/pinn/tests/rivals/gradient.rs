//! Gradient enhancement: derivatives of the equations beside them.

use super::{case, close, evaluated, with_residuals};
use ropinn::objective::Objective;
use ropinn::problem::TermGroup;
use ropinn_engine::Precision;
use ropinn_optim::LeastSquares;

/// ∂R/∂x and ∂R/∂t of the benchmarks, worked out by hand.
const BY_HAND: [(&str, [&str; 2]); 3] = [
    ("reaction", ["u_xt - 5*(1 - 2*u)*u_x", "u_tt - 5*(1 - 2*u)*u_t"]),
    ("convection", ["u_xt + 50*u_xx", "u_tt + 50*u_xt"]),
    ("wave", ["u_xtt - 4*u_xxx", "u_ttt - 4*u_xxt"]),
];

#[test]
fn extra_terms_are_the_derivatives_of_the_equations() {
    for (problem, slopes) in BY_HAND {
        let name = format!("problem.name={problem}");
        let gradient = case(&[&name, "objective=gradient", "gradient.weight=0.25"]);
        let theta = gradient.initial_theta();
        let mut objective = Objective::new(&gradient).expect("objective");
        assert_eq!(objective.part_names()[..3], ["residual", "residual d/dx", "residual d/dt"]);
        assert_eq!(objective.weights()[..3], [1.0, 0.25, 0.25]);
        let (loss, terms, grad) = evaluated(&mut objective, &theta);

        let point = case(&[&name, "objective=point"]);
        let (plain_loss, plain_terms, plain_grad) = evaluated(&mut Objective::new(&point).expect("objective"), &theta);
        assert!(close(terms[0], plain_terms[0], 1e-12), "{problem}");
        let (mut wanted, mut wanted_grad) = (plain_loss, plain_grad);
        for (axis, slope) in slopes.iter().enumerate() {
            let slope = point.problem().scope().parse(slope).expect("an expression");
            let mut by_hand = with_residuals(&point, |term| {
                if term.group == TermGroup::Residual {
                    term.residuals = vec![slope.clone()];
                } else {
                    term.weight = 0.0;
                }
            });
            let (_, hand_terms, hand_grad) = evaluated(&mut by_hand, &theta);
            assert!(close(terms[1 + axis], hand_terms[0], 1e-12), "{problem}, axis {axis}");
            wanted += 0.25 * hand_terms[0];
            wanted_grad.iter_mut().zip(hand_grad).for_each(|(sum, g)| *sum += 0.25 * g);
        }
        assert!(close(loss, wanted, 1e-12), "{problem}: {loss} but {wanted}");
        for (found, wanted) in grad.iter().zip(&wanted_grad) {
            assert!((found - wanted).abs() < 1e-10 * (1.0 + wanted.abs()), "{problem}: {found} but {wanted}");
        }
    }
}

#[test]
fn single_terms_have_weights_of_their_own() {
    let case = case(&["objective=gradient", "gradient.weight=0.01", "weights.residual d/dx=2"]);
    assert_eq!(Objective::new(&case).expect("objective").weights()[..3], [1.0, 2.0, 0.01]);
}

#[test]
fn no_weight_is_point_optimisation() {
    let (gradient, point) = (case(&["objective=gradient", "gradient.weight=0"]), case(&["objective=point"]));
    let theta = point.initial_theta();
    let (with, _, with_grad) = evaluated(&mut Objective::new(&gradient).expect("objective"), &theta);
    let (without, _, without_grad) = evaluated(&mut Objective::new(&point).expect("objective"), &theta);
    assert!(close(with, without, 1e-13));
    assert!(with_grad.iter().zip(&without_grad).all(|(a, b)| (a - b).abs() < 1e-12 * (1.0 + b.abs())));
}

#[test]
fn gauss_newton_sees_the_same_loss() {
    let case = case(&["problem.name=wave", "objective=gradient"]);
    assert_eq!(case.config().precision, Precision::F64);
    let theta = case.initial_theta();
    let mut objective = Objective::new(&case).expect("objective");
    let (loss, terms, grad) = evaluated(&mut objective, &theta);
    let (mut gn_grad, mut gram, mut residuals) = (vec![0.0; theta.len()], Vec::new(), Vec::new());
    objective.begin_step(0);
    objective.begin();
    assert!(close(objective.normal_equations(&theta, &mut gn_grad, &mut gram), loss, 1e-12));
    assert!(grad.iter().zip(&gn_grad).all(|(a, b)| (a - b).abs() < 1e-10 * (1.0 + a.abs())));
    let found = LeastSquares::residuals(&mut objective, &theta, &mut residuals);
    assert!(close(found, loss, 1e-12) && residuals.len() == objective.residual_count());
    let parts = objective.parts_of(1); // of the residuals, after the normal equations
    assert!(parts.iter().zip(&terms).all(|(a, b)| close(*a, *b, 1e-11)));
}
