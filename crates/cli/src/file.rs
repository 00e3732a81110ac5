//! Output files: whole or not at all.

use crate::exit::{Complaint, Failure};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes `bytes` beside `path` and then puts it in its place, so that no reader ever sees half of it.
///
/// # Errors
/// A folder that does not exist or cannot be written.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    // A link is followed; what is no file (a pipe, a terminal) has no half to be seen and is written to as it is.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let beside = beside(&target);
    let written = match std::fs::metadata(&target) {
        Ok(found) if !found.is_file() => std::fs::write(&target, bytes.as_ref()),
        _ => create(&beside, bytes.as_ref()).and_then(|()| std::fs::rename(&beside, &target)),
    };
    written.map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        unwritable(path, &error)
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

/// A file that grows beside `path` while something is computed, and is put in its place in the end.
pub struct Growing {
    file: std::fs::File,
    /// Where it grows and where it goes; `None` where `path` is a pipe or a terminal and is written to as it is.
    way: Option<(PathBuf, PathBuf)>,
}

impl Growing {
    /// Begins it.
    ///
    /// # Errors
    /// A folder that does not exist or may not be written.
    pub fn create(path: &Path) -> Result<Growing, Failure> {
        let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let opened = match std::fs::metadata(&target) {
            Ok(found) if !found.is_file() => {
                std::fs::File::options().write(true).open(&target).map(|file| Growing { file, way: None })
            }
            _ => {
                let beside = beside(&target);
                std::fs::File::create(&beside).map(|file| Growing { file, way: Some((beside, target)) })
            }
        };
        opened.map_err(|error| unwritable(path, &error))
    }

    /// What to write into.
    ///
    /// # Errors
    /// No more files may be open.
    pub fn file(&self, path: &Path) -> Result<std::fs::File, Failure> {
        self.file.try_clone().map_err(|error| unwritable(path, &error))
    }

    /// It is whole.
    ///
    /// # Errors
    /// What keeps it from taking its place.
    pub fn keep(mut self) -> std::io::Result<()> {
        let Some((beside, target)) = self.way.take() else { return Ok(()) };
        self.file.sync_all()?;
        std::fs::rename(beside, target)
    }
}

impl Drop for Growing {
    fn drop(&mut self) {
        if let Some((beside, _)) = &self.way {
            let _ = std::fs::remove_file(beside);
        }
    }
}

/// Says that `path` cannot be written.
pub fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    let what = format!("{} cannot be written: {error}", path.display());
    Complaint::new(what, "a folder that exists and may be written").into()
}

fn folder_hint(path: &Path) -> String {
    path.file_name().map_or("out.csv".to_string(), |name| name.to_string_lossy().into_owned())
}

fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().map_or_else(Default::default, |name| name.to_string_lossy().into_owned());
    path.with_file_name(format!(".{name}.{}.part", std::process::id()))
}

fn create(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = std::fs::File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
