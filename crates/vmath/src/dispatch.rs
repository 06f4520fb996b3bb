//! Run-time choice of the instruction set: AVX-512, AVX2 or the baseline of the target (SSE2 on x86, NEON on Arm).
//!
//! The choice is made once per process: the best one the processor has, or the one that the environment variable
//! `ROPINN_SIMD` names.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

/// The environment variable that names an instruction set.
pub const SIMD_VARIABLE: &str = "ROPINN_SIMD";

/// An instruction set with kernels of its own, from the narrowest to the widest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Simd {
    /// What every processor of the target has.
    Baseline,
    /// AVX2 with fused multiply-adds (Intel since 2013, AMD since 2015).
    Avx2,
    /// AVX-512 F, BW, CD, DQ and VL (Intel's servers since 2017, AMD since 2022).
    Avx512,
}

impl Simd {
    /// All of them, the narrowest first.
    pub const ALL: [Self; 3] = [Self::Baseline, Self::Avx2, Self::Avx512];

    /// Its name, as [`SIMD_VARIABLE`] takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether this processor has it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Baseline => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512cd")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// Those of this processor, the narrowest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|simd| simd.is_available())
    }

    /// What [`SIMD_VARIABLE`] asks for, or the widest this processor has. Programs call this at their start to tell a wrong name;
    /// [`simd`] falls back to the widest.
    ///
    /// # Errors
    /// If the variable is no name, or names what the processor lacks.
    pub fn from_environment() -> Result<Self, SimdError> {
        match std::env::var(SIMD_VARIABLE) {
            Ok(name) if !name.is_empty() => {
                let wanted: Self = name.parse()?;
                if wanted.is_available() { Ok(wanted) } else { Err(SimdError::Unavailable(wanted)) }
            }
            Err(std::env::VarError::NotUnicode(name)) => Err(SimdError::Unknown(name.to_string_lossy().into_owned())),
            _ => Ok(Self::widest()),
        }
    }

    fn widest() -> Self {
        Self::available().last().unwrap_or(Self::Baseline)
    }

    /// Runs `f` compiled for this instruction set; see [`dispatch`].
    ///
    /// # Panics
    /// If the processor lacks it.
    #[inline(always)]
    pub fn run<R>(self, f: impl FnOnce() -> R) -> R {
        assert!(self <= simd() || self.is_available(), "this processor has no {self}");
        // SAFETY: what is narrower than an available set is available.
        unsafe { run(self, f) }
    }
}

impl fmt::Display for Simd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Simd {
    type Err = SimdError;

    fn from_str(name: &str) -> Result<Self, SimdError> {
        Self::ALL.into_iter().find(|simd| simd.name() == name).ok_or_else(|| SimdError::Unknown(name.to_owned()))
    }
}

/// A choice that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimdError {
    /// No instruction set has this name.
    #[error("{SIMD_VARIABLE}={0:?} is no instruction set; it may be avx512, avx2 or baseline, or not be set")]
    Unknown(String),
    /// The processor does not have it.
    #[error("{SIMD_VARIABLE}={0}: this processor has no {0}, the widest it has is {widest}", widest = Simd::widest())]
    Unavailable(Simd),
}

static CHOSEN: OnceLock<Simd> = OnceLock::new();

/// The instruction set of this process.
#[inline(always)]
pub fn simd() -> Simd {
    *CHOSEN.get_or_init(|| Simd::from_environment().unwrap_or_else(|_| Simd::widest()))
}

/// Runs `f` compiled for the instruction set of this process.
///
/// Only code *inlined* into `f` benefits, so mark the closure and what it calls `#[inline(always)]`. A call costs one atomic load
/// and a jump. Floating-point results do not depend on the choice unless `f` says `mul_add`: Rust never contracts a·b + c into
/// a fused multiply-add by itself.
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
    // SAFETY: the chosen instruction set is available.
    unsafe { run(simd(), f) }
}

/// [`dispatch`] of an expression that has multiply-adds: in it the constant says whether to fuse them, which it does wherever the
/// instruction set has them.
///
/// ```
/// use ropinn_vmath::{Real, dispatch_fused};
/// let (x, mut y) = ([0.5_f32; 32], [1.0_f32; 32]);
/// dispatch_fused!(FUSED => for (y, x) in y.iter_mut().zip(&x) {
///     *y = if FUSED { x.mul_add(*x, *y) } else { x * x + *y };
/// });
/// assert_eq!(y, [1.25; 32]);
/// ```
#[macro_export]
macro_rules! dispatch_fused {
    ($fused:ident => $body:expr) => {
        if $crate::simd() == $crate::Simd::Baseline {
            const $fused: bool = cfg!(target_arch = "aarch64");
            $body
        } else {
            $crate::dispatch(
                #[inline(always)]
                || {
                    const $fused: bool = true;
                    $body
                },
            )
        }
    };
}

/// # Safety
/// The processor has `simd`.
#[inline(always)]
unsafe fn run<R>(simd: Simd, f: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2")]
        #[inline]
        fn avx512<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        #[target_feature(enable = "avx2,fma,bmi1,bmi2")]
        #[inline]
        fn avx2<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        match simd {
            // SAFETY: as the caller vouches.
            Simd::Avx512 => return unsafe { avx512(f) },
            // SAFETY: as the caller vouches.
            Simd::Avx2 => return unsafe { avx2(f) },
            Simd::Baseline => {}
        }
    }
    let _ = simd;
    f()
}
