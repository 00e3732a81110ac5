//! A long stream to or from drives: `lanescope stream`.

use crate::error::{Complaint, Error};
use lab::stream::{Stream, stream};
use lab::sweep::{Job, RunOptions};
use lab::{DescribedMachine, Unit};
use pcie::Bytes;
use serde_json::{Value, json};
use system::FieldType;

/// The stream of `job` as JSON.
pub fn value(job: &Job, found: &Stream) -> Value {
    let samples = found.samples.iter().map(|sample| {
        json!({
            "from_bytes": sample.from.0,
            "to_bytes": sample.to.0,
            "simulated_bytes": sample.simulated.0,
            "mb_per_s": Unit::MbPerS.rate(sample.rate),
            "limit_mb_per_s": Unit::MbPerS.rate(sample.limit),
        })
    });
    json!({
        "system": job.system,
        "experiment": job.experiment,
        "at": job.at.to_string(),
        "each_bytes": found.each.0,
        "mean_mb_per_s": Unit::MbPerS.rate(found.mean),
        "samples": samples.collect::<Vec<_>>(),
        "mb_per_s": found.rates.iter().map(|&rate| Unit::MbPerS.rate(rate)).collect::<Vec<_>>(),
    })
}

/// A length that is asked for under `name`.
///
/// # Errors
/// A text that is none.
pub fn length(name: &str, text: &str) -> Result<Bytes, Complaint> {
    let what = || format!("{name} takes a length, not `{text}`");
    let wrong = || Complaint::new(what(), "write one with its unit, as in `1000 GB`");
    Bytes::parse(text).filter(|bytes| bytes.0 > 0).ok_or_else(wrong)
}

/// The points whose streams are asked for.
///
/// # Errors
/// An experiment or an axis that is wrong.
pub fn jobs(machine: &DescribedMachine, experiment: &str, axes: &[(String, Vec<String>)]) -> Result<Vec<Job>, Error> {
    let experiment = machine.description().experiment(experiment)?;
    let points = machine.points(experiment, axes)?.into_iter();
    Ok(points.map(|at| machine.job(experiment, at)).collect::<Result<_, _>>()?)
}

/// A point and its stream.
pub type Answer<'a> = (&'a Job, Stream);

/// The streams of `jobs` one after another, and whether all are there.
///
/// # Errors
/// Those of [`stream`].
pub fn all<'a>(
    jobs: &'a [Job],
    lengths: (Bytes, Bytes),
    options: &RunOptions<'_>,
) -> Result<(Vec<Answer<'a>>, bool), Error> {
    let mut done = Vec::new();
    for job in jobs {
        match stream(job, lengths, options)? {
            Some(found) => done.push((job, found)),
            None => return Ok((done, false)),
        }
    }
    Ok((done, true))
}

/// The same as JSON.
///
/// # Errors
/// Those of [`stream`].
pub fn values(jobs: &[Job], lengths: (Bytes, Bytes), options: &RunOptions<'_>) -> Result<(Vec<Value>, bool), Error> {
    let (done, complete) = all(jobs, lengths, options)?;
    Ok((done.iter().map(|(job, found)| value(job, found)).collect(), complete))
}
