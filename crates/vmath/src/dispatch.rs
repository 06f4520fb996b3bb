//! Run-time choice of the instruction set: the best of AVX-512, AVX2 and the baseline on x86, NEON on Arm.

use std::sync::OnceLock;

use pulp::Arch;

static BEST: OnceLock<Arch> = OnceLock::new();

/// Runs `f` compiled for the widest instruction set of this machine.
///
/// Only code *inlined* into `f` benefits, so mark the closure and what it calls `#[inline(always)]`. The choice is made once per
/// process; afterwards a call costs one atomic load and a jump. Floating-point results do not depend on the choice: Rust never
/// contracts a·b + c into a fused multiply-add by itself.
///
/// ```
/// let x: Vec<f64> = (0..1000).map(f64::from).collect();
/// let sum = ropinn_vmath::dispatch(
///     #[inline(always)]
///     || x.iter().map(|x| x * x).sum::<f64>(),
/// );
/// assert_eq!(sum, 332833500.0);
/// ```
#[inline(always)]
pub fn dispatch<R>(f: impl FnOnce() -> R) -> R {
    BEST.get_or_init(Arch::new).dispatch(f)
}
