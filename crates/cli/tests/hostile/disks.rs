//! Disks too small for what is to be written.

use super::{attack, attack_with, here, laboratory};

#[test]
fn small_disks_lose_nothing_and_say_so() {
    let (_outside, folder) = here();
    laboratory(&folder);
    let ropinn = env!("CARGO_BIN_EXE_ropinn");
    let options = "solve rod.toml --width 4 --depth 1 --iterations 5 --threads 1 --quiet --out run";
    for kilobytes in [0, 1, 2, 4, 8, 16, 32] {
        let _ = std::fs::remove_dir_all(folder.join("run"));
        // A limit on the size of files fails like a full disk; the signal that comes with it is nobody's there.
        let limit = format!(
            "trap '' XFSZ; (ulimit -f {kilobytes}; {ropinn} {options} 2>&1 >/dev/null) | cat >&2; exit ${{PIPESTATUS[0]}}"
        );
        let finished = attack_with(&folder, &limit);
        if finished.code != Some(0) {
            assert!(matches!(finished.code, Some(1 | 2)), "{kilobytes} kB: {}", finished.stderr);
            assert!(finished.stderr.contains("error: cannot write"), "{kilobytes} kB: {}", finished.stderr);
        }
        let again = attack(&folder, &format!("{options} --resume"));
        assert_eq!(again.code, Some(0), "{kilobytes} kB, with room: {}", again.stderr);
    }
}
