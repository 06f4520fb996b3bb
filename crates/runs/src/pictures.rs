//! Saving a figure as PNG and SVG.

use crate::error::RunError;
use crate::watch::Remark;
use ropinn_plot::Figure;
use std::path::Path;

/// Writes `<folder>/<name>.png` and `.svg`, unless the numbers cannot be drawn.
pub fn save(figure: &dyn Figure, folder: &Path, name: &str) -> Result<Result<(), Remark>, RunError> {
    let draw = || {
        let picture = figure.picture()?;
        Ok((picture.to_png_bytes()?, picture.to_svg_string()?))
    };
    let (png, svg) = match draw() {
        Ok(drawn) => drawn,
        Err(error) => {
            let error: ropinn_plot::PlotError = error;
            return Ok(Err(Remark::NotDrawn { name: name.to_owned(), reason: error.to_string() }));
        }
    };
    for (ending, bytes) in [("png", &png[..]), ("svg", svg.as_bytes())] {
        let path = folder.join(format!("{name}.{ending}"));
        ropinn_files::write(&path, bytes).map_err(|error| RunError::not_saved(&path, &error))?;
    }
    Ok(Ok(()))
}
