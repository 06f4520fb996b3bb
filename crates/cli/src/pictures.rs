//! Saving a figure as PNG and SVG.

use crate::failure::Failure;
use crate::output::remark;
use crate::run_folder::write_whole;
use ropinn_plot::Figure;
use std::path::Path;

/// Writes `<folder>/<name>.png` and `.svg`. `false`, with a remark, if the numbers cannot be drawn, such as those that ran away:
/// everything else is still worth keeping.
pub fn save(figure: &dyn Figure, folder: &Path, name: &str) -> Result<bool, Failure> {
    let draw = || {
        let picture = figure.picture()?;
        Ok((picture.to_png_bytes()?, picture.to_svg_string()?))
    };
    let (png, svg) = match draw() {
        Ok(drawn) => drawn,
        Err(error) => {
            let error: ropinn_plot::PlotError = error;
            remark(&format!("no picture `{name}`: {error}"));
            return Ok(false);
        }
    };
    for (ending, bytes) in [("png", &png[..]), ("svg", svg.as_bytes())] {
        let path = folder.join(format!("{name}.{ending}"));
        write_whole(&path, bytes).map_err(|error| Failure::not_saved(&path, &error))?;
    }
    Ok(true)
}
