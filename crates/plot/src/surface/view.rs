//! From points in the box to places in the picture: an orthographic view.
//!
//! With azimuth a and elevation e the viewer is in the direction d = (cos e cos a, cos e sin a, sin e); the picture's
//! axes are (−sin a, cos a, 0) to the right and (−sin e cos a, −sin e sin a, cos e) upwards.

use crate::geometry::{Point, Rect, point};

/// Half the height of the box, whose horizontal half sides are 1.
pub(crate) const HALF_HEIGHT: f64 = 0.62;

pub(crate) type Vector = [f64; 3];

#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    pub right: Vector,
    pub up: Vector,
    pub toward: Vector,
    /// CSS pixels per unit of the box.
    pub scale: f64,
    /// Place of the middle of the box.
    pub centre: Point,
}

impl View {
    pub fn new(azimuth: f64, elevation: f64) -> Self {
        let ((sa, ca), (se, ce)) = (azimuth.to_radians().sin_cos(), elevation.to_radians().sin_cos());
        Self {
            right: [-sa, ca, 0.0],
            up: [-se * ca, -se * sa, ce],
            toward: [ce * ca, ce * sa, se],
            scale: 1.0,
            centre: point(0.0, 0.0),
        }
    }

    pub fn place(&self, p: Vector) -> Point {
        point(self.centre.x + self.scale * dot(self.right, p), self.centre.y - self.scale * dot(self.up, p))
    }

    /// The side of the box, −1 or 1, that faces the viewer along x (0) or y (1).
    pub fn near(&self, axis: usize) -> f64 {
        if self.toward[axis] >= 0.0 { 1.0 } else { -1.0 }
    }

    /// The box in the picture.
    pub fn bounds(&self) -> Rect {
        let reach = |v: Vector| v[0].abs() + v[1].abs() + HALF_HEIGHT * v[2].abs();
        let (width, height) = (self.scale * reach(self.right), self.scale * reach(self.up));
        Rect::new(self.centre.x - width, self.centre.y - height, 2.0 * width, 2.0 * height)
    }
}

pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The unit vector along `v`, which is not zero.
pub(crate) fn unit(v: Vector) -> Vector {
    let length = dot(v, v).sqrt();
    v.map(|c| c / length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn axes_of_the_picture_are_orthonormal(azimuth in -720f64..720.0, elevation in 5f64..85.0) {
            let view = View::new(azimuth, elevation);
            let axes = [view.right, view.up, view.toward];
            for (i, a) in axes.into_iter().enumerate() {
                for (j, b) in axes.into_iter().enumerate() {
                    prop_assert!((dot(a, b) - f64::from(u8::from(i == j))).abs() < 1e-12);
                }
            }
            let across = cross(view.right, view.up);
            prop_assert!(dot(across, view.toward) > 0.999, "right-handed: x right, y up, z to the viewer");
        }
    }
}
