//! Finds what limits a flow by changing one thing at a time. A thing is named if a small step of it (5 %, or its next
//! legal value) moves the flow's simulated rate. Two or more are named if only all of them together do.
//!
//! The loss budget of the flow's links only decides the order of the trials. Nothing is named on that evidence alone.

mod change;
mod rerun;
mod search;
mod step;
mod suspects;
mod thing;

pub use crate::metric::Moves;
pub use step::Step;
pub use thing::Thing;

use crate::metric::{Quality, over};
use crate::path::base;
use crate::report::Measure;
use crate::sweep::Measured;
use rayon::prelude::*;
use std::fmt;
use std::sync::atomic::AtomicBool;
use system::{Location, Origin, System};

/// A rate that changes by less than this share counts as unchanged.
pub const LEAST_GAIN: f64 = 0.01;

/// The largest number of things listed by name if several limit the flow together.
const TOLD: usize = 4;

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
}

/// The flows whose causes are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The slowest flow; if the flows have several operations, the slowest flow of each.
    Slowest,
    /// Each flow.
    Each,
}

/// One thing that limits a flow, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The part, or the direction of a link, as in `host`, `card[0].pcie -> board[0].down[0]`.
    pub name: String,
    /// The figure with its value, as in `line_service 2 ns`, `Gen2 x4, transmit`.
    pub what: String,
    /// The origin of that value; `None` for a link.
    pub origin: Option<Origin>,
    /// The step that was simulated.
    pub step: Step,
}

/// What limits a flow, confirmed by a change; or that no such thing was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Confirmed {
    /// The things found: one; several if only all of them together move the rate; none if nothing that was tried does.
    pub things: Vec<Named>,
    /// The relative gain of the flow's rate with the steps of all things.
    pub gain: f64,
    /// Which rate that is.
    pub of: Moves,
    /// The number of things that could be tried.
    pub tried: usize,
}

impl Confirmed {
    /// The parts and the directions of links among the things, for a picture.
    pub fn marked(&self) -> Vec<Location> {
        let of = |thing: &Named| match &thing.step.thing {
            Thing::Ways(ways) => ways.iter().copied().map(Location::Direction).collect(),
            Thing::Figure { parts, .. } => parts.iter().copied().map(Location::Part).collect(),
            Thing::Port { port, .. } => vec![Location::Port(*port)],
            Thing::Mrrs(part) | Thing::Tags(part) => vec![Location::Part(*part)],
            Thing::Mps => Vec::new(),
        };
        self.things.iter().flat_map(of).collect()
    }

    /// The things as text, without the proof.
    pub fn plain(&self) -> String {
        match self.things.as_slice() {
            [] => format!("none of {} things tried moves it", self.tried),
            things => {
                let told = things.iter().take(TOLD).map(ToString::to_string).collect::<Vec<_>>();
                let more = things.len().saturating_sub(TOLD);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                told.join(", together with ") + &more
            }
        }
    }

    /// The change that confirmed the things, as in `5 % less: +4.8 %`.
    pub fn proof(&self) -> String {
        if self.things.is_empty() {
            return String::new();
        }
        let mut steps: Vec<&str> = self.things.iter().map(|thing| thing.step.said.as_str()).collect();
        let count = steps.len();
        steps.dedup();
        let said = if steps.len() == 1 && count > 1 { format!("{} each", steps[0]) } else { steps.join(", ") };
        match self.of {
            Moves::Latency => format!("{said}: latency {:+.1} %", (1.0 / (1.0 + self.gain) - 1.0) * 100.0),
            Moves::Stream | Moves::App => format!("{said}: {:+.1} %", self.gain * 100.0),
        }
    }
}

impl fmt::Display for Confirmed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.proof() {
            proof if proof.is_empty() => f.pad(&self.plain()),
            proof => f.pad(&format!("{} ({proof})", self.plain())),
        }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match &self.origin {
            Some(origin @ (Origin::Assumed(_) | Origin::Default)) => format!(", {}", origin.word()),
            _ => String::new(),
        };
        f.pad(&format!("{}: {}{mark}", self.name, self.what))
    }
}

impl Named {
    fn new(system: &System, step: Step) -> Named {
        let (name, what, origin) = match &step.thing {
            Thing::Ways(ways) => {
                let first = ways.first().copied();
                let name = first.map_or_else(String::new, |way| system.direction_name(way));
                let speed = first.map_or_else(String::new, |way| format!("{}, transmit", system.link(way.link).speed));
                (name + &alike(ways.len(), "links"), speed, None)
            }
            Thing::Figure { parts, field } => {
                let part = parts.first().map(|&part| system.part(part));
                let origin = part.map(|part| {
                    let figure = part.figures.iter().find(|figure| figure.field == *field);
                    figure.map_or(Origin::Default, |figure| figure.origin.clone())
                });
                let name = part.map_or("", |part| if parts.len() > 1 { base(&part.name) } else { &part.name });
                (name.to_string() + &alike(parts.len(), "parts"), format!("{field} {}", step.from), origin)
            }
            Thing::Port { port, field } => {
                let port = system.port(*port);
                let origin = port.own.iter().find(|own| own.field == *field).map(|own| own.origin.clone());
                (port.name.clone(), format!("{field} {}", step.from), origin)
            }
            Thing::Mps => ("Max_Payload_Size".to_string(), step.from.clone(), None),
            Thing::Mrrs(part) => {
                (system.part(*part).name.clone(), format!("Max_Read_Request_Size {}", step.from), None)
            }
            Thing::Tags(part) => (system.part(*part).name.clone(), format!("tags {}", step.from), None),
        };
        Named { name, what, origin, step }
    }
}

fn alike(count: usize, of: &str) -> String {
    if count > 1 { format!(" ({count} {of} alike)") } else { String::new() }
}

/// Options of the search for causes.
pub struct Search<'a> {
    /// The number of points searched at a time; `None`: the number of cores.
    pub threads: Option<usize>,
    /// Set to true to end the search early.
    pub interrupted: &'a AtomicBool,
    /// Providers of parts whose kinds the simulation does not have itself.
    pub kinds: &'a [&'a dyn sim::parts::Provider],
    /// The flows whose causes are searched.
    pub whose: Whose,
}

/// Finds the causes of points that were run; `moves` gives the rate that is compared at each point. If the search was
/// interrupted, a flow has no cause.
///
/// # Errors
/// Threads that cannot be started.
pub fn find(
    all: &mut [Measured],
    moves: impl Fn(&Measured) -> Moves + Sync,
    search: &Search<'_>,
) -> Result<(), crate::Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(search.threads.unwrap_or(0)).build();
    let pool = pool.map_err(|error| crate::Error::asked(error, "fewer threads"))?;
    pool.install(|| all.par_iter_mut().with_max_len(1).for_each(|measured| of(measured, moves(measured), search)));
    Ok(())
}

/// Finds the causes of one point.
pub fn of(measured: &mut Measured, moves: Moves, search: &Search<'_>) {
    let flows = measured.outcome.flows.len();
    // For a mean, each operation has its own slowest flow.
    let all = over(Quality::THROUGHPUT_PER_FLOW, &measured.job.scenario);
    let slowest: Vec<usize> = all.into_iter().filter_map(|over| measured.slowest_place(over)).collect();
    let wanted = |flow: &usize| search.whose == Whose::Each || slowest.contains(flow);
    let base = rerun::Base::new(measured, moves, search);
    let found = (0..flows).into_par_iter().map(|flow| match &base {
        Some(base) if wanted(&flow) => search::cause(measured, base, flow),
        _ => None,
    });
    measured.causes = found.collect();
}
