//! Equations nobody tuned, written as a newcomer would: the equation, its conditions and a domain. Nothing is guessed from
//! messages; networks and steps are small, so that a debug build takes seconds.

use super::common::{command, here, json};
use std::fs;
use std::path::Path;

/// Sizes for a test; a newcomer gives no options.
const SMALL: &str = "--width 16 --depth 2 --iterations 100 --quiet --threads 2";

/// Solves a file; its final numbers and what was said.
fn solve(folder: &Path, text: &str) -> (serde_json::Value, String) {
    fs::write(folder.join("mine.toml"), text).expect("writable");
    let words = format!("solve mine.toml {SMALL} --out run --overwrite");
    let finished = command(folder, &words).output().expect("the binary starts");
    let said = String::from_utf8(finished.stderr).expect("UTF-8");
    assert!(finished.status.success(), "{said}");
    (json(&folder.join("run/result.json")), said)
}

fn rmse(result: &serde_json::Value) -> f64 {
    result["rmse"].as_f64().expect("an error")
}

#[test]
fn coordinates_unknowns_equations_and_conditions_are_enough() {
    let folder = here();
    let text = "coordinates = { x = [0, 1], t = [0, 0.5] }\ntime = 't'\nunknowns = ['u']\n\
         [equations]\nheat = 'u_t - u_xx'\n\
         [[conditions]]\nkind = 'initial'\nvalue = 'sin(pi*x)'\n\
         [[conditions]]\nkind = 'dirichlet'\nat = 'boundary'\nvalue = 0\n";
    let (result, said) = solve(folder.path(), text);
    assert_eq!((said.as_str(), result["problem"].as_str()), ("", Some("mine")));
    fs::write(folder.path().join("p.csv"), "x,t\n0.5,0.1\n").expect("writable");
    let table = super::common::succeed(folder.path(), "predict run --points p.csv");
    let u: f64 = table.trim().rsplit(',').next().and_then(|cell| cell.parse().ok()).expect("a number");
    let exact = (-0.1 * std::f64::consts::PI.powi(2)).exp();
    assert!((u - exact).abs() < 1e-3, "{u} for {exact}");
}

/// Korteweg–de Vries from cos πx, by a pseudo-spectral method with 512 modes and steps of 2·10⁻⁵.
const KDV: &str = "x,t,u\n-1,0.25,-0.7978656047\n-0.75,0.25,-0.4263044072\n-0.5,0.25,0.0047172949\n-0.25,0.25,0.4371336806\n\
    0,0.25,0.8178911809\n0.25,0.25,1.0508708735\n0.5,0.25,-0.2281858898\n0.75,0.25,-0.977788019\n-1,0.5,-0.5852739913\n\
    -0.75,0.5,-0.2990081395\n-0.5,0.5,-0.0437740701\n-0.25,0.5,0.2785210105\n0,0.5,1.0421806117\n0.25,0.5,0.7767173861\n\
    0.5,0.5,-0.5373873266\n0.75,0.5,-0.8340973229\n";

#[test]
fn periodic_is_enough_for_an_equation_of_third_order() {
    let folder = here();
    fs::write(folder.path().join("spectral.csv"), KDV).expect("writable");
    let text = "coordinates = { x = [-1, 1], t = [0, 1] }\ntime = 't'\nunknowns = ['u']\n\
         [equations]\nkdv = 'u_t + u*u_x + 0.0025*u_xxx'\n\
         [[conditions]]\nkind = 'initial'\nvalue = 'cos(pi*x)'\n\
         [[conditions]]\nkind = 'periodic'\nalong = 'x'\n[reference]\nfile = 'spectral.csv'\n";
    let (result, said) = solve(folder.path(), text);
    assert_eq!(said, "");
    assert!(rmse(&result) < 0.03, "{result}");
    // Values alone leave it undetermined: that is said.
    let (result, said) = solve(folder.path(), &text.replace("along = 'x'", "along = 'x'\norders = [0]\nexact = false"));
    assert!(said.contains("warning: the equations are of order 3 along `x`"), "{said}");
    assert!(result["doubts"][0].as_str().is_some_and(|doubt| doubt.contains("order 3 along `x`")), "{result}");
}

#[test]
fn helmholtz_on_an_l_shape_is_solved() {
    let folder = here();
    let text = "coordinates = { x = [-1, 1], y = [-1, 1] }\nunknowns = ['u']\n\
         [geometry]\nminus = { box = { low = [0, 0], high = [1, 1] } }\n\
         [definitions]\nwanted = 'sin(pi*x)*sin(2*pi*y)'\n\
         [equations]\nhelmholtz = 'u_xx + u_yy + u + (5*pi^2 - 1)*wanted'\n\
         [[conditions]]\nkind = 'dirichlet'\nat = 'boundary'\nvalue = 'wanted'\n[reference]\nu = 'wanted'\n";
    let (result, said) = solve(folder.path(), text);
    assert!(said.is_empty() && rmse(&result) < 1e-3, "{said}{result}");
}

#[test]
fn a_cavity_says_how_to_pin_its_pressure() {
    let folder = here();
    let text = "coordinates = { x = [0, 1], y = [0, 1] }\nunknowns = ['u', 'v', 'p']\nconstants = { nu = 0.01 }\n\
         [equations]\nmass = 'u_x + v_y'\n\
         momentum_x = 'u*u_x + v*u_y + p_x - nu*(u_xx + u_yy)'\n\
         momentum_y = 'u*v_x + v*v_y + p_y - nu*(v_xx + v_yy)'\n\
         [[conditions]]\nkind = 'dirichlet'\nat = 'y = 1'\nvalue = { u = '16*x^2*(1 - x)^2', v = 0 }\n\
         [[conditions]]\nkind = 'dirichlet'\nat = ['x = 0', 'x = 1', 'y = 0']\nvalue = { u = 0, v = 0 }\n";
    let (_, said) = solve(folder.path(), text);
    let pin = said.split_once("e.g. with ").expect("an example").1.trim();
    // What the message says can be copied.
    let (result, said) = solve(
        folder.path(),
        &format!("{text}[[conditions]]\n{}\n", pin.replace(", columns", "\ncolumns").replace(", rows", "\nrows")),
    );
    assert_eq!(said, "");
    assert!(result["unweighted_loss"].as_f64().is_some_and(|loss| loss < 1e-3), "{result}");
    let svg = fs::read_to_string(folder.path().join("run/fields.svg")).expect("a picture");
    assert!(svg.contains("speed"), "the flow is drawn");
}

#[test]
fn a_diffusivity_is_found_from_noisy_readings() {
    let folder = here();
    super::common::succeed(folder.path(), "new mine --like inverse");
    let text = fs::read_to_string(folder.path().join("mine.toml")).expect("a file");
    let (result, said) = solve(folder.path(), &text);
    let found = result["trained"]["D"]["value"].as_f64().expect("a number");
    assert!(said.is_empty() && (found - 0.1).abs() < 0.005, "{said}{found}");
}
