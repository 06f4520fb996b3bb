//! The elimination `[R; B] → [R'; 0]` of some rows B below a triangle R, panel by panel of columns.
//!
//! A column with α on the diagonal and x below it is taken by H = I − τ v vᵀ, v = [1; x/(α − β)], τ = (β − α)/β,
//! β = −sign(α)·√(α² + ‖x‖²). The H of a panel make Q = I − V T Vᵀ with V = [I; V₂] and T upper triangular, found by halves:
//! T₁₂ = −T₁ (V₁ᵀV₂) T₂. The columns to the right take W = Tᵀ(R + V₂ᵀB), R −= W, B −= V₂W: matrix products.
//!
//! Columns lie in tiles as wide as a panel. A tile is one piece of work, so that no sum depends on the number of threads.

use crate::cholesky::dot;
use crate::packed::Packed;
use crate::product::{Product, Target, Workspace, add_inner, matmul};
use crate::transpose::transpose;
use crate::view::View;
use rayon::prelude::*;
use ropinn_vmath::dispatch;
use std::cell::RefCell;

/// Columns of a tile, and of a panel.
pub(super) const WIDTH: usize = 64;
/// Columns of a panel that are taken one by one.
const LEAF: usize = 8;
/// Rows of V₂ that stay in the second cache while a tile takes them.
const HIGH: usize = 512;
/// What is below the diagonal counts as nothing where its squares sum to less: too few digits of so small a sum are left for a
/// reflection.
pub(super) const TINY: f64 = 1e-280;

/// Some columns of `[R; B]`, both row by row.
#[derive(Debug, Clone, Default)]
pub(super) struct Tile {
    pub width: usize,
    /// Rows of R, as many as there are up to the diagonal.
    pub top: Vec<f64>,
    /// Rows below the triangle.
    pub rows: Vec<f64>,
}

impl Tile {
    /// The tiles of a matrix of so many columns.
    pub fn cut(columns: usize) -> impl Iterator<Item = Self> {
        (0..columns).step_by(WIDTH).map(move |first| Self { width: WIDTH.min(columns - first), ..Self::default() })
    }
}

#[derive(Default)]
struct Memory {
    work: Workspace<f64>,
    sum: Vec<f64>,
    taken: Vec<f64>,
}

thread_local! {
    /// Memory of the products of this thread.
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// The reflections of one panel, Q = I − V T Vᵀ.
#[derive(Debug)]
pub(super) struct Reflections {
    /// Columns of the panel.
    pub width: usize,
    /// Rows of V₂.
    pub count: usize,
    /// V₂ column by column.
    pub v: Vec<f64>,
    /// T row by row.
    pub t: Vec<f64>,
    /// V₂ᵀ and Tᵀ, for the columns to the right.
    across: Packed<f64>,
    turned: Packed<f64>,
    /// −V₂ in pieces of [`HIGH`] rows.
    back: Vec<Packed<f64>>,
}

/// Takes the columns of the first `panels` tiles one panel after another; the tiles beyond them, right-hand sides, only follow.
/// `done` is given the reflections of each panel.
pub(super) fn eliminate(tiles: &mut [Tile], panels: usize, mut done: impl FnMut(Reflections)) {
    let mut panel = (panels > 0).then(|| Reflections::of(&mut tiles[0], 0));
    let mut j = 0;
    while let Some(current) = panel {
        let mut right = tiles[j + 1..].iter_mut();
        let next = right.next();
        // The next panel need not wait for what is right of it.
        let first = || {
            let tile = next?;
            current.apply(tile, j * WIDTH);
            (j + 1 < panels).then(|| Reflections::of(tile, (j + 1) * WIDTH))
        };
        let others =
            || right.into_slice().par_iter_mut().with_max_len(1).for_each(|tile| current.apply(tile, j * WIDTH));
        (panel, ()) = rayon::join(first, others);
        done(current);
        j += 1;
    }
}

impl Reflections {
    /// Takes the columns of a tile whose diagonal begins in row `first` of R. Its rows below R become V₂.
    pub fn of(tile: &mut Tile, first: usize) -> Self {
        let width = tile.width;
        let count = tile.rows.len() / width;
        let mut v = vec![0.0; count * width];
        transpose(count, width, width, &tile.rows, &mut v, count);
        let mut t = vec![0.0; width * width];
        let triangle = &mut tile.top[first * width..][..width * width];
        MEMORY
            .with_borrow_mut(|memory| Panel { count, width, v: &mut v, r: triangle, t: &mut t, memory }.take(0, width));
        // Row by row once more, from where it is packed faster; the rows themselves are nothing now.
        transpose(width, count, count, &v, &mut tile.rows, width);
        let (mut across, mut turned) = (Packed::default(), Packed::default());
        across.set((width, count), 1.0, &tile.rows, View::rows(0, width).transposed());
        turned.set((width, width), 1.0, &t, View::rows(0, width).transposed());
        let piece = |first: usize| {
            let mut piece = Packed::default();
            piece.set((HIGH.min(count - first), width), -1.0, &v, View::rows(first, count).transposed());
            piece
        };
        let back = (0..count).step_by(HIGH).map(piece).collect();
        Self { width, count, v, t, across, turned, back }
    }

    /// Qᵀ times a tile: the rows of R from `first` on, and the rows below.
    pub fn apply(&self, tile: &mut Tile, first: usize) {
        let width = tile.width;
        let view = View::rows(0, width);
        let top = &mut tile.top[first * width..][..self.width * width];
        MEMORY.with_borrow_mut(|Memory { work, sum, taken }| {
            sum.clear();
            sum.extend_from_slice(top);
            self.across.times(width, &tile.rows, view, Target::new(sum, 0, width), Product::Add, work);
            taken.resize(sum.len(), 0.0);
            self.turned.times(width, sum, view, Target::new(taken, 0, width), Product::Set, work);
            top.iter_mut().zip(&*taken).for_each(|(r, w)| *r -= w);
            for (back, rows) in self.back.iter().zip(tile.rows.chunks_mut(HIGH * width)) {
                back.times(width, taken, view, Target::new(rows, 0, width), Product::Add, work);
            }
        });
    }

    /// Q times a vector: `top` the numbers of the panel's rows of R, `below` those of the rows below.
    pub fn apply_back(&self, top: &mut [f64], below: &mut [f64]) {
        let columns = || self.v.chunks_exact(self.count.max(1));
        dispatch(
            #[inline(always)]
            || {
                let mut sum = top.to_vec();
                sum.iter_mut().zip(columns()).for_each(|(sum, v)| *sum += dot(v, below));
                let taken: Vec<f64> = self.t.chunks_exact(self.width).map(|t| dot(t, &sum)).collect();
                top.iter_mut().zip(&taken).for_each(|(top, taken)| *top -= taken);
                for (v, taken) in columns().zip(taken) {
                    below.iter_mut().zip(v).for_each(|(below, v)| *below -= taken * v);
                }
            },
        );
    }

    /// Forgets what only tiles need.
    pub fn without_packs(self) -> Self {
        Self { across: Packed::default(), turned: Packed::default(), back: Vec::new(), ..self }
    }
}

/// A panel while it is taken: its columns below R one after another in `v`, its rows of R and T in squares.
struct Panel<'a> {
    count: usize,
    width: usize,
    v: &'a mut [f64],
    r: &'a mut [f64],
    t: &'a mut [f64],
    memory: &'a mut Memory,
}

impl Panel<'_> {
    /// Takes some columns, by halves.
    fn take(&mut self, from: usize, to: usize) {
        if to - from <= LEAF {
            return self.take_leaf(from, to);
        }
        let middle = from + ((to - from) / 2).next_multiple_of(LEAF);
        self.take(from, middle);
        self.update(from, middle, to);
        self.take(middle, to);
        self.join(from, middle, to);
    }

    /// The columns `middle..to` after those before them: W = T₁ᵀ(R + V₁ᵀB), R −= W, B −= V₁W.
    fn update(&mut self, from: usize, middle: usize, to: usize) {
        let Self { count, width, .. } = *self;
        let (high, wide) = (middle - from, to - middle);
        let Memory { work, sum, taken } = &mut *self.memory;
        sum.resize(high * wide, 0.0);
        taken.resize(high * wide, 0.0);
        for (sum, r) in sum.chunks_exact_mut(wide).zip(self.r[from * width..].chunks_exact(width)) {
            sum.copy_from_slice(&r[middle..to]);
        }
        let (done, rest) = self.v[from * count..to * count].split_at_mut(high * count);
        let lines = View::rows(0, count);
        add_inner((high, wide, count), Target::new(sum, 0, wide), (done, lines), (rest, lines));
        let t = (&*self.t, View::rows(from * width + from, width).transposed());
        let (view, to_taken) = (View::rows(0, wide), Target::new(taken, 0, wide));
        matmul((high, wide, high), to_taken, Product::Set, 1.0, t, (sum, view), work);
        for (taken, r) in taken.chunks_exact(wide).zip(self.r[from * width..].chunks_exact_mut(width)) {
            r[middle..to].iter_mut().zip(taken).for_each(|(r, w)| *r -= w);
        }
        let to_rest = Target::new(rest, 0, count);
        matmul((wide, count, high), to_rest, Product::Add, -1.0, (taken, view.transposed()), (done, lines), work);
    }

    /// T₁₂ = −T₁ (V₁ᵀV₂) T₂; the tops of V₁ and V₂ have nothing in common.
    fn join(&mut self, from: usize, middle: usize, to: usize) {
        let Self { count, width, .. } = *self;
        let (high, wide) = (middle - from, to - middle);
        let Memory { work, sum, taken } = &mut *self.memory;
        sum.clear();
        sum.resize(high * wide, 0.0);
        taken.resize(high * wide, 0.0);
        let lines = |column: usize| View::rows(column * count, count);
        add_inner((high, wide, count), Target::new(sum, 0, wide), (self.v, lines(from)), (self.v, lines(middle)));
        let (view, first) = (View::rows(0, wide), View::rows(from * width + from, width));
        let second = View::rows(middle * width + middle, width);
        matmul((high, wide, high), Target::new(taken, 0, wide), Product::Set, -1.0, (self.t, first), (sum, view), work);
        matmul((high, wide, wide), Target::new(sum, 0, wide), Product::Set, 1.0, (taken, view), (self.t, second), work);
        for (sum, t) in sum.chunks_exact(wide).zip(self.t[from * width..].chunks_exact_mut(width)) {
            t[middle..to].copy_from_slice(sum);
        }
    }

    /// Takes a few columns one by one.
    fn take_leaf(&mut self, from: usize, to: usize) {
        let Self { count, width, .. } = *self;
        dispatch(
            #[inline(always)]
            || {
                for c in from..to {
                    let (before, rest) = self.v.split_at_mut(c * count);
                    let (x, after) = rest.split_at_mut(count);
                    let (tau, beta) = reflect(self.r[c * width + c], x);
                    self.r[c * width + c] = beta;
                    for d in c + 1..to {
                        let other = &mut after[(d - c - 1) * count..][..count];
                        let r = &mut self.r[c * width + d];
                        let w = tau * (*r + dot(x, other));
                        *r -= w;
                        other.iter_mut().zip(&*x).for_each(|(other, x)| *other -= w * x);
                    }
                    // A column more of T: −τ T (Vᵀv) above, τ on the diagonal.
                    let mut common = [0.0; LEAF];
                    for d in from..c {
                        common[d - from] = dot(&before[d * count..][..count], x);
                    }
                    for i in from..c {
                        let row = &self.t[i * width..];
                        let sum: f64 = (i..c).map(|d| row[d] * common[d - from]).sum();
                        self.t[i * width + c] = -tau * sum;
                    }
                    self.t[c * width + c] = tau;
                }
            },
        );
    }
}

/// x becomes the lower part of v; τ and β are returned.
#[inline(always)]
fn reflect(alpha: f64, x: &mut [f64]) -> (f64, f64) {
    let squares = dot(x, x);
    // Not `squares >= TINY`: what is not a number must go on.
    if squares < TINY {
        x.fill(0.0);
        return (0.0, alpha);
    }
    let beta = -(alpha * alpha + squares).sqrt().copysign(alpha);
    let scale = 1.0 / (alpha - beta);
    x.iter_mut().for_each(|x| *x *= scale);
    ((beta - alpha) / beta, beta)
}
