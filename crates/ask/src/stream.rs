//! A long stream to or from drives: `lanescope stream`.

use lab::Unit;
use lab::stream::Stream;
use lab::sweep::Job;
use serde_json::{Value, json};

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
