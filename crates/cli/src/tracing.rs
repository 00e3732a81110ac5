//! `--trace`: simulates one point and writes its trace.

use crate::args::Traced;
use crate::exit::{Complaint, Failure};
use crate::file::{self, Growing};
use crate::screen::Screen;
use lab::sweep::{self, Job, Sweep};
use sim::parts::Provider;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use trace::{Chosen, Format, Summary, Writer};

/// Checks the options before anything is computed.
///
/// # Errors
/// A file name that selects no format; a folder that does not exist.
pub fn check(asked: &Traced) -> Result<(), Failure> {
    let Some(path) = &asked.trace else { return Ok(()) };
    format(path)?;
    file::check(path)
}

fn format(path: &Path) -> Result<Format, Failure> {
    Format::of(path).map_err(|error| {
        let right = "a name that ends in .pcapng (Wireshark) or .perfetto (Perfetto's viewer)";
        Complaint::new(error.to_string(), right).into()
    })
}

/// Runs the only point and writes its trace to `path`.
///
/// # Errors
/// Several points or none; a pattern that matches no link; a file that cannot be written.
pub fn run(
    path: &Path,
    links: Option<&str>,
    jobs: Vec<Job>,
    kinds: &[&dyn Provider],
    interrupted: &AtomicBool,
    screen: &Screen,
) -> Result<Sweep, Failure> {
    let job = only(jobs)?;
    let chosen = chosen(links, &job)?;
    let about = [job.system.clone(), job.experiment.clone(), job.at.to_string()].join(" ");
    let growing = Growing::create(path)?;
    let mut writer = Writer::new(growing.file(path)?, format(path)?, chosen, about.trim_end());
    let sweep = sweep::run_traced(job, kinds, interrupted, &mut writer);
    let summary = writer.finish().map_err(|error| file::unwritable(path, &error))?;
    growing.keep().map_err(|error| file::unwritable(path, &error))?;
    screen.complain(&told(path, &summary));
    Ok(sweep?)
}

/// The only point of `jobs`, because a trace contains one point.
fn only(jobs: Vec<Job>) -> Result<Job, Failure> {
    let count = jobs.len();
    let places: Vec<String> = jobs.iter().take(3).map(|job| format!("{} {}", job.experiment, job.at)).collect();
    match <[Job; 1]>::try_from(jobs) {
        Ok([job]) => Ok(job),
        Err(_) if count == 0 => {
            Err(Complaint::new("a trace is of one point, and a formula has none", "an experiment that is simulated")
                .into())
        }
        Err(_) => {
            let what = format!("a trace is of one point, and {count} are selected: {}, ...", places.join(", "));
            let right = "name an experiment, and for each of its axes one value, as in `--axis flows=4`";
            Err(Complaint::new(what, right).into())
        }
    }
}

fn chosen(links: Option<&str>, job: &Job) -> Result<Chosen, Failure> {
    Chosen::parse(links.unwrap_or(""), &job.scenario.system).map_err(|error| {
        let right =
            format!("the name of a part, a port or a direction, with * for any text, of: {}", error.links.join(", "));
        Complaint::new(error.to_string(), right).into()
    })
}

fn told(path: &Path, summary: &Summary) -> String {
    let Summary { tlps, dllps, bytes } = summary;
    format!("trace: {tlps} TLPs and {dllps} DLLPs, {:.1} MB, in {}\n", *bytes as f64 * 1e-6, path.display())
}
