//! Conditions as they are stated: what must hold, for which unknown, where, on which points and with which weight.
//!
//! | kind | residual |
//! |---|---|
//! | initial, Dirichlet | u − g(x), or ∂u/∂t − g(x) for an initial derivative |
//! | Neumann | ∂u/∂n − g(x), n the unit normal out of the domain |
//! | Robin | ∂u/∂n − F(x, u) |
//! | periodic | ∂ᵏu at one face − ∂ᵏu at the opposite one, pair by pair |
//! | operator | any text |
//! | data | (u(xᵢ) − yᵢ)/σᵢ |

use std::path::PathBuf;

use super::columns::Renamed;
use super::formula::Formula;
use super::spread::Spread;

/// A formula for one unknown; without a name it is meant for the only one.
pub(super) type ForUnknown = (Option<String>, Formula);

/// A place as written, and the byte of the file where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlaceText {
    pub text: String,
    pub written_at: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// u = g, or its derivative along a coordinate.
    Value { word: &'static str, formulas: Vec<ForUnknown>, derivative: Option<String> },
    /// ∂u/∂n = F; Robin conditions let F depend on the unknowns.
    Flux { word: &'static str, formulas: Vec<ForUnknown>, of_unknowns: bool },
    /// Opposite faces agree in the derivatives of these orders, or in a residual of their own.
    /// Without orders those below the order of the equations.
    Periodic { along: String, orders: Option<Vec<u32>>, unknown: Option<String>, residual: Option<Formula> },
    /// These residuals vanish.
    Operator { residuals: Vec<Formula> },
    /// Measured values.
    Data(DataPlan),
}

/// What is said of measured values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DataPlan {
    pub observations: Observations,
    /// What is measured, if it is not what columns are named after.
    pub value_of: Option<Formula>,
    /// Noise levels by quantity; one without a name is that of all.
    pub sigma: Vec<ForUnknown>,
}

/// Where measured values come from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Observations {
    /// Rows under column names: coordinates, and expressions of the unknowns such as `u` or `u_x`.
    Rows { columns: Vec<String>, rows: Vec<f64> },
    /// The same in files, some of them perhaps under other names; arrays without names of their own are given them.
    Files { paths: Vec<PathBuf>, renamed: Renamed, names: Option<Vec<String>> },
    /// Made, with normal noise of this standard deviation: known answers to test inverse problems.
    Made { of: MadePlan, noise: f64, seed: Option<u32> },
}

/// What made values are made of.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum MadePlan {
    Formulas(Vec<ForUnknown>),
    /// The reference of some unknowns, or of all.
    Reference(Vec<String>),
}

/// One condition of a problem.
///
/// ```
/// use ropinn::problem::{Condition, Spread};
/// let initial = Condition::initial("sin(pi*x)");
/// let ends = Condition::dirichlet("boundary", 0.0).named("clamped").weighted(10.0);
/// let rim = Condition::robin("hole 1", "5 - u").with_points(Spread::scattered(ropinn_domain::Layout::Halton, 200));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub(super) name: Option<String>,
    pub(super) kind: Kind,
    pub(super) places: Vec<PlaceText>,
    pub(super) weight: f64,
    pub(super) spread: Option<Spread>,
    /// Whether it is built into the solution; the kind decides where nothing is said.
    pub(super) exact: Option<bool>,
    pub(super) written_at: usize,
}

impl Condition {
    pub(super) fn of_kind(kind: Kind, places: &[&str]) -> Self {
        let places = places.iter().map(|text| PlaceText { text: (*text).to_owned(), written_at: 0 });
        Condition { name: None, kind, places: places.collect(), weight: 1.0, spread: None, exact: None, written_at: 0 }
    }

    /// u(x, t₀) = value.
    pub fn initial(value: impl Into<Formula>) -> Self {
        let formulas = vec![(None, value.into())];
        Self::of_kind(Kind::Value { word: "initial", formulas, derivative: None }, &["initial"])
    }

    /// The derivative of u along coordinate `along` (usually time) at the first instant = value.
    pub fn initial_derivative(along: &str, value: impl Into<Formula>) -> Self {
        let (formulas, derivative) = (vec![(None, value.into())], Some(along.to_owned()));
        Self::of_kind(Kind::Value { word: "initial", formulas, derivative }, &["initial"])
    }

    /// u = value at a place such as `"x = 0"`, `"boundary"` or `"hole 2"`.
    pub fn dirichlet(place: &str, value: impl Into<Formula>) -> Self {
        let formulas = vec![(None, value.into())];
        Self::of_kind(Kind::Value { word: "dirichlet", formulas, derivative: None }, &[place])
    }

    /// ∂u/∂n = value, n pointing out of the domain.
    pub fn neumann(place: &str, value: impl Into<Formula>) -> Self {
        let formulas = vec![(None, value.into())];
        Self::of_kind(Kind::Flux { word: "neumann", formulas, of_unknowns: false }, &[place])
    }

    /// ∂u/∂n = flux, an expression of coordinates and unknowns.
    pub fn robin(place: &str, flux: impl Into<Formula>) -> Self {
        let formulas = vec![(None, flux.into())];
        Self::of_kind(Kind::Flux { word: "robin", formulas, of_unknowns: true }, &[place])
    }

    /// Every unknown is the same at both ends of a coordinate, with all derivatives: by construction on a box, else in those
    /// below the order of the equations.
    pub fn periodic(along: &str) -> Self {
        let along = along.to_owned();
        Self::of_kind(Kind::Periodic { along, orders: None, unknown: None, residual: None }, &[])
    }

    /// residual = 0, any expression; on boundaries `n_x`, `n_y`, … are the components of the outward normal.
    pub fn operator(place: &str, residual: impl Into<Formula>) -> Self {
        Self::of_kind(Kind::Operator { residuals: vec![residual.into()] }, &[place])
    }

    /// Measured values: `columns` names coordinates and expressions of the unknowns, `rows` holds them row after row.
    pub fn data<C: Into<String>>(columns: impl IntoIterator<Item = C>, rows: Vec<f64>) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        Self::measured(Observations::Rows { columns, rows })
    }

    fn measured(observations: Observations) -> Self {
        Self::of_kind(Kind::Data(DataPlan { observations, value_of: None, sigma: Vec::new() }), &[])
    }

    /// Measured values in a file whose first line names the columns.
    pub fn data_file(path: impl Into<PathBuf>) -> Self {
        Self::measured(Observations::Files { paths: vec![path.into()], renamed: Renamed::new(), names: None })
    }

    /// The same data, of which `name` (a coordinate, an unknown or an expression of them) stands in the column `column` of
    /// the file. Once a measured quantity is named so, other columns are left alone.
    pub fn with_column(mut self, name: &str, column: &str) -> Self {
        if let Kind::Data(DataPlan { observations: Observations::Files { renamed, .. }, .. }) = &mut self.kind {
            renamed.push((name.to_owned(), column.to_owned()));
        }
        self
    }

    /// Values of a known solution with normal noise of standard deviation `noise`, observed at `points`.
    pub fn made_data(value: impl Into<Formula>, noise: f64, points: Spread) -> Self {
        let of = MadePlan::Formulas(vec![(None, value.into())]);
        Self::measured(Observations::Made { of, noise, seed: None }).with_points(points)
    }

    /// The same for readings of the problem's reference.
    pub fn data_from_reference(noise: f64, points: Spread) -> Self {
        let of = MadePlan::Reference(Vec::new());
        Self::measured(Observations::Made { of, noise, seed: None }).with_points(points)
    }

    /// Made readings whose places and noise are drawn from a seed of their own, whatever that of a run is.
    pub fn seeded(mut self, own: u32) -> Self {
        if let Kind::Data(DataPlan { observations: Observations::Made { seed, .. }, .. }) = &mut self.kind {
            *seed = Some(own);
        }
        self
    }

    /// Readings with this standard deviation: a number, or the name of a column or of a number to be found.
    pub fn with_sigma(mut self, level: impl Into<Formula>) -> Self {
        if let Kind::Data(DataPlan { sigma, .. }) = &mut self.kind {
            *sigma = vec![(None, level.into())];
        }
        self
    }

    /// Readings of an expression of the unknowns, such as `u_x`; in a file they stand in the column `value`.
    pub fn of_value(mut self, quantity: impl Into<Formula>) -> Self {
        if let Kind::Data(DataPlan { value_of, .. }) = &mut self.kind {
            *value_of = Some(quantity.into());
        }
        self
    }

    /// The same condition under a name for messages and records.
    pub fn named(self, name: &str) -> Self {
        Condition { name: Some(name.to_owned()), ..self }
    }

    /// The same condition for one of several unknowns.
    pub fn of(mut self, name: &str) -> Self {
        let for_this = |formulas: &mut Vec<ForUnknown>| {
            formulas.iter_mut().for_each(|(unknown, _)| *unknown = Some(name.to_owned()));
        };
        match &mut self.kind {
            Kind::Value { formulas, .. } | Kind::Flux { formulas, .. } => for_this(formulas),
            Kind::Periodic { unknown, .. } => *unknown = Some(name.to_owned()),
            Kind::Data(DataPlan { observations: Observations::Made { of, .. }, .. }) => match of {
                MadePlan::Formulas(formulas) => for_this(formulas),
                MadePlan::Reference(unknowns) => *unknowns = vec![name.to_owned()],
            },
            Kind::Operator { .. } | Kind::Data(_) => {}
        }
        self
    }

    /// The same condition, holding at a further place too.
    pub fn also_at(mut self, place: &str) -> Self {
        self.places.push(PlaceText { text: place.to_owned(), written_at: 0 });
        self
    }

    /// A periodic condition that matches the derivatives of these orders across the faces, as part of the loss; 0 is the
    /// value.
    pub fn matching_orders(mut self, matched: &[u32]) -> Self {
        if let Kind::Periodic { orders, .. } = &mut self.kind {
            *orders = Some(matched.to_vec());
        }
        self
    }

    /// The same condition built into the solution, or as part of the loss.
    pub fn exactly(self, exact: bool) -> Self {
        Condition { exact: Some(exact), ..self }
    }

    /// The same condition with another weight in the loss than 1.
    pub fn weighted(self, weight: f64) -> Self {
        Condition { weight, ..self }
    }

    /// The same condition on points of its own.
    pub fn with_points(self, points: Spread) -> Self {
        Condition { spread: Some(points), ..self }
    }

    pub(super) fn is_data(&self) -> bool {
        matches!(self.kind, Kind::Data(_))
    }

    /// Its word in files.
    pub(super) fn word(&self) -> &'static str {
        match &self.kind {
            Kind::Value { word, .. } | Kind::Flux { word, .. } => word,
            Kind::Periodic { .. } => "periodic",
            Kind::Operator { .. } => "operator",
            Kind::Data(_) => "data",
        }
    }

    /// Its name, or what it says and where.
    pub(super) fn label(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        match &self.kind {
            Kind::Value { word: "initial", derivative: None, .. } => "initial".to_owned(),
            Kind::Value { word: "initial", derivative: Some(along), .. } => format!("initial d/d{along}"),
            Kind::Periodic { along, .. } => format!("periodic {along}"),
            Kind::Data(_) => "data".to_owned(),
            _ => {
                let places: Vec<&str> = self.places.iter().map(|place| place.text.as_str()).collect();
                format!("{} {}", self.word(), places.join(", "))
            }
        }
    }
}
