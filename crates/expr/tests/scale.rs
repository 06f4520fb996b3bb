//! Very long and very deep expressions on the default 2 MiB stack of a thread.

use ropinn_expr::{Env, Expr, MAX_DEPTH, MultiIndex, ParseErrorKind, Scope};

fn on_a_thread(work: fn()) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

fn scope() -> Scope {
    Scope::new(["x"], ["u"]).unwrap()
}

/// Everything a caller might do with an expression.
fn exercise(expr: Expr) {
    let twin = expr.at(0);
    assert_eq!(expr.clone(), twin);
    assert!(expr.to_string().len() > 1000);
    let slope = expr.derivative(0);
    assert!(slope.depends_on_unknowns() || slope.depends_on_coords());
    let env = Env::at(&[0.5]).with_unknowns(|_, _, _| 0.25);
    assert!(expr.eval(&env).is_finite());
    assert!(slope.expand().eval(&env).is_finite());
    assert_eq!(expr.unknowns().len().min(1), 1);
    assert_eq!(expr.at(1).max_site(), 1);
    drop(expr.substitute_coords(&[Expr::coord(0) + 1.0]));
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
        assert!(terms.join("+").len() < 1_000_000);
        exercise(scope().parse(&terms.join("+")).unwrap());
    });
}

#[test]
fn ten_thousand_different_factors() {
    on_a_thread(|| {
        let factors: Vec<String> = (1..10_000).map(|k| format!("(1+u/{k}e9)")).collect();
        exercise(scope().parse(&factors.join("*")).unwrap());
    });
}

#[test]
fn thirty_thousand_levels_built_in_rust() {
    on_a_thread(|| {
        let u = Expr::unknown(0, MultiIndex::ZERO);
        let tower = (0..30_000).fold(u.clone(), |e, _| (0.5 * e + &u).sin());
        exercise(tower);
        let choices = (0..30_000).fold(u.clone(), |e, _| Expr::select(e.lt(0.5), &e, &u) + 1.0);
        drop(choices);
    });
}

#[test]
fn shared_parts_cost_once() {
    // 2^200 leaves as a tree, 200 nodes in memory.
    let double = |e: Expr| e.sin() * e.cos();
    let build = || (0..200).fold(Expr::unknown(0, MultiIndex::ZERO), |e, _| double(e));
    let (a, b) = (build(), build());
    assert_eq!(a, b);
    assert!(a.eval(&Env::at(&[]).with_unknowns(|_, _, _| 0.5)).is_finite());
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
