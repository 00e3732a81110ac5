//! What every channel of a card needs of it.

use system::kinds::CardParams;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Outlet {
    pub part: u32,
    pub params: CardParams,
}
