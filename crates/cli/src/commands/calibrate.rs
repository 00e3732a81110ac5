//! `lanescope calibrate --on FILE.csv`.

use crate::args::{Calibrate, Csv, Engine};
use crate::exit::{Complaint, End, Failure};
use crate::screen::Screen;
use crate::{calibrated, csv, file, interrupt, progress};
use cosim::Cosim;
use lab::calibrate::bench::{self, Bench};
use lab::calibrate::calibrate;
use lab::fit::By;
use lab::sweep::RunOptions;
use lab::{DescribedMachine, Reference, reference};
use std::path::Path;
use system::Description;

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
    let machine = machine(asked, &bench, &rows)?.told_in(screen.unit);
    let system = machine.description().system()?;
    let part = lab::path::base(&system.part(system.host()).name).to_string();
    let interrupted = interrupt::flag();
    let progress = progress::Progress::counting(screen);
    let step = || progress.step();
    let options = RunOptions {
        threads: asked.files.threads.map(usize::from),
        interrupted: &interrupted,
        step: &step,
        kinds: &[&Cosim::default(), &dma::Cards],
    };
    let by = if asked.by == Engine::Limit { By::Limit } else { By::Simulation };
    let found = calibrate(&machine, &part, &rows, on, by, &options)?;
    drop(progress);
    let result = found.complete && found.is_result();
    let own = asked.system.is_some();
    let yaml = result.then(|| calibrated::part(&found, (!own).then_some(&bench)));
    if let Some(path) = asked.out.as_deref().filter(|_| result) {
        let title = format!("A host calibrated on {on}");
        file::write(path, bench::text(&bench, &title, &calibrated::lines(&found)))?;
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

/// The described machine, or the bench of the options under the name that the rows use.
fn machine(asked: &Calibrate, bench: &Bench, rows: &Reference) -> Result<DescribedMachine, Failure> {
    if let Some(system) = &asked.system {
        return Ok(DescribedMachine::open(system, &asked.set)?);
    }
    let mut names: Vec<&str> = rows.rows.iter().map(|row| row.system.as_str()).collect();
    names.dedup();
    let name = match names[..] {
        [one] => one,
        [] => {
            return Err(
                Complaint::new("there is no row to calibrate on", "`lanescope calibrate` says which it needs").into()
            );
        }
        _ => {
            let what = format!("the rows are of several systems: {}", names.join(", "));
            return Err(Complaint::new(what, "one `system` in all rows; the figures are those of one host").into());
        }
    };
    let text = bench::text(bench, "The bench of a calibration", "");
    let mut description = Description::from_text("calibration", &text)?;
    for set in &asked.set {
        description.set(set)?;
    }
    Ok(DescribedMachine::described(name, description)?)
}
