//! Messages of interrupts.

use system::Window;

/// Where messages of interrupts go: the local APICs of a PC (Intel 64 and IA-32 Architectures Software Developer's Manual,
/// volume 3, Message Signalled Interrupts).
pub(crate) const MESSAGES: Window = Window { base: 0xfee0_0000, bytes: 1 << 20 };

/// A message of an interrupt: a write of `data`, 4 bytes little endian, to `address`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Where to.
    pub address: u64,
    /// What.
    pub data: u32,
}
