//! The bottleneck of a flow.

use crate::cause::Cause;
use crate::graph::{Direction, PartId, PortId, System};
use pcie::Rate;
use std::fmt;

/// A place in a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// A part.
    Part(PartId),
    /// A port.
    Port(PortId),
    /// One direction of a link.
    Direction(Direction),
}

impl System {
    /// The name of a place: `host`, `board[0].up`, `card[0].pcie -> board[0].down[0]`.
    pub fn location_name(&self, location: Location) -> String {
        match location {
            Location::Part(part) => self.part(part).name.clone(),
            Location::Port(port) => self.port(port).name.clone(),
            Location::Direction(direction) => self.direction_name(direction),
        }
    }
}

/// The link or part that, made faster, would make the flow faster.
#[derive(Clone, Debug, PartialEq)]
pub struct Bottleneck {
    /// Where it is.
    pub location: Location,
    /// Its name: `card[0].pcie -> board[0].down[0]`, `host`.
    pub name: String,
    /// The cause.
    pub cause: Cause,
    /// True where other flows use a share of it.
    pub shared: bool,
}

impl Bottleneck {
    /// The cause as text: `Gen2 x4, transmit`, `one read request in flight`.
    pub fn what(&self) -> String {
        format!("{}{}", self.cause, if self.shared { ", shared" } else { "" })
    }
    /// Name and cause as text, with rates as `rate` prints them (with their unit).
    pub fn told(&self, rate: &dyn Fn(Rate) -> String) -> String {
        format!("{}: {}{}", self.name, self.cause.told(rate), if self.shared { ", shared" } else { "" })
    }
}

impl fmt::Display for Bottleneck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}: {}", self.name, self.what()))
    }
}
