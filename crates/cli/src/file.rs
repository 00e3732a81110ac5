//! Output files: whole or not at all.

use crate::exit::{Complaint, Failure};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes `text` beside `path` and then puts it in its place, so that no reader ever sees half of it.
///
/// # Errors
/// A folder that does not exist or cannot be written.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    // A link is followed; what is no file (a pipe, a terminal) has no half to be seen and is written to as it is.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let beside = beside(&target);
    let written = match std::fs::metadata(&target) {
        Ok(found) if !found.is_file() => std::fs::write(&target, text),
        _ => create(&beside, text).and_then(|()| std::fs::rename(&beside, &target)),
    };
    written.map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        Complaint::new(
            format!("{} cannot be written: {error}", path.display()),
            "a folder that exists and may be written",
        )
        .into()
    })
}

/// Says early that a file could not be written, before anything is computed for it.
///
/// # Errors
/// A folder that does not exist.
pub fn check(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if folder.is_dir() && !path.is_dir() {
        return Ok(());
    }
    let what = format!("{} cannot be written", path.display());
    let right = format!("a file in a folder that exists, as in {}", folder_hint(path));
    Err(Complaint::new(what, right).into())
}

fn folder_hint(path: &Path) -> String {
    path.file_name().map_or("out.csv".to_string(), |name| name.to_string_lossy().into_owned())
}

fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().map_or_else(Default::default, |name| name.to_string_lossy().into_owned());
    path.with_file_name(format!(".{name}.{}.part", std::process::id()))
}

fn create(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = std::fs::File::create_new(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
