//! `lanescope calibrate --on FILE.csv`.

use crate::args::{Calibrate, Csv, Engine};
use crate::exit::{End, Failure};
use crate::running::running;
use crate::screen::Screen;
use crate::{calibrated, csv, file};
use lab::calibrate::bench::{self, Bench};
use lab::calibrate::calibrate;
use lab::fit::By;
use lab::reference;
use std::path::Path;

const NO_TABLE: Csv = Csv { csv: None };

/// Prints which measurements are needed, or the figures of a host that they determine. The exit code is 1 if these are no
/// result.
///
/// # Errors
/// A description or a row that is wrong; a file that cannot be read or written.
pub fn run(asked: &Calibrate, screen: &Screen) -> Result<End, Failure> {
    csv::check_all(&asked.files, &NO_TABLE)?;
    let Some(on) = &asked.on else {
        let people = || calibrated::needs(screen);
        csv::tell((&asked.files, &NO_TABLE), view::json::needs, String::new, people, screen)?;
        return Ok(End::Done);
    };
    asked.out.as_deref().map_or(Ok(()), file::check)?;
    let mut rows = reference::open(Path::new(on))?;
    rows.told_in(screen.unit);
    let bench = Bench { host: asked.host.clone(), card: asked.card.clone(), slot: asked.slot.clone() };
    let machine = ask::calibrate::machine(asked.system.as_deref(), &asked.set, &bench, &rows)?.told_in(screen.unit);
    let part = ask::calibrate::host(&machine)?;
    let by = if asked.by == Engine::Limit { By::Limit } else { By::Simulation };
    let found = running(asked.files.threads, screen, |options| calibrate(&machine, &part, &rows, on, by, options))?;
    let result = found.complete && found.is_result();
    let own = asked.system.is_some();
    let yaml = result.then(|| ask::calibrate::part(&found, (!own).then_some(&bench)));
    if let Some(path) = asked.out.as_deref().filter(|_| result) {
        let title = format!("A host calibrated on {on}");
        file::write(path, bench::text(&bench, &title, &ask::calibrate::lines(&found)))?;
    }
    let name = machine.name();
    let json = || view::json::calibration(name, on, &found, yaml.as_deref());
    let people = || calibrated::text(name, on, &found, yaml.as_deref(), asked.detail, screen);
    csv::tell((&asked.files, &NO_TABLE), json, String::new, people, screen)?;
    if !found.complete {
        screen.complain("interrupted: nothing is calibrated\n");
        return Ok(End::Interrupted);
    }
    Ok(if result { End::Done } else { End::BoundBroken })
}
