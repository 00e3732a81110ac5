//! `--trace`: simulates one point and writes its trace.

use crate::args::Traced;
use crate::exit::Failure;
use crate::file::{self, Growing};
use crate::screen::Screen;
use ::trace::{Summary, Writer};
use ask::trace;
use lab::sweep::{self, Job, Sweep};
use sim::parts::Provider;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Checks the options before anything is computed.
///
/// # Errors
/// A file name that selects no format; a folder that does not exist.
pub fn check(asked: &Traced) -> Result<(), Failure> {
    let Some(path) = &asked.trace else { return Ok(()) };
    match asked.symbols {
        Some(_) => trace::check_symbols(path)?,
        None => {
            trace::format(path)?;
        }
    }
    file::check(path)
}

/// Runs the only point and writes its trace to `path`.
///
/// # Errors
/// Several points or none; a pattern that matches no link; a file that cannot be written.
pub fn run(
    path: &Path,
    asked: &Traced,
    jobs: Vec<Job>,
    kinds: &[&dyn Provider],
    interrupted: &AtomicBool,
    screen: &Screen,
) -> Result<Sweep, Failure> {
    let job = trace::only(jobs)?;
    let about = trace::about(&job);
    let on = asked.symbols.as_deref().map(|pattern| trace::direction(pattern, &job)).transpose()?;
    let chosen = trace::chosen(asked.trace_links.as_deref(), &job)?;
    let growing = Growing::create(path)?;
    let file = growing.file(path)?;
    let mut writer = match on {
        Some(on) => Writer::symbols(file, on, &about),
        None => Writer::new(file, trace::format(path)?, chosen, &about),
    };
    let sweep = sweep::run_traced(job, kinds, interrupted, &mut writer);
    let summary = writer.finish().map_err(|error| file::unwritable(path, &error))?;
    growing.keep().map_err(|error| file::unwritable(path, &error))?;
    screen.complain(&told(path, &summary));
    Ok(sweep?)
}

fn told(path: &Path, summary: &Summary) -> String {
    let Summary { tlps, dllps, bytes } = summary;
    format!("trace: {tlps} TLPs and {dllps} DLLPs, {:.1} MB, in {}\n", *bytes as f64 * 1e-6, path.display())
}
