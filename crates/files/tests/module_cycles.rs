//! A module uses only what is below it: no crate of the workspace has a cycle of `use` edges between sibling modules, at any
//! depth of its module tree.
//!
//! Paths from `crate`, `super` and `self` count, in `use` items and in code; a name that a module only hands on (`pub use`, or a
//! `use` its children see through `super`) counts as the module it comes from. A module and those inside it are one, so that
//! a parent may call its children and they may name its types. Tests and comments do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

type Name = Vec<String>;

/// One module of a crate: its code and the names it hands on.
#[derive(Default)]
struct Module {
    code: String,
    handed_on: BTreeMap<String, Name>,
}

/// All modules of a crate by their paths; the root has the empty one.
type Modules = BTreeMap<Name, Module>;

#[test]
fn no_module_uses_itself_through_others() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
    let mut cycles = Vec::new();
    let mut count = 0;
    for entry in fs::read_dir(crates).expect("crates") {
        let source = entry.expect("a crate").path().join("src");
        let root = ["lib.rs", "main.rs"].map(|name| source.join(name)).into_iter().find(|root| root.exists());
        let modules = modules_of(&root.expect("a crate has a root"));
        count += modules.len();
        let shown = source.parent().expect("a crate").file_name().expect("a name").to_string_lossy().into_owned();
        cycles.extend(cycles_of(&modules).into_iter().map(|cycle| format!("{shown}: {cycle}")));
    }
    assert!(count > 100, "only {count} modules were found");
    assert!(cycles.is_empty(), "modules that use each other:\n{}", cycles.join("\n"));
}

#[test]
fn cycles_are_found_wherever_they_hide() {
    let cycles = |files: &[(&str, &str)]| {
        let mut modules: Modules = files
            .iter()
            .map(|(path, code)| (name(path), Module { code: bare(code), handed_on: BTreeMap::new() }))
            .collect();
        resolve_names(&mut modules);
        cycles_of(&modules)
    };
    let root = "mod a; mod b; mod c; pub use a::A; pub use b::{self, inner::{B, C}};";
    let direct = [("", root), ("a", "use crate::b::f;"), ("b", "fn f() { crate::a::g() }"), ("c", "use crate::a;")];
    assert_eq!(cycles(&direct), ["a -> b -> a"]);
    let handed_on = [("", root), ("a", "use crate::{C, x};"), ("b", "use super::A;"), ("c", "")];
    assert_eq!(cycles(&handed_on), ["a -> b -> a"]);
    let long = [("", root), ("a", "use super::b;"), ("b", "use super::{c::{D, E}};"), ("c", "use crate::A;")];
    assert_eq!(cycles(&long), ["a -> b -> c -> a"]);
    let nested = [("", "mod a;"), ("a", "mod b; mod c;"), ("a::b", "use super::c::X;"), ("a::c", "use crate::a::b;")];
    assert_eq!(cycles(&nested), ["a::b -> a::c -> a::b"]);
    let harmless = [
        ("", root),
        ("a", "mod d; use d::D; /* crate::c */ // crate::c::X"),
        ("a::d", "use super::D; use crate::b;"),
        ("b", "use crate::c; \"crate::a\"; #[cfg(test)]\nmod tests { use crate::a; }"),
        ("c", "/// [`A`](crate::A)\n"),
    ];
    assert_eq!(cycles(&harmless), [""; 0]);
}

fn name(path: &str) -> Name {
    path.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Reads a crate from its root file on.
fn modules_of(root: &Path) -> Modules {
    let mut modules = Modules::new();
    let mut pending = vec![(Name::new(), root.to_owned(), root.parent().expect("a folder").to_owned())];
    while let Some((path, file, folder)) = pending.pop() {
        let code = bare(&fs::read_to_string(&file).expect("source text"));
        for child in declared(&code) {
            let (flat, inner) = (folder.join(format!("{child}.rs")), folder.join(&child));
            let file = if flat.exists() { flat } else { inner.join("mod.rs") };
            let path = path.iter().cloned().chain([child]).collect();
            pending.push((path, file, inner));
        }
        modules.insert(path, Module { code, handed_on: BTreeMap::new() });
    }
    resolve_names(&mut modules);
    modules
}

/// The code without comments, texts and tests.
fn bare(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let literal = |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
        let skipped = match next {
            '/' if rest.starts_with("//") => literal("\n", 0) - 1,
            '/' if rest.starts_with("/*") => literal("*/", 2),
            'r' if rest.starts_with("r#\"") && !code.ends_with(is_word) => literal("\"#", 3),
            '"' => {
                let mut escaped = false;
                let closes = |c: char| {
                    let closes = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    closes
                };
                rest[1..].find(closes).map_or(rest.len(), |at| at + 2)
            }
            '\'' if rest.starts_with("'\"'") => 3,
            '\'' if rest.starts_with("'\\\"'") => 4,
            '#' if rest.starts_with("#[cfg(test)]") => test_item(rest),
            _ => 0,
        };
        if skipped == 0 {
            code.push(next);
            rest = &rest[next.len_utf8()..];
        } else {
            rest = &rest[skipped..];
        }
    }
    code
}

/// Length of the item that follows the attribute: up to a semicolon, or to the brace that closes its first one.
fn test_item(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            ';' if depth == 0 => return at + 1,
            '{' => depth += 1,
            '}' if depth == 1 => return at + 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Positions after each occurrence of a whole word.
fn after_words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    code.match_indices(word).filter_map(move |(at, _)| {
        let rest = &code[at + word.len()..];
        (!code[..at].ends_with(is_word) && !rest.starts_with(is_word)).then_some(rest)
    })
}

/// Modules that live in files of their own.
fn declared(code: &str) -> Vec<String> {
    let names = after_words(code, "mod").filter_map(|rest| rest.trim_start().split_once(';'));
    names.map(|(name, _)| name.to_owned()).filter(|name| !name.is_empty() && name.chars().all(is_word)).collect()
}

/// The paths written at the start of `text`: one, or one for each leaf of its braces; and what follows them.
fn paths(text: &str) -> (Vec<Name>, &str) {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        let mut all = Vec::new();
        loop {
            rest = rest.trim_start_matches([',', ' ', '\n']);
            if let Some(rest) = rest.strip_prefix('}') {
                return (all, rest);
            }
            let (found, after) = paths(rest);
            if found.is_empty() {
                return (all, after);
            }
            all.extend(found);
            // Past `as other_name`.
            rest = after.trim_start_matches(|c: char| is_word(c) || c == ' ');
        }
    }
    let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
    let (first, rest) = text.split_at(end);
    if first.is_empty() {
        return (Vec::new(), rest);
    }
    let Some(inner) = rest.strip_prefix("::") else { return (vec![vec![first.to_owned()]], rest) };
    let (tails, rest) = paths(inner);
    let tails = if tails.is_empty() { vec![Name::new()] } else { tails };
    (tails.into_iter().map(|tail| [vec![first.to_owned()], tail].concat()).collect(), rest)
}

/// Finds out where the names that modules hand on come from.
fn resolve_names(modules: &mut Modules) {
    let handed: Vec<(Name, BTreeMap<String, Name>)> = modules
        .iter()
        .map(|(at, module)| {
            let used = after_words(&module.code, "use").flat_map(|rest| paths(rest).0);
            let absolute = used.filter_map(|path| {
                let path = match path.first()?.as_str() {
                    "crate" | "super" | "self" => absolute(at, &path)?,
                    child if modules.contains_key(&[at.as_slice(), &[child.to_owned()]].concat()) => {
                        [at.as_slice(), &path].concat()
                    }
                    _ => return None,
                };
                // `use a::b::{self}` is `use a::b`.
                let path: Name = path.into_iter().filter(|part| part != "self").collect();
                Some((path.last()?.clone(), path))
            });
            (at.clone(), absolute.collect())
        })
        .collect();
    for (at, names) in handed {
        modules.get_mut(&at).expect("a module of this crate").handed_on = names;
    }
}

/// A path from the root of the crate; None beyond it.
fn absolute(at: &[String], path: &[String]) -> Option<Name> {
    let mut base = at.to_vec();
    let mut rest = path;
    while let Some((first, tail)) = rest.split_first() {
        match first.as_str() {
            "crate" => base.clear(),
            "super" => drop(base.pop()?),
            "self" => {}
            _ => break,
        }
        rest = tail;
    }
    base.extend_from_slice(rest);
    Some(base)
}

/// The module a path ends in, followed through names that are handed on.
fn home(modules: &Modules, path: &[String]) -> Name {
    let mut path = path.to_vec();
    for _ in 0..8 {
        let depth = (0..=path.len()).rev().find(|&depth| modules.contains_key(&path[..depth])).unwrap_or(0);
        let (module, rest) = path.split_at(depth);
        match rest.first().and_then(|name| modules[module].handed_on.get(name)) {
            Some(origin) if origin[..] != path[..=depth] => path = [origin, &rest[1..]].concat(),
            _ => return module.to_vec(),
        }
    }
    path
}

/// Each group of siblings that reach each other, as one way around.
fn cycles_of(modules: &Modules) -> Vec<String> {
    let mut edges: BTreeMap<Name, BTreeSet<Name>> = BTreeMap::new();
    for (at, module) in modules {
        let starts = ["crate", "super", "self"].into_iter();
        let written = starts.flat_map(|start| {
            // `super::super::x` is found once, at its first word.
            let inner = after_words(&module.code, start).filter(|rest| rest.starts_with("::"));
            let first = inner.filter(|rest| {
                let before = &module.code[..module.code.len() - rest.len() - start.len()];
                !before.ends_with("::")
            });
            first.flat_map(move |rest| paths(&rest[2..]).0).map(move |path| [vec![start.to_owned()], path].concat())
        });
        for path in written {
            let Some(path) = absolute(at, &path) else { continue };
            let target = home(modules, &path);
            let shared = at.iter().zip(&target).take_while(|(a, b)| a == b).count();
            if shared < at.len() && shared < target.len() {
                edges.entry(at[..=shared].to_vec()).or_default().insert(target[..=shared].to_vec());
            }
        }
    }
    let mut cycles = Vec::new();
    let mut told: BTreeSet<&Name> = BTreeSet::new();
    for start in edges.keys() {
        if let Some(way) = way_around(&edges, start).filter(|way| way.iter().all(|module| !told.contains(module))) {
            cycles.push(way.iter().map(|module| module.join("::")).collect::<Vec<_>>().join(" -> "));
            told.extend(way);
        }
    }
    cycles
}

/// The shortest way from a module back to itself.
fn way_around<'a>(edges: &'a BTreeMap<Name, BTreeSet<Name>>, start: &'a Name) -> Option<Vec<&'a Name>> {
    let mut ways = vec![vec![start]];
    let mut seen = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            for next in edges.get(*way.last()?).into_iter().flatten() {
                let way = [way.as_slice(), &[next]].concat();
                if next == start {
                    return Some(way);
                }
                if seen.insert(next) {
                    longer.push(way);
                }
            }
        }
        ways = longer;
    }
    None
}
