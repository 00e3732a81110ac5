//! What limits a flow: confirmed by a change that makes it faster, or as the limit names it.

use crate::metric::Moves;
use crate::path::base;
use crate::unit::Unit;
use pcie::Rate;
use std::fmt;
use system::FieldType;
use system::graph::Direction;
use system::{Bottleneck, Location, Origin, PartId, PortId, System};

/// The largest number of things listed by name if several limit the flow together.
const TOLD: usize = 4;

/// One thing that could be faster, larger or shorter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Thing {
    /// The rate of one direction of a link, or of several that are alike.
    Ways(Vec<Direction>),
    /// A field of one part, or of several that are alike.
    Figure {
        /// The parts.
        parts: Vec<PartId>,
        /// The name of the field.
        field: &'static str,
    },
    /// A field that a port sets for itself.
    Port {
        /// The port.
        port: PortId,
        /// The name of the field.
        field: &'static str,
    },
    /// Max_Payload_Size of all parts.
    Mps,
    /// Max_Read_Request_Size of a part, if it limits the request size and the part's own request size does not.
    Mrrs(PartId),
    /// The tags that a part may use, if they limit its requests in flight and its own number of requests does not.
    Tags(PartId),
    /// The commands that software keeps in each queue of a drive: so many.
    Depth(u64),
    /// The cores that the jobs of drives share: so many.
    Cores(u64),
}

/// A small improvement of one thing.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The thing that is changed.
    pub thing: Thing,
    /// Its present value, as written in a description.
    pub from: String,
    /// The value that is tried; for a link, `5 % faster`.
    pub to: String,
    /// The step as text for people, as in `5 % less`, `256 B`.
    pub said: String,
    /// The size of the step, as a ratio above 1; `None` between words.
    pub ratio: Option<f64>,
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

/// What limits a flow, confirmed by a change; or what its limit names, if no change confirmed a thing.
#[derive(Clone, Debug, PartialEq)]
pub struct Confirmed {
    /// The things found: one; several if only all of them together move the rate; none if nothing is proved.
    pub things: Vec<Named>,
    /// What the limit of the flow names. It is all that there is if nothing is proved.
    pub stated: Bottleneck,
    /// The relative gain of the flow's rate with the steps of all things.
    pub gain: f64,
    /// Which rate that is.
    pub of: Moves,
    /// The number of things that could be tried; 0 if no proof was asked for.
    pub tried: usize,
}

/// The mark of what is not proved.
pub const NOT_PROVED: &str = "not proved";

impl Confirmed {
    /// What the limit of a flow names, without a proof.
    pub fn stated(stated: Bottleneck, of: Moves) -> Confirmed {
        Confirmed { things: Vec::new(), stated, gain: 0.0, of, tried: 0 }
    }

    /// True if a change confirmed it.
    pub fn is_proved(&self) -> bool {
        !self.things.is_empty()
    }

    /// The parts and the directions of links among the things, for a picture.
    pub fn marked(&self) -> Vec<Location> {
        let of = |thing: &Named| match &thing.step.thing {
            Thing::Ways(ways) => ways.iter().copied().map(Location::Direction).collect(),
            Thing::Figure { parts, .. } => parts.iter().copied().map(Location::Part).collect(),
            Thing::Port { port, .. } => vec![Location::Port(*port)],
            Thing::Mrrs(part) | Thing::Tags(part) => vec![Location::Part(*part)],
            Thing::Mps | Thing::Depth(_) | Thing::Cores(_) => Vec::new(),
        };
        match self.is_proved() {
            true => self.things.iter().flat_map(of).collect(),
            false => vec![self.stated.location],
        }
    }

    /// The things as text, without the proof.
    pub fn plain(&self) -> String {
        self.with(&self.stated.to_string())
    }

    /// The things as text, or else what is `stated`.
    fn with(&self, stated: &str) -> String {
        match self.things.as_slice() {
            [] => format!("{stated} ({NOT_PROVED})"),
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

impl Confirmed {
    /// As [`Confirmed::plain`], with rates in `unit`.
    pub fn plain_in(&self, unit: Unit) -> String {
        let things = self.things.iter().map(|thing| thing.told_in(unit)).collect();
        Confirmed { things, ..self.clone() }.with(&self.stated.told(&|rate| unit.told(rate)))
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
    /// The same with its value in `unit`, if that is a rate.
    fn told_in(&self, unit: Unit) -> Named {
        let rate = Rate::parse(&self.step.from).map(|rate| unit.told(rate));
        let what = rate.map_or_else(|| self.what.clone(), |rate| self.what.replace(&self.step.from, &rate));
        Named { what, ..self.clone() }
    }

    pub(crate) fn new(system: &System, step: Step) -> Named {
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
            Thing::Depth(_) => ("software".to_string(), format!("queue_depth {}", step.from), None),
            Thing::Cores(_) => ("software".to_string(), format!("cores {}", step.from), None),
            Thing::Tags(part) => (system.part(*part).name.clone(), format!("tags {}", step.from), None),
        };
        Named { name, what, origin, step }
    }
}

fn alike(count: usize, of: &str) -> String {
    if count > 1 { format!(" ({count} {of} alike)") } else { String::new() }
}
