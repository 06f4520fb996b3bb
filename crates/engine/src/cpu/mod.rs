//! The backend for processors: samples in cache-sized tiles, tiles on many threads.
//!
//! Tiles are dealt to a *fixed* number of groups by position, never by thread, and the groups are added in order: the same
//! bits come out for any number of threads.

mod gram;
mod schedule;
mod sums;
mod tangent;
mod values;

pub use gram::gram_room;

use crate::backend::{Backend, Evaluation, Jacobian, Precision, RowTile, Samples, SetId, Sum};
use crate::error::Result;
use crate::exec::{Parameters, Tile};
use crate::program::Program;
use crate::threads::Threads;
use ropinn_linalg::Numbers;
use schedule::Schedule;
use std::ops::Range;
use std::sync::Mutex;

/// A backend on these threads for terms that share one network.
pub fn cpu_backend(terms: Vec<Program>, precision: Precision, threads: &Threads) -> Box<dyn Backend> {
    match precision {
        Precision::F32 => Box::new(Cpu::<f32>::new(terms, threads)),
        Precision::F64 => Box::new(Cpu::<f64>::new(terms, threads)),
    }
}

/// The samples of a set.
#[derive(Default)]
struct Set {
    term: usize,
    samples: usize,
    points: Vec<f64>,
    data: Vec<f64>,
    weights: Vec<f64>,
}

impl Set {
    fn weight(&self, sample: usize) -> f64 {
        if self.weights.is_empty() { 1.0 } else { self.weights[sample] }
    }
}

/// Buffers of one thread: a tile per term and the gradient being summed.
struct Workspace<T> {
    tiles: Vec<Tile<T>>,
    partial: Vec<T>,
    /// Made at first use, for per-sample rows.
    row_tiles: Vec<Option<Tile<T>>>,
    /// Slopes of a tile by each parameter, and a block row of JᵀJ being summed.
    slopes: Vec<T>,
    block: Vec<T>,
    products: ropinn_linalg::Workspace<T>,
}

/// The backend in precision `T`, with every buffer made once.
struct Cpu<T> {
    programs: Vec<Program>,
    /// Number of each term's first part among all, and of all parts.
    first_parts: Vec<usize>,
    parts: usize,
    threads: Threads,
    sets: Vec<Set>,
    /// θ as the tiles read it.
    parameters: Parameters<T>,
    schedule: Schedule,
    workspaces: Vec<Mutex<Workspace<T>>>,
    /// Sums of each group.
    groups: Vec<Evaluation>,
    rows: values::RowMemory<T>,
    panels: gram::PanelMemory<T>,
    /// Made at first use.
    tangent: Option<Box<tangent::Tangent<T>>>,
}

impl<T: Numbers> Cpu<T> {
    fn new(programs: Vec<Program>, threads: &Threads) -> Self {
        let parameters = programs.first().map_or(0, Program::parameters);
        let workspace = |_| {
            let tiles = programs.iter().map(|t| Tile::new(t, t.plan(false), t.tile_samples(), false)).collect();
            let row_tiles = programs.iter().map(|_| None).collect();
            Mutex::new(Workspace {
                tiles,
                partial: vec![T::ZERO; parameters],
                row_tiles,
                slopes: Vec::new(),
                block: Vec::new(),
                products: ropinn_linalg::Workspace::default(),
            })
        };
        let ends = programs.iter().scan(0, |end, program| {
            *end += program.parts();
            Some(*end)
        });
        let first_parts = ends.zip(&programs).map(|(end, program)| end - program.parts()).collect();
        Self {
            first_parts,
            parts: programs.iter().map(Program::parts).sum(),
            threads: threads.clone(),
            sets: Vec::new(),
            parameters: Parameters::new(programs.first().map(Program::network), parameters),
            schedule: Schedule::default(),
            workspaces: (0..threads.count()).map(workspace).collect(),
            groups: Vec::new(),
            rows: values::RowMemory::default(),
            panels: gram::PanelMemory::default(),
            tangent: None,
            programs,
        }
    }

    fn load_theta(&mut self, theta: &[f64]) {
        if let Some(program) = self.programs.first() {
            self.parameters.load(program.network(), theta);
        }
    }
}

impl<T: Numbers> Backend for Cpu<T> {
    fn programs(&self) -> &[Program] {
        &self.programs
    }

    fn precision(&self) -> Precision {
        if size_of::<T>() == size_of::<f32>() { Precision::F32 } else { Precision::F64 }
    }

    fn place(&mut self, set: SetId, term: usize, samples: Samples<'_>) -> Result {
        self.sets.resize_with(self.sets.len().max(set.index() + 1), Set::default);
        let own = &mut self.sets[set.index()];
        own.term = term;
        own.samples = samples.points.len() / self.programs[term].coordinates_per_sample();
        let Samples { points, data, weights } = samples;
        for (own, given) in [(&mut own.points, points), (&mut own.data, data), (&mut own.weights, weights)] {
            own.clear();
            own.extend_from_slice(given);
        }
        Ok(())
    }

    fn move_points(&mut self, set: SetId, points: &[f64]) -> Result {
        self.sets[set.index()].points.copy_from_slice(points);
        Ok(())
    }

    fn remove(&mut self, set: SetId) {
        self.sets[set.index()] = Set::default();
        if let Some(tangent) = &mut self.tangent {
            tangent.forget(set);
        }
    }

    fn groups(&mut self, sets: &[SetId], sum: Sum<'_>) -> Result<usize> {
        match sum {
            Sum::NormalEquations { .. } => Ok(self.deal(sets).merged()),
            Sum::Hessian { .. } => Ok(self.tangent(sets)?.cpu.deal(sets).groups()),
            _ => Ok(self.deal(sets).groups()),
        }
    }

    fn partial_sums(
        &mut self,
        theta: &[f64],
        sets: &[SetId],
        sum: Sum<'_>,
        groups: Range<usize>,
        visit: &mut dyn FnMut(&Evaluation),
    ) -> Result {
        self.load_theta(theta);
        match sum {
            Sum::NormalEquations { weights } => self.normal_groups(sets, weights, groups, visit),
            Sum::Hessian { direction, .. } => self.hessian_groups(theta, direction, sets, sum, groups, visit)?,
            _ => {
                self.run_groups(sets, sum, groups.clone());
                self.groups[..groups.len()].iter().for_each(visit);
            }
        }
        Ok(())
    }

    fn sum(&mut self, theta: &[f64], sets: &[SetId], sum: Sum<'_>, out: &mut Evaluation) -> Result {
        self.load_theta(theta);
        match sum {
            Sum::NormalEquations { weights } => self.normal_equations(sets, weights, out),
            Sum::Hessian { .. } => {
                let groups = self.groups(sets, sum)?;
                *out = Evaluation::default();
                self.partial_sums(theta, sets, sum, 0..groups, &mut |group| out.add(group))?;
            }
            _ => self.run_all(sets, sum, out),
        }
        Ok(())
    }

    fn residuals(&mut self, theta: &[f64], set: SetId, out: &mut Vec<f64>) -> Result {
        self.load_theta(theta);
        self.values(set, out);
        Ok(())
    }

    fn push_forward(&mut self, theta: &[f64], direction: &[f64], set: SetId, out: &mut Vec<f64>) -> Result {
        self.slopes(theta, direction, set, out)
    }

    fn rows(&mut self, theta: &[f64], set: SetId, visit: &mut dyn FnMut(RowTile<'_>)) -> Result {
        self.load_theta(theta);
        self.visit_rows(set, visit);
        Ok(())
    }

    fn jacobian(&mut self, theta: &[f64], sets: &[SetId], weights: &[f64], out: &mut Jacobian) -> Result {
        self.load_theta(theta);
        self.scaled_jacobian(sets, weights, out);
        Ok(())
    }

    fn scaled_rows(
        &mut self,
        theta: &[f64],
        sets: &[SetId],
        weights: &[f64],
        visit: &mut dyn FnMut(&[f64], &[f64]),
    ) -> Result<Vec<f64>> {
        self.load_theta(theta);
        Ok(self.visit_scaled_rows(sets, weights, visit))
    }
}

/// The calling worker's workspace: each worker has its own, so the lock is never contended.
fn own_workspace<T>(workspaces: &[Mutex<Workspace<T>>]) -> std::sync::MutexGuard<'_, Workspace<T>> {
    let index = rayon::current_thread_index().unwrap_or(0) % workspaces.len();
    workspaces[index].lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
