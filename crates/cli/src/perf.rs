//! `ropinn perf`: how fast one loss-and-gradient evaluation runs, and how far that is from the machine's ceiling.

use crate::failure::Failure;
use crate::options::{self, Choice, PRECISIONS, check_count, one_of};
use crate::output;
use clap::Args;
use ropinn::model::{ModelConfig, ModelKind};
use ropinn::problem::{MAX_POINTS, Problem};
use ropinn::record::hardware;
use ropinn_engine::Precision;
use ropinn_plot::{Column, Table, sig};
use ropinn_runs::RunError;
use ropinn_study::perf::{Measurement, Task, Work, measure_all};
use std::process::ExitCode;
use std::sync::Arc;

/// Measure one loss-and-gradient evaluation of a problem's equations, or one Gauss–Newton step on them.
///
/// The points are drawn uniformly from the coordinates' ranges; conditions take no part. GFLOP is the least work of the matrix
/// products alone, and the peak is what large matrix products reach on the same threads in the same run. Memory is the largest
/// resident size of the process up to the end of the evaluations (Linux only).
#[derive(Debug, Args)]
pub struct Perf {
    /// Problems, separated by commas: built-in names or TOML files.
    #[arg(long, value_delimiter = ',', default_value = "reaction")]
    problem: Vec<String>,
    /// Models, separated by commas: pinn, qres, fls, pinnsformer, pinnsformer-encoder, kan, features.
    #[arg(long, value_delimiter = ',', default_value = "pinn")]
    model: Vec<String>,
    /// Units per hidden layer (the embedding of a PINNsFormer) [default: the model's own].
    #[arg(long)]
    width: Option<usize>,
    /// Hidden layers [default: the model's own].
    #[arg(long)]
    depth: Option<usize>,
    /// Points of the evaluation.
    #[arg(long, default_value_t = 10_201)]
    points: usize,
    /// Threads [default: one per core].
    #[arg(long)]
    threads: Option<usize>,
    /// Numbers to compute with.
    #[arg(long, value_parser = one_of(PRECISIONS), default_value = "f32")]
    precision: Precision,
    /// What is timed.
    #[arg(long, value_parser = one_of(WORKS), default_value = "gradient")]
    work: Work,
    /// Timed evaluations [default: as many as fit into three seconds, at least five].
    #[arg(long)]
    repeat: Option<usize>,
    /// Print JSON: an object, or a list of them for several problems or models.
    #[arg(long)]
    json: bool,
}

const WORKS: &[Choice<Work>] = &[
    ("gradient", Work::Gradient, "Loss and gradient"),
    ("gauss-newton", Work::GaussNewton, "JᵀJ, its factor, the bent step and one trial"),
];

impl Perf {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        check_count("--points", Some(self.points), MAX_POINTS)?;
        options::check_sizes(self.width, self.depth)?;
        check_count("--repeat", self.repeat, usize::MAX)?;
        let threads = options::threads(self.threads)?;
        // Everything is checked before the first measurement starts.
        let problems = self.problem.iter().map(|text| Ok(Arc::new(Problem::open(text)?)));
        let problems = problems.collect::<Result<Vec<_>, Failure>>()?;
        let models = self.model.iter().map(|name| self.sized_model(name)).collect::<Result<Vec<_>, _>>()?;
        let mut tasks = Vec::new();
        for (problem, model) in problems.iter().flat_map(|problem| models.iter().map(move |model| (problem, model))) {
            tasks.push(Task::new(problem, model, self.points, self.precision, self.work, &threads)?);
        }
        let measurements = measure_all(&tasks, &threads, self.repeat)?;
        match &measurements[..] {
            [only] if self.json => output::print_json(only)?,
            all if self.json => output::print_json(&all)?,
            all => {
                output::print(&format!("{}\n\n", hardware()))?;
                output::print(&table(all)?)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn sized_model(&self, name: &str) -> Result<ModelConfig, Failure> {
        let mut model = ModelConfig::new(name.parse::<ModelKind>()?);
        model.resize(self.width, self.depth);
        Ok(model)
    }
}

fn table(measurements: &[Measurement]) -> Result<String, RunError> {
    let names = ["problem", "model", "size"];
    let numbers = [
        "points", "numbers", "threads", "channels", "ms", "min", "max", "GFLOP", "GFLOP/s", "gemm", "ratio", "limit",
        "ratio", "MB",
    ];
    let columns = names.map(Column::left).into_iter().chain(numbers.map(Column::right));
    let mut table = Table::new(columns);
    for m in measurements {
        table.push([
            m.problem.clone(),
            m.model.to_owned(),
            format!("{} × {}", m.width, m.depth),
            m.points.to_string(),
            m.precision.clone(),
            m.threads.to_string(),
            m.channels.to_string(),
            sig(m.median_ms, 3),
            sig(m.min_ms, 3),
            sig(m.max_ms, 3),
            sig(m.gflop, 3),
            sig(m.gflops, 3),
            sig(m.gemm_peak_gflops, 3),
            format!("{:.2}", m.peak_ratio),
            sig(m.limit_gflops, 3),
            format!("{:.2}", m.limit_ratio),
            m.peak_rss_mb.map_or_else(|| "unknown".to_owned(), |mb| format!("{mb:.0}")),
        ])?;
    }
    Ok(table.to_text())
}
