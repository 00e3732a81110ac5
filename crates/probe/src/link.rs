//! Links: what they run at, what both ends could do, and why the two differ.

mod ends;
mod unreal;
mod why;

pub(crate) use ends::find;
pub use unreal::Unreal;

use crate::address::Address;
use pcie::config::Speed;
use std::fmt;

/// A speed and a number of lanes, each as far as it was observed. Speeds reach 128 GT/s; widths may be 0 (no link).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LinkRate {
    /// The speed.
    pub speed: Option<Speed>,
    /// Lanes.
    pub width: Option<u32>,
}

impl LinkRate {
    /// `None` where nothing of it was observed.
    pub fn known(self) -> Option<LinkRate> {
        (self != LinkRate::default()).then_some(self)
    }
    /// The lesser of both in each; what one does not know the other decides.
    #[must_use]
    pub fn min(self, other: LinkRate) -> LinkRate {
        fn lesser<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
            match (a, b) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            }
        }
        LinkRate { speed: lesser(self.speed, other.speed), width: lesser(self.width, other.width) }
    }
    /// As the model's type; `None` where it is not whole, or is none that is modelled.
    pub fn modelled(self) -> Option<pcie::LinkSpeed> {
        let generation = self.speed?.generation()?;
        Some(pcie::LinkSpeed { generation, width: pcie::Width::new(u64::from(self.width?))? })
    }
}

impl fmt::Display for LinkRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let speed = self.speed.map_or("? GT/s".to_string(), |speed| speed.to_string());
        let width = self.width.map_or("x?".to_string(), |width| format!("x{width}"));
        f.pad(&format!("{speed} {width}"))
    }
}

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
