//! Finds what limits a flow by changing one thing at a time. A thing is named if a small step of it (5 %, or its next
//! legal value) moves the flow's simulated rate. Two or more are named if only all of them together do.
//!
//! The loss budget of the flow's links decides the order of the trials, and the limit which of them are left out. Nothing
//! is called proved on that evidence alone: where no trial confirms a thing, the limit's own word is given and marked.

mod change;
mod options;
mod rerun;
mod search;
mod shorter;
mod step;
mod suspects;

pub use crate::confirmed::{Confirmed, Named, Step, Thing};
pub use crate::metric::Moves;
pub use options::{Effort, SearchOptions, Whose};
pub use rerun::ALWAYS;

use crate::job::Measure;
use crate::measured::Measured;
use crate::metric::{Quality, over};
use rayon::prelude::*;

/// A rate that changes by less than this share counts as unchanged.
pub const LEAST_GAIN: f64 = 0.01;

impl Moves {
    /// The rate for the first of the measured quantities.
    pub fn of(measures: &[Measure]) -> Moves {
        measures.first().map_or(Moves::Stream, |measure| measure.quality.moves())
    }

    /// The rate of a flow, in bytes a second; for a latency, its reciprocal. `None` if the flow has no such rate.
    pub fn rate(self, flow: &sim::FlowOutcome) -> Option<f64> {
        let stream = flow.stream.map(|rate| rate.0).filter(|&rate| rate > 0.0);
        let app = Some(flow.app.0).filter(|&rate| rate > 0.0 && rate.is_finite());
        match self {
            Moves::Stream => stream.or(app),
            Moves::App => app.or(stream),
            Moves::Latency => Some(flow.latency.median.as_secs()).filter(|&time| time > 0.0).map(|time| 1.0 / time),
        }
    }

    /// The bound of that rate.
    fn bound(self, limit: &limit::FlowLimit) -> f64 {
        match self {
            Moves::Stream => limit.stream.0,
            Moves::App => limit.app.0,
            Moves::Latency => 1.0 / limit.latency.as_secs(),
        }
    }
}

/// Finds the causes of points that were run; `moves` gives the rate that is compared at each point. If the search was
/// interrupted, a flow has no cause.
///
/// # Errors
/// Threads that cannot be started.
pub fn find(
    all: &mut [Measured],
    moves: impl Fn(&Measured) -> Moves + Sync,
    search: &SearchOptions<'_>,
) -> Result<(), crate::Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(search.threads.unwrap_or(0)).build();
    let pool = pool.map_err(|error| crate::Error::asked(error, "fewer threads"))?;
    pool.install(|| {
        all.par_iter_mut().with_max_len(1).for_each(|measured| {
            of(measured, moves(measured), search);
        })
    });
    Ok(())
}

/// Finds the causes of one point. Returns the events of all reruns.
pub fn of(measured: &mut Measured, moves: Moves, search: &SearchOptions<'_>) -> u64 {
    // For a mean, each operation has its own slowest flow.
    let slowest = over(Quality::THROUGHPUT_PER_FLOW, &measured.job.scenario);
    let slowest: Vec<usize> = slowest.into_iter().filter_map(|over| measured.slowest_place(over)).collect();
    let flows = 0..measured.outcome.flows.len();
    let wanted = |flow: &usize| !measured.outcome.flows[*flow].faults.stopped;
    // The slowest come first: only they are always shown, and what may be run is shared.
    let others = flows.clone().filter(|flow| search.whose == Whose::Each && !slowest.contains(flow));
    let order: Vec<usize> = slowest.iter().copied().chain(others).filter(wanted).collect();
    let mut causes = vec![None; flows.len()];
    let (mut found, mut events) = (Vec::new(), 0);
    if search.effort == Effort::Nothing {
        for flow in order {
            let named = measured.limits.together.get(flow).map(|limit| limit.bottleneck.clone());
            causes[flow] = named.map(|named| Confirmed::stated(named, moves));
        }
    } else if let Some(base) = rerun::Base::new(measured, moves, search) {
        for flow in order {
            causes[flow] = search::cause(measured, &base, flow, &found);
            found.extend(causes[flow].clone());
        }
        events = base.events();
    }
    measured.causes = causes;
    events
}
