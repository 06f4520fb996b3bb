//! A network of one's own: tanh layers with skip connections, and a hard constraint that makes it vanish on the boundary.
//! Trains it on −Δu = f in the unit square, saves the run, loads it again and predicts.
//! `cargo run --release --example custom_network`

use ropinn::config::RunConfig;
use ropinn::metrics::{Predictor, relative_errors};
use ropinn::model::{Model, ModelError, ModelInputs};
use ropinn::problem::Problem;
use ropinn::{case::Case, strategy::Solver};
use ropinn_engine::{Activation, Network, NetworkBuilder, Threads};
use ropinn_expr::Expr;
use ropinn_runs::folder::{FinishedRun, RunFolder};

const POISSON: &str = r#"
    name = "square"
    coordinates = { x = [0, 1], y = [0, 1] }
    unknowns = ["u"]
    equations = { poisson = "u_xx + u_yy + 2*pi^2*sin(pi*x)*sin(pi*y)" }
    points = { interior = { layout = "grid", counts = [21, 21] } }
    reference = { u = "sin(pi*x)*sin(pi*y)" }
"#;

/// u = d(x, y) · N(x, y; θ) with N of `blocks` layers z ← z + tanh(Wz + b).
#[derive(Debug)]
struct SkipNetwork {
    width: usize,
    blocks: usize,
    /// Vanishes where u must.
    distance: Expr,
}

impl Model for SkipNetwork {
    fn name(&self) -> &str {
        "skip"
    }

    fn build(&self, inputs: &ModelInputs) -> Result<Network, ModelError> {
        let mut net = NetworkBuilder::new(inputs.coordinates);
        let x = net.normalise(net.input(), &inputs.ranges)?;
        let mut z = net.linear("embed", x, self.width)?;
        for block in 0..self.blocks {
            let h = net.linear(&format!("block.{block}"), z, self.width)?;
            let h = net.activate(Activation::Tanh, h)?;
            z = net.sum(&[z, h])?;
        }
        let n = net.linear("out", z, inputs.unknowns)?;
        let u = net.hard_constraint(n, vec![Expr::constant(0.0)], vec![self.distance.clone()])?;
        Ok(net.build(u)?)
    }
}

fn case(config: RunConfig) -> Result<Case, Box<dyn std::error::Error>> {
    let problem = Problem::from_toml(POISSON, "square.toml".as_ref())?;
    let distance = problem.scope().parse("x*(1 - x)*y*(1 - y)")?;
    Ok(Case::with_model(config, problem, SkipNetwork { width: 16, blocks: 2, distance }, &Threads::new(0)?)?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::temp_dir().join("ropinn-custom-network");
    let mut config = RunConfig::default();
    config.set_all(&["precision=f64", "phases=gauss-newton 30", "region.r=1e-3"])?;
    let folder = RunFolder::claim(&path, true)?;
    let mut solver = Solver::new(case(config)?)?.with_checkpoints(folder.checkpoints());
    let trained = folder.train(&mut solver, None, &mut (), &Default::default())?;
    println!(
        "{}: trained loss {:.1e}, saved in {}",
        trained.outcome.stop_reason,
        trained.outcome.record.results.trained_loss,
        path.display()
    );
    folder.finish(&trained.case, trained.outcome, &mut ())?;

    let run = FinishedRun::load(&path)?;
    let case = case(run.config.clone())?;
    let points = case.problem().evaluation()?;
    let predicted = Predictor::of(&case, &["u"])?.predict(&run.theta(&case)?, &points.points)?;
    let errors = relative_errors(&predicted, &points.reference.ok_or("the problem has a reference")?);
    println!("relative error of the saved model: {:.1e}", errors.rmse);
    Ok(())
}
