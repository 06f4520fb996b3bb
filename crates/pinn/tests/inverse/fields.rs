//! Fields to be found: networks of their own beside the solution.

use super::{bits, case, read, refusal, train};
use ropinn::metrics::Predictor;
use ropinn::problem::{Problem, TermGroup};
use ropinn::train::Trainer;

/// (a u_x)_x + f = 0 with a = 1 + x/2 and u = sin πx, over a time that nothing depends on.
fn conduction(field: &str) -> Problem {
    read(&format!(
        "coordinates = {{ x = [0, 1], t = [0, 1] }}\ntime = 't'\nunknowns = ['u']\nfields = {{ a = {{ {field} }} }}\n\
         definitions = {{ truth = '1 + x/2', known = 'sin(pi*x)' }}\n\
         equations = {{ heat = 'd(a*u_x, x) - d(truth*known_x, x)' }}\n\
         conditions = [{{ kind = 'data', unknown = 'u', value = 'known', points = {{ layout = 'halton', count = 200 }} }},\n\
         {{ kind = 'dirichlet', at = 'x = 0', unknown = 'a', value = 1 }}]\n\
         points = {{ interior = {{ layout = 'halton', count = 300 }} }}\nevaluation = {{ layout = 'grid', counts = [21, 3] }}\n\
         reference = {{ a = 'truth' }}"
    ))
}

#[test]
fn a_field_sees_its_own_coordinates_alone() {
    let case = case(conduction("of = 'x', width = 7, depth = 2"), &[]);
    assert_eq!(case.network().unknowns(), 2);
    let names: Vec<&str> = case.network().layout().tensors().iter().map(|tensor| tensor.name.as_str()).collect();
    assert_eq!(names.iter().filter(|name| name.starts_with("fields.a.linear.")).count(), 6, "{names:?}");
    let theta = case.initial_theta();
    let mut predictor = Predictor::of(&case, &["a", "a_x", "a_t", "a_xt", "u"]).expect("expressions");
    let [early, late] = [0.1, 0.8].map(|t| predictor.predict(&theta, &[0.4, t]).expect("values"));
    assert_eq!((early[0], early[1]), (late[0], late[1]));
    assert!(early[1] != 0.0 && early[2] == 0.0 && early[3] == 0.0 && early[4] != late[4], "{early:?} {late:?}");
    // ∂a/∂x beside differences.
    let h = 1e-5;
    let [low, high] = [0.4 - h, 0.4 + h].map(|x| predictor.predict(&theta, &[x, 0.1]).expect("values")[0]);
    assert!(((high - low) / (2.0 * h) - early[1]).abs() < 1e-8);
}

#[test]
fn the_solution_starts_as_it_does_without_fields() {
    let alone =
        read("coordinates = { x = [0, 1], t = [0, 1] }\ntime = 't'\nunknowns = ['u']\nequations = { e = 'u_t' }");
    let (alone, beside) = (case(alone, &[]).initial_theta(), case(conduction("of = 'x'"), &[]).initial_theta());
    assert_eq!(bits(&beside[..alone.len()]), bits(&alone));
}

#[test]
fn a_coefficient_is_found_and_its_error_told() {
    let case = case(conduction("of = 'x', width = 8, depth = 1, transform = 'positive'"), &["phases=gauss-newton 80"]);
    let outcome = train(case.clone());
    let results = &outcome.record.results;
    // The reference has the field and not the solution.
    assert_eq!(results.rmse_by_unknown.keys().collect::<Vec<_>>(), ["a"]);
    assert!(results.rmse_by_unknown["a"] < 1e-2, "{:?}, {}", results.rmse_by_unknown, outcome.stop_reason);
    let weights = case.weights(&outcome.theta).expect("weights");
    assert_eq!(bits(&case.theta_from(&weights).expect("the same network")), bits(&outcome.theta));
}

#[test]
fn runs_with_fields_go_on_from_checkpoints_to_the_same_bits_on_any_number_of_threads() {
    let whole =
        train(case(conduction("of = 'x'"), &["phases=gauss-newton 4", "fields.units=6", "fields.hidden_layers=1"]));
    let again = || case(conduction("of = 'x'"), &["phases=gauss-newton 4", "fields.units=6", "fields.hidden_layers=1"]);
    let mut early = Trainer::new(again()).expect("trainer");
    early.run(&mut (), &std::sync::atomic::AtomicBool::new(true)).expect("run");
    let mut late = Trainer::from_checkpoint(again(), early.checkpoint()).expect("the same run");
    assert_eq!(bits(&late.run(&mut (), &Default::default()).expect("run").theta), bits(&whole.theta));
}

#[test]
fn positive_and_smooth() {
    let case_of = |field: &str| case(conduction(field), &[]);
    let positive = case_of("of = 'x', transform = 'positive'");
    let values = Predictor::of(&positive, &["a"]).expect("a").predict(&positive.initial_theta(), &[0.1, 0.0, 0.9, 0.0]);
    assert!(values.expect("values").iter().all(|a| *a > 0.0));
    let last = |field: &str| conduction(field).terms(0).expect("terms").pop().expect("a term");
    let gradient = last("of = ['x', 't'], smooth = 1e-3");
    assert_eq!((gradient.name.as_str(), gradient.group, gradient.weight), ("smooth a", TermGroup::Smoothness, 1e-3));
    assert_eq!((gradient.labels.as_slice(), gradient.samples(2)), (&["a_x".to_owned(), "a_t".to_owned()][..], 300));
    let variation = last("of = 'x', smooth = { total-variation = 0.5 }");
    let value = variation.residuals[0].eval(&ropinn_expr::Env::at(&[0.0, 0.0]).with_unknowns(|_, _, _| -3.0));
    assert!((value * value - 3.0).abs() < 1e-5 && variation.weight == 0.5, "{value}");
}

#[test]
fn what_cannot_be_is_said_with_its_place() {
    let text = |field: &str| {
        format!(
            "coordinates = {{ x = [0, 1] }}\nunknowns = ['u']\nfields = {{ a = {{ {field} }} }}\nequations = {{ e = 'a*u_x - 1' }}"
        )
    };
    assert_eq!(refusal(&text("of = 'z'")), "p.toml:3:18: no coordinate is named `z` (coordinates: x)");
    assert_eq!(refusal(&text("width = 3")), "p.toml:3:12: [fields.a] needs `of`, for example: of = [\"x\", \"y\"]");
    assert!(
        refusal(&text("of = 'x', width = 0")).starts_with("p.toml:3:36: `width` must be a whole number above zero")
    );
    assert!(refusal(&text("of = 'x', activation = 'tahn'")).contains("(did you mean `tanh`?)"));
    let twice = refusal(&text("of = ['x', 'x']"));
    assert_eq!(twice, "p.toml:3:29: two coordinates of one field are named `x`; give each its own name");
}
