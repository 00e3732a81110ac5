//! The speed and width of a link.

use pcie::config::Speed;
use std::fmt;

/// A speed and a number of lanes, each if it was observed. Speeds reach 128 GT/s; widths may be 0 (no link).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LinkRate {
    /// The speed.
    pub speed: Option<Speed>,
    /// The number of lanes.
    pub width: Option<u32>,
}

impl LinkRate {
    /// The rate; `None` if neither value was observed.
    pub fn known(self) -> Option<LinkRate> {
        (self != LinkRate::default()).then_some(self)
    }
    /// The lower speed and the lower width of two rates. A value that one of them lacks is taken from the other.
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
    /// The rate as the type of the model; `None` if it is incomplete or not modelled.
    pub fn modelled(self) -> Option<pcie::LinkSpeed> {
        let generation = self.speed?.generation()?;
        Some(pcie::LinkSpeed { generation, width: pcie::Width::new(u64::from(self.width?))? })
    }
}

impl From<pcie::LinkSpeed> for LinkRate {
    fn from(speed: pcie::LinkSpeed) -> LinkRate {
        let code = u32::from(speed.generation.number());
        LinkRate { speed: Speed::from_code(code), width: u32::try_from(speed.width.lanes()).ok() }
    }
}

impl fmt::Display for LinkRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let speed = self.speed.map_or("? GT/s".to_string(), |speed| speed.to_string());
        let width = self.width.map_or("x?".to_string(), |width| format!("x{width}"));
        f.pad(&format!("{speed} {width}"))
    }
}
