//! What a kernel must know about a floating-point format: bit tricks and coefficient tables.

mod double;
mod single;

/// Bit layout and fitted coefficients of one floating-point type. Implemented here for `f32` and `f64` only, which seals
/// [`crate::Real`].
///
/// A number "in shifted form" is `SHIFT + n` with n a small integer: its low bits hold n in two's complement.
pub trait Format: Sized + 'static {
    /// 1.5·2^(mantissa bits): adding it rounds to the nearest integer, ties to even.
    const SHIFT: Self;
    /// log₂ e.
    const LOG2_E: Self;
    /// The leading bits of ln 2, so short that n·LN2_HI is exact for every exponent n.
    const LN2_HI: Self;
    /// ln 2 − LN2_HI.
    const LN2_LO: Self;
    /// p in e^r ≈ 1 + r + r²p(r) for |r| ≤ ½ ln 2, fitted for the relative error of e^r − 1.
    const EXP_TAIL: &'static [Self];
    /// Above this e^x overflows to ∞, below `EXP_LOWEST` it underflows to 0.
    const EXP_HIGHEST: Self;
    /// See `EXP_HIGHEST`.
    const EXP_LOWEST: Self;
    /// tanh x rounds to 1 from here on.
    const TANH_SATURATES: Self;
    /// L in ln(1+f) ≈ f − s(f − z·L(z)) with s = f/(2+f), z = s² (fdlibm's Lg).
    const LOG_TAIL: &'static [Self];
    /// 2^k that lifts every subnormal into the normal range.
    const LIFT: Self;
    /// The k of `LIFT`.
    const LIFT_EXPONENT: Self;
    /// sin r ≈ r + r³·p(r²) for |r| ≤ π/4.
    const SIN_TAIL: &'static [Self];
    /// cos r ≈ 1 − r²/2 + r⁴·p(r²) for |r| ≤ π/4.
    const COS_TAIL: &'static [Self];
    /// 2/π.
    const TWO_OVER_PI: Self;
    /// Largest |x| for which [`Format::minus_quarter_turns`] keeps full accuracy.
    const TRIG_RANGE: Self;
    /// The k in the variable t = (a − k)/(a + k) of `MILLS`.
    const MILLS_CENTRE: Self;
    /// p in Φ(−a) ≈ exp(−a²/2)·p(t)/(a + k) for a ≥ 0.
    const MILLS: &'static [Self];
    /// From here on Φ(−a) underflows to 0.
    const MILLS_LARGEST: Self;
    /// p in erf x ≈ x + x·p(x²) for |x| ≤ 0.84375.
    const ERF_SMALL: &'static [Self];

    /// 2^n for n in shifted form; the result must be a normal number.
    fn power_of_two(shifted: Self) -> Self;
    /// self·2^n for n in shifted form, in two factors: overflow and gradual underflow come out right.
    fn scale(self, shifted: Self) -> Self;
    /// The upper half of the mantissa: `head(x)²` is exact.
    fn head(self) -> Self;
    /// (k, m) with self = m·2^k and m in [√½, √2), for positive normal numbers.
    fn exponent_and_mantissa(self) -> (Self, Self);
    /// x − n·π/2 for a whole n given as a float.
    fn minus_quarter_turns(self, n: Self) -> Self;
    /// Whether n, in shifted form, is odd.
    fn is_odd(shifted: Self) -> bool;
    /// −self where bit 1 of n + offset is set (the half turns), self elsewhere; n in shifted form.
    fn negate_on_half_turn(self, shifted: Self, offset: u8) -> Self;
    /// −self where the sign bit of `other` is set.
    fn negate_with(self, other: Self) -> Self;
}

/// The bit manipulations, which read the same in both formats.
macro_rules! bit_methods {
    ($float:ident, $bits:ident, mantissa: $mantissa:literal, bias: $bias:literal) => {
        #[inline(always)]
        fn power_of_two(shifted: Self) -> Self {
            Self::from_bits(shifted.to_bits().wrapping_add($bias) << $mantissa)
        }
        #[inline(always)]
        fn scale(self, shifted: Self) -> Self {
            // Twice the bias keeps the sum positive, so a logical shift halves it (AVX2 has no 64-bit arithmetic shift).
            let n = shifted.to_bits().wrapping_sub(Self::SHIFT.to_bits()).wrapping_add(2 * $bias);
            let first = n >> 1;
            let second = n.wrapping_sub(first);
            self * Self::from_bits(first << $mantissa) * Self::from_bits(second << $mantissa)
        }
        #[inline(always)]
        fn head(self) -> Self {
            Self::from_bits(self.to_bits() & !((1 << ($mantissa / 2 + 1)) - 1))
        }
        #[inline(always)]
        fn exponent_and_mantissa(self) -> (Self, Self) {
            const SQRT_HALF: $bits = std::$float::consts::FRAC_1_SQRT_2.to_bits();
            const ONE: $bits = (1.0 as $float).to_bits();
            let bits = self.to_bits().wrapping_add(ONE - SQRT_HALF);
            let mantissa = Self::from_bits((bits & ((1 << $mantissa) - 1)) + SQRT_HALF);
            // Integer to float without a conversion instruction: the exponent becomes the low bits of 2^mantissa.
            const TWO_TO_MANTISSA: $float = ((1 as $bits) << $mantissa) as $float;
            let exponent = Self::from_bits((bits >> $mantissa) | TWO_TO_MANTISSA.to_bits());
            (exponent - (TWO_TO_MANTISSA + $bias as $float), mantissa)
        }
        #[inline(always)]
        fn is_odd(shifted: Self) -> bool {
            shifted.to_bits() & 1 != 0
        }
        #[inline(always)]
        fn negate_on_half_turn(self, shifted: Self, offset: u8) -> Self {
            let half_turn = shifted.to_bits().wrapping_add(offset as $bits) & 2;
            Self::from_bits(self.to_bits() ^ (half_turn << ($bits::BITS - 2)))
        }
        #[inline(always)]
        fn negate_with(self, other: Self) -> Self {
            Self::from_bits(self.to_bits() ^ (other.to_bits() & (1 << ($bits::BITS - 1))))
        }
    };
}
pub(crate) use bit_methods;
