//! One vector register of each instruction set: what the kernels need of it and nothing else.

use ropinn_vmath::Real;

/// A register of `LANES` numbers. All methods are inlined into kernels that are compiled for its instruction set.
pub(crate) trait Vector: Copy {
    type Number: Real;
    const LANES: usize;

    /// # Safety
    /// The processor has the instruction set; `from` points at `LANES` numbers.
    unsafe fn load(from: *const Self::Number) -> Self;
    /// # Safety
    /// The processor has the instruction set; `to` points at room for `LANES` numbers.
    unsafe fn store(self, to: *mut Self::Number);
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn splat(number: Self::Number) -> Self;
    /// self·b + c.
    ///
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn mul_add(self, b: Self, c: Self) -> Self;
    /// The sum of all lanes of each of four registers, by halves.
    ///
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn sums(four: [Self; 4]) -> [Self::Number; 4];
}

/// Registers of the baseline: plain arrays, which the compiler turns into whatever there is.
#[derive(Clone, Copy)]
pub(crate) struct Plain<T, const L: usize>([T; L]);

impl<T: Real, const L: usize> Vector for Plain<T, L> {
    type Number = T;
    const LANES: usize = L;

    #[inline(always)]
    unsafe fn load(from: *const T) -> Self {
        // SAFETY: the caller vouches for L numbers at `from`.
        Self(unsafe { from.cast::<[T; L]>().read() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut T) {
        // SAFETY: the caller vouches for room for L numbers at `to`.
        unsafe { to.cast::<[T; L]>().write(self.0) }
    }
    #[inline(always)]
    unsafe fn splat(number: T) -> Self {
        Self([number; L])
    }
    #[inline(always)]
    unsafe fn mul_add(self, b: Self, mut c: Self) -> Self {
        // Two roundings: without the instruction a fused one would be a call for every number.
        for i in 0..L {
            c.0[i] += self.0[i] * b.0[i];
        }
        c
    }
    #[inline(always)]
    unsafe fn sums(four: [Self; 4]) -> [T; 4] {
        let mut sums = [T::ZERO; 4];
        for (sum, Self(mut lanes)) in sums.iter_mut().zip(four) {
            let mut half = L / 2;
            while half > 0 {
                for i in 0..half {
                    let upper = lanes[i + half];
                    lanes[i] += upper;
                }
                half /= 2;
            }
            *sum = lanes[0];
        }
        sums
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Vector;
    use std::arch::x86_64::*;

    macro_rules! vector {
        ($register:ident of $number:ident by $lanes:literal: $load:ident, $store:ident, $splat:ident, $fma:ident, $sums:expr) => {
            impl Vector for $register {
                type Number = $number;
                const LANES: usize = $lanes;

                #[inline(always)]
                unsafe fn load(from: *const $number) -> Self {
                    // SAFETY: as the caller vouches.
                    unsafe { $load(from) }
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut $number) {
                    // SAFETY: as the caller vouches.
                    unsafe { $store(to, self) }
                }
                #[inline(always)]
                unsafe fn splat(number: $number) -> Self {
                    // SAFETY: as the caller vouches.
                    unsafe { $splat(number) }
                }
                #[inline(always)]
                unsafe fn mul_add(self, b: Self, c: Self) -> Self {
                    // SAFETY: as the caller vouches.
                    unsafe { $fma(self, b, c) }
                }
                #[inline(always)]
                unsafe fn sums(four: [Self; 4]) -> [$number; 4] {
                    // SAFETY: as the caller vouches.
                    unsafe { $sums(four) }
                }
            }
        };
    }

    vector!(__m512 of f32 by 16: _mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_ps, _mm512_fmadd_ps, sums_16);
    vector!(__m512d of f64 by 8: _mm512_loadu_pd, _mm512_storeu_pd, _mm512_set1_pd, _mm512_fmadd_pd, sums_8d);
    vector!(__m256 of f32 by 8: _mm256_loadu_ps, _mm256_storeu_ps, _mm256_set1_ps, _mm256_fmadd_ps, sums_8);
    vector!(__m256d of f64 by 4: _mm256_loadu_pd, _mm256_storeu_pd, _mm256_set1_pd, _mm256_fmadd_pd, sums_4d);

    // No closures below: `map` is not inlined into code for the instruction set.

    /// # Safety
    /// AVX-512.
    #[inline(always)]
    unsafe fn sums_16([a, b, c, d]: [__m512; 4]) -> [f32; 4] {
        // SAFETY: as the caller vouches.
        unsafe { sums_8([folded_16(a), folded_16(b), folded_16(c), folded_16(d)]) }
    }

    /// # Safety
    /// AVX-512.
    #[inline(always)]
    unsafe fn folded_16(x: __m512) -> __m256 {
        // SAFETY: as the caller vouches.
        unsafe { _mm256_add_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps::<1>(x)) }
    }

    /// # Safety
    /// AVX-512.
    #[inline(always)]
    unsafe fn sums_8d([a, b, c, d]: [__m512d; 4]) -> [f64; 4] {
        // SAFETY: as the caller vouches.
        unsafe { sums_4d([folded_8d(a), folded_8d(b), folded_8d(c), folded_8d(d)]) }
    }

    /// # Safety
    /// AVX-512.
    #[inline(always)]
    unsafe fn folded_8d(x: __m512d) -> __m256d {
        // SAFETY: as the caller vouches.
        unsafe { _mm256_add_pd(_mm512_castpd512_pd256(x), _mm512_extractf64x4_pd::<1>(x)) }
    }

    /// # Safety
    /// AVX2.
    #[inline(always)]
    unsafe fn sums_8([a, b, c, d]: [__m256; 4]) -> [f32; 4] {
        // SAFETY: as the caller vouches; the array has room for four numbers.
        unsafe {
            let pairs = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
            let sums = _mm_add_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps::<1>(pairs));
            let mut out = [0.0; 4];
            _mm_storeu_ps(out.as_mut_ptr(), sums);
            out
        }
    }

    /// # Safety
    /// AVX2.
    #[inline(always)]
    unsafe fn sums_4d([a, b, c, d]: [__m256d; 4]) -> [f64; 4] {
        // SAFETY: as the caller vouches; the array has room for four numbers.
        unsafe {
            let (ab, cd) = (_mm256_hadd_pd(a, b), _mm256_hadd_pd(c, d));
            let (low, high) = (_mm256_permute2f128_pd::<0x20>(ab, cd), _mm256_permute2f128_pd::<0x31>(ab, cd));
            let mut out = [0.0; 4];
            _mm256_storeu_pd(out.as_mut_ptr(), _mm256_add_pd(low, high));
            out
        }
    }
}
