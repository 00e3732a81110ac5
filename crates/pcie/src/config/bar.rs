//! Base Address Registers, and the address windows of bridges.

use crate::units::Bytes;

/// The kind of address space that a Base Address Register claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarKind {
    /// Memory space.
    Memory {
        /// A 64-bit address, which takes two registers.
        is_64: bool,
        /// Reads have no side effects.
        prefetchable: bool,
    },
    /// I/O space.
    Io,
}

/// A Base Address Register that claims a range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Its number, 0 to 5.
    pub index: u8,
    /// The kind of address space.
    pub kind: BarKind,
    /// Its base address; `None` where that was not observed (captures omit it).
    pub address: Option<u64>,
    /// Its size. Bytes of configuration space do not contain it; sysfs and `lspci` do.
    pub size: Option<Bytes>,
}

/// A range of addresses that a bridge forwards downstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BridgeWindow {
    /// The first address.
    pub base: u64,
    /// The last address.
    pub limit: u64,
}
