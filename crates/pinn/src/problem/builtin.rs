//! The problems that come with the library, as the files they are.

use std::path::Path;

use super::Problem;
use super::error::ProblemError;
use ropinn_expr::nearest;

/// Names and files, in the order they are listed.
const BUILTIN: [(&str, &str); 7] = [
    ("reaction", include_str!("../../problems/reaction.toml")),
    ("wave", include_str!("../../problems/wave.toml")),
    ("convection", include_str!("../../problems/convection.toml")),
    ("burgers-1d", include_str!("../../problems/burgers-1d.toml")),
    ("kuramoto-sivashinsky", include_str!("../../problems/kuramoto-sivashinsky.toml")),
    ("heat-2d-ms", include_str!("../../problems/heat-2d-ms.toml")),
    ("poisson-2d-c", include_str!("../../problems/poisson-2d-c.toml")),
];

/// Other names under which they are known.
const ALIASES: [(&str, &str); 1] = [("heat-2d", "heat-2d-ms")];

impl Problem {
    /// A problem that comes with the library.
    ///
    /// ```
    /// use ropinn::problem::Problem;
    /// assert_eq!(Problem::builtin("wave")?.coordinate_names(), ["x", "t"]);
    /// assert_eq!(Problem::builtin("wve").unwrap_err().to_string(), format!(
    ///     "no built-in problem is named `wve` (did you mean `wave`?); built in are: {}", Problem::builtin_names().join(", ")));
    /// # Ok::<(), ropinn::problem::ProblemError>(())
    /// ```
    pub fn builtin(name: &str) -> Result<Problem, ProblemError> {
        let unknown = || ProblemError::UnknownBuiltin {
            name: name.to_owned(),
            suggestion: nearest(name, Self::builtin_names()).map(str::to_owned),
            known: Self::builtin_names().join(", "),
        };
        let (own, source) = entry(name).ok_or_else(unknown)?;
        let problem = Problem::from_toml(source, Path::new(&format!("{name}.toml")))?;
        Ok(Problem { builtin: Some(own), ..problem })
    }

    /// The built-in problem of that name, or the problem in that file. Built-in names have neither separators nor endings, so
    /// whatever has one of them is meant as a file.
    pub fn open(name: &str) -> Result<Problem, ProblemError> {
        let path = Path::new(name);
        let is_path = path.extension().is_some() || path.components().count() > 1 || path.is_file();
        if is_path && entry(name).is_none() { Problem::load(path) } else { Problem::builtin(name) }
    }

    /// The names of the problems that come with the library.
    pub fn builtin_names() -> Vec<&'static str> {
        BUILTIN.iter().map(|(name, _)| *name).collect()
    }

    /// The file of a problem that comes with the library, a starting point for files of one's own.
    pub fn builtin_source(name: &str) -> Option<&'static str> {
        entry(name).map(|(_, source)| source)
    }
}

fn entry(name: &str) -> Option<(&'static str, &'static str)> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, own)| *own);
    BUILTIN.into_iter().find(|(own, _)| *own == name)
}
