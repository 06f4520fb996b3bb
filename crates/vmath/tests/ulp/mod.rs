//! Error in units in the last place.

use ropinn_vmath::Real;

/// The distance from |x| to the next number of type T, never below the smallest subnormal.
fn spacing<T: Real>(x: f64) -> f64 {
    let smallest = if T::NAME == "f32" { f64::from(f32::from_bits(1)) } else { f64::from_bits(1) };
    let x = x.abs().max(T::MIN_POSITIVE.to_f64());
    let power = f64::from_bits(x.to_bits() & 0x7ff0_0000_0000_0000);
    (power * T::EPS.to_f64()).max(smallest)
}

/// |got − want| in units of T's spacing at `want`; infinite if one is not finite and they differ.
pub fn ulps<T: Real>(got: T, want: f64) -> f64 {
    let got = got.to_f64();
    // What T would store decides whether an overflow was due.
    if T::from_f64(want).to_f64() == got || (want.is_nan() && got.is_nan()) {
        return ((got - want) / spacing::<T>(want)).abs().min(0.5);
    }
    let error = (got - want).abs() / spacing::<T>(want);
    if error.is_nan() { f64::INFINITY } else { error }
}
