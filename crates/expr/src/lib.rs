//! Symbolic residual expressions: build, parse, simplify, differentiate.
//!
//! A residual is an [`Expr`] over coordinates, unknown fields and their derivatives, trainable scalars, per-point data
//! and tables. A [`Scope`] gives the names, so that the same equation can be written in Rust or as text:
//!
//! ```
//! use ropinn_expr::Scope;
//!
//! let mut scope = Scope::new(["x", "t"], ["u"])?;
//! let nu = scope.constant("nu", 0.01 / std::f64::consts::PI)?;
//! let (x, t) = (scope.coord("x")?, scope.coord("t")?);
//! let u = scope.unknown("u")?;
//!
//! // Burgers: u_t + u u_x − ν u_xx = 0.
//! let residual = u.d([t]) + u.value() * u.d([x]) - nu * u.d([x, x]);
//! assert_eq!(residual, scope.parse("u_t + u*u_x - nu*u_xx")?);
//!
//! let mistake = scope.parse("u_t + u*u_y").unwrap_err();
//! assert_eq!(mistake.to_string(),
//!     "column 9: unknown symbol `u_y`: `y` is not a coordinate (coordinates: x, t); did you mean `u_t`?");
//! # Ok::<(), ropinn_expr::Error>(())
//! ```
//!
//! Expressions simplify as they are built ([`Expr::sum`], [`Expr::product`], [`Expr::pow`]), differentiate totally
//! ([`Expr::derivative`]), multiply out ([`Expr::expand`]), integrate by parts ([`Expr::weak_form`]) and evaluate in a
//! reference interpreter ([`Expr::eval`]), or often, from a [`Tape`].

mod derivative;
mod display;
mod error;
mod eval;
mod expand;
mod function;
mod hash;
mod multi_index;
mod nearest;
mod node;
mod operators;
mod parse;
mod query;
mod scope;
mod simplify;
mod table;
mod tape;
mod traverse;
mod weak;

pub use display::DisplayIn;
pub use error::Error;
pub use eval::Env;
pub use function::Function;
pub use multi_index::{MAX_COORDS, MultiIndex};
pub use nearest::nearest;
pub use node::{Comparison, Cond, Expr, Node};
pub use parse::{MAX_DEPTH, MAX_TEXT_BYTES, MAX_TEXT_ORDER, ParseError, ParseErrorKind};
pub use scope::{Axis, Scope, ScopeError, Unknown};
pub use table::{Lookup, Table, TableAxis, TableError};
pub use tape::Tape;
pub use weak::{WeakForm, WeakFormError};
