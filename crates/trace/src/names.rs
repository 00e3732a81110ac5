//! Words and tables that both formats use.

use pcie::tlp::TlpKind;
use sim::trace::DllpRecord;
use system::graph::Direction;
use system::{LinkId, System};

/// Both directions of every link, up first: the order of tables with two entries for each link.
pub(crate) fn directions(system: &System) -> impl Iterator<Item = Direction> + use<> {
    (0..system.links.len()).flat_map(|link| [true, false].map(|up| Direction { link: LinkId(link), up }))
}

/// The standard's short name of a TLP.
pub(crate) fn short(kind: TlpKind) -> &'static str {
    match kind {
        TlpKind::MemoryRead => "MRd",
        TlpKind::MemoryWrite => "MWr",
        TlpKind::CompletionData => "CplD",
        TlpKind::Completion => "Cpl",
    }
}

/// DLLPs as the standard abbreviates them.
pub(crate) const DLLPS: [&str; 4] = ["Ack", "UpdateFC-P", "UpdateFC-NP", "UpdateFC-Cpl"];

/// The index of a DLLP in [`DLLPS`].
pub(crate) fn dllp_place(what: DllpRecord) -> usize {
    match what {
        DllpRecord::Ack(_) => 0,
        DllpRecord::UpdateFc { class, .. } => 1 + class.index(),
    }
}
