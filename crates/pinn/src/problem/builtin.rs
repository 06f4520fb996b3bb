//! The problems that come with the library, as the files they are.

use std::borrow::Cow;
use std::iter;
use std::path::Path;
use std::sync::LazyLock;

use super::Problem;
use super::error::ProblemError;
use ropinn_expr::nearest;

/// Names and files, in the order they are listed.
const FILES: [(&str, &str); 48] = [
    ("reaction", include_str!("../../problems/reaction.toml")),
    ("wave", include_str!("../../problems/wave.toml")),
    ("convection", include_str!("../../problems/convection.toml")),
    ("burgers-1d", include_str!("../../problems/burgers-1d.toml")),
    ("burgers-2d", include_str!("../../problems/burgers-2d.toml")),
    ("poisson-2d-c", include_str!("../../problems/poisson-2d-c.toml")),
    ("poisson-2d-cg", include_str!("../../problems/poisson-2d-cg.toml")),
    ("poisson-3d-cg", include_str!("../../problems/poisson-3d-cg.toml")),
    ("poisson-2d-ms", include_str!("../../problems/poisson-2d-ms.toml")),
    ("heat-2d-vc", include_str!("../../problems/heat-2d-vc.toml")),
    ("heat-2d-ms", include_str!("../../problems/heat-2d-ms.toml")),
    ("heat-2d-cg", include_str!("../../problems/heat-2d-cg.toml")),
    ("heat-2d-lt", include_str!("../../problems/heat-2d-lt.toml")),
    ("ns-2d-c", include_str!("../../problems/ns-2d-c.toml")),
    ("ns-2d-cg", include_str!("../../problems/ns-2d-cg.toml")),
    ("ns-2d-lt", include_str!("../../problems/ns-2d-lt.toml")),
    ("wave-1d-c", include_str!("../../problems/wave-1d-c.toml")),
    ("wave-2d-cg", include_str!("../../problems/wave-2d-cg.toml")),
    ("wave-2d-ms", include_str!("../../problems/wave-2d-ms.toml")),
    ("gray-scott", include_str!("../../problems/gray-scott.toml")),
    ("kuramoto-sivashinsky", include_str!("../../problems/kuramoto-sivashinsky.toml")),
    ("poisson-nd", include_str!("../../problems/poisson-nd.toml")),
    ("heat-nd", include_str!("../../problems/heat-nd.toml")),
    ("allen-cahn", include_str!("../../problems/allen-cahn.toml")),
    ("kdv", include_str!("../../problems/kdv.toml")),
    ("schroedinger", include_str!("../../problems/schroedinger.toml")),
    ("fisher-kpp", include_str!("../../problems/fisher-kpp.toml")),
    ("sine-gordon", include_str!("../../problems/sine-gordon.toml")),
    ("klein-gordon", include_str!("../../problems/klein-gordon.toml")),
    ("helmholtz-2d", include_str!("../../problems/helmholtz-2d.toml")),
    ("poisson-l-shape", include_str!("../../problems/poisson-l-shape.toml")),
    ("boundary-layer", include_str!("../../problems/boundary-layer.toml")),
    ("elasticity", include_str!("../../problems/elasticity.toml")),
    ("kovasznay", include_str!("../../problems/kovasznay.toml")),
    ("taylor-green", include_str!("../../problems/taylor-green.toml")),
    ("cavity", include_str!("../../problems/cavity.toml")),
    ("black-scholes", include_str!("../../problems/black-scholes.toml")),
    ("poisson-square", include_str!("../../problems/poisson-square.toml")),
    ("poisson-disk", include_str!("../../problems/poisson-disk.toml")),
    ("heat-rod", include_str!("../../problems/heat-rod.toml")),
    ("heat-square", include_str!("../../problems/heat-square.toml")),
    ("poisson-inverse", include_str!("../../problems/poisson-inverse.toml")),
    ("heat-inverse", include_str!("../../problems/heat-inverse.toml")),
    ("burgers-inverse", include_str!("../../problems/burgers-inverse.toml")),
    ("lorenz-inverse", include_str!("../../problems/lorenz-inverse.toml")),
    ("navier-stokes-inverse", include_str!("../../problems/navier-stokes-inverse.toml")),
    ("source-inverse", include_str!("../../problems/source-inverse.toml")),
    ("rod-inverse", include_str!("../../problems/rod-inverse.toml")),
];

/// Problems that are others with some words replaced: name, origin, and each word with its successor.
type Variant = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const VARIANTS: [Variant; 2] = [
    (
        "ks-periodic",
        "kuramoto-sivashinsky",
        &[
            (
                "# Fronts that merge and split in a chaotic way (task KS of the PINNacle benchmark, which sets no boundary condition).\n",
                "# Fronts that merge and split in a chaotic way, around a circle.\n",
            ),
            ("name = \"kuramoto-sivashinsky\"", "name = \"ks-periodic\""),
            ("Kuramoto–Sivashinsky equation", "Kuramoto–Sivashinsky equation, periodic"),
            ("t = [0, 1]", "t = [0, 0.5]"),
            ("name = \"initial\"\n", ""),
            (
                "[points]\ninterior = { layout = \"hammersley\", count = 8192 }\nboundary = { layout = \"hammersley\", count = 2048 }\n\
                 initial = { layout = \"hammersley\", count = 2048 }\nresidual_everywhere = true\n",
                "[[conditions]]\nkind = \"periodic\"\nalong = \"x\"\nexact = true\n",
            ),
            ("success = 0.1", "success = 0.01"),
            ("steps = 8192", "steps = 4096"),
        ],
    ),
    (
        "cavity-re400",
        "cavity",
        &[
            ("name = \"cavity\"", "name = \"cavity-re400\""),
            ("Re 100", "Re 400"),
            ("Re = 100", "Re = 400"),
            ("\"cavity-re100\"", "\"cavity-re400\""),
        ],
    ),
];

/// All names and texts: a variant follows its origin.
static BUILTIN: LazyLock<Vec<(&str, Cow<str>)>> = LazyLock::new(|| {
    let edited = |text: &str, edits: &[(&str, &str)]| {
        edits.iter().fold(text.to_owned(), |text, (word, successor)| text.replace(word, successor))
    };
    let with_variants = |(name, text)| {
        let variants = VARIANTS.iter().filter(move |(_, origin, _)| *origin == name);
        let texts = variants.map(move |(variant, _, edits)| (*variant, Cow::Owned(edited(text, edits))));
        iter::once((name, Cow::Borrowed(text))).chain(texts)
    };
    FILES.into_iter().flat_map(with_variants).collect()
});

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

    /// The name a built-in problem has itself, of the names it is known under.
    pub(super) fn builtin_name_of(name: &str) -> Option<&'static str> {
        entry(name).map(|(own, _)| own)
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
    BUILTIN.iter().find(|(own, _)| *own == name).map(|(own, text)| (*own, text.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_a_variant_replaces_is_there() {
        for (name, origin, edits) in VARIANTS {
            let text = Problem::builtin_source(origin).expect("built in");
            for (word, _) in edits {
                assert_eq!(text.matches(word).count(), 1, "{name}: `{word}`");
            }
        }
    }
}
