//! Output files, which are written completely or not at all.

use crate::exit::{Complaint, Failure, place};
use crate::screen;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes `bytes` to a temporary file beside `path` and renames it, so that no reader sees an incomplete file.
///
/// # Errors
/// A folder that does not exist or cannot be written; a full disk. Nothing is left of the file then.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    // A file that standard output is redirected to is not replaced, since more may be printed to it.
    if is_standard_output(path) {
        return screen::print_bytes(bytes.as_ref());
    }
    // A symbolic link is followed. A pipe or a terminal cannot be replaced and is written directly.
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

/// Checks early, before any computation, whether a file can be written.
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

/// As [`check`], of a report.
///
/// # Errors
/// A file name of another format, too.
pub fn check_report(path: &Path) -> Result<(), Failure> {
    let other =
        path.extension().filter(|ending| !["html", "htm"].iter().any(|known| ending.eq_ignore_ascii_case(known)));
    let Some(other) = other.map(|ending| ending.to_string_lossy().into_owned()) else { return check(path) };
    let what = format!("{}: a report is HTML, and not written as .{other}", path.display());
    let right = format!("`--report {}`; a browser prints it as PDF", path.with_extension("html").display());
    Err(Complaint::new(what, right).into())
}

/// A file that is written beside `path` during a computation and renamed to `path` at the end.
pub struct Growing {
    file: std::fs::File,
    /// The temporary path and the final path; `None` where `path` is a pipe or a terminal, which is written directly.
    way: Option<(PathBuf, PathBuf)>,
}

impl Growing {
    /// Creates the temporary file.
    ///
    /// # Errors
    /// A folder that does not exist or cannot be written.
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

    /// A handle to write to the file.
    ///
    /// # Errors
    /// No more files can be opened.
    pub fn file(&self, path: &Path) -> Result<std::fs::File, Failure> {
        self.file.try_clone().map_err(|error| unwritable(path, &error))
    }

    /// Moves the complete file to its final path.
    ///
    /// # Errors
    /// The file cannot be renamed.
    pub fn keep(mut self) -> std::io::Result<()> {
        let Some((beside, target)) = &self.way else { return Ok(()) };
        self.file.sync_all()?;
        std::fs::rename(beside, target)?;
        self.way = None;
        Ok(())
    }
}

impl Drop for Growing {
    fn drop(&mut self) {
        if let Some((beside, _)) = &self.way {
            let _ = std::fs::remove_file(beside);
        }
    }
}

/// The failure for a file that cannot be written.
pub fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Complaint::new(format!("{} cannot be written: {error}", path.display()), place(error)).into()
}

/// True for `/dev/stdout` and its other names.
fn is_standard_output(path: &Path) -> bool {
    let folder = path.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
    let Some((folder, name)) = folder.zip(path.file_name()) else { return false };
    let own = PathBuf::from(format!("/proc/{}/fd", std::process::id()));
    (folder == Path::new("/dev") && name == "stdout") || (folder == own && name == "1")
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
