//! Makes the tables of the lid-driven cavity: `cargo run -p ropinn-reference --example cavity -- 400 > cavity-re400.csv` (100 if nothing is said).

use ropinn_reference::cavity::velocities;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let reynolds: f64 = std::env::args().nth(1).map_or(Ok(100.0), |number| number.parse())?;
    let (cells, nodes) = (200, 50);
    let rows = velocities(reynolds, cells, nodes).ok_or("Newton's method does not settle")?;
    println!(
        "# Lid-driven cavity at Re {reynolds}: finite differences on {cells} and {} cells, extrapolated",
        cells / 2
    );
    println!("x,y,u,v");
    rows.iter().for_each(|[x, y, u, v]| println!("{x},{y},{u:.6},{v:.6}"));
    Ok(())
}
