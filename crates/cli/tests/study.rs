//! `ropinn study`, run as users run it: what it offers and what it refuses. Its runs are tested in the library, where they can be
//! made small.

mod common;

use common::{assert_refused, files, here, ropinn, succeed};
use ropinn_study::gallery::GALLERY;
use std::fs;

#[test]
fn help_tells_what_there_is() {
    let folder = here();
    let help = succeed(folder.path(), "study --help");
    for (study, does) in [
        ("gallery ", "Solve every problem of the gallery with no options"),
        ("precision ", "Solve linear problems by random features"),
        ("references ", "Compute the reference of every task"),
        ("trust ", "Compare verdicts and estimated errors"),
    ] {
        assert!(help.contains(study) && help.contains(does), "no {study} in:\n{help}");
    }
    let help = succeed(folder.path(), "study gallery --help");
    for option in ["--seeds", "--problems", "--out", "--page", "--report", "--threads", "--quiet", "studies/gallery"] {
        assert!(help.contains(option), "no {option} in:\n{help}");
    }
}

#[test]
fn bad_input_is_refused() {
    let folder = here();
    let refused = |words: &str, complaint: &str| assert_refused(folder.path(), words, complaint);
    let known = GALLERY.map(|entry| entry.problem).join(", ");
    refused(
        "study gallery --problems wave,reacton",
        &format!("error: the gallery does not show `reacton` (did you mean `reaction`?); it shows: {known}\n"),
    );
    // There is such a problem, but not here.
    refused(
        "study gallery --problems kuramoto-sivashinsky",
        &format!("error: the gallery does not show `kuramoto-sivashinsky`; it shows: {known}\n"),
    );
    refused("study gallery --problems wave,wave", "error: problem `wave` is named twice; name it once\n");
    refused(
        "study gallery --seeds 4..0",
        "error: `4..0` does not name seeds; write a range such as 0..9 (both ends included) or a list such as 0,3,7\n",
    );
    refused("study gallery --threads 0", "error: --threads is 0; it must be at least 1\n");
    fs::create_dir(folder.path().join("mine")).expect("writable");
    fs::write(folder.path().join("mine/notes.txt"), "mine").expect("writable");
    refused(
        "study gallery --problems wave --out mine",
        "error: `mine` exists and is not the folder of a gallery; choose another folder with --out\n",
    );
    refused(
        "study trust --problems wve --out mine",
        "error: the study of trust has no solves of `wve` (did you mean `wave`?)\n",
    );
    refused(
        "study trust --problems wave --out mine",
        "error: `mine` exists and is not the folder of a study of trust; choose another folder with --out\n",
    );
    let finished = ropinn(folder.path(), "study gallery --problems wave --page mine/notes.txt");
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    assert!(finished.stderr.ends_with("; choose another folder with --page\n"), "{}", finished.stderr);
    assert_eq!(files(folder.path()), ["mine", "mine/notes.txt"]);
}

#[test]
fn a_report_trains_nothing_and_shows_what_is_there() {
    let folder = here();
    let out = succeed(folder.path(), "study gallery --problems wave,elasticity --seeds 0..1 --report --page docs");
    let expected = "
problem     rMSE ≤  s ≤  rMSE  worst  s  worst s  reached  mark
──────────  ──────  ───  ────  ─────  ─  ───────  ───────  ────
wave          2e-5   30     –      –  –        –   0 of 2  open
elasticity       –    –     –      –  –        –        –  –

rMSE and s are medians over seeds 0, 1; `reached` counts those within both limits.
Incomplete: 0 of 4 runs are finished.
folder: studies/gallery
";
    assert_eq!(out, expected);
    let page = fs::read_to_string(folder.path().join("docs/gallery.md")).expect("a page");
    let command = "```sh\nropinn study gallery --problems wave,elasticity --seeds 0..1 --page docs\n```";
    assert!(page.contains(command) && page.contains("**Incomplete: 0 of 4 runs are finished"), "{page}");
    assert!(!folder.path().join("studies/gallery/wave").exists());
}

#[test]
fn trust_shows_what_is_there() {
    let folder = here();
    let out = succeed(folder.path(), "study trust --problems wave --report --out t");
    assert!(out.contains("Incomplete: 0 of 9 solves are there."), "{out}");
    assert_eq!(files(&folder.path().join("t")).iter().filter(|name| name.starts_with("trust.")).count(), 2);
    let out = succeed(folder.path(), "study precision --problems wave,kdv --report --out p");
    assert!(out.contains("wave      1e-10   10") && out.contains("kdv        1e-5  120"), "{out}");
}
