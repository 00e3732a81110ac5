//! `lanescope describe [TEXT...]`.

use crate::args::Describe;
use crate::exit::{Complaint, End, Failure};
use crate::screen::Screen;
use crate::{file, input};
use probe::report::Report;
use probe::{Machine, Tree};

/// Writes the description of a machine.
///
/// # Errors
/// A file that does not contain a machine, a machine of which no link says what it carries, or a file that cannot be
/// written.
pub fn run(asked: &Describe, screen: &Screen) -> Result<End, Failure> {
    if let Some(path) = &asked.out {
        file::check(path)?;
    }
    let machine = input::asked(&asked.files, asked.sysfs.as_deref(), screen)?;
    let tree = Tree::of(&machine);
    let report = Report::of(&machine, &tree, false);
    let described = probe::describe::describe(&machine, &tree, &report).ok_or_else(|| nothing(&machine))?;
    for apart in &described.apart {
        screen.complain(&format!("not as found: {apart}\n"));
    }
    let Some(path) = &asked.out else {
        screen.print(&described.text)?;
        return Ok(End::Done);
    };
    file::write(path, &described.text)?;
    let (devices, links) = (report.limits.devices.len(), report.model.system.links.len());
    let (some, more) = (if devices == 1 { "" } else { "s" }, if links == 1 { "" } else { "s" });
    let name = path.display();
    screen.print(&format!(
        "{name}: {devices} device{some} with a limit, {links} link{more}\n\
         next: lanescope limit {name}, lanescope run {name}; what is marked `assumed` no register says\n"
    ))?;
    Ok(End::Done)
}

fn nothing(machine: &Machine) -> Failure {
    let what = format!("{}: no link here says what it carries", machine.name);
    Complaint::new(what, "what `sudo lspci -vvv` prints has the links; without root they are hidden").into()
}
