//! What a calibration is asked, and what it gives to write down: `lanescope calibrate`.

use crate::error::{Complaint, Error};
use crate::fit::origin;
use lab::calibrate::Calibration;
use lab::calibrate::bench::{self, Bench, HOST};
use lab::{DescribedMachine, Reference};
use system::Description;

/// The described machine `system`, or else the bench under the name that the rows use.
///
/// # Errors
/// A description or an override that is wrong; rows of several systems, or none.
pub fn machine(
    system: Option<&str>,
    sets: &[String],
    bench: &Bench,
    rows: &Reference,
) -> Result<DescribedMachine, Error> {
    if let Some(system) = system {
        return Ok(DescribedMachine::open(system, sets)?);
    }
    let mut names: Vec<&str> = rows.rows.iter().map(|row| row.system.as_str()).collect();
    names.dedup();
    let name = match names[..] {
        [one] => one,
        [] => {
            let right = "`lanescope calibrate` says which it needs";
            return Err(Complaint::new("there is no row to calibrate on", right).into());
        }
        _ => {
            let what = format!("the rows are of several systems: {}", names.join(", "));
            return Err(Complaint::new(what, "one `system` in all rows; the figures are those of one host").into());
        }
    };
    let text = bench::text(bench, "The bench of a calibration", "");
    let mut description = Description::from_text("calibration", &text)?;
    for set in sets {
        description.set(set)?;
    }
    Ok(DescribedMachine::described(name, description)?)
}

/// The name of the part whose figures are found.
///
/// # Errors
/// A machine that cannot be settled.
pub fn host(machine: &DescribedMachine) -> Result<String, Error> {
    let system = machine.description().system()?;
    Ok(lab::path::base(&system.part(system.host()).name).to_string())
}

/// The lines of the figures for the body of the part, with their origin. What keeps its default is a comment.
pub fn lines(found: &Calibration) -> String {
    let Some(fit) = &found.fit else { return String::new() };
    let figures = found.found().map(|(figure, found)| {
        let origin = origin(found, &fit.provenance);
        (figure.field, format!("{{ value: {}, fitted: \"{origin}\" }}", found.value))
    });
    let kept = found
        .kept
        .iter()
        .map(|kept| format!("    # {}: {} kept: {}\n", kept.figure.field, kept.value, kept.why.words()));
    bench::lines(figures.collect::<Vec<_>>()) + &kept.collect::<String>()
}

/// The part, ready for a description; the lines alone where the host is one of the user's own description.
pub fn part(found: &Calibration, bench: Option<&Bench>) -> String {
    let head = bench.map_or_else(
        || format!("  {}:\n", found.part),
        |bench| format!("  {HOST}:\n    part: {}\n    slots: {{ pcie: {} }}\n", bench.host, bench.slot),
    );
    head + &lines(found)
}
