//! Interrupt messages.

use system::Window;

/// The address range of interrupt messages: the local APICs of a PC (Intel 64 and IA-32 Architectures Software
/// Developer's Manual, volume 3, Message Signalled Interrupts).
pub(crate) const MESSAGES: Window = Window { base: 0xfee0_0000, bytes: 1 << 20 };

/// An interrupt message: a write of the 4 bytes of `data`, little-endian, to `address`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Target address.
    pub address: u64,
    /// The data.
    pub data: u32,
}
