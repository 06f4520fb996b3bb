//! `[reference]`: a formula for each unknown, a file, a table that comes with the library, or a solver and its settings.

use ropinn_reference::fourier::Resolution;
use ropinn_reference::laplace::USUAL_TERMS;

use super::super::builder::{Named, ReferencePlan};
use super::super::builtin_tables;
use super::super::error::ProblemError;
use super::super::solvers::{Form, MeshPlan, SolverPlan};
use super::document::{Field, Section};

/// Steps in time if nothing is said.
const USUAL_STEPS: usize = 200;

/// The same of ordinary differential equations, whose steps cost nothing.
const USUAL_ODE_STEPS: usize = 10_000;

/// The estimated error that was measured of a solver, if the file says so. Elsewhere the key is the name of an unknown.
pub(super) fn measured(field: Field<'_>) -> Result<Option<f64>, ProblemError> {
    if !field.is_table() {
        return Ok(None);
    }
    let section = field.table("[reference]")?;
    let is_solved = ["fourier", "laplace", "ode"]
        .iter()
        .chain(SOLVERS.iter().map(|(key, _)| key))
        .any(|key| section.get(key).is_some());
    section.get("error").filter(|_| is_solved).map(|error| error.number()).transpose()
}

/// What is compared with; `false` for nothing, where a variant has no reference.
pub(super) fn reference(field: Field<'_>) -> Result<Option<Named<ReferencePlan>>, ProblemError> {
    if field.is_flag() && !field.flag()? {
        return Ok(None);
    }
    let section = field.table("[reference]")?;
    let plan = if let Some(file) = section.get("file") {
        let section = section.knowing(&["file", "columns", "unknowns"])?;
        let one = |name: Field<'_>| name.named(name.text()?, ());
        let listed = section.get("unknowns").map(|names| names.one_or_more()?.into_iter().map(one).collect());
        ReferencePlan::File { path: file.data_path()?, renamed: section.renamed()?, unknowns: listed.transpose()? }
    } else if let Some(table) = section.get("built-in") {
        section.knowing(&["built-in"])?;
        let tables: Vec<(&'static str, &'static str)> =
            builtin_tables::names().into_iter().map(|name| (name, name)).collect();
        ReferencePlan::BuiltIn(table.choice("table", &tables)?.to_owned())
    } else if let Some(solution) = section.get("cole-hopf") {
        section.knowing(&["cole-hopf"])?;
        let parameters = solution.table("`cole-hopf`")?.knowing(&["viscosity"])?;
        ReferencePlan::ColeHopf { viscosity: parameters.require("viscosity", "viscosity = \"nu\"")?.formula()? }
    } else if let Some(solver) = section.get("fourier") {
        section.knowing(&["fourier", "error"])?;
        ReferencePlan::Fourier(resolution(solver)?)
    } else if let Some(solver) = section.get("laplace") {
        section.knowing(&["laplace", "error"])?;
        let terms = match solver.settings()? {
            Some(settings) => settings.knowing(&["terms"])?.get("terms").map(|terms| terms.count()).transpose()?,
            None => None,
        };
        ReferencePlan::Laplace { terms: terms.unwrap_or(USUAL_TERMS) }
    } else if let Some(solver) = section.get("ode") {
        section.knowing(&["ode", "error"])?;
        let settings = solver.table("`ode`")?.knowing(&["start", "steps"])?;
        let start = settings.require("start", "start = { u = 1 }")?.table("`start`")?;
        let value = |field: &Field<'_>| field.named(field.key, field.formula()?);
        let start = start.fields.iter().map(value).collect::<Result<_, _>>()?;
        let steps = settings.get("steps").map(|steps| steps.count()).transpose()?.unwrap_or(USUAL_ODE_STEPS);
        ReferencePlan::Ode { start, steps }
    } else if let Some((solver, read)) =
        SOLVERS.iter().find_map(|(key, read)| section.get(key).map(|solver| (solver, read)))
    {
        let mut known = vec!["error", "seconds"];
        known.extend(SOLVERS.iter().map(|(key, _)| *key).filter(|key| *key == solver.key));
        let section = section.knowing(&known)?;
        let seconds = section.get("seconds").map(|number| number.number()).transpose()?;
        ReferencePlan::Solver(read(solver)?, seconds)
    } else {
        let formula = |field: &Field<'_>| field.named(field.key, field.formula()?);
        ReferencePlan::Formulas(section.fields.iter().map(formula).collect::<Result<_, _>>()?)
    };
    field.named("reference", plan).map(Some)
}

/// Solvers that take their time, and how their settings are read.
type ReadSolver = fn(Field<'_>) -> Result<SolverPlan, ProblemError>;

const SOLVERS: [(&str, ReadSolver); 6] = [
    ("elements", elements),
    ("flow", flow),
    ("reaction", reaction),
    ("wave", wave),
    ("burgers", burgers),
    ("immersed", immersed),
];

const FORMS: [(Form, &str); 2] = [(Form::Plain, "plain"), (Form::Divergence, "divergence")];

fn form(section: &Section<'_>) -> Result<Form, ProblemError> {
    section.get("form").map_or(Ok(Form::Plain), |word| word.choice("form", &FORMS))
}

fn steps(section: &Section<'_>) -> Result<usize, ProblemError> {
    section.get("steps").map_or(Ok(USUAL_STEPS), |steps| steps.count())
}

/// A length above zero.
fn length(field: Field<'_>) -> Result<f64, ProblemError> {
    let length = field.number()?;
    if length > 0.0 { Ok(length) } else { Err(field.wrong("a number above zero")) }
}

fn flow(field: Field<'_>) -> Result<SolverPlan, ProblemError> {
    let section = field.table("`flow`")?.knowing(&["size", "steps", "suction"])?;
    Ok(SolverPlan::Flow {
        size: length(section.require("size", "size = 0.05")?)?,
        steps: steps(&section)?,
        suction: section.get("suction").map(length).transpose()?,
    })
}

fn reaction(field: Field<'_>) -> Result<SolverPlan, ProblemError> {
    let section = field.table("`reaction`")?.knowing(&["nodes", "steps"])?;
    let nodes = section.require("nodes", "nodes = 128")?.count()?;
    Ok(SolverPlan::Reaction { nodes, steps: steps(&section)? })
}

fn wave(field: Field<'_>) -> Result<SolverPlan, ProblemError> {
    let section = field.table("`wave`")?.knowing(&["cells", "form"])?;
    Ok(SolverPlan::Wave { cells: section.require("cells", "cells = 256")?.count()?, form: form(&section)? })
}

fn immersed(field: Field<'_>) -> Result<SolverPlan, ProblemError> {
    let section = field.table("`immersed`")?.knowing(&["cells"])?;
    Ok(SolverPlan::Immersed { cells: section.require("cells", "cells = 32")?.count()? })
}

fn burgers(field: Field<'_>) -> Result<SolverPlan, ProblemError> {
    let section = field.table("`burgers`")?.knowing(&["period", "nodes"])?;
    Ok(SolverPlan::Burgers {
        period: length(section.require("period", "period = 1")?)?,
        nodes: section.require("nodes", "nodes = 256")?.count()?,
    })
}

fn elements(field: Field<'_>) -> Result<SolverPlan, ProblemError> {
    let section = field.table("`elements`")?.knowing(&["size", "cells", "table", "steps", "form", "equation"])?;
    section.exclusive("size", "cells")?;
    section.exclusive("size", "table")?;
    section.exclusive("cells", "table")?;
    let mesh = if let Some(cells) = section.get("cells") {
        let counts = cells.list()?.iter().map(Field::count).collect::<Result<Vec<_>, _>>()?;
        MeshPlan::Cells(counts.try_into().map_err(|_| cells.wrong("two numbers, such as [50, 50]"))?)
    } else if let Some(table) = section.get("table") {
        MeshPlan::Table(table.text()?.to_owned())
    } else {
        MeshPlan::Size(length(section.require("size", "size = 0.05")?)?)
    };
    Ok(SolverPlan::Elements {
        mesh,
        steps: steps(&section)?,
        form: form(&section)?,
        equation: section.get("equation").map(|text| text.formula()).transpose()?,
    })
}

fn resolution(field: Field<'_>) -> Result<Resolution, ProblemError> {
    let Some(settings) = field.settings()? else { return Ok(Resolution::default()) };
    let settings = settings.knowing(&["modes", "steps"])?;
    let count = |key: &str, usual: usize| settings.get(key).map_or(Ok(usual), |count| count.count());
    let Resolution { modes, steps } = Resolution::default();
    Ok(Resolution { modes: count("modes", modes)?, steps: count("steps", steps)? })
}
