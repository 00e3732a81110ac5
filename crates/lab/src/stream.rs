//! A long stream to or from drives, with a rate for each part of it, a gigabyte as a rule.
//!
//! A run of 1000 GB is not simulated TLP by TLP. What changes on the way is the state of the drives, which follows from
//! what has been written: their kinds declare where it turns ([`system::kind::Declared::turns`]). Between two turns, a
//! sample is simulated in full, and its rate holds for the stretch; a part in which the state turns has the mean of both
//! by time.
//!
//! Not here: what changes a drive in other ways, as heat or pauses; and what the buffer of a drive takes in when its state
//! turns, which is little beside a gigabyte.

use crate::error::Error;
use crate::job::Job;
use crate::sweep::{self, RunOptions};
use pcie::{Bytes, Rate};
use system::kind::WRITTEN;
use system::{Change, FieldType, Flow, Origin, PartId, Scenario};

/// Rates that differ by less are told as one.
const ALIKE: f64 = 1e-3;

/// Most parts of a stream.
const MOST_PARTS: u64 = 1_000_000;

/// A part of a stream that was simulated, for all parts of it in the same state.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// What each drive has moved before.
    pub from: Bytes,
    /// What each drive has moved when its state turns, or at the end.
    pub to: Bytes,
    /// What was simulated of it, of each flow.
    pub simulated: Bytes,
    /// The rate, of all flows together.
    pub rate: Rate,
    /// The limit of the same.
    pub limit: Rate,
}

/// A stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// What each drive moves in each part.
    pub each: Bytes,
    /// The rate of each part, of all flows together.
    pub rates: Vec<Rate>,
    /// What was simulated, in order.
    pub samples: Vec<Sample>,
    /// The rate of the whole stream.
    pub mean: Rate,
}

impl Stream {
    /// Parts one after another with the same rate within 0.1 %: the numbers of the first and the last of them, from 1, and
    /// the rate of the first.
    pub fn stretches(&self) -> Vec<(usize, usize, Rate)> {
        let mut all: Vec<(usize, usize, Rate)> = Vec::new();
        for (number, &rate) in self.rates.iter().enumerate() {
            match all.last_mut() {
                Some((_, last, before)) if (before.0 / rate.0 - 1.0).abs() < ALIKE => *last = number + 1,
                _ => all.push((number + 1, number + 1, rate)),
            }
        }
        all
    }
}

/// Streams `total` bytes to or from each drive of `job`. A sample is as long as the flows of the job. `None` where it was
/// interrupted.
///
/// # Errors
/// Flows that are not those of drives; too many parts; a sample that could not be simulated.
pub fn stream(job: &Job, (total, each): (Bytes, Bytes), options: &RunOptions<'_>) -> Result<Option<Stream>, Error> {
    if let Some(flow) = job.scenario.flows.iter().find(|flow| !flow.operation.is_queued()) {
        let what = format!("`{}` is not a flow of a drive", flow.name);
        return Err(Error::asked(what, "name an experiment with `operation: disk-read` or `disk-write`"));
    }
    if each.0 == 0 || total.0.div_ceil(each.0) > MOST_PARTS {
        let what = format!("{total} have too many parts of {each}");
        return Err(Error::asked(what, "write longer ones, at least a millionth of the whole"));
    }
    let stretches = stretches(&job.scenario, total);
    let jobs = stretches.iter().map(|&(from, to)| at(job, from, to)).collect::<Result<Vec<_>, _>>()?;
    let done = sweep::run(jobs, options)?;
    if !done.complete {
        return Ok(None);
    }
    let samples: Vec<Sample> = stretches
        .iter()
        .zip(&done.done)
        .map(|(&(from, to), measured)| Sample {
            from: Bytes(from),
            to: Bytes(to),
            simulated: measured.job.scenario.flows.iter().map(|flow| flow.volume).max().unwrap_or_default(),
            rate: Rate(measured.outcome.flows.iter().map(sweep::rate).sum()),
            limit: measured.limits.bound(),
        })
        .collect();
    let parts = total.0.div_ceil(each.0);
    let rates = (0..parts).map(|part| mean(&samples, part * each.0, ((part + 1) * each.0).min(total.0))).collect();
    Ok(Some(Stream { each, rates, mean: mean(&samples, 0, total.0), samples }))
}

/// The mean rate from one byte of each drive to another.
fn mean(samples: &[Sample], from: u64, to: u64) -> Rate {
    let mut of = samples.iter().filter(|sample| sample.from.0 < to && sample.to.0 > from);
    if let (Some(only), None) = (of.next(), of.next()) {
        return only.rate;
    }
    let time = |sample: &Sample| {
        let bytes = sample.to.0.min(to).saturating_sub(sample.from.0.max(from));
        if bytes == 0 { 0.0 } else { bytes as f64 / sample.rate.0 }
    };
    Rate((to - from) as f64 / samples.iter().map(time).sum::<f64>())
}

/// The drives whose state turns, what has moved before, and where it turns.
pub(crate) fn turning(scenario: &Scenario, of: impl Fn(&Flow) -> bool) -> Vec<(PartId, u64, Vec<Bytes>)> {
    let flows = scenario.flows.iter().filter(|flow| of(flow));
    let mut drives: Vec<(PartId, bool)> = flows.map(|flow| (flow.initiator, flow.operation.reads())).collect();
    drives.sort_unstable();
    drives.dedup();
    let with = |(part, written): (PartId, bool)| {
        let kind = &scenario.system.part(part).kind;
        let turns = kind.turns(written);
        let before = kind.get(WRITTEN).and_then(|text| Bytes::parse(&text)).filter(|_| !turns.is_empty())?;
        Some((part, before.0, turns))
    };
    drives.into_iter().filter_map(with).collect()
}

/// From one turn of the state of any drive to the next, in what each drive has moved in the stream.
fn stretches(scenario: &Scenario, total: Bytes) -> Vec<(u64, u64)> {
    let turns = turning(scenario, |_| true)
        .into_iter()
        .flat_map(|(_, before, turns)| turns.into_iter().map(move |turn| turn.0.saturating_sub(before)));
    let mut ends: Vec<u64> = turns.filter(|&turn| turn > 0 && turn < total.0).chain([total.0]).collect();
    ends.sort_unstable();
    ends.dedup();
    let begins = std::iter::once(0).chain(ends.iter().copied());
    begins.zip(ends.iter().copied()).collect()
}

/// The job of the stretch that begins when each drive has moved `from` bytes.
fn at(job: &Job, from: u64, to: u64) -> Result<Job, Error> {
    let mut job = job.clone();
    for (part, before, _) in turning(&job.scenario, |_| true) {
        let change = Change::Field(part, WRITTEN, format!("{} B", before + from));
        let origin = Origin::Settled("what the stream has moved before".into());
        job.scenario
            .system
            .amend(change, origin)
            .map_err(|error| Error::asked(error, "give the drive such a field"))?;
    }
    for number in 0..job.scenario.flows.len() {
        let drive = job.scenario.flows[number].initiator;
        let shared = job.scenario.flows.iter().filter(|flow| flow.initiator == drive).count() as u64;
        let flow = &mut job.scenario.flows[number];
        let command = flow.command.0.max(1);
        let room = ((to - from) / shared / command).max(1) * command;
        flow.volume = Bytes(flow.volume.0.min(room));
    }
    Ok(job)
}
