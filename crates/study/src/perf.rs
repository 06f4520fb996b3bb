//! How fast an evaluation runs, and how far that is from the machine's ceiling: compile one term, warm up, repeat, compare.

mod memory;

use crate::error::StudyError;
use ropinn::case::Case;
use ropinn::config::{ObjectiveConfig, ObjectiveKind, RunConfig};
use ropinn::model::ModelConfig;
use ropinn::objective::Objective;
use ropinn::problem::{Problem, Term, TermGroup};
use ropinn_domain::{Purpose, Stream};
use ropinn_engine::{Precision, Program, TermSpec, Threads};
use ropinn_linalg::{Numbers, gemm_rate, multiply_add_rate};
use ropinn_optim::{GaussNewton, GaussNewtonConfig, Optimizer, Oracle};
use ropinn_runs::statistics::Statistics;
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Evaluations before the clock starts: caches and buffers settle.
const WARM_UP: usize = 2;
/// Unless the number of repeats is given, measure this long and at least this often.
const MEASURE_FOR: Duration = Duration::from_secs(3);
const FEWEST_REPEATS: usize = 5;

/// The unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Loss and gradient.
    Gradient,
    /// JᵀJ, its factor, the bent step and one trial.
    GaussNewton,
}

impl Work {
    /// The least floating-point operations: matrix products of the network, and for a Gauss–Newton step the lower triangle
    /// of JᵀJ (N·P²) and one Cholesky factor (P³/3). Such a step linearises once, looks at the residuals four times (here, on
    /// both sides, at the trial) and pulls back once; a forward sweep is a third of an evaluation.
    fn flops(self, program: &Program, points: usize) -> f64 {
        let evaluation = program.gemm_flops(points);
        let (p, n) = (program.parameters() as f64, (points * program.outputs()) as f64);
        match self {
            Self::Gradient => evaluation,
            Self::GaussNewton => n * p * p + p.powi(3) / 3.0 + evaluation * (2.0 + 4.0 / 3.0),
        }
    }
}

/// The equations of a problem on points of their own, compiled and ready to be measured.
pub struct Task {
    case: Case,
    program: Program,
    equations: Term,
    work: Work,
}

/// What was measured; field names are the keys of the JSON output.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    /// Name of the problem.
    pub problem: String,
    /// Name of the model.
    pub model: &'static str,
    /// Units per hidden layer.
    pub width: usize,
    /// Hidden layers.
    pub depth: usize,
    /// Length of θ.
    pub parameters: usize,
    /// Points of the evaluation.
    pub points: usize,
    /// Numbers computed with.
    pub precision: String,
    /// Threads used.
    pub threads: usize,
    /// Derivative channels carried through the network.
    pub channels: usize,
    /// Timed evaluations.
    pub repeats: usize,
    /// Half of them took at most this long.
    pub median_ms: f64,
    /// The fastest.
    pub min_ms: f64,
    /// The slowest.
    pub max_ms: f64,
    /// Least work of the matrix products.
    pub gflop: f64,
    /// Work per second.
    pub gflops: f64,
    /// Instruction set of the kernels.
    pub simd: &'static str,
    /// What multiply-adds in registers alone reach: the physical limit.
    pub limit_gflops: f64,
    /// Share of that.
    pub limit_ratio: f64,
    /// What large matrix products reach.
    pub gemm_peak_gflops: f64,
    /// Share of that.
    pub peak_ratio: f64,
    /// Largest resident size of the process, where it is known.
    pub peak_rss_mb: Option<f64>,
}

/// What the machine reaches, in GFLOP/s: multiply-adds in registers alone, and large matrix products.
#[derive(Clone, Copy)]
struct Ceilings {
    limit: f64,
    gemm: f64,
}

impl Ceilings {
    fn measure(precision: Precision, threads: usize) -> Self {
        fn of<T: Numbers>(threads: usize) -> Ceilings {
            Ceilings { limit: multiply_add_rate::<T>(threads), gemm: gemm_rate::<T>(threads) }
        }
        match precision {
            Precision::F32 => of::<f32>(threads),
            Precision::F64 => of::<f64>(threads),
        }
    }

    fn or(self, other: Self) -> Self {
        Self { limit: self.limit.max(other.limit), gemm: self.gemm.max(other.gemm) }
    }
}

/// Measures tasks one after another. The ceilings are the best of all their measurements, before, between and after them.
pub fn measure_all(tasks: &[Task], threads: &Threads, repeat: Option<usize>) -> Result<Vec<Measurement>, StudyError> {
    let Some(first) = tasks.first() else { return Ok(Vec::new()) };
    let ceilings = || Ceilings::measure(first.case.config().precision, threads.count());
    let (mut all, mut best) = (Vec::new(), ceilings());
    for task in tasks {
        all.push(task.measure(threads, repeat)?);
        best = best.or(ceilings());
    }
    for measurement in &mut all {
        (measurement.limit_gflops, measurement.limit_ratio) = (best.limit, measurement.gflops / best.limit);
        (measurement.gemm_peak_gflops, measurement.peak_ratio) = (best.gemm, measurement.gflops / best.gemm);
    }
    Ok(all)
}

impl Task {
    /// Compiles the equations of `problem` for `model`, on so many points drawn uniformly from the coordinates' ranges.
    pub fn new(
        problem: &Arc<Problem>,
        model: &ModelConfig,
        points: usize,
        precision: Precision,
        work: Work,
        threads: &Threads,
    ) -> Result<Self, StudyError> {
        let objective = ObjectiveConfig { kind: ObjectiveKind::Point, ..ObjectiveConfig::default() };
        let config = RunConfig { model: model.clone(), precision, objective, ..RunConfig::default() };
        let case = Case::with_problem(config, problem.clone(), threads)?;
        let (labels, residuals): (Vec<_>, Vec<_>) =
            problem.equations().map(|(name, residual)| (name.to_string(), residual.clone())).unzip();
        let spec = TermSpec::new("residual", residuals.clone());
        let program = Program::compile(case.network(), &spec, problem.trainables().len())?;
        let equations = Term {
            name: "residual".to_owned(),
            group: TermGroup::Residual,
            residuals,
            label_weights: vec![1.0; labels.len()],
            labels,
            points: draw_points(&problem.ranges(), points),
            sites: 1,
            data: Vec::new(),
            weight: 1.0,
            noise: None,
            first_element_only: false,
        };
        Ok(Self { case, program, equations, work })
    }

    /// Times evaluations of the term; the ceilings are left open.
    fn measure(&self, threads: &Threads, repeat: Option<usize>) -> Result<Measurement, StudyError> {
        memory::forget_peak();
        let times = threads.run(|| self.time_evaluations(repeat))?;
        let peak_rss_mb = memory::peak_megabytes();
        let (problem, config) = (self.case.problem(), self.case.config());
        let seconds = Statistics::of(times.iter().copied()).expect("at least one was timed");
        let points = self.equations.samples(problem.ranges().len());
        let gflop = self.work.flops(&self.program, points) / 1e9;
        let (width, depth) = config.model.width_and_depth();
        Ok(Measurement {
            problem: problem.name.clone(),
            model: config.model.kind().name(),
            width,
            depth,
            parameters: self.program.parameters(),
            points,
            precision: config.precision.to_string(),
            threads: threads.count(),
            channels: self.program.channels(),
            repeats: times.len(),
            median_ms: seconds.median * 1e3,
            min_ms: seconds.best * 1e3,
            max_ms: seconds.worst * 1e3,
            gflop,
            gflops: gflop / seconds.median,
            simd: ropinn_engine::simd().name(),
            limit_gflops: f64::NAN,
            limit_ratio: f64::NAN,
            gemm_peak_gflops: f64::NAN,
            peak_ratio: f64::NAN,
            peak_rss_mb,
        })
    }

    /// Seconds of each timed piece of work, always from the same parameters.
    fn time_evaluations(&self, repeat: Option<usize>) -> Result<Vec<f64>, StudyError> {
        let mut objective = Objective::with_terms(&self.case, vec![self.equations.clone()])?;
        let (theta, mut grad) = (self.case.initial_theta(), vec![0.0; self.case.parameters()]);
        // Damped so much that the first trial is accepted: the step has exactly one.
        let config = GaussNewtonConfig { damping: 10.0, ..GaussNewtonConfig::default() };
        let optimizer = GaussNewton::new(config, theta.len(), objective.residuals_at_start());
        let mut optimizer = optimizer.map_err(ropinn::error::Error::from)?;
        let memory = optimizer.save();
        let mut work = || {
            objective.begin_step(0);
            match self.work {
                Work::Gradient => drop(objective.evaluate(&theta, &mut grad)),
                Work::GaussNewton => {
                    optimizer.load(&memory).expect("it saved this itself");
                    optimizer.step(&mut theta.clone(), &mut objective);
                }
            }
        };
        (0..WARM_UP).for_each(|_| work());
        let mut times = Vec::new();
        let begin = Instant::now();
        let enough = |done: usize| match repeat {
            Some(repeat) => done >= repeat,
            None => done >= FEWEST_REPEATS && begin.elapsed() >= MEASURE_FOR,
        };
        while !enough(times.len()) {
            let start = Instant::now();
            work();
            times.push(start.elapsed().as_secs_f64());
        }
        Ok(times)
    }
}

/// The same uniform points every time.
fn draw_points(ranges: &[(f64, f64)], count: usize) -> Vec<f64> {
    let mut points = vec![0.0; count * ranges.len()];
    Stream::new(0, Purpose::Interior).fill_uniform(&mut points);
    let place = |(value, (low, high)): (&mut f64, &(f64, f64))| *value = low + (high - low) * *value;
    points.iter_mut().zip(ranges.iter().cycle()).for_each(place);
    points
}
