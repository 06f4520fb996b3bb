//! `ROPINN_SIMD`: each instruction set of the processor trains, results say which, and a wrong one is refused.

mod common;

use common::{Finished, TINY, command, here, json};

fn with(variable: &str, folder: &std::path::Path, words: &str) -> Finished {
    command(folder, words).env("ROPINN_SIMD", variable).output().expect("the binary starts").into()
}

#[test]
fn each_set_trains_to_the_same_loss_and_the_result_says_which() {
    let folder = here();
    let losses: Vec<f64> = ropinn_engine::Simd::available()
        .map(|simd| {
            let words = format!("solve reaction {TINY} --precision f64 --out {simd}");
            let finished = with(simd.name(), folder.path(), &words);
            assert_eq!(finished.code, Some(0), "{}", finished.stderr);
            let result = json(&folder.path().join(simd.name()).join("result.json"));
            let hardware = result["hardware"].as_str().expect("a text");
            assert!(hardware.ends_with(&format!(", {simd}")), "{hardware}");
            result["unweighted_loss"].as_f64().expect("a number")
        })
        .collect();
    // Rounding differs; three steps do not make much of it.
    assert!(losses.windows(2).all(|two| (two[0] / two[1] - 1.0).abs() < 1e-6), "{losses:?}");
}

#[test]
fn a_wrong_name_is_refused() {
    let finished = with("sse9", here().path(), "list");
    let complaint =
        "error: ROPINN_SIMD=\"sse9\" is no instruction set; it may be avx512, avx2 or baseline, or not be set\n";
    assert_eq!((finished.code, &*finished.stderr, &*finished.stdout), (Some(2), complaint, ""));
}

#[test]
fn what_the_processor_lacks_is_refused() {
    let Some(lacking) = ropinn_engine::Simd::ALL.into_iter().find(|simd| !simd.is_available()) else { return };
    let finished = with(lacking.name(), here().path(), "list");
    assert_eq!(finished.code, Some(2));
    let start = format!("error: ROPINN_SIMD={lacking}: this processor has no {lacking}, the widest it has is ");
    assert!(finished.stderr.starts_with(&start), "{}", finished.stderr);
}
