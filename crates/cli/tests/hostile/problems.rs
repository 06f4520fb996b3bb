//! Problem files.

use super::{TINY, attack, here, refused, write};

/// A sound problem; attacks replace its equation or add to it.
fn heat(equation: &str, more: &str) -> String {
    format!(
        "name = \"heat\"\ncoordinates = {{ x = [0, 1], t = [0, 1] }}\ntime = \"t\"\nunknowns = [\"u\"]\n{more}\n\
         [equations]\nheat = \"{equation}\"\n[[conditions]]\nkind = \"initial\"\nvalue = \"x\"\n\
         [points]\ninterior = {{ layout = \"grid\", counts = [5, 5] }}\n"
    )
}

#[test]
fn equations_that_mean_nothing_are_refused() {
    let (_outside, folder) = here();
    for (equation, complaint) in [
        ("u_t - u_xx + u*(0/0)", "equation `heat` is never a number"),
        ("u_t - u_xx/0", "equation `heat` is never a number"),
        ("u_t - log(-1)*u_xx", "equation `heat` is never a number"),
        ("x", "contains no unknown"),
        ("u_t - gamma(u)", "unknown function `gamma`"),
        ("u_t - gamma(u)", "the functions are: sin, cos, tan, exp, log, sqrt"),
        ("", "the expression is empty"),
        ("u_t = u_xx", "`=` is not an operator"),
        ("u_xxxxx", "derivative of order 5"),
        ("at(u, 1) - u", "only periodic conditions have pairs of points"),
        ("u_t - 1e999*u", "too large"),
        ("u_t \u{202e}- u", "unexpected character"),
    ] {
        write(&folder, "p.toml", heat(equation, ""));
        refused(&folder, &format!("solve p.toml {TINY}"), complaint);
    }
}

#[test]
fn long_deep_and_many() {
    let (_outside, folder) = here();
    let chain = |link: &str| {
        let links = (1..30_000).map(|k| format!("a{k} = \"{}\"\n", link.replace('@', &format!("a{}", k - 1))));
        format!("[definitions]\na0 = \"u\"\n{}", links.collect::<String>())
    };
    // Definitions of definitions: as deep as anybody likes.
    for link in ["sin(@)", "@*@ + 1", "where(@ < x, u, @/2)", "max(@, x)*u", "(1 + @)^-1"] {
        write(&folder, "p.toml", heat("u_t - a29999", &chain(link)));
        let finished = attack(&folder, &format!("solve p.toml {TINY} --overwrite"));
        assert!(matches!(finished.code, Some(0 | 1)), "{link}: {}", finished.stderr);
    }
    for (equation, complaint) in [
        (format!("u_t - {}u{}", "(".repeat(5_000), ")".repeat(5_000)), "nested deeper than 200 levels"),
        (format!("u_t - {}u", "-".repeat(5_000)), ""),
        (format!("u_t + {}u", "u*".repeat(50_000)), ""),
        (format!("u_t + {}", "sin(".repeat(5_000)), "nested deeper than 200 levels"),
        (format!("u_{}", "x".repeat(100_000)), "derivative of order 100000"),
        (format!("{}_x", "v".repeat(100_000)), "unknown symbol `vvvv"),
        ("u".repeat(1_000_001), "the limit is 1000000"),
    ] {
        write(&folder, "p.toml", heat(&equation, ""));
        let finished = attack(&folder, &format!("solve p.toml {TINY} --overwrite"));
        assert!(finished.stderr.contains(complaint), "lacks `{complaint}`: {}", finished.stderr);
    }
}

#[test]
fn many_conditions_and_many_corners_are_read() {
    let (_outside, folder) = here();
    let conditions =
        (0..10_000).map(|k| format!("[[conditions]]\nkind = \"dirichlet\"\nat = \"x = 0\"\nvalue = {k}\n"));
    write(&folder, "p.toml", format!("{}{}", heat("u_t - u_xx", ""), conditions.collect::<String>()));
    assert_eq!(attack(&folder, "show p.toml").code, Some(0));
    let corner = |k: u32| {
        let angle = f64::from(k) * std::f64::consts::TAU / 20_000.0;
        format!("[{}, {}]", angle.cos(), angle.sin())
    };
    let corners: Vec<String> = (0..20_000).map(corner).collect();
    let disk = |corners: &str| {
        format!(
            "name = \"disk\"\ncoordinates = {{ x = [-1, 1], y = [-1, 1] }}\nunknowns = [\"u\"]\n\
             geometry = {{ shape = {{ polygon = [{corners}] }} }}\nequations = {{ laplace = \"u_xx + u_yy\" }}\n\
             conditions = [{{ kind = \"dirichlet\", at = \"boundary\", value = 1 }}]\n\
             [points]\ninterior = {{ layout = \"sobol\", count = 64 }}\nboundary = {{ layout = \"sobol\", count = 64 }}\n"
        )
    };
    write(&folder, "disk.toml", disk(&corners.join(", ")));
    let finished = attack(&folder, &format!("solve disk.toml {TINY}"));
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let mut crossed = corners;
    crossed.swap(7, 15_000);
    write(&folder, "disk.toml", disk(&crossed.join(", ")));
    refused(&folder, &format!("solve disk.toml {TINY} --overwrite"), "the geometry is not possible");
}

#[test]
fn statements_that_cannot_be_are_refused() {
    let (_outside, folder) = here();
    let sound = heat("u_t - u_xx", "");
    for (from, to, complaint) in [
        ("x = [0, 1]", "x = [1, 0]", "the first number must be the smaller one"),
        ("x = [0, 1]", "x = [0, inf]", "finite number"),
        ("x = [0, 1]", "x = [0, nan]", "finite number"),
        ("x = [0, 1], ", "", "`xx` is not a coordinate"),
        ("[\"u\"]", "[]", "unknowns"),
        ("[\"u\"]", "[\"x\"]", "already declared"),
        ("[\"u\"]", "[\"d\"]", "d(u, x) is the derivative"),
        ("counts = [5, 5]", "counts = [5]", "1 numbers where 2 are needed"),
        ("counts = [5, 5]", "counts = [1000000, 1000000]", "the limit is"),
        ("counts = [5, 5]", "counts = [99999999999999999999, 5]", "a whole number above zero"),
        ("counts = [5, 5]", "counts = [-5, 5]", "a whole number above zero"),
        ("layout = \"grid\", counts = [5, 5]", "layout = \"sobol\", count = 9223372036854775807", "the limit is"),
        ("value = \"x\"", "value = \"u\"", "contains an unknown"),
        ("value = \"x\"", "value = \"1/0\"", "is never a number"),
        ("value = \"x\"", "value = \"x\"\nweight = -1", "must be zero or more"),
        ("value = \"x\"", "value = \"x\"\nweight = nan", "finite number"),
        ("kind = \"initial\"", "kind = \"data\"\nfile = \"/etc/passwd\"", "not in the folder of the problem file"),
        ("kind = \"initial\"", "kind = \"data\"\nfile = \"../secret.csv\"", "not in the folder of the problem file"),
        ("kind = \"initial\"", "kind = \"data\"\nfile = \"/dev/zero\"", "not in the folder of the problem file"),
        ("name = \"heat\"", "name = 7", "a text"),
        (
            "name = \"heat\"",
            "name = \"\\u001b[2Jheat\"",
            "must be a text without control characters, found the text \"\\u{1b}[2Jheat\"",
        ),
        ("name = \"heat\"", "name = \"heat\"\ntitle = \"\\u0007\"", "without control characters"),
        ("name = \"heat\"", "nam = \"heat\"", "did you mean `name`"),
    ] {
        assert!(sound.contains(from), "{from}");
        let mut text = sound.replacen(from, to, 1);
        if to.contains("file") {
            text = text.replace("\nvalue = \"x\"", "");
        }
        write(&folder, "p.toml", text);
        refused(&folder, &format!("solve p.toml {TINY}"), complaint);
    }
    assert!(!folder.join("runs").exists(), "something was left behind");
}

#[test]
fn files_that_are_no_problems_are_refused() {
    let (_outside, folder) = here();
    let nested = format!("a = {}1{}", "[".repeat(100_000), "]".repeat(100_000));
    for (content, complaint) in [
        (b"".to_vec(), "needs `coordinates`"),
        (b"\xff\xfe\x00".to_vec(), "not UTF-8"),
        (vec![0; 4096], ""),
        (b"name = ".to_vec(), "p.toml:1:"),
        (vec![b'#'; 5 << 20], "larger than"),
        (nested.into_bytes(), "p.toml:1:"),
        (b"[problem]\nname = 'heat'\nsource = 7\n".to_vec(), ""),
        (b"[problem]\nname = '../secret.toml'\n".to_vec(), "leads out"),
        (b"[problem]\nname = 'p.toml'\n".to_vec(), ""),
    ] {
        write(&folder, "p.toml", content);
        refused(&folder, &format!("solve p.toml {TINY}"), complaint);
    }
}

#[test]
fn a_problem_without_a_condition_is_solved_with_a_warning() {
    let (_outside, folder) = here();
    let text = heat("u_t - u_xx", "");
    write(&folder, "p.toml", text.replace("[[conditions]]\nkind = \"initial\"\nvalue = \"x\"\n", ""));
    let finished = attack(&folder, &format!("solve p.toml {TINY} --out run"));
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stderr.contains("warning: the problem has no condition at all"), "{}", finished.stderr);
    let result = super::common::json(&folder.join("run/result.json"));
    assert!(result["doubts"][0].as_str().expect("a doubt").contains("no condition at all"), "{result}");
}

#[test]
fn a_problem_that_looks_ill_posed_is_refused_under_strict() {
    let (_outside, folder) = here();
    write(&folder, "p.toml", heat("u_t - u_xx", ""));
    let strict = format!("solve p.toml {TINY} --strict --out run");
    refused(&folder, &strict, "the problem looks ill posed:\n  - the equations are of order 2 along `x`");
    assert!(!folder.join("run").exists(), "nothing is left behind");
    let ends = "conditions = [{ kind = 'periodic', along = 'x' }, { kind = 'initial', value = 'sin(2*pi*x)' }]";
    write(
        &folder,
        "p.toml",
        heat("u_t - u_xx", ends).replace("[[conditions]]\nkind = \"initial\"\nvalue = \"x\"\n", ""),
    );
    let finished = attack(&folder, &strict);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
}
