//! What the driver lends in ring mode, and its ioctls: `struct lanescope_ring` and `struct lanescope_ring_buffer` of
//! `driver/include/uapi/linux/lanescope.h`.

#![allow(unsafe_code)]

use rustix::ioctl::{Setter, Updater, ioctl, opcode};
use std::fs::File;
use std::io;

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
    /// Where an errno is, 0 as long as the channel is lent.
    pub state: u32,
    /// Where the tail is stored.
    pub doorbell: u32,
    /// What bounds the process: [`BOUNDED`], or nothing.
    pub mode: u32,
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
}

/// Takes the channel.
pub(crate) fn take(file: &File, every: u32, cycles: u32) -> io::Result<Ring> {
    let mut ring = Ring { every, cycles, ..Ring::default() };
    // SAFETY: the command has the size of `Ring`, whose layout is that of the header (`tests/header.rs`); plain numbers.
    unsafe { ioctl(file, Updater::<{ opcode::read_write::<Ring>(b'l', 0x41) }, Ring>::new(&mut ring)) }?;
    Ok(ring)
}

/// Has memory pinned; the bus address of each page.
pub(crate) fn pin(file: &File, address: u64, bytes: usize, page: usize) -> io::Result<Vec<u64>> {
    let mut addresses = vec![0_u64; bytes / page];
    let buffer = Buffer { address, bytes: bytes as u64, addresses: addresses.as_mut_ptr() as u64 };
    // SAFETY: the command has the size of `Buffer`; the driver stores a number for each page of it, for which there is room.
    unsafe { ioctl(file, Setter::<{ opcode::write::<Buffer>(b'l', 0x42) }, Buffer>::new(buffer)) }?;
    Ok(addresses)
}

/// Sleeps until that record is there.
pub(crate) fn wait(file: &File, record: u32) -> io::Result<()> {
    // SAFETY: the command has the size of a number of 32 bits, which the driver reads.
    unsafe { ioctl(file, Setter::<{ opcode::write::<u32>(b'l', 0x43) }, u32>::new(record)) }?;
    Ok(())
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
        assert_eq!((size_of::<Ring>(), size_of::<Buffer>()), (32, 24));
        for command in ["_IOWR('l', 0x41,", "_IOW('l', 0x42,", "_IOW('l', 0x43, __u32)"] {
            assert!(HEADER.contains(command), "{command}");
        }
    }
}
