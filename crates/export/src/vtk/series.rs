//! A series in time: one file for each instant in a folder beside the PVD file, which lists them and comes last.

use super::xml::{Document, escaped};
use crate::error::ExportError;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

pub struct Series {
    /// Holds the files.
    pub folder: PathBuf,
    stem: String,
    ending: &'static str,
}

impl Series {
    /// The series of a PVD file: `wave.pvd` has its files in `wave`.
    pub fn new(path: &Path, ending: &'static str) -> Self {
        let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        Self { folder: path.with_extension(""), stem, ending }
    }

    fn name(&self, number: usize) -> String {
        format!("{}_{number:04}.{}", self.stem, self.ending)
    }

    /// Writes what `at` makes of each instant; tells all files, the PVD file first.
    pub fn write(
        &self,
        path: &Path,
        instants: &[f64],
        mut at: impl FnMut(f64) -> Result<Document, ExportError>,
    ) -> Result<Vec<PathBuf>, ExportError> {
        fs::create_dir_all(&self.folder).map_err(|error| ExportError::not_saved(&self.folder, &error))?;
        let mut files = vec![path.to_owned()];
        let mut list =
            String::from("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n");
        for (number, instant) in instants.iter().enumerate() {
            let file = self.folder.join(self.name(number));
            at(*instant)?.save(&file)?;
            let place = escaped(&format!("{}/{}", self.stem, self.name(number)));
            let _ = writeln!(list, "<DataSet timestep=\"{instant}\" part=\"0\" file=\"{place}\"/>");
            files.push(file);
        }
        list += "</Collection>\n</VTKFile>\n";
        ropinn_files::write(path, list.as_bytes()).map_err(|error| ExportError::not_saved(path, &error))?;
        // An earlier, longer series would be taken for a part of this one.
        for number in instants.len().. {
            if fs::remove_file(self.folder.join(self.name(number))).is_err() {
                break;
            }
        }
        Ok(files)
    }
}
