//! Colours in sRGB, and their perceptual coordinates.
//!
//! OKLab (B. Ottosson, 2020) is a linear map, a cube root and a second linear map of linear-light sRGB; its L is
//! lightness as seen, so a colour map that is monotone in L keeps its order in grey and for every kind of colour
//! vision.

/// An opaque sRGB colour, eight bits per channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rgb {
    /// Red.
    pub red: u8,
    /// Green.
    pub green: u8,
    /// Blue.
    pub blue: u8,
}

/// Eight colours told apart with every common kind of colour vision: M. Okabe and K. Ito (2008), "Color universal
/// design", in the order that keeps neighbours most distinct on white. The yellow, too light for a line on white
/// paper, comes last and is darkened.
pub const OKABE_ITO: [Rgb; 8] = [
    Rgb::from_hex(0x0072b2),
    Rgb::from_hex(0xd55e00),
    Rgb::from_hex(0x009e73),
    Rgb::from_hex(0xcc79a7),
    Rgb::from_hex(0xe69f00),
    Rgb::from_hex(0x56b4e9),
    Rgb::from_hex(0x000000),
    Rgb::from_hex(0xb8a900),
];

impl Rgb {
    /// A colour from `0xrrggbb`.
    pub const fn from_hex(hex: u32) -> Self {
        Self { red: (hex >> 16) as u8, green: (hex >> 8) as u8, blue: hex as u8 }
    }

    /// The colour as `#rrggbb`.
    pub(crate) fn to_css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }

    pub(crate) fn channels(self) -> [u8; 3] {
        [self.red, self.green, self.blue]
    }

    /// The point at fraction `t` of the straight sRGB segment from `self` to `other`.
    pub(crate) fn mix(self, other: Self, t: f64) -> Self {
        let blend = |a: u8, b: u8| (f64::from(a) + t * (f64::from(b) - f64::from(a))).round() as u8;
        Self {
            red: blend(self.red, other.red),
            green: blend(self.green, other.green),
            blue: blend(self.blue, other.blue),
        }
    }
}

/// OKLab in polar form: lightness, chroma and hue in degrees.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Oklch {
    pub lightness: f64,
    pub chroma: f64,
    pub hue: f64,
}

impl Oklch {
    /// The nearest sRGB colour, clipped channel by channel.
    pub fn to_rgb(self) -> Rgb {
        let (sin, cos) = self.hue.to_radians().sin_cos();
        let (light, a, b) = (self.lightness, self.chroma * cos, self.chroma * sin);
        let l = (light + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
        let m = (light - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
        let s = (light - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
        Rgb {
            red: encode(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s),
            green: encode(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s),
            blue: encode(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s),
        }
    }
}

/// The sRGB transfer curve, IEC 61966-2-1.
fn encode(linear: f64) -> u8 {
    let c = linear.clamp(0.0, 1.0);
    let s = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (255.0 * s).round() as u8
}

/// Lightness L of OKLab, in [0, 1].
pub(crate) fn lightness(colour: Rgb) -> f64 {
    let [r, g, b] = colour.channels().map(|c| {
        let s = f64::from(c) / 255.0;
        if s <= 0.040_45 { s / 12.92 } else { ((s + 0.055) / 1.055).powf(2.4) }
    });
    let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
    let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
    let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
    0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn greys_survive_the_trip_through_oklab(level in 0u8..=255) {
            let grey = Rgb { red: level, green: level, blue: level };
            let back = Oklch { lightness: lightness(grey), chroma: 0.0, hue: 123.0 }.to_rgb();
            prop_assert!(back.channels().iter().all(|c| c.abs_diff(level) <= 1), "{back:?} for {level}");
        }
    }

    #[test]
    fn css_spelling() {
        assert_eq!(OKABE_ITO[0].to_css(), "#0072b2");
    }
}
