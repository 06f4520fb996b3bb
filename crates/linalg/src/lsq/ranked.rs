//! The triangle with its columns in the order of what each adds, and the shortest solution of its leading rows.
//!
//! The columns of R are scaled to length one, R S P = Q'R', with P from a sketch. With R'₁₁ the leading k rows and columns, those
//! whose diagonal is not below the cutoff, [R'₁₁ R'₁₂] z = c is solved with the least ‖z‖: J being the reversed order,
//! [J R'₁₁ᵀ J; R'₁₂ᵀ J] = Q''[R''; 0] is the elimination of `panel` once more, R''ᵀu = J c, and z = diag(J, 1) Q''[u; 0]. Then
//! x = S P z.

use super::panel::{Reflections, TINY, Tile, WIDTH, eliminate};
use super::rows::RowFactor;
use super::sketch::{Sketch, follow};
use rayon::prelude::*;

/// A [`RowFactor`] with the order of its columns; made by [`RowFactor::ranked`].
#[derive(Debug)]
pub struct Ranked<'a> {
    source: &'a RowFactor,
    least: f64,
    /// What each column of R was multiplied by; zero for a column of nothing.
    scale: Vec<f64>,
    /// Which column of A comes where.
    order: Vec<usize>,
    /// R' as far as it was sought, and after it the right-hand sides.
    tiles: Vec<Tile>,
    /// The diagonal of R'.
    diagonal: Vec<f64>,
}

/// A solution of least squares. The numbers of several right-hand sides follow one another.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// x, a number for each column.
    pub x: Vec<f64>,
    /// How many columns were held to be independent.
    pub rank: usize,
    /// ‖Ax − b‖ of this x, not of the shortened system.
    pub residual: Vec<f64>,
    /// ‖x‖.
    pub norm: Vec<f64>,
}

impl RowFactor {
    /// Orders the columns by how much each adds to those before it, which [`Ranked::solve`] needs. The search ends where the
    /// columns left are below `least` of the largest: with 0 none is left out, but the fewer are wanted the less it costs.
    pub fn ranked(&self, least: f64) -> Ranked<'_> {
        Ranked::new(self, least)
    }
}

impl<'a> Ranked<'a> {
    pub(super) fn new(source: &'a RowFactor, least: f64) -> Self {
        let columns = source.columns();
        let scale: Vec<f64> = source.triangle().iter().flat_map(scales).collect();
        let mut tiles: Vec<Tile> = Tile::cut(columns).collect();
        tiles.par_iter_mut().enumerate().for_each(|(t, tile)| {
            tile.rows = vec![0.0; columns * tile.width];
            let scale = &scale[t * WIDTH..][..tile.width];
            let rows = source.triangle()[t].top.chunks_exact(tile.width);
            for (to, from) in tile.rows.chunks_exact_mut(tile.width).zip(rows) {
                to.iter_mut().zip(from).zip(scale).for_each(|((to, from), scale)| *to = scale * from);
            }
        });
        let mut ranked =
            Self { source, least: least.max(0.0), scale, order: (0..columns).collect(), tiles, diagonal: Vec::new() };
        ranked.find();
        ranked
    }

    /// Panel by panel until the columns left are too small.
    fn find(&mut self) {
        let (columns, panels) = (self.source.columns(), self.tiles.len());
        let mut sketch = Sketch::new(&self.tiles, columns);
        let sides = self.source.turned().to_vec();
        self.tiles.push(Tile { width: self.source.sides(), top: Vec::new(), rows: sides });
        for j in 0..panels {
            for (to, from) in sketch.choose(j) {
                self.swap(to, from, &mut sketch);
            }
            self.take(j, &mut sketch);
            // Also what is not a number ends the search.
            let floor = self.least * self.diagonal[0].abs();
            if !self.diagonal[j * WIDTH..].iter().all(|r| r.abs() > floor) {
                break;
            }
        }
        self.tiles.iter_mut().for_each(|tile| tile.rows = Vec::new());
    }

    /// Changes the places of two columns.
    fn swap(&mut self, a: usize, b: usize, sketch: &mut Sketch) {
        if a == b {
            return;
        }
        self.order.swap(a, b);
        let widths = [a, b].map(|column| self.tiles[column / WIDTH].width);
        swap_columns(&mut self.tiles, |tile| &mut tile.rows, widths, a, b);
        swap_columns(&mut self.tiles, |tile| &mut tile.top, widths, a, b);
        swap_columns(sketch.tiles(), |tile| tile, widths, a, b);
    }

    /// The panel `j` becomes rows of R', and all tiles to the right follow it.
    fn take(&mut self, j: usize, sketch: &mut Sketch) {
        let (first, high) = (j * WIDTH, self.tiles[j].width);
        for tile in &mut self.tiles[j..] {
            tile.top.resize((first + high) * tile.width, 0.0);
        }
        let (panel, right) = self.tiles[j..].split_first_mut().expect("a tile for each panel");
        let reflections = Reflections::of(panel, first);
        panel.rows = Vec::new();
        let triangle = &panel.top[first * high..];
        self.diagonal.extend((0..high).map(|i| triangle[i * high + i]));
        let quotient = sketch.quotient(j, triangle);
        let (sides, right) = right.split_last_mut().expect("right-hand sides");
        let sketches = &mut sketch.tiles()[j + 1..];
        right.par_iter_mut().zip(sketches).with_max_len(1).for_each(|(tile, sketch)| {
            reflections.apply(tile, first);
            follow(sketch, &quotient, &tile.top[first * tile.width..]);
        });
        reflections.apply(sides, first);
    }

    /// The diagonal of the ordered triangle as far as it was sought, absolute, the columns being of length one: how fast they
    /// cease to add anything.
    pub fn diagonal(&self) -> impl Iterator<Item = f64> {
        self.diagonal.iter().map(|r| r.abs())
    }

    /// How many leading columns add more than `cutoff` of what the first does.
    pub fn rank(&self, cutoff: f64) -> usize {
        let floor = cutoff.max(self.least) * self.diagonal[0].abs();
        self.diagonal.iter().take_while(|r| r.abs() > floor).count()
    }

    /// The solution that neglects what columns add below `cutoff` of the largest, all being scaled to length one; of those that
    /// are left the shortest in these scaled columns. A cutoff below `least` counts as `least`. Any number of cutoffs may be
    /// tried, for about 2(n − rank)·rank² operations each.
    ///
    /// If A is not finite, rank is 0 and nothing is a number; neither is the x of a right-hand side that is not finite.
    pub fn solve(&self, cutoff: f64) -> Solution {
        let (columns, sides) = (self.source.columns(), self.source.sides());
        let mut x = vec![0.0; columns * sides];
        let is_finite = self.scale.iter().all(|scale| scale.is_finite());
        let rank = if is_finite { self.rank(cutoff) } else { 0 };
        if !is_finite {
            x.fill(f64::NAN);
        } else if rank > 0 {
            let short = Shortest::new(&self.tiles, columns, rank);
            let turned = &self.tiles[self.tiles.len() - 1].top;
            for (side, x) in x.chunks_exact_mut(columns).enumerate() {
                let c: Vec<f64> = turned.iter().skip(side).step_by(sides).take(rank).copied().collect();
                for (z, &column) in short.solve(c).into_iter().zip(&self.order) {
                    x[column] = z * self.scale[column];
                }
            }
        }
        let residual = x.chunks_exact(columns).enumerate().map(|(side, x)| self.source.residual(x, side)).collect();
        let norm = x.chunks_exact(columns).map(|x| x.iter().map(|x| x * x).sum::<f64>().sqrt()).collect();
        Solution { x, rank, residual, norm }
    }
}

/// Swaps two columns in tiles of these widths.
fn swap_columns<T>(tiles: &mut [T], numbers: impl Fn(&mut T) -> &mut Vec<f64>, widths: [usize; 2], a: usize, b: usize) {
    let (tile_a, tile_b) = (a / WIDTH, b / WIDTH);
    if tile_a == tile_b {
        numbers(&mut tiles[tile_a]).chunks_exact_mut(widths[0]).for_each(|row| row.swap(a % WIDTH, b % WIDTH));
        return;
    }
    let (before, after) = tiles.split_at_mut(tile_b);
    let (to, from) = (numbers(&mut before[tile_a]), numbers(&mut after[0]));
    for (to, from) in to.chunks_exact_mut(widths[0]).zip(from.chunks_exact_mut(widths[1])) {
        std::mem::swap(&mut to[a % WIDTH], &mut from[b % WIDTH]);
    }
}

/// One over the length of each column of a tile, or zero where there is nothing; not a number where the length is not finite.
fn scales(tile: &Tile) -> Vec<f64> {
    let mut squares = vec![0.0; tile.width];
    for row in tile.top.chunks_exact(tile.width) {
        squares.iter_mut().zip(row).for_each(|(sum, r)| *sum += r * r);
    }
    let scale = |squares: f64| match squares {
        s if s < TINY => 0.0,
        s if s.is_finite() => 1.0 / s.sqrt(),
        _ => f64::NAN,
    };
    squares.into_iter().map(scale).collect()
}

/// The trapezoid [R'₁₁ R'₁₂] as R''ᵀ and reflections.
struct Shortest {
    tiles: Vec<Tile>,
    panels: Vec<Reflections>,
    /// Columns of R'₁₂.
    free: usize,
}

impl Shortest {
    fn new(source: &[Tile], columns: usize, rank: usize) -> Self {
        let free = columns - rank;
        let entry = |i: usize, column: usize| {
            let tile = &source[column / WIDTH];
            tile.top[i * tile.width + column % WIDTH]
        };
        let mut tiles: Vec<Tile> = Tile::cut(rank).collect();
        tiles.par_iter_mut().enumerate().for_each(|(t, tile)| {
            let (first, width) = (t * WIDTH, tile.width);
            tile.top = vec![0.0; (first + width) * width];
            tile.rows = vec![0.0; free * width];
            for c in 0..width {
                let i = rank - 1 - (first + c);
                (0..=first + c).for_each(|r| tile.top[r * width + c] = entry(i, rank - 1 - r));
                (0..free).for_each(|r| tile.rows[r * width + c] = entry(i, rank + r));
            }
        });
        let (mut panels, count) = (Vec::new(), tiles.len());
        eliminate(&mut tiles, count, |panel| panels.push(panel.without_packs()));
        tiles.iter_mut().for_each(|tile| tile.rows = Vec::new());
        Self { tiles, panels, free }
    }

    /// The shortest z with [R'₁₁ R'₁₂] z = c.
    fn solve(&self, mut c: Vec<f64>) -> Vec<f64> {
        c.reverse();
        // R''ᵀu = Jc, one tile of u after another.
        for (t, tile) in self.tiles.iter().enumerate() {
            let (above, own) = c.split_at_mut(t * WIDTH);
            let own = &mut own[..tile.width];
            let (before, square) = tile.top.split_at(above.len() * tile.width);
            for (u, row) in above.iter().zip(before.chunks_exact(tile.width)) {
                own.iter_mut().zip(row).for_each(|(c, r)| *c -= u * r);
            }
            for (i, row) in square.chunks_exact(tile.width).enumerate() {
                let u = own[i] / row[i];
                own[i] = u;
                own[i + 1..].iter_mut().zip(&row[i + 1..]).for_each(|(c, r)| *c -= u * r);
            }
        }
        let mut below = vec![0.0; self.free];
        for (panel, u) in self.panels.iter().zip(c.chunks_mut(WIDTH)).rev() {
            panel.apply_back(u, &mut below);
        }
        c.reverse();
        c.extend(below);
        c
    }
}
