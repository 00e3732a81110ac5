//! Links: their current rate, the rate that both ends support, and why the two differ.

pub(crate) mod ends;
pub(crate) mod unreal;
mod view;
mod why;

pub use crate::link_rate::LinkRate;

use crate::address::Address;
use pcie::config::Speed;
use std::fmt;

/// One link of the machine, as seen from its upper port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The root or downstream port above; absent if it was not seen (the link is then known from below).
    pub upper: Option<Address>,
    /// Function 0 (or the lowest seen) of the device below; absent if the port is empty.
    pub lower: Option<Address>,
    /// The current speed and width.
    pub now: Option<LinkRate>,
    /// The maximum of the upper port.
    pub upper_max: Option<LinkRate>,
    /// The maximum of the lower port.
    pub lower_max: Option<LinkRate>,
    /// The maximum that both ports support.
    pub possible: Option<LinkRate>,
    /// Target Link Speed of the upper port, which software may lower.
    pub target: Option<Speed>,
    /// True where its device sleeps, or is a graphics card that may be idle: it is slower than both ends can, and power management
    /// may have done that.
    pub may_idle: bool,
    /// What kind of link it is, if not a physical one.
    pub unreal: Option<Unreal>,
    /// How `now` and `possible` relate.
    pub why: Why,
}

/// The kind of a link that is not physical.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreal {
    /// Its ends are emulated by software.
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

/// How the current speed and width of a link relate to what both its ports support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It runs at the most that both ports can do, and both can do the same.
    Full,
    /// It runs at the most that both can do; the upper port (the slot) can do less than the device.
    SlotLimited,
    /// It runs at the most that both can do; the device can do less than its slot.
    DeviceLimited,
    /// It is slower because Target Link Speed of the upper port limits it.
    Target,
    /// It is slower while its device sleeps (D3), or while a graphics card may be idle: power management may have done
    /// it. Read again under load.
    MaybePower,
    /// It is narrower than both can do, below a port without a slot: the board most likely wires no more lanes.
    Wired,
    /// It is slower or narrower than both can do, and nothing read here says why.
    Degraded,
    /// Nothing is plugged in, or the link is down (width 0, or Data Link Layer Link Active clear).
    Down,
    /// The two ends report different speeds or widths.
    Contradicts,
    /// Only the device's end was seen: whether the port above can do more is not known.
    OneEnd,
    /// Not a physical link (inside a chip, a tunnel, an emulated port): its figures have no meaning.
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
            Why::OneEnd => "one end seen",
            Why::Virtual => "internal or virtual",
            Why::Unknown => "unknown",
        })
    }
}
