//! Links: what they run at, what both ends could do, and why the two differ.

pub(crate) mod ends;
mod unreal;
mod view;
mod why;

pub use crate::link_rate::LinkRate;

use crate::address::Address;
use pcie::config::Speed;
use std::fmt;

/// One link of the machine, from its upper port's view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The root or downstream port above; absent where no such port was seen (the link then is known from below).
    pub upper: Option<Address>,
    /// Function 0 (or the lowest seen) of the device below; absent where the port is empty.
    pub lower: Option<Address>,
    /// What it runs at.
    pub now: Option<LinkRate>,
    /// The most that the upper port can do.
    pub upper_max: Option<LinkRate>,
    /// The most that the lower port can do.
    pub lower_max: Option<LinkRate>,
    /// The most that both can do.
    pub possible: Option<LinkRate>,
    /// Target Link Speed of the upper port, which software may lower.
    pub target: Option<Speed>,
    /// What it is where it is no wire.
    pub unreal: Option<Unreal>,
    /// How now and possible relate.
    pub why: Why,
}

/// What a link is that is no wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreal {
    /// A program plays its ends.
    Emulated,
    /// It joins parts of one chip.
    Inside,
    /// It is carried over a cable by Thunderbolt or USB4.
    Tunnel,
}

impl fmt::Display for Unreal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Unreal::Emulated => "emulated",
            Unreal::Inside => "inside a chip",
            Unreal::Tunnel => "a tunnel of Thunderbolt or USB4",
        })
    }
}

/// How a link's speed and width now relate to what both its ports can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It runs at the most that both ports can do, and both can do the same.
    Full,
    /// It runs at the most that both can do; the upper port (the slot) can do less than the device.
    SlotLimited,
    /// It runs at the most that both can do; the device can do less than its slot.
    DeviceLimited,
    /// It is slower because Target Link Speed of the upper port says so.
    Target,
    /// It is slower while one of its ends sleeps or is idle by its kind (a graphics card, a function in D3): power
    /// management may have done it. Read again under load.
    MaybePower,
    /// It is narrower than both can do, below a port without a slot: the board most likely wires no more lanes.
    Wired,
    /// It is slower or narrower than both can do, and nothing read here says why.
    Degraded,
    /// Nothing is plugged in, or the link is down (width 0, or Data Link Layer Link Active clear).
    Down,
    /// One end's registers say something other than the other's.
    Contradicts,
    /// Inside a chip or virtual (a root complex's own link, a tunnel, an emulated port): its figures say nothing.
    Virtual,
    /// Not enough was observed.
    Unknown,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Why::Full => "full",
            Why::SlotLimited => "slot-limited",
            Why::DeviceLimited => "device-limited",
            Why::Target => "target speed lowered",
            Why::MaybePower => "idle or asleep",
            Why::Wired => "as wide as the board wires it",
            Why::Degraded => "below what both ends can do",
            Why::Down => "down",
            Why::Contradicts => "ends disagree",
            Why::Virtual => "internal or virtual",
            Why::Unknown => "unknown",
        })
    }
}
