//! Conditions turned into terms: residual expressions over known names, and the support they are taken on.

use ropinn_domain::BoundaryPart;
use ropinn_expr::{Expr, MAX_TEXT_ORDER, MultiIndex, Scope};

use super::columns::MissingReadings;
use super::condition::{Condition, ForUnknown, Kind};
use super::error::ProblemError;
use super::exact::{Pin, Pinned, not_exact};
use super::formula::Formula;
use super::inputs::Inputs;
use super::place::{Place, Surroundings, face_normal};
use super::source::Position;
use super::term::{Support, Term, TermGroup};

/// What becomes of a condition.
pub(super) enum Stated {
    /// Terms of the loss, and where their points are.
    Terms(Vec<(Term, Support)>, Vec<MissingReadings>),
    /// Values that are built into the solution.
    Pinned(Vec<Pin>),
    /// A coordinate in which the solution is periodic by construction.
    Periodic(usize),
}

/// A term, and where its points are.
type Soft = Result<(Term, Support), ProblemError>;

/// Expressions that must vanish, each with its label.
type Labelled = Vec<(String, Expr)>;

/// Resolves one condition; its files are among `inputs`.
pub(super) fn resolve(
    condition: &Condition,
    around: &Surroundings<'_>,
    inputs: &Inputs,
) -> Result<Stated, ProblemError> {
    let resolver = Resolver { condition, around, name: condition.label() };
    if let Some(stated) = resolver.built_in()? {
        return Ok(stated);
    }
    if !(condition.weight >= 0.0 && condition.weight.is_finite()) {
        let (at, weight) = (resolver.at(), condition.weight);
        return Err(ProblemError::BadWeight { what: format!("condition `{}`", resolver.name), weight }.at(at));
    }
    let one = |term: (Term, Support)| vec![term];
    let mut missing = Vec::new();
    let mut terms = match &condition.kind {
        Kind::Value { word, formulas, derivative } => resolver.value(word, formulas, derivative.as_deref()).map(one),
        Kind::Flux { formulas, of_unknowns, .. } => resolver.flux(formulas, *of_unknowns).map(one),
        Kind::Periodic { along, orders, unknown, residual } => {
            resolver.periodic(along, orders.as_deref(), unknown.as_deref(), residual.as_ref()).map(one)
        }
        Kind::Operator { residuals } => resolver.operator(residuals).map(one),
        Kind::Data(data) => {
            let terms;
            (terms, missing) = resolver.data(data, inputs)?;
            Ok(terms)
        }
    }?;
    for (term, _) in &mut terms {
        let readings = term.noise.as_ref().map_or(term.residuals.len(), |noise| noise.readings);
        for residual in &term.residuals[..readings] {
            check_residual(residual, &format!("condition `{}`", term.name), term.sites, around, condition.written_at)?;
        }
        term.weight *= condition.weight;
    }
    Ok(Stated::Terms(terms, missing))
}

/// Refuses residuals that training cannot change, and places they have no points for.
pub(super) fn check_residual(
    residual: &Expr,
    what: &str,
    sites: usize,
    around: &Surroundings<'_>,
    written_at: usize,
) -> Result<(), ProblemError> {
    let (at, what) = (|| around.source.position(written_at), what.to_owned());
    if !residual.depends_on_unknowns() {
        let unknowns = around.scope.unknown_names().join(", ");
        return Err(ProblemError::NoUnknown { what, unknowns }.at(at()));
    }
    let site = residual.max_site();
    if site >= sites {
        return Err(ProblemError::NoSuchSite { what, site }.at(at()));
    }
    Ok(())
}

pub(super) struct Resolver<'a> {
    pub condition: &'a Condition,
    pub around: &'a Surroundings<'a>,
    pub name: String,
}

impl Resolver<'_> {
    pub(super) fn at(&self) -> Box<Position> {
        self.around.source.position(self.condition.written_at)
    }

    pub(super) fn scope(&self) -> &Scope {
        self.around.scope
    }

    pub(super) fn what(&self, part: &str) -> String {
        format!("{part} of condition `{}`", self.name)
    }

    pub(super) fn finish(&self, residuals: Labelled, support: Support) -> (Term, Support) {
        let group = match &support {
            Support::Given | Support::Made { .. } => TermGroup::Data,
            Support::Places { places, .. } if places.iter().all(|place| matches!(place, Place::Instant(_))) => {
                TermGroup::Initial
            }
            _ => TermGroup::Boundary,
        };
        let value_only = matches!(&self.condition.kind, Kind::Value { derivative: None, .. });
        let mut term = Term::new(self.name.clone(), group, residuals);
        term.first_element_only = group == TermGroup::Initial && value_only;
        term.sites = if matches!(support, Support::Pairs { .. }) { 2 } else { 1 };
        (term, support)
    }

    fn places(&self) -> Result<Vec<Place>, ProblemError> {
        if self.condition.places.is_empty() {
            return Err(ProblemError::MissingKey {
                section: format!("condition `{}`", self.name),
                key: "at",
                example: "at = \"boundary\"".to_owned(),
            }
            .at(self.at()));
        }
        let find = |place: &super::condition::PlaceText| self.around.find(&place.text, &self.name, place.written_at);
        self.condition.places.iter().map(find).collect()
    }

    fn support(&self, places: Vec<Place>) -> Support {
        Support::Places { places, spread: self.condition.spread.clone() }
    }

    /// The field a formula is meant for, and its name.
    pub(super) fn field(&self, unknown: Option<&str>) -> Result<(usize, String), ProblemError> {
        let names = self.scope().unknown_names();
        let name = match (unknown, &names[..names.len() - self.around.fields]) {
            (Some(name), _) => name,
            (None, [only]) => only.as_str(),
            (None, _) => {
                let (at, unknowns) = (self.at(), names.join(", "));
                return Err(ProblemError::WhichUnknown { condition: self.name.clone(), unknowns }.at(at));
            }
        };
        let found = self.scope().unknown(name).map_err(|source| ProblemError::Name { source }.at(self.at()))?;
        Ok((found.field(), name.to_owned()))
    }

    fn axis(&self, coordinate: &str) -> Result<usize, ProblemError> {
        let found = self.scope().coord(coordinate);
        found.map(|axis| axis.index()).map_err(|source| ProblemError::Name { source }.at(self.at()))
    }

    /// A prescribed value: finite, and free of unknowns.
    pub(super) fn known(&self, formula: &Formula, part: &str) -> Result<Expr, ProblemError> {
        let what = self.what(part);
        let value = formula.resolve(self.scope(), &what, self.around.source)?;
        let at = || formula.position(self.around.source);
        if value.depends_on_unknowns() {
            return Err(ProblemError::ValueHasUnknown { what }.at(at()));
        }
        match value.as_constant().filter(|c| !c.is_finite()) {
            Some(c) => Err(ProblemError::NotANumber { what, value: c.to_string() }.at(at())),
            None => Ok(value),
        }
    }

    /// What is built into the solution, if the condition is to be.
    fn built_in(&self) -> Result<Option<Stated>, ProblemError> {
        let Condition { kind, exact, .. } = self.condition;
        let refuse = |reason: &str| not_exact(&self.name, reason, self.at());
        match kind {
            Kind::Periodic { along, orders, unknown, residual } => {
                let axis = self.axis(along)?;
                let wanted = exact.unwrap_or(orders.is_none());
                let impossible = match () {
                    () if residual.is_some() => Some("it has a residual of its own"),
                    () if unknown.is_some() && self.scope().unknown_names().len() > 1 => {
                        Some("a coordinate is periodic for all unknowns or for none")
                    }
                    () if self.around.geometry.as_box().is_none() && self.around.time_axis != Some(axis) => {
                        Some("only boxes can be")
                    }
                    () => None,
                };
                match impossible {
                    None if wanted => Ok(Some(Stated::Periodic(axis))),
                    Some(reason) if *exact == Some(true) => Err(refuse(reason)),
                    _ => Ok(None),
                }
            }
            _ if *exact != Some(true) => Ok(None),
            Kind::Value { word, formulas, derivative } => self.pins(word, formulas, derivative.as_deref()).map(Some),
            Kind::Flux { .. } => Err(refuse("normal derivatives cannot be built in")),
            Kind::Operator { .. } => Err(refuse("only values can be built in, not residuals")),
            Kind::Data(_) => Err(refuse("measured values cannot be built in")),
        }
    }

    fn pins(&self, word: &str, formulas: &[ForUnknown], derivative: Option<&str>) -> Result<Stated, ProblemError> {
        let refuse = |reason: &str| not_exact(&self.name, reason, self.at());
        self.check_initial(word)?;
        let along = derivative.map(|name| self.axis(name)).transpose()?;
        let mut pins = Vec::new();
        for place in self.places()? {
            for place in self.around.pinned(&place).map_err(refuse)? {
                if along.is_some_and(|along| !matches!(place, Pinned::End(axis, _) if axis == along)) {
                    return Err(refuse("a derivative can be built in only along the coordinate whose end it is at"));
                }
                for (unknown, formula) in formulas {
                    let (field, _) = self.field(unknown.as_deref())?;
                    let (value, condition) = (self.known(formula, "value")?, self.name.clone());
                    if value.depends_on_trainables() {
                        return Err(refuse("its value has numbers that are to be trained"));
                    }
                    let (written_at, rate) = (self.condition.written_at, along.is_some());
                    pins.push(Pin { condition, written_at, field, place, value, rate });
                }
            }
        }
        Ok(Stated::Pinned(pins))
    }

    fn check_initial(&self, word: &str) -> Result<(), ProblemError> {
        let names = self.scope().coord_names();
        // The only coordinate of an ordinary differential equation begins somewhere, whatever it is called.
        if word == "initial" && self.around.time_axis.is_none() && names.len() > 1 {
            let (condition, last) = (self.name.clone(), names[names.len() - 1].clone());
            return Err(ProblemError::NoTime { condition, last }.at(self.at()));
        }
        Ok(())
    }

    fn value(&self, word: &str, formulas: &[ForUnknown], derivative: Option<&str>) -> Soft {
        self.check_initial(word)?;
        let alpha = match derivative {
            Some(along) => MultiIndex::unit(self.axis(along)?),
            None => MultiIndex::ZERO,
        };
        let residual = |(unknown, formula): &ForUnknown| {
            let (field, label) = self.field(unknown.as_deref())?;
            Ok((label, Expr::unknown(field, alpha) - self.known(formula, "value")?))
        };
        let residuals = formulas.iter().map(residual).collect::<Result<_, ProblemError>>()?;
        let support = self.support(self.places()?);
        Ok(self.finish(residuals, support))
    }

    fn flux(&self, formulas: &[ForUnknown], of_unknowns: bool) -> Soft {
        let places = self.places()?;
        let normal = self.normal(&places)?;
        let mut residuals = Vec::new();
        for (unknown, formula) in formulas {
            let (field, label) = self.field(unknown.as_deref())?;
            let flux = match of_unknowns {
                true => formula.resolve(self.scope(), &self.what("flux"), self.around.source)?,
                false => self.known(formula, "value")?,
            };
            // ∂u/∂n = n·∇u, in space only.
            let slopes = normal.iter().enumerate().map(|(k, n)| n * Expr::unknown(field, MultiIndex::unit(k)));
            residuals.push((label, Expr::sum(slopes) - flux));
        }
        let support = self.support(places);
        Ok(self.finish(residuals, support))
    }

    fn periodic(&self, along: &str, orders: Option<&[u32]>, unknown: Option<&str>, residual: Option<&Formula>) -> Soft {
        let axis = self.axis(along)?;
        let face = |end: &str| self.around.find(&format!("{along} = {end}"), &self.name, self.condition.written_at);
        let (high, low) = (face("max")?, face("min")?);
        let mut residuals = Vec::new();
        if let Some(formula) = residual {
            let residual = formula.resolve(self.scope(), &self.what("residual"), self.around.source)?;
            residuals.push(("residual".to_owned(), residual));
        } else {
            let fields = match unknown {
                Some(_) => vec![self.field(unknown)?],
                None => self.scope().unknown_names().iter().cloned().enumerate().collect(),
            };
            for (field, name) in fields {
                // An equation of order n leaves n conditions open: the value and the derivatives below n.
                let below = (0..self.around.orders[field][axis].max(1)).collect::<Vec<u32>>();
                for &order in orders.unwrap_or(&below) {
                    if order > MAX_TEXT_ORDER {
                        return Err(ProblemError::OrderTooHigh { condition: self.name.clone(), order }.at(self.at()));
                    }
                    let alpha = (0..order).fold(MultiIndex::ZERO, |alpha, _| alpha.plus(axis));
                    let here = Expr::unknown(field, alpha);
                    let label = format!("{name}{}{}", if order > 0 { "_" } else { "" }, along.repeat(order as usize));
                    residuals.push((label, &here - here.at(1)));
                }
            }
        }
        let spread = self.condition.spread.clone();
        Ok(self.finish(residuals, Support::Pairs { axis, high, low, spread }))
    }

    fn operator(&self, formulas: &[Formula]) -> Soft {
        let places = self.places()?;
        let mut scope = self.scope().clone();
        // An unknown or definition called n already gives n_x a meaning of its own.
        if let (Ok(normal), Err(_)) = (self.normal(&places), scope.parse("n")) {
            let space = scope.coord_names()[..normal.len()].to_vec();
            for (coordinate, component) in space.iter().zip(normal) {
                let name = format!("n_{coordinate}");
                let declared = match component.as_constant() {
                    Some(value) => scope.constant(name, value),
                    None => scope.data(name),
                };
                declared.map_err(|source| ProblemError::Name { source }.at(self.at()))?;
            }
        }
        let what = self.what("residual");
        let resolve =
            |formula: &Formula| Ok(("residual".to_owned(), formula.resolve(&scope, &what, self.around.source)?));
        let residuals = formulas.iter().map(resolve).collect::<Result<_, ProblemError>>()?;
        let support = self.support(places);
        Ok(self.finish(residuals, support))
    }

    /// The outward normal by space coordinate: numbers on a single face of a box, data columns elsewhere.
    fn normal(&self, places: &[Place]) -> Result<Vec<Expr>, ProblemError> {
        let space = self.around.geometry.space_dim();
        if let Some(instant) = places.iter().position(|place| matches!(place, Place::Instant(_))) {
            let place = self.condition.places[instant].text.clone();
            return Err(ProblemError::NoNormal { condition: self.name.clone(), place }.at(self.at()));
        }
        if let [Place::Parts(parts)] = places
            && let [BoundaryPart::Piece(tag)] = parts[..]
            && let Some(normal) = face_normal(tag, space)
        {
            return Ok(normal.into_iter().map(Expr::constant).collect());
        }
        Ok((0..space).map(Expr::data).collect())
    }
}
