//! The tables and figures of the three-benchmark study: which cells each of them shows.

use super::benchmark::{Benchmark, MODELS};
use super::cell::{Cell, Depths, RunId};
use super::method::{Aim, Companion, Method, Region};
use super::scale::Scale;
use ropinn::model::ModelKind;

/// Weights of gPINN among which the best is shown.
const GRADIENT_WEIGHTS: [f64; 3] = [0.1, 1.0, 0.01];
/// The paper names 1e-3, 1e-4 and 1e-5 and advises 1e-6 to 1e-4.
const RADII: [f64; 4] = [1e-3, 1e-4, 1e-5, 1e-6];
/// The paper names 9, 13 and 30; the others are those of its quadrature table.
const SAMPLES: [usize; 5] = [1, 4, 9, 13, 30];
const PASTS: [usize; 7] = [1, 5, 10, 15, 20, 25, 30];

/// A table or figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experiment {
    /// Table 2: objectives × models × benchmarks.
    Main,
    /// Table 3: NTK and RAR-D, with and without regions, and times.
    Combine,
    /// Figure 2: initial region sizes.
    RegionSize,
    /// Figures 3 and 4: samples per region, and their cost.
    Samples,
    /// Figure 5: points, fixed regions, calibrated regions.
    Ablation,
    /// Figure 6: the loss around the trained weights.
    Landscape,
    /// Figure 8: gradients retained for the calibration.
    T0,
    /// Table 6: spread over seeds.
    Std,
    /// Table 7: Monte Carlo against Gauss quadrature.
    Quadrature,
    /// Figure 9: solutions and errors.
    Showcase,
}

/// A row of a table: one cell, or the best of several.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The method as the table asks for it; a cell may know it under another name.
    pub asked: Method,
    /// What it is called.
    pub method: String,
    /// Name in the list of published numbers.
    pub published: String,
    /// The cells; the one with the lowest error is shown.
    pub cells: Vec<Cell>,
    /// Seeds of each.
    pub seeds: Vec<u64>,
}

/// What is asked for of an experiment.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// Sizes.
    pub scale: Scale,
    /// Depths of QRes.
    pub depths: Depths,
    /// Seeds of every row, if not the scale's own.
    pub seeds: Option<Vec<u64>>,
}

impl Experiment {
    /// All of them, the cheapest way to most of the insight first.
    pub const ALL: [Self; 10] = [
        Self::Main,
        Self::Std,
        Self::Ablation,
        Self::Landscape,
        Self::Showcase,
        Self::RegionSize,
        Self::T0,
        Self::Quadrature,
        Self::Samples,
        Self::Combine,
    ];

    /// Name on the command line and of its files.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Combine => "combine",
            Self::RegionSize => "region-size",
            Self::Samples => "samples",
            Self::Ablation => "ablation",
            Self::Landscape => "landscape",
            Self::T0 => "t0",
            Self::Std => "std",
            Self::Quadrature => "quadrature",
            Self::Showcase => "showcase",
        }
    }

    /// One line about it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Main => "Table 2: point, gPINN, vPINN and region on five models and three benchmarks",
            Self::Combine => "Table 3: NTK weights and RAR-D points, with and without regions, with times",
            Self::RegionSize => "Figure 2: initial region size r on reaction, with the size the calibration finds",
            Self::Samples => "Figures 3 and 4: samples per region on reaction, error against time",
            Self::Ablation => "Figure 5: point, fixed region and calibrated region on five models",
            Self::Landscape => "Figure 6: loss around the trained weights of convection, point against region",
            Self::T0 => "Figure 8: gradients retained for the calibration, T₀ from 1 to 30",
            Self::Std => "Table 6: mean and standard deviation over seeds of the PINN",
            Self::Quadrature => "Table 7: Monte Carlo against Gauss quadrature on reaction",
            Self::Showcase => "Figure 9: solutions and errors of PINN and PINNsFormer, point against region",
        }
    }

    /// All rows of its table.
    pub(super) fn rows(self, wanted: &Wanted) -> Vec<Row> {
        let pinn = [ModelKind::Pinn];
        let reaction = [Benchmark::Reaction];
        let all = Benchmark::ALL;
        let sweep = |values: Vec<Region>| {
            let mut methods = vec![Method::POINT];
            methods.extend(values.into_iter().map(Method::from));
            methods
        };
        let scale = wanted.scale;
        let make = |problems: &[Benchmark], models: &[ModelKind], methods: &[Method]| {
            let mut rows = Vec::new();
            for &problem in problems {
                for &model in models {
                    for &method in methods {
                        rows.push(Row::new(problem, model, method, wanted));
                    }
                }
            }
            rows
        };
        match self {
            Self::Main => make(&all, &MODELS, &rivals()),
            Self::Std => make(&all, &pinn, &rivals()),
            Self::Combine => {
                let with = |companion| [Method::POINT, Method::REGION].map(|method| Method { companion, ..method });
                let methods = [rivals(), with(Companion::Ntk).to_vec(), with(Companion::Rar).to_vec()].concat();
                make(&all, &pinn, &methods)
            }
            Self::Ablation => make(&all, &MODELS, &[Method::POINT, Region::Fixed.into(), Method::REGION]),
            Self::Landscape => make(&[Benchmark::Convection], &pinn, &[Method::POINT, Method::REGION]),
            Self::Showcase => make(&all, &[ModelKind::Pinn, ModelKind::Pinnsformer], &[Method::POINT, Method::REGION]),
            Self::RegionSize => make(&reaction, &pinn, &sweep(scale.list(&RADII.map(Region::Radius)))),
            Self::Samples => make(&reaction, &pinn, &sweep(scale.list(&SAMPLES.map(Region::Samples)))),
            Self::Quadrature => {
                let pairs = [1, 2, 3].map(|n| [Region::Samples(n * n), Region::Gauss(n)]);
                make(&reaction, &pinn, &sweep(scale.list(&pairs).concat()))
            }
            Self::T0 => {
                let methods = sweep(scale.list(&PASTS.map(Region::Past)));
                let mut rows = make(&all, &pinn, &methods);
                rows.extend(make(&[Benchmark::Convection], &[ModelKind::Pinnsformer], &methods));
                rows
            }
        }
    }
}

/// The objectives of the main table; gPINN's weight is chosen per row.
fn rivals() -> Vec<Method> {
    vec![Method::POINT, Aim::Gradient(GRADIENT_WEIGHTS[0]).into(), Aim::Variational.into(), Method::REGION]
}

impl Row {
    fn new(problem: Benchmark, model: ModelKind, method: Method, wanted: &Wanted) -> Self {
        let cell = |method: Method| Cell::new(problem, model, method, wanted.depths);
        let (cells, title, published) = match method.aim {
            Aim::Gradient(_) => {
                let weights = wanted.scale.list(&GRADIENT_WEIGHTS);
                let cells = weights.iter().map(|&weight| cell(Aim::Gradient(weight).into())).collect();
                (cells, "gPINN".to_owned(), "gradient".to_owned())
            }
            // A value that happens to be the default is still one of the values.
            _ => (vec![cell(method)], method.title(), cell(method).method.slug()),
        };
        let known = cell(method).method;
        let is_main = known == Method::POINT || known == Method::REGION;
        let own = if is_main { wanted.scale.seeds() } else { wanted.scale.other_seeds() };
        Self { asked: method, method: title, published, cells, seeds: wanted.seeds.clone().unwrap_or(own) }
    }

    /// The problem all its cells are about.
    pub fn problem(&self) -> Benchmark {
        self.cells[0].problem
    }

    /// The model all its cells have.
    pub fn model(&self) -> ModelKind {
        self.cells[0].model
    }

    /// Whether it is what the others are compared with.
    pub fn is_point(&self) -> bool {
        self.asked == Method::POINT
    }

    /// How early it is run: points and regions tell most, other values of a setting come next, costly rivals last.
    pub fn rank(&self) -> usize {
        match self.cells[0].method {
            method if method == Method::POINT || method == Method::REGION => 0,
            Method { aim: Aim::Region(_), companion: Companion::None } => 1,
            Method { aim: Aim::Point | Aim::Region(_), .. } => 2,
            _ => 3,
        }
    }
}

/// The runs of rows, each once: what tells most first, and the first seed of everything before the second of anything.
pub fn runs_of(rows: &[Row]) -> Vec<RunId> {
    let mut ordered: Vec<(usize, usize, RunId)> = Vec::new();
    for row in rows {
        for &cell in &row.cells {
            for (turn, &seed) in row.seeds.iter().enumerate() {
                ordered.push((turn, row.rank(), RunId { cell, seed }));
            }
        }
    }
    ordered.sort_by_key(|(turn, rank, _)| (*turn, *rank));
    let mut runs: Vec<RunId> = Vec::new();
    for (_, _, run) in ordered {
        if !runs.contains(&run) {
            runs.push(run);
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(experiment: Experiment, scale: Scale) -> Vec<Row> {
        experiment.rows(&Wanted { scale, depths: Depths::Equal, seeds: None })
    }

    #[test]
    fn tables_have_their_published_size() {
        for (experiment, count) in [
            (Experiment::Main, 60),
            (Experiment::Std, 12),
            (Experiment::Combine, 24),
            (Experiment::Ablation, 45),
            (Experiment::RegionSize, 5),
            (Experiment::Samples, 6),
            (Experiment::Quadrature, 7),
            (Experiment::T0, 32),
            (Experiment::Showcase, 12),
            (Experiment::Landscape, 2),
        ] {
            assert_eq!(rows(experiment, Scale::Paper).len(), count, "{experiment:?}");
            assert!(Experiment::ALL.contains(&experiment));
        }
    }

    #[test]
    fn experiments_share_runs() {
        let folders = |experiment| -> Vec<String> {
            rows(experiment, Scale::Small).iter().flat_map(|row| row.cells.clone()).map(|cell| cell.folder(0)).collect()
        };
        let main = folders(Experiment::Main);
        for experiment in [Experiment::Std, Experiment::Landscape, Experiment::Showcase] {
            assert!(folders(experiment).iter().all(|folder| main.contains(folder)), "{experiment:?}");
        }
        assert!(folders(Experiment::Quadrature).contains(&"reaction-pinn-region-n4-s0".to_owned()));
        assert!(folders(Experiment::Samples).contains(&"reaction-pinn-region-n4-s0".to_owned()));
        assert!(folders(Experiment::T0).contains(&"reaction-pinn-region-fixed-s0".to_owned()));
    }
}
