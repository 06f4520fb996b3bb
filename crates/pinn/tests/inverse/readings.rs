//! Readings: where they come from, what they count, and what is wrong with them.

use super::{case, read, refusal, train};
use ropinn::problem::{Problem, Term, TermGroup};
use ropinn_expr::{Env, MultiIndex};
use std::fs;

const REST: &str = "coordinates = { x = [0, 1], t = [0, 1] }\ntime = 't'\nunknowns = ['u', 'v']\nequations = { a = 'u_t - u_xx', b = 'v_t - v_xx' }\n";

fn with(conditions: &str, files: &[(&str, &[u8])]) -> Result<Problem, String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let text = format!("{REST}conditions = [{conditions}]");
    Problem::from_toml(&text, &folder.path().join("p.toml"))
        .map_err(|error| error.to_string().replace(&format!("{}/", folder.path().display()), ""))
}

fn data(problem: &Problem) -> Vec<Term> {
    problem.terms(0).expect("terms").into_iter().filter(|term| term.group == TermGroup::Data).collect()
}

/// The residuals of a sample if u = 5 and v = 7 everywhere.
fn residuals(term: &Term, sample: usize, trained: &[f64]) -> Vec<f64> {
    let columns = term.data.len() / term.samples(2);
    let value = |field: usize, alpha: MultiIndex, _: usize| if alpha.is_zero() { [5.0, 7.0][field] } else { 0.25 };
    let env = Env::at(&term.points[2 * sample..][..2]).with_unknowns(value).with_trainables(trained);
    let env = env.with_data(&term.data[sample * columns..][..columns]);
    term.residuals.iter().map(|residual| residual.eval(&env)).collect()
}

#[test]
fn residuals_are_in_units_of_their_noise_and_gaps_are_left_out() {
    let file = b"x,t,u,v,s\n0.1,0.5,4,6,0.5\n0.2,0.5,,8,0.25\n0.3,0.5,5.5,nan,0.5\n0.4,0.5,5,7,0.1\n";
    let problem =
        with("{ kind = 'data', file = 'a.csv', sigma = { u = 's', v = 2 } }", &[("a.csv", file)]).expect("a problem");
    let terms = data(&problem);
    let [u, v] = &terms[..] else { panic!("{} terms", terms.len()) };
    assert_eq!((u.name.as_str(), v.name.as_str()), ("data", "data (2)"));
    assert_eq!((u.samples(2), v.samples(2)), (3, 3));
    assert_eq!((0..3).map(|k| residuals(u, k, &[])[0]).collect::<Vec<_>>(), [2.0, -1.0, 0.0]);
    assert_eq!((0..3).map(|k| residuals(v, k, &[])[0]).collect::<Vec<_>>(), [0.5, -0.5, 0.0]);
    // One likelihood: as many readings, as much weight; a hundredth of the mean square weighted by 1/σ².
    let precision = 4.0 + 4.0 + 100.0 + 3.0 * 0.25;
    for term in [u, v] {
        assert!((term.weight - 0.01 * 2.0 / precision * 3.0).abs() < 1e-15, "{}", term.weight);
        assert_eq!(term.noise.as_ref().map(|noise| noise.readings), Some(1));
    }
    let said: Vec<String> = problem.missing_readings().iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 2);
    assert!(said[0].ends_with("a.csv: 1 of 4 values of `u` are missing and left out"), "{said:?}");
}

#[test]
fn one_noise_level_counts_a_hundredth_of_the_mean_square() {
    let rows = "columns = ['x', 't', 'u', 'v'], rows = [[0.5, 0.5, 4, 6], [0.5, 0.6, 3, 5]]";
    let stated = with(&format!("{{ kind = 'data', {rows}, sigma = 0.2 }}"), &[]).expect("a problem");
    let term = &data(&stated)[0];
    assert!((term.weight - 0.01 * 0.04).abs() < 1e-15);
    let off = |r: f64, expected: f64| (r - expected).abs() < 1e-12;
    assert!(off(residuals(term, 0, &[])[0], 5.0) && off(residuals(term, 1, &[])[1], 10.0));
    let unstated = with(&format!("{{ kind = 'data', {rows} }}"), &[]).expect("a problem");
    assert_eq!((data(&unstated)[0].weight, data(&unstated)[0].noise.is_none()), (1.0, true));
}

#[test]
fn several_files_arrays_and_expressions() {
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3), }";
    let mut array = [b"\x93NUMPY\x01\x00".as_slice(), &(header.len() as u16).to_le_bytes(), header.as_bytes()].concat();
    array.extend([0.5f64, 0.25, 3.0].iter().flat_map(|value| value.to_le_bytes()));
    let files: [(&str, &[u8]); 3] =
        [("a.csv", b"x,t,u\n0.1,0.5,4\n0.2,0.5,3\n0.2,0.6,3\n"), ("b.csv", b"u,x,t\n1,0.3,0.5\n"), ("c.npy", &array)];
    let problem = with(
        "{ kind = 'data', file = ['a.csv', 'b.csv'] }, { kind = 'data', file = 'c.npy', columns = ['x', 't', 'value'], value_of = '2*u_x + v' }",
        &files,
    )
    .expect("a problem");
    let terms = data(&problem);
    assert_eq!(terms.iter().map(|term| term.samples(2)).collect::<Vec<_>>(), [3, 1, 1]);
    // Two files of one condition are one set of readings.
    assert_eq!(terms.iter().map(|term| term.weight).collect::<Vec<_>>(), [0.75, 0.25, 1.0]);
    assert_eq!((terms[2].points.as_slice(), residuals(&terms[2], 0, &[])), (&[0.5, 0.25][..], vec![0.5 + 7.0 - 3.0]));
    assert_eq!(problem.inputs().len(), 3);
}

#[test]
fn made_readings_have_a_seed_of_their_own() {
    let text = |seed: &str| {
        format!(
            "coordinates = {{ x = [0, 1] }}\nunknowns = ['u']\ntrainable = {{ k = {{ init = 1, truth = 3 }} }}\n\
             equations = {{ e = 'u_x - k' }}\nreference = {{ u = 'k*x' }}\n\
             conditions = [{{ kind = 'data', from = 'reference', noise = 0.1, {seed} points = {{ layout = 'uniform', count = 2000 }} }}]"
        )
    };
    let of = |text: &str, seed: u64| read(text).terms(seed).expect("terms")[1].clone();
    let seeded = text("seed = 5,");
    assert_eq!(of(&seeded, 1), of(&seeded, 2));
    assert_ne!(of(&text(""), 1).data, of(&text(""), 2).data);
    let term = of(&seeded, 1);
    let noise: Vec<f64> = term.points.iter().zip(&term.data).map(|(x, y)| y - 3.0 * x).collect();
    let deviation = (noise.iter().map(|n| n * n).sum::<f64>() / 2000.0).sqrt();
    assert!((deviation - 0.1).abs() < 0.01, "{deviation}");
}

#[test]
fn an_unknown_noise_level_is_found() {
    let problem = read(
        "coordinates = { x = [0, 1] }\nunknowns = ['u']\nequations = { decay = 'u_x + k*u' }\n\
         trainable = { k = { init = 1, bounds = [0, inf] }, s = { init = 0.3, bounds = [1e-3, 10] } }\n\
         conditions = [{ kind = 'initial', value = 1 }, { kind = 'data', value = 'exp(-2*x)', noise = 0.05, sigma = 's', seed = 3, points = { layout = 'uniform', count = 800 } }]\n\
         points = { interior = { layout = 'grid', counts = [41] } }",
    );
    let term = &data(&problem)[0];
    assert_eq!(term.noise.as_ref().map(|noise| (noise.readings, noise.trained.clone())), Some((1, vec![1])));
    let made = &term.data;
    let truth: Vec<f64> = term.points.iter().zip(made).map(|(x, y)| y - (-2.0 * x).exp()).collect();
    let drawn = (truth.iter().map(|n| n * n).sum::<f64>() / truth.len() as f64).sqrt();
    let outcome = train(case(problem, &["phases=gauss-newton 120"]));
    let (k, s) = (outcome.record.results.trained["k"].value, outcome.record.results.trained["s"].value);
    assert!((k - 2.0).abs() < 0.05 && (s / drawn - 1.0).abs() < 0.02, "k = {k}, s = {s}, drawn with {drawn}");
}

#[test]
fn what_is_wrong_with_readings_is_said_with_its_line() {
    let file: &[u8] = b"x,t,u,s\n0.5,0.5,1,0.1\n0.5,0.7,2,0\n";
    let said = |condition: &str, file: &[u8]| {
        with(&format!("{{ kind = 'data', {condition} }}"), &[("a.csv", file)]).expect_err(condition)
    };
    let at = "p.toml:5:15: ";
    assert_eq!(
        said("file = 'a.csv', columns = { u = 'temperature' }", file),
        "`a.csv` line 1: there is no column `temperature`; its columns are: x, t, u, s"
    );
    assert_eq!(
        said("file = 'a.csv'", b"x,t,u\n0.5,0.5,1\n0.5,0.7,warm\n"),
        "`a.csv` line 3, column `u`: `warm` is not a finite number"
    );
    assert_eq!(
        said("file = 'a.csv', sigma = 's'", file),
        "`a.csv` line 3, column `s`: a noise level of 0; it must be above zero: leave the row out, or state one `sigma` for all"
    );
    assert_eq!(
        said("file = 'a.csv', sigma = 'error'", file),
        "`a.csv` line 1: there is no column `error`; its columns are: x, t, u, s"
    );
    assert_eq!(
        said("file = 'a.csv', columns = { u = 'u' }, sigma = { v = 1 }", file),
        format!(
            "{at}`sigma` of condition `data` says nothing about `u`; state it for all that is measured, or for none"
        )
    );
    assert_eq!(
        said("file = 'a.csv', columns = { u = 'u' }, sigma = 0", file),
        "p.toml:5:79: the sigma of condition `data` is 0; it must be above zero"
    );
    assert_eq!(
        said("file = 'a.csv'", b"x,t,u\n0.5,0.5,1\n1.5,0.7,2\n"),
        format!(
            "{at}`a.csv` line 3: the reading at x = 1.5, t = 0.7 lies outside the domain; leave it out, or widen `coordinates`"
        )
    );
    assert_eq!(
        said("columns = ['x', 't', 'u'], rows = [[0.5, 3, 1]]", file),
        format!(
            "{at}condition `data` row 1: the reading at x = 0.5, t = 3 lies outside the domain; leave it out, or widen `coordinates`"
        )
    );
    assert_eq!(
        said("file = 'a.csv'", b"x,t,u\n0.5,0.5,1\n,0.7,2\n"),
        "`a.csv` line 3, column `x`: a reading needs its place; fill it in, or leave the row out"
    );
    assert_eq!(
        said("from = 'reference', unknown = 'u', points = { layout = 'uniform', count = 9 }", file),
        format!(
            "{at}condition `data` takes its readings from the reference, and there is none that is known everywhere; give formulas or a solver under [reference]"
        )
    );
    let open =
        "coordinates = { x = [0, 1] }\nunknowns = ['u']\nequations = { e = 'u_x' }\ntrainable = { s = 0.5, k = 1 }\n";
    assert_eq!(
        refusal(&format!(
            "{open}conditions = [{{ kind = 'data', columns = ['x', 'u'], rows = [[0.5, 1]], sigma = 's' }}]"
        )),
        "p.toml:5:81: `s` is the noise of condition `data` and could become as small as it likes; give it bounds above zero, for example: bounds = [0.005, 50]"
    );
    assert_eq!(
        refusal(&format!(
            "{open}conditions = [{{ kind = 'data', value = 'k*x', points = {{ layout = 'uniform', count = 9 }} }}]"
        )),
        "p.toml:5:40: value of condition `data` contains `k`, which is to be found; say what it is, for example: truth = 2 under [trainable.k]"
    );
}
