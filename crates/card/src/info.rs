//! What a channel is and what it has counted: `struct lanescope_info` of `driver/include/uapi/linux/lanescope.h`. With `unsafe`,
//! because the driver writes the struct.

#![allow(unsafe_code)]

use rustix::ioctl::{Getter, ioctl, opcode};
use std::fs::File;
use std::io;

/// The version of the interface that this crate knows: `LANESCOPE_ABI_VERSION`.
pub const ABI: u32 = 1;

/// See the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Info {
    /// The driver's version of the interface.
    pub abi: u32,
    /// Upper half of the engine's identity register.
    pub engine: u32,
    /// Number of the channel in its direction.
    pub channel: u32,
    /// 1 for card to host.
    pub to_host: u32,
    /// Bits of the engine's data path.
    pub width: u32,
    /// Descriptors in the ring.
    pub entries: u32,
    /// The cause of the last failure: see [`Info::cause`].
    pub last_cause: u32,
    /// 0.
    pub reserved: u32,
    /// Transfers that have ended.
    pub transfers: u64,
    /// Bytes moved by them.
    pub bytes: u64,
    /// Descriptors given to the engine.
    pub descriptors: u64,
    /// Stores to the tail register.
    pub doorbells: u64,
    /// Interrupts taken.
    pub interrupts: u64,
    /// Times that the channel was set up anew after a failure or a signal.
    pub resets: u64,
}

/// Why a transfer failed, as the engine's records say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// No completion came in time.
    Timeout,
    /// A completion with the status Unsupported Request.
    UnsupportedRequest,
    /// A completion with the status Completer Abort.
    CompleterAbort,
    /// A poisoned completion.
    Poisoned,
    /// A length that the engine does not take.
    Length,
    /// Software stopped it.
    Abort,
    /// A descriptor could not be read.
    Fetch,
    /// A completion that does not add up.
    Completion,
    /// An AXI slave error in the design.
    Slave,
    /// An AXI decode error in the design.
    Decode,
    /// A number that this crate does not know.
    Other(u32),
}

impl Cause {
    /// The cause of that number; `None` of 0.
    pub(crate) fn of(number: u32) -> Option<Cause> {
        Some(match number {
            0 => return None,
            1 => Cause::Timeout,
            2 => Cause::UnsupportedRequest,
            3 => Cause::CompleterAbort,
            4 => Cause::Poisoned,
            5 => Cause::Length,
            6 => Cause::Abort,
            7 => Cause::Fetch,
            9 => Cause::Completion,
            10 => Cause::Slave,
            11 => Cause::Decode,
            other => Cause::Other(other),
        })
    }
}

impl Info {
    /// Why the last transfer that failed did so; `None` where none has.
    pub fn cause(&self) -> Option<Cause> {
        Cause::of(self.last_cause)
    }

    /// Asks the driver.
    pub(crate) fn of(file: &File) -> io::Result<Info> {
        // SAFETY: the command has the size of `Info`, whose layout is that of the driver's header (checked below and in
        // `tests/header.rs`); all its bits are plain numbers.
        let info = unsafe { ioctl(file, Getter::<{ opcode::read::<Info>(b'l', 0x40) }, Info>::new()) }?;
        Ok(info)
    }
}

const _: () = assert!(size_of::<Info>() == 80);
