//! Where TLPs leave a part.

use pcie::Bdf;

/// Where TLPs leave: of a channel, of a thread, or of the answers at a port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    /// The direction that leads out of the part, and whose turn it is there.
    pub direction: u32,
    pub source: u32,
    /// The function at that port.
    pub requester: Bdf,
}
