//! What every channel of a card needs of it, and where a channel's TLPs leave the card.

use pcie::Bdf;
use system::kinds::CardParams;

/// What every channel needs.
#[derive(Clone, Debug)]
pub(crate) struct Outlet {
    pub part: u32,
    pub params: CardParams,
}

/// Where TLPs leave: of a channel, or of the answers at a port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    /// The direction that leads out of the card, and whose turn it is there.
    pub direction: u32,
    pub source: u32,
    /// The function at that port.
    pub requester: Bdf,
}
