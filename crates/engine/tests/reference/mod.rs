//! A second backend: scalar, f64, no tiles, no threads, and no rule in common with the fast one.
//!
//! Every derivative is the coefficient of a product of infinitesimals: one per coordinate derivative and one per direction of
//! θ. Rows of J take one direction after another, so it costs as many network evaluations as there are parameters.

mod dual;

use dual::{Dual, Move, slopes, unknowns};
use ropinn_engine::{Backend, EngineError, Evaluation, Jacobian, Precision, Program, RowTile, Samples, SetId, Sum};
use ropinn_expr::{Env, Expr, MultiIndex};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

#[derive(Default)]
struct Set {
    term: usize,
    points: Vec<f64>,
    data: Vec<f64>,
    weights: Vec<f64>,
}

pub struct Reference {
    programs: Vec<Program>,
    /// Of each term, its residuals with their slopes along two directions of θ.
    residuals: Vec<Vec<[Expr; 4]>>,
    sets: Vec<Set>,
    /// What was asked for before, until a set changes: many products read the same rows.
    known: Vec<Known>,
}

struct Known {
    theta: Vec<f64>,
    direction: Vec<f64>,
    set: SetId,
    made: Arc<Linearised>,
}

/// Residuals of a set with their slopes along every parameter and along one direction v.
struct Linearised {
    /// r and ∂_v r.
    values: Vec<[f64; 2]>,
    /// ∂_p r and ∂_p ∂_v r: `[residual][parameter]`.
    rows: Vec<Vec<[f64; 2]>>,
}

impl Reference {
    pub fn new(programs: Vec<Program>) -> Self {
        let of_term = |program: &Program| {
            let (axes, scalars) =
                (program.network().coordinates(), program.parameters() - program.network().parameters());
            program.spec().residuals.iter().map(|residual| slopes(residual, axes, scalars)).collect()
        };
        let residuals = programs.iter().map(of_term).collect();
        Self { programs, residuals, sets: Vec::new(), known: Vec::new() }
    }

    /// r, ∂_p r, ∂_q r, ∂_p ∂_q r of every residual of a set, along two directions of θ.
    fn along(&self, theta: &[f64], [p, q]: [&[f64]; 2], set: &Set) -> Vec<[f64; 4]> {
        let program = &self.programs[set.term];
        let network = program.network();
        let (axes, elements) = (network.coordinates(), network.elements());
        let trained: Vec<f64> = [theta, p, q].iter().flat_map(|x| x[network.parameters()..].iter().copied()).collect();
        let per_site = elements * axes;
        let mut found = Vec::new();
        for (sample, point) in set.points.chunks_exact(program.coordinates_per_sample()).enumerate() {
            let known = RefCell::new(HashMap::new());
            let columns = program.data_columns();
            for residual in &self.residuals[set.term] {
                for element in 0..program.elements_used() {
                    // The derivative of an unknown, its slopes along θ asked for by the two axes beyond the coordinates.
                    let unknown = |field: usize, alpha: MultiIndex, site: usize| {
                        let place: Vec<usize> = alpha.axes().filter(|axis| *axis < axes).collect();
                        let mut known = known.borrow_mut();
                        let slopes = known.entry((place.clone(), site, element)).or_insert_with(|| {
                            derivative(program, [theta, p, q], &point[site * per_site..][..per_site], &place, element)
                        });
                        slopes[field][usize::from(alpha.get(axes)) + 2 * usize::from(alpha.get(axes + 1))]
                    };
                    let coordinate = |axis: usize, site: usize| {
                        if axis < axes { point[site * per_site + element * axes + axis] } else { 0.0 }
                    };
                    let env = Env::at(&[]).with_coords(coordinate).with_unknowns(unknown).with_trainables(&trained);
                    let env = env.with_data(&set.data[sample * columns..][..columns]);
                    found.push(residual.each_ref().map(|slope| slope.eval(&env)));
                }
            }
        }
        found
    }

    fn linearised(&mut self, theta: &[f64], direction: &[f64], id: SetId) -> Arc<Linearised> {
        let same = |known: &&Known| known.theta == theta && known.direction == direction && known.set == id;
        if let Some(known) = self.known.iter().find(same) {
            return known.made.clone();
        }
        let set = &self.sets[id.index()];
        let mut unit = vec![0.0; theta.len()];
        let mut made = Linearised { values: Vec::new(), rows: Vec::new() };
        for p in 0..theta.len() {
            unit[p] = 1.0;
            let column = self.along(theta, [&unit, direction], set);
            unit[p] = 0.0;
            made.values = column.iter().map(|slopes| [slopes[0], slopes[2]]).collect();
            made.rows.resize(column.len(), Vec::new());
            made.rows.iter_mut().zip(&column).for_each(|(row, slopes)| row.push([slopes[1], slopes[3]]));
        }
        let made = Arc::new(made);
        self.known.push(Known { theta: theta.to_vec(), direction: direction.to_vec(), set: id, made: made.clone() });
        made
    }

    /// The part of each residual among all parts, and its sample weight over the count of its mean.
    fn means(&self, sets: &[SetId]) -> Vec<Vec<(usize, f64)>> {
        let mut first_part = 0;
        let of_term = |(program, set): (&Program, &SetId)| {
            let set = &self.sets[set.index()];
            let samples = set.points.len() / program.coordinates_per_sample();
            let count = (samples * program.elements_used()) as f64;
            let outputs = program.outputs();
            let mean = |value: usize| {
                let weight = set.weights.get(value / outputs).copied().unwrap_or(1.0);
                (first_part + program.part_of(value % outputs), weight / count)
            };
            let means = (0..samples * outputs).map(mean).collect();
            first_part += program.parts();
            means
        };
        self.programs.iter().zip(sets).map(of_term).collect()
    }
}

/// ∂^α of every unknown with its slopes along two directions of θ. The last coordinate moves one element of a sequence, the
/// others all of them, and derivatives are those of the sum over elements.
fn derivative(
    program: &Program,
    [theta, p, q]: [&[f64]; 3],
    points: &[f64],
    place: &[usize],
    element: usize,
) -> Vec<[f64; 4]> {
    let (network, order) = (program.network(), place.len());
    let alone = |k: usize| (k + 1 == order).then_some(element);
    let moves: Vec<Move> = place.iter().enumerate().map(|(k, &axis)| (axis, alone(k))).collect();
    let dual = |k: usize| {
        let mut dual = Dual::constant(theta[k], order + 2);
        (dual.0[1 << order], dual.0[2 << order]) = (p[k], q[k]);
        dual
    };
    let theta: Vec<Dual> = (0..network.parameters()).map(dual).collect();
    let at = unknowns(network, &theta, points, &moves);
    let elements = if order == 0 { element..element + 1 } else { 0..network.elements() };
    let full = (1 << order) - 1;
    (0..network.unknowns())
        .map(|field| {
            [0, 1, 2, 3].map(|along| at[elements.clone()].iter().map(|u| u[field].0[full | along << order]).sum())
        })
        .collect()
}

impl Backend for Reference {
    fn programs(&self) -> &[Program] {
        &self.programs
    }

    fn precision(&self) -> Precision {
        Precision::F64
    }

    fn place(&mut self, set: SetId, term: usize, samples: Samples<'_>) -> Result<(), EngineError> {
        self.known.clear();
        self.sets.resize_with(self.sets.len().max(set.index() + 1), Set::default);
        let Samples { points, data, weights } = samples;
        self.sets[set.index()] = Set { term, points: points.to_vec(), data: data.to_vec(), weights: weights.to_vec() };
        Ok(())
    }

    fn move_points(&mut self, set: SetId, points: &[f64]) -> Result<(), EngineError> {
        self.known.clear();
        self.sets[set.index()].points = points.to_vec();
        Ok(())
    }

    fn remove(&mut self, set: SetId) {
        self.sets[set.index()] = Set::default();
    }

    fn groups(&mut self, _: &[SetId], _: Sum<'_>) -> Result<usize, EngineError> {
        Ok(1)
    }

    fn partial_sums(
        &mut self,
        theta: &[f64],
        sets: &[SetId],
        sum: Sum<'_>,
        _: Range<usize>,
        visit: &mut dyn FnMut(&Evaluation),
    ) -> Result<(), EngineError> {
        let (parameters, parts) = (theta.len(), self.programs.iter().map(Program::parts).sum());
        let still = vec![0.0; parameters];
        let direction = if let Sum::Hessian { direction, .. } = sum { direction } else { &still };
        let has_terms = !matches!(sum, Sum::Gradient { .. } | Sum::Pullback { .. } | Sum::Hessian { .. });
        let mut out = Evaluation { parts: vec![0.0; if has_terms { parts } else { 0 }], ..Evaluation::default() };
        for (term, (&set, means)) in sets.iter().zip(self.means(sets)).enumerate() {
            let made = self.linearised(theta, direction, set);
            let Linearised { values, rows } = &*made;
            for (i, ((&[r, r_v], row), (part, mean))) in values.iter().zip(rows).zip(means).enumerate() {
                if has_terms {
                    out.parts[part] += mean * r * r;
                }
                let slope = |[along, both]: [f64; 2]| match sum {
                    Sum::Loss => 0.0,
                    Sum::LossAndGradient { weights } | Sum::Gradient { weights } | Sum::NormalEquations { weights } => {
                        2.0 * weights[part] * mean * r * along
                    }
                    Sum::Pullback { cotangents } => cotangents[term][i] * along,
                    Sum::Hessian { weights, .. } => 2.0 * weights[part] * mean * (r_v * along + r * both),
                };
                if !matches!(sum, Sum::Loss) {
                    out.grad.resize(parameters, 0.0);
                    out.grad.iter_mut().zip(row).for_each(|(g, &slopes)| *g += slope(slopes));
                }
                if let Sum::NormalEquations { weights } = sum {
                    out.gram.resize(parameters * parameters, 0.0);
                    for (k, entry) in out.gram.iter_mut().enumerate().filter(|(k, _)| k % parameters <= k / parameters)
                    {
                        *entry += weights[part] * mean * row[k / parameters][0] * row[k % parameters][0];
                    }
                }
            }
        }
        visit(&out);
        Ok(())
    }

    fn residuals(&mut self, theta: &[f64], set: SetId, out: &mut Vec<f64>) -> Result<(), EngineError> {
        let still = vec![0.0; theta.len()];
        *out = self.along(theta, [&still, &still], &self.sets[set.index()]).iter().map(|slopes| slopes[0]).collect();
        Ok(())
    }

    fn push_forward(
        &mut self,
        theta: &[f64],
        direction: &[f64],
        set: SetId,
        out: &mut Vec<f64>,
    ) -> Result<(), EngineError> {
        let still = vec![0.0; theta.len()];
        *out = self.along(theta, [direction, &still], &self.sets[set.index()]).iter().map(|slopes| slopes[1]).collect();
        Ok(())
    }

    fn rows(&mut self, theta: &[f64], set: SetId, visit: &mut dyn FnMut(RowTile<'_>)) -> Result<(), EngineError> {
        let outputs = self.programs[self.sets[set.index()].term].outputs();
        let made = self.linearised(theta, &vec![0.0; theta.len()], set);
        for (i, (value, row)) in made.values.iter().zip(&made.rows).enumerate() {
            let rows: Vec<f64> = row.iter().map(|slopes| slopes[0]).collect();
            let (first, output) = (i / outputs, i % outputs);
            visit(RowTile { first, samples: 1, stride: 1, output, residuals: &value[..1], rows: &rows });
        }
        Ok(())
    }

    fn jacobian(
        &mut self,
        theta: &[f64],
        sets: &[SetId],
        weights: &[f64],
        out: &mut Jacobian,
    ) -> Result<(), EngineError> {
        *out = Jacobian { parts: vec![0.0; weights.len()], ..Jacobian::default() };
        for (&set, means) in sets.iter().zip(self.means(sets)) {
            let made = self.linearised(theta, &vec![0.0; theta.len()], set);
            for ((&[r, _], row), (part, mean)) in made.values.iter().zip(&made.rows).zip(means) {
                let scale = (weights[part] * mean).sqrt();
                out.parts[part] += mean * r * r;
                out.residuals.push(scale * r);
                out.rows.extend(row.iter().map(|[along, _]| scale * along));
            }
        }
        Ok(())
    }
}
