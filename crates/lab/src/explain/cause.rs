//! What an explanation names, and what it costs.

use super::suspect::Suspect;
use pcie::{Bytes, LinkSpeed, PayloadSize};
use std::fmt;

/// What holds a rate back.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// Something that no register shows.
    Hidden(Suspect),
    /// Links, by their names, at a speed. They are full; where `able` is set, both ends can do that.
    Link {
        /// The ports at their upper ends.
        links: Vec<String>,
        /// The speed of the first one.
        speed: LinkSpeed,
        /// True where all have it.
        alike: bool,
        /// What both ends can, where that is more.
        able: Option<LinkSpeed>,
        /// True for those of the devices themselves, which share them with nobody.
        own: bool,
    },
    /// Max_Payload_Size is less than what all parts on the way support.
    Payload {
        /// As it is.
        from: PayloadSize,
        /// What all support.
        to: PayloadSize,
    },
    /// Max_Read_Request_Size is less than the standard allows.
    Requests {
        /// As it is.
        from: PayloadSize,
        /// The largest.
        to: PayloadSize,
    },
    /// So many commands, or read requests of a card, are in flight at each device; more would move more while each is waited for.
    InFlight {
        /// Of each device.
        count: u64,
        /// Of each of them.
        bytes: Bytes,
    },
    /// Something else that `limit` names, with its place.
    Other(String),
}

impl Cause {
    /// One word for it.
    pub fn kind(&self) -> &'static str {
        match self {
            Cause::Hidden(suspect) => suspect.kind(),
            Cause::Link { able: Some(_), .. } => "link-narrow",
            Cause::Link { able: None, .. } => "link-full",
            Cause::Payload { .. } => "payload",
            Cause::Requests { .. } => "requests",
            Cause::InFlight { .. } => "in-flight",
            Cause::Other(_) => "other",
        }
    }

    /// The names of the devices, the part or the ports that it is about; none where it is the host's, or of all on the way.
    pub fn places(&self) -> Vec<String> {
        match self {
            Cause::Hidden(suspect) => suspect.places(),
            Cause::Link { links, .. } => links.clone(),
            _ => Vec::new(),
        }
    }

    /// True where a change of this machine, as it shows itself, would give more.
    pub fn is_mendable(&self) -> bool {
        matches!(
            self,
            Cause::Link { able: Some(_), .. } | Cause::Payload { .. } | Cause::Requests { .. } | Cause::InFlight { .. }
        )
    }

    /// True for what was bought: what devices of a model give, and their own links at their best. It comes first only where
    /// nothing else holds anything back.
    pub fn is_expected(&self) -> bool {
        match self {
            Cause::Hidden(Suspect::Model(_)) => true,
            Cause::Link { own, able, .. } => *own && able.is_none(),
            _ => false,
        }
    }

    /// True for the size of payloads or of requests.
    pub fn is_size(&self) -> bool {
        matches!(self, Cause::Payload { .. } | Cause::Requests { .. })
    }

    /// True where both are one cause of two measurements: devices' own links are, whichever devices take part.
    pub(super) fn is_of_same(&self, other: &Cause) -> bool {
        match (self, other) {
            (Cause::Link { own: true, able: one, .. }, Cause::Link { own: true, able: other, .. }) => {
                one.is_some() == other.is_some()
            }
            (
                Cause::Link { links: one, own: false, able: a, .. },
                Cause::Link { links: other, own: false, able: b, .. },
            ) => one == other && a.is_some() == b.is_some(),
            (Cause::Link { .. }, Cause::Link { .. }) => false,
            _ => self.is_same(other),
        }
    }

    /// Adds the links of the same cause of another measurement.
    pub(super) fn join(&mut self, other: Cause) {
        if let (Cause::Link { links, speed, alike, .. }, Cause::Link { links: more, speed: other, alike: too, .. }) =
            (self, other)
        {
            *alike &= too && *speed == other;
            links.extend(more.into_iter().filter(|link| !links.contains(link)).collect::<Vec<_>>());
        }
    }

    /// True where both are the same thing, at whatever speeds and sizes.
    pub fn is_same(&self, other: &Cause) -> bool {
        match (self, other) {
            (Cause::Link { links: one, .. }, Cause::Link { links: other, .. }) => one == other,
            (Cause::InFlight { .. }, Cause::InFlight { .. }) => true,
            (Cause::Payload { .. }, Cause::Payload { .. }) | (Cause::Requests { .. }, Cause::Requests { .. }) => true,
            _ => self == other,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Hidden(suspect) => suspect.fmt(f),
            Cause::Link { links, speed, alike, able, .. } => {
                match &links[..] {
                    [one] => write!(f, "the link below {one}, {speed}")?,
                    [first, .., last] if *alike => write!(f, "the links below {first} to {last}, {speed}")?,
                    [first, .., last] => write!(f, "the links below {first} ({speed}) to {last}")?,
                    [] => write!(f, "no link")?,
                }
                match able {
                    Some(able) => write!(f, ", where both ends can do {able}"),
                    None => f.write_str(": full"),
                }
            }
            Cause::Payload { from, to } => write!(f, "Max_Payload_Size {from}, where all on the way support {to}"),
            Cause::Requests { from, to } => write!(f, "Max_Read_Request_Size {from}, where {to} is legal"),
            Cause::InFlight { count, bytes } => {
                write!(f, "requests in flight x latency: {count} x {bytes} at each device")
            }
            Cause::Other(text) => f.write_str(text),
        }
    }
}

/// A cause, and what it costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// The cause.
    pub cause: Cause,
    /// How many times the rate would be without it, where the most devices work at once.
    pub gain: f64,
    /// The measurements that it holds back.
    pub explains: Vec<Explained>,
}

/// A rate that a cause holds back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Explained {
    /// The place of the measurement.
    pub measurement: usize,
    /// How many times its rate would be without the cause.
    pub gain: f64,
}

impl Loss {
    /// How much of all rates it explains: the sum of the logarithms of its gains.
    pub fn explained(&self) -> f64 {
        self.explains.iter().map(|one| one.gain.ln()).sum()
    }

    /// The most that the cause costs any measurement.
    pub fn most(&self) -> f64 {
        self.explains.iter().map(|one| one.gain).fold(self.gain, f64::max)
    }
}
