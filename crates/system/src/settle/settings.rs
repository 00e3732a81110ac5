//! The settings of firmware and administrator.

use crate::field::{FieldType, Scale};
use pcie::PayloadSize;

crate::words! {
    /// Where firmware puts 64-bit BARs.
    pub enum BarPlace {
        /// All in the 32-bit window.
        Below = "below 4 GiB",
        /// In the 64-bit window, where a BAR is 64-bit.
        Above = "above 4 GiB",
    }
}

crate::words! {
    /// How Max_Payload_Size is chosen.
    pub enum MpsPolicy {
        /// The least that any part of the tree supports, for all: safe for every traffic, as firmware does.
        TreeMinimum = "tree-minimum",
        /// For each part the least that it and all above it support: right for traffic to and from the host.
        Path = "path",
    }
}

crate::words! {
    /// How buses are numbered.
    pub enum Segments {
        /// All buses in one Segment Group: 256 at most.
        One = "one",
        /// A Segment Group for each root port: 256 buses each.
        RootPort = "root-port",
    }
}

/// A size set by hand, which overrides the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByHand(pub Option<PayloadSize>);

impl FieldType for ByHand {
    const EXPECTS: &'static str = "128, 256, 512, 1024, 2048 or 4096 bytes, as in `256 B`, or `by policy`";
    const SCALE: Scale = Scale::Size;
    const INSTEAD: &'static [&'static str] = &["by policy"];
    fn parse(text: &str) -> Option<Self> {
        match text {
            "by policy" => Some(ByHand(None)),
            _ => PayloadSize::parse(text).map(|size| ByHand(Some(size))),
        }
    }
    fn print(&self) -> String {
        self.0.map_or("by policy".to_string(), |size| size.print())
    }
}

crate::params! {
    /// The settings of a machine.
    pub struct Settings {
        /// Where firmware puts 64-bit BARs.
        bars: BarPlace = BarPlace::Below,
        /// How Max_Payload_Size is chosen.
        mps_policy: MpsPolicy = MpsPolicy::TreeMinimum,
        /// Segment Groups, for machines of more than 256 buses.
        segments: Segments = Segments::One,
        /// Max_Payload_Size of every part, set by hand.
        mps: ByHand = ByHand(None),
        /// Max_Read_Request_Size of every card; 512 bytes is the standard's value after reset.
        mrrs: PayloadSize = RESET_MRRS,
    }
}

/// Max_Read_Request_Size after reset (Device Control Register): 512 bytes.
const RESET_MRRS: PayloadSize = match PayloadSize::ALL {
    [_, _, size, ..] => size,
};
