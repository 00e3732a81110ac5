//! `lanescope describe [TEXT...]`.

use crate::args::Describe;
use crate::exit::{Complaint, End, Failure};
use crate::screen::Screen;
use crate::{file, input};
use probe::describe::Refused;
use probe::report::Report;
use probe::{Machine, Tree};
use std::path::{Path, PathBuf};

/// Writes the description of a machine.
///
/// # Errors
/// A file that does not contain a machine, a machine of which no link says what it carries, or a file that cannot be
/// written.
pub fn run(asked: &Describe, screen: &Screen) -> Result<End, Failure> {
    let out = asked.out.as_deref().filter(|out| !input::is_standard(out));
    if let Some(path) = out {
        file::check(path)?;
        let same = |read: &PathBuf| canonical(read).is_some_and(|read| canonical(path) == Some(read));
        if let Some(read) = asked.files.iter().find(|read| same(read)) {
            let what = format!("{} is what is read", read.display());
            return Err(Complaint::new(what, "another file for the description").into());
        }
    }
    if screen.unit.is_some() {
        return Err(Complaint::new("a description has no rates", "leave --unit out").into());
    }
    let machine = input::asked(&asked.files, asked.sysfs.as_deref(), screen)?;
    let tree = Tree::of(&machine);
    let report = Report::of(&machine, &tree, false);
    let described = probe::describe::describe(&machine, &tree, &report);
    let described = described.map_err(|why| refused(&machine, &why))?;
    for apart in &described.apart {
        screen.complain(&format!("not as found: {apart}\n"));
    }
    if described.remarks > 0 {
        screen.complain(&format!("{}\n", probe::describe::not_understood(described.remarks)));
    }
    let Some(path) = out else {
        screen.print(&described.text)?;
        return Ok(End::Done);
    };
    file::write(path, &described.text)?;
    let (devices, links) = (described.devices, report.model.system.links.len());
    let (some, more) = (if devices == 1 { "" } else { "s" }, if links == 1 { "" } else { "s" });
    let name = path.display();
    let next = match devices {
        0 => format!(
            "lanescope show {name}; no device here has a limit of its own to ask for (lanescope inspect says why)"
        ),
        _ => format!("lanescope limit {name}, lanescope run {name}; what is marked `assumed` no register says"),
    };
    screen.print(&format!("{name}: {devices} device{some} with a limit, {links} link{more}\nnext: {next}\n"))?;
    Ok(End::Done)
}

fn canonical(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok()
}

fn refused(machine: &Machine, why: &Refused) -> Failure {
    let help = match why {
        Refused::NoLink(_) => "what `sudo lspci -vvv` prints has the links; without root they are hidden",
        Refused::Beyond(_) => "`lanescope inspect` has its limits",
    };
    Complaint::new(format!("{}: {why}", machine.name), help).into()
}
