//! Where ticks go and how they are labelled.
//!
//! Linear: multiples of 1, 2 or 5 times a power of ten. Logarithmic: decades, or 1-2-5 within a short range. A common
//! power of ten is factored out of very large and very small labels ("×10⁻⁴").

/// A labelled place on an axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub value: f64,
    pub label: String,
}

/// The ticks of one axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Ticks {
    pub major: Vec<Tick>,
    pub minor: Vec<f64>,
    /// The power of ten that all labels are to be multiplied by.
    pub factor: Option<String>,
}

/// About `intervals` + 1 round numbers in [low, high], low < high: at least two, and steps never more than 1.6 times
/// as many or as few (five at most where the second label needs them).
pub(crate) fn linear(low: f64, high: f64, intervals: usize) -> Ticks {
    let raw = high / intervals.max(1) as f64 - low / intervals.max(1) as f64;
    let mut exponent = raw.log10().floor() as i32;
    let lead = raw / 10f64.powi(exponent);
    // The nearest of 1, 2, 5 and 10 by ratio: the borders are √2, √10 and √50.
    let digit = match lead {
        _ if lead < 1.414 => 1.0,
        _ if lead < 3.162 => 2.0,
        _ if lead < 7.071 => 5.0,
        _ => {
            exponent += 1;
            1.0
        }
    };
    let step = decimal(digit, exponent);
    let slack = 1e-9;
    let (first, last) = ((low / step - slack).ceil(), (high / step + slack).floor());
    // A range below the resolution of f64 has no interior multiples worth showing.
    let count = if last - first <= 64.0 { (last - first) as i64 + 1 } else { 0 };
    let multiples: Vec<f64> = (0..count.max(0)).map(|k| (first + k as f64) * digit).collect();
    // One label does not tell a scale: ask for more, short of what no axis has room for.
    if multiples.len() < 2 && intervals < 12 {
        return linear(low, high, intervals + 1);
    }
    label_multiples(&multiples, exponent)
}

/// Ticks at m·10^exponent for whole numbers m.
fn label_multiples(multiples: &[f64], exponent: i32) -> Ticks {
    let largest = multiples.iter().fold(0.0f64, |a, m| a.max(m.abs()));
    let order = if largest > 0.0 { largest.log10().floor() as i32 + exponent } else { 0 };
    let shift = if (-3..6).contains(&order) { 0 } else { order };
    let decimals = (shift - exponent).max(0) as usize;
    let major = multiples.iter().map(|&m| Tick {
        value: decimal(m, exponent),
        label: typeset(&format!("{:.decimals$}", decimal(m, exponent - shift))),
    });
    Ticks {
        major: major.collect(),
        minor: Vec::new(),
        factor: (shift != 0).then(|| format!("×{}", power_of_ten(shift))),
    }
}

/// Ticks for a logarithmic axis on [low, high], 0 < low < high, with at most about `intervals` labels.
pub(crate) fn logarithmic(low: f64, high: f64, intervals: usize) -> Ticks {
    let (first, last) = ((low.log10() - 1e-9).ceil() as i32, (high.log10() + 1e-9).floor() as i32);
    if last - first < 1 {
        return short_logarithmic(low, high, intervals);
    }
    let stride = ((last - first + 1) as usize).div_ceil(intervals.max(2)) as i32;
    let labelled = |decade: i32| decade.rem_euclid(stride) == 0;
    let major = (first..=last).filter(|&d| labelled(d));
    let major = major.map(|d| Tick { value: decimal(1.0, d), label: power_of_ten(d) }).collect();
    // Eight minor ticks per decade blur into the axis when there are many decades.
    let digits: &[i32] = if last - first < 6 { &[2, 3, 4, 5, 6, 7, 8, 9] } else { &[2, 5] };
    let minor = if stride == 1 {
        let all = (first - 1..=last).flat_map(|d| digits.iter().map(move |&m| decimal(m.into(), d)));
        all.filter(|v| (low..=high).contains(v)).collect()
    } else {
        (first..=last).filter(|&d| !labelled(d)).map(|d| decimal(1.0, d)).collect()
    };
    Ticks { major, minor, factor: None }
}

/// Less than two decades in view: 1, 2 and 5 times powers of ten, or linear ticks when even those are rare.
fn short_logarithmic(low: f64, high: f64, intervals: usize) -> Ticks {
    let decades = low.log10().floor() as i32..=high.log10().floor() as i32;
    let places: Vec<(i32, i32)> = decades
        .flat_map(|d| [1, 2, 5].map(|m| (m, d)))
        .filter(|&(m, d)| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(&decimal(m.into(), d)))
        .collect();
    if places.len() < 3 {
        return linear(low, high, intervals);
    }
    let label = |m: i32, d: i32| match d {
        -3..4 => typeset(&format!("{:.*}", (-d).max(0) as usize, decimal(m.into(), d))),
        _ if m == 1 => power_of_ten(d),
        _ => format!("{m}×{}", power_of_ten(d)),
    };
    let major = places.into_iter().map(|(m, d)| Tick { value: decimal(m.into(), d), label: label(m, d) });
    Ticks { major: major.collect(), minor: Vec::new(), factor: None }
}

/// The f64 nearest to m·10^exponent, by way of its decimal spelling: 3·10⁻¹ is 0.3, not 0.30000000000000004.
fn decimal(m: f64, exponent: i32) -> f64 {
    format!("{m}e{exponent}").parse().unwrap_or_else(|_| m * 10f64.powi(exponent))
}

/// "10⁻³".
pub(crate) fn power_of_ten(exponent: i32) -> String {
    let written = exponent.to_string();
    let raised = written.chars().map(|c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32(0x2070 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
    });
    "10".chars().chain(raised).collect()
}

/// A true minus sign, no negative zero, and thin spaces between thousands from 10 000 on.
fn typeset(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |rest| ("−", rest));
    let sign = if digits.chars().all(|c| matches!(c, '0' | '.')) { "" } else { sign };
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    if whole.len() < 5 {
        return format!("{sign}{digits}");
    }
    let mut grouped = String::new();
    for (k, digit) in whole.chars().enumerate() {
        if k > 0 && (whole.len() - k).is_multiple_of(3) {
            grouped.push('\u{2009}');
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(ticks: &Ticks) -> Vec<&str> {
        ticks.major.iter().map(|t| t.label.as_str()).collect()
    }

    #[test]
    fn linear_ticks_are_round_and_exact() {
        let ticks = linear(0.0, 1.0, 5);
        assert_eq!(labels(&ticks), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(ticks.major[3].value, 0.6);
        assert_eq!(labels(&linear(-3.1, 2.2, 5)), ["−3", "−2", "−1", "0", "1", "2"]);
        assert_eq!(
            labels(&linear(0.0, 50_000.0, 5)),
            ["0", "10\u{2009}000", "20\u{2009}000", "30\u{2009}000", "40\u{2009}000", "50\u{2009}000"]
        );
    }

    #[test]
    fn small_and_large_labels_share_a_factor() {
        let small = linear(-3.2e-5, 3.2e-5, 4);
        assert_eq!((labels(&small), small.factor.as_deref()), (vec!["−2", "0", "2"], Some("×10⁻⁵")));
        let large = linear(0.0, 2.0e7, 4);
        assert_eq!((labels(&large), large.factor.as_deref()), (vec!["0.0", "0.5", "1.0", "1.5", "2.0"], Some("×10⁷")));
    }

    #[test]
    fn log_ticks_are_decades_with_minor_ticks() {
        let ticks = logarithmic(2e-4, 30.0, 8);
        assert_eq!(labels(&ticks), ["10⁻³", "10⁻²", "10⁻¹", "10⁰", "10¹"]);
        assert!(ticks.minor.contains(&3e-4) && ticks.minor.contains(&20.0) && !ticks.minor.contains(&40.0));
        assert_eq!(labels(&logarithmic(1e-16, 1.0, 6)), ["10⁻¹⁵", "10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "10⁰"]);
    }

    #[test]
    fn short_log_ranges_still_have_labels() {
        assert_eq!(labels(&logarithmic(1.5, 60.0, 6)), ["2", "5", "10", "20", "50"]);
        assert_eq!(labels(&logarithmic(1.5e-5, 6e-5, 3)), ["2", "4", "6"]);
        assert_eq!(labels(&logarithmic(0.9e-5, 6e-5, 3)), ["10⁻⁵", "2×10⁻⁵", "5×10⁻⁵"]);
    }

    proptest! {
        #[test]
        fn linear_ticks_lie_inside_evenly_and_few(
            low in -1e6f64..1e6, exponent in -4f64..7.0, intervals in 2usize..12,
        ) {
            let width = 10f64.powf(exponent);
            let ticks = linear(low, low + width, intervals);
            let values: Vec<f64> = ticks.major.iter().map(|t| t.value).collect();
            let (count, asked) = (values.len() as f64, intervals as f64);
            prop_assert!(count <= (1.6 * asked + 1.0).max(5.0), "too many: {values:?}");
            prop_assert!(count >= 2.0 && count + 1.0 > asked / 1.6, "too few: {values:?}");
            prop_assert!(values.iter().all(|v| (low - 1e-6 * width..=low + 1.000_001 * width).contains(v)), "{values:?}");
            let mut different: Vec<&str> = labels(&ticks);
            different.dedup();
            prop_assert_eq!(different.len(), values.len());
        }

        #[test]
        fn log_ticks_lie_inside(low in -30f64..30.0, span in 0.05f64..40.0, intervals in 3usize..10) {
            let (a, b) = (10f64.powf(low), 10f64.powf(low + span));
            let ticks = logarithmic(a, b, intervals);
            prop_assert!(!ticks.major.is_empty());
            prop_assert!(ticks.major.iter().all(|t| t.value >= a * 0.999_999 && t.value <= b * 1.000_001), "{ticks:?}");
        }
    }
}
