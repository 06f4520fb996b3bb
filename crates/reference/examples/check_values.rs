//! Full references of benchmark problems, their estimated errors, times and values at known places:
//! `cargo run --release -p ropinn-reference --example check_values -- poisson-2d-cg heat-2d-cg …`; without names it says which there are.

mod tasks;

use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        tasks::ALL.iter().for_each(|(name, _)| println!("{name}"));
    }
    for name in names {
        let (_, task) =
            tasks::ALL.iter().find(|(known, _)| *known == name).ok_or_else(|| format!("no task `{name}`"))?;
        let start = Instant::now();
        let (reference, wanted) = task()?;
        println!("{name}: error {:.1e}, {:.1} s", reference.error(), start.elapsed().as_secs_f64());
        for (point, expected) in wanted {
            let found: Vec<String> = reference.values(&point).iter().map(|value| format!("{value:.7}")).collect();
            println!("  {point:?}: {} (known: {expected:?})", found.join(", "));
        }
    }
    Ok(())
}
