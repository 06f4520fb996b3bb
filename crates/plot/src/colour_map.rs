//! From a value to a colour.
//!
//! Sequential maps rise in lightness from end to end; the diverging map is white at zero and darkens alike to both
//! sides, so equal errors of either sign look equally large.

use crate::colour::{Oklch, Rgb};

/// How values become colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColourMap {
    /// Dark violet through green to yellow (van der Walt and Smith, 2015; public domain).
    #[default]
    Viridis,
    /// Dark blue through grey to yellow, the same for red-green colour-blind eyes (Nuñez, Anderton and Renslow, 2018).
    Cividis,
    /// Blue through white to red-brown; for signed values with a symmetric range.
    BlueRed,
}

impl ColourMap {
    /// The colour at fraction `s` of the range; values outside [0, 1] take the colour of the nearer end.
    pub fn at(self, s: f64) -> Rgb {
        let s = s.clamp(0.0, 1.0);
        match self {
            Self::Viridis => interpolate(&VIRIDIS, s),
            Self::Cividis => interpolate(&CIVIDIS, s),
            Self::BlueRed => blue_red(2.0 * s - 1.0),
        }
    }

    /// The map as 256 colours, for painting many pixels.
    pub(crate) fn table(self) -> [Rgb; 256] {
        std::array::from_fn(|k| self.at(k as f64 / 255.0))
    }
}

/// s in [−1, 1]: lightness 0.985 − 0.625 |s|, chroma rising fast from grey and easing off before the dark end, where
/// sRGB has little room for it.
fn blue_red(s: f64) -> Rgb {
    let strength = s.abs();
    let peak = if s < 0.0 { 0.135 } else { 0.150 };
    Oklch {
        lightness: 0.985 - 0.625 * strength,
        chroma: peak * (1.0 - (1.0 - strength).powf(1.7)) * (1.0 - 0.28 * strength.powi(4)),
        hue: if s < 0.0 { 250.0 - 8.0 * (1.0 - strength) } else { 32.0 + 18.0 * (1.0 - strength) },
    }
    .to_rgb()
}

fn interpolate(stops: &[u32; 33], s: f64) -> Rgb {
    let place = 32.0 * s;
    let below = (place as usize).min(31);
    Rgb::from_hex(stops[below]).mix(Rgb::from_hex(stops[below + 1]), place - below as f64)
}

/// Every eighth colour of the published 256; straight lines between them stay within two levels of the rest.
#[rustfmt::skip]
const VIRIDIS: [u32; 33] = [
    0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453681, 0x424086, 0x3f4989, 0x3b528b, 0x375a8d, 0x33638d,
    0x2f6a8e, 0x2c728e, 0x297a8e, 0x26818e, 0x23898e, 0x21908c, 0x1f988b, 0x1f9f88, 0x21a685, 0x28ae80, 0x31b57b,
    0x3ebc74, 0x4cc26c, 0x5dc963, 0x6ece58, 0x82d34c, 0x96d83f, 0xabdc32, 0xc0df24, 0xd5e21a, 0xeae51a, 0xfde725,
];

/// As for viridis, within six levels (at one kink in the blue).
#[rustfmt::skip]
const CIVIDIS: [u32; 33] = [
    0x00224e, 0x00285b, 0x002e6a, 0x043371, 0x1a386f, 0x273e6e, 0x32436d, 0x3b496c, 0x434e6c, 0x4b546c, 0x52596d,
    0x5a5f6e, 0x61656f, 0x686a71, 0x6f7073, 0x757676, 0x7c7b78, 0x848179, 0x8b8778, 0x938d78, 0x9b9376, 0xa39a75,
    0xaba072, 0xb3a670, 0xbbad6c, 0xc3b469, 0xccba64, 0xd4c15f, 0xddc958, 0xe6d051, 0xefd748, 0xf8df3c, 0xfee838,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::lightness;

    fn lightness_at(map: ColourMap, s: f64) -> f64 {
        lightness(map.at(s))
    }

    #[test]
    fn sequential_maps_rise_in_lightness() {
        for map in [ColourMap::Viridis, ColourMap::Cividis] {
            for k in 0..64 {
                let (a, b) = (lightness_at(map, f64::from(k) / 64.0), lightness_at(map, f64::from(k + 1) / 64.0));
                assert!(b > a, "{map:?} falls from {a} to {b} at {k}/64");
            }
        }
    }

    #[test]
    fn diverging_map_is_white_in_the_middle_and_darkens_alike() {
        assert!(ColourMap::BlueRed.at(0.5).channels().iter().all(|&c| c >= 249));
        for k in 1..=32 {
            let (low, high) = (0.5 - f64::from(k) / 64.0, 0.5 + f64::from(k) / 64.0);
            let (blue, red) = (lightness_at(ColourMap::BlueRed, low), lightness_at(ColourMap::BlueRed, high));
            assert!((blue - red).abs() < 0.02, "{blue} and {red} at {k}/32");
            assert!(red < lightness_at(ColourMap::BlueRed, high - 1.0 / 64.0));
        }
    }

    #[test]
    fn values_outside_take_the_ends() {
        assert_eq!(ColourMap::Viridis.at(-3.0), Rgb::from_hex(0x440154));
        assert_eq!(ColourMap::Viridis.at(7.0), Rgb::from_hex(0xfde725));
        assert_eq!(ColourMap::Viridis.at(0.5), Rgb::from_hex(0x21908c));
    }
}
