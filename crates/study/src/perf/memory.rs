//! Peak resident memory of this process, as Linux keeps it in `/proc`; other systems report nothing.

use std::fs;

/// Starts the record anew at the present size, so that several measurements in one run do not hide one another.
pub fn forget_peak() {
    // Writing 5 resets VmHWM (proc(5), clear_refs). If it is refused, the peak covers the whole process, which is still true.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// The largest resident size so far, in 10⁶ bytes.
pub fn peak_megabytes() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix("kB")?;
    Some(kibibytes.trim().parse::<f64>().ok()? * 1024.0 / 1e6)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_large_buffer_shows() {
        forget_peak();
        let before = peak_megabytes().expect("Linux has /proc");
        let buffer = std::hint::black_box(vec![1u8; 200_000_000]);
        let after = peak_megabytes().expect("Linux has /proc");
        assert!((150.0..300.0).contains(&(after - before)), "{before} then {after} MB with {} bytes", buffer.len());
    }
}
