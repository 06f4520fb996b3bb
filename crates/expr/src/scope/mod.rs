//! The names an expression can use: coordinates, unknowns, constants, trainable scalars, data columns, tables.

mod error;

pub use error::ScopeError;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Expr, Function, MAX_COORDS, MultiIndex, Table};

/// Names with a fixed meaning besides the functions of one argument.
pub(crate) const KEYWORDS: [&str; 9] = ["pi", "d", "at", "where", "min", "max", "and", "or", "not"];

/// The longest name that can be declared, in characters.
const MAX_NAME: usize = 64;

/// A coordinate of a [`Scope`]; usable as an [`Expr`] in arithmetic.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct Axis(usize);

impl Axis {
    /// The number of the coordinate.
    pub fn index(self) -> usize {
        self.0
    }

    /// The coordinate as an expression.
    pub fn expr(self) -> Expr {
        Expr::coord(self.0)
    }
}

/// An unknown field of a [`Scope`].
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct Unknown(usize);

impl Unknown {
    /// The number of the field.
    pub fn field(self) -> usize {
        self.0
    }

    /// The field itself.
    pub fn value(self) -> Expr {
        Expr::unknown(self.0, MultiIndex::ZERO)
    }

    /// A partial derivative: `u.d([x, x])` is ∂²u/∂x².
    pub fn d(self, axes: impl AsRef<[Axis]>) -> Expr {
        let alpha = axes.as_ref().iter().fold(MultiIndex::ZERO, |alpha, axis| alpha.plus(axis.0));
        Expr::unknown(self.0, alpha)
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Symbol {
    Coord(usize),
    Unknown(usize),
    Constant(Expr),
    Definition(Expr),
    /// A function of a trained number, or the number itself.
    Trainable(Expr),
    Data(usize),
    Table(Arc<Table>),
}

impl Symbol {
    fn kind(&self) -> &'static str {
        match self {
            Symbol::Coord(_) => "a coordinate",
            Symbol::Unknown(_) => "an unknown",
            Symbol::Constant(_) => "a constant",
            Symbol::Definition(_) => "a definition",
            Symbol::Trainable(_) => "a trainable scalar",
            Symbol::Data(_) => "a data column",
            Symbol::Table(_) => "a table",
        }
    }
}

/// Names and what they stand for; parses text into expressions over them.
#[derive(Clone, Debug)]
pub struct Scope {
    coords: Vec<String>,
    unknowns: Vec<String>,
    trainables: Vec<String>,
    data: Vec<String>,
    symbols: BTreeMap<String, Symbol>,
}

impl Scope {
    /// A scope with coordinates and unknowns, numbered in the order given.
    pub fn new<C, U>(coords: C, unknowns: U) -> Result<Scope, ScopeError>
    where
        C: IntoIterator<Item: Into<String>>,
        U: IntoIterator<Item: Into<String>>,
    {
        let mut scope = Scope {
            coords: coords.into_iter().map(Into::into).collect(),
            unknowns: unknowns.into_iter().map(Into::into).collect(),
            trainables: Vec::new(),
            data: Vec::new(),
            symbols: BTreeMap::new(),
        };
        match scope.coords.len() {
            0 => return Err(ScopeError::NoCoordinates),
            found if found > MAX_COORDS => return Err(ScopeError::TooManyCoordinates { found }),
            _ => {}
        }
        for (axis, name) in scope.coords.clone().into_iter().enumerate() {
            scope.declare(name, Symbol::Coord(axis))?;
        }
        for (field, name) in scope.unknowns.clone().into_iter().enumerate() {
            scope.declare(name, Symbol::Unknown(field))?;
        }
        Ok(scope)
    }

    /// The scope in which an expression printed without one is parsed: coordinates x0, x1, …, unknowns u0, …,
    /// trainable scalars p0, …, data columns y0, ….
    pub fn numbered(coords: usize, unknowns: usize, trainables: usize, data: usize) -> Result<Scope, ScopeError> {
        let names = |prefix: &'static str, n| (0..n).map(move |k| format!("{prefix}{k}"));
        let mut scope = Scope::new(names("x", coords), names("u", unknowns))?;
        for name in names("p", trainables) {
            scope.trainable(name)?;
        }
        for name in names("y", data) {
            scope.data(name)?;
        }
        Ok(scope)
    }

    /// The coordinate with this name.
    pub fn coord(&self, name: &str) -> Result<Axis, ScopeError> {
        match self.symbols.get(name) {
            Some(Symbol::Coord(axis)) => Ok(Axis(*axis)),
            _ => Err(ScopeError::NoSuchCoordinate { name: name.to_owned(), known: self.coords.join(", ") }),
        }
    }

    /// The unknown with this name.
    pub fn unknown(&self, name: &str) -> Result<Unknown, ScopeError> {
        match self.symbols.get(name) {
            Some(Symbol::Unknown(field)) => Ok(Unknown(*field)),
            _ => Err(ScopeError::NoSuchUnknown { name: name.to_owned(), known: self.unknowns.join(", ") }),
        }
    }

    /// Declares a named number.
    pub fn constant(&mut self, name: impl Into<String>, value: f64) -> Result<Expr, ScopeError> {
        let name = name.into();
        if !value.is_finite() {
            return Err(ScopeError::NonFiniteConstant { name, value });
        }
        let expr = Expr::constant(value);
        self.declare(name, Symbol::Constant(expr.clone()))?;
        Ok(expr)
    }

    /// Declares a scalar to be trained along with the unknowns, as inverse problems need.
    pub fn trainable(&mut self, name: impl Into<String>) -> Result<Expr, ScopeError> {
        self.trainable_through(name, |number| number)
    }

    /// The same for a scalar of which a function is meant wherever its name stands, such as one that is always positive.
    ///
    /// ```
    /// let mut scope = ropinn_expr::Scope::new(["x"], ["u"])?;
    /// scope.trainable_through("k", |number| number.exp())?;
    /// assert_eq!(scope.parse("2*k")?, 2.0 * ropinn_expr::Expr::trainable(0).exp());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn trainable_through(
        &mut self,
        name: impl Into<String>,
        function: impl FnOnce(Expr) -> Expr,
    ) -> Result<Expr, ScopeError> {
        let (name, meant) = (name.into(), function(Expr::trainable(self.trainables.len())));
        self.declare(name.clone(), Symbol::Trainable(meant.clone()))?;
        self.trainables.push(name);
        Ok(meant)
    }

    /// Declares a data column: one observed value for each point.
    pub fn data(&mut self, name: impl Into<String>) -> Result<Expr, ScopeError> {
        let (name, k) = (name.into(), self.data.len());
        self.declare(name.clone(), Symbol::Data(k))?;
        self.data.push(name);
        Ok(Expr::data(k))
    }

    /// Declares a name for an expression, such as a closed-form coefficient. `a_x` in text then is its derivative.
    pub fn define(&mut self, name: impl Into<String>, expr: impl Into<Expr>) -> Result<Expr, ScopeError> {
        let expr = expr.into();
        self.declare(name.into(), Symbol::Definition(expr.clone()))?;
        Ok(expr)
    }

    /// Declares a table. In text it is called with arguments, or used bare over coordinates named like its axes.
    pub fn table(&mut self, name: impl Into<String>, table: impl Into<Arc<Table>>) -> Result<Arc<Table>, ScopeError> {
        let table = table.into();
        self.declare(name.into(), Symbol::Table(Arc::clone(&table)))?;
        Ok(table)
    }

    /// Names of the coordinates, by number.
    pub fn coord_names(&self) -> &[String] {
        &self.coords
    }

    /// Names of the unknowns, by number.
    pub fn unknown_names(&self) -> &[String] {
        &self.unknowns
    }

    /// Names of the trainable scalars, by number.
    pub fn trainable_names(&self) -> &[String] {
        &self.trainables
    }

    /// Names of the data columns, by number.
    pub fn data_names(&self) -> &[String] {
        &self.data
    }

    pub(crate) fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.symbols.get(name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.symbols.keys().map(String::as_str)
    }

    pub(crate) fn table_name(&self, table: &Arc<Table>) -> Option<&str> {
        self.symbols.iter().find_map(|(name, symbol)| match symbol {
            Symbol::Table(own) if own == table => Some(name.as_str()),
            _ => None,
        })
    }

    fn declare(&mut self, name: String, symbol: Symbol) -> Result<(), ScopeError> {
        let mut letters = name.chars();
        let starts_well = letters.next().is_some_and(char::is_alphabetic);
        if !starts_well || !letters.all(continues_name) || name.chars().count() > MAX_NAME {
            return Err(ScopeError::InvalidName { name, limit: MAX_NAME });
        }
        if let Some(meaning) = meaning(&name) {
            return Err(ScopeError::Reserved { name, meaning });
        }
        if let Some(taken) = self.symbols.get(&name) {
            let kind = taken.kind();
            return Err(ScopeError::Duplicate { name, kind });
        }
        self.symbols.insert(name, symbol);
        Ok(())
    }
}

pub(crate) fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What a name means in every expression, if it means anything.
fn meaning(name: &str) -> Option<&'static str> {
    let keyword = KEYWORDS.contains(&name) || Function::from_name(name).is_some();
    keyword.then_some(match name {
        "pi" => "it is the number 3.14159…",
        "d" => "d(u, x) is the derivative of u in x",
        "at" => "at(u, 1) is u at the other end of a periodic coordinate",
        "where" => "where(x < 0, a, b) chooses between a and b",
        "and" | "or" | "not" => "it joins conditions in where(…)",
        _ => "it is a function",
    })
}
