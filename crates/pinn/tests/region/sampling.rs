//! Where points move, and where they do not.

use super::case;
use proptest::prelude::*;
use ropinn::objective::Objective;
use ropinn::problem::TermGroup;
use ropinn_optim::Oracle;

/// The objective after one evaluation, and its unmoved points per term.
fn evaluated(overrides: &[&str], step: u64, evaluations: usize) -> (Objective, Vec<Vec<f64>>) {
    let case = case(overrides);
    let mut objective = Objective::new(&case).expect("objective");
    let still = {
        let mut point: Vec<&str> = overrides.iter().copied().filter(|text| !text.starts_with("region.")).collect();
        point.push("objective=point");
        let objective = Objective::new(&super::case(&point)).expect("objective");
        (0..objective.part_names().len()).map(|term| objective.points_of(term).to_vec()).collect()
    };
    let theta = case.initial_theta();
    let mut grad = vec![0.0; theta.len()];
    objective.begin_step(step);
    (0..evaluations).for_each(|_| {
        objective.evaluate(&theta, &mut grad);
    });
    (objective, still)
}

fn shifts(objective: &Objective, still: &[Vec<f64>], term: usize) -> Vec<f64> {
    let moved = objective.points_of(term);
    moved.iter().zip(still[term].iter().cycle()).map(|(moved, x)| moved - x).collect()
}

#[test]
fn only_points_of_the_equations_move_unless_told_otherwise() {
    let (objective, still) = evaluated(&["region.r=1e-3"], 0, 1);
    for (term, group) in objective.part_groups().iter().enumerate() {
        let moved = objective.points_of(term) != still[term];
        assert_eq!(moved, *group == TermGroup::Residual, "{}", objective.part_names()[term]);
    }
    let (objective, still) = evaluated(&["region.r=1e-3", "region.groups=['initial', 'boundary']"], 0, 1);
    for (term, group) in objective.part_groups().iter().enumerate() {
        let moved = objective.points_of(term) != still[term];
        assert_eq!(moved, *group != TermGroup::Residual, "{}", objective.part_names()[term]);
    }
}

#[test]
fn linked_points_move_together() {
    let free = ["region.r=1e-3", "region.groups=['boundary']", "region.edge=free"];
    let (objective, still) = evaluated(&free, 0, 1);
    let periodic = objective.part_groups().iter().position(|group| *group == TermGroup::Boundary).expect("periodic");
    for pair in shifts(&objective, &still, periodic).chunks_exact(4) {
        assert!((pair[0] - pair[2]).abs() < 1e-14 && (pair[1] - pair[3]).abs() < 1e-14, "{pair:?}");
        assert!(pair.iter().all(|&shift| (-1e-15..1e-3 + 1e-15).contains(&shift)));
    }
}

#[test]
fn every_sample_coordinate_and_sequence_element_has_its_own_draw() {
    let sizes = ["model.d_model=4", "model.ff_width=4", "model.out_width=4"];
    let model: Vec<&str> =
        ["model=pinnsformer", "region.r=1e-3", "region.samples=3"].into_iter().chain(sizes).collect();
    for (overrides, elements) in [(vec!["region.r=1e-3", "region.samples=3"], 1), (model, 5)] {
        let (objective, still) = evaluated(&overrides, 0, 1);
        let mut shifts = shifts(&objective, &still, 0);
        assert_eq!(shifts.len(), 3 * 35 * elements * 2);
        shifts.sort_by(f64::total_cmp);
        shifts.dedup();
        assert_eq!(shifts.len(), 3 * 35 * elements * 2, "no two shifts are equal");
    }
}

#[test]
fn draws_depend_on_step_and_evaluation_alone() {
    let points =
        |overrides: &[&str], step, evaluations| evaluated(overrides, step, evaluations).0.points_of(0).to_vec();
    let free = ["region.r=1e-3"];
    assert_eq!(points(&free, 4, 2), points(&free, 4, 2));
    assert_ne!(points(&free, 4, 2), points(&free, 4, 3));
    assert_ne!(points(&free, 4, 2), points(&free, 5, 2));
    assert_ne!(points(&free, 4, 2), points(&["region.r=1e-3", "seed=1"], 4, 2));
    let held = ["region.r=1e-3", "region.resample=per-step"];
    assert_eq!(points(&held, 4, 1), points(&held, 4, 3));
    assert_ne!(points(&held, 4, 1), points(&held, 5, 1));
}

#[test]
fn shifts_are_uniform() {
    let (objective, still) = evaluated(&["region.r=1e-3", "region.samples=100", "region.edge=free"], 0, 1);
    let shifts = shifts(&objective, &still, 0);
    let mut cells = [0usize; 20];
    shifts.iter().for_each(|shift| cells[((shift / 1e-3 * 20.0) as usize).min(19)] += 1);
    let expected = shifts.len() as f64 / 20.0;
    let chi2: f64 = cells.iter().map(|&n| (n as f64 - expected).powi(2) / expected).sum();
    assert!(chi2 < 45.0, "chi-square {chi2} with 19 degrees of freedom");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn places_lie_in_their_regions(r in 1e-6f64..0.5, samples in 1usize..4, step in 0u64..1000) {
        let settings = [format!("region.r={r}"), format!("region.samples={samples}")];
        let settings: Vec<&str> =
            settings.iter().map(String::as_str).chain(["region.cap=1", "region.edge=free"]).collect();
        let (objective, still) = evaluated(&settings, step, 1);
        prop_assert_eq!(objective.points_of(0).len(), samples * still[0].len());
        for shift in shifts(&objective, &still, 0) {
            prop_assert!(shift > -1e-14 && shift < r + 1e-14, "{}", shift);
        }
    }

    #[test]
    fn edges_hold(r in 1e-6f64..0.5, reflect: bool, step in 0u64..1000) {
        let edge = if reflect { "region.edge=reflect" } else { "region.edge=clamp" };
        let size = format!("region.r={r}");
        let (objective, still) = evaluated(&[&size, edge, "region.cap=1"], step, 1);
        let ends = [std::f64::consts::TAU, 1.0];
        for (i, (place, x)) in objective.points_of(0).iter().zip(&still[0]).enumerate() {
            let end = ends[i % 2];
            prop_assert!((0.0..=end).contains(place));
            let near = if reflect { (end - r).min(*x) } else { *x };
            prop_assert!(*place >= near - 1e-14 && *place <= x + r + 1e-14);
        }
    }
}

#[test]
fn an_edge_never_moves_what_does_not_move() {
    // Elements of a pseudo-sequence at the last instant lie beyond the range from the start.
    let sizes = ["model.d_model=4", "model.ff_width=4", "model.out_width=4"];
    let settings: Vec<&str> =
        ["model=pinnsformer", "region.r=1e-12", "region.edge=clamp"].into_iter().chain(sizes).collect();
    let (objective, still) = evaluated(&settings, 0, 1);
    assert!(still[0].iter().skip(1).step_by(2).any(|t| *t > 1.0));
    assert!(shifts(&objective, &still, 0).iter().all(|shift| shift.abs() < 1e-11));
}
