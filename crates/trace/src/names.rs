//! Words and tables that both formats use.

use pcie::tlp::Kind;
use sim::trace::Dllp;
use system::graph::Direction;
use system::{LinkId, System};

/// Both directions of every link, in the order of tables with two entries a link: up, then down.
pub(crate) fn directions(system: &System) -> impl Iterator<Item = Direction> + use<> {
    (0..system.links.len()).flat_map(|link| [true, false].map(|up| Direction { link: LinkId(link), up }))
}

/// The standard's short name of a TLP.
pub(crate) fn short(kind: Kind) -> &'static str {
    match kind {
        Kind::MemoryRead => "MRd",
        Kind::MemoryWrite => "MWr",
        Kind::CompletionData => "CplD",
        Kind::Completion => "Cpl",
    }
}

/// DLLPs as the standard abbreviates them.
pub(crate) const DLLPS: [&str; 4] = ["Ack", "UpdateFC-P", "UpdateFC-NP", "UpdateFC-Cpl"];

/// The place of one in [`DLLPS`].
pub(crate) fn dllp_place(what: Dllp) -> usize {
    match what {
        Dllp::Ack(_) => 0,
        Dllp::UpdateFc { class, .. } => 1 + class.index(),
    }
}
