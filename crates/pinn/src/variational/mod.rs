//! Residuals tested against polynomials on a grid of elements (variational PINNs).
//!
//! A box is cut into equal elements, each mapped from [−1, 1]^D. With the test functions v_k = Π_j v_{k_j}(ξ_j), products
//! of [`legendre_difference`], and a Gauss–Lobatto rule (ξ_q, w_q), the integrals of element e are
//!
//! R_{e,k} = s Σ_q w_q [ g(x_{e,q}) v_k(ξ_q) − Σ_j f_j(x_{e,q}) (2/h_j) ∂_j v_k(ξ_q) ],
//!
//! where s is the Jacobian Π h_j/2. The strong form has g = r and no f; the weak form of r = Σ_j ∂_j f_j + g moves one
//! derivative to the test functions, which vanish on the element's boundary. The loss is the mean of R² (Kharazmi, Zhang &
//! Karniadakis, "hp-VPINNs", 2021). Both maps, values to integrals and its adjoint, work axis by axis.

mod contraction;
mod error;
mod settings;

pub use error::VariationalError;
pub use settings::{Form, Measure, Variational};

use contraction::Contraction;
use ropinn_domain::quadrature::{Jet, Quadrature, TensorQuadrature, legendre_difference};

/// What a column of values is integrated against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Against {
    /// The test function: a residual, or the source g of a weak form.
    Test,
    /// Minus the test function's derivative along an axis: the flux of a weak form along it.
    Slope(usize),
}

/// What a column of values stands for: part of an equation, and what it is integrated against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Role {
    /// Number of the equation whose integrals the column adds to.
    pub equation: usize,
    /// The other factor.
    pub against: Against,
}

impl Role {
    /// The roles of strong residuals: column c is equation c.
    pub fn strong(equations: usize) -> Vec<Self> {
        (0..equations).map(|equation| Self { equation, against: Against::Test }).collect()
    }
}

/// Elements, quadrature points and test functions of a box.
///
/// ```
/// use ropinn::variational::{Role, Variational, VariationalRule};
/// let settings = Variational { elements: 4, ..Variational::default() };
/// let rule = VariationalRule::new(&[(0.0, 1.0), (0.0, 2.0)], &settings)?;
/// assert_eq!(rule.points().len(), 2 * 16 * 100);
/// let values = vec![0.0; 16 * 100]; // the residual at those points
/// assert_eq!(rule.integrals(&Role::strong(1), &values)?.len(), 16 * 25);
/// # Ok::<(), ropinn::variational::VariationalError>(())
/// ```
#[derive(Clone, Debug)]
pub struct VariationalRule {
    points: Vec<f64>,
    elements: usize,
    /// Quadrature points of an element.
    nodes: usize,
    /// Test functions of an element.
    tests: usize,
    /// w_q v_k(ξ_q) of one axis.
    values: Contraction,
    /// w_q v_k′(ξ_q) of one axis.
    slopes: Contraction,
    /// 2/h of every axis.
    stretch: Vec<f64>,
    scale: f64,
}

/// Memory of [`VariationalRule::mean_square`], to be used again.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// Of one element.
    integrals: Vec<f64>,
    /// One column of an element, on its way along the axes.
    buffers: [Vec<f64>; 2],
}

impl VariationalRule {
    /// The rule over a box given by the range of each coordinate.
    pub fn new(ranges: &[(f64, f64)], settings: &Variational) -> Result<Self, VariationalError> {
        settings.validate()?;
        let dim = ranges.len();
        if let Some(axis) = ranges.iter().position(|(low, high)| !(low < high && (high - low).is_finite())) {
            let (low, high) = ranges[axis];
            return Err(VariationalError::BadRange { axis, low, high });
        }
        let line = Quadrature::gauss_lobatto(settings.quadrature)?;
        let element = TensorQuadrature::power(&line, dim)?;
        let too_large = || VariationalError::TooLarge { per_axis: settings.elements, axes: dim };
        let axes = u32::try_from(dim).map_err(|_| too_large())?;
        let power = |count: usize| count.checked_pow(axes).ok_or_else(too_large);
        let (elements, tests) = (power(settings.elements)?, power(settings.tests)?);
        let per_element = element.nodes().len().max(tests);
        if elements.checked_mul(per_element).is_none_or(|numbers| numbers > MAX_NUMBERS) {
            return Err(too_large());
        }

        let sizes: Vec<f64> = ranges.iter().map(|(low, high)| (high - low) / settings.elements as f64).collect();
        let mut points = Vec::with_capacity(elements * element.nodes().len());
        for e in 0..elements {
            for (node, _) in element.iter() {
                let mut rest = e;
                for ((&(low, _), size), xi) in ranges.iter().zip(&sizes).zip(node) {
                    points.push(low + size * ((rest % settings.elements) as f64 + 0.5 * (xi + 1.0)));
                    rest /= settings.elements;
                }
            }
        }
        let table = |part: fn(Jet) -> f64| {
            let entry = |(n, q): (usize, usize)| line.weights()[q] * part(legendre_difference(n, line.nodes()[q]));
            let pairs = (1..=settings.tests).flat_map(|n| (0..line.len()).map(move |q| (n, q)));
            Contraction::new(settings.tests, line.len(), pairs.map(entry).collect())
        };
        Ok(Self {
            points,
            elements,
            nodes: element.len(),
            tests,
            values: table(|v| v.value),
            slopes: table(|v| v.slope),
            stretch: sizes.iter().map(|h| 2.0 / h).collect(),
            scale: match settings.measure {
                Measure::Volume => sizes.iter().map(|h| 0.5 * h).product(),
                Measure::Elements => 1.0 / elements as f64,
            },
        })
    }

    /// Coordinates of the quadrature points, `[element][node][axis]`; elements and nodes vary the first axis fastest.
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.elements
    }

    /// Test functions per element.
    pub fn tests(&self) -> usize {
        self.tests
    }

    /// The integrals, `[element][test][equation]`, of values at the points, `[point][column]`, one role per column.
    pub fn integrals(&self, roles: &[Role], values: &[f64]) -> Result<Vec<f64>, VariationalError> {
        let equations = self.check(roles, values.len())?;
        let (mut out, mut buffers) = (vec![0.0; self.elements * self.tests * equations], Default::default());
        let values = values.chunks_exact(self.nodes * roles.len());
        for (values, out) in values.zip(out.chunks_exact_mut(self.tests * equations)) {
            self.integrate(roles, values, out, &mut buffers);
        }
        Ok(out)
    }

    /// The mean of the squared integrals over elements, test functions and equations. Leaves its slopes in the place of the
    /// values: cotangents for a pull-back.
    pub fn mean_square(
        &self,
        roles: &[Role],
        values: &mut [f64],
        workspace: &mut Workspace,
    ) -> Result<f64, VariationalError> {
        let equations = self.check(roles, values.len())?;
        let count = (self.elements * self.tests * equations) as f64;
        let (Workspace { integrals, buffers }, mut sum) = (workspace, 0.0);
        integrals.resize(self.tests * equations, 0.0);
        for values in values.chunks_exact_mut(self.nodes * roles.len()) {
            self.integrate(roles, values, integrals, buffers);
            for value in &mut *integrals {
                sum += *value * *value;
                *value *= 2.0 / count;
            }
            self.distribute(roles, integrals, values, buffers);
        }
        Ok(sum / count)
    }

    /// The integrals of one element, `[test][equation]`.
    fn integrate(&self, roles: &[Role], values: &[f64], out: &mut [f64], [column, other]: &mut [Vec<f64>; 2]) {
        let equations = out.len() / self.tests;
        out.fill(0.0);
        for (number, role) in roles.iter().enumerate() {
            column.clear();
            column.extend(values.iter().skip(number).step_by(roles.len()));
            for axis in 0..self.stretch.len() {
                self.along(role.against, axis).apply(axis, column, other);
            }
            let factor = self.factor(role.against);
            for (row, value) in out.chunks_exact_mut(equations).zip(&*column) {
                row[role.equation] += factor * value;
            }
        }
    }

    /// The adjoint of [`Self::integrate`]: cotangents of one element's values, `[point][column]`.
    fn distribute(&self, roles: &[Role], cotangents: &[f64], out: &mut [f64], [column, other]: &mut [Vec<f64>; 2]) {
        let equations = cotangents.len() / self.tests;
        for (number, role) in roles.iter().enumerate() {
            column.clear();
            column.extend(cotangents.iter().skip(role.equation).step_by(equations));
            for axis in 0..self.stretch.len() {
                self.along(role.against, axis).apply_transposed(axis, column, other);
            }
            let factor = self.factor(role.against);
            for (row, value) in out.chunks_exact_mut(roles.len()).zip(&*column) {
                row[number] = factor * value;
            }
        }
    }

    fn factor(&self, against: Against) -> f64 {
        match against {
            Against::Test => self.scale,
            Against::Slope(axis) => -self.scale * self.stretch[axis],
        }
    }

    fn along(&self, against: Against, axis: usize) -> &Contraction {
        if against == Against::Slope(axis) { &self.slopes } else { &self.values }
    }

    /// Refuses roles and lists that do not fit; returns the number of equations.
    fn check(&self, roles: &[Role], found: usize) -> Result<usize, VariationalError> {
        let axes = self.stretch.len();
        for role in roles {
            match role.against {
                Against::Slope(axis) if axis >= axes => return Err(VariationalError::NoSuchAxis { axis, axes }),
                _ => {}
            }
        }
        let equations = roles.iter().map(|role| role.equation + 1).max().unwrap_or(0);
        if let Some(missing) = (0..equations.max(1)).find(|k| roles.iter().all(|role| role.equation != *k)) {
            return Err(VariationalError::NoColumns { equation: missing });
        }
        let expected = self.elements * self.nodes * roles.len();
        if found != expected {
            return Err(VariationalError::ValueCount { expected, found });
        }
        Ok(equations)
    }
}

/// Most coordinates of quadrature points, or integrals, in all (a gigabyte of them).
const MAX_NUMBERS: usize = 1 << 27;
