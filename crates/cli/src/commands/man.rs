//! `lanescope man`.

use crate::args::{Arguments, Man};
use crate::exit::{Complaint, End, Failure};
use crate::screen::Screen;
use clap::CommandFactory;
use std::path::Path;

/// Writes a manual page for each command, or prints the first page.
///
/// # Errors
/// A folder that cannot be written.
pub fn run(asked: &Man, screen: &Screen) -> Result<End, Failure> {
    match &asked.dir {
        Some(folder) => pages(folder).map_err(|error| {
            let what = format!("{} cannot be written: {error}", folder.display());
            Failure::from(Complaint::new(what, "a folder that may be made and written"))
        })?,
        None => {
            let mut page = Vec::new();
            // Writing to memory cannot fail.
            let _ = clap_mangen::Man::new(Arguments::command()).render(&mut page);
            screen.print(&String::from_utf8_lossy(&page))?;
        }
    }
    Ok(End::Done)
}

/// Writes the pages into a folder beside them first, so that no page is incomplete.
fn pages(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let beside = folder.join(format!(".{}.part", std::process::id()));
    std::fs::create_dir(&beside)?;
    let done = clap_mangen::generate_to(Arguments::command(), &beside).and_then(|()| moved(&beside, folder));
    std::fs::remove_dir_all(&beside)?;
    done
}

fn moved(from: &Path, to: &Path) -> std::io::Result<()> {
    for page in std::fs::read_dir(from)? {
        let page = page?;
        std::fs::rename(page.path(), to.join(page.file_name()))?;
    }
    Ok(())
}
