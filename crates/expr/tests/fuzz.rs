//! The parser on a hundred thousand hostile texts: it answers each without a panic, and its errors point into the text.
//! `ROPINN_FUZZ_SECONDS=600` makes it go on for that long.

use ropinn_expr::{Env, Lookup, Scope, Table, TableAxis};
use std::time::Instant;

/// SplitMix64: small, seeded, the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const TOKENS: &[&str] = &[
    "u", "v", "u_x", "u_xx", "u_xt", "u_x1x", "v_tttt", "x", "t", "x1", "nu", "lambda", "y", "k", "k[1]", "a", "a_x",
    "pi", "e", "1", "0", "2.5", ".5", "1e3", "1e-300", "1e300", "1e999", "+", "-", "*", "/", "^", "**", "(", ")", "(",
    ")", ",", "<", "<=", "==", "!=", "=", "and", "or", "not", "sin(", "exp(", "log(", "sqrt(", "abs(", "min(", "max(",
    "where(", "d(", "at(", ", x)", ", 1)", "[", "]", "$", "_", " ", "\n", "é", "∂", "u_", "u__x", "u_y", "sinn(",
];

const VALID: &[&str] = &[
    "u_t + u*u_x - nu*u_xx",
    "d(a*d(u, x), x) + where(x < 0.5 and not t >= 1, sin(pi*x), exp(-t)) - y",
    "at(u, 1) - u + lambda*k(x^2)*k[1](x) - sqrt(abs(v_xxtt))/(1 + x1^2)",
    "min(max(u, 0), 1)^2.5 + 2^x^t - (u + v)*(u - v)/(u^2 - v^2)",
];

fn text(random: &mut Random) -> String {
    match random.below(4) {
        0 => {
            let bytes: Vec<u8> = (0..random.below(40)).map(|_| random.below(256) as u8).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        }
        1 => (0..random.below(24)).map(|_| random.pick(TOKENS)).collect(),
        2 => {
            let operators = ["+", "-", "*", "/", "^", " < ", " and ", ", "];
            let mut text = String::new();
            for _ in 0..random.below(12) {
                text += random.pick(TOKENS);
                text += random.pick(&operators);
            }
            text + random.pick(TOKENS)
        }
        _ => {
            let mut chars: Vec<char> = random.pick(VALID).chars().collect();
            for _ in 0..1 + random.below(4) {
                let at = random.below(chars.len().max(1));
                match random.below(4) {
                    0 if chars.len() > 1 => drop(chars.remove(at)),
                    1 => chars.insert(at, chars[random.below(chars.len())]),
                    2 => chars.truncate(at + 1),
                    _ => {
                        let token: Vec<char> = random.pick(TOKENS).chars().collect();
                        chars.splice(at..at, token);
                    }
                }
            }
            chars.into_iter().collect()
        }
    }
}

fn scope() -> Scope {
    let mut scope = Scope::new(["x", "t", "x1"], ["u", "v"]).unwrap();
    scope.constant("nu", 0.1).unwrap();
    scope.trainable("lambda").unwrap();
    scope.data("y").unwrap();
    let axis = TableAxis { name: "x".into(), nodes: vec![0.0, 1.0, 3.0] };
    let table = Table::new(vec![axis], vec![1.0, 2.0, 0.0], Lookup::Linear).unwrap();
    scope.table("k", table).unwrap();
    let a = scope.parse("x^2*u + 1").unwrap();
    scope.define("a", a).unwrap();
    scope
}

#[test]
fn a_hundred_thousand_hostile_texts() {
    let scope = scope();
    let mut random = Random(20_240_607);
    let seconds = std::env::var("ROPINN_FUZZ_SECONDS").ok().and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    let (began, mut cases, mut understood) = (Instant::now(), 0, 0);
    while cases < 200_000 || began.elapsed().as_secs_f64() < seconds {
        cases += 1;
        let text = text(&mut random);
        match scope.parse(&text) {
            Ok(expr) => {
                understood += 1;
                let env = Env::at(&[0.3, 0.2, 0.1]).with_unknowns(|_, _, _| 0.7);
                let env = env.with_trainables(&[0.4]).with_data(&[0.6]);
                let (value, printed) = (expr.eval(&env), expr.display(&scope).to_string());
                let again = scope.parse(&printed).unwrap_or_else(|e| panic!("{text:?}\n{}", e.render(&printed)));
                let same = again.eval(&env);
                let close = (value - same).abs() <= 1e-9 * value.abs();
                assert!(close || !value.is_finite(), "{text:?} printed as {printed}: {value} or {same}");
            }
            Err(error) => {
                assert!(text.is_char_boundary(error.offset), "{text:?}: {error:?}");
                assert!(error.render(&text).lines().count() == 3, "{text:?}");
                assert!(!error.to_string().contains('\n'), "{text:?}");
            }
        }
    }
    eprintln!("{understood} of {cases} cases were accepted");
    assert!(understood > 5_000, "only {understood} texts are expressions");
}
