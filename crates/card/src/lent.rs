//! What the driver lends in ring mode, and its ioctls: the structs of ring mode in
//! `driver/include/uapi/linux/lanescope.h`.

#![allow(unsafe_code)]

use rustix::io::Errno;
use rustix::ioctl::{Setter, Updater, ioctl, opcode};
use rustix::time::{ClockId, clock_gettime};
use std::fs::File;
use std::io;
use std::time::Duration;

/// What a mapping of the file has, and how often a record is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Ring {
    /// A record for so many descriptors.
    pub every: u32,
    /// Or after so many cycles.
    pub cycles: u32,
    /// Descriptors, and records.
    pub entries: u32,
    /// Of the mapping.
    pub bytes: u32,
    /// Where the records begin in it.
    pub records: u32,
    /// Where an errno is, 0 as long as the channel is lent; and after it, what this process has seen.
    pub state: u32,
    /// Where the tail is stored.
    pub doorbell: u32,
    /// What bounds the process: [`BOUNDED`], or nothing.
    pub mode: u32,
    /// 0.
    pub flags: u32,
    /// 0.
    pub reserved: u32,
}

/// The card is this process's own, which reaches no memory by it but what was pinned.
pub(crate) const BOUNDED: u32 = 1;

/// Memory to be pinned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
struct Buffer {
    address: u64,
    bytes: u64,
    addresses: u64,
    flags: u32,
    id: u32,
}

/// Memory to be unpinned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
struct Unpin {
    flags: u32,
    id: u32,
}

/// A record that is waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
struct Wait {
    flags: u32,
    number: u32,
    deadline: u64,
}

/// `LANESCOPE_FOR_EVER`.
const FOR_EVER: u64 = u64::MAX;

/// Takes the channel.
pub(crate) fn take(file: &File, every: u32, cycles: u32) -> io::Result<Ring> {
    let mut ring = Ring { every, cycles, ..Ring::default() };
    // SAFETY: the command has the size of `Ring`, whose layout is that of the header (`tests/header.rs`); plain numbers.
    unsafe { ioctl(file, Updater::<{ opcode::read_write::<Ring>(b'l', 0x41) }, Ring>::new(&mut ring)) }?;
    Ok(ring)
}

/// Has memory pinned; the bus address of each page, and the driver's name for it.
pub(crate) fn pin(file: &File, address: u64, bytes: usize, page: usize) -> io::Result<(Vec<u64>, u32)> {
    let mut addresses = vec![0_u64; bytes / page];
    let places = addresses.as_mut_ptr() as u64;
    let mut buffer = Buffer { address, bytes: bytes as u64, addresses: places, ..Buffer::default() };
    // SAFETY: the command has the size of `Buffer`; the driver stores a number for each page of it, for which there is room.
    unsafe { ioctl(file, Updater::<{ opcode::read_write::<Buffer>(b'l', 0x42) }, Buffer>::new(&mut buffer)) }?;
    Ok((addresses, buffer.id))
}

/// Has it unpinned.
pub(crate) fn unpin(file: &File, id: u32) -> io::Result<()> {
    let unpin = Unpin { id, ..Unpin::default() };
    // SAFETY: the command has the size of `Unpin`, whose layout is that of the header; the driver reads it.
    unsafe { ioctl(file, Setter::<{ opcode::write::<Unpin>(b'l', 0x46) }, Unpin>::new(unpin)) }?;
    Ok(())
}

/// Sleeps until that record is there, for so long at most. False where it is not.
pub(crate) fn wait(file: &File, number: u32, most: Option<Duration>) -> io::Result<bool> {
    let wait = Wait { number, deadline: most.map_or(FOR_EVER, deadline), ..Wait::default() };
    // SAFETY: the command has the size of `Wait`, whose layout is that of the header; the driver reads it.
    match unsafe { ioctl(file, Setter::<{ opcode::write::<Wait>(b'l', 0x43) }, Wait>::new(wait)) } {
        Err(Errno::TIMEDOUT) => Ok(false),
        ended => Ok(ended.map(|()| true)?),
    }
}

/// Nanoseconds of the clock that the driver goes by.
fn deadline(from_now: Duration) -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let nanoseconds =
        i128::from(now.tv_sec) * 1_000_000_000 + i128::from(now.tv_nsec) + from_now.as_nanos().cast_signed();
    u64::try_from(nanoseconds).map_or(FOR_EVER, |nanoseconds| nanoseconds.min(FOR_EVER - 1))
}

/// What the tests of all structs compare.
#[cfg(test)]
pub(crate) mod testing {
    /// What the driver shares with programs.
    pub(crate) const HEADER: &str = include_str!("../../../driver/include/uapi/linux/lanescope.h");

    /// The fields of a struct of the header.
    pub(crate) fn fields(name: &str) -> Vec<String> {
        let body = HEADER.split_once(&format!("struct {name} {{")).map_or("", |(_, rest)| rest);
        let body = body.split_once("};").map_or("", |(body, _)| body);
        body.lines().filter_map(|line| Some(line.trim().trim_end_matches(';').split_once(' ')?.1.into())).collect()
    }

    /// The fields of a struct, from what it prints of itself.
    pub(crate) fn own(told: &str) -> Vec<String> {
        told.split(['{', ',']).skip(1).filter_map(|part| Some(part.split_once(':')?.0.trim().into())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{HEADER, fields, own};
    use super::*;

    #[test]
    fn are_the_structs_those_of_the_header() {
        assert_eq!(own(&format!("{:?}", Ring::default())), fields("lanescope_ring"));
        assert_eq!(own(&format!("{:?}", Buffer::default())), fields("lanescope_ring_buffer"));
        assert_eq!(own(&format!("{:?}", Unpin::default())), fields("lanescope_ring_unpin"));
        assert_eq!(own(&format!("{:?}", Wait::default())), fields("lanescope_ring_wait"));
        assert_eq!((size_of::<Ring>(), size_of::<Buffer>()), (40, 32));
        assert_eq!((size_of::<Unpin>(), size_of::<Wait>()), (8, 16));
        for command in ["_IOWR('l', 0x41,", "_IOWR('l', 0x42,", "_IOW('l', 0x43,", "_IOW('l', 0x46,"] {
            assert!(HEADER.contains(command), "{command}");
        }
    }
}
