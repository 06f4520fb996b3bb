//! Where a field in space has certain values: shells in a box with ticks, the corner towards the viewer cut away so that inner ones are seen.

mod nets;

use crate::axis::{Scale, label_with_unit};
use crate::colour::Rgb;
use crate::colour_bar::ColourBar;
use crate::colour_map::ColourMap;
use crate::coordinate::{Axis, check_grid, check_length};
use crate::error::PlotError;
use crate::geometry::{Rect, Size};
use crate::heading::headed;
use crate::picture::Figure;
use crate::scene::{Frame, Mark, Stroke};
use crate::surface::frame::{BoxAxis, BoxFrame};
use crate::surface::view::{HALF_HEIGHT, Vector, View, cross, dot, unit};
use crate::theme::MARGIN;
use nets::Patch;

const NATURAL: (f64, f64) = (360.0, 300.0);
/// Part of the height that the colour bar takes.
const BAR_PART: f64 = 0.62;
const BAR_GAP: f64 = 6.0;
const EDGE: f64 = 0.5;
const BLACK: Rgb = Rgb::from_hex(0);
/// How much of the colour gives way to black where no light falls.
const SHADE: f64 = 0.6;
/// Where on the range of the values the shells are.
const LEVELS: [f64; 3] = [0.25, 0.5, 0.75];

/// Shells of a field over a grid in space: value `(k * y.len() + j) * x.len() + i` is that at `(x[i], y[j], z[k])`, NaN outside the domain.
///
/// ```
/// use ropinn_plot::{Axis, Figure, Isosurfaces};
/// let nodes: Vec<f64> = (0..=16).map(|k| f64::from(k) / 8.0 - 1.0).collect();
/// let square = |a: f64| a * a;
/// let values = (0..17 * 17 * 17).map(|n| square(nodes[n % 17]) + square(nodes[n / 17 % 17]) + square(nodes[n / 289])).collect();
/// let axes = ["x", "y", "z"].map(|name| Axis::new(name, nodes.clone()));
/// assert!(Isosurfaces::new(axes, "r²", values).to_svg_string()?.contains("<path"));
/// # Ok::<(), ropinn_plot::PlotError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Isosurfaces {
    /// Title in bold; empty for none.
    pub title: String,
    /// Smaller line below the title; empty for none.
    pub subtitle: String,
    /// The coordinates.
    pub axes: [Axis; 3],
    /// Values, the first coordinate fastest.
    pub values: Vec<f64>,
    /// Colours by value.
    pub map: ColourMap,
    /// Where the viewer stands, in degrees, as for a surface.
    pub azimuth: f64,
    /// How far above the horizon the viewer stands, in degrees.
    pub elevation: f64,
}

headed!(Isosurfaces);

impl Isosurfaces {
    /// Shells of a quantity, which is the title, at a quarter, half and three quarters of its range.
    pub fn new(axes: [Axis; 3], quantity: impl Into<String>, values: Vec<f64>) -> Self {
        let (title, subtitle, map) = (quantity.into(), String::new(), ColourMap::default());
        Self { title, subtitle, axes, values, map, azimuth: -55.0, elevation: 30.0 }
    }

    fn check(&self) -> Result<Scale, PlotError> {
        let [x, y, z] = &self.axes;
        for axis in &self.axes {
            if axis.values.len() < 2 {
                let because = "a box has at least two nodes each way".to_owned();
                check_length(&format!("axis `{}`", axis.label), axis.values.len(), 2, because)?;
            }
        }
        let (plane, because) = check_grid(x, y)?;
        check_grid(y, z)?;
        let because = format!("{because} times {} of `{}`", z.values.len(), z.label);
        check_length("the field", self.values.len(), plane * z.values.len(), because)?;
        let scale = Scale::around(self.values.iter().copied(), false);
        scale.ok_or_else(|| PlotError::nothing_to_place(format!("`{}`", self.title), false))
    }

    fn box_axes(&self) -> [BoxAxis; 3] {
        self.axes.each_ref().map(|axis| BoxAxis {
            scale: Scale { low: axis.values[0], high: axis.values[axis.values.len() - 1], log: false },
            label: label_with_unit(&axis.label, axis.unit.as_deref()),
        })
    }

    /// The shells from far to near, without the corner towards the viewer.
    fn marks(&self, scale: Scale, view: &View) -> Vec<Mark> {
        let half = [1.0, 1.0, HALF_HEIGHT];
        let nodes: [Vec<f64>; 3] = std::array::from_fn(|k| {
            let own = &self.axes[k].values;
            let range = Scale { low: own[0], high: own[own.len() - 1], log: false };
            own.iter().map(|v| half[k] * (2.0 * range.fraction(*v).unwrap_or(0.5) - 1.0)).collect()
        });
        let mut patches: Vec<(f64, f64, Patch)> = Vec::new();
        for level in LEVELS {
            for patch in nets::patches(&nodes, &self.values, scale.value(level)) {
                let middle = patch.middle();
                let near = (0..2).all(|k| middle[k] * view.near(k) > 0.0) && middle[2] > 0.0;
                if !near {
                    patches.push((dot(middle, view.toward), level, patch));
                }
            }
        }
        patches.sort_by(|a, b| a.0.total_cmp(&b.0));
        patches.iter().filter_map(|(_, level, patch)| patch.mark(self.map.at(*level), view)).collect()
    }
}

impl Patch {
    /// Lambert's cosine law with a light up on the viewer's left, the same on both sides; none for a patch of no size.
    fn mark(&self, plain: Rgb, view: &View) -> Option<Mark> {
        let light = unit(std::array::from_fn(|k| 0.7 * view.toward[k] + 0.6 * view.up[k] - 0.6 * view.right[k]));
        let [a, b, c, d] = self.corners;
        let diagonal = |from: Vector, to: Vector| std::array::from_fn(|k| to[k] - from[k]);
        let normal = cross(diagonal(a, c), diagonal(b, d));
        if dot(normal, normal) < f64::MIN_POSITIVE {
            return None;
        }
        let normal = unit(normal);
        let lit = (dot(normal, light) * dot(normal, view.toward).signum()).max(0.0);
        let colour = plain.mix(BLACK, SHADE * (1.0 - lit));
        let outline = self.corners.iter().map(|corner| view.place(*corner)).collect();
        Some(Mark::Area { outline, colour, opacity: 1.0, edge: Some(Stroke::solid(colour, EDGE)) })
    }
}

impl Figure for Isosurfaces {
    fn natural_size(&self) -> Size {
        Size::new(NATURAL.0 + 2.0 * MARGIN, NATURAL.1 + self.heading().height(NATURAL.0) + 2.0 * MARGIN)
    }

    fn draw(&self, frame: Frame<'_>) -> Result<(), PlotError> {
        let (scale, whole, scene) = (self.check()?, frame.area, frame.scene);
        let area = self.heading().draw(scene, whole.shrunk(MARGIN, MARGIN, MARGIN, MARGIN));
        let bar = ColourBar::new(self.map, scale, BAR_PART * area.height);
        let left = area.shrunk(0.0, 0.0, bar.room() + BAR_GAP, 0.0);
        let axes = self.box_axes();
        let view = BoxFrame::fitted(&View::new(self.azimuth, self.elevation), &left, &axes)
            .map_err(|lacking| PlotError::too_small(whole.size(), lacking))?;
        let walls = BoxFrame::new(view, &axes);
        walls.draw_behind(scene);
        scene.marks.extend(self.marks(scale, &view));
        walls.draw_before(scene);
        let margin = 0.5 * (1.0 - BAR_PART) * area.height;
        let beside: Rect = left.shrunk(0.0, margin, -BAR_GAP, margin).snapped();
        bar.draw(scene, &beside);
        LEVELS.iter().for_each(|level| bar.draw_level(scene, &beside, *level, Stroke::solid(BLACK, 1.0)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bowl(values: impl Fn(f64) -> f64) -> Isosurfaces {
        let nodes: Vec<f64> = (0..=20).map(|k| f64::from(k) / 10.0 - 1.0).collect();
        let size = |n: usize| [n % 21, n / 21 % 21, n / 441].iter().map(|k| nodes[*k] * nodes[*k]).sum::<f64>();
        let axes = ["x", "y", "z"].map(|name| Axis::new(name, nodes.clone()));
        Isosurfaces::new(axes, "u", (0..21 * 21 * 21).map(|n| values(size(n))).collect())
    }

    #[test]
    fn the_corner_towards_the_viewer_is_open_and_the_rest_painted_from_far_to_near() {
        let figure = bowl(|square| -square);
        let (scale, view) = (figure.check().expect("a field"), View::new(figure.azimuth, figure.elevation));
        let marks = figure.marks(scale, &view);
        // Shells of r² = 3/4, 3/2 and 9/4 around the middle: the innermost one, in the last colour, is seen and shaded.
        assert!(marks.len() > 1000 && marks.len() < 10_000, "{}", marks.len());
        let colours: std::collections::BTreeSet<[u8; 3]> = marks
            .iter()
            .map(|mark| match mark {
                Mark::Area { colour, .. } => colour.channels(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(colours.len() > 100, "{}", colours.len());
    }

    #[test]
    fn fields_that_cannot_be_drawn_say_so() {
        let message = |figure: Isosurfaces| figure.to_svg_string().expect_err("refused").to_string();
        assert_eq!(message(bowl(|_| f64::NAN)), "`u` has no finite value; check whether the run diverged");
        let mut short = bowl(|square| square);
        short.values.pop();
        assert!(message(short).starts_with("the field has 9260 values but 9261 are expected"));
        // A field of one value has no shells, but a box.
        assert!(bowl(|_| 1.0).to_svg_string().is_ok());
    }
}
