//! Text: what it means, and what each mistake is told.

use ropinn_expr::{Lookup, Scope, Table, TableAxis};

fn scope() -> Scope {
    let mut scope = Scope::new(["x", "t"], ["u", "v"]).unwrap();
    scope.constant("nu", 0.5).unwrap();
    let axis = |name: &str| TableAxis { name: name.into(), nodes: vec![0.0, 1.0] };
    let over_x = Table::new(vec![axis("x")], vec![1.0, 3.0], Lookup::Linear).unwrap();
    scope.table("c", over_x).unwrap();
    let over_y = Table::new(vec![axis("y")], vec![1.0, 3.0], Lookup::Linear).unwrap();
    scope.table("w", over_y).unwrap();
    scope
}

#[test]
fn mistakes_are_located_and_explained() {
    let scope = scope();
    for (text, message) in [
        ("", "column 1: the expression is empty"),
        ("  \n ", "column 1: the expression is empty"),
        (
            "u_t + u*u_y",
            "column 9: unknown symbol `u_y`: `y` is not a coordinate (coordinates: x, t); did you mean `u_t`?",
        ),
        ("u_xy", "column 1: unknown symbol `u_xy`: `y` is not a coordinate (coordinates: x, t); did you mean `u_x`?"),
        ("1 + mu", "column 5: unknown symbol `mu`; did you mean `nu`?"),
        ("qqq", "column 1: unknown symbol `qqq`"),
        ("X", "column 1: unknown symbol `X`; did you mean `x`?"),
        ("nu_x", "column 1: unknown symbol `nu_x`; did you mean `u_x`?"),
        ("e^x", "column 1: unknown symbol `e`"),
        (
            "sn(x)",
            "column 1: unknown function `sn` (did you mean `sin`?); the functions are: sin, cos, tan, exp, log, sqrt, tanh, sinh, cosh, atan, erf, abs, sign, min, max, where, d, at, c, w",
        ),
        (
            "expp(x)",
            "column 1: unknown function `expp` (did you mean `exp`?); the functions are: sin, cos, tan, exp, log, sqrt, tanh, sinh, cosh, atan, erf, abs, sign, min, max, where, d, at, c, w",
        ),
        (
            "foobar(x)",
            "column 1: unknown function `foobar`; the functions are: sin, cos, tan, exp, log, sqrt, tanh, sinh, cosh, atan, erf, abs, sign, min, max, where, d, at, c, w",
        ),
        ("x(1 - x)", "column 1: `x` is not a function; write `x*(...)` to multiply"),
        ("pi(2)", "column 1: `pi` is not a function; write `pi*(...)` to multiply"),
        ("u_x(2)", "column 1: `u_x` is not a function; write `u_x*(...)` to multiply"),
        ("sin + 1", "column 1: function `sin` needs arguments in parentheses: `sin(...)`"),
        ("sin(x, t)", "column 1: `sin` takes 1 argument, found 2"),
        ("min(x)", "column 1: `min` takes 2 arguments, found 1"),
        ("where(x < 1, 2)", "column 1: `where` takes 3 arguments, found 2"),
        ("cos()", "column 1: `cos` takes 1 argument, found 0"),
        ("d(u)", "column 1: `d` takes 2 or more arguments, found 1"),
        ("at(u)", "column 1: `at` takes 2 arguments, found 1"),
        ("at(u, 1, 2)", "column 1: `at` takes 2 arguments, found 3"),
        ("c(x, t)", "column 1: `c` takes 1 argument, found 2"),
        ("u +", "column 4: expected a value before the end of the text"),
        ("u * / x", "column 5: expected a value before `/`"),
        ("(u + )", "column 6: expected a value before `)`"),
        ("sin(x, )", "column 8: expected a value before `)`"),
        ("d(u, )", "column 6: expected a value before `)`"),
        ("* u", "column 1: expected a value before `*`"),
        ("and u", "column 1: expected a value before `and`"),
        ("2 x", "column 3: expected an operator before `x`; write `*` to multiply"),
        ("2x", "column 2: expected an operator before `x`; write `*` to multiply"),
        ("(x)(t)", "column 4: expected an operator before `(`; write `*` to multiply"),
        ("u u_x", "column 3: expected an operator before `u_x`; write `*` to multiply"),
        ("1.5.2", "column 4: expected an operator before `.`; write `*` to multiply"),
        ("(u + (x)", "column 1: `(` is never closed"),
        ("sin(x", "column 4: `(` is never closed"),
        ("d(u, x", "column 2: `(` is never closed"),
        ("u + x)", "column 6: `)` closes nothing; remove it or add `(`"),
        (")", "column 1: `)` closes nothing; remove it or add `(`"),
        ("u + $", "column 5: unexpected character `$`"),
        ("u # x", "column 3: unexpected character `#`"),
        ("u \u{7} x", "column 3: unexpected character `\\u{7}`"),
        ("u, x", "column 2: unexpected character `,`"),
        ("(u, x)", "column 3: unexpected character `,`"),
        (".", "column 1: unexpected character `.`"),
        (
            "u_t = u_xx",
            "column 5: `=` is not an operator; write the equation as a residual, `left - (right)`, or compare with `==`",
        ),
        ("x < 1", "column 3: a comparison can stand only in the condition of `where(condition, a, b)`"),
        ("1 + (x >= 1)*u", "column 8: a comparison can stand only in the condition of `where(condition, a, b)`"),
        ("sin(x == 1)", "column 7: a comparison can stand only in the condition of `where(condition, a, b)`"),
        ("where(0 < x < 1, u, v)", "column 13: comparisons cannot be chained; join two of them with `and`"),
        ("where(x, u, v)", "column 7: expected a condition such as `x < 0`"),
        ("where(x < 1 and t, u, v)", "column 17: expected a condition such as `x < 0`"),
        ("where(not x, u, v)", "column 11: expected a condition such as `x < 0`"),
        ("d(u, nu)", "column 6: cannot differentiate in `nu`: it is not a coordinate (coordinates: x, t)"),
        ("d(u, x*t)", "column 6: cannot differentiate in `x*t`: it is not a coordinate (coordinates: x, t)"),
        ("d(u, u)", "column 6: cannot differentiate in `u`: it is not a coordinate (coordinates: x, t)"),
        ("u_xxxxx", "column 1: derivative of order 5; the highest order in text is 4"),
        ("d(u_xx, x, x, t)", "column 1: derivative of order 5; the highest order in text is 4"),
        ("d(sin(x), x, x, x, x, x)", "column 1: derivative of order 5; the highest order in text is 4"),
        ("1 + d(d(d(x^9, x, x), x, x), x)", "column 5: derivative of order 5; the highest order in text is 4"),
        ("1e999", "column 1: the number `1e999` is too large"),
        ("at(u, -1)", "column 7: `-1` is not a linked site; write a whole number from 0 to 255"),
        ("at(u, x)", "column 7: `x` is not a linked site; write a whole number from 0 to 255"),
        ("at(u, 256)", "column 7: `256` is not a linked site; write a whole number from 0 to 255"),
        ("w + 1", "column 1: table `w` needs arguments: its axis `y` is not a coordinate (coordinates: x, t)"),
        ("c[2](x)", "column 2: `2` is not a derivative of table `c`; write one 0 or 1 for each of its 1 axes"),
        ("c[1", "column 2: `[` is never closed"),
        ("c[1] + 1", "column 1: function `c` needs arguments in parentheses: `c(...)`"),
        ("u +\n  v +\n  qq", "line 3, column 3: unknown symbol `qq`"),
        ("ü + u", "column 1: unknown symbol `ü`"),
        ("u + ü*u_q", "column 5: unknown symbol `ü`"),
    ] {
        let error = scope.parse(text).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
    let long = "x+".repeat(500_001);
    assert_eq!(
        scope.parse(&long).unwrap_err().to_string(),
        "column 1: the text has 1000002 bytes, the limit is 1000000"
    );
    let deep = "(".repeat(201);
    assert_eq!(
        scope.parse(&deep).unwrap_err().to_string(),
        "column 202: nested deeper than 200 levels; define parts of it under names of their own"
    );
}

#[test]
fn the_caret_stands_under_the_place() {
    let scope = scope();
    let render = |text: &str| scope.parse(text).unwrap_err().render(text);
    assert_eq!(render("u_t +\t\u{3bd}*u_xx"), "column 7: unknown symbol `ν`\n  u_t + ν*u_xx\n        ^");
    assert_eq!(render("u +\nx + $"), "line 2, column 5: unexpected character `$`\n  x + $\n      ^");
    assert_eq!(render("u +"), "column 4: expected a value before the end of the text\n  u +\n     ^");
    let long = format!("{}$ + {}", "u + ".repeat(100), "u + ".repeat(100));
    let rendered = render(&long);
    let lines: Vec<&str> = rendered.lines().collect();
    assert_eq!(lines[0], "column 401: unexpected character `$`");
    let caret = lines[2].chars().position(|c| c == '^').unwrap();
    assert_eq!(lines[1].chars().nth(caret), Some('$'));
    assert!(lines[1].chars().count() < 130 && lines[1].contains('…'));
}

#[test]
fn derivative_names_are_cut_at_every_coordinate() {
    let mut scope = Scope::new(["x", "x1", "xx", "y_1"], ["u", "u_1"]).unwrap();
    scope.constant("u_x", 3.0).unwrap();
    let same = |a: &str, b: &str| {
        assert_eq!(scope.parse(a).unwrap(), scope.parse(b).unwrap(), "{a}");
    };
    same("u_x1x1", "d(u, x1, x1)");
    same("u_xx1", "d(u, x, x1)");
    same("u_x1x", "d(u, x, x1)");
    same("u_x1_x", "d(u, x, x1)");
    same("u_y_1", "d(u, y_1)");
    same("u_y_1x", "d(u, x, y_1)");
    same("u_1_x", "d(u_1, x)");
    same("u_x", "3"); // an exact name wins
    let ambiguous = |text: &str| scope.parse(text).unwrap_err().to_string();
    assert_eq!(ambiguous("2*u_xx"), "column 3: `u_xx` is ambiguous; write `d(u, xx)` or `d(u, x, x)`");
    assert_eq!(ambiguous("u_xx_x1"), "column 1: `u_xx_x1` is ambiguous; write `d(u, x1, xx)` or `d(u, x, x, x1)`");
    // What is ambiguous in short form prints in long form.
    let expr = scope.parse("d(u, x, x)").unwrap();
    assert_eq!(expr.display(&scope).to_string(), "d(u, x, x)");
}

#[test]
fn operators_bind_as_on_paper() {
    let scope = scope();
    for (a, b) in [
        ("-x^2", "0 - x*x"),
        ("2^-x^2", "2^(-(x^2))"),
        ("2^3^x", "2^(3^x)"),
        ("x**2**3", "x^8"),
        ("x/t/u", "x/(t*u)"),
        ("x - t - u", "x - (t + u)"),
        ("-x*t", "-(x*t)"),
        ("x*-t", "-(x*t)"),
        ("+x", "x"),
        ("1.5e1*.5 + 2.", "9.5"),
        ("2E+1 - 1e-1*10", "19"),
        ("where(not x < 1 or t > 2 and x != t, u, v)", "where((not (x < 1)) or ((t > 2) and (x != t)), u, v)"),
        ("  u\n\t+ v ", "u+v"),
        ("c", "c(x)"),
        ("c (t)", "c(t)"),
        ("at(u*x, 2)", "at(u, 2)*at(x, 2)"),
        ("d(u*v, x, t)", "u_xt*v + u_x*v_t + u_t*v_x + u*v_xt"),
        ("pi", "3.141592653589793"),
        ("2*1/3", "2/3"),
    ] {
        assert_eq!(scope.parse(a).unwrap(), scope.parse(b).unwrap(), "{a}");
    }
}
