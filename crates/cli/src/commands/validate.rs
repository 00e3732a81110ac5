//! `lanescope validate`.

use crate::args::Validate;
use crate::exit::{End, Failure};
use crate::screen::Screen;
use crate::validation::figures::Figures;
use crate::validation::{self, misses};
use crate::{csv, interrupt, progress};
use cosim::Cosim;
use lab::gateware::Counterparts;
use lab::plan::Plan;
use lab::sweep::RunOptions;
use lab::{Machines, Reference, reference};

/// Compares all rows and prints the error of each against the published value.
///
/// # Errors
/// A row that does not match any point; a file that cannot be read or written.
pub fn run(asked: &Validate, screen: &Screen) -> Result<End, Failure> {
    if asked.gateware {
        return gateware(asked, screen);
    }
    csv::check_all(&asked.files, &asked.table)?;
    let references = reference::told_in(references(asked)?, screen.unit);
    let machines = Machines::of(&references)?;
    let plan = Plan::new(&references, &machines)?;
    let interrupted = interrupt::flag();
    let progress = progress::Progress::of_work(screen, plan.points(), plan.bytes());
    let step = || progress.step();
    let cosim = Cosim::default();
    let threads = asked.files.threads.map(usize::from);
    let options = RunOptions { threads, interrupted: &interrupted, step: &step, kinds: &[&cosim, &dma::Cards] };
    let mut found = plan.run_watched(&options, &|work| progress.work(work))?;
    drop(progress);
    if let Some(bound) = asked.bound {
        found.bound_each(bound);
    }
    let figures = if asked.reference.is_empty() { Figures::Published } else { Figures::Measured };
    let json = || view::json::comparisons(&found.comparisons);
    let csv = || validation::rows_as_csv(&found);
    let text = || match (asked.differences, asked.misses) {
        (true, _) => validation::differences(&found, figures, screen),
        (_, true) => misses::rows(&found, figures, screen),
        _ => validation::text(&found, figures, screen),
    };
    csv::tell((&asked.files, &asked.table), json, csv, text, screen)?;
    if !found.complete {
        screen.complain("interrupted: only the rows whose points were finished are there\n");
        return Ok(End::Interrupted);
    }
    Ok(if found.holds() { End::Done } else { End::BoundBroken })
}

/// Prints the tables of the gateware comparison as Markdown: the rig, and the NVMe hosts.
fn gateware(asked: &Validate, screen: &Screen) -> Result<End, Failure> {
    let interrupted = interrupt::flag();
    let progress = progress::Progress::new(screen, lab::gateware::points() + lab::gateware::host_points());
    let step = || progress.step();
    let cosim = Cosim::default();
    let threads = asked.files.threads.map(usize::from);
    let options = RunOptions { threads, interrupted: &interrupted, step: &step, kinds: &[&cosim, &dma::Cards] };
    let counterparts = Counterparts { with_engine: cosim::counterpart, block_alone: cosim::counterpart::bare };
    let table = lab::gateware::table(&options, &counterparts)?;
    let hosts = lab::gateware::hosts(&options, cosim::counterpart::host)?;
    drop(progress);
    let Some(hosts) = hosts.filter(|_| table.complete) else {
        screen.complain("interrupted: a row needs all of its points\n");
        return Ok(End::Interrupted);
    };
    screen.print(&view::gateware::markdown(&table))?;
    screen.print(&format!("\nNVMe hosts:\n\n{}", view::gateware::hosts(&hosts)))?;
    let holds = table.lines.iter().all(lab::gateware::Line::holds) && hosts.iter().all(lab::gateware::HostLine::holds);
    Ok(if holds { End::Done } else { End::BoundBroken })
}

fn references(asked: &Validate) -> Result<Vec<Reference>, Failure> {
    if !asked.set.is_empty() {
        return Ok(lab::sets::chosen(&asked.set)?);
    }
    if asked.reference.is_empty() {
        return Ok(reference::usual()?);
    }
    Ok(asked.reference.iter().map(|path| reference::load(path)).collect::<Result<_, _>>()?)
}
