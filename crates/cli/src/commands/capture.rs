//! `lanescope capture FILE.tar.zst`.

use crate::args::Capture;
use crate::exit::{End, Failure};
use crate::file;
use crate::screen::Screen;
use probe::sysfs::Folder;
use std::path::Path;

/// Saves the configuration of this machine or of a sysfs tree, without serial numbers and addresses.
///
/// # Errors
/// A folder that is not a sysfs tree, or a file that cannot be written.
pub fn run(asked: &Capture, screen: &Screen) -> Result<End, Failure> {
    file::check(&asked.file)?;
    let root = asked.sysfs.as_deref().unwrap_or(Path::new("/sys"));
    let bytes = probe::capture(&Folder::new(root)).map_err(|problem| probe::Error::new(root, problem))?;
    file::write(&asked.file, &bytes)?;
    let size = pcie::Bytes(bytes.len() as u64);
    let machine = probe::read(&asked.file)?;
    screen.tell(&format!(
        "{}: {}, {size}\n",
        asked.file.display(),
        view::machine::show::count(machine.functions.len())
    ))?;
    if let Some(hidden) = view::machine::show::hidden(&machine) {
        screen.complain(&format!("{hidden}\n"));
    }
    Ok(End::Done)
}
