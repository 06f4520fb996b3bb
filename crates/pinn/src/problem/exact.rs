//! Conditions that hold whatever the parameters of the network are.
//!
//! Periodic coordinates enter the network as sine and cosine of whole periods. Prescribed values are built into
//! u = g(x) + d(x)·N(x; θ) (Lagaris et al. 1998): d vanishes where they are prescribed, and g takes them there. On boxes and
//! in time g is made axis by axis, each adding what is missing on its faces (Boolean sums, Gordon & Hall 1973):
//!
//! g ← g + (1 − s)(v_low − g|low) + s(v_high − g|high), and g ← g + (v − g|t₀) + (t − t₀)(w − ∂g/∂t|t₀) with a velocity w.
//!
//! The boundary of another shape takes g as its formula and d from `smooth_distance`. Values that contradict each other
//! where such places meet cannot be built in, so the result is looked at before it is used.

use ropinn_domain::{BoundaryPart, Geometry, Layout, Side};
use ropinn_expr::{Env, Expr};

use super::error::ProblemError;
use super::place::{Place, Surroundings, straight_pieces};
use super::smooth_distance::smooth_distance;

/// u = g + d·N, for each unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Prescribed {
    /// The prescribed values, as a function of all coordinates.
    pub g: Vec<Expr>,
    /// What vanishes where they are prescribed.
    pub d: Vec<Expr>,
}

/// What a problem's solution satisfies by construction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Exact {
    /// One entry for each coordinate.
    pub periodic: Vec<bool>,
    pub prescribed: Option<Prescribed>,
    /// What was prescribed, condition by condition.
    pub pins: Vec<Pin>,
}

/// A value at a place, to be built in.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pin {
    pub condition: String,
    pub written_at: usize,
    pub field: usize,
    pub place: Pinned,
    pub value: Expr,
    /// Whether it is the derivative along time that is prescribed.
    pub rate: bool,
}

/// Where a value is built in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pinned {
    /// The end of a coordinate of a box, or of time.
    End(usize, Side),
    /// The whole boundary of another shape.
    Boundary,
}

/// Points at which what was built is compared with what was asked for.
const PROBES: usize = 64;
/// Values that differ by less than this part of their size agree.
const AGREE: f64 = 1e-7;

/// Points of a shape are where their coordinates are rounded to, so values there are a little off.
fn agree((a, b): (f64, f64)) -> bool {
    a.is_finite() && (a - b).abs() <= AGREE * (1.0 + a.abs())
}

/// A refusal with its reason.
pub(super) fn not_exact(condition: &str, reason: impl Into<String>, at: Box<super::Position>) -> ProblemError {
    ProblemError::NotExact { condition: condition.to_owned(), reason: reason.into() }.at(at)
}

impl Surroundings<'_> {
    /// The ends of coordinates that a place consists of, or the whole boundary; the reason if it is neither.
    pub fn pinned(&self, place: &Place) -> Result<Vec<Pinned>, &'static str> {
        let parts = match place {
            Place::Instant(side) => return Ok(vec![Pinned::End(self.ranges.len() - 1, *side)]),
            Place::Parts(parts) => parts,
        };
        let included = |tag| parts.iter().any(|part: &BoundaryPart| part.includes(tag));
        if self.geometry.as_box().is_some() {
            let faces = straight_pieces(self.geometry).into_iter().filter(|piece| included(piece.tag));
            let end = |piece: super::place::StraightPiece| {
                let side = if piece.value == self.ranges[piece.axis].0 { Side::Low } else { Side::High };
                Pinned::End(piece.axis, side)
            };
            return Ok(faces.map(end).collect());
        }
        match self.geometry.boundary_pieces().iter().all(|piece| included(piece.tag)) {
            true => Ok(vec![Pinned::Boundary]),
            false => Err("of a shape that is no box, only the whole boundary can be built in"),
        }
    }

    /// Builds the values into functions of the coordinates.
    pub fn prescribe(&self, pins: &[Pin]) -> Result<Option<Prescribed>, ProblemError> {
        if pins.is_empty() {
            return Ok(None);
        }
        let unknowns = self.scope.unknown_names().len();
        let mut built = Prescribed { g: Vec::new(), d: Vec::new() };
        for field in 0..unknowns {
            let own: Vec<&Pin> = pins.iter().filter(|pin| pin.field == field).collect();
            let (g, d) = self.ansatz(&own)?;
            self.check(&own, &g)?;
            built.g.push(g);
            built.d.push(d);
        }
        Ok(Some(built))
    }

    fn refuse(&self, pin: &Pin, reason: impl Into<String>) -> ProblemError {
        not_exact(&pin.condition, reason, self.source.position(pin.written_at))
    }

    /// g and d of one unknown.
    fn ansatz(&self, pins: &[&Pin]) -> Result<(Expr, Expr), ProblemError> {
        let (mut g, mut d) = (Expr::constant(0.0), Expr::constant(1.0));
        if let Some(pin) = self.only(pins, Pinned::Boundary, false)? {
            let distance = smooth_distance(self.geometry).map_err(|reason| self.refuse(pin, reason))?;
            (g, d) = (pin.value.clone(), distance);
        }
        // Time is the last axis, so what holds in space holds from its beginning.
        for (axis, &(low, high)) in self.ranges.iter().enumerate() {
            let end = |side, rate| self.only(pins, Pinned::End(axis, side), rate);
            let (first, last) = (end(Side::Low, false)?, end(Side::High, false)?);
            if let Some(pin) = end(Side::High, true)? {
                return Err(self.refuse(pin, "a derivative can be built in at the beginning only"));
            }
            let at = |expr: &Expr, value: f64| self.fixed(expr, axis, value);
            let missing = |pin: &Pin, value: f64, g: &Expr| at(&pin.value, value) - at(g, value);
            let x = Expr::coord(axis);
            let s = (&x - low) * (1.0 / (high - low));
            let rest = Expr::constant(1.0) - &s;
            match (first, last, end(Side::Low, true)?) {
                (None, None, None) => {}
                (Some(first), None, None) => (g, d) = (&g + missing(first, low, &g), d * &s),
                (None, Some(last), None) => (g, d) = (&g + missing(last, high, &g), d * rest),
                (Some(first), Some(last), None) => {
                    let added = &rest * missing(first, low, &g) + &s * missing(last, high, &g);
                    (g, d) = (&g + added, d * 4.0 * s * rest);
                }
                (Some(first), None, Some(rate)) => {
                    let turn = at(&rate.value, low) - at(&g.derivative(axis), low);
                    (g, d) = (&g + missing(first, low, &g) + (x - low) * turn, d * s.powi(2));
                }
                (_, Some(_), Some(rate)) => {
                    return Err(self.refuse(rate, "a velocity and a value at the end cannot both be built in"));
                }
                (None, None, Some(rate)) => {
                    return Err(
                        self.refuse(rate, "a velocity can be built in only beside the value, which is not exact")
                    );
                }
            }
        }
        Ok((g, d))
    }

    /// The only value at a place.
    fn only<'p>(&self, pins: &[&'p Pin], place: Pinned, rate: bool) -> Result<Option<&'p Pin>, ProblemError> {
        let mut found = pins.iter().filter(|pin| pin.place == place && pin.rate == rate);
        let first = found.next().copied();
        match (first, found.next()) {
            (Some(first), Some(second)) => {
                Err(self.refuse(second, format!("`{}` is exact at the same place", first.condition)))
            }
            _ => Ok(first),
        }
    }

    /// An expression with one coordinate fixed.
    fn fixed(&self, expr: &Expr, axis: usize, value: f64) -> Expr {
        let coordinate = |k: usize| if k == axis { Expr::constant(value) } else { Expr::coord(k) };
        expr.substitute_coords(&(0..self.ranges.len()).map(coordinate).collect::<Vec<_>>())
    }

    /// Refuses what is not there after all: values contradict each other where their places meet, or are not finite.
    fn check(&self, pins: &[&Pin], g: &Expr) -> Result<(), ProblemError> {
        for (k, pin) in pins.iter().enumerate() {
            for other in pins[..k].iter().filter(|other| !other.rate && !pin.rate && other.place != pin.place) {
                let points = self.probes(pin, &[pin.place, other.place])?;
                let said = |point: &[f64]| (pin.value.eval(&Env::at(point)), other.value.eval(&Env::at(point)));
                if let Some(point) = points.chunks_exact(self.ranges.len()).find(|point| !agree(said(point))) {
                    let (own, theirs) = said(point);
                    let (place, name) = (self.described(point), &other.condition);
                    return Err(self.refuse(pin, format!("at {place} it says {own:.4}, and `{name}` says {theirs:.4}")));
                }
            }
            let built = match pin.place {
                Pinned::End(axis, _) if pin.rate => g.derivative(axis),
                _ => g.clone(),
            };
            for point in self.probes(pin, &[pin.place])?.chunks_exact(self.ranges.len()) {
                let [wanted, built] = [&pin.value, &built].map(|expr| expr.eval(&Env::at(point)));
                if !agree((wanted, built)) {
                    let (place, what) = (self.described(point), if pin.rate { "derivative" } else { "value" });
                    return Err(self.refuse(
                        pin,
                        match wanted.is_finite() {
                            true => format!(
                                "at {place} its {what} is {wanted:.4}, but other exact conditions make it {built:.4}"
                            ),
                            false => format!("its {what} is {wanted} at {place}"),
                        },
                    ));
                }
            }
        }
        Ok(())
    }

    /// Points that lie at all of these places.
    fn probes(&self, pin: &Pin, places: &[Pinned]) -> Result<Vec<f64>, ProblemError> {
        let mut coords = match places.contains(&Pinned::Boundary) {
            true => {
                let drawn = self.geometry.sample_boundary(BoundaryPart::All, PROBES, &Layout::Halton, 0);
                drawn.map_err(|error| self.refuse(pin, error.to_string()))?.into_coords()
            }
            false => self.around(),
        };
        for place in places {
            let Pinned::End(axis, side) = *place else { continue };
            // The two ends of one coordinate never meet.
            if places.iter().any(|other| matches!(other, Pinned::End(same, other) if *same == axis && *other != side)) {
                return Ok(Vec::new());
            }
            let (low, high) = self.ranges[axis];
            let value = if side == Side::Low { low } else { high };
            coords.chunks_exact_mut(self.ranges.len()).for_each(|point| point[axis] = value);
        }
        Ok(coords)
    }

    fn described(&self, point: &[f64]) -> String {
        let named = self.scope.coord_names().iter().zip(point);
        named.map(|(name, value)| format!("{name} = {value:.4}")).collect::<Vec<_>>().join(", ")
    }

    /// Points of the box of the ranges, its corners among them.
    fn around(&self) -> Vec<f64> {
        let axes = self.ranges.len();
        let corner = |bits: usize| (0..axes).map(move |axis| if bits >> axis & 1 == 0 { 0.0 } else { 1.0 });
        let corners = (0..1usize << axes.min(6)).flat_map(corner);
        let scattered = Geometry::cuboid(&vec![0.0; axes], &vec![1.0; axes])
            .and_then(|unit| unit.sample_interior(PROBES, &Layout::Halton, 0))
            .map_or_else(|_| Vec::new(), ropinn_domain::Points::into_coords);
        let unit: Vec<f64> = corners.chain(scattered).collect();
        let scale = |(k, s): (usize, &f64)| {
            let (low, high) = self.ranges[k % axes];
            if *s == 1.0 { high } else { low + s * (high - low) }
        };
        unit.iter().enumerate().map(scale).collect()
    }
}
