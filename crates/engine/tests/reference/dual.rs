//! Numbers with infinitesimals, and a network evaluated on them operation by operation.

use ropinn_engine::{Activation, Bias, Network, Op, SplineBasis, Weights};
use ropinn_expr::{Env, Expr};

/// Σ_S c_S Π_{i∈S} e_i with e_i² = 0; the subset S is the bits of the index. c_S is the mixed derivative along S.
#[derive(Clone, Debug)]
pub struct Dual(pub Vec<f64>);

impl Dual {
    pub fn constant(value: f64, infinitesimals: usize) -> Self {
        let mut numbers = vec![0.0; 1 << infinitesimals];
        numbers[0] = value;
        Self(numbers)
    }

    pub fn zero_like(other: &Self) -> Self {
        Self(vec![0.0; other.0.len()])
    }

    pub fn plus(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a + b).collect())
    }

    pub fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero_like(self);
        for (s, a) in self.0.iter().enumerate().filter(|(_, a)| **a != 0.0) {
            for (t, b) in other.0.iter().enumerate().filter(|(t, b)| s & t == 0 && **b != 0.0) {
                product.0[s | t] += a * b;
            }
        }
        product
    }

    pub fn scaled(&self, factor: f64) -> Self {
        Self(self.0.iter().map(|a| factor * a).collect())
    }

    /// f(a + n) = Σ_k f^(k)(a) nᵏ/k!, n being everything but the number itself.
    pub fn through(&self, derivatives: &[f64]) -> Self {
        let mut rest = self.clone();
        rest.0[0] = 0.0;
        let mut power = Self::zero_like(self);
        power.0[0] = 1.0;
        let mut sum = power.scaled(derivatives[0]);
        for (k, derivative) in derivatives.iter().enumerate().skip(1) {
            power = power.times(&rest).scaled(1.0 / k as f64);
            sum = sum.plus(&power.scaled(*derivative));
        }
        sum
    }

    fn orders(&self) -> usize {
        self.0.len().ilog2() as usize
    }

    fn activated(&self, kind: Activation) -> Self {
        let mut tower = vec![0.0; self.orders() + 1];
        kind.tower(self.orders(), &self.0[..1], &mut tower);
        self.through(&tower)
    }

    /// (−1)ᵏ k! / a^(k+1).
    fn inverse(&self) -> Self {
        let a = self.0[0];
        let tower = (1..=self.orders()).scan(1.0 / a, |d, k| {
            *d *= -(k as f64) / a;
            Some(*d)
        });
        self.through(&std::iter::once(1.0 / a).chain(tower).collect::<Vec<_>>())
    }

    /// Cox–de Boor on the knots of basis function `c`.
    fn spline(&self, basis: &SplineBasis, c: usize) -> Self {
        let (start, step) = basis.knots(c);
        let knot = |j: usize| start + j as f64 * step;
        let inside = |j: usize| f64::from(u8::from(knot(j) <= self.0[0] && self.0[0] < knot(j + 1)));
        let mut level: Vec<Self> = (0..=basis.degree()).map(|j| Self::constant(inside(j), self.orders())).collect();
        for q in 1..=basis.degree() {
            let width = q as f64 * step;
            let from = |j: usize| self.plus(&Self::constant(-knot(j), self.orders())).scaled(1.0 / width);
            let rising = |j: usize| from(j).times(&level[j]);
            let falling = |j: usize| from(j + q + 1).scaled(-1.0).times(&level[j + 1]);
            level = (0..=basis.degree() - q).map(|j| rising(j).plus(&falling(j))).collect();
        }
        level.swap_remove(0)
    }
}

/// An infinitesimal of a coordinate: which axis it moves, and which element alone if not all.
pub type Move = (usize, Option<usize>);

/// The unknowns at every element: `[element][unknown]`. Infinitesimal k moves a coordinate as `moves[k]` says; those of θ come
/// after them.
pub fn unknowns(network: &Network, theta: &[Dual], points: &[f64], moves: &[Move]) -> Vec<Vec<Dual>> {
    let (axes, elements, infinitesimals) = (network.coordinates(), network.elements(), theta[0].orders());
    let place = |element: usize| &points[element * axes..][..axes];
    let acts = |element: usize, k: usize| moves[k].1.is_none_or(|only| only == element);
    let mut values: Vec<Vec<Vec<Dual>>> = Vec::new();
    for (node, op) in network.operations().iter().enumerate() {
        let of = |element: usize| -> Vec<Dual> {
            let x = |node: &usize| &values[*node][element];
            match op {
                Op::Input => (0..axes)
                    .map(|axis| {
                        let mut x = Dual::constant(place(element)[axis], infinitesimals);
                        let moving = (0..moves.len()).filter(|&k| moves[k].0 == axis && acts(element, k));
                        moving.for_each(|k| x.0[1 << k] = 1.0);
                        x
                    })
                    .collect(),
                Op::Field { functions } => functions
                    .iter()
                    .map(|g| {
                        let mut value = Dual::constant(0.0, infinitesimals);
                        for set in 0..1usize << moves.len() {
                            let members: Vec<usize> = (0..moves.len()).filter(|k| set >> k & 1 == 1).collect();
                            if members.iter().all(|&k| acts(element, k)) {
                                let slope = members.iter().fold(g.clone(), |g, &k| g.derivative(moves[k].0));
                                value.0[set] = slope.eval(&Env::at(place(element)));
                            }
                        }
                        value
                    })
                    .collect(),
                Op::Linear { x: operand, weights, bias } => {
                    let (x, inputs) = (x(operand), network.width(*operand));
                    let weight = |k: usize| match weights {
                        Weights::Trained(offset) => theta[offset + k].clone(),
                        Weights::Fixed(numbers) => Dual::constant(numbers[k], infinitesimals),
                    };
                    let row = |j: usize| {
                        let start = match bias {
                            Bias::None => Dual::constant(0.0, infinitesimals),
                            Bias::Trained(offset) => theta[offset + j].clone(),
                            Bias::Fixed(numbers) => Dual::constant(numbers[j], infinitesimals),
                        };
                        let products = x.iter().enumerate().map(|(i, x)| weight(j * inputs + i).times(x));
                        products.fold(start, |sum, product| sum.plus(&product))
                    };
                    (0..network.width(node)).map(row).collect()
                }
                Op::Activate { x: operand, kind } => x(operand).iter().map(|x| x.activated(*kind)).collect(),
                Op::Wave { x: operand, sine, cosine } => {
                    let wave = |x: &Dual| {
                        let (sin, cos) = (x.activated(Activation::Sin), x.activated(Activation::Cos));
                        theta[*sine].times(&sin).plus(&theta[*cosine].times(&cos))
                    };
                    x(operand).iter().map(wave).collect()
                }
                Op::Mul { a, b } => x(a).iter().zip(x(b)).map(|(a, b)| a.times(b)).collect(),
                Op::Sum { parts } => (0..network.width(node))
                    .map(|unit| {
                        let zero = Dual::constant(0.0, infinitesimals);
                        parts.iter().fold(zero, |sum, part| sum.plus(&x(part)[unit]))
                    })
                    .collect(),
                Op::Concat { parts } => parts.iter().flat_map(|part| x(part).clone()).collect(),
                Op::Attention { q, k, v, heads } => {
                    let units = network.width(node) / heads;
                    let head = |unit: usize| unit / units * units..unit / units * units + units;
                    let score = |unit: usize, other: usize| {
                        let products = head(unit).map(|d| values[*q][element][d].times(&values[*k][other][d]));
                        let sum = products.reduce(|a, b| a.plus(&b)).expect("units in a head");
                        sum.scaled(1.0 / (units as f64).sqrt()).activated(Activation::Exp)
                    };
                    let mix = |unit: usize| {
                        let weights: Vec<Dual> = (0..elements).map(|other| score(unit, other)).collect();
                        let all = weights.iter().cloned().reduce(|a, b| a.plus(&b)).expect("elements");
                        let parts = weights.iter().enumerate().map(|(other, w)| w.times(&values[*v][other][unit]));
                        parts.reduce(|a, b| a.plus(&b)).expect("elements").times(&all.inverse())
                    };
                    (0..network.width(node)).map(mix).collect()
                }
                Op::Spline { x: operand, basis } => {
                    x(operand).iter().flat_map(|x| (0..basis.len()).map(move |c| x.spline(basis, c))).collect()
                }
                Op::SplineLinear { x: operand, coefficients, scales, bases } => {
                    let (x, inputs) = (x(operand), network.width(*operand) / bases);
                    let unit = |j: usize| {
                        let pairs = (0..inputs).flat_map(|i| (0..*bases).map(move |c| (i, c)));
                        let parts = pairs.map(|(i, c)| {
                            let weight = &theta[coefficients + (j * inputs + i) * bases + c];
                            weight.times(&theta[scales + j * inputs + i]).times(&x[i * bases + c])
                        });
                        parts.reduce(|a, b| a.plus(&b)).expect("inputs")
                    };
                    (0..network.width(node)).map(unit).collect()
                }
            }
        };
        let value = (0..elements).map(of).collect();
        values.push(value);
    }
    values.swap_remove(network.output())
}

/// The residual, and its slopes along two more coordinates that stand for directions of θ: r, ∂_p r, ∂_q r, ∂_p ∂_q r. Each
/// trained scalar λ_k is λ_k + e_p a_k + e_q b_k, with a and b after λ among the scalars.
pub fn slopes(residual: &Expr, axes: usize, trainables: usize) -> [Expr; 4] {
    let moved = |k: usize| {
        let along = |axis: usize, set: usize| Expr::coord(axis) * Expr::trainable(set * trainables + k);
        Expr::trainable(k) + along(axes, 1) + along(axes + 1, 2)
    };
    let moved = residual.substitute_trainables(&(0..trainables).map(moved).collect::<Vec<_>>());
    let (p, q) = (moved.derivative(axes), moved.derivative(axes + 1));
    let both = p.derivative(axes + 1);
    [moved, p, q, both]
}
