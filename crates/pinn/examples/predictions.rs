//! How long a million predictions take: `cargo run --release --example predictions -- [POINTS] [THREADS]`.
//!
//! What `benches/python/measure` compares Python's `solution(x, t)` with: the same network and points without files around them.

use ropinn::{case::Case, config::RunConfig, metrics::Predictor};
use ropinn_domain::{Purpose, Stream};
use ropinn_engine::Threads;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<usize>());
    let count = numbers.next().unwrap_or(Ok(1_000_000))?;
    let threads = Threads::new(numbers.next().unwrap_or(Ok(0))?)?;
    let mut config = RunConfig::default();
    config.set_all(&["problem.name=wave", "model.width=64", "model.depth=3", "precision=f32"])?;
    let case = Case::new(config, &threads)?;
    let (theta, mut predictor) = (case.initial_theta(), Predictor::of(&case, &["u"])?);
    let stream = Stream::new(0, Purpose::Evaluation);
    let points: Vec<f64> = (0..2 * count as u64).map(|k| stream.uniform_at(k)).collect();
    let mut times: Vec<f64> = Vec::new();
    for _ in 0..5 {
        let began = Instant::now();
        predictor.predict(&theta, &points)?;
        times.push(1e3 * began.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    println!("{:.1} ms for {count} points, {} threads", times[2], threads.count());
    Ok(())
}
