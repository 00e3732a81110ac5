//! Link widths, and the byte rates that follow from generation and width.

use crate::generation::Generation;
use crate::units::Rate;
use std::fmt;
use std::str::FromStr;

/// A link width that the standard defines: 1, 2, 4, 8, 12, 16 or 32 lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Width(u8);

impl Width {
    /// All widths, narrowest first.
    pub const ALL: [Width; 7] = [Width(1), Width(2), Width(4), Width(8), Width(12), Width(16), Width(32)];

    /// `None` where the standard defines no such width.
    pub fn new(lanes: u64) -> Option<Width> {
        Width::ALL.into_iter().find(|w| w.0 as u64 == lanes)
    }
    /// How many lanes.
    pub const fn lanes(self) -> u64 {
        self.0 as u64
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("x{}", self.0))
    }
}

/// A generation and a width: what a port supports, or what a link trained to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinkSpeed {
    /// The transfer rate.
    pub generation: Generation,
    /// The lanes.
    pub width: Width,
}

impl LinkSpeed {
    /// The raw bit rate of one direction in bytes per second, before the encoding is subtracted.
    pub fn signalled(self) -> Rate {
        Rate(self.generation.transfers_per_s() as f64 * self.width.lanes() as f64 / 8.0)
    }
    /// Bytes per second in one direction after the encoding.
    pub fn encoded(self) -> Rate {
        let (bits, wire) = self.generation.encoding().ratio();
        Rate(self.signalled().0 * bits as f64 / wire as f64)
    }
    /// The grid of bytes on which a TLP or DLLP may start behind another: lane 0 up to x4, every fourth lane of wider links
    /// (Physical Layer, Framing and Application of Symbols to Lanes). Behind idle it starts in lane 0.
    pub fn start_alignment_bytes(self) -> u64 {
        self.width.lanes().min(4)
    }
    /// The lower generation and the smaller width of the two.
    pub fn min(self, other: LinkSpeed) -> LinkSpeed {
        LinkSpeed { generation: self.generation.min(other.generation), width: self.width.min(other.width) }
    }
}

impl fmt::Display for LinkSpeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} {}", self.generation, self.width))
    }
}

/// Why a text is not a link speed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkSpeedError {
    /// The form is neither `gen2 x8` nor `gen2x8`.
    #[error("`{0}` is no link: a generation and a width are wanted, as in `gen2 x8`")]
    Form(String),
    /// A generation outside 1 to 5.
    #[error("`gen{0}` is unknown: gen1 to gen5 are")]
    Generation(String),
    /// A width that the standard does not define.
    #[error("no link has {0} lanes: 1, 2, 4, 8, 12, 16 and 32 exist")]
    Width(String),
}

impl FromStr for LinkSpeed {
    type Err = LinkSpeedError;
    fn from_str(text: &str) -> Result<LinkSpeed, LinkSpeedError> {
        let lower = text.trim().to_ascii_lowercase();
        let form = || LinkSpeedError::Form(text.trim().to_string());
        let (generation, width) = lower.strip_prefix("gen").and_then(|t| t.split_once('x')).ok_or_else(form)?;
        let (generation, width) = (generation.trim(), width.trim());
        let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
        if !digits(generation) || !digits(width) {
            return Err(form());
        }
        let known = generation.parse().ok().and_then(Generation::from_number);
        let lanes = width.parse().ok().and_then(Width::new);
        Ok(LinkSpeed {
            generation: known.ok_or_else(|| LinkSpeedError::Generation(generation.to_string()))?,
            width: lanes.ok_or_else(|| LinkSpeedError::Width(width.to_string()))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_read_as_engineers_write_it() {
        let link: LinkSpeed = "gen2x8".parse().unwrap();
        assert_eq!(link, " Gen2 x8 ".parse().unwrap());
        assert_eq!(link.to_string(), "Gen2 x8");
        assert_eq!(link.signalled().0, 5e9);
        assert_eq!(link.encoded().0, 4e9);
    }

    #[test]
    fn what_is_no_link_is_refused_with_what_would_be_right() {
        assert_eq!("gen9 x8".parse::<LinkSpeed>(), Err(LinkSpeedError::Generation("9".into())));
        assert_eq!("gen3 x7".parse::<LinkSpeed>(), Err(LinkSpeedError::Width("7".into())));
        assert!(matches!("x8".parse::<LinkSpeed>(), Err(LinkSpeedError::Form(_))));
        assert!(matches!("gen x".parse::<LinkSpeed>(), Err(LinkSpeedError::Form(_))));
    }
}
