//! Declarations that are refused, by message.

use ropinn_expr::{Error, Expr, Scope, ScopeError};

#[test]
fn names_that_cannot_be_declared() {
    let message = |result: Result<Expr, ScopeError>| result.unwrap_err().to_string();
    let mut scope = Scope::new(["x", "t"], ["u"]).unwrap();
    assert_eq!(message(scope.constant("u", 1.0)), "`u` is already declared as an unknown; choose another name");
    assert_eq!(message(scope.trainable("x")), "`x` is already declared as a coordinate; choose another name");
    for name in ["sin", "pi", "d", "at", "where", "and", "sign", "max"] {
        let message = message(scope.data(name));
        assert!(message.starts_with(&format!("`{name}` is reserved: ")), "{message}");
    }
    assert_eq!(message(scope.data("d")), "`d` is reserved: d(u, x) is the derivative of u in x; choose another name");
    for name in ["", "2x", "a b", "x-y", "_x", "a.b", &"k".repeat(65)] {
        let want = format!(
            "`{name}` is not a name; use letters, digits and underscores, starting with a letter and at most 64 characters"
        );
        assert_eq!(message(scope.define(name, 1.0)), want);
    }
    assert_eq!(message(scope.constant("c", f64::NAN)), "constant `c` is NaN; it must be finite");
    // A refused name leaves no trace.
    scope.trainable("λ").unwrap();
    assert_eq!(scope.trainable_names(), ["λ"]);
    assert_eq!(scope.parse("λ").unwrap(), Expr::trainable(0));
}

#[test]
fn coordinates_and_unknowns_that_cannot_be() {
    let none: [&str; 0] = [];
    assert_eq!(Scope::new(none, ["u"]).unwrap_err(), ScopeError::NoCoordinates);
    let many = (0..17).map(|k| format!("x{k}"));
    assert_eq!(Scope::new(many, ["u"]).unwrap_err().to_string(), "at most 16 coordinates are supported, found 17");
    assert_eq!(
        Scope::new(["x", "x"], ["u"]).unwrap_err().to_string(),
        "`x` is already declared as a coordinate; choose another name"
    );
    let scope = Scope::new(["x", "t"], ["u"]).unwrap();
    assert_eq!(scope.coord("y").unwrap_err().to_string(), "no coordinate is named `y` (coordinates: x, t)");
    assert_eq!(scope.unknown("x").unwrap_err().to_string(), "no unknown is named `x` (unknowns: u)");
    let error: Error = scope.parse("").unwrap_err().into();
    assert_eq!(error.to_string(), "column 1: the expression is empty");
}
