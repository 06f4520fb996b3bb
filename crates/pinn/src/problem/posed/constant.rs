//! Unknowns of which only derivatives occur: a pressure in a closed vessel, a potential with its fluxes.

use super::super::Problem;
use super::super::doubt::Doubt;
use super::probe::{evaluate, some_value};
use super::statement::Statements;
use ropinn_expr::{Expr, MultiIndex};

/// One doubt for each; of an unknown that lacks conditions anyhow that is said already.
pub(super) fn up_to_constants(problem: &Problem, statements: &Statements, missing: &[Doubt]) -> Vec<Doubt> {
    let names = problem.unknown_names();
    let said = |name: &str| {
        missing.iter().any(|doubt| match doubt {
            Doubt::Missing { unknowns, .. } | Doubt::OpenPart { unknowns, .. } => {
                unknowns.split("`, `").any(|one| one == name)
            }
            _ => false,
        })
    };
    let residuals = || {
        let equations = problem.equations().map(|(_, residual)| residual);
        equations.chain(statements.list.iter().map(|statement| &statement.residual))
    };
    let open = |field: &usize| {
        problem.equations().any(|(_, residual)| residual.unknowns().iter().any(|(own, _, _)| own == field))
            && residuals().all(|residual| blind(problem, residual, *field))
    };
    let doubt = |field: usize| {
        let coordinates = problem.coordinate_names();
        let columns: Vec<String> =
            coordinates.iter().chain([&names[field]]).map(|name| format!("\"{name}\"")).collect();
        let row: Vec<String> = problem.ranges.iter().map(|(low, _)| low.to_string()).chain(["0".to_owned()]).collect();
        Doubt::UpToConstant { unknown: names[field].clone(), columns: columns.join(", "), row: row.join(", ") }
    };
    (0..problem.solved_unknowns()).filter(|&field| !said(&names[field])).filter(open).map(doubt).collect()
}

/// Whether a residual stays the same if a constant is added to an unknown.
fn blind(problem: &Problem, residual: &Expr, field: usize) -> bool {
    let sites: Vec<usize> = residual
        .unknowns()
        .into_iter()
        .filter(|(own, alpha, _)| *own == field && alpha.is_zero())
        .map(|(_, _, site)| site)
        .collect();
    // Only a difference between two ends can lose what both have in common.
    if sites.len() < 2 {
        return sites.is_empty();
    }
    let point: Vec<f64> = problem.ranges.iter().map(|(low, high)| low + 0.37 * (high - low)).collect();
    let [a, b] = [0.0, 0.83].map(|shift| {
        let added = |own: usize, alpha: MultiIndex| if own == field && alpha.is_zero() { shift } else { 0.0 };
        evaluate(problem, residual, &point, &|own, alpha, site| {
            some_value(own, alpha) + 0.29 * site as f64 + added(own, alpha)
        })
    });
    (a - b).abs() <= 1e-12 * (1.0 + a.abs())
}
