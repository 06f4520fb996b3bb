//! Numbers and names on the command line.

use super::{TINY, attack, here, refused};

#[test]
fn numbers_beyond_all_bounds_are_refused() {
    let (_outside, folder) = here();
    let (most, more) = ("18446744073709551615", "18446744073709551616");
    for (options, complaint) in [
        (format!("--width {most}"), "`model.width` is 18446744073709552000; it must be below 2^63"),
        (format!("--depth {most}"), "it must be below 2^63"),
        (format!("--iterations {most}"), "it must be below 2^63"),
        (format!("--seed {most}"), "it must be below 2^63"),
        (format!("--model kan --depth {most}"), "can be at most 1024"),
        (format!("--model pinnsformer --width {most}"), "it must be below 2^63"),
        (format!("--optimizer 'adam {most}'"), "it must be below 2^63"),
        (format!("--optimizer 'lbfgs 5 history={most}'"), ""),
        (format!("--set width={most}"), ""),
        (format!("--set log_every={most}"), ""),
        (format!("--width {more}"), "invalid value"),
        ("--width 9223372036854775807".to_owned(), "can be at most 65536"),
        ("--width 65536 --depth 1024".to_owned(), "parameters"),
        ("--width 0".to_owned(), ""),
        ("--width -1".to_owned(), ""),
        ("--depth 0".to_owned(), ""),
        ("--iterations 0".to_owned(), "at least 1"),
        ("--threads 0".to_owned(), ""),
        ("--threads 18446744073709551615".to_owned(), ""),
        ("--max-seconds nan".to_owned(), ""),
        ("--max-seconds -1".to_owned(), ""),
        ("--target-error inf".to_owned(), ""),
        ("--success 0".to_owned(), ""),
        (format!("--seeds 0..{most}"), ""),
        ("--seeds 5..1".to_owned(), ""),
        ("--seeds 1,1".to_owned(), ""),
        ("--set points.interior=grid:99999x99999".to_owned(), "the limit is"),
        ("--set points.interior=grid:0x0".to_owned(), ""),
        ("--set region.r=nan".to_owned(), ""),
        ("--set region.r=-1".to_owned(), ""),
        ("--set objective.region.samples=18446744073709551615".to_owned(), ""),
        ("--set weights.wave=-1".to_owned(), ""),
        ("--set =".to_owned(), ""),
        ("--set x".to_owned(), "changes nothing"),
        ("--search width".to_owned(), ""),
        ("--init-from /dev/zero".to_owned(), "not a regular file"),
        ("--init-from /".to_owned(), "not a regular file"),
        ("--preset none".to_owned(), ""),
    ] {
        refused(&folder, &format!("solve wave {options}"), complaint);
    }
    assert!(!folder.join("runs").exists(), "something was left behind");
}

#[test]
fn folders_that_cannot_be_are_refused() {
    let (_outside, folder) = here();
    super::write(&folder, "file", "content");
    for out in ["file", "file/below", "/proc/self/run", "/dev/null", "/dev/null/run"] {
        let finished = attack(&folder, &format!("solve wave {TINY} --set points.interior=grid:5x5 --out {out}"));
        assert_ne!(finished.code, Some(0), "{out}");
    }
    assert_eq!(std::fs::read_to_string(folder.join("file")).expect("untouched"), "content");
}

#[test]
fn predictions_of_odd_quantities_are_refused_or_made() {
    let (_outside, folder) = here();
    let words =
        format!("solve reaction {TINY} --set points.interior=grid:5x5 --set points.evaluation=grid:5x5 --out run");
    assert_eq!(attack(&folder, &words).code, Some(0));
    super::write(&folder, "p.csv", "x,t\n1,0.5\n");
    for (want, code) in
        [("x", 0), ("pi", 0), ("u", 0), ("x*u_t", 0), ("u_xxxxx", 2), ("nothing", 2), ("", 2), (",", 2), ("at(u,1)", 2)]
    {
        let finished = attack(&folder, &format!("predict run --points p.csv --want {want:?}"));
        assert_eq!(finished.code, Some(code), "{want}: {}", finished.stderr);
    }
    // Whatever one divided by zero is, it is no panic.
    attack(&folder, "predict run --points p.csv --want 1/0");
}
