//! Which drives carry a workload: `lanescope advise`.

use crate::error::Error;
use advise::{Advice, Ask, Judged, Need, Served, Stream, Tried, Workload};
use lab::DescribedMachine;
use probe::Tree;
use serde_json::{Value, json};
use std::path::Path;

/// What is asked: a workload, on the usual machine, a described one, or the free slots of a real one.
///
/// # Errors
/// A workload, a description or an override that is wrong; a file that is no machine, or has no free slot.
pub fn ask(workload: &str, machine: Option<&str>, sets: &[String]) -> Result<Ask, Error> {
    let workload = Workload::open(workload)?;
    let Some(name) = machine else {
        let usual = Ask::usual(workload)?;
        return Ok(Ask { machine: usual.machine.with(sets)?, ..usual });
    };
    let path = Path::new(name);
    let described = system::bundled::text(name).is_some()
        || path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml")
        || !path.exists();
    let machine = if described {
        DescribedMachine::open(name, sets)?
    } else {
        let machine = probe::read(path)?;
        advise::described(&machine, &Tree::of(&machine))?.with(sets)?
    };
    Ok(Ask::on(workload, machine))
}

/// The advice as JSON.
pub fn value(advice: &Advice) -> Value {
    let workload = &advice.workload;
    json!({
        "workload": workload.title,
        "machine": advice.machine,
        "streams": workload.streams.iter().map(stream).collect::<Vec<_>>(),
        "candidates": advice.judged.iter().map(|one| judged(one, workload)).collect::<Vec<_>>(),
        "choice": advice.choice().map(|choice| &choice.candidate.name),
        "least_link": advice.least_link.map(|link| link.to_string()),
        "slots": advice.slots.iter().map(tried).collect::<Vec<_>>(),
        "complete": advice.complete,
    })
}

fn stream(stream: &Stream) -> Value {
    let (iops, within) = match stream.need {
        Need::Rate(_) => (None, None),
        Need::Iops(iops) => (Some(iops), None),
        Need::Load(_, within) => (None, Some(within.as_secs())),
    };
    json!({
        "name": stream.name,
        "operation": if stream.writes { "write" } else { "read" },
        "mb_per_s": stream.demand().as_mb_per_s(),
        "iops_each": iops,
        "load_bytes": stream.load().map(|bytes| bytes.0),
        "within_s": within,
        "count": stream.count,
        "pattern": if stream.random { "random" } else { "sequential" },
        "block_bytes": stream.block.0,
        "in_flight": stream.in_flight,
        "threads": stream.threads,
        "latency_ns": stream.latency.map(|time| time.as_ns()),
        "growth": stream.growth,
    })
}

fn judged(judged: &Judged, workload: &Workload) -> Value {
    let served = |(stream, served): (&Stream, &Served)| {
        json!({
            "name": stream.name,
            "mb_per_s": served.rate.as_mb_per_s(),
            "limit_mb_per_s": served.limit.as_mb_per_s(),
            "iops": served.rate.0 / stream.block.0 as f64,
            "in_flight": served.in_flight,
            "latency_ns": served.latency.as_ns(),
            "load_s": served.load_time.map(|time| time.as_secs()),
            "stops_at": served.stops_at,
        })
    };
    json!({
        "name": judged.candidate.name,
        "about": judged.candidate.about,
        "part": judged.candidate.part,
        "drives": judged.candidate.drives,
        "slots": judged.slots.iter().map(advise::Slot::told).collect::<Vec<_>>(),
        "slots_wanted": judged.candidate.parts(),
        "slots_that_fit": judged.fits,
        "streams": workload.streams.iter().zip(&judged.served).map(served).collect::<Vec<_>>(),
        "headroom": judged.headroom,
        "headroom_grown": judged.grown,
        "moves_arm": judged.moves_arm,
        "verdict": judged.verdict.words(),
    })
}

fn tried(tried: &Tried) -> Value {
    json!({
        "slot": tried.slot.told(),
        "able": tried.slot.able.to_string(),
        "headroom": tried.headroom,
        "verdict": tried.verdict.words(),
        "stops_at": tried.stops_at,
    })
}
