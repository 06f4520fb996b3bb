//! Very long and very deep expressions on the default 2 MiB stack of a thread.

use ropinn_expr::{Env, Expr, MAX_DEPTH, MultiIndex, ParseErrorKind, Scope};

fn on_a_thread(work: fn()) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

fn scope() -> Scope {
    Scope::new(["x"], ["u"]).unwrap()
}

/// Everything a caller might do with an expression of u; its value and slope where u = u_x = ¼.
fn exercise(expr: Expr, value: f64, slope: f64) {
    let close =
        |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-12 * (1.0 + wanted.abs()), "{found} {wanted}");
    let twin = expr.at(0);
    assert_eq!(expr.clone(), twin);
    assert!(expr.to_string().len() > 1000);
    let derivative = expr.derivative(0);
    let env = Env::at(&[0.5]).with_unknowns(|_, _, _| 0.25);
    close(expr.eval(&env), value);
    close(derivative.eval(&env), slope);
    close(derivative.expand().eval(&env), slope);
    assert_eq!((expr.unknowns().len(), derivative.unknowns().len()), (1, 2));
    assert_eq!(expr.at(1).max_site(), 1);
    assert_eq!(expr.substitute_coords(&[Expr::coord(0) + 1.0]), expr, "no coordinate is in it");
}

#[test]
fn a_hundred_thousand_equal_terms() {
    on_a_thread(|| {
        let text = vec!["u"; 100_000].join("+");
        let sum = scope().parse(&text).unwrap();
        assert_eq!(sum, 1e5 * Expr::unknown(0, MultiIndex::ZERO));
    });
}

#[test]
fn a_hundred_thousand_different_terms() {
    on_a_thread(|| {
        let terms: Vec<String> = (0..100_000).map(|k| format!("u^{k}")).collect();
        // Σ u^k = 1/(1 − u), with slope u_x/(1 − u)².
        exercise(scope().parse(&terms.join("+")).unwrap(), 1.0 / 0.75, 0.25 / (0.75 * 0.75));
    });
}

#[test]
fn ten_thousand_different_factors() {
    on_a_thread(|| {
        let factors: Vec<String> = (1..10_000).map(|k| format!("(1+u/{k}e9)")).collect();
        let (value, logarithmic) = (1..10_000).fold((1.0, 0.0), |(value, slope), k| {
            let c = 1e-9 / f64::from(k);
            (value * (1.0 + 0.25 * c), slope + 0.25 * c / (1.0 + 0.25 * c))
        });
        exercise(scope().parse(&factors.join("*")).unwrap(), value, value * logarithmic);
    });
}

#[test]
fn thirty_thousand_levels_built_in_rust() {
    on_a_thread(|| {
        let u = Expr::unknown(0, MultiIndex::ZERO);
        let tower = (0..30_000).fold(u.clone(), |e, _| (0.5 * e + &u).sin());
        let (value, slope) = (0..30_000).fold((0.25, 0.25), |(e, slope): (f64, f64), _| {
            ((0.5 * e + 0.25).sin(), (0.5 * e + 0.25).cos() * (0.5 * slope + 0.25))
        });
        exercise(tower, value, slope);
        let choices = (0..30_000).fold(u.clone(), |e, _| Expr::select(e.lt(0.5), &e, &u) + 1.0);
        assert_eq!(choices.eval(&Env::at(&[]).with_unknowns(|_, _, _| 0.25)), 1.25);
    });
}

#[test]
fn shared_parts_cost_once() {
    // 2^200 leaves as a tree, 200 nodes in memory.
    let double = |e: Expr| e.sin() * e.cos();
    let build = || (0..200).fold(Expr::unknown(0, MultiIndex::ZERO), |e, _| double(e));
    let (a, b) = (build(), build());
    assert_eq!(a, b);
    let value = (0..200).fold(0.5, |e: f64, _| e.sin() * e.cos());
    assert_eq!(a.eval(&Env::at(&[]).with_unknowns(|_, _, _| 0.5)), value);
    assert_eq!(a.unknowns().len(), 1);
}

#[test]
fn text_may_nest_up_to_its_limit() {
    on_a_thread(|| {
        let deep = |n: usize, open: &str, close: &str| {
            let text = format!("{}u{}", open.repeat(n), close.repeat(n));
            scope().parse(&text).map_err(|e| e.kind)
        };
        for (open, close) in
            [("(", ")"), ("sin(", ")"), ("-", ""), ("u^", ""), ("max(x,", ")"), ("where(x<1,x,", ")"), ("at(", ",1)")]
        {
            assert!(deep(MAX_DEPTH, open, close).is_ok(), "{open}");
            let over = [MAX_DEPTH + 1, 900_000 / (open.len() + close.len())];
            for n in over {
                assert_eq!(deep(n, open, close), Err(ParseErrorKind::TooDeep), "{open}");
            }
        }
        for (open, close) in [("d(", ",x)"), ("where(not ", "x<1,x,u)")] {
            assert_eq!(deep(20_000, open, close), Err(ParseErrorKind::TooDeep));
        }
        let chain = format!("where({}x<1,u,x)", "x<1 and ".repeat(100_000));
        assert_eq!(scope().parse(&chain).unwrap_err().kind, ParseErrorKind::TooDeep);
    });
}
