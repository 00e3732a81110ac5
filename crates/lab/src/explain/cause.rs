//! What an explanation names, and what it costs.

use super::suspect::Suspect;
use pcie::{LinkSpeed, PayloadSize};
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
    /// Something else that `limit` names, with its place.
    Other(String),
}

impl Cause {
    /// True where a change of this machine, as it shows itself, would give more.
    pub fn is_mendable(&self) -> bool {
        matches!(self, Cause::Link { able: Some(_), .. } | Cause::Payload { .. } | Cause::Requests { .. })
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

    /// True where both are the same thing, at whatever speeds and sizes.
    pub fn is_same(&self, other: &Cause) -> bool {
        match (self, other) {
            (Cause::Link { links: one, .. }, Cause::Link { links: other, .. }) => one == other,
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
}
