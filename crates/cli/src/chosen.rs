//! `--variant` and `--table`: what is chosen of a problem.

use crate::failure::Failure;
use clap::Args;
use ropinn::problem::Choices;

/// Options that choose among the forms of a problem.
#[derive(Clone, Debug, Default, Args)]
pub struct Chosen {
    /// A variant of the problem's file; `problem:NAME` says the same.
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    /// Other numbers for a table of the problem, from a file with all its values; may be repeated.
    #[arg(long = "table", value_name = "NAME=FILE")]
    tables: Vec<String>,
}

impl Chosen {
    /// The same for the library.
    pub fn choices(&self) -> Result<Choices, Failure> {
        let table = |text: &String| match text.split_once('=') {
            Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok((name.to_owned(), file.into())),
            _ => Err(Failure::BadTable(text.clone())),
        };
        let tables = self.tables.iter().map(table).collect::<Result<_, _>>()?;
        Ok(Choices { variant: self.variant.clone(), tables })
    }
}
