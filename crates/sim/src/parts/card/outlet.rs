//! What every channel of a card needs of it.

use pcie::Bdf;
use system::kinds::CardParams;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Outlet {
    pub part: u32,
    /// The direction that leads out of the card.
    pub direction: u32,
    pub requester: Bdf,
    pub params: CardParams,
}
