//! Loss surfaces: their middle, their shape where it is known, stopping and carrying on.

use super::{case, configuration, dot, normals};
use proptest::prelude::*;
use ropinn::case::Case;
use ropinn::landscape::{CanonicalLoss, Hessian, Surface, SurfaceGrid};
use ropinn::model::ModelConfig;
use ropinn::objective::Objective;
use ropinn_engine::{Evaluation, Precision, Threads};

fn loss_of(case: &Case) -> CanonicalLoss {
    CanonicalLoss::new(case, Precision::F64).expect("loss")
}

fn finished(loss: &mut CanonicalLoss, theta: &[f64], directions: [&[f64]; 2], grid: SurfaceGrid) -> Surface {
    let mut surface = Surface::new(loss, theta, grid).expect("surface");
    while !surface.is_complete() {
        surface.add_row(loss, theta, directions).expect("row");
    }
    surface
}

#[test]
fn the_middle_is_the_loss_itself() {
    for problem in ["reaction", "wave", "convection"] {
        let case = case(&[&format!("problem.name={problem}")]);
        let theta = case.initial_theta();
        let (first, second) = (normals(1, theta.len()), normals(2, theta.len()));
        let mut loss = loss_of(&case);
        let surface = finished(&mut loss, &theta, [&first, &second], SurfaceGrid { reach: 0.02, places: 7 });
        let wanted = Objective::new(&case).expect("objective").evaluate_at_points(&theta).expect("loss");
        assert_eq!((surface.alphas[3], surface.betas[3]), (0.0, 0.0));
        assert_eq!((surface.total[3 * 7 + 3], surface.centre), (wanted.loss, wanted.loss));
        for (term, wanted) in surface.terms.iter().zip(&wanted.parts) {
            assert_eq!(term.values[3 * 7 + 3], *wanted, "{}", term.name);
        }
        assert_eq!(surface.terms[0].name, "residual");
        // A corner by hand: rows follow the first direction, columns the second.
        let place: Vec<f64> = (0..theta.len()).map(|k| theta[k] - 0.02 * first[k] + 0.02 * second[k]).collect();
        let mut corner = Evaluation::default();
        loss.evaluate(&place, &mut corner).expect("loss");
        assert!((surface.total[6] - corner.loss).abs() <= 1e-12 * corner.loss);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// The network is linear in its last layer and the problem in the network, so along that layer the loss is
    /// L + g·d + dᵀHd/2 with nothing left over.
    #[test]
    fn a_quadratic_is_a_quadratic(seed in 0u64..1 << 40) {
        for problem in ["wave", "convection"] {
            let case = case(&[&format!("problem.name={problem}"), &format!("seed={seed}")]);
            let theta = case.initial_theta();
            let last = case.network().layout().tensors().len() - 2;
            let from = case.network().layout().tensors()[last].offset;
            let on_last_layer = |seed: u64| {
                let mut direction = normals(seed, theta.len());
                direction[..from].fill(0.0);
                direction
            };
            let directions = [on_last_layer(seed ^ 1), on_last_layer(seed ^ 2)];
            let mut hessian = Hessian::new(&case, &theta, Precision::F64).expect("Hessian");
            let image = |hessian: &mut Hessian, v: &[f64]| {
                let mut out = Vec::new();
                hessian.apply(v, &mut out).expect("product");
                out
            };
            let images = [image(&mut hessian, &directions[0]), image(&mut hessian, &directions[1])];
            let (mut loss, mut at) = (loss_of(&case), Evaluation::default());
            loss.evaluate_with_gradient(&theta, &mut at).expect("loss");
            let slopes = [dot(&at.grad, &directions[0]), dot(&at.grad, &directions[1])];
            let curvature = |i: usize, j: usize| dot(&directions[i], &images[j]);
            let grid = SurfaceGrid { reach: 0.5, places: 6 };
            let surface = finished(&mut loss, &theta, [&directions[0], &directions[1]], grid);
            for (row, &a) in surface.alphas.iter().enumerate() {
                for (column, &b) in surface.betas.iter().enumerate() {
                    let quadratic = a * a * curvature(0, 0) + 2.0 * a * b * curvature(0, 1) + b * b * curvature(1, 1);
                    let wanted = at.loss + a * slopes[0] + b * slopes[1] + 0.5 * quadratic;
                    let found = surface.total[row * 6 + column];
                    let size = at.loss + quadratic.abs() + (a * slopes[0]).abs() + (b * slopes[1]).abs();
                    prop_assert!((found - wanted).abs() < 1e-11 * size, "{problem} ({a}, {b}): {found} but {wanted}");
                }
            }
        }
    }
}

#[test]
fn the_total_is_the_weighted_sum_of_the_terms() {
    let case = case(&["weights.residual=0.25"]);
    let theta = case.initial_theta();
    let directions = [normals(1, theta.len()), normals(2, theta.len())];
    let grid = SurfaceGrid { places: 4, ..SurfaceGrid::default() };
    let surface = finished(&mut loss_of(&case), &theta, [&directions[0], &directions[1]], grid);
    assert_eq!(surface.terms[0].weight, 0.25);
    for (place, total) in surface.total.iter().enumerate() {
        let sum: f64 = surface.terms.iter().map(|term| term.weight * term.values[place]).sum();
        assert!((sum - total).abs() <= 1e-14 * total);
    }
}

#[test]
fn a_saved_surface_carries_on() {
    let case = case(&[]);
    let theta = case.initial_theta();
    let directions = [normals(1, theta.len()), normals(2, theta.len())];
    let (directions, grid) = ([&*directions[0], &*directions[1]], SurfaceGrid { reach: 0.3, places: 5 });
    let whole = finished(&mut loss_of(&case), &theta, directions, grid);
    let mut part = Surface::new(&mut loss_of(&case), &theta, grid).expect("surface");
    (0..2).for_each(|_| part.add_row(&mut loss_of(&case), &theta, directions).expect("row"));
    assert_eq!((part.rows_done(), part.is_complete()), (2, false));
    let saved = serde_json::to_string(&part).expect("saved");
    let mut part: Surface = serde_json::from_str(&saved).expect("read");
    let mut loss = loss_of(&case);
    (0..5).for_each(|_| part.add_row(&mut loss, &theta, directions).expect("row")); // two more than are needed
    assert_eq!(part, whole);

    part.total.pop();
    let damaged = part.add_row(&mut loss, &theta, directions).expect_err("a damaged surface").to_string();
    assert_eq!(damaged, "the surface does not belong to this loss: its lengths differ; start a new one");
    let mut foreign = whole;
    foreign.terms[0].name = "equations".into();
    let message = foreign.add_row(&mut loss, &theta, directions).expect_err("another loss").to_string();
    assert_eq!(message, "the surface does not belong to this loss: its terms differ; start a new one");
}

#[test]
fn overflow_is_saved_as_nothing() {
    let case = case(&[]);
    let theta = case.initial_theta();
    let huge = vec![1e200; theta.len()];
    let grid = SurfaceGrid { reach: 1e50, places: 2 };
    let surface = finished(&mut loss_of(&case), &theta, [&huge, &huge], grid);
    assert!(surface.total.iter().any(|loss| !loss.is_finite()) && !surface.sharpness(&[]).rim_rise.is_finite());
    let read: Surface = serde_json::from_str(&serde_json::to_string(&surface).expect("saved")).expect("read");
    let as_saved = |loss: &f64| if loss.is_finite() { Some(loss.to_bits()) } else { None };
    assert!(read.total.iter().map(as_saved).eq(surface.total.iter().map(as_saved)));
}

#[test]
fn sharpness_sums_up_the_surface() {
    let mut surface = finished(
        &mut loss_of(&case(&[])),
        &case(&[]).initial_theta(),
        [&[1.0; 37]; 2],
        SurfaceGrid { reach: 1.0, places: 3 },
    );
    surface.centre = 2.0;
    surface.total = vec![1.0, 2.0, 3.0, 4.0, 20.0, 2.0, 5.0, 2.0, -2.0];
    let sharpness = surface.sharpness(&[9.0, -4.0]);
    assert_eq!(sharpness.eigenvalues, [9.0, -4.0]);
    assert_eq!((sharpness.mean_rise, sharpness.rim_rise), (29.0 / 9.0, 4.0));
}

/// A surface needs no Hessian, so models of sequences have one along any directions; threads do not matter.
#[test]
fn models_of_sequences_have_surfaces() {
    let mut config = configuration(&["points.interior=grid:4x4"]);
    config.model = ModelConfig::new("pinnsformer".parse().expect("a model"));
    config.set_all(&["model.d_model=4", "model.ff_width=4", "model.out_width=4"]).expect("valid");
    let surface = |threads| {
        let case = Case::new(config.clone(), &Threads::new(threads).expect("threads")).expect("case");
        let theta = case.initial_theta();
        let directions = [normals(1, theta.len()), normals(2, theta.len())];
        let grid = SurfaceGrid { reach: 0.1, places: 3 };
        let surface = finished(&mut loss_of(&case), &theta, [&directions[0], &directions[1]], grid);
        (surface, Objective::new(&case).expect("objective").evaluate_at_points(&theta).expect("loss").loss)
    };
    let (one, wanted) = surface(1);
    assert_eq!((one.total[4], &surface(2).0), (wanted, &one));
}

#[test]
fn grids_and_directions_that_cannot_be() {
    let case = case(&[]);
    let (theta, mut loss) = (case.initial_theta(), loss_of(&case));
    let mut refused = |reach, places| {
        Surface::new(&mut loss, &theta, SurfaceGrid { reach, places }).expect_err("an error").to_string()
    };
    assert_eq!(refused(0.0, 5), "setting `reach` of the landscape is 0; it must be positive and finite");
    assert_eq!(refused(f64::NAN, 5), "setting `reach` of the landscape is NaN; it must be positive and finite");
    assert_eq!(refused(0.1, 1), "setting `places` of the landscape is 1; it must be between 2 and 10000");
    let mut surface = Surface::new(&mut loss, &theta, SurfaceGrid::default()).expect("surface");
    assert_eq!(
        (surface.alphas.len(), surface.alphas[0], surface.alphas[50], surface.alphas[100]),
        (101, -0.1, 0.0, 0.1)
    );
    let message = surface.add_row(&mut loss, &theta, [&theta, &theta[1..]]).expect_err("an error").to_string();
    assert_eq!(message, "direction 2 has 36 numbers, but there are 37 parameters");
    let long = [theta.clone(), vec![0.0]].concat();
    let message = surface.add_row(&mut loss, &long, [&theta, &theta]).expect_err("an error").to_string();
    assert!(message.starts_with("the parameters given are 38 numbers, but the model has 37;"), "{message}");
}
