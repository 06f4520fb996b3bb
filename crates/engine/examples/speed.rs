//! Times one loss-and-gradient evaluation: `speed <residual> <width> <depth> <points> [threads] [tanh|qres|kan]`.

use ropinn_engine::{
    Activation, EngineError, Evaluation, Evaluator, NetworkBuilder, NodeId, Precision, Program, Samples, SplineBasis,
    TermSpec, Threads,
};
use ropinn_expr::Scope;
use std::sync::Arc;
use std::time::Instant;

/// Processor seconds of all threads so far: steadier than the clock on a shared machine.
fn cpu_seconds() -> f64 {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return 0.0 };
    let nanos = tasks.flatten().filter_map(|t| {
        let text = std::fs::read_to_string(t.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    });
    nanos.sum::<f64>() * 1e-9
}

/// σ(H₂z ⊙ H₁z + H₁z).
fn quadratic(net: &mut NetworkBuilder, layer: usize, z: NodeId, width: usize) -> Result<NodeId, EngineError> {
    let (h1, h2) = (net.linear(&format!("{layer}.H1"), z, width)?, net.linear(&format!("{layer}.H2"), z, width)?);
    let product = net.mul(h2, h1)?;
    let sum = net.sum(&[product, h1])?;
    net.activate(Activation::Sigmoid, sum)
}

/// Σ_i SiLU and spline of every unit, a KAN layer of cubic splines on five intervals.
fn kan(net: &mut NetworkBuilder, layer: usize, z: NodeId, width: usize) -> Result<NodeId, EngineError> {
    let basis = SplineBasis::new(-1.0, 1.0, 5, 3)?;
    let silu = net.activate(Activation::Silu, z)?;
    let base = net.linear(&format!("{layer}.base"), silu, width)?;
    let edges = width * net.width(z);
    let coefficients = net.param(format!("{layer}.coef"), &[edges, basis.len()])?;
    let scales = net.param(format!("{layer}.scale"), &[edges])?;
    let bases = net.spline(z, basis)?;
    let spline = net.spline_linear(bases, coefficients, scales, basis.len())?;
    net.sum(&[base, spline])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let residual = args.first().map_or("u_t - 5*u*(1-u)", String::as_str);
    let number = |i: usize, default: usize| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let (width, depth, points, threads) = (number(1, 64), number(2, 3), number(3, 10201), number(4, 2));
    let mut net = NetworkBuilder::new(2);
    let mut h = net.input();
    let kind = args.get(5).map_or("tanh", String::as_str);
    for layer in 0..depth {
        h = match kind {
            "qres" => quadratic(&mut net, layer, h, width)?,
            "kan" => kan(&mut net, layer, h, width)?,
            _ => {
                let z = net.linear(&format!("linear.{layer}"), h, width)?;
                net.activate(Activation::Tanh, z)?
            }
        };
    }
    let u = if kind == "kan" { kan(&mut net, depth, h, 1)? } else { net.linear("out", h, 1)? };
    let net = Arc::new(net.build(u)?);
    let scope = Scope::new(["x", "t"], ["u"])?;
    let program = Program::compile(&net, &TermSpec::new("r", vec![scope.parse(residual)?]), 0)?;
    let flops = program.gemm_flops(points);
    println!("channels {}, tile {}, {:.2} GFLOP", program.channels(), program.tile_samples(), flops / 1e9);
    let theta: Vec<f64> = (0..net.parameters()).map(|i| ((i * 7919 % 1000) as f64 / 500.0 - 1.0) * 0.1).collect();
    let coords: Vec<f64> = (0..2 * points).map(|i| (i * 104_729 % 10_007) as f64 / 10_007.0).collect();
    let mut evaluator = Evaluator::new(vec![program], Precision::F32, &Threads::new(threads)?)?;
    let set = evaluator.add(0, Samples::points(&coords))?;
    let mut out = Evaluation::default();
    let (mut times, mut busy) = (Vec::new(), Vec::new());
    for _ in 0..12 {
        let (start, cpu) = (Instant::now(), cpu_seconds());
        evaluator.evaluate(&theta, &[set], &[1.0], &mut out)?;
        times.push(start.elapsed().as_secs_f64());
        busy.push(cpu_seconds() - cpu);
    }
    times.sort_by(f64::total_cmp);
    busy.sort_by(f64::total_cmp);
    let peak = ropinn_linalg::gemm_rate::<f32>(threads);
    let rate = flops / times[0] / 1e9;
    println!(
        "min {:.2} ms, median {:.2} ms, {rate:.1} of {peak:.1} GFLOP/s = {:.2}",
        times[0] * 1e3,
        times[6] * 1e3,
        rate / peak
    );
    println!("processor time min {:.2} ms = {:.1} GFLOP/s per core", busy[0] * 1e3, flops / busy[0] / 1e9);
    Ok(())
}
