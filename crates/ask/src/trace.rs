//! A trace of one point: `lanescope run --trace`.

use crate::error::Complaint;
use lab::sweep::Job;
use std::path::Path;
use trace::{Chosen, Format};

/// The format of packets that the ending of a file selects.
///
/// # Errors
/// An ending that selects none.
pub fn format(path: &Path) -> Result<Format, Complaint> {
    let right = "a name that ends in .pcapng (Wireshark) or .perfetto (Perfetto's viewer)";
    match Format::of(path) {
        Ok(Format::Symbols) => {
            let what = format!("{}: symbols are of one direction of a link", path.display());
            Err(Complaint::new(what, "`--symbols` with a direction, as in 'card[0].pcie -> *'"))
        }
        Ok(format) => Ok(format),
        Err(error) => Err(Complaint::new(error.to_string(), right)),
    }
}

/// Checks the name of a file of symbols.
///
/// # Errors
/// Another ending than `.symbols`.
pub fn check_symbols(path: &Path) -> Result<(), Complaint> {
    if Format::of(path) == Ok(Format::Symbols) {
        return Ok(());
    }
    let what = format!("{}: symbols are written into a file that ends in .symbols", path.display());
    Err(Complaint::new(what, "as in `--trace one.symbols --symbols 'card[0].pcie -> *'`"))
}

/// The only direction that a pattern selects, for its symbols.
///
/// # Errors
/// A pattern that matches no direction, or several.
pub fn direction(pattern: &str, job: &Job) -> Result<system::graph::Direction, Complaint> {
    Chosen::direction(pattern, &job.scenario.system).map_err(|error| {
        let right = format!("the name of a direction, with * for any text, of: {}", error.directions.join(", "));
        Complaint::new(error.to_string(), right)
    })
}

/// The only point of `jobs`, because a trace contains one point.
///
/// # Errors
/// Several points, or none.
pub fn only(jobs: Vec<Job>) -> Result<Job, Complaint> {
    let count = jobs.len();
    let places: Vec<String> = jobs.iter().take(3).map(|job| format!("{} {}", job.experiment, job.at)).collect();
    match <[Job; 1]>::try_from(jobs) {
        Ok([job]) => Ok(job),
        Err(_) if count == 0 => {
            Err(Complaint::new("a trace is of one point, and a formula has none", "an experiment that is simulated"))
        }
        Err(_) => {
            let what = format!("a trace is of one point, and {count} are selected: {}, ...", places.join(", "));
            let right = "name an experiment, and for each of its axes one value, as in `--axis flows=4`";
            Err(Complaint::new(what, right))
        }
    }
}

/// The links that a pattern selects; all without one.
///
/// # Errors
/// A pattern that matches no link.
pub fn chosen(links: Option<&str>, job: &Job) -> Result<Chosen, Complaint> {
    Chosen::parse(links.unwrap_or(""), &job.scenario.system).map_err(|error| {
        let right =
            format!("the name of a part, a port or a direction, with * for any text, of: {}", error.links.join(", "));
        Complaint::new(error.to_string(), right)
    })
}

/// What a trace says of itself: the machine, the experiment and the point.
pub fn about(job: &Job) -> String {
    [job.system.clone(), job.experiment.clone(), job.at.to_string()].join(" ").trim_end().to_string()
}
