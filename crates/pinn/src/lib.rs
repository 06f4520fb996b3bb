//! Physics-informed neural networks with region optimisation.
//!
//! A [`problem::Problem`] and a [`model::ModelConfig`] under one [`config::RunConfig`] make a [`case::Case`]; its
//! [`objective::Objective`] is what the [`train::Trainer`] minimises; a [`record::Record`] remains.
//!
//! ```
//! use ropinn::{case::Case, config::ObjectiveKind, model::ModelKind, preset::Preset, train::Trainer};
//! use ropinn_engine::Threads;
//! let mut config = Preset::Default.config("reaction", ModelKind::Pinn, ObjectiveKind::Region);
//! config.set_all(&["width=8", "points.interior=grid:11x11", "iterations=2"])?; // small enough for a doctest
//! let outcome = Trainer::new(Case::new(config, &Threads::new(2)?)?)?.run(&mut (), &Default::default())?;
//! println!("rMSE {:?}: {}", outcome.record.results.rmse, outcome.stop_reason);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod adaptive;
pub mod case;
pub mod checkpoint;
pub mod config;
pub mod error;
pub mod landscape;
mod look;
pub mod memory;
pub mod metrics;
pub mod model;
pub mod objective;
pub mod pieces;
pub mod polish;
pub mod preset;
pub mod problem;
pub mod record;
pub mod setting;
pub mod spread;
pub mod state;
pub mod strategy;
pub mod train;
pub mod trust;
pub mod variational;
pub mod weighting;
pub mod weights;
