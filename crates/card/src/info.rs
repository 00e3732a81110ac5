//! What a channel is and what it has counted: `struct lanescope_info` of `driver/include/uapi/linux/lanescope.h`. With `unsafe`,
//! because the driver writes the struct.

#![allow(unsafe_code)]

use rustix::io::Errno;
use rustix::ioctl::{Getter, Setter, Updater, ioctl, opcode};
use std::fs::File;
use std::io;
use std::ops::BitOr;
use std::os::fd::BorrowedFd;

/// What a driver can, for a channel: `LANESCOPE_CAN_*`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Abilities(u64);

impl Abilities {
    /// Flags for frames, and notes.
    pub const FRAMES: Abilities = Abilities(1);
    /// Transfers of dma-bufs.
    pub const TRANSFER: Abilities = Abilities(2);
    /// Its card's window can be exported.
    pub const WINDOW: Abilities = Abilities(4);
    /// It has what ring mode needs.
    pub const RING: Abilities = Abilities(8);
    /// Memory of a queue can be unpinned.
    pub const UNPIN: Abilities = Abilities(16);
    /// A wait of a queue can have a deadline.
    pub const DEADLINE: Abilities = Abilities(32);
    /// `poll()` knows queues.
    pub const POLL_RING: Abilities = Abilities(64);
    /// How often a record is written is the channel's own.
    pub const MODERATE: Abilities = Abilities(128);
    /// Calls of a file can be ended from outside.
    pub const CANCEL: Abilities = Abilities(256);

    /// Whether it has all of those.
    pub fn have(self, what: Abilities) -> bool {
        self.0 & what.0 == what.0
    }

    /// The number that the driver knows them by.
    pub fn bits(self) -> u64 {
        self.0
    }
}

impl BitOr for Abilities {
    type Output = Abilities;

    fn bitor(self, other: Abilities) -> Abilities {
        Abilities(self.0 | other.0)
    }
}

/// See the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Info {
    /// 0.
    pub flags: u32,
    /// Upper half of the engine's identity register.
    pub engine: u32,
    /// What the driver can: see [`Info::abilities`].
    pub capabilities: u64,
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
    /// A record for so many descriptors: see [`crate::Channel::moderate`].
    pub every: u32,
    /// Or after so many cycles.
    pub cycles: u32,
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

    /// What the driver can, for this channel.
    pub fn abilities(&self) -> Abilities {
        Abilities(self.capabilities)
    }

    /// Asks the driver.
    ///
    /// # Errors
    /// `EPROTO`: it is of before capabilities; `ENOTTY`: it is not lanescope's.
    pub(crate) fn of(file: &File) -> io::Result<Info> {
        let mut info = Info::default();
        // SAFETY: the command has the size of `Info`, whose layout is that of the driver's header (checked below and in
        // `tests/header.rs`); all its bits are plain numbers.
        let asked = unsafe { ioctl(file, Updater::<{ opcode::read_write::<Info>(b'l', 0x40) }, Info>::new(&mut info)) };
        match asked {
            Err(Errno::NOTTY) if is_of_before(file) => Err(Errno::PROTO.into()),
            asked => Ok(asked.map(|()| info)?),
        }
    }
}

/// Whether the driver answers to what came before capabilities: a struct that begins with a version.
fn is_of_before(file: &File) -> bool {
    type Before = [u32; 20];
    // SAFETY: the command has the size of what was the struct, all of whose bits are plain numbers.
    unsafe { ioctl(file, Getter::<{ opcode::read::<Before>(b'l', 0x40) }, Before>::new()) }.is_ok()
}

/// How often a record is written: `struct lanescope_moderation`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
struct Moderation {
    flags: u32,
    every: u32,
    cycles: u32,
    reserved: u32,
}

/// Sets it.
pub(crate) fn moderate(channel: BorrowedFd<'_>, every: u32, cycles: u32) -> io::Result<()> {
    let moderation = Moderation { every, cycles, ..Moderation::default() };
    // SAFETY: the command has the size of `Moderation`, whose layout is that of the header; the driver reads it.
    unsafe { ioctl(channel, Setter::<{ opcode::write::<Moderation>(b'l', 0x47) }, Moderation>::new(moderation)) }?;
    Ok(())
}

const _: () = assert!(size_of::<Info>() == 96);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lent::testing::{HEADER, fields, own};

    #[test]
    fn is_the_moderation_that_of_the_header() {
        assert_eq!(own(&format!("{:?}", Moderation::default())), fields("lanescope_moderation"));
        assert_eq!(size_of::<Moderation>(), 16);
        assert!(HEADER.contains("_IOW('l', 0x47, struct lanescope_moderation)"));
    }

    #[test]
    fn has_each_capability_of_the_header_a_name_here() {
        let own = [
            ("FRAMES", Abilities::FRAMES),
            ("TRANSFER", Abilities::TRANSFER),
            ("WINDOW", Abilities::WINDOW),
            ("RING", Abilities::RING),
            ("UNPIN", Abilities::UNPIN),
            ("DEADLINE", Abilities::DEADLINE),
            ("POLL_RING", Abilities::POLL_RING),
            ("MODERATE", Abilities::MODERATE),
            ("CANCEL", Abilities::CANCEL),
        ];
        let named: Vec<&str> = HEADER.lines().filter_map(|line| line.strip_prefix("#define LANESCOPE_CAN_")).collect();
        assert_eq!(named.len(), own.len(), "{named:?}");
        for (line, (name, ability)) in named.iter().zip(own) {
            assert!(line.starts_with(&format!("{name}\t_BITULL({})", ability.bits().trailing_zeros())), "{line}");
        }
        assert!((Abilities::RING | Abilities::UNPIN).have(Abilities::UNPIN));
        assert!(!Abilities::RING.have(Abilities::RING | Abilities::UNPIN));
    }
}
