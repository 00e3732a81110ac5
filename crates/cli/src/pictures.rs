//! The folder for the pictures of a report: `--svg FOLDER`.

use crate::exit::{Complaint, Failure};
use crate::file;
use std::path::Path;
use view::html::Drawing;

/// Checks early, before any computation, whether the folder can be there.
///
/// # Errors
/// A file of that name, or no folder to make it in.
pub fn check(folder: &Path) -> Result<(), Failure> {
    let above = folder.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if folder.is_dir() || (!folder.exists() && above.is_dir()) {
        return Ok(());
    }
    let what = format!("{} is no folder for pictures", folder.display());
    let right = "`--svg FOLDER`: a folder that is there, or a new one in a folder that is there";
    Err(Complaint::new(what, right).into())
}

/// Refuses where no point gives a picture.
///
/// # Errors
/// `is_empty`.
pub fn check_some(is_empty: bool) -> Result<(), Failure> {
    if is_empty {
        let right = "points of an experiment that is no formula; of `limit`, flows with a steady rate";
        return Err(Complaint::new("there is nothing to draw for --svg", right).into());
    }
    Ok(())
}

/// Writes each picture into the folder, completely or not at all. A new folder is made.
///
/// # Errors
/// A folder or file that cannot be written.
pub fn write(folder: &Path, drawings: &[Drawing]) -> Result<(), Failure> {
    if !folder.is_dir() {
        std::fs::create_dir(folder).map_err(|error| file::unwritable(folder, &error))?;
    }
    drawings.iter().try_for_each(|drawing| file::write(&folder.join(&drawing.name), &drawing.svg))
}
