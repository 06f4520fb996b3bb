//! How fast an evaluation runs, and how far that is from the machine's ceiling: compile one term, warm up, repeat, compare.

mod memory;
mod work;

pub use work::Work;

use crate::error::StudyError;
use ropinn::error::Error;
use ropinn::model::{Init, Model, ModelConfig, ModelInputs, expand_sequence};
use ropinn::problem::Problem;
use ropinn_domain::{Purpose, Stream};
use ropinn_engine::{Evaluator, Precision, Program, TermSpec, Threads, gemm_peak};
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use work::Bench;

/// Evaluations before the clock starts: caches and buffers settle.
const WARM_UP: usize = 2;
/// Unless the number of repeats is given, measure this long and at least this often.
const MEASURE_FOR: Duration = Duration::from_secs(3);
const FEWEST_REPEATS: usize = 5;

/// A compiled term, ready to be measured.
pub struct Task {
    problem: String,
    model: ModelConfig,
    program: Program,
    theta: Vec<f64>,
    ranges: Vec<(f64, f64)>,
    time_axis: Option<usize>,
    points: usize,
    precision: Precision,
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
    /// What large matrix products reach.
    pub gemm_peak_gflops: f64,
    /// Share of that.
    pub peak_ratio: f64,
    /// Largest resident size of the process, where it is known.
    pub peak_rss_mb: Option<f64>,
}

/// Measures tasks one after another. The ceiling is the best of all its measurements, before, between and after them.
pub fn measure_all(tasks: &[Task], threads: &Threads, repeat: Option<usize>) -> Result<Vec<Measurement>, StudyError> {
    let Some(first) = tasks.first() else { return Ok(Vec::new()) };
    let before = gemm_peak(first.precision, threads.count());
    let mut all = tasks.iter().map(|task| task.measure(threads, repeat)).collect::<Result<Vec<_>, _>>()?;
    let peak = all.iter().map(|measurement| measurement.gemm_peak_gflops).fold(before, f64::max);
    for measurement in &mut all {
        measurement.gemm_peak_gflops = peak;
        measurement.peak_ratio = measurement.gflops / peak;
    }
    Ok(all)
}

impl Task {
    /// Compiles the equations of `problem` for `model`.
    pub fn new(
        problem: &Problem,
        model: &ModelConfig,
        points: usize,
        precision: Precision,
        work: Work,
    ) -> Result<Self, StudyError> {
        if model.sequence().is_some() && problem.time_axis().is_none() {
            let (model, problem) = (model.kind(), problem.name.clone());
            return Err(Error::NoTime { model, problem }.into());
        }
        let (coordinates, unknowns) = (problem.coordinate_names().len(), problem.unknown_names().len());
        let inputs = ModelInputs { ranges: problem.ranges(), ..ModelInputs::new(coordinates, unknowns) };
        let network = Arc::new(model.build(&inputs)?);
        let residuals = problem.equations().map(|(_, residual)| residual.clone()).collect();
        let trainables = problem.trainables();
        let program = Program::compile(&network, &TermSpec::new("residual", residuals), trainables.len())?;
        let mut theta = model.initialise(&network, 0, &Init::default());
        theta.extend(trainables.iter().map(|(_, value)| value));
        Ok(Self {
            problem: problem.name.clone(),
            model: model.clone(),
            program,
            theta,
            ranges: problem.ranges(),
            time_axis: problem.time_axis(),
            points,
            precision,
            work,
        })
    }

    /// Times evaluations of the term, and the machine's ceiling after them.
    fn measure(&self, threads: &Threads, repeat: Option<usize>) -> Result<Measurement, StudyError> {
        memory::forget_peak();
        let mut times = threads.run(|| self.time_evaluations(threads, repeat))?;
        // Before the ceiling is measured again: its matrices are not part of the evaluation.
        let peak_rss_mb = memory::peak_megabytes();
        let peak = gemm_peak(self.precision, threads.count());
        times.sort_by(f64::total_cmp);
        let median = (times[(times.len() - 1) / 2] + times[times.len() / 2]) / 2.0;
        let gflop = self.work.flops(&self.program, self.points) / 1e9;
        let (width, depth) = self.model.width_and_depth();
        Ok(Measurement {
            problem: self.problem.clone(),
            model: self.model.kind().name(),
            width,
            depth,
            parameters: self.program.parameters(),
            points: self.points,
            precision: self.precision.to_string(),
            threads: threads.count(),
            channels: self.program.channels(),
            repeats: times.len(),
            median_ms: median * 1e3,
            min_ms: times[0] * 1e3,
            max_ms: times[times.len() - 1] * 1e3,
            gflop,
            gflops: gflop / median,
            gemm_peak_gflops: peak,
            peak_ratio: gflop / median / peak,
            peak_rss_mb,
        })
    }

    /// Seconds of each timed evaluation.
    fn time_evaluations(&self, threads: &Threads, repeat: Option<usize>) -> Result<Vec<f64>, StudyError> {
        let evaluator = Evaluator::new(vec![self.program.clone()], self.precision, threads)?;
        let points = self.draw_points();
        let mut bench = Bench::new(evaluator, &points, &self.theta, self.work)?;
        for _ in 0..WARM_UP {
            bench.run()?;
        }
        let mut times = Vec::new();
        let begin = Instant::now();
        let enough = |done: usize| match repeat {
            Some(repeat) => done >= repeat,
            None => done >= FEWEST_REPEATS && begin.elapsed() >= MEASURE_FOR,
        };
        while !enough(times.len()) {
            let start = Instant::now();
            bench.run()?;
            times.push(start.elapsed().as_secs_f64());
        }
        Ok(times)
    }

    /// The same uniform points every time.
    fn draw_points(&self) -> Vec<f64> {
        let axes = self.ranges.len();
        let mut points = vec![0.0; self.points * axes];
        Stream::new(0, Purpose::Interior).fill_uniform(&mut points);
        for point in points.chunks_exact_mut(axes) {
            for (value, (low, high)) in point.iter_mut().zip(&self.ranges) {
                *value = low + (high - low) * *value;
            }
        }
        match (self.model.sequence(), self.time_axis) {
            (Some(sequence), Some(time)) => expand_sequence(&points, axes, sequence, time),
            _ => points,
        }
    }
}
