//! Field values to pixels: bilinear between grid nodes, or dots and nearest neighbours for scattered points.

use crate::colour::Rgb;
use crate::scene::Pixels;
use crate::theme::{MISSING, PAPER};

/// Colours a value given as a fraction of the range; NaN becomes the colour of missing data.
pub(crate) struct Painter<'a> {
    pub table: &'a [Rgb; 256],
}

impl Painter<'_> {
    fn colour(&self, s: f64) -> Rgb {
        if s.is_nan() { MISSING } else { self.table[(255.0 * s.clamp(0.0, 1.0)).round() as usize] }
    }
}

/// Values on the nodes `x` × `y` (x fastest), in a picture of the range `across` × `along`.
#[derive(Clone, Copy)]
pub(crate) struct Nodes<'a> {
    pub x: &'a [f64],
    pub y: &'a [f64],
    pub values: &'a [f64],
    pub across: (f64, f64),
    pub along: (f64, f64),
}

impl Nodes<'_> {
    /// The nodes around fraction `s` of the width.
    fn column(&self, s: f64) -> Option<Place> {
        locate(self.x, (1.0 - s) * self.across.0 + s * self.across.1)
    }

    /// The nodes around fraction `s` of the height, from the top.
    fn row(&self, s: f64) -> Option<Place> {
        locate(self.y, s * self.along.0 + (1.0 - s) * self.along.1)
    }

    fn at(&self, i: Place, j: Place, blend: impl Fn(f64, f64, f64) -> f64) -> f64 {
        let along = |line: usize| {
            let start = line * self.x.len();
            blend(self.values[start + i.below], self.values[start + i.above], i.part)
        };
        blend(along(j.below), along(j.above), j.part)
    }
}

/// The values between their nodes:
/// u = (1 − a)(1 − b) u₀₀ + a(1 − b) u₁₀ + (1 − a) b u₀₁ + a b u₁₁.
/// Where the field is `cut` at an edge, nodes beyond it may lack a value, and then have no say.
pub(crate) fn grid(nodes: &Nodes<'_>, cut: bool, width: usize, height: usize, paint: &Painter<'_>) -> Pixels {
    let columns: Vec<Option<Place>> = (0..width).map(|k| nodes.column((k as f64 + 0.5) / width as f64)).collect();
    let rows: Vec<Option<Place>> = (0..height).map(|k| nodes.row((k as f64 + 0.5) / height as f64)).collect();
    Pixels::from_fn(width, height, |column, row| match (columns[column], rows[row]) {
        (Some(i), Some(j)) => paint.colour(nodes.at(i, j, if cut { blend_known } else { blend })),
        _ => PAPER,
    })
}

/// Samples of a pixel along each side, where the edge runs through it.
const SAMPLES: usize = 4;

/// Leaves blank what lies beyond the edge, by the share of each pixel that does: `edge` holds signed distances.
pub(crate) fn cut(mut pixels: Pixels, edge: &Nodes<'_>) -> Pixels {
    let (width, height) = (pixels.width, pixels.height);
    let samples = |end: usize, place: &dyn Fn(f64) -> Option<Place>| -> Vec<Option<Place>> {
        let count = end * SAMPLES;
        (0..count).map(|k| place((k as f64 + 0.5) / count as f64)).collect()
    };
    let (columns, rows) = (samples(width, &|s| edge.column(s)), samples(height, &|s| edge.row(s)));
    let is_inside = |column: usize, row: usize| match (columns[column], rows[row]) {
        (Some(i), Some(j)) => edge.at(i, j, blend) <= 0.0,
        _ => false,
    };
    for (k, rgb) in pixels.rgb.chunks_exact_mut(3).enumerate() {
        let (left, top) = (SAMPLES * (k % width), SAMPLES * (k / width));
        let places = (0..SAMPLES * SAMPLES).map(|k| (left + k % SAMPLES, top + k / SAMPLES));
        let inside = places.filter(|&(column, row)| is_inside(column, row)).count();
        let colour = Rgb { red: rgb[0], green: rgb[1], blue: rgb[2] };
        rgb.copy_from_slice(&PAPER.mix(colour, inside as f64 / (SAMPLES * SAMPLES) as f64).channels());
    }
    pixels
}

/// A corner of weight zero has no say, so a NaN does not spread along a line of nodes.
fn blend(a: f64, b: f64, part: f64) -> f64 {
    if part == 0.0 { a } else { (1.0 - part) * a + part * b }
}

/// The same, but a value that is not known has no say at all.
fn blend_known(a: f64, b: f64, part: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, false) => b,
        (false, true) => a,
        _ => blend(a, b, part),
    }
}

#[derive(Clone, Copy)]
struct Place {
    below: usize,
    above: usize,
    part: f64,
}

/// The two nodes around a place; `None` beyond the last ones. A single node stands for every place.
fn locate(nodes: &[f64], at: f64) -> Option<Place> {
    let last = nodes.len() - 1;
    let rounding = 1e-9 * (nodes[last] - nodes[0]);
    if last > 0 && (at < nodes[0] - rounding || at > nodes[last] + rounding) {
        return None;
    }
    let below = nodes.partition_point(|&node| node <= at).saturating_sub(1);
    if below >= last {
        return Some(Place { below: last, above: last, part: 0.0 });
    }
    let part = ((at - nodes[below]) / (nodes[below + 1] - nodes[below])).max(0.0);
    Some(Place { below, above: below + 1, part })
}

/// A scattered value at a place in the picture, in pixels.
#[derive(Clone, Copy)]
pub(crate) struct Site {
    pub x: f64,
    pub y: f64,
    pub value: f64,
}

/// A disc around each site; later sites cover earlier ones. Edges are smoothed by the distance to the rim.
pub(crate) fn dots(sites: &[Site], radius: f64, width: usize, height: usize, paint: &Painter<'_>) -> Pixels {
    let mut pixels = Pixels::from_fn(width, height, |_, _| PAPER);
    for site in sites {
        let colour = paint.colour(site.value);
        let span = |centre: f64, end: usize| {
            ((centre - radius - 1.0).max(0.0) as usize)..((centre + radius + 2.0).max(0.0) as usize).min(end)
        };
        for row in span(site.y, height) {
            for column in span(site.x, width) {
                let distance = (column as f64 + 0.5 - site.x).hypot(row as f64 + 0.5 - site.y);
                let cover = (radius + 0.5 - distance).clamp(0.0, 1.0);
                let start = 3 * (row * width + column);
                let target = &mut pixels.rgb[start..start + 3];
                let under = Rgb { red: target[0], green: target[1], blue: target[2] };
                target.copy_from_slice(&under.mix(colour, cover).channels());
            }
        }
    }
    pixels
}

/// Each pixel takes the value of its nearest site, unless that is out of reach: holes and the outside of the domain
/// stay white.
pub(crate) fn nearest(sites: &[Site], width: usize, height: usize, paint: &Painter<'_>) -> Pixels {
    let spacing = ((width * height) as f64 / sites.len().max(1) as f64).sqrt();
    let buckets = Buckets::new(sites, FAR * spacing, width, height);
    let reach = buckets.largest_gap().map_or(FAR * spacing, |gap| gap.max(NEAR * spacing));
    Pixels::from_fn(width, height, |column, row| {
        let (x, y) = (column as f64 + 0.5, row as f64 + 0.5);
        let best = buckets.around(x, y).map(|site| (distance(site, x, y), site)).min_by(|a, b| a.0.total_cmp(&b.0));
        best.filter(|(d, _)| *d <= reach).map_or(PAPER, |(_, site)| paint.colour(site.value))
    })
}

fn distance(site: &Site, x: f64, y: f64) -> f64 {
    (site.x - x).hypot(site.y - y)
}

/// Random points leave gaps of about this many mean spacings; a wider gap is part of the geometry.
const FAR: f64 = 1.5;
/// Half the diagonal of a square cell, and a little: less would leave holes in a regular grid.
const NEAR: f64 = 0.75;

/// Sites by square cells of side `reach`: whatever lies within reach of a point is in the nine cells around it.
struct Buckets<'a> {
    sites: &'a [Site],
    cells: Vec<Vec<u32>>,
    side: f64,
    columns: usize,
    rows: usize,
}

impl<'a> Buckets<'a> {
    fn new(sites: &'a [Site], side: f64, width: usize, height: usize) -> Self {
        let columns = (width as f64 / side) as usize + 1;
        let rows = (height as f64 / side) as usize + 1;
        let mut buckets = Self { sites, cells: vec![Vec::new(); columns * rows], side, columns, rows };
        for (k, site) in sites.iter().enumerate() {
            let (i, j) = buckets.cell(site.x, site.y);
            buckets.cells[j * columns + i].push(k as u32);
        }
        buckets
    }

    fn cell(&self, x: f64, y: f64) -> (usize, usize) {
        (((x / self.side) as usize).min(self.columns - 1), ((y / self.side) as usize).min(self.rows - 1))
    }

    /// The largest distance from a site to its nearest neighbour, among those that have one within a cell's side.
    fn largest_gap(&self) -> Option<f64> {
        let gap = |site: &Site| {
            let others = self.around(site.x, site.y).map(|other| distance(other, site.x, site.y));
            others.filter(|&d| d > 0.0 && d <= self.side).min_by(f64::total_cmp)
        };
        self.sites.iter().filter_map(gap).max_by(f64::total_cmp)
    }

    fn around(&self, x: f64, y: f64) -> impl Iterator<Item = &'a Site> {
        let (i, j) = self.cell(x, y);
        let rows = j.saturating_sub(1)..=(j + 1).min(self.rows - 1);
        let columns = i.saturating_sub(1)..=(i + 1).min(self.columns - 1);
        let cells = rows.flat_map(move |row| columns.clone().map(move |column| (column, row)));
        cells.flat_map(|(column, row)| &self.cells[row * self.columns + column]).map(|&k| &self.sites[k as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Grey from 0 (low) to 255 (high): the colour is the value.
    fn grey() -> [Rgb; 256] {
        std::array::from_fn(|k| Rgb { red: k as u8, green: k as u8, blue: k as u8 })
    }

    /// Nodes over the whole picture.
    fn whole<'a>(x: &'a [f64], y: &'a [f64], values: &'a [f64]) -> Nodes<'a> {
        let ends = |nodes: &[f64]| (nodes[0], nodes[nodes.len() - 1]);
        Nodes { x, y, values, across: ends(x), along: ends(y) }
    }

    #[test]
    fn fields_are_cut_smoothly_at_the_edge() {
        let (nodes, table) = ([-1.0, 0.0, 1.0], grey());
        // Inside is x + y < 0.1; the corner beyond it has no value.
        let distance: Vec<f64> = nodes.iter().flat_map(|y| nodes.map(|x| x + y - 0.1)).collect();
        let values: Vec<f64> = distance.iter().map(|&d| if d > 1.0 { f64::NAN } else { 0.0 }).collect();
        let pixels = grid(&whole(&nodes, &nodes, &values), true, 40, 40, &Painter { table: &table });
        let shown = cut(pixels, &whole(&nodes, &nodes, &distance));
        let mut partly = 0;
        for (k, rgb) in shown.rgb.chunks(3).enumerate() {
            let (x, y) = ((k % 40) as f64 / 20.0 - 0.975, 0.975 - (k / 40) as f64 / 20.0);
            match x + y - 0.1 {
                d if d < -0.1 => assert_eq!(rgb, [0, 0, 0], "inside, at {x}, {y}"),
                d if d > 0.1 => assert_eq!(rgb, PAPER.channels(), "outside, at {x}, {y}"),
                _ => partly += usize::from(rgb[0] > 0 && rgb[0] < 255),
            }
        }
        assert!(partly > 30, "{partly} pixels are shaded by the share inside");
    }

    #[test]
    fn a_picture_wider_than_its_nodes_stays_blank_beyond_them() {
        let table = grey();
        let nodes = Nodes { across: (-1.0, 1.0), ..whole(&[0.0, 1.0], &[0.0, 1.0], &[0.0; 4]) };
        let pixels = grid(&nodes, false, 4, 1, &Painter { table: &table });
        let first: Vec<u8> = pixels.rgb.chunks(3).map(|rgb| rgb[0]).collect();
        assert_eq!(first, [255, 255, 0, 0]);
    }

    proptest! {
        /// Bilinear interpolation reproduces a + bx + cy + dxy, on any increasing nodes.
        #[test]
        fn bilinear_fields_are_reproduced(
            c in prop::array::uniform4(-1f64..1.0),
            steps_x in prop::collection::vec(0.1f64..1.0, 1..6), steps_y in prop::collection::vec(0.1f64..1.0, 1..6),
        ) {
            let nodes = |steps: &[f64]| {
                let mut at = 0.0;
                std::iter::once(0.0).chain(steps.iter().map(|h| { at += h; at })).collect::<Vec<f64>>()
            };
            let (x, y) = (nodes(&steps_x), nodes(&steps_y));
            let u = |x: f64, y: f64| 0.5 + (c[0] + c[1] * x + c[2] * y + c[3] * x * y) / 128.0;
            let values: Vec<f64> = y.iter().flat_map(|&y| x.iter().map(move |&x| u(x, y))).collect();
            let table = grey();
            let pixels = grid(&whole(&x, &y, &values), false, 7, 5, &Painter { table: &table });
            for row in 0..5 {
                for column in 0..7 {
                    let px = x[x.len() - 1] * (column as f64 + 0.5) / 7.0;
                    let py = y[y.len() - 1] * (1.0 - (row as f64 + 0.5) / 5.0);
                    let want = (255.0 * u(px, py)).round();
                    let got = f64::from(pixels.rgb[3 * (7 * row + column)]);
                    prop_assert!((want - got).abs() <= 1.0, "want {want}, got {got}");
                }
            }
        }

        /// The bucket search agrees with looking at every site.
        #[test]
        fn nearest_is_nearest(places in prop::collection::vec((0f64..30.0, 0f64..20.0), 1..40)) {
            let sites: Vec<Site> =
                places.iter().enumerate().map(|(k, &(x, y))| Site { x, y, value: k as f64 / 255.0 }).collect();
            let table = grey();
            let pixels = nearest(&sites, 30, 20, &Painter { table: &table });
            let gap = |of: &Site| {
                let others = sites.iter().map(|s| distance(s, of.x, of.y)).filter(|&d| d > 0.0);
                others.fold(f64::INFINITY, f64::min)
            };
            let spacing = (600.0 / sites.len() as f64).sqrt();
            let gaps = sites.iter().map(gap).filter(|&d| d <= FAR * spacing).max_by(f64::total_cmp);
            let reach = gaps.map_or(FAR * spacing, |d| d.max(NEAR * spacing));
            for (k, rgb) in pixels.rgb.chunks(3).enumerate() {
                let (x, y) = ((k % 30) as f64 + 0.5, (k / 30) as f64 + 0.5);
                let least = sites.iter().map(|s| distance(s, x, y)).fold(f64::INFINITY, f64::min);
                if least > reach {
                    prop_assert_eq!(rgb[0], 255);
                } else {
                    prop_assert!((distance(&sites[usize::from(rgb[0])], x, y) - least).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn missing_nodes_stay_where_they_are() {
        let table = grey();
        let values = [0.0, 0.0, f64::NAN, 0.0, 0.0, 0.0];
        let pixels = grid(&whole(&[0.0, 1.0, 2.0], &[0.0, 1.0], &values), false, 4, 2, &Painter { table: &table });
        let missing: Vec<bool> = pixels.rgb.chunks(3).map(|rgb| rgb == MISSING.channels()).collect();
        assert_eq!(missing, [false, false, true, true, false, false, true, true]);
    }
}
