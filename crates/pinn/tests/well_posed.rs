//! What a problem's conditions are held against before training: complete problems raise no doubt, broken ones the right one.

use ropinn::problem::Problem;
use std::path::Path;

fn doubts(text: &str) -> Vec<String> {
    let problem = Problem::from_toml(&format!("name = 'p'\n{text}"), Path::new("p.toml"));
    problem.unwrap_or_else(|error| panic!("{error}\n{text}")).doubts().iter().map(ToString::to_string).collect()
}

/// Coordinates x and t, the last one time.
fn evolution(equation: &str, conditions: &str) -> String {
    format!(
        "coordinates = {{ x = [0, 1], t = [0, 2] }}\ntime = 't'\nunknowns = ['u']\n\
         equations = {{ own = '{equation}' }}\nconditions = [{conditions}]"
    )
}

/// The unit square.
fn steady(equation: &str, conditions: &str) -> String {
    format!(
        "coordinates = {{ x = [0, 1], y = [0, 1] }}\nunknowns = ['u']\n\
         equations = {{ own = '{equation}' }}\nconditions = [{conditions}]"
    )
}

/// One coordinate.
fn ordinary(unknowns: &str, equations: &str, conditions: &str) -> String {
    format!(
        "coordinates = {{ t = [0, 1] }}\nunknowns = [{unknowns}]\nequations = {{ {equations} }}\n\
         conditions = [{conditions}]"
    )
}

fn cavity(more: &str) -> String {
    format!(
        "coordinates = {{ x = [0, 1], y = [0, 1] }}\nunknowns = ['u', 'v', 'p']\n\
         [equations]\nalong = 'u*u_x + v*u_y + p_x - 0.01*(u_xx + u_yy)'\n\
         across = 'u*v_x + v*v_y + p_y - 0.01*(v_xx + v_yy)'\nmass = 'u_x + v_y'\n\
         [[conditions]]\nkind = 'dirichlet'\nat = 'y = 1'\nvalue = {{ u = 1, v = 0 }}\n\
         [[conditions]]\nkind = 'dirichlet'\nat = ['x = 0', 'x = 1', 'y = 0']\nvalue = {{ u = 0, v = 0 }}\n{more}"
    )
}

const UNSTEADY: &str = "coordinates = { x = [0, 1], y = [0, 1], t = [0, 1] }\ntime = 't'\nunknowns = ['u', 'v', 'p']\n\
    equations = { a = 'u_t + p_x - u_xx - u_yy', b = 'v_t + p_y - v_xx - v_yy', c = 'u_x + v_y' }\n\
    conditions = [{ kind = 'initial', value = { u = 0, v = 0 } },\
    { kind = 'dirichlet', at = 'y = 1', value = { u = 1, v = 0 } },\
    { kind = 'dirichlet', at = ['x = 0', 'x = 1', 'y = 0'], value = { u = 0, v = 0 } },\
    { kind = 'data', columns = ['x', 'y', 't', 'p'], rows = [[0, 0, 0, 0]] }]";
const PIN: &str = "[[conditions]]\nkind = 'data'\ncolumns = ['x', 'y', 'p']\nrows = [[0, 0, 0]]\n";
const INITIAL: &str = "{ kind = 'initial', value = 'sin(pi*x)' }";
const VELOCITY: &str = "{ kind = 'initial', derivative = 't', value = 0 }";
const ENDS: &str = "{ kind = 'dirichlet', at = 'boundary', value = 0 }";
const LEFT: &str = "{ kind = 'dirichlet', at = 'x = 0', value = 0 }";
const PERIODIC: &str = "{ kind = 'periodic', along = 'x' }";

fn all(conditions: &[&str]) -> String {
    conditions.join(", ")
}

#[test]
fn only_the_built_in_problems_that_lack_conditions_are_doubted() {
    // As they were published: values alone are periodic, an outlet has nothing but a pressure, a wave no first velocity, a reaction
    // no boundary.
    const PUBLISHED: [&str; 5] = ["burgers-2d", "ns-2d-cg", "ns-2d-lt", "wave-2d-ms", "gray-scott"];
    for name in Problem::builtin_names() {
        let said: Vec<String> = Problem::builtin(name).unwrap().doubts().iter().map(ToString::to_string).collect();
        if name == "kuramoto-sivashinsky" {
            let [said] = &said[..] else { panic!("{said:?}") };
            assert!(said.starts_with("the equations are of order 4 along `x`"), "{said}");
            assert!(said.contains("on `u` at the ends x = 0 and x = 6.283185307179586, and none is given"), "{said}");
        } else {
            assert_eq!(said.is_empty(), !PUBLISHED.contains(&name), "{name}: {said:?}");
        }
    }
}

#[test]
fn the_files_to_begin_with_raise_no_doubt() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/templates");
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 4);
    for path in files {
        assert_eq!(Problem::load(&path).unwrap().doubts(), [], "{}", path.display());
    }
}

#[test]
fn complete_problems_raise_no_doubt() {
    let l_shape = "coordinates = { x = [0, 2], y = [0, 2] }\nunknowns = ['u']\n\
                   equations = { own = 'u_xx + u_yy + 4*u - sin(x)' }\n";
    let holes = "coordinates = { x = [-1, 1], y = [-1, 1] }\nunknowns = ['u']\nequations = { own = 'u_xx + u_yy' }\n\
                 geometry = { minus = [{ disk = { center = [0, 0], radius = 0.3 } }] }\n";
    let disk = "coordinates = { x = [-1, 1], y = [-1, 1] }\nunknowns = ['u']\nequations = { own = 'u_xx + u_yy - 1' }\n\
                geometry = { shape = { disk = { center = [0, 0], radius = 1 } } }\n";
    let complete = [
        ("heat", evolution("u_t - u_xx", &all(&[INITIAL, ENDS]))),
        ("heat between insulated ends", evolution("u_t - u_xx", "{ kind = 'initial', value = 'x' }, { kind = 'neumann', at = 'boundary', value = 0 }")),
        ("heat on a ring", evolution("u_t - u_xx", &all(&["{ kind = 'initial', value = 'sin(2*pi*x)' }", PERIODIC]))),
        ("heat with exact conditions", evolution("u_t - u_xx", "{ kind = 'initial', value = 'sin(pi*x)', exact = true }, { kind = 'dirichlet', at = 'boundary', value = 0, exact = true }")),
        ("heat given at the end", evolution("u_t + u_xx", &all(&["{ kind = 'dirichlet', at = 'final', value = 'sin(pi*x)' }", ENDS]))),
        ("heat, a pulse that almost fits", evolution("u_t - u_xx", &all(&["{ kind = 'initial', value = 'exp(-(x - 0.5)^2/0.02)' }", ENDS]))),
        ("wave", evolution("u_tt - u_xx", &all(&[INITIAL, VELOCITY, ENDS]))),
        ("wave, exact", evolution("u_tt - u_xx", "{ kind = 'initial', value = 'sin(pi*x)', exact = true }, { kind = 'initial', derivative = 't', value = 0, exact = true }, { kind = 'dirichlet', at = 'boundary', value = 0 }")),
        ("wave, periodic in time", evolution("u_tt - u_xx - sin(pi*t)", &all(&["{ kind = 'periodic', along = 't' }", ENDS]))),
        ("Burgers", evolution("u_t + u*u_x - 0.01*u_xx", &all(&[INITIAL, ENDS]))),
        ("KdV, periodic by construction", evolution("u_t + u*u_x + 0.0025*u_xxx", &all(&["{ kind = 'initial', value = 'cos(2*pi*x)' }", PERIODIC]))),
        ("KdV, periodic in the loss", evolution("u_t + u*u_x + 0.0025*u_xxx", "{ kind = 'initial', value = 'cos(2*pi*x)' }, { kind = 'periodic', along = 'x', orders = [0, 1, 2] }")),
        ("KdV between ends", evolution("u_t + u*u_x + u_xxx", &all(&[INITIAL, ENDS, "{ kind = 'operator', at = 'x = 1', residual = 'u_x' }"]))),
        ("Kuramoto-Sivashinsky", evolution("u_t + u*u_x + u_xx + u_xxxx", &all(&["{ kind = 'initial', value = 'cos(2*pi*x)' }", PERIODIC]))),
        ("advection with its inflow", evolution("u_t + u_x", &all(&[INITIAL, LEFT]))),
        ("advection with both ends of a known solution", evolution("u_t + u_x", "{ kind = 'initial', value = 'sin(pi*x)' }, { kind = 'dirichlet', at = 'boundary', value = 'sin(pi*(x - t))' }")),
        ("reaction at every place", evolution("u_t - u*(1 - u)", "{ kind = 'initial', value = 'x' }")),
        ("beam that vibrates", evolution("u_tt + u_xxxx", &all(&[INITIAL, VELOCITY, ENDS, "{ kind = 'operator', at = 'boundary', residual = 'u_xx' }"]))),
        ("cylinder in polar coordinates", evolution("u_t - u_xx - u_x/x", "{ kind = 'initial', value = '1 - x^2' }, { kind = 'dirichlet', at = 'x = 1', value = 0 }")),
        ("Poisson, Dirichlet", steady("u_xx + u_yy - 1", ENDS)),
        ("Poisson, Robin", steady("u_xx + u_yy - 1", "{ kind = 'robin', at = 'boundary', flux = '1 - u' }")),
        ("Poisson, mixed", steady("u_xx + u_yy - 1", "{ kind = 'dirichlet', at = ['x = 0', 'x = 1'], value = 'y' }, { kind = 'neumann', at = ['y = 0', 'y = 1'], value = 0 }")),
        ("Poisson, fluxes and a pin", steady("u_xx + u_yy", "{ kind = 'neumann', at = 'boundary', value = 0 }, { kind = 'data', columns = ['x', 'y', 'u'], rows = [[0, 0, 1]] }")),
        ("Helmholtz with fluxes", steady("u_xx + u_yy + u", "{ kind = 'neumann', at = 'boundary', value = 1 }")),
        ("hot plate, constants that jump", steady("u_xx + u_yy", "{ kind = 'dirichlet', at = 'y = 1', value = 100 }, { kind = 'dirichlet', at = ['x = 0', 'x = 1', 'y = 0'], value = 0 }")),
        ("periodic in two axes", steady("u_xx + u_yy - u - sin(2*pi*x)", "{ kind = 'periodic', along = 'x' }, { kind = 'periodic', along = 'y' }")),
        ("biharmonic", steady("u_xxxx + 2*u_xxyy + u_yyyy - 1", &all(&[ENDS, "{ kind = 'neumann', at = 'boundary', value = 0 }"]))),
        ("time under another name", steady("u_y - u_xx", "{ kind = 'dirichlet', at = 'y = 0', value = 'sin(pi*x)' }, { kind = 'dirichlet', at = ['x = 0', 'x = 1'], value = 0 }")),
        ("wave, time under another name", steady("u_yy - u_xx", "{ kind = 'dirichlet', at = 'y = 0', value = 'sin(pi*x)' }, { kind = 'operator', at = 'y = 0', residual = 'u_y' }, { kind = 'dirichlet', at = ['x = 0', 'x = 1'], value = 0 }")),
        ("Helmholtz on an L-shape", format!("{l_shape}geometry = {{ minus = [{{ box = {{ low = [1, 1], high = [2, 2] }} }}] }}\nconditions = [{{ kind = 'dirichlet', at = 'boundary', value = 0 }}]")),
        ("the same from two boxes, side by side", format!("{l_shape}geometry = {{ shape = {{ box = {{ low = [0, 0], high = [2, 1] }} }}, union = [{{ box = {{ low = [0, 1], high = [1, 2] }} }}] }}\nconditions = [{{ kind = 'dirichlet', at = ['x = 0', 'x = 1', 'x = 2', 'y = 0', 'y = 1', 'y = 2'], value = 0 }}]")),
        ("around a hole", format!("{holes}conditions = [{{ kind = 'dirichlet', at = 'outer', value = 1 }}, {{ kind = 'neumann', at = 'hole 1', value = 0 }}]")),
        ("disc", format!("{disk}conditions = [{{ kind = 'dirichlet', at = 'boundary', value = 0 }}]")),
        ("disc, exact", format!("{disk}conditions = [{{ kind = 'dirichlet', at = 'boundary', value = 0, exact = true }}]")),
        ("cavity with a pressure", cavity(PIN)),
        ("decay", ordinary("'u'", "own = 'u_t + u'", "{ kind = 'initial', value = 1 }")),
        ("pendulum", ordinary("'u'", "own = 'u_tt + sin(u)'", "{ kind = 'initial', value = 1 }, { kind = 'initial', derivative = 't', value = 0 }")),
        ("Lotka-Volterra", ordinary("'a', 'b'", "a = 'a_t - a + a*b', b = 'b_t + b - a*b'", "{ kind = 'initial', value = { a = 1, b = 2 } }")),
        ("beam", ordinary("'u'", "own = 'u_tttt - 1'", "{ kind = 'dirichlet', at = 'boundary', value = 0 }, { kind = 'operator', at = 'boundary', residual = 'u_t' }")),
        ("beam as a system", ordinary("'w', 's', 'm', 'q'", "a = 'w_t - s', b = 's_t - m', c = 'm_t - q', d = 'q_t - 1'", "{ kind = 'dirichlet', at = 'boundary', value = { w = 0, s = 0 } }")),
        ("pendulum with a constraint", ordinary("'u', 'v', 'e'", "a = 'u_t - v', b = 'v_t + u', c = 'e - u^2 - v^2'", "{ kind = 'initial', value = { u = 1, v = 0 } }")),
        ("eigenvalue", format!("trainable = {{ k = 9 }}\n{}", ordinary("'u'", "own = 'u_tt + k*u'", "{ kind = 'dirichlet', at = 'boundary', value = 0 }, { kind = 'initial', derivative = 't', value = 1 }"))),
        ("Schroedinger", "coordinates = { x = [-5, 5], t = [0, 1] }\ntime = 't'\nunknowns = ['u', 'v']\n\
            equations = { a = 'u_t + v_xx/2 + (u^2 + v^2)*v', b = 'v_t - u_xx/2 - (u^2 + v^2)*u' }\n\
            conditions = [{ kind = 'initial', value = { u = '2/cosh(x)', v = 0 } }, { kind = 'periodic', along = 'x', orders = [0, 1] }]".to_owned()),
        ("acoustics", "coordinates = { x = [0, 1], t = [0, 1] }\ntime = 't'\nunknowns = ['p', 'v']\n\
            equations = { a = 'p_t + v_x', b = 'v_t + p_x' }\n\
            conditions = [{ kind = 'initial', value = { p = 'sin(pi*x)', v = 0 } }, { kind = 'dirichlet', at = 'boundary', unknown = 'p', value = 0 }]".to_owned()),
        ("channel, unsteady", "coordinates = { x = [0, 2], y = [0, 1], t = [0, 1] }\ntime = 't'\nunknowns = ['u', 'v', 'p']\n\
            equations = { a = 'u_t + u*u_x + v*u_y + p_x - u_xx - u_yy', b = 'v_t + u*v_x + v*v_y + p_y - v_xx - v_yy', c = 'u_x + v_y' }\n\
            conditions = [{ kind = 'initial', value = { u = '4*y*(1 - y)', v = 0 } },\
            { kind = 'dirichlet', at = 'x = 0', value = { u = '4*y*(1 - y)', v = 0 } },\
            { kind = 'dirichlet', at = ['y = 0', 'y = 1'], value = { u = 0, v = 0 } },\
            { kind = 'operator', at = 'x = 2', residual = ['u_x', 'v_x', 'p'] }]".to_owned()),
        ("inverse heat", format!("trainable = {{ k = 1 }}\n{}", evolution("u_t - k*u_xx", "{ kind = 'data', columns = ['x', 't', 'u'], rows = [[0.2, 0.1, 1], [0.4, 0.1, 2], [0.6, 0.3, 1]] }"))),
        ("an unknown coefficient", "coordinates = { x = [0, 1] }\nunknowns = ['u', 'k']\nequations = { own = 'k*u_xx + k_x*u_x - 1' }\n\
            conditions = [{ kind = 'data', columns = ['x', 'u'], rows = [[0, 0], [0.5, 1], [1, 0]] }]".to_owned()),
        ("the equation and its derivative", evolution("u_t - u_xx", &all(&[INITIAL, ENDS])).replace("equations = {", "equations = { more = 'u_tt - u_xxt',")),
    ];
    let more = [
        ("sources of rays", steady("u_x^2 + u_y^2 - 1", "{ kind = 'data', columns = ['x', 'y', 'u'], rows = [[0.5, 0.5, 0]] }")),
        ("a lid that begins to move", UNSTEADY.to_owned()),
        ("rotation of a disc", "coordinates = { x = [-1, 1], y = [-1, 1], t = [0, 1] }\ntime = 't'\nunknowns = ['u']\n\
            equations = { own = 'u_t - y*u_x + x*u_y' }\ngeometry = { shape = { disk = { center = [0, 0], radius = 1 } } }\n\
            conditions = [{ kind = 'initial', value = 'x' }]".to_owned()),
        ("Poisson as a system", "coordinates = { x = [0, 1], y = [0, 1] }\nunknowns = ['u', 'a', 'b']\n\
            equations = { one = 'a - u_x', two = 'b - u_y', three = 'a_x + b_y - 1' }\n\
            conditions = [{ kind = 'dirichlet', at = 'boundary', unknown = 'u', value = 0 }]".to_owned()),
        ("vorticity and stream function", "coordinates = { x = [0, 1], y = [0, 1] }\nunknowns = ['w', 's']\n\
            equations = { one = 's_y*w_x - s_x*w_y - w_xx - w_yy', two = 's_xx + s_yy + w' }\n\
            conditions = [{ kind = 'dirichlet', at = 'boundary', unknown = 's', value = 0 }, { kind = 'neumann', at = 'boundary', unknown = 's', value = 0 }]".to_owned()),
        ("elastic plate pulled at one side", "coordinates = { x = [0, 1], y = [0, 1] }\nunknowns = ['u', 'v']\n\
            equations = { one = '3*u_xx + u_yy + 2*v_xy', two = 'v_xx + 3*v_yy + 2*u_xy' }\n\
            conditions = [{ kind = 'dirichlet', at = 'x = 0', value = { u = 0, v = 0 } }, { kind = 'operator', at = 'x = 1', residual = ['3*u_x + v_y - 1', 'u_y + v_x'] },\
            { kind = 'operator', at = ['y = 0', 'y = 1'], residual = ['u_x + 3*v_y', 'u_y + v_x'] }]".to_owned()),
        ("option price, worth nothing at nothing", evolution("u_t + 0.1*x^2*u_xx + 0.05*x*u_x - 0.05*u", "{ kind = 'dirichlet', at = 'final', value = 'max(x - 0.5, 0)' }, { kind = 'dirichlet', at = 'x = 1', value = 0.5 }")),
        ("sine-Gordon between rays", steady("u_xy - sin(u)", "{ kind = 'dirichlet', at = ['x = 0', 'y = 0'], value = 'x + y' }")),
        ("a parameter as a coordinate", steady("u_xx - y", "{ kind = 'dirichlet', at = ['x = 0', 'x = 1'], value = 0 }")),
        ("polygon by its edges", "coordinates = { x = [0, 1], y = [0, 1] }\nunknowns = ['u']\nequations = { own = 'u_xx + u_yy' }\n\
            geometry = { shape = { polygon = [[0, 0], [1, 0], [0, 1]] } }\n\
            conditions = [{ kind = 'dirichlet', at = ['edge 1', 'edge 2'], value = 0 }, { kind = 'neumann', at = 'edge 3', value = 1 }]".to_owned()),
    ];
    let complete: Vec<(&str, String)> = complete.into_iter().chain(more).collect();
    assert!(complete.len() >= 20);
    let alarms =
        complete.iter().filter_map(|(name, text)| Some((*name, doubts(text))).filter(|(_, said)| !said.is_empty()));
    assert_eq!(alarms.collect::<Vec<_>>(), []);
}

#[test]
fn broken_problems_are_doubted_for_the_right_reason() {
    let heat = |conditions: &[&str]| evolution("u_t - u_xx", &all(conditions));
    let l_shape = "coordinates = { x = [0, 2], y = [0, 2] }\nunknowns = ['u']\nequations = { own = 'u_xx + u_yy + u' }\n\
                   geometry = { minus = [{ box = { low = [1, 1], high = [2, 2] } }] }\n";
    let holes = "coordinates = { x = [-1, 1], y = [-1, 1] }\nunknowns = ['u']\nequations = { own = 'u_xx + u_yy' }\n\
                 geometry = { minus = [{ disk = { center = [0, 0], radius = 0.3 } }] }\n";
    let broken = [
        (evolution("u_t - u_xx", ""), "no condition at all"),
        (heat(&[ENDS]), "order 1 along `t`, so they need 1 condition on `u` at an instant, and none is given"),
        (
            heat(&[INITIAL]),
            "order 2 along `x`, so they need 2 conditions on `u` at the ends x = 0 and x = 1, and none is given",
        ),
        (
            heat(&[INITIAL, LEFT]),
            "order 2 along `x`, so they need 2 conditions on `u` at the ends x = 0 and x = 1, and only 1 is given",
        ),
        (
            heat(&[INITIAL, LEFT, "{ kind = 'operator', at = 'x = 0', residual = 'u_x' }"]),
            "no condition is given at x = 1, where the equations need 1 condition on `u`",
        ),
        (evolution("u_tt - u_xx", &all(&[INITIAL, ENDS])), "add one with kind = \"initial\", derivative = \"t\""),
        (
            evolution("u_tt - u_xx", &all(&[VELOCITY, INITIAL])),
            "2 conditions on `u` at the ends x = 0 and x = 1, and none is given",
        ),
        (
            evolution(
                "u_t + u*u_x + 0.0025*u_xxx",
                "{ kind = 'initial', value = 'cos(2*pi*x)' }, { kind = 'periodic', along = 'x', orders = [0] }",
            ),
            "order 3 along `x`, so they need 3 conditions on `u` at the ends x = 0 and x = 1, and only 1 is given",
        ),
        (
            evolution(
                "u_t + u*u_x + 0.0025*u_xxx",
                "{ kind = 'initial', value = 'cos(2*pi*x)' }, { kind = 'periodic', along = 'x', orders = [0, 1] }",
            ),
            "leave out `orders`",
        ),
        (evolution("u_t + u*u_x + u_xx + u_xxxx", &all(&[INITIAL, ENDS])), "order 4 along `x`"),
        (evolution("u_tt + u_xxxx", &all(&[INITIAL, VELOCITY, ENDS])), "order 4 along `x`"),
        (evolution("u_t + u_x", INITIAL), "order 1 along `x`"),
        (
            evolution("u_t - u_xx", &all(&[INITIAL, ENDS, "{ kind = 'initial', derivative = 't', value = 0 }"])),
            "`u` has 2 conditions along `t` (`initial`, `initial d/dt`), and the equations are of order 1",
        ),
        (
            heat(&[INITIAL, ENDS, "{ kind = 'operator', at = 'x = 0', residual = 'u_x - 1' }"]),
            "`u` has 3 conditions along `x`",
        ),
        (evolution("u_t - u*(1 - u)", &all(&[INITIAL, ENDS])), "no equation has a derivative along `x`"),
        (heat(&[INITIAL, ENDS, LEFT]), "say the same about `u` at x = 0; keep one of them"),
        (heat(&[INITIAL, INITIAL, ENDS]), "`initial` and `initial (2)` say the same about `u` at the first instant"),
        (heat(&[INITIAL, ENDS, "{ kind = 'dirichlet', at = 'x = 1', value = 1 }"]), "at x = 1, t = "),
        (
            heat(&["{ kind = 'initial', value = 'cos(pi*x)' }", ENDS]),
            "`initial` says u = -1, and `dirichlet boundary` says u = 0: no continuous function has both",
        ),
        (heat(&["{ kind = 'initial', value = 1 }", ENDS]), "`initial` says u = 1, and `dirichlet boundary` says u = 0"),
        (
            steady(
                "u_xx + u_yy",
                "{ kind = 'dirichlet', at = ['x = 0', 'x = 1'], value = 'y' }, { kind = 'dirichlet', at = ['y = 0', 'y = 1'], value = 0 }",
            ),
            "`dirichlet x = 0, x = 1` says u = 1, and `dirichlet y = 0, y = 1` says u = 0",
        ),
        (
            steady("u_xx + u_yy", "{ kind = 'neumann', at = 'boundary', value = 0 }"),
            "`u` occurs only through its derivatives, so it is known only up to a constant",
        ),
        (
            steady(
                "u_xx + u_yy - sin(2*pi*x)",
                "{ kind = 'periodic', along = 'x' }, { kind = 'periodic', along = 'y', orders = [0, 1] }",
            ),
            "known only up to a constant",
        ),
        (
            steady("u_xx + u_yy", "{ kind = 'dirichlet', at = ['x = 0', 'x = 1', 'y = 0'], value = 0 }"),
            "order 2 along `y`",
        ),
        (
            steady(
                "u_xx + u_yy",
                "{ kind = 'dirichlet', at = ['x = 0', 'x = 1', 'y = 0'], value = 0 }, { kind = 'operator', at = 'y = 0', residual = 'u_y - 1' }",
            ),
            "no condition is given at y = 1",
        ),
        (steady("u_xxxx + 2*u_xxyy + u_yyyy - 1", ENDS), "order 4 along `x`"),
        (
            cavity(""),
            "`p` occurs only through its derivatives, so it is known only up to a constant; fix it at one point, e.g. with kind = \"data\", columns = [\"x\", \"y\", \"p\"], rows = [[0, 0, 0]]",
        ),
        (cavity(PIN).replace("'x = 0', 'x = 1', 'y = 0'", "'x = 0', 'x = 1'"), "order 4 along `y`"),
        (
            format!("{l_shape}conditions = [{{ kind = 'data', columns = ['x', 'y', 'u'], rows = [[0, 0, 1]] }}]"),
            "no condition is given at boundary",
        ),
        (
            format!("{l_shape}conditions = [{{ kind = 'dirichlet', at = 'outer', value = 0 }}]"),
            "no condition is given at x = 1",
        ),
        (
            format!("{holes}conditions = [{{ kind = 'dirichlet', at = 'outer', value = 0 }}]"),
            "no condition is given at hole 1, where the equations need 1 condition on `u`",
        ),
        (ordinary("'u'", "own = 'u_tt + u'", "{ kind = 'initial', value = 1 }"), "order 2 along `t`"),
        (
            ordinary(
                "'a', 'b'",
                "a = 'a_t - a + a*b', b = 'b_t + b - a*b'",
                "{ kind = 'initial', unknown = 'a', value = 1 }",
            ),
            "on `b` at the ends t = 0 and t = 1, and only 1 is given",
        ),
        (
            ordinary("'a', 'b'", "own = 'a_t - a'", "{ kind = 'initial', value = { a = 1, b = 1 } }"),
            "no equation involves `b`",
        ),
        (
            ordinary("'a', 'b'", "own = 'a_t - b'", "{ kind = 'initial', value = { a = 1, b = 1 } }"),
            "determine at most 1 of the unknowns `a`, `b`",
        ),
        (
            ordinary(
                "'a', 'b', 'c'",
                "a = 'a_t - b - c', b = 'a_t - a', c = 'a_tt - a'",
                "{ kind = 'initial', value = { a = 1, b = 1, c = 1 } }",
            ),
            "determine at most 2 of the unknowns",
        ),
        (
            format!("trainable = {{ k = 1 }}\n{}", heat(&[INITIAL, ENDS])),
            "`k` is to be trained, but no equation and no condition involves it",
        ),
    ];
    let at_rest = "{ kind = 'initial', value = { u = 0, v = 0 } },";
    assert!(UNSTEADY.contains(at_rest));
    let more = [(UNSTEADY.replace(at_rest, ""), "order 1 along `t`")];
    let broken: Vec<(String, &str)> = broken.into_iter().chain(more).collect();
    assert!(broken.len() >= 20);
    let missed = broken.iter().filter_map(|(text, phrase)| {
        let said = doubts(text);
        (!said.iter().any(|doubt| doubt.contains(phrase))).then_some((*phrase, said))
    });
    assert_eq!(missed.collect::<Vec<_>>(), []);
}
