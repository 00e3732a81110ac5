//! `lanescope fit SYSTEM --params a,b,c --on FILE.csv`.

use crate::args::Fit as Asked;
use crate::exit::{End, Failure};
use crate::running::running;
use crate::screen::Screen;
use crate::{csv, fitted};
use lab::DescribedMachine;
use lab::fit::By;

/// Fits figures to measurements and prints them with their uncertainty. The exit code is 1 if the search has
/// not converged, or if the fitted figures do not match the rows.
///
/// # Errors
/// A description, parameter, row or pattern that is wrong; a file that cannot be read or written.
pub fn run(asked: &Asked, screen: &Screen) -> Result<End, Failure> {
    csv::check_all(&asked.files, &asked.table)?;
    let machine = DescribedMachine::open(&asked.machine.system, &asked.machine.set)?.told_in(screen.unit);
    let ask = ask::fit::Asked {
        params: &asked.params,
        on: &asked.on,
        rows: &asked.rows,
        hold_out: &asked.hold_out,
        start: &asked.start,
        choose: &asked.choose,
        by: if asked.by == crate::args::Engine::Limit { By::Limit } else { By::Simulation },
        told_in: screen.unit,
    }
    .ask()?;
    let fit = running(asked.files.threads, screen, |options| lab::fit::fit(&machine, &ask, options))?;
    let json = || view::json::fit(machine.name(), &ask.file, &fit);
    csv::tell(
        (&asked.files, &asked.table),
        json,
        || fitted::rows_as_csv(&fit),
        || fitted::text(machine.name(), &ask.file, &fit, asked.detail, screen),
        screen,
    )?;
    if fit.complete {
        return Ok(if fit.is_result() { End::Done } else { End::BoundBroken });
    }
    screen.complain("interrupted: these are the best figures so far, without their uncertainty\n");
    Ok(End::Interrupted)
}
