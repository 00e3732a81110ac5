//! Base addresses, and the windows of bridges.

use crate::units::Bytes;

/// What a base address register claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarKind {
    /// Memory space.
    Memory {
        /// The address has 64 bits and fills two registers.
        is_64: bool,
        /// Reads have no side effects.
        prefetchable: bool,
    },
    /// I/O space.
    Io,
}

/// One base address register that claims something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// 0 to 5.
    pub index: u8,
    /// What it claims.
    pub kind: BarKind,
    /// Where; `None` where that was not observed (a capture leaves it out).
    pub address: Option<u64>,
    /// How much; bytes of configuration space do not say.
    pub size: Option<Bytes>,
}

/// Addresses that a bridge passes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BridgeWindow {
    /// The first address.
    pub base: u64,
    /// The last address.
    pub limit: u64,
}
