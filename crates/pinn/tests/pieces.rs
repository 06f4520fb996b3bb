//! Solutions in pieces: problems over parts of their time, networks of several pieces, wider networks.

mod problem_common;

use problem_common::worst_residual;
use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::metrics::{ErrorMeter, Predictor};
use ropinn::objective::Objective;
use ropinn::pieces::{joined, part};
use ropinn::problem::{Problem, TermGroup};
use ropinn::train::Trainer;
use ropinn::weights::read_weights;
use ropinn_engine::{Precision, Threads};
use ropinn_expr::{Env, Expr};
use ropinn_optim::Oracle;
use std::path::Path;

type Fallible<T = ()> = Result<T, Box<dyn std::error::Error>>;

fn read(text: &str) -> Problem {
    Problem::from_toml(text, Path::new("p.toml")).unwrap_or_else(|error| panic!("{error}"))
}

fn case(problem: &Problem, overrides: &[&str]) -> Case {
    let mut config = RunConfig::default();
    config.set_all(&["model.width=6", "model.depth=2", "model.normalise=true", "precision=f64"]).expect("valid");
    config.set_all(overrides).expect("valid");
    Case::with_problem(config, problem.clone(), &Threads::new(1).expect("threads")).expect("case")
}

fn predicted(case: &Case, theta: &[f64], wanted: &[&str], points: &[f64]) -> Vec<f64> {
    Predictor::of(case, wanted).and_then(|mut predictor| predictor.predict(theta, points)).expect("a prediction")
}

/// Parameters that no two networks share.
fn theta_of(case: &Case, salt: f64) -> Vec<f64> {
    case.initial_theta().iter().enumerate().map(|(k, w)| w + 0.1 * (salt + k as f64).sin()).collect()
}

/// Two unknowns of order one, a third without derivatives in time, periodic by construction, and readings at four times.
const SCHROEDINGER: &str = r#"
    name = "packet"
    coordinates = { x = [0, 2], t = [0, 1] }
    time = "t"
    unknowns = ["u", "v", "p"]
    equations = { u = "u_t + v_xx/2", v = "v_t - u_xx/2", p = "p_xx - u" }
    conditions = [
        { name = "start", kind = "initial", value = { u = "cos(pi*x)", v = "0" } },
        { kind = "periodic", along = "x" },
        { name = "seen", kind = "data", columns = ["x", "t", "u"], rows = [
            [0, 0, 1], [1, 0.25, -0.3307477195], [0, 0.5, -0.7812118921], [0, 1, 0.2205840407]] },
    ]
    reference = { u = "cos(pi*x)*cos(pi^2/2*t)", v = "-cos(pi*x)*sin(pi^2/2*t)", p = "-cos(pi*x)*cos(pi^2/2*t)/pi^2" }
"#;

/// A hole, normals, and time that does not begin at 0.
const HEAT: &str = r#"
    name = "plate"
    coordinates = { x = [0, 2], y = [0, 1], t = [1, 3] }
    time = "t"
    unknowns = ["u"]
    equations = { heat = "u_t - u_xx - u_yy - (x + y^2 - 4)*exp(t)" }
    conditions = [
        { kind = "initial", value = "(x + y^2 - 2)*exp(t)" },
        { kind = "dirichlet", at = "outer", value = "(x + y^2 - 2)*exp(t)", points = { layout = "halton", count = 100 } },
        { kind = "operator", at = "holes", residual = "n_x*u_x + n_y*u_y - exp(t)*(n_x + 2*y*n_y)" },
    ]
    geometry = { minus = [{ disk = { center = [1, 0.5], radius = 0.2 } }] }
    points = { interior = { layout = "halton", count = 1000 } }
    reference = { u = "(x + y^2 - 2)*exp(t)" }
"#;

/// Everything built in.
const STRING: &str = r#"
    name = "string"
    coordinates = { x = [0, 1], t = [0, 1] }
    time = "t"
    unknowns = ["u"]
    equations = { wave = "u_tt - 4*u_xx" }
    conditions = [
        { name = "shape", kind = "initial", value = "sin(pi*x)", exact = true },
        { name = "velocity", kind = "initial", derivative = "t", value = 0, exact = true },
        { name = "ends", kind = "dirichlet", at = "boundary", value = 0, exact = true },
    ]
    reference = { u = "sin(pi*x)*cos(2*pi*t)" }
"#;

/// What the exact solution hands over at these points.
fn exact_handover(problem: &Problem, exact: &[Expr], points: &[f64]) -> Vec<f64> {
    let derivatives: Vec<Expr> = problem
        .handover_columns()
        .iter()
        .map(|column| {
            let (field, alpha, _) = column.unknowns().into_iter().next().expect("an unknown");
            alpha.axes().fold(exact[field].clone(), |expr, axis| expr.derivative(axis))
        })
        .collect();
    let rows = points.chunks_exact(problem.coordinate_names().len());
    rows.flat_map(|point| derivatives.iter().map(|expr| expr.eval(&Env::at(point))).collect::<Vec<_>>()).collect()
}

#[test]
fn the_exact_solution_leaves_nothing_in_any_part_nor_where_they_meet() -> Fallible {
    let builtin = ["wave", "reaction", "convection"].map(|name| Problem::builtin(name).expect("built in"));
    for problem in builtin.into_iter().chain([read(SCHROEDINGER), read(HEAT), read(STRING)]) {
        let (name, exact) = (problem.name.clone(), problem.exact().expect("known").to_vec());
        let axes = problem.coordinate_names().len();
        let (start, end) = problem.ranges()[axes - 1];
        let at = |s: f64| if s == 1.0 { end } else { start + s * (end - start) };
        for (from, to) in [(0.0, 0.3), (0.3, 0.5), (0.5, 1.0)] {
            let mut part = problem.during(at(from), at(to))?;
            if from > 0.0 {
                let points = part.handover_points(0)?;
                let values = exact_handover(&part, &exact, &points);
                part = part.taking_over(points, values);
            }
            for term in part.terms(1)? {
                let times = term.points.chunks_exact(axes).map(|point| point[axes - 1]);
                assert!(times.clone().all(|t| (at(from)..=at(to)).contains(&t)), "{name}, {}", term.name);
                if term.group == TermGroup::Initial {
                    assert!(times.clone().all(|t| t == at(from)), "{name}, {}", term.name);
                }
                let worst = worst_residual(&part, &term, &exact, &[]);
                assert!(worst < 1e-9, "{name} from {from}: {worst:e} in `{}`", term.name);
            }
        }
    }
    Ok(())
}

#[test]
fn terms_points_and_rows_are_shared_out() -> Fallible {
    let outline = |problem: &Problem| -> Fallible<Vec<(String, usize, usize)>> {
        let axes = problem.coordinate_names().len();
        let row = |term: ropinn::problem::Term| (term.name.clone(), term.residuals.len(), term.samples(axes));
        Ok(problem.terms(0)?.into_iter().map(row).collect())
    };
    let named = |list: &[(&str, usize, usize)]| -> Vec<(String, usize, usize)> {
        list.iter().map(|(name, residuals, samples)| ((*name).to_owned(), *residuals, *samples)).collect()
    };
    let packet = read(SCHROEDINGER);
    // A reading where two parts meet belongs to both; p is not carried on; where nothing is said of points, a part has as many as the whole.
    let late = packet.during(0.5, 1.0)?.taking_over(vec![0.1, 0.5, 0.2, 0.5], vec![0.0; 4]);
    assert_eq!(outline(&late)?, named(&[("residual", 3, 1444), ("start", 2, 2), ("seen", 1, 2)]));
    assert_eq!(outline(&packet.during(0.0, 0.5)?)?[2], ("seen".to_owned(), 1, 3));
    assert_eq!(outline(&packet.during(0.6, 0.9)?.taking_over(vec![0.1, 0.6], vec![0.0; 2]))?.len(), 2);
    // Stated ones are shared by length, along time where they are grids.
    let wave = Problem::builtin("wave")?.during(0.0, 0.25)?;
    let ends = [("right end", 1, 26), ("left end", 1, 26)];
    let initial = [("residual", 1, 101 * 26), ("initial", 1, 101), ("initial velocity", 1, 101)];
    assert_eq!(outline(&wave)?, named(&[&initial[..], &ends].concat()));
    let plate = read(HEAT).during(1.0, 1.5)?;
    assert_eq!((outline(&plate)?[0].2, outline(&plate)?[2].2), (250, 25));
    // What is handed over has twice the usual points, and needs them.
    let late = Problem::builtin("wave")?.during(0.5, 1.0)?;
    assert_eq!(late.handover_points(0)?.len() / 2, 4 * 72);
    let forgotten = Objective::new(&case(&late, &[])).err().expect("no points").to_string();
    assert_eq!(forgotten, "term `initial` has no points; give at least one");
    Ok(())
}

#[test]
fn what_cannot_be_solved_interval_by_interval_says_why() {
    let first = "name = 'p'\ncoordinates = { x = [0, 1], t = [0, 1] }\ntime = 't'\nunknowns = ['u']\n";
    let decay = "equations = { decay = 'u_t + u' }\n";
    let initial = "{ kind = 'initial', value = 1 }";
    let of = |text: String| read(&(first.to_owned() + &text)).marching().map_err(|reason| reason.to_string());
    for (text, reason) in [
        (
            format!(
                "{decay}conditions = [{initial}, {{ name = 'end', kind = 'operator', at = 'final', residual = 'u' }}]"
            ),
            "condition `end` holds at the last instant",
        ),
        (format!("{decay}conditions = [{{ kind = 'periodic', along = 't' }}]"), "it is periodic in time"),
        (
            format!("{decay}conditions = [{{ kind = 'periodic', along = 't', exact = false }}]"),
            "it is periodic in time",
        ),
        (
            format!("trainable = {{ k = 1 }}\nequations = {{ decay = 'u_t + k*u' }}\nconditions = [{initial}]"),
            "`k` is trained, and must serve all times",
        ),
        ("equations = { still = 'u_xx - t' }".to_owned(), "no equation has a derivative in time"),
        (
            format!("equations = {{ wave = 'u_tt - u_xx' }}\nconditions = [{initial}]"),
            "its equations are of order 2 in time for `u`, and `u_t` is not given at the first instant",
        ),
    ] {
        assert_eq!(of(text), Err(reason.to_owned()));
    }
    assert_eq!(of(format!("{decay}conditions = [{initial}]")), Ok(()));
    // A single coordinate, whatever it is called.
    let single = "coordinates = { x = [1, 2] }\nunknowns = ['u']\nequations = { bent = 'u_xx + u' }\n";
    let of_single = |conditions: &str| {
        read(&format!("{single}conditions = [{conditions}]")).marching().map_err(|reason| reason.to_string())
    };
    let (value, slope) = ("{ kind = 'initial', value = 1 }", "{ kind = 'initial', derivative = 'x', value = 0 }");
    assert_eq!(of_single(&format!("{value}, {slope}")), Ok(()));
    assert_eq!(
        of_single(value),
        Err("its equations are of order 2 in `x` for `u`, and `u_x` is not given at x = 1".to_owned())
    );
    let ends = "{ name = 'ends', kind = 'dirichlet', at = 'boundary', value = 0 }";
    assert_eq!(of_single(ends), Err("condition `ends` holds at x = 2".to_owned()));
    assert_eq!(of_single("{ kind = 'periodic', along = 'x' }"), Err("it is periodic in `x`".to_owned()));
    let pinned = "{ name = 'all', kind = 'dirichlet', at = 'boundary', value = 0, exact = true }";
    assert_eq!(of_single(pinned), Err("condition `all` holds at x = 2".to_owned()));
    let refused = read(&format!("{single}conditions = [{ends}]")).during(1.0, 1.5).unwrap_err().to_string();
    assert!(refused.contains("condition `ends` holds at x = 2"), "{refused}");
    for name in Problem::builtin_names() {
        let problem = Problem::builtin(name).expect("built in");
        // As it was published, this one does not say how fast it begins.
        let marches = problem.time_axis().is_some() && name != "wave-2d-ms" && !name.ends_with("-inverse");
        assert_eq!(problem.marching().is_ok(), marches, "{name}");
    }
    let poisson = Problem::builtin("poisson-2d-c").expect("built in");
    assert_eq!(
        poisson.during(0.0, 1.0).unwrap_err().to_string(),
        "problem `poisson-2d-c` cannot be solved one interval of time after another: it has no time beside other coordinates"
    );
    let wave = Problem::builtin("wave").expect("built in");
    for (from, to) in [(0.5, 0.5), (-0.1, 0.5), (0.5, 1.5), (f64::NAN, 1.0)] {
        assert_eq!(
            wave.during(from, to).unwrap_err().to_string(),
            format!("from {from} to {to} is no part of the time of problem `wave`, which lasts from 0 to 1")
        );
    }
}

#[test]
fn a_joined_solution_is_its_parts_to_the_bit() -> Fallible {
    let cut = [0.0, 0.25, 0.5, 1.0];
    for (problem, wanted) in [
        (read(SCHROEDINGER), ["u", "v_t", "p_xx", "u_xt"]), // periodic
        (read(STRING), ["u", "u_t", "u_xx", "u_xt"]),       // exact initial and boundary values
        (Problem::builtin("wave")?, ["u", "u_t", "u_xx", "u_tt"]),
    ] {
        for overrides in [
            &["model=qres", "width=6"][..],
            &["model=kan"],
            &["model.width=9"],
            &["model.fourier.features=5", "model.fourier.scale=1.5"],
        ] {
            let whole = case(&problem, &[]);
            let mut asked = whole.config().clone();
            asked.set_all(overrides)?;
            let asked = Case::with_problem(asked, problem.clone(), whole.threads())?;
            let mut parts: Vec<(Case, Vec<f64>)> = Vec::new();
            for (k, ends) in cut.windows(2).enumerate() {
                let earlier = parts.last().map(|(case, theta)| (case, theta.as_slice()));
                let next = part(&asked, (ends[0], ends[1]), earlier)?;
                let theta = theta_of(&next, k as f64);
                parts.push((next, theta));
            }
            let list: Vec<_> = parts.iter().map(|(case, theta)| (case, theta.as_slice())).collect();
            // The run asked for may have been of another size.
            let (solution, theta) = joined(&whole, &list)?;
            assert_eq!((&solution.config().pieces[..], theta.len()), (&cut[1..3], solution.parameters()));
            assert_eq!(solution.config().problem.source, whole.config().problem.source);
            for (k, (case, own)) in parts.iter().enumerate() {
                let times = [cut[k], cut[k] + 1e-9, 0.6 * cut[k] + 0.4 * cut[k + 1], cut[k + 1] - 1e-9];
                let points: Vec<f64> = times.iter().flat_map(|&t| [0.0, t, 0.37, t, 1.0, t]).collect();
                let there = predicted(case, own, &wanted, &points);
                assert_eq!(predicted(&solution, &theta, &wanted, &points), there, "{} {overrides:?} {k}", problem.name);
            }
            // The parts begin with what the one before has left.
            let (second, _) = &parts[1];
            let term = second.problem().terms(0)?.into_iter().find(|term| term.group == TermGroup::Initial);
            let term = term.expect("taken over");
            let mut left = Predictor::new(&parts[0].0, second.problem().handover_columns())?;
            assert_eq!(left.predict(&parts[0].1, &term.points)?, term.data);
        }
    }
    Ok(())
}

#[test]
fn a_problem_is_solved_interval_by_interval() -> Fallible {
    let whole = case(&read(STRING), &["phases=gauss-newton 100", "points.interior=hammersley:1500", "model.width=10"]);
    let mut parts: Vec<(Case, Vec<f64>)> = Vec::new();
    for ends in [(0.0, 0.25), (0.25, 0.5), (0.5, 1.0)] {
        let earlier = parts.last().map(|(case, theta)| (case, theta.as_slice()));
        let next = part(&whole, ends, earlier)?;
        let theta = Trainer::new(next.clone())?.run(&mut (), &Default::default())?.theta;
        parts.push((next, theta));
    }
    let list: Vec<_> = parts.iter().map(|(case, theta)| (case, theta.as_slice())).collect();
    let (solution, theta) = joined(&whole, &list)?;
    let errors = ErrorMeter::new(&solution)?.expect("a reference").measure(&theta)?;
    assert!(errors.rmse < 1e-3, "{errors:?}");
    Ok(())
}

#[test]
fn parts_that_are_not_one_solution_are_refused() -> Fallible {
    let whole = case(&Problem::builtin("wave")?, &[]);
    let (first, wide) = (part(&whole, (0.0, 0.5), None)?, case(&Problem::builtin("wave")?, &["model.width=7"]));
    let second = part(&wide, (0.5, 1.0), Some((&first, &first.initial_theta())))?;
    let (one, two) = (first.initial_theta(), second.initial_theta());
    let refused = |parts: &[(&Case, &[f64])]| joined(&whole, parts).expect_err("refused").to_string();
    for (parts, reason) in [
        (
            vec![(&first, &one[..]), (&second, &two[..])],
            "part 2 does not go with the others: its model has other settings than that of part 1",
        ),
        (vec![(&second, &two[..])], "part 1 does not go with the others: it begins at 0.5, but should begin at 0"),
        (vec![(&first, &one[..])], "part 1 does not go with the others: the last one ends at 0.5, but should end at 1"),
        (
            vec![(&first, &two[..])],
            "the parameters given are 85 numbers, but the model has 67; use weights of the same model and sizes",
        ),
    ] {
        assert_eq!(refused(&parts), reason);
    }
    // Grown to the width of the other it fits.
    let (first, one) = first.grown(&one, 7, 0)?;
    assert_eq!(joined(&whole, &[(&first, &one), (&second, &two)])?.0.config().model, wide.config().model);
    Ok(())
}

#[test]
fn a_configuration_in_pieces_is_a_case_like_any_other() -> Fallible {
    let mut config = RunConfig::default();
    assert!(!config.to_toml().contains("pieces"));
    for (set, reason) in [
        ("pieces=[0.5, 0.5]", "setting `pieces.1` is 0.5; it must be finite and after the instant before"),
        ("pieces=[nan]", "setting `pieces.0` is NaN; it must be finite and after the instant before"),
    ] {
        assert_eq!(config.set(set).unwrap_err().to_string(), reason);
    }
    config.pieces = (0..1001).map(f64::from).collect();
    let many = config.validate().unwrap_err().to_string();
    assert_eq!(many, "setting `pieces` is 1001; it must be a list of at most 1000 instants");

    let wave = Problem::builtin("wave")?;
    let solution = case(&wave, &["pieces=[0.25, 0.5]", "points.interior=grid:9x9"]);
    assert_eq!(RunConfig::from_toml(&solution.config().to_toml())?, *solution.config());
    let names: Vec<&str> = solution.network().layout().tensors().iter().map(|tensor| tensor.name.as_str()).collect();
    assert_eq!((names.len(), names[0], names[6]), (18, "pieces.0.linear.0.weight", "pieces.1.linear.0.weight"));
    // Every piece starts with numbers of its own, the first with those of a single network.
    let theta = solution.initial_theta();
    let single = case(&wave, &[]).initial_theta();
    assert_eq!(theta.len(), 3 * single.len());
    assert_eq!(theta[..single.len()], single);
    assert_ne!(theta[single.len()..][..single.len()], single);
    // Weights go through a file.
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("model.safetensors");
    solution.weights(&theta)?.save(&file, Precision::F64)?;
    assert_eq!(solution.theta_from(&read_weights(&file)?)?, theta);
    let missing = case(&wave, &[]).theta_from(&read_weights(&file)?).unwrap_err().to_string();
    assert!(missing.contains("linear.0.weight") && missing.contains("pieces.0."), "{missing}");
    // All pieces train at once.
    let mut objective = Objective::new(&solution)?;
    let loss = objective.unweighted_at_points(&theta)?;
    assert!(loss.grad.iter().filter(|slope| **slope != 0.0).count() > theta.len() / 2);

    let refused = |problem: &Problem, overrides: &[&str]| {
        let mut config = RunConfig::default();
        config.set_all(overrides).expect("valid");
        Case::with_problem(config, problem.clone(), &Threads::new(1).expect("threads"))
            .expect_err("refused")
            .to_string()
    };
    assert_eq!(
        refused(&Problem::builtin("poisson-2d-c")?, &["pieces=[0.5]"]),
        "`pieces` are intervals of time, but problem `poisson-2d-c` has no time beside other coordinates; leave them out"
    );
    assert_eq!(
        refused(&wave, &["pieces=[0.5, 1]"]),
        "`pieces` has 1, but problem `wave` lasts from 0 to 1; name instants in between"
    );
    assert_eq!(
        refused(&wave, &["model=pinnsformer", "pieces=[0.5]"]),
        "model `pinnsformer` cannot be made in pieces; leave out `pieces`, or choose pinn, fls, qres or kan"
    );
    Ok(())
}

#[test]
fn what_is_taken_over_does_not_move_with_regions() -> Fallible {
    let region = ["objective=region", "region.r=0.1", "region.cap=1", "region.groups=['residual', 'initial']"];
    let whole = case(&Problem::builtin("reaction")?, &[&region[..], &["points.interior=grid:9x9"]].concat());
    let early = part(&whole, (0.0, 0.5), None)?;
    let late = part(&whole, (0.5, 1.0), Some((&early, &early.initial_theta())))?;
    let points = |case: &Case| -> Fallible<Vec<Vec<f64>>> {
        let (mut objective, theta) = (Objective::new(case)?, case.initial_theta());
        objective.begin_step(0);
        objective.evaluate(&theta, &mut vec![0.0; theta.len()]);
        Ok((0..2).map(|term| objective.points_of(term).to_vec()).collect())
    };
    let at_rest = |case: &Case| -> Fallible<Vec<Vec<f64>>> {
        Ok(case.problem().terms(case.config().seed)?.into_iter().take(2).map(|term| term.points).collect())
    };
    let moved = |case: &Case| -> Fallible<Vec<bool>> {
        Ok(points(case)?.iter().zip(&at_rest(case)?).map(|(moved, base)| moved != base).collect())
    };
    assert_eq!((moved(&early)?, moved(&late)?), (vec![true, true], vec![true, false]));
    Ok(())
}

#[test]
fn a_wider_network_begins_as_the_same_function_and_can_train() -> Fallible {
    let problem = read(SCHROEDINGER);
    for overrides in [
        &["model.depth=3"][..],
        &["model=fls", "width=6"],
        &["model=qres", "width=6", "model.normalise=true"],
        &["model.fourier.features=4", "model.fourier.scale=1"],
        &["pieces=[0.3]"],
    ] {
        let narrow = case(&problem, overrides);
        let theta = theta_of(&narrow, 0.5);
        let (wide, grown) = narrow.grown(&theta, 10, 7)?;
        assert_eq!((wide.parameters(), wide.config().model.width_and_depth().0), (grown.len(), 10));
        let points = [0.1, 0.0, 0.9, 0.2, 1.3, 0.7, 2.0, 1.0];
        let wanted = ["u", "v_t", "p_xx", "u_xxt"];
        let pairs =
            predicted(&narrow, &theta, &wanted, &points).into_iter().zip(predicted(&wide, &grown, &wanted, &points));
        for (before, after) in pairs {
            assert!((before - after).abs() <= 1e-14 * (1.0 + before.abs()), "{overrides:?}: {before} is {after}");
        }
        // The new units have an effect as soon as something is trained.
        let slopes = Objective::new(&wide)?.unweighted_at_points(&grown)?.grad;
        let last = wide.network().layout().tensors().iter().rev().find(|tensor| tensor.shape.len() == 2);
        let last = last.expect("a matrix").range();
        let mut new = (0..10).skip(6).map(|column| last.start + column);
        assert!(new.clone().all(|k| grown[k] == 0.0) && new.all(|k| slopes[k] != 0.0), "{overrides:?}");
        assert_eq!(narrow.grown(&theta, 6, 7)?.1, theta);
        assert_ne!(narrow.grown(&theta, 10, 8)?.1, grown);
    }
    let refused = |overrides: &[&str], width| {
        let narrow = case(&problem, overrides);
        narrow.grown(&narrow.initial_theta(), width, 0).expect_err("refused").to_string()
    };
    assert_eq!(refused(&[], 5), "model `pinn` has width 6 and cannot grow to 5; give at least as many units");
    assert_eq!(refused(&["model=kan"], 9), "model `kan` cannot grow; pinn, fls and qres can");
    Ok(())
}
